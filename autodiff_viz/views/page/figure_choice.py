"""Choose the figure on view, and what it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from autodiff_viz.figures.catalog import FIGURES, OF_DRAWS, OF_GRAPH, OF_INPUT, OF_NODE, OF_SCALE
from autodiff_viz.figures.cotangents.noise import DRAWS
from autodiff_viz.figures.cotangents.precision import SCALES
from autodiff_viz.graph.model import Graph
from autodiff_viz.views.actions import swept_input
from autodiff_viz.views.lab import Lab, scalar_inputs


def figure_on_view(lab: Lab) -> str:
    """Return the key of the figure on view: the chosen one, unless the graph lacks what it is about."""
    spec = FIGURES.get(lab.figure)
    return lab.figure if spec and spec.fits(lab.graph, pinned_graph(lab)) else next(iter(FIGURES))


def pinned_graph(lab: Lab) -> Graph | None:
    """Return the pinned graph, if there is one."""
    return lab.pinned.graph if lab.pinned else None


def set_draws(lab: Lab, draws: int) -> Lab:
    """Set of how many draws the figure of noise is made, if that number is offered.

    A message from outside may have any: the browser sends a choice as text.
    """
    return replace(lab, draws=draws) if draws in DRAWS else lab


def set_scale(lab: Lab, scale: float) -> Lab:
    """Set the loss scale of the figure of precision, if that is offered."""
    return replace(lab, scale=float(scale)) if scale in SCALES else lab


def set_swept(lab: Lab, swept: str) -> Lab:
    """Set the input of the sweep, if it is one that can be swept."""
    return replace(lab, swept=swept) if swept in scalar_inputs(lab.graph) else lab


def compared(lab: Lab, figure: str | None) -> tuple[bytes, str] | None:
    """Return the identity and the letter of the pinned graph, if the figure shows that too."""
    shown = lab.pinned is not None and figure in FIGURES and FIGURES[figure].beside
    return (lab.pinned.graph.identity, lab.pinned.letter) if shown else None


def about(lab: Lab, figure: str | None) -> str | None:
    """Return what a figure is about: the name of a node, or a number; None if it is the whole graph."""
    of = FIGURES[figure].of if figure in FIGURES else OF_GRAPH
    return ABOUT[of](lab) if of in ABOUT else None


ABOUT: Mapping[str, Callable[[Lab], str | None]] = {
    OF_INPUT: swept_input,
    OF_NODE: lambda lab: lab.selected,
    OF_SCALE: lambda lab: str(lab.scale),
    OF_DRAWS: lambda lab: str(lab.draws),
}
"""By what a figure is of, its name or number as text."""
