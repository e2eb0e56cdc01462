"""Show what the graph has learned: the surface of its prediction at the step on view."""

from __future__ import annotations

from typing import Any

from autodiff_viz.explain.surface.compute import POINTS, numbers_of, prediction_surface
from autodiff_viz.explain.surface.figure import Learned
from autodiff_viz.explain.surface.prediction import prediction
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.training import live, own
from autodiff_viz.training.state import learned

COARSE = 21  # points of each axis where a fine grid would take too many numbers
AT_ONCE = limits.TOTAL_ELEMENTS  # numbers that an update of the page may take: some milliseconds


def surface_data(lab: Lab, view: LabView) -> Any:
    """Return all that the surface depends on; None for a graph without parameters."""
    if not learned(lab.graph):
        return None
    numbers = (lab.training.token, len(lab.training)) if view.moment and live(lab) else view.follows
    made = own(lab) is not None and len(lab.training) > 0
    return numbers, view.moment and view.moment.step, made, lab.selected


def learned_surface(lab: Lab, view: LabView) -> Learned | str | None:
    """Return the surface of the step on view, of the selected node or else of the prediction.

    A sentence if the prediction has none; None if the graph has no data that a surface could be over.
    """
    if not view.complete or not learned(lab.graph) or view.trace.value[view.trace.output].shape:
        return None
    chosen = prediction(view.trace, lab.selected)
    if chosen is None:
        return None
    grids = [each for each in (POINTS, COARSE) if numbers_of(view.trace, chosen, each) <= AT_ONCE]
    if not grids:
        return f"{chosen.node} has too many numbers to draw it over {chosen.data}."
    try:
        surface = prediction_surface(view.trace, chosen.node, points=grids[0])
    except GraphError as error:
        if view.trace.inputs[chosen.data].ndim <= 1:  # an array on one axis may well be a single example
            return None
        problem = error.problems[0]
        return f"{problem.message} {problem.hint}"
    op = view.trace.graph[chosen.loss].op if chosen.loss else ""
    training = own(lab)
    step = view.moment.step if view.moment else None if training and len(training) else 0
    return Learned(surface, step, op)
