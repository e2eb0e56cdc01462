"""Read what JAX and HIPS autograd have of their own: transformations, control flow, trees, keys, rules."""
