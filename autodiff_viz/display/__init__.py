"""Share the look of all figures: theme, text, axes, tables and large type."""
