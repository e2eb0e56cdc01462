"""Draw a graph or a trace for a notebook."""

from __future__ import annotations

from autodiff_viz.engine.check import diagnose, runnable
from autodiff_viz.engine.trace import Trace, trace, trace_part
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.views.canvas.svg import svg_of


def picture(thing: Graph | Trace) -> str | None:
    """Return the canvas's picture as an SVG element; None for a graph without nodes.

    A graph has the numbers of its own inputs, as far as it can be evaluated.
    """
    graph = thing.graph if isinstance(thing, Trace) else thing
    if not graph.nodes:
        return None
    return svg_of(graph, thing if isinstance(thing, Trace) else _traced(graph))


def _traced(graph: Graph) -> Trace | None:
    """Trace a graph, or the part of it that has no problems; None if nothing can be evaluated."""
    try:
        return trace(graph)
    except GraphError as error:
        problems = diagnose(graph) or error.problems
    try:
        return trace_part(runnable(graph, problems))
    except GraphError:
        return None
