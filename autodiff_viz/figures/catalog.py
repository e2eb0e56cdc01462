"""List the figures that a page offers.

To add one: a file with a figure and its text, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.engine.explain.derivatives.statistics import noisy_nodes
from autodiff_viz.engine.trace import Trace
from autodiff_viz.figures.cotangents.cotangents import cotangents_figure, cotangents_text
from autodiff_viz.figures.cotangents.noise import noise_figure, noise_text
from autodiff_viz.figures.cotangents.precision import precision_figure, precision_text
from autodiff_viz.figures.cotangents.segments import sizes_figure, sizes_text
from autodiff_viz.figures.derivatives.curves import curves, has_scalar
from autodiff_viz.figures.derivatives.jacobian import jacobian_figure, jacobian_text
from autodiff_viz.figures.derivatives.paths import low_paths, paths_figure, paths_text, takes_long
from autodiff_viz.figures.derivatives.rule_check import rule_check_figure, rule_check_text
from autodiff_viz.figures.derivatives.sweep import low_sweep, sweep_figure, sweep_text
from autodiff_viz.figures.memory.memory import memory_figure, memory_text
from autodiff_viz.figures.memory.plans import plans_figure_of, plans_text_of
from autodiff_viz.figures.memory.residuals import residuals_figure, residuals_text
from autodiff_viz.figures.memory.runs import runs_figure, runs_text
from autodiff_viz.figures.style.twin import Twin
from autodiff_viz.figures.training.gradient_flow import gradient_flow_figure, gradient_flow_text
from autodiff_viz.figures.training.loss import loss_figure, loss_text
from autodiff_viz.figures.training.split_loss import split_loss_figure, split_loss_text
from autodiff_viz.figures.training.update_ratio import update_ratio_figure, update_ratio_text
from autodiff_viz.graph.model import Graph

OF_GRAPH, OF_INPUT, OF_NODE, OF_SCALE, OF_DRAWS = "graph", "input", "node", "scale", "draws"
"""What a figure is of: the whole trace, one scalar input, the selected node, a loss scale, or a count."""


PLANS = "plans"
"""The figure that has a panel of its own, where a plan is chosen and taken."""


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
        none), the loss scale or the number of draws as text, or nothing.
      slow: whether a worker makes it for every graph, not only for a large one.
      slow_for: whether a worker makes it of this trace; None: of none but a large one.
      needs: whether a graph has what the figure is about; None if all have.
      counts: whether it shows counts alone, and so stays on view while the pass is played.
      beside: makes figure and text with the pinned graph beside the present one; None for one graph alone.
    """

    title: str
    what_it_says: str
    build: Callable[[Trace, str | None], go.Figure]
    text: Callable[[Trace, str | None], str]
    low: Callable[[Trace, str | None], go.Figure] | None = None
    of: str = OF_GRAPH
    slow: bool = False
    slow_for: Callable[[Trace], bool] | None = None
    needs: Callable[[Graph], bool] | None = None
    counts: bool = False
    beside: Callable[[Trace, str | None, Twin], tuple[go.Figure, str]] | None = None

    def is_slow(self, trace: Trace) -> bool:
        """Return whether a worker makes it of this trace, however few nodes there are."""
        return self.slow or (self.slow_for is not None and self.slow_for(trace))

    def fits(self, graph: Graph, pinned: Graph | None = None) -> bool:
        """Return whether a graph, or the pinned one that it shows beside it, has what the figure is about."""
        shown = [graph] if pinned is None or self.beside is None else [graph, pinned]
        return self.needs is None or any(map(self.needs, shown))

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
        needs=has_scalar,
    ),
    "paths": FigureSpec(
        "Paths",
        "Along which paths the gradient of the selected node comes, and how much along each.",
        paths_figure,
        paths_text,
        low_paths,
        of=OF_NODE,
        slow_for=takes_long,
    ),
    "rule_check": FigureSpec(
        "Rule check",
        "What the selected node declares as its derivative, beside the true one and central differences.",
        rule_check_figure,
        rule_check_text,
        lambda trace, name: rule_check_figure(trace, name, low=True),
        of=OF_NODE,
        slow=True,
    ),
    "jacobian": FigureSpec(
        "Jacobian",
        "All derivatives of the output, and what they cost: rows by reverse mode, columns by forward mode.",
        jacobian_figure,
        jacobian_text,
        lambda trace, name: jacobian_figure(trace, name, low=True),
        of=OF_NODE,
        slow=True,
    ),
    "runs": FigureSpec(
        "Runs",
        "How often each node runs, and what checkpoint regions run again in the backward pass.",
        lambda trace, name: runs_figure(trace),
        lambda trace, name: runs_text(trace),
        counts=True,
    ),
    "residuals": FigureSpec(
        "Residuals",
        "What the forward pass keeps for the backward pass, who made it and who reads it.",
        lambda trace, name: residuals_figure(trace),
        lambda trace, name: residuals_text(trace),
        counts=True,
    ),
    "memory": FigureSpec(
        "Memory",
        "How much is live after each step of the pass, who computed it, and where that is most.",
        lambda trace, name: memory_figure(trace),
        lambda trace, name: memory_text(trace),
        lambda trace, name: memory_figure(trace, low=True),
        slow=True,
        counts=True,
    ),
    PLANS: FigureSpec(
        "Plans",
        "What checkpoint regions could save, and what they would compute again.",
        lambda trace, name: plans_figure_of(trace),
        lambda trace, name: plans_text_of(trace),
        lambda trace, name: plans_figure_of(trace, low=True),
        slow=True,
        counts=True,
    ),
    "precision": FigureSpec(
        "Precision",
        "Which numbers are too small or too large for their dtype, beside float64.",
        precision_figure,
        precision_text,
        of=OF_SCALE,
    ),
    "noise": FigureSpec(
        "Noise",
        "How far what arrives at each input moves from draw to draw, and what it is on average.",
        noise_figure,
        noise_text,
        of=OF_DRAWS,
        slow=True,
        needs=lambda graph: bool(noisy_nodes(graph)),
        beside=lambda trace, draws, twin: (noise_figure(trace, draws, twin), noise_text(trace, draws, twin)),
    ),
}


def lacking(graph: Graph, pinned: Graph | None = None) -> list[str]:
    """Return the figures whose subject neither the graph nor the pinned graph has."""
    return [name for name, spec in FIGURES.items() if not spec.fits(graph, pinned)]


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure of something other than a trace.

    Attributes:
      title: on its tab.
      build, text: make the figure, and a sentence that says the same for screen readers.
      low: as `build`, for a place that is wide and low; None if there is no difference.
    """

    title: str
    build: Callable[[Any], go.Figure]
    text: Callable[[Any], str]
    low: Callable[[Any], go.Figure] | None = None

    def build_for(self, low: bool) -> Callable[[Any], go.Figure]:
        """Return the function that makes the figure for a low place or for any other."""
        return self.low if low and self.low else self.build


TRAINING_FIGURES: Mapping[str, Chart] = {
    "loss": Chart("Loss", loss_figure, loss_text),
    "flow": Chart(
        "Gradient flow",
        gradient_flow_figure,
        gradient_flow_text,
        lambda progress: gradient_flow_figure(progress, low=True),
    ),
    "ratio": Chart("Updates", update_ratio_figure, update_ratio_text),
}
"""Figures of a `Progress`: all steps of a training."""

SEGMENT_FIGURES: Mapping[str, Chart] = {
    "sizes": Chart("Handed back", sizes_figure, sizes_text),
    "curves": Chart("Three ways", split_loss_figure, split_loss_text),
}
"""Figures of a `Division`, and of `Curves`."""
