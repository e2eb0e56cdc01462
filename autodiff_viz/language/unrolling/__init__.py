"""Unroll loops and inline functions before a graph is built."""
