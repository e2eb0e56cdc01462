"""Compute the numbers of a graph: trace, whole program, training, segments, explanations, lints."""
