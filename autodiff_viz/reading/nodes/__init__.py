"""Build the graph of a text while it is read, compute its numbers, and count what that costs."""
