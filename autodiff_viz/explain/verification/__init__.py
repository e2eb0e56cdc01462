"""Compare all ways to the same numbers, and describe whether they agree."""
