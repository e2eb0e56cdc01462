"""Describe the explanation of the cotangents for the page."""

from __future__ import annotations

from autodiff_viz.explain.cotangents.compute import arrivals
from autodiff_viz.explain.cotangents.figure import cotangents_figure, cotangents_text
from autodiff_viz.explain.explanation import ExplanationKind

COTANGENTS = ExplanationKind(
    key="cotangents",
    title="Cotangents",
    what_it_says="How much gradient arrives at each node, and what every wire adds where wires meet.",
    word="cotangent",
    compute=lambda trace, _: arrivals(trace),
    build=lambda trace, _: cotangents_figure(trace),
    text=lambda trace, _: cotangents_text(trace),
    row="what arrives",
)
