"""Describe the sweep of an input for the page, with the choice of the input."""

from __future__ import annotations

from autodiff_viz.explain.explanation import Choice, ExplanationKind
from autodiff_viz.explain.sweep.compute import curves, has_scalar, scalar_inputs
from autodiff_viz.explain.sweep.figure import low_sweep, sweep_figure, sweep_text

SWEPT = Choice("swept", "Swept input", scalar_inputs, follows=True, names=True, query="sweep")

SWEEP = ExplanationKind(
    key="sweep",
    title="Sweep",
    what_it_says="How value and derivative change with one input, and where the rules bend the derivative.",
    public=("sweep",),
    compute=curves,
    choices=(SWEPT,),
    needs=has_scalar,
    build=lambda trace, name: sweep_figure(curves(trace, name)),
    text=lambda trace, name: sweep_text(curves(trace, name)),
    low=lambda trace, name: low_sweep(curves(trace, name)),
    row="an input swept",
)
