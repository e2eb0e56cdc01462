"""Make a graph of any JAX function: its jaxpr, equation by equation."""
