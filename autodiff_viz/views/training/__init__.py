"""Show a training: its panel, its steps and its log."""
