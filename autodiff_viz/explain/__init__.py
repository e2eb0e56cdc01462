"""Explain a trace: a folder for each question, with its computation, its figure and what the page shows."""
