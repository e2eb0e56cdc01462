"""Nest a graph's nodes in blocks, one per region or group, with producers before consumers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Union

from autodiff_viz.graph.model import Frame, Graph, Node, Region
from autodiff_viz.graph.structure.groups import outermost_first
from autodiff_viz.graph.structure.order import order


@dataclass(frozen=True, slots=True)
class Block:
    """The nodes and inner blocks of a frame, in topological order.

    Attributes:
      frame: the region or group, None for the outermost block.
      items: nodes and blocks.
    """

    frame: Frame | None
    items: tuple[Item, ...]

    @property
    def region(self) -> Region | None:
        """The checkpoint region of the block; None for a group and the outermost block."""
        return self.frame if isinstance(self.frame, Region) else None

    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes inside, in topological order."""
        found: list[Node] = []
        for item in self.items:
            found.extend(item.nodes() if isinstance(item, Block) else (item,))
        return tuple(found)


Item = Union[Node, Block]


def blocks(graph: Graph) -> Block:
    """Nest the graph's nodes in blocks for its regions and groups.

    Needs regions that are convex and nest properly (no `problems`); of two with equal nodes, the one whose
    name sorts first is the outer one. All groups are left out where they cannot all run in one piece.
    """
    try:
        return _nest(None, order(graph), _chains(graph, graph.frames), 0)
    except CycleError:
        return _nest(None, order(graph), _chains(graph, graph.regions), 0)


def _chains(graph: Graph, frames: Iterable[Frame]) -> dict[str, list[Frame]]:
    chains: dict[str, list[Frame]] = {node.name: [] for node in graph.nodes}
    for frame in outermost_first(frames):
        for name in frame.nodes:
            chains[name].append(frame)
    return chains


def _nest(frame: Frame | None, nodes: Iterable[Node], chains: dict[str, list[Frame]], depth: int) -> Block:
    """Collect `nodes` by their frame at this depth and sort these items topologically into a block."""
    nodes = tuple(nodes)
    group_of = {node.name: _key(chains[node.name], depth, node) for node in nodes}
    members: dict[str, list[Node]] = {}
    for node in nodes:
        members.setdefault(group_of[node.name], []).append(node)
    needs = {key: _needs(key, group, group_of) for key, group in members.items()}
    items: list[Item] = []
    for key in TopologicalSorter(needs).static_order():
        first = members[key][0]
        inner = chains[first.name]
        if len(inner) > depth:
            items.append(_nest(inner[depth], members[key], chains, depth + 1))
        else:
            items.append(first)
    return Block(frame, tuple(items))


def _key(chain: list[Frame], depth: int, node: Node) -> str:
    return f"frame {chain[depth].name}" if len(chain) > depth else node.name


def _needs(key: str, group: list[Node], group_of: dict[str, str]) -> list[str]:
    found = dict.fromkeys(group_of[name] for node in group for _, name in node.wires if name in group_of)
    found.pop(key, None)
    return list(found)
