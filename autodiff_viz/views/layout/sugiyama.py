"""Lay out the canvas in layers: nodes in columns from left to right, long wires around nodes.

Own implementation in the manner of Sugiyama, Tagawa and Toda (1981): layer assignment, crossing reduction,
coordinates. Parameters become tabs of their layers, and long chains are divided into rows. A node that the
user has moved keeps its position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from math import inf

from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.structure.order import order
from autodiff_viz.views.layout.coordinates import heights, lefts
from autodiff_viz.views.layout.crossing_reduction import uncross
from autodiff_viz.views.layout.layering import Columns, Size, Wire, columns
from autodiff_viz.views.layout.placing import Box, Point, placed
from autodiff_viz.views.layout.routing import Bends, around
from autodiff_viz.views.layout.rows import ROW_GAP, rows
from autodiff_viz.views.layout.tabs import Tabs, attached, feet, fitted, folded, rooms, stacked

TRIED = 80  # nodes up to which tabs are tried in both places
COMPONENT_GAP = 48.0  # px between parts of the graph that no wire and no frame connects


@dataclass(frozen=True, slots=True)
class Layout:
    """Coordinates in px, y downwards.

    Attributes:
      positions: top-left corner of each node by name; a node's own `position` when it has one.
      bends: by (target, slot), the points that a long wire passes on its way, left to right. From the middle
        of the source's right edge to the slot's port, a curve that is level at each point passes under no
        node. Wires without bends are left out. A wire to the left has at most one: the height at which it
        comes back.
      tabs: by parameter that is drawn as a tab, its place.
    """

    positions: dict[str, Point]
    bends: dict[tuple[str, int], Bends]
    tabs: Tabs = field(default_factory=dict)

    def extent(self, sizes: Mapping[str, Size]) -> Size:
        """Return the (width, height) of all nodes."""
        boxes = [Box(*self.positions[name], *size) for name, size in fitted(self.tabs, sizes).items()]
        across = max(box.right for box in boxes) - min(box.x for box in boxes)
        return across, max(box.bottom for box in boxes) - min(box.y for box in boxes)


@dataclass(frozen=True, slots=True)
class Space:
    """What nodes need, and how far a layout may reach.

    Attributes:
      size_of: (width, height) of a node in px.
      room_of: px that a node needs free to its left beyond the usual gap.
      layers: by parameter that may be a tab, its layer.
      widest: px that a row should have at most.
      window: (width, height) of a canvas, of which a layout should make the most.
    """

    size_of: Callable[[Node], Size]
    room_of: Callable[[Node], float] = lambda node: 0.0
    layers: Mapping[str, str] = field(default_factory=dict)
    widest: float = inf
    window: Size = (inf, inf)

    def scale(self, extent: Size) -> float:
        """Return the scale at which a layout of this extent fits the window."""
        return min(px / max(size, 1.0) for px, size in zip(self.window, extent, strict=True))


def layout(graph: Graph, space: Space) -> Layout:
    """Lay out the graph. Deterministic, for any graph, also one with cycles.

    Where most nodes have a position, a new one is placed beside what it is wired to. Otherwise the nodes
    without a position are placed as in a layout without any positions.
    """
    nodes = order(graph)
    sizes = {node.name: space.size_of(node) for node in nodes}
    fixed = {node.name: node.position for node in nodes if node.position is not None}
    layers = {name: layer for name, layer in space.layers.items() if name in sizes and layer in sizes}
    fresh = Layout({}, {}) if 2 * len(fixed) > len(nodes) else _fresh(graph, nodes, sizes, layers, space)
    if not fixed:
        return fresh
    positions = placed(nodes, sizes, fixed, fresh.positions)
    tabs = attached(layers, sizes, positions)
    positions |= stacked(tabs, {node.name: node for node in nodes}, sizes, positions)
    moved = {name for name, position in positions.items() if position != fresh.positions.get(name)}
    return Layout(positions, _bends(nodes, positions, fitted(tabs, sizes), moved, fresh.bends), tabs)


def _bends(
    nodes: Sequence[Node],
    positions: Mapping[str, Point],
    sizes: Mapping[str, Size],
    moved: AbstractSet[str],
    known: Mapping[tuple[str, int], Bends],
) -> dict[tuple[str, int], Bends]:
    boxes = {name: Box(*position, *sizes[name]) for name, position in positions.items()}
    return around(nodes, boxes, moved, known)


def _fresh(
    graph: Graph,
    nodes: Sequence[Node],
    sizes: Mapping[str, Size],
    layers: Mapping[str, str],
    space: Space,
) -> Layout:
    """Lay out all nodes, ignoring their own positions, with tabs where they leave most room for the rest."""
    below = _laid(graph, nodes, sizes, folded(layers, len(nodes), beside=False), space)
    if not below.tabs or len(nodes) > TRIED:
        return below
    beside = _laid(graph, nodes, sizes, folded(layers, len(nodes), beside=True), space)
    return max(below, beside, key=lambda found: space.scale(found.extent(sizes)))


def _laid(graph: Graph, nodes: Sequence[Node], sizes: Mapping[str, Size], tabs: Tabs, space: Space) -> Layout:
    """Lay out all nodes with these tabs, with connected components one below the other."""
    by_name = {node.name: node for node in nodes}
    below, aside = feet(tabs, by_name, sizes), rooms(tabs, sizes)
    found, top, back = Layout({}, {}, tabs), 0.0, bool(aside)
    for part in _parts(graph, [node for node in nodes if node.name not in tabs]):
        made = columns(graph, part, space.size_of, below)
        uncross(made)
        y = heights(made)
        left, right = lefts(made, y, [space.room_of(node) + aside.get(node.name, 0.0) for node in part])
        parts = rows(made, left, right, space.widest)
        back = back or len(parts) > 1
        for row in parts:
            top = _place_row(part, made, row, (y, left, right), found, top)
    found.positions.update(stacked(tabs, by_name, sizes, found.positions))
    if not back:
        return found
    return replace(found, bends=_bends(nodes, found.positions, fitted(tabs, sizes), set(), found.bends))


def _place_row(
    part: Sequence[Node],
    made: Columns,
    row: range,
    coordinates: tuple[list[float], list[float], list[float]],
    found: Layout,
    top: float,
) -> float:
    """Place the columns of a row from x = 0 and from `top` on; return where the next row begins."""
    y, left, right = coordinates
    items = [item for column in row for item in made.order[column]]
    highs = [y[i] - made.sizes[i][1] / 2 for i in items]
    lows = [y[i] + made.sizes[i][1] / 2 + made.feet.get(i, 0.0) for i in items]
    shift, back = top - min(highs), left[row[0]]
    at = {i: round(y[i] + shift, 1) for i in items}
    for i in items:
        if i < len(part):
            x = round(left[made.column[i]] - back)
            found.positions[part[i].name] = (x, round(at[i] - made.sizes[i][1] / 2))
    for wire in made.wires:
        inside = made.column[wire.source] in row and made.column[wire.target] in row
        if inside and (bends := _lane_bends(made, wire, at, left, right)):
            found.bends[part[wire.target].name, wire.slot] = tuple((x - back, y) for x, y in bends)
    gap = COMPONENT_GAP if row[-1] + 1 == len(left) else ROW_GAP
    return top + gap + max(lows) - min(highs)


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


def _lane_bends(
    made: Columns, wire: Wire, y: Mapping[int, float], left: Sequence[float], right: Sequence[float]
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
