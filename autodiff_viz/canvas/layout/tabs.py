"""Fold parameters into tabs below or beside the card of the layer that reads them.

A parameter with one consumer needs no card of its own: in a large graph it stands as a low tab at that layer.
So does one that the user has put there. web/canvas/state/tabs.js does the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from autodiff_viz.canvas.layout.layering import port_offset
from autodiff_viz.graph.model import Graph, Node

HEIGHT, GAP = 40.0, 5.0  # px of a tab, and above it
ASIDE = 22.0  # px between a tab and the layer right of it
UNDER = 14.0  # px from a layer's first port to the first tab beside it
NEAR = 6.0  # px by which a tab may be away from its place across
SLACK = 60.0  # px below the last tab: a layer's card is lower where its tensor is no longer drawn
FEW = 15  # nodes up to which every parameter has a card

Point = tuple[float, float]
Size = tuple[float, float]


class Tab(NamedTuple):
    """Place of a tab: its layer, and whether it is left of it or below."""

    layer: str
    beside: bool


Tabs = Mapping[str, Tab]


def layers_of(graph: Graph) -> dict[str, str]:
    """Return by parameter with one consumer that layer, in the order of its slots."""
    uses = Counter(name for node in graph.nodes for _, name in node.wires)
    alone = {n.name for n in graph.nodes if n.is_parameter and uses[n.name] == 1 and n.name != graph.output}
    return {name: node.name for node in graph.nodes for _, name in node.wires if name in alone}


def folded(layers: Mapping[str, str], count: int, beside: bool) -> dict[str, Tab]:
    """Return the parameters that a graph of `count` nodes has as tabs, if none has been placed."""
    return {name: Tab(layer, beside) for name, layer in layers.items()} if count > FEW else {}


def attached(
    layers: Mapping[str, str], sizes: Mapping[str, Size], positions: Mapping[str, Point]
) -> dict[str, Tab]:
    """Return the parameters that stand directly below or left of their layers, and thus are tabs."""
    most, tabs = Counter(layers.values()), {}
    for name, layer in layers.items():
        if name not in positions or layer not in positions:
            continue
        (x, y), (w, h) = positions[layer], sizes[layer]
        right, down = positions[name][0] - x, positions[name][1] - y
        lowest = h + most[layer] * (GAP + HEIGHT) + SLACK
        for beside, place, highest in ((False, 0.0, h / 2), (True, -w - ASIDE, 0.0)):
            if abs(right - place) <= NEAR and highest <= down <= lowest:
                tabs[name] = Tab(layer, beside)
    return tabs


def stacked(
    tabs: Tabs, nodes: Mapping[str, Node], sizes: Mapping[str, Size], positions: Mapping[str, Point]
) -> dict[str, Point]:
    """Return the positions of tabs at their layers."""
    places: dict[str, Point] = {}
    for (layer, beside), names in _stacks(tabs):
        (x, y), (w, h) = positions[layer], sizes[layer]
        down = y + (_first(nodes[layer], h) if beside else h + GAP)
        for i, name in enumerate(names):
            places[name] = (x - w - ASIDE if beside else x, round(down + i * (HEIGHT + GAP), 1))
    return places


def _stacks(tabs: Tabs) -> Iterator[tuple[Tab, list[str]]]:
    """Yield the tabs at each place. Below a layer the last slot's come first, so that no wires cross."""
    stacks: dict[Tab, list[str]] = defaultdict(list)
    for name, tab in tabs.items():
        stacks[tab].append(name)
    for tab, names in stacks.items():
        yield tab, names if tab.beside else names[::-1]


def _first(layer: Node, height: float) -> float:
    """Return the px from the top of a layer to the first tab beside it, below the wire to its first slot."""
    return height / 2 + port_offset(layer, height, 0) + UNDER


def feet(tabs: Tabs, nodes: Mapping[str, Node], sizes: Mapping[str, Size]) -> dict[str, float]:
    """Return by layer the px that its tabs take below it."""
    below: dict[str, float] = defaultdict(float)
    for (layer, beside), names in _stacks(tabs):
        tall, height = len(names) * (GAP + HEIGHT), sizes[layer][1]
        # Tabs beside a layer take only what stands out below its card.
        over = max(0.0, _first(nodes[layer], height) + tall - GAP - height) if beside else tall
        below[layer] = max(below[layer], over)
    return dict(below)


def rooms(tabs: Tabs, sizes: Mapping[str, Size]) -> dict[str, float]:
    """Return by layer the px that its tabs take left of it."""
    return {tab.layer: sizes[tab.layer][0] + ASIDE for tab in tabs.values() if tab.beside}


def fitted(tabs: Tabs, sizes: Mapping[str, Size]) -> dict[str, Size]:
    """Return the sizes of all nodes, where tabs are as wide as their layers."""
    return {**sizes, **{name: (sizes[tab.layer][0], HEIGHT) for name, tab in tabs.items()}}
