"""Differentiate and train a graph by segments, between its cuts."""
