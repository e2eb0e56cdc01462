"""List the figures that a page offers.

To add one: a file with a figure and its text, and a line here.
"""

from __future__ import annotations

from collections.abc import Mapping

from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.cotangents.figure import cotangents_figure, cotangents_text
from autodiff_viz.explain.cure import Cure
from autodiff_viz.explain.explanation import (
    NON_FINITE,
    OF_DRAWS,
    OF_INPUT,
    OF_NODE,
    OF_SCALE,
    ZERO,
    FigureSpec,
)
from autodiff_viz.explain.jacobian.figure import jacobian_figure, jacobian_text
from autodiff_viz.explain.lints.compute import KINDS, lint_cure
from autodiff_viz.explain.memory.figure import memory_figure, memory_text
from autodiff_viz.explain.noise.compute import noisy_nodes
from autodiff_viz.explain.noise.figure import noise_figure, noise_text
from autodiff_viz.explain.nonfinite.cures import nonfinite_cure
from autodiff_viz.explain.paths.compute import takes_long
from autodiff_viz.explain.paths.figure import low_paths, paths_figure, paths_text
from autodiff_viz.explain.plans.figure import plans_figure_of, plans_text_of
from autodiff_viz.explain.precision.figure import precision_figure, precision_text
from autodiff_viz.explain.remat.figure import residuals_figure, residuals_text, runs_figure, runs_text
from autodiff_viz.explain.rule_check.figure import rule_check_figure, rule_check_text
from autodiff_viz.explain.sweep.compute import curves, has_scalar
from autodiff_viz.explain.sweep.figure import low_sweep, sweep_figure, sweep_text
from autodiff_viz.explain.zero.compute import cure_of_zero
from autodiff_viz.graph.model import Graph

"""What a figure is of: the whole trace, one scalar input, the selected node, a loss scale, or a count."""


PLANS = "plans"
"""The figure that has a panel of its own, where a plan is chosen and taken."""


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


"""Figures of a `Progress`: all steps of a training."""
"""Figures of a `Division`, and of `Curves`."""


class UnknownExplanation(ValueError):
    """Raised for an explanation that no room has."""


def cure_of(found: Trace, of: str, node: str | None, trained: bool = False) -> Cure | None:
    """Return the cure of an explanation, or of a lint, of the trace; `trained` as of `explained_zero`.

    Raises:
      UnknownExplanation: there is no such explanation, or no such node.
    """
    if of == NON_FINITE:
        return nonfinite_cure(found)
    if of in KINDS:
        return lint_cure(found, of, node or "")
    if of != ZERO or node not in found.graph:
        raise UnknownExplanation(of)
    return cure_of_zero(found, node, trained)
