"""The lines of a shown text: their order, their blocks, and where a long one is broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.order import find_cycle, order

WIDTH = 90  # characters; a line is broken only where brackets are open
INDENT = "    "

Chains = dict[str, tuple[str, ...]]


def chains(graph: Graph) -> Chains:
    """The names of the regions around each node, the largest first."""
    found: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    for region in sorted(graph.regions, key=lambda region: (-len(region.nodes), region.name)):
        for name in region.nodes:
            found[name].append(region.name)
    return {name: tuple(regions) for name, regions in found.items()}


def text_order(graph: Graph, around: Chains) -> tuple[Node, ...]:
    """The nodes, producers first, the nodes of each region together; otherwise as in `graph.nodes`.

    Where regions cannot run as wholes the nodes come in plain order, and a region in several blocks.
    """
    ordered = order(graph)
    return _grouped(ordered, around, 0) or ordered if graph.regions else ordered


def _grouped(nodes: Sequence[Node], around: Chains, depth: int) -> tuple[Node, ...] | None:
    """Order the regions and free nodes of one level as if each region were one node; None if no order is."""
    group_of = {node.name: _group(node, around, depth) for node in nodes}
    members: dict[str, list[Node]] = {}
    for node in nodes:
        members.setdefault(group_of[node.name], []).append(node)
    wires: dict[str, dict[str, None]] = {group: {} for group in members}
    for node in nodes:
        group = group_of[node.name]
        wires[group] |= {group_of[p]: None for _, p in node.wires if group_of.get(p, group) != group}
    level = Graph(tuple(Node(group, "", tuple(producers)) for group, producers in wires.items()))
    if find_cycle(level):
        return None
    found: list[Node] = []
    for group in order(level):
        inner = members[group.name]
        if group.name.startswith("region "):
            inner = _grouped(inner, around, depth + 1)
            if inner is None:
                return None
        found.extend(inner)
    return tuple(found)


def _group(node: Node, around: Chains, depth: int) -> str:
    chain = around[node.name]
    return f"region {chain[depth]}" if len(chain) > depth else node.name


def wrapped(line: str, indent: str, width: int = WIDTH) -> Iterator[str]:
    """The line, broken at spaces inside brackets where it is too long; `indent` stands before it."""
    start, last, depth, quoted = 0, 0, 0, False
    for i, letter in enumerate(line):
        quoted ^= letter == '"'
        if quoted:
            continue
        if last > start and len(indent) + i - start >= width:
            yield indent + line[start:last]
            indent = indent if start else indent + INDENT
            start = last + 1
        depth += (letter in "([{") - (letter in ")]}")
        if letter == " " and depth > 0:
            last = i
    yield indent + line[start:]
