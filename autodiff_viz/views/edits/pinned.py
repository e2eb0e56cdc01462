"""Nodes stay where they are while others come and go."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from autodiff_viz.graph import edits
from autodiff_viz.graph.model import Graph
from autodiff_viz.views.drawing import places
from autodiff_viz.views.placing import Point

_POSITION = attrgetter("position")


def standing(graph: Graph) -> Mapping[str, Point]:
    """Where every node stands, by name. Nothing is laid out where the nodes themselves say it."""
    if _has_places(graph):
        return {node.name: node.position for node in graph.nodes}
    return places(graph).positions


def _has_places(graph: Graph) -> bool:
    return None not in map(_POSITION, graph.nodes)


def pinned(graph: Graph) -> Graph:
    """The graph with every node pinned where it is drawn: the layout would move all of them with each new
    wire."""
    if _has_places(graph):
        return graph
    positions = places(graph).positions.items()
    return edits.with_positions(graph, {name: (round(x, 1), round(y, 1)) for name, (x, y) in positions})
