"""Show a training: panel, steps and log."""
