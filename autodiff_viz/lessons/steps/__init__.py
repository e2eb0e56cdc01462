"""Ask how training goes through rounding, choosing and drawing."""
