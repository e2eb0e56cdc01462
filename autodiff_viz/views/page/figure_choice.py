"""Which figure is on view, and what it is about."""

from __future__ import annotations

from autodiff_viz.figures.catalog import FIGURES, OF_GRAPH, OF_INPUT, OF_NODE, lacking
from autodiff_viz.views.actions import swept_input
from autodiff_viz.views.lab import Lab


def figure_on_view(lab: Lab) -> str:
    """Return the key of the figure on view: the chosen one, unless the graph lacks what it is about."""
    fits = lab.figure in FIGURES and lab.figure not in lacking(lab.graph)
    return lab.figure if fits else next(iter(FIGURES))


def about(lab: Lab, figure: str | None) -> str | None:
    """Return the name of the node that a figure is about; None if it is about the whole graph."""
    of = FIGURES[figure].of if figure in FIGURES else OF_GRAPH
    return swept_input(lab) if of == OF_INPUT else lab.selected if of == OF_NODE else None
