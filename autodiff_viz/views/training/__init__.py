"""Views of a training: its panel, its steps and its log."""
