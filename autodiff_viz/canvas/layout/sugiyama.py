"""Lay out the canvas in layers: nodes in columns from left to right, long wires around nodes.

Own implementation in the manner of Sugiyama, Tagawa and Toda (1981): layer assignment, crossing reduction,
coordinates. Parameters become tabs of their layers, and long chains are divided into rows. A node that the
user has moved keeps its position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from autodiff_viz.canvas.layout.coordinates import gap_below, heights, lefts, line_below, rows
from autodiff_viz.canvas.layout.layering import Columns, Size, Wire, columns, port_offset, uncross
from autodiff_viz.canvas.layout.placing import Bends, Box, Point, Ways, bends_of, placed, ways_around
from autodiff_viz.canvas.layout.tabs import Tabs, attached, feet, fitted, folded, rooms, stacked
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.order import order

TRIED = 80  # nodes up to which tabs are tried in both places, and wires with and without shared lanes
COMPONENT_GAP = 48.0  # px between parts of the graph that no wire and no frame connects


@dataclass(frozen=True, slots=True)
class Layout:
    """Coordinates in px, y downwards.

    Attributes:
      positions: top-left corner of each node by name; a node's own `position` when it has one.
      bends: by (target, slot), the points that a long wire passes on its way, left to right. From the middle
        of the source's right edge to the slot's port, a curve that is level at each point passes under no
        node. Wires without bends are left out. A bend that is left of the point before it, and right of the
        point after it, is the height at which a wire comes back to a row below or above.
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


@dataclass(frozen=True, slots=True)
class Standing:
    """Where nodes stand, before wires have their routes.

    Attributes:
      nodes: producers before consumers.
      sizes: (width, height) in px.
      laid: positions, tabs, and the lanes of wires where a layout has made them.
      fresh: the layout without the nodes' own positions; empty where most nodes have one.
      aside: whether `fresh` has tabs beside its layers, around which its wires go.
    """

    nodes: Sequence[Node]
    sizes: Mapping[str, Size]
    laid: Layout
    fresh: Layout
    aside: bool


def layout(graph: Graph, space: Space) -> Layout:
    """Lay out the graph. Deterministic, for any graph, also one with cycles.

    Where most nodes have a position, a new one is placed beside what it is wired to. Otherwise the nodes
    without a position are placed as in a layout without any positions.
    """
    return routed(standing(graph, space), {})[0]


def standing(graph: Graph, space: Space) -> Standing:
    """Return where the nodes stand: the first and longer part of `layout`."""
    nodes = order(graph)
    sizes = {node.name: space.size_of(node) for node in nodes}
    fixed = {node.name: node.position for node in nodes if node.position is not None}
    layers = {name: layer for name, layer in space.layers.items() if name in sizes and layer in sizes}
    fresh = Layout({}, {}) if 2 * len(fixed) > len(nodes) else _fresh(graph, nodes, sizes, layers, space)
    aside = bool(rooms(fresh.tabs, sizes))
    if not fixed:
        return Standing(nodes, sizes, fresh, fresh, aside)
    positions = placed(nodes, sizes, fixed, fresh.positions)
    tabs = attached(layers, sizes, positions)
    positions |= stacked(tabs, {node.name: node for node in nodes}, sizes, positions)
    return Standing(nodes, sizes, Layout(positions, {}, tabs), fresh, aside)


def routed(at: Standing, closed: Mapping[str, str], last: Ways | None = None) -> tuple[Layout, Ways | None]:
    """Return the layout with routes of its wires, and what is kept of those that go around nodes.

    Args:
      closed: by node inside a closed group, the name of that group.
      last: what was kept of a layout before, most of whose nodes stood where they stand now.
    """
    known, ways = at.fresh.bends, None
    if at.aside:
        ways = ways_around(at.nodes, _boxes(at, at.fresh), frozenset(), known, closed, last)
        known = bends_of(ways)
    if at.laid is not at.fresh:
        before, now = at.fresh.positions, at.laid.positions
        moved = {name for name, position in now.items() if position != before.get(name)}
        ways = ways_around(at.nodes, _boxes(at, at.laid), moved, known, closed, last)
        known = bends_of(ways)
    return replace(at.laid, bends=known), ways


def _boxes(at: Standing, laid: Layout) -> dict[str, Box]:
    sizes = fitted(laid.tabs, at.sizes)
    return {name: Box(*position, *sizes[name]) for name, position in laid.positions.items()}


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
    return max(below, beside, key=lambda laid: space.scale(laid.extent(sizes)))


def _laid(graph: Graph, nodes: Sequence[Node], sizes: Mapping[str, Size], tabs: Tabs, space: Space) -> Layout:
    """Lay out all nodes with these tabs, with connected components one below the other."""
    by_name = {node.name: node for node in nodes}
    below, aside = feet(tabs, by_name, sizes), rooms(tabs, sizes)
    laid, top = Layout({}, {}, tabs), 0.0
    for part in _parts(graph, [node for node in nodes if node.name not in tabs]):
        free = [space.room_of(node) + aside.get(node.name, 0.0) for node in part]
        made, coordinates, parts = _divided(graph, part, free, below, space)
        top = _place_rows(part, made, parts, (*coordinates, free), laid, top) + COMPONENT_GAP
    laid.positions.update(stacked(tabs, by_name, sizes, laid.positions))
    return laid


