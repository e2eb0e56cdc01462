"""Play a pass step by step, and count what is live in memory after each step."""
