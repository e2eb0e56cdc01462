"""Nodes stay where they are while others come and go."""

from __future__ import annotations

from operator import attrgetter

from autodiff_viz.graph import edits
from autodiff_viz.graph.model import Graph
from autodiff_viz.views.drawing import places

_POSITION = attrgetter("position")


def pinned(graph: Graph) -> Graph:
    """The graph with every node pinned where it is drawn: the layout would move all of them with each new
    wire."""
    if None not in map(_POSITION, graph.nodes):
        return graph
    positions = places(graph).positions.items()
    return edits.with_positions(graph, {name: (round(x, 1), round(y, 1)) for name, (x, y) in positions})
