"""Place new nodes in a graph of which the user has placed some nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple

from autodiff_viz.graph.model import Node

Point = tuple[float, float]

GAP = 64.0  # px between a new node and what it is wired to
CLEAR = 20.0  # px kept free around a new node


class Box(NamedTuple):
    """Node on the canvas: top-left corner and size in px."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """The x of the right edge."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """The y of the bottom edge."""
        return self.y + self.h

    @property
    def middle(self) -> float:
        """The y of the centre."""
        return self.y + self.h / 2


class Shelf:
    """Spatial index of boxes by vertical strips of the canvas, so that only near ones are compared.

    Attributes:
      left: left end of all boxes.
    """

    STRIP = 256.0

    def __init__(self, boxes: Iterable[Box] = ()):
        self._strips: dict[int, list[Box]] = {}
        self.left = inf
        for box in boxes:
            self.add(box)

    def add(self, box: Box) -> None:
        """Add a box to each strip that it overlaps."""
        self.left = min(self.left, box.x)
        for strip in self._range(box.x, box.right):
            self._strips.setdefault(strip, []).append(box)

    def between(self, left: float, right: float) -> list[Box]:
        """Return the boxes that overlap an interval of x, each once."""
        near = (box for strip in self._range(left, right) for box in self._strips.get(strip, ()))
        return list(dict.fromkeys(box for box in near if box.x < right and left < box.right))

    def _range(self, left: float, right: float) -> range:
        """Return the strips that overlap an interval of x."""
        return range(int(left // self.STRIP), int(right // self.STRIP) + 1)


def placed(
    nodes: Sequence[Node],
    sizes: Mapping[str, tuple[float, float]],
    fixed: Mapping[str, Point],
    suggested: Mapping[str, Point],
) -> dict[str, Point]:
    """Return positions of all nodes: `fixed` ones unchanged, the others clear of them and of each other.

    A node starts at its suggested position, unless that is left of something that it reads, or beside what it
    is wired to, and moves up or down to the nearest free place.

    Args:
      nodes: producers before consumers.
      sizes: (width, height) in px.
      fixed: positions by name that do not change.
      suggested: initial positions by name.
    """
    boxes = {name: Box(*at, *sizes[name]) for name, at in fixed.items()}
    reads = {node.name: [name for _, name in node.wires] for node in nodes}
    feeds: dict[str, list[str]] = {node.name: [] for node in nodes}
    for node in nodes:
        for name in reads[node.name]:
            if name in feeds:
                feeds[name].append(node.name)
    shelf = Shelf(boxes.values())
    for node in nodes:
        if node.name not in boxes:
            size = sizes[node.name]
            at = suggested.get(node.name)
            if at is None or any(at[0] < boxes[name].right for name in reads[node.name] if name in boxes):
                at = _beside(size, reads[node.name], feeds[node.name], boxes)
            boxes[node.name] = _nearest_free(Box(*at, *size), shelf)
            shelf.add(boxes[node.name])
    return {node.name: (boxes[node.name].x, boxes[node.name].y) for node in nodes}


def _beside(
    size: tuple[float, float], reads: Sequence[str], feeds: Sequence[str], boxes: Mapping[str, Box]
) -> Point:
    """Return a position right of what the node reads, else left of what it feeds, else below everything."""
    width, height = size
    if sources := [boxes[name] for name in reads if name in boxes]:
        middle = sum(box.middle for box in sources) / len(sources)
        return max(box.right for box in sources) + GAP, round(middle - height / 2)
    if targets := [boxes[name] for name in feeds if name in boxes]:
        middle = sum(box.middle for box in targets) / len(targets)
        return min(box.x for box in targets) - GAP - width, round(middle - height / 2)
    if not boxes:
        return 0.0, 0.0
    return min(box.x for box in boxes.values()), max(box.bottom for box in boxes.values()) + CLEAR


def _nearest_free(box: Box, shelf: Shelf) -> Box:
    """Move a box vertically by the smallest distance that clears all others."""
    taken = sorted(
        (other.y - CLEAR - box.h, other.bottom + CLEAR)
        for other in shelf.between(box.x - CLEAR, box.right + CLEAR)
    )  # open intervals that the top edge must avoid
    above = below = box.y
    for high, low in taken:
        if high < below < low:
            below = low
    for high, low in sorted(taken, key=lambda pair: -pair[1]):
        if high < above < low:
            above = high
    return box._replace(y=below if below - box.y <= box.y - above else above)