def _divided(
    graph: Graph, part: Sequence[Node], free: Sequence[float], below: Mapping[str, float], space: Space
) -> tuple[Columns, tuple[list[float], list[float], list[float]], list[range]]:
    """Return the columns of a connected part, its coordinates, and its rows."""
    # Wires that share lanes leave a wide graph more places at which a row may end; a small one is laid out in
    # either way, and the larger result taken.
    best: tuple[float, Any] | None = None
    for bundled in (False, True) if len(part) <= TRIED else (True,):
        made = columns(graph, part, space.size_of, below, bundled)
        uncross(made)
        y = heights(made)
        ends = lefts(made, y, free)
        spans = [_span(made, items, y) for items in made.order]
        parts, scale = rows(made, ends, spans, space.widest, space.window)
        if best is None or scale > best[0]:
            best = scale, (made, (y, *ends), parts)
        if ends[1][-1] - ends[0][0] <= space.widest:
            break
    return best[1]


def _span(made: Columns, items: Sequence[int], y: Sequence[float]) -> tuple[float, float]:
    """Return the top and the bottom of these items in px."""
    return (
        min(y[i] - made.sizes[i][1] / 2 for i in items),
        max(y[i] + made.sizes[i][1] / 2 + made.feet.get(i, 0.0) for i in items),
    )


def _place_rows(
    part: Sequence[Node],
    made: Columns,
    parts: Sequence[range],
    coordinates: tuple[list[float], list[float], list[float], list[float]],
    laid: Layout,
    top: float,
) -> float:
    """Place the rows one below the other, each from x = 0, with their wires; return where the last one ends.

    Args:
      coordinates: y of the items, ends of the columns, and the px left of a node that are its own.
      top: where the first row begins.
    """
    y, left, right, free = coordinates
    at, back, row_of = [0.0] * len(y), [0.0] * len(left), [row for row in parts for _ in row]
    starts = [-max((free[i] for i in made.order[row[0]] if i < len(part)), default=0.0) for row in parts]
    ends = _row_ends(made, row_of)
    lines: dict[int, Point] = {}
    for number, row in enumerate(parts):
        high, low = _span(made, [item for column in row for item in made.order[column]], y)
        for column in row:
            back[column] = left[row[0]]
            for i in made.order[column]:
                at[i] = round(y[i] + top - high, 1)
        top += low - high
        last = sorted(ends.get(row, ()), key=lambda item: -at[item])  # so that their lines do not cross
        lines |= {item: (min(starts[number + 1 :]), line_below(top, i)) for i, item in enumerate(last)}
        top += gap_below(len(last)) if row is not parts[-1] else 0.0
    for i, node in enumerate(part):
        x = round(left[made.column[i]] - back[made.column[i]])
        laid.positions[node.name] = (x, round(at[i] - made.sizes[i][1] / 2))
    sides = ([x - by for x, by in zip(side, back, strict=True)] for side in (left, right))
    lanes = Lanes(at, *sides, row_of, lines)
    for wire in made.wires:
        if bends := _lane_bends(part[wire.target], made, wire, lanes):
            laid.bends[part[wire.target].name, wire.slot] = bends
    return top


def _row_ends(made: Columns, row_of: Sequence[range]) -> dict[range, set[int]]:
    """Return by row the items of its last column from which wires of its nodes leave it."""
    leaving: dict[range, set[int]] = {}
    for wire in made.wires:
        row = row_of[made.column[wire.source]]
        if made.column[wire.target] not in row:
            passed = row[-1] - made.column[wire.source]
            leaving.setdefault(row, set()).add(made.lanes[wire][passed - 1] if passed else wire.source)
    return leaving


@dataclass(frozen=True, slots=True)
class Lanes:
    """Where wires may run.

    Attributes:
      y: of each item, in px.
      left, right: ends of each column.
      row: row of each column.
      lines: (x, y) of the left end of the line on which wires from an item come back, by items of the last
        column of a row.
    """

    y: Sequence[float]
    left: Sequence[float]
    right: Sequence[float]
    row: Sequence[range]
    lines: Mapping[int, Point]


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


def _lane_bends(target: Node, made: Columns, wire: Wire, lanes: Lanes) -> Bends:
    """Return the bends of a wire: level through the rest of the source's column and through each lane.

    Curves are in the gaps between columns. From the end of a row the wire comes back on a line below it, and
    goes down beside the rows to that of its target; its bend on the line is left of the one before it, and
    right of the one after it.
    """
    column = made.column[wire.source]
    own, other = lanes.row[column], lanes.row[made.column[wire.target]]
    path = (wire.source, *made.lanes.get(wire, ()))
    points: list[Point] = []
    # A node that is narrower than its column: the wire is level up to the column's end.
    if lanes.left[column] + made.sizes[wire.source][0] < lanes.right[column] - 1:
        points.append((lanes.right[column], lanes.y[wire.source]))
    _go_along(points, made, path[1 : own.stop - column], lanes)
    if other != own:
        x, line = lanes.lines[path[own[-1] - column]]
        points.append(((lanes.right[own[-1]] + x) / 2, line))
        # Beside the rows down to the target's: to the lane in its first column, or to the port itself.
        first = path[other.start - column : other.start - column + 1]
        port = port_offset(target, made.sizes[wire.target][1], wire.slot)
        if first or x < lanes.left[other.start]:
            points.append((x, lanes.y[first[0]] if first else lanes.y[wire.target] + port))
        _go_along(points, made, path[other.start - column :], lanes)
    return tuple(points)


def _go_along(points: list[Point], made: Columns, path: Sequence[int], lanes: Lanes) -> None:
    """Add the bends of a wire that is level through each of these lanes."""
    for lane in path:
        column, level = made.column[lane], lanes.y[lane]
        if len(points) > 1 and points[-1][1] == points[-2][1] == level:
            points.pop()  # a straight stretch needs its ends alone
        elif not points or points[-1][1] != level:
            points.append((lanes.left[column], level))
        points.append((lanes.right[column], level))
