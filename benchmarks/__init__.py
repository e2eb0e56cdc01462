"""Measure speed and memory, as ratios of times measured in one run."""
