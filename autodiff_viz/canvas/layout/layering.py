"""Assign layers and reduce crossings: nodes to columns, and an order of each column (first Sugiyama steps).

A wire that spans a column gets a dummy item there, a lane, so that it is never drawn under a node. Nodes and
lanes are the items of the columns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autodiff_viz.graph.frames import outermost_first
from autodiff_viz.graph.model import Graph, Node

Size = tuple[float, float]

LANES_PER_NODE = 3  # beyond this mean, wires from one node share lanes until they part


@dataclass(frozen=True, slots=True)
class Wire:
    """Wire between two nodes.

    Attributes:
      source, target: indices of the nodes.
      slot: the slot of the target.
    """

    source: int
    target: int
    slot: int


@dataclass(slots=True)
class Columns:
    """Items in columns; the items 0 to n - 1 are the nodes, the rest are lanes.

    Attributes:
      sizes: (width, height) of each item in px; lanes have none.
      column: column of each item.
      regions: indices of the regions and groups around each item, outermost first.
      wires: all wires.
      lanes: the lanes of a wire, by column.
      before: by item i, (item in the column before, offset of the port of i from i's centre in px).
      after: by item, (item in the column after, offset of the port of that item from its centre in px).
      order: the items of each column, from top to bottom.
      feet: px below an item that belong to it, by item; 0 where it is left out.
    """

    sizes: list[Size]
    column: list[int]
    regions: list[tuple[int, ...]]
    wires: list[Wire]
    lanes: dict[Wire, list[int]] = field(default_factory=dict)
    before: list[list[tuple[int, float]]] = field(default_factory=list)
    after: list[list[tuple[int, float]]] = field(default_factory=list)
    order: list[list[int]] = field(default_factory=list)
    feet: dict[int, float] = field(default_factory=dict)


def port_offset(node: Node, height: float, slot: int) -> float:
    """Return a slot's distance in px below the node's centre: ports are spread down the left edge."""
    return height * (slot + 1) / (len(node.slots) + 1) - height / 2


def columns(
    graph: Graph,
    nodes: Sequence[Node],
    size_of: Callable[[Node], Size],
    feet: Mapping[str, float] | None = None,
    bundled: bool = False,
) -> Columns:
    """Assign nodes to columns and lanes to long wires; `uncross` then sets `order`.

    Args:
      nodes: producers before consumers; a wire against that order, in a cycle, is left out.
      size_of: (width, height) of a node in px.
      feet: px below a node that belong to it, by name.
      bundled: whether wires from one node share lanes until they part, as they do if there are many lanes.
    """
    index = {node.name: i for i, node in enumerate(nodes)}
    wires = [
        Wire(index[name], target, slot)
        for target, node in enumerate(nodes)
        for slot, name in node.wires
        if index.get(name, target) < target
    ]
    column = _columns_of(len(nodes), wires)
    made = Columns([size_of(node) for node in nodes], column, _frame_chains(graph, index), wires)
    made.feet = {index[name]: px for name, px in (feet or {}).items() if name in index}
    _connect(made, nodes, bundled)
    return made


def _columns_of(count: int, wires: Sequence[Wire]) -> list[int]:
    """Return the column of each node: the longest path from a source."""
    column, takes, feeds = [0] * count, [0] * count, [0] * count
    reaches: list[list[int]] = [[] for _ in range(count)]
    for wire in wires:  # in the order of targets, so a source's column is settled by then
        column[wire.target] = max(column[wire.target], column[wire.source] + 1)
        takes[wire.target] += 1
        feeds[wire.source] += 1
        reaches[wire.source].append(wire.target)
    # A node that feeds more wires than it reads is moved as far right as possible: its wires get shorter.
    for i in reversed(range(count)):
        if feeds[i] > takes[i]:
            column[i] = min(column[target] for target in reaches[i]) - 1
    return column


def _frame_chains(graph: Graph, index: Mapping[str, int]) -> list[tuple[int, ...]]:
    """Return the indices of the regions and groups around each node, outermost first."""
    chains: list[list[int]] = [[] for _ in index]
    for number, frame in enumerate(outermost_first(graph.frames)):
        for name in frame.nodes:
            if name in index:
                chains[index[name]].append(number)
    return [tuple(chain) for chain in chains]


def _connect(made: Columns, nodes: Sequence[Node], bundled: bool) -> None:
    """Set `before` and `after`, with lanes for the columns that a wire spans."""
    # Where there are many lanes, wires from one node share them until they part: one lane for each column.
    spans = sum(made.column[wire.target] - made.column[wire.source] - 1 for wire in made.wires)
    many = bundled or spans > LANES_PER_NODE * len(nodes)
    shared: dict[tuple[int, int], int] | None = {} if many else None
    made.before = [[] for _ in nodes]
    made.after = [[] for _ in nodes]
    for wire in made.wires:
        last = wire.source
        for column in range(made.column[wire.source] + 1, made.column[wire.target]):
            lane = shared.get((wire.source, column)) if shared is not None else None
            if lane is None:
                lane = len(made.column)
                made.sizes.append((0.0, 0.0))
                made.column.append(column)
                # A lane is inside the regions and groups that contain both ends of its wire.
                ends = zip(made.regions[wire.source], made.regions[wire.target], strict=False)
                made.regions.append(tuple(a for a, b in ends if a == b))
                made.before.append([(last, 0.0)])
                made.after.append([])
                made.after[last].append((lane, 0.0))
                if shared is not None:
                    shared[wire.source, column] = lane
            made.lanes.setdefault(wire, []).append(lane)
            last = lane
        offset = port_offset(nodes[wire.target], made.sizes[wire.target][1], wire.slot)
        made.before[wire.target].append((last, offset))
        made.after[last].append((wire.target, offset))


# The order of each column. Barycentre heuristic: columns are sorted by the mean place of their neighbours,
# back and forth; then neighbours are swapped.

SWEEPS = 24  # limit, forwards or backwards; a large graph gets fewer
SWEEP_WORK = 12_000  # limit of items ordered in all sweeps together, about 30 ms
PATIENCE = 4  # sweeps without improvement after which ordering stops
SMALL = 300  # items up to which several starts and swaps of neighbours are tried


def uncross(made: Columns) -> None:
    """Set `made.order` so that few wires cross: the best of several starts, each improved in sweeps."""
    walked = _depth_first(made)
    starts = [walked]
    # In a small graph there is time for more: the order of the nodes themselves, and the walk upside down.
    if len(made.column) <= SMALL:
        starts += [[sorted(items) for items in walked], [items[::-1] for items in walked]]
    fewest: int | None = None
    for start in starts:
        tried = replace(made, order=_copy(start))
        left = _sweep(tried, first_forwards=start is not walked)
        if fewest is None or left < fewest:
            fewest, made.order = left, tried.order
        if fewest == 0:
            return


def _depth_first(made: Columns) -> list[list[int]]:
    """Return the initial order: depth-first from the ends back to the inputs, slots from top to bottom."""
    # Of a tree this order has no crossings.
    order: list[list[int]] = [[] for _ in range(max(made.column, default=-1) + 1)]
    seen = [False] * len(made.column)
    stack = [item for item in reversed(range(len(made.column))) if not made.after[item]]
    while stack:
        item = stack.pop()
        if not seen[item]:
            seen[item] = True
            order[made.column[item]].append(item)
            stack.extend(source for source, _ in reversed(made.before[item]))
    return order


def _sweep(made: Columns, first_forwards: bool) -> int:
    """Sort the columns by their neighbours, back and forth; return the crossings of the best order found."""
    place = [0.0] * len(made.column)
    for column in range(len(made.order)):
        _sort(made, column, place, [])  # makes regions contiguous
    best, fewest, since = _copy(made.order), crossings(made), 0
    for sweep in range(min(SWEEPS, max(4, SWEEP_WORK // (len(place) + 1)))):
        if fewest == 0 or since == PATIENCE:
            break
        forwards = (sweep % 2 == 0) == first_forwards
        for column in range(len(made.order)) if forwards else reversed(range(len(made.order))):
            _sort(made, column, place, made.before if forwards else made.after)
        now = crossings(made)
        since = 0 if now < fewest else since + 1
        if now < fewest:
            best, fewest = _copy(made.order), now
    made.order = best
    if not fewest or len(place) > SMALL:
        return fewest
    _swap_neighbours(made)
    return crossings(made)


def _sort(made: Columns, column: int, place: list[float], beside: list[list[tuple[int, float]]]) -> None:
    """Sort a column by the mean place of the neighbours `beside` it, keeping each region contiguous."""
    items = made.order[column]
    wish = dict(zip(items, map(float, range(len(items))), strict=True))
    for item in items:
        if beside and beside[item]:
            ends = [place[other] + _tilt(made, other, offset, beside) for other, offset in beside[item]]
            wish[item] = sum(ends) / len(ends)
    if any(made.regions[item] for item in items):
        items.sort(key=_region_keys(made, items, wish).__getitem__)
    else:
        items.sort(key=wish.__getitem__)
    for i, item in enumerate(items):
        place[item] = float(i)


def _tilt(made: Columns, other: int, offset: float, beside: list[list[tuple[int, float]]]) -> float:
    """Return the port's place on the edge of `other`, from -0.5 to 0.5; outputs are in the middle."""
    return offset / made.sizes[other][1] if beside is made.after and offset else 0.0


def _region_keys(made: Columns, items: Sequence[int], wish: Mapping[int, float]) -> dict[int, tuple]:
    """Return sort keys that keep a region's items contiguous, at the mean of their desired places."""
    inside: dict[int, list[float]] = {}
    for item in items:
        for region in made.regions[item]:
            inside.setdefault(region, []).append(wish[item])
    mean = {region: sum(wishes) / len(wishes) for region, wishes in inside.items()}
    return {
        item: (*((mean[region], region) for region in made.regions[item]), (wish[item], -1)) for item in items
    }


def crossings(made: Columns) -> int:
    """Count the pairs of wires that cross between neighbouring columns."""
    # From top to bottom, a wire crosses those of items above it that end below its own end.
    place = {item: i for items in made.order for i, item in enumerate(items)}
    total = 0
    for items in made.order:
        seen: list[float] = []
        for item in items:
            ends = [place[o] + _tilt(made, o, offset, made.after) for o, offset in made.after[item]]
            for end in sorted(ends):
                at = bisect_right(seen, end)
                total += len(seen) - at
                seen.insert(at, end)
    return total


def _swap_neighbours(made: Columns) -> None:
    """Swap adjacent items of the same regions as long as that removes crossings."""
    place = {item: i for items in made.order for i, item in enumerate(items)}
    for _ in range(PATIENCE):
        improved = False
        for items in made.order:
            for i in range(len(items) - 1):
                upper, lower = items[i], items[i + 1]
                if made.regions[upper] == made.regions[lower] and _gain(made, place, upper, lower) > 0:
                    items[i], items[i + 1] = lower, upper
                    place[lower], place[upper] = i, i + 1
                    improved = True
        if not improved:
            return


def _gain(made: Columns, place: Mapping[int, int], upper: int, lower: int) -> int:
    """Count the crossings that a swap of two adjacent items removes."""
    gain = 0
    for beside in (made.before, made.after):
        above = [place[o] + _tilt(made, o, offset, beside) for o, offset in beside[upper]]
        below = [place[o] + _tilt(made, o, offset, beside) for o, offset in beside[lower]]
        gain += sum((a > b) - (a < b) for a in above for b in below)
    return gain


def _copy(order: list[list[int]]) -> list[list[int]]:
    """Copy an order."""
    return [list(items) for items in order]
