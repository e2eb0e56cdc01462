"""Describe the surface of the prediction for the page."""

from __future__ import annotations

from autodiff_viz.explain.explanation import OF_NODE, ExplanationKind
from autodiff_viz.explain.surface.compute import prediction_surface

SURFACE = ExplanationKind(
    key="surface",
    what_it_says="What the graph predicts between and around its data points.",
    public=("prediction_surface",),
    compute=prediction_surface,
    of=OF_NODE,
)
