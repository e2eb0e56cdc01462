"""Draw traces, trainings and segments as Plotly figures, each with a description in words."""
