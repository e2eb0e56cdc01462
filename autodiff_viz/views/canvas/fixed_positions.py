"""Fix positions: nodes keep their places while an edit adds or removes others."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from autodiff_viz.graph.edits import node_edits as edits
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.structure.order import order
from autodiff_viz.views.canvas.cards import pictured, size
from autodiff_viz.views.canvas.drawing import places
from autodiff_viz.views.layout.placing import GAP, Point

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


def without_backward_places(graph: Graph, before: Graph) -> Graph:
    """Remove the positions of nodes that now lie left of what they read, and did not do so before.

    A change of the text gives nodes other wires and moves what has no position. A node that was put left of
    what it reads by hand stays there.

    Args:
      before: the graph before its text was changed.
    """
    if not any(map(_POSITION, graph.nodes)):
        return graph
    found, tall, was = places(graph), pictured(graph), _leftward(before)
    ends: dict[str, float] = {}
    lost = []
    for node in order(graph):
        left, width = found.positions[node.name][0], size(node, tall.get(node.name))[0]
        passed = [ends[name] for _, name in node.wires if name in ends and name not in found.tabs]
        if node.position is not None and any(
            left < ends[name] and (name, node.name) not in was
            for _, name in node.wires
            if name in ends and name not in found.tabs
        ):
            lost.append(node.name)
            left = max(passed) + GAP
        ends[node.name] = left + width
    return edits.with_positions(graph, dict.fromkeys(lost)) if lost else graph


def _leftward(graph: Graph) -> set[tuple[str, str]]:
    """Return (source, target) of the wires to a node that lies left of the end of what it reads."""
    positions, tall = places(graph).positions, pictured(graph)
    return {
        (name, node.name)
        for node in graph.nodes
        for _, name in node.wires
        if name in graph
        and positions[node.name][0] < positions[name][0] + size(graph[name], tall.get(name))[0]
    }
