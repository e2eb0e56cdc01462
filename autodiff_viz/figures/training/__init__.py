"""Draw a training: loss, gradients and updates, a column for each step."""
