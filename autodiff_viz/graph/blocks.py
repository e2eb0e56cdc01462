"""A graph as nested blocks: each checkpoint region's nodes together, producers before consumers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Union

from autodiff_viz.graph.model import Graph, Node, Region
from autodiff_viz.graph.order import order


@dataclass(frozen=True, slots=True)
class Block:
    """A region's items in an order that can run; the outermost block has no region."""

    region: Region | None
    items: tuple[Item, ...]

    def nodes(self) -> tuple[Node, ...]:
        """All nodes inside, in running order."""
        found: list[Node] = []
        for item in self.items:
            found.extend(item.nodes() if isinstance(item, Block) else (item,))
        return tuple(found)


Item = Union[Node, Block]


def blocks(graph: Graph) -> Block:
    """Nest the graph's nodes in its regions.

    Needs regions that are convex and nest properly (no `problems`); of two with the same nodes, the one
    whose name comes first in `graph.regions` is the outer one.
    """
    chains: dict[str, list[Region]] = {node.name: [] for node in graph.nodes}
    for region in sorted(graph.regions, key=lambda region: -len(region.nodes)):
        for name in region.nodes:
            chains[name].append(region)
    return _nest(None, order(graph), chains, 0)


def _nest(region: Region | None, nodes: Iterable[Node], chains: dict[str, list[Region]], depth: int) -> Block:
    """Group `nodes` by their region at this depth and order the groups by the wires between them."""
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
    return Block(region, tuple(items))


def _key(chain: list[Region], depth: int, node: Node) -> str:
    return f"region {chain[depth].name}" if len(chain) > depth else node.name


def _needs(key: str, group: list[Node], group_of: dict[str, str]) -> list[str]:
    found = dict.fromkeys(group_of[name] for node in group for _, name in node.wires if name in group_of)
    found.pop(key, None)
    return list(found)
