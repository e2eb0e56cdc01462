"""Layered layout of the canvas: nodes in columns from left to right, long wires around nodes.

Own implementation in the manner of Sugiyama, Tagawa and Toda (1981): layer assignment, crossing reduction,
coordinates. A node that the user has moved keeps its position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.order import order
from autodiff_viz.views.layout.coordinates import heights, lefts
from autodiff_viz.views.layout.crossing_reduction import uncross
from autodiff_viz.views.layout.layering import Columns, Size, Wire, columns
from autodiff_viz.views.layout.placing import Box, placed
from autodiff_viz.views.layout.routing import Bends, around

COMPONENT_GAP = 48.0  # px between parts of the graph that no wire and no frame connects


@dataclass(frozen=True, slots=True)
class Layout:
    """Coordinates in px, y downwards.

    Attributes:
      positions: top-left corner of each node by name; a node's own `position` when it has one.
      bends: by (target, slot), the points that a long wire passes on its way, left to right. From the middle
        of the source's right edge to the slot's port, a curve that is level at each point passes under no
        node. Wires without bends are left out.
    """

    positions: dict[str, tuple[float, float]]
    bends: dict[tuple[str, int], Bends]


def layout(
    graph: Graph, size_of: Callable[[Node], Size], room_of: Callable[[Node], float] = lambda node: 0.0
) -> Layout:
    """Lay out the graph. Deterministic, for any graph, also one with cycles.

    Where most nodes have a position, a new one is placed beside what it is wired to. Otherwise the nodes
    without a position are placed as in a layout without any positions.

    Args:
      size_of: (width, height) of a node in px.
      room_of: px that a node needs free to its left beyond the usual gap.
    """
    nodes = order(graph)
    sizes = {node.name: size_of(node) for node in nodes}
    fixed = {node.name: node.position for node in nodes if node.position is not None}
    fresh = Layout({}, {}) if 2 * len(fixed) > len(nodes) else _fresh(graph, nodes, size_of, room_of)
    if not fixed:
        return fresh
    positions = placed(nodes, sizes, fixed, fresh.positions)
    boxes = {name: Box(*position, *sizes[name]) for name, position in positions.items()}
    moved = {name for name, position in positions.items() if position != fresh.positions.get(name)}
    return Layout(positions, around(nodes, boxes, moved, fresh.bends))


def _fresh(
    graph: Graph,
    nodes: Sequence[Node],
    size_of: Callable[[Node], Size],
    room_of: Callable[[Node], float],
) -> Layout:
    """Lay out all nodes, ignoring their own positions, with connected components one below the other."""
    found, top = Layout({}, {}), 0.0
    for part in _parts(graph, nodes):
        made = columns(graph, part, size_of)
        uncross(made)
        y = heights(made)
        spans = [(y[i] - size[1] / 2, y[i] + size[1] / 2) for i, size in enumerate(made.sizes)]
        shift = top - min(high for high, _ in spans)
        y = [round(centre + shift, 1) for centre in y]
        top += COMPONENT_GAP + max(low for _, low in spans) - min(high for high, _ in spans)
        left, right = lefts(made, y, [room_of(node) for node in part])
        for i, node in enumerate(part):
            found.positions[node.name] = (round(left[made.column[i]]), round(y[i] - made.sizes[i][1] / 2))
        for wire in made.wires:
            if bends := _bends(made, wire, y, left, right):
                found.bends[part[wire.target].name, wire.slot] = bends
    return found


def _parts(graph: Graph, nodes: Sequence[Node]) -> list[list[Node]]:
    """Return the connected components under wires, regions and groups (union-find)."""
    root = {node.name: node.name for node in nodes}

    def find(name: str) -> str:
        """Return the representative of a node's component, with path halving."""
        while root[name] != name:
            root[name] = root[root[name]]
            name = root[name]
        return name

    groups = [(node.name, *(name for _, name in node.wires)) for node in nodes]
    groups += [tuple(sorted(frame.nodes)) for frame in graph.frames]
    for group in groups:
        known = [name for name in group if name in root]
        for name in known[1:]:
            root[find(name)] = find(known[0])
    parts: dict[str, list[Node]] = {}
    for node in nodes:
        parts.setdefault(find(node.name), []).append(node)
    return list(parts.values())


def _bends(
    made: Columns, wire: Wire, y: Sequence[float], left: Sequence[float], right: Sequence[float]
) -> Bends:
    """Return the bends of a wire: level through the rest of the source's column and through each lane.

    Curves are in the gaps between columns.
    """
    column = made.column[wire.source]
    points: list[tuple[float, float]] = []
    if left[column] + made.sizes[wire.source][0] < right[column] - 1:
        points.append((right[column], y[wire.source]))
    for lane in made.lanes.get(wire, ()):
        here = made.column[lane]
        if len(points) > 1 and points[-1][1] == points[-2][1] == y[lane]:
            points.pop()  # a straight stretch needs its ends alone
        elif not points or points[-1][1] != y[lane]:
            points.append((left[here], y[lane]))
        points.append((right[here], y[lane]))
    return tuple(points)
