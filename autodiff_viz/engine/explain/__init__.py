"""Explain a trace, one file per explanation."""
