"""Arrange the nodes of a piece of a graph: laid out separately, centred, clear of other nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from autodiff_viz.engine.live_path.kernels import Shape
from autodiff_viz.graph.edits.subgraph import detached, extract
from autodiff_viz.graph.model import Graph
from autodiff_viz.views.canvas.cards import pictured, size
from autodiff_viz.views.canvas.drawing import places
from autodiff_viz.views.layout.placing import CLEAR, Box
from autodiff_viz.views.layout.tabs import attached, fitted, layers_of

Point = tuple[float, float]
Positions = Mapping[str, Point]


def arranged(graph: Graph, names: Iterable[str]) -> dict[str, Point]:
    """Lay out the named nodes by themselves, centred where they are now."""
    names = tuple(names)
    positions = places(graph).positions
    now = {name: positions[name] for name in names}
    return arranged_at(graph, names, _middle(extract(graph, names), now, pictured(graph)))


def arranged_at(graph: Graph, names: Iterable[str], at: Point) -> dict[str, Point]:
    """Lay out the named nodes by themselves, centred at a point."""
    piece = detached(extract(graph, names))
    loose = replace(piece, nodes=tuple(replace(node, position=None) for node in piece.nodes))
    tall = pictured(graph)  # shapes are known in the whole graph alone
    return centred(loose, places(loose, tall).positions, at, tall)


def centred(
    graph: Graph, positions: Positions, at: Point, tall: Mapping[str, Shape] | None = None
) -> dict[str, Point]:
    """Translate all positions so that the centre of their bounding box is `at`, in whole px.

    Args:
      tall: shapes of the tensors that are drawn, by node; by default those that follow from `graph`.
    """
    x, y = _middle(graph, positions, tall)
    return moved_by(positions, (round(at[0] - x), round(at[1] - y)))


def moved_by(positions: Positions, by: Point) -> dict[str, Point]:
    """Translate all positions by the same offset."""
    return {name: (x + by[0], y + by[1]) for name, (x, y) in positions.items()}


def clear_of_cards(
    piece: Graph, positions: Positions, graph: Graph, tall: Mapping[str, Shape] | None = None
) -> dict[str, Point]:
    """Translate all positions up or down by the smallest distance that clears the cards of `graph`.

    ui/editor/web/state/copies.js predicts it.

    Args:
      tall: shapes of the piece's tensors that are drawn, by node; by default those that follow
        from `piece`.
    """
    now = places(graph).positions
    here, there = pictured(piece) if tall is None else tall, pictured(graph)
    taken = _boxes(graph, now, there)
    boxes = _boxes(piece, positions, here)
    near = [
        (other.y - CLEAR - box.bottom, other.bottom + CLEAR - box.y)
        for box in boxes
        for other in taken
        if other.x - CLEAR < box.right and box.x < other.right + CLEAR
    ]  # open intervals that the translation must avoid
    shifts = [0.0, *(end for pair in near for end in pair)]
    free = (by for by in shifts if not any(high < by < low for high, low in near))
    return moved_by(positions, (0.0, min(free, key=lambda by: (abs(by), -by))))


def _middle(graph: Graph, positions: Positions, tall: Mapping[str, Shape] | None = None) -> Point:
    """Return the centre of the bounding box of all nodes."""
    tall = pictured(graph) if tall is None else tall
    boxes = _boxes(graph, positions, tall)
    left, right = min(box.x for box in boxes), max(box.right for box in boxes)
    top, bottom = min(box.y for box in boxes), max(box.bottom for box in boxes)
    return (left + right) / 2, (top + bottom) / 2


def _boxes(graph: Graph, positions: Positions, tall: Mapping[str, Shape]) -> list[Box]:
    """Return the cards of all nodes, where parameters below their layers are tabs."""
    sizes = {node.name: size(node, tall.get(node.name)) for node in graph.nodes}
    found = fitted(attached(layers_of(graph), sizes, positions), sizes)
    return [Box(*positions[name], *found[name]) for name in sizes]
