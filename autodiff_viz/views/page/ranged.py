"""Mark nodes and wires whose numbers leave the range of the dtype, while that figure is on view."""

from __future__ import annotations

from typing import Any

from autodiff_viz.engine.explain.precision.ranges import OVERFLOW, UNDERFLOW, Ranged
from autodiff_viz.figures.cotangents.precision import compared
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.views.compose import VERIFIED_AT_ONCE, LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.page.figure_choice import about, figure_on_view
from autodiff_viz.views.training.shown_step import live

PRECISION = "precision"


def ranged_data(lab: Lab, view: LabView) -> dict[str, Any] | None:
    """Return the wires, as ids, and the nodes whose numbers underflow and overflow.

    None if none does, and while another figure is chosen, a training runs, or the graph is large.
    """
    if lab.figure != PRECISION or figure_on_view(lab) != PRECISION or not view.complete or live(lab):
        return None
    if len(view.graph.nodes) > VERIFIED_AT_ONCE:
        return None
    try:
        found = compared(view.trace, about(lab, PRECISION))
    except GraphError:
        return None
    names = {
        side: list(dict.fromkeys(_mark(place) for place in found.places if place.kind == kind))
        for side, kind in (("under", UNDERFLOW), ("over", OVERFLOW))
    }
    return names if any(names.values()) else None


def _mark(place: Ranged) -> str:
    return place.node if place.slot is None else f"{place.node}:{place.slot}"
