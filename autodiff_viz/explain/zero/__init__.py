"""Explain why no gradient arrives at a node or at an element of a tensor, with cures."""
