"""The graph as frozen data, and all that needs no op: edits, undo, checks, JSON and links."""
