"""Differentiate the graph as one JAX function: verification, runs, residuals and rounding errors."""
