"""Describe the selected node: its panel, its explanations and its fields."""
