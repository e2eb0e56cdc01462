"""Compute the numbers of a graph: the trace, the whole program that confirms it, counts and checks."""
