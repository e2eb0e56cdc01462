"""Explanations of a trace, one file each, and what they share."""
