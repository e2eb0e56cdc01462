"""Embed the lab in pages of others: what a frame shows, what it lets change, and its code."""
