"""Fix positions: nodes keep their places while an edit adds or removes others."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from autodiff_viz.graph.edits import node_edits as edits
from autodiff_viz.graph.model import Graph
from autodiff_viz.views.canvas.drawing import places
from autodiff_viz.views.layout.placing import Point

_POSITION = attrgetter("position")


def standing(graph: Graph) -> Mapping[str, Point]:
    """Return the present position of every node by name. Nothing is laid out if all nodes have positions."""
    if _has_places(graph):
        return {node.name: node.position for node in graph.nodes}
    return places(graph).positions


def _has_places(graph: Graph) -> bool:
    """Return whether all nodes have positions."""
    return None not in map(_POSITION, graph.nodes)


def pinned(graph: Graph) -> Graph:
    """Set every node's position to where it is drawn; else each new wire would move all nodes."""
    if _has_places(graph):
        return graph
    positions = places(graph).positions.items()
    return edits.with_positions(graph, {name: (round(x, 1), round(y, 1)) for name, (x, y) in positions})
