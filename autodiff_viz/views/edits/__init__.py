"""Edits that the browser sends, applied to the state of the lab: one file for each kind."""
