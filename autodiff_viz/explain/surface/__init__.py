"""Compute what a trained graph predicts between its data points."""
