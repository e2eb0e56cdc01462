"""Assign layers: nodes to columns, dummy items to long wires (first step of the Sugiyama layout).

A wire that spans a column gets a dummy item there, a lane, so that it is never drawn under a node. Nodes and
lanes are the items of the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.structure.groups import outermost_first

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
    """Assign nodes to columns and lanes to long wires; `ordering.uncross` then sets `order`.

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
    """Return the column of each node: the longest path from a source.

    Nodes that feed more wires than they read are then moved as far right as possible.
    """
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
    """Return the indices of the regions and groups around each node, outermost first."""
    chains: list[list[int]] = [[] for _ in index]
    for number, frame in enumerate(outermost_first(graph.frames)):
        for name in frame.nodes:
            if name in index:
                chains[index[name]].append(number)
    return [tuple(chain) for chain in chains]


def _connect(made: Columns, nodes: Sequence[Node], bundled: bool) -> None:
    """Set `before` and `after`, with lanes for the columns that a wire spans."""
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
    """Add a lane, inside the regions and groups that contain both ends of its wire."""
    common = [a for a, b in zip(made.regions[wire.source], made.regions[wire.target], strict=False) if a == b]
    made.sizes.append((0.0, 0.0))
    made.column.append(column)
    made.regions.append(tuple(common))
    made.before.append([])
    made.after.append([])
    return len(made.column) - 1
