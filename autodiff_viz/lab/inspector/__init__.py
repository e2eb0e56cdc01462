"""Describe the selected node: panel, explanations and fields."""
