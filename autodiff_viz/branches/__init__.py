"""Edits that add or remove one of the parallel branches of a group."""
