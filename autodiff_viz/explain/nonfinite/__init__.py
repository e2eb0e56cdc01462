"""Find the first NaN or infinity of a trace, with cures."""
