"""Lay out all nodes for a canvas with collapsed groups.

A collapsed group takes the room of its card; its nodes are laid out by themselves around the card's centre.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from autodiff_viz.graph.model import Graph, Group, Node
from autodiff_viz.graph.structure.groups import outermost_first
from autodiff_viz.views.canvas.arrange_piece import Point, arranged_at
from autodiff_viz.views.canvas.cards import group_size, pictured, room, size
from autodiff_viz.views.canvas.drawing import places
from autodiff_viz.views.layout.sugiyama import Space, layout
from autodiff_viz.views.layout.tabs import FEW

HIGHEST = 866  # px of a graph from top to foot: as many as have their numbers on the canvas of a small window


def too_high(graph: Graph) -> frozenset[str]:
    """Return the groups of branches that are cards when the graph is first seen.

    None if it is small, or low enough to be read with them, or if its nodes have been placed.
    """
    groups = frozenset(group.name for group in graph.groups if group.branches)
    if not groups or len(graph.nodes) <= FEW or any(node.position for node in graph.nodes):
        return frozenset()
    tall, positions = pictured(graph), places(graph).positions
    feet = [positions[node.name][1] + size(node, tall.get(node.name))[1] for node in graph.nodes]
    top = min(y for _, y in positions.values())
    return groups if max(feet) - top > HIGHEST else frozenset()


def folded_places(graph: Graph, collapsed: Collection[str]) -> dict[str, Point]:
    """Lay out all nodes, ignoring their own positions, with each of the `collapsed` groups as one card."""
    card_of = _cards(graph, collapsed)
    folded, ports = _folded(graph, card_of)
    tall = pictured(graph)
    stacked = {f"group {group.name}" for group in graph.groups if group.branches}
    sizes = {card: group_size(*count, card in stacked) for card, count in ports.items()}

    def size_of(node: Node) -> tuple[float, float]:
        """Return the size of a card or of a node in px."""
        return sizes[node.name] if node.name in sizes else size(node, tall.get(node.name))

    found = dict(layout(folded, Space(size_of, room)).positions)
    for card in ports:
        (x, y), (w, h) = found.pop(card), sizes[card]
        inside = [name for name, other in card_of.items() if other == card]
        found |= arranged_at(graph, inside, (x + w / 2, y + h / 2))
    return found


def _cards(graph: Graph, collapsed: Collection[str]) -> dict[str, str]:
    """Return by node the card that contains it. A card's name has a space, which no node's name has."""
    card_of: dict[str, str] = {}
    for frame in outermost_first(graph.frames):
        if isinstance(frame, Group) and frame.name in collapsed:
            for name in frame.nodes:
                card_of.setdefault(name, f"group {frame.name}")
    return card_of


def _folded(graph: Graph, card_of: dict[str, str]) -> tuple[Graph, dict[str, tuple[int, int]]]:
    """Replace nodes by their cards; also return by card how many nodes feed it and how many leave it."""
    reads: dict[str, dict[str, None]] = {card: {} for card in card_of.values()}
    gives: dict[str, set[str]] = {card: set() for card in reads}
    for node in graph.nodes:
        here = card_of.get(node.name)
        for _, producer in node.wires:
            there = card_of.get(producer)
            if here == there:
                continue
            if here is not None:
                reads[here][producer] = None
            if there is not None:
                gives[there].add(producer)
    if graph.output in card_of:
        gives[card_of[graph.output]].add(graph.output)

    def led(slot: object) -> object:
        """Return a slot's contents, with a node on a card replaced by the card."""
        return card_of.get(slot, slot) if isinstance(slot, str) else slot

    nodes = [
        replace(node, slots=tuple(map(led, node.slots)), position=None)
        for node in graph.nodes
        if node.name not in card_of
    ]
    nodes += [Node(card, "", tuple(map(led, sources))) for card, sources in reads.items()]
    frames = [
        replace(frame, nodes=frozenset(card_of.get(name, name) for name in frame.nodes))
        for frame in graph.frames
        if len({card_of.get(name, name) for name in frame.nodes}) > 1
    ]
    groups = tuple(Group(frame.name, frame.nodes) for frame in frames)  # all frames are laid out alike
    ports = {card: (len(reads[card]), len(gives[card])) for card in reads}
    return Graph(tuple(nodes), (), None, groups), ports
