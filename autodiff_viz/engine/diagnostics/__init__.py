"""Diagnose numbers that are not finite, derivatives that are not the slope, and likely mistakes."""
