"""Plotly figures of traces, trainings and divisions, each with a description in words."""
