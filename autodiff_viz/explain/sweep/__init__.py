"""Sweep an input or parameter and show every node over it."""
