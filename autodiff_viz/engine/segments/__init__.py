"""Differentiation and training of a graph by segments, between its cuts."""
