"""First half of the layout: which column each node is in, and who is above whom in a column.

A wire that passes a column without stopping gets a place of its own there, a lane, so that it is never
drawn under a node. Nodes and lanes are the items of the columns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autodiff_viz.graph.model import Graph, Node

Size = tuple[float, float]

LANES_PER_NODE = 3  # with more lanes than that, the wires of one node share lanes until they part
SWEEPS = 24  # at most, forwards or backwards; a large graph gets fewer
SWEEP_WORK = 12_000  # items ordered at most in all sweeps together, about 30 ms
PATIENCE = 4  # sweeps without improvement after which ordering stops
SMALL = 300  # items up to which several starts are tried, and neighbours in swapped order


@dataclass(frozen=True, slots=True)
class Wire:
    """A wire from node `source` to slot `slot` of node `target`; items by index."""

    source: int
    target: int
    slot: int


@dataclass(slots=True)
class Columns:
    """Items in columns; the items 0 to n - 1 are the nodes, the rest are lanes.

    `before[i]` lists (item in the column before, offset of the port of i from i's centre, in px);
    `after[i]` lists (item in the column after, offset of the port of that item from its centre).
    `lane[wire]` are the lanes of a wire by column. `regions[i]` are indices of regions, outermost first.
    """

    sizes: list[Size]
    column: list[int]
    regions: list[tuple[int, ...]]
    wires: list[Wire]
    lanes: dict[Wire, list[int]] = field(default_factory=dict)
    before: list[list[tuple[int, float]]] = field(default_factory=list)
    after: list[list[tuple[int, float]]] = field(default_factory=list)
    order: list[list[int]] = field(default_factory=list)


def port_offset(node: Node, height: float, slot: int) -> float:
    """How far below the node's centre the port of a slot is, in px: ports are spread down the left edge."""
    return height * (slot + 1) / (len(node.slots) + 1) - height / 2


def columns(graph: Graph, nodes: Sequence[Node], size_of: Callable[[Node], Size]) -> Columns:
    """Put nodes in columns, give long wires their lanes, and order each column.

    `nodes` come with producers before consumers; a wire against that order, in a cycle, is left out.
    """
    index = {node.name: i for i, node in enumerate(nodes)}
    wires = [
        Wire(index[name], target, slot)
        for target, node in enumerate(nodes)
        for slot, name in node.wires
        if index.get(name, target) < target
    ]
    column = _columns_of(len(nodes), wires)
    made = Columns([size_of(node) for node in nodes], column, _region_chains(graph, index), wires)
    _connect(made, nodes)
    made.order = _depth_first(made)
    _uncross(made)
    return made


def _columns_of(count: int, wires: Sequence[Wire]) -> list[int]:
    """The longest way from a source; then what feeds more wires than it takes goes as far right as it can."""
    column, takes, feeds = [0] * count, [0] * count, [0] * count
    reaches: list[list[int]] = [[] for _ in range(count)]
    for wire in wires:  # in the order of targets, so a source's column is settled by then
        column[wire.target] = max(column[wire.target], column[wire.source] + 1)
        takes[wire.target] += 1
        feeds[wire.source] += 1
        reaches[wire.source].append(wire.target)
    for i in reversed(range(count)):
        if feeds[i] > takes[i]:
            column[i] = min(column[target] for target in reaches[i]) - 1
    return column


def _region_chains(graph: Graph, index: Mapping[str, int]) -> list[tuple[int, ...]]:
    chains: list[list[int]] = [[] for _ in index]
    largest_first = sorted(enumerate(graph.regions), key=lambda pair: (-len(pair[1].nodes), pair[1].name))
    for number, region in largest_first:
        for name in region.nodes:
            if name in index:
                chains[index[name]].append(number)
    return [tuple(chain) for chain in chains]


def _connect(made: Columns, nodes: Sequence[Node]) -> None:
    """Fill `before` and `after`, with lanes for the columns that a wire passes."""
    spans = sum(made.column[wire.target] - made.column[wire.source] - 1 for wire in made.wires)
    shared: dict[tuple[int, int], int] | None = {} if spans > LANES_PER_NODE * len(nodes) else None
    made.before = [[] for _ in nodes]
    made.after = [[] for _ in nodes]
    for wire in made.wires:
        last = wire.source
        for column in range(made.column[wire.source] + 1, made.column[wire.target]):
            lane = shared.get((wire.source, column)) if shared is not None else None
            if lane is None:
                lane = _new_lane(made, wire, column)
                made.before[lane].append((last, 0.0))
                made.after[last].append((lane, 0.0))
                if shared is not None:
                    shared[wire.source, column] = lane
            made.lanes.setdefault(wire, []).append(lane)
            last = lane
        offset = port_offset(nodes[wire.target], made.sizes[wire.target][1], wire.slot)
        made.before[wire.target].append((last, offset))
        made.after[last].append((wire.target, offset))


def _new_lane(made: Columns, wire: Wire, column: int) -> int:
    """A lane is inside the regions that hold both ends of its wire."""
    common = [a for a, b in zip(made.regions[wire.source], made.regions[wire.target], strict=False) if a == b]
    made.sizes.append((0.0, 0.0))
    made.column.append(column)
    made.regions.append(tuple(common))
    made.before.append([])
    made.after.append([])
    return len(made.column) - 1


def _depth_first(made: Columns) -> list[list[int]]:
    """A first order: walk from the ends back to the inputs, slots from top to bottom; a tree is done so."""
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


def _uncross(made: Columns) -> None:
    """Order the columns so that few wires cross: the best of several starts, each improved in sweeps."""
    walked = made.order
    starts = [walked]
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


def _sweep(made: Columns, first_forwards: bool) -> int:
    """Sort the columns by their neighbours, back and forth; the crossings left in the best order found."""
    place = [0.0] * len(made.column)
    for column in range(len(made.order)):
        _sort(made, column, place, [])  # gathers regions
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
    """Sort a column by the mean place of the neighbours `beside` it, keeping each region in one piece."""
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
    """Where on the edge of `other` the port is, from -0.5 to 0.5; only its inputs have ports of their own."""
    return offset / made.sizes[other][1] if beside is made.after and offset else 0.0


def _region_keys(made: Columns, items: Sequence[int], wish: Mapping[int, float]) -> dict[int, tuple]:
    """Sort keys that put a region's items side by side, at the mean of what they wish for."""
    inside: dict[int, list[float]] = {}
    for item in items:
        for region in made.regions[item]:
            inside.setdefault(region, []).append(wish[item])
    mean = {region: sum(wishes) / len(wishes) for region, wishes in inside.items()}
    return {
        item: (*((mean[region], region) for region in made.regions[item]), (wish[item], -1)) for item in items
    }


def crossings(made: Columns) -> int:
    """How many pairs of wires cross between neighbouring columns."""
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
    """Swap items next to each other, of the same regions, as long as that removes crossings."""
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
    """Crossings that go when two neighbours swap."""
    gain = 0
    for beside in (made.before, made.after):
        above = [place[o] + _tilt(made, o, offset, beside) for o, offset in beside[upper]]
        below = [place[o] + _tilt(made, o, offset, beside) for o, offset in beside[lower]]
        gain += sum((a > b) - (a < b) for a in above for b in below)
    return gain


def _copy(order: list[list[int]]) -> list[list[int]]:
    return [list(items) for items in order]
