"""First step of the layout: which column each node is in, and where long wires pass.

A wire that passes a column without stopping gets a place of its own there, a lane, so that it is never
drawn under a node. Nodes and lanes are the items of the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from autodiff_viz.graph.groups import outermost_first
from autodiff_viz.graph.model import Graph, Node

Size = tuple[float, float]

LANES_PER_NODE = 3  # with more lanes than that, the wires of one node share lanes until they part


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
    `lanes[wire]` are the lanes of a wire by column. `regions[i]` are indices of regions and groups,
    outermost first.
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
    """Put nodes in columns and give long wires their lanes; `ordering.uncross` fills in `order`.

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
    made = Columns([size_of(node) for node in nodes], column, _frame_chains(graph, index), wires)
    _connect(made, nodes)
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


def _frame_chains(graph: Graph, index: Mapping[str, int]) -> list[tuple[int, ...]]:
    chains: list[list[int]] = [[] for _ in index]
    for number, frame in enumerate(outermost_first(graph.frames)):
        for name in frame.nodes:
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
    """A lane is inside the regions and groups that hold both ends of its wire."""
    common = [a for a, b in zip(made.regions[wire.source], made.regions[wire.target], strict=False) if a == b]
    made.sizes.append((0.0, 0.0))
    made.column.append(column)
    made.regions.append(tuple(common))
    made.before.append([])
    made.after.append([])
    return len(made.column) - 1
