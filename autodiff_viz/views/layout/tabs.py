"""Parameters folded into tabs below the card of the layer that reads them.

A parameter with one consumer needs no card of its own: in a large graph it stands as a low tab under that
layer. So does one that the user has put there. ui/editor/web/state/tabs.js does the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from autodiff_viz.graph.model import Graph

HEIGHT, GAP = 44.0, 6.0  # px of a tab, and above it
NEAR = 6.0  # px by which the left edges of a tab and of its layer may differ
SLACK = 60.0  # px below the last tab: a layer's card is lower where its tensor is no longer drawn
FEW = 15  # nodes up to which every parameter has a card

Point = tuple[float, float]
Size = tuple[float, float]


def layers_of(graph: Graph) -> dict[str, str]:
    """Return by parameter with one consumer that layer; of one layer, those in its last slots come first."""
    uses = Counter(name for node in graph.nodes for _, name in node.wires)
    alone = {n.name for n in graph.nodes if n.is_parameter and uses[n.name] == 1 and n.name != graph.output}
    return {name: node.name for node in graph.nodes for _, name in reversed(node.wires) if name in alone}


def folded(layers: Mapping[str, str], count: int) -> dict[str, str]:
    """Return the parameters that a graph of `count` nodes has as tabs, if none has been placed."""
    return dict(layers) if count > FEW else {}


def attached(
    layers: Mapping[str, str], sizes: Mapping[str, Size], positions: Mapping[str, Point]
) -> dict[str, str]:
    """Return the parameters that stand directly below their layers, and thus are tabs."""
    most = Counter(layers.values())
    return {
        name: layer
        for name, layer in layers.items()
        if name in positions
        and layer in positions
        and abs(positions[name][0] - positions[layer][0]) <= NEAR
        and sizes[layer][1] / 2
        <= positions[name][1] - positions[layer][1]
        <= sizes[layer][1] + most[layer] * (GAP + HEIGHT) + SLACK
    }


def stacked(
    tabs: Mapping[str, str], sizes: Mapping[str, Size], positions: Mapping[str, Point]
) -> dict[str, Point]:
    """Return the positions of tabs below their layers."""
    found: dict[str, Point] = {}
    above: Counter[str] = Counter()
    for name, layer in tabs.items():
        x, y = positions[layer]
        found[name] = (x, y + sizes[layer][1] + GAP + above[layer] * (HEIGHT + GAP))
        above[layer] += 1
    return found


def feet(layers: Iterable[str]) -> dict[str, float]:
    """Return by layer the px that its tabs take below it."""
    return {layer: count * (GAP + HEIGHT) for layer, count in Counter(layers).items()}


def fitted(tabs: Mapping[str, str], sizes: Mapping[str, Size]) -> dict[str, Size]:
    """Return the sizes of all nodes, where tabs are as wide as their layers."""
    return {**sizes, **{name: (sizes[layer][0], HEIGHT) for name, layer in tabs.items()}}
