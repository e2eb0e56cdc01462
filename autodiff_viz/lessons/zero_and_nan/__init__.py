"""Ask where a zero or a NaN comes from."""
