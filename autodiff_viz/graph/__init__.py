"""Represent a graph as frozen data; edit, check and serialise it, all without knowledge of ops."""
