"""Catalog of the figures that a page offers.

To add one: a file with a figure and its text, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.engine.trace import Trace
from autodiff_viz.figures.cotangents import cotangents_figure, cotangents_text
from autodiff_viz.figures.curves import curves
from autodiff_viz.figures.gradient_flow import gradient_flow_figure, gradient_flow_text
from autodiff_viz.figures.loss import loss_figure, loss_text
from autodiff_viz.figures.residuals import residuals_figure, residuals_text
from autodiff_viz.figures.runs import runs_figure, runs_text
from autodiff_viz.figures.segments import sizes_figure, sizes_text
from autodiff_viz.figures.split_loss import split_loss_figure, split_loss_text
from autodiff_viz.figures.sweep import low_sweep, sweep_figure, sweep_text
from autodiff_viz.figures.update_ratio import update_ratio_figure, update_ratio_text
from autodiff_viz.graph.model import Graph

OF_GRAPH, OF_INPUT, OF_NODE = "graph", "input", "node"
"""What a figure is of: the whole trace, one scalar input, or the selected node."""


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """A figure of a trace.

    Attributes:
      title: on its tab.
      what_it_says: the question that it answers, in one line.
      build: makes the figure from a trace and the name that it is about, or None for the figure's own choice;
        raises GraphError where there is none.
      text: makes alternative text for screen readers, one sentence, from the same.
      low: as `build`, for a place that is wide and low; None if there is no difference.
      of: whose name `build` and `text` get: a scalar input's, the selected node's (None if there is
        none), or no name.
      slow: whether a worker makes it for every graph, not only for a large one.
      needs: whether a graph has what the figure is about; None if all have.
    """

    title: str
    what_it_says: str
    build: Callable[[Trace, str | None], go.Figure]
    text: Callable[[Trace, str | None], str]
    low: Callable[[Trace, str | None], go.Figure] | None = None
    of: str = OF_GRAPH
    slow: bool = False
    needs: Callable[[Graph], bool] | None = None

    def build_for(self, low: bool) -> Callable[[Trace, str | None], go.Figure]:
        """Return the function that makes the figure for a low place or for any other."""
        return self.low if low and self.low else self.build


FIGURES: Mapping[str, FigureSpec] = {
    "cotangents": FigureSpec(
        "Cotangents",
        "How much gradient arrives at each node, and what every wire adds where wires meet.",
        lambda trace, name: cotangents_figure(trace),
        lambda trace, name: cotangents_text(trace),
    ),
    "sweep": FigureSpec(
        "Sweep",
        "How value and derivative change with one input, and where the rules bend the derivative.",
        lambda trace, name: sweep_figure(curves(trace, name)),
        lambda trace, name: sweep_text(curves(trace, name)),
        lambda trace, name: low_sweep(curves(trace, name)),
        of=OF_INPUT,
    ),
    "runs": FigureSpec(
        "Runs",
        "How often each node runs, and what checkpoint regions run again in the backward pass.",
        lambda trace, name: runs_figure(trace),
        lambda trace, name: runs_text(trace),
    ),
    "residuals": FigureSpec(
        "Residuals",
        "What the forward pass keeps for the backward pass, who made it and who reads it.",
        lambda trace, name: residuals_figure(trace),
        lambda trace, name: residuals_text(trace),
    ),
}


def lacking(graph: Graph) -> list[str]:
    """Return the figures for which the graph lacks what they are about."""
    return [name for name, spec in FIGURES.items() if spec.needs and not spec.needs(graph)]


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure of something other than a trace.

    Attributes:
      title: on its tab.
      build, text: make the figure, and a sentence that says the same for screen readers.
    """

    title: str
    build: Callable[[Any], go.Figure]
    text: Callable[[Any], str]


TRAINING_FIGURES: Mapping[str, Chart] = {
    "loss": Chart("Loss", loss_figure, loss_text),
    "flow": Chart("Gradient flow", gradient_flow_figure, gradient_flow_text),
    "ratio": Chart("Updates", update_ratio_figure, update_ratio_text),
}
"""Figures of a `Progress`: all steps of a training."""

SEGMENT_FIGURES: Mapping[str, Chart] = {
    "sizes": Chart("Handed back", sizes_figure, sizes_text),
    "curves": Chart("Three ways", split_loss_figure, split_loss_text),
}
"""Figures of a `Division`, and of `Curves`."""
