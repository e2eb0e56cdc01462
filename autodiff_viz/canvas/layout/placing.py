"""Place new nodes in a graph of which the user has placed some, and route wires around nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from math import inf
from typing import NamedTuple

from autodiff_viz.canvas.layout.layering import port_offset
from autodiff_viz.graph.model import Node

Point = tuple[float, float]

GAP = 64.0  # px between a new node and what it is wired to
CARD_CLEARANCE = 20.0  # px kept free around a new node


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
    return min(box.x for box in boxes.values()), max(box.bottom for box in boxes.values()) + CARD_CLEARANCE


def _nearest_free(box: Box, shelf: Shelf) -> Box:
    """Move a box vertically by the smallest distance that clears all others."""
    taken = sorted(
        (other.y - CARD_CLEARANCE - box.h, other.bottom + CARD_CLEARANCE)
        for other in shelf.between(box.x - CARD_CLEARANCE, box.right + CARD_CLEARANCE)
    )  # open intervals that the top edge must avoid
    above = below = box.y
    for high, low in taken:
        if high < below < low:
            below = low
    for high, low in sorted(taken, key=lambda pair: -pair[1]):
        if high < above < low:
            above = high
    return box._replace(y=below if below - box.y <= box.y - above else above)


# Routes of wires around nodes at arbitrary positions

Bends = tuple[Point, ...]

WIRE_CLEARANCE = 14.0  # px between a wire's detour and the nodes that it goes around
LEVEL = 24.0  # px before and after such nodes in which the wire changes height
TURN = 60.0  # px by which a wire that comes back turns beyond its end, at most
MANY = 120  # nodes between the ends of a wire up to which level detours are tried one by one
STEPS = 128  # places at which a curve's heights are known
SHORT = 60.0  # px of a curve whose ends are steeper than those of longer ones


def _heights() -> tuple[float, ...]:
    """Return y of the unit cubic Bezier curve with level ends at STEPS + 1 even places of x."""
    heights, t = [], 0.0
    for step in range(STEPS + 1):
        while t < 1 and 1.5 * t * (1 - t) + t**3 < step / STEPS:
            t += 1 / 4096
        heights.append(t * t * (3 - 2 * t))
    return tuple(heights)


HEIGHTS = _heights()


def around(
    nodes: Sequence[Node],
    boxes: Mapping[str, Box],
    moved: AbstractSet[str],
    known: Mapping[tuple[str, int], Bends],
    closed: Mapping[str, str],
) -> dict[tuple[str, int], Bends]:
    """Return bends by (target, slot). A wire without a free route has none; one to the left at most one.

    Args:
      nodes: of the graph.
      boxes: node by name on the canvas.
      moved: names of the nodes that are not where the layout put them.
      known: bends of the layout, kept if both ends have not moved and the route is free.
      closed: the closed group of a node, by name; a wire inside one is not drawn, and has no route.
    """
    shelf = Shelf(boxes.values())
    routes = {}
    for node in nodes:
        for slot, name in node.wires:
            if name not in boxes or (name in closed and closed[name] == closed.get(node.name)):
                continue
            source, target = boxes[name], boxes[node.name]
            start = (source.right, source.middle)
            end = (target.x, target.middle + port_offset(node, target.h, slot))
            first = () if {name, node.name} & moved else known.get((node.name, slot), ())
            # A wire of the layout that comes back, to another row, has a free route there: it stays.
            points = (start, *first, end)
            bends = first if first and any(b[0] < a[0] for a, b in pairwise(points)) else None
            if bends is None and end[0] > start[0]:
                bends = _free_way(start, end, first, shelf)
            if bends is None:
                bends = _beside_rows(start, end, shelf) or _way_back(source, target, shelf)
            if bends:
                routes[node.name, slot] = bends
    return routes


def _free_way(start: Point, end: Point, first: Bends, shelf: Shelf) -> Bends | None:
    """Return the first free route among `first` and the detours: () for the direct one, None without any."""
    near = shelf.between(start[0], end[0])
    if _is_free(start, first, end, near):
        return first
    under = [box for box in near if _passes_under(start, end, box)]
    free = (bends for bends in _detours(start, end, under, near) if _is_free(start, bends, end, near))
    return next(free, None)


def _beside_rows(start: Point, end: Point, shelf: Shelf) -> Bends:
    """Return a route between rows: back beside the source's row, along all rows, and on to the end.

    () if there are not at least two free bands between the ends, or if no such route is free.
    """
    margin, (low, high) = shelf.left - WIRE_CLEARANCE, sorted((start[1], end[1]))
    downwards = start[1] < end[1]
    # Back in the free band that is nearest to the source, if the turn beside the source is free too.
    bands = _middles(shelf.between(margin, start[0]), low, high)
    if not bands:
        return ()
    first = bands[0] if downwards else bands[-1]
    turn = [box for box in shelf.between(start[0], start[0] + TURN) if box.x >= start[0]]
    if any(box.y < max(start[1], first) and min(start[1], first) < box.bottom for box in turn):
        return ()
    # At the margin up or down, and straight to the end, or in the free band that is nearest to the end.
    back = ((start[0] + margin) / 2, first)
    before = shelf.between(margin, end[0])
    if not any(box.y - 1 < end[1] < box.bottom + 1 for box in before if box.right <= end[0]):
        return (back, (margin, end[1])) if len(bands) > 1 or end[0] > start[0] else ()
    last = _middles(before, low, high)
    if not last:
        return ()
    level = last[-1] if downwards else last[0]
    return (back, (margin, level), (end[0] - LEVEL, level)) if level != first else ()


def _bands(boxes: Sequence[Box]) -> list[tuple[float, float]]:
    """Return (top, bottom) of the bands without boxes, with the endless ones at both ends."""
    bands, bottom = [], -inf
    for box in sorted(boxes, key=lambda box: box.y):
        if box.y - bottom > 2 * WIRE_CLEARANCE:
            bands.append((bottom, box.y))
        bottom = max(bottom, box.bottom)
    return [*bands, (bottom, inf)]


def _middles(boxes: Sequence[Box], low: float, high: float) -> list[float]:
    """Return the middles of the bands between `low` and `high`."""
    middles = ((top + bottom) / 2 for top, bottom in _bands(boxes)[1:-1])
    return [middle for middle in middles if low < middle < high]


def _way_back(source: Box, target: Box, shelf: Shelf) -> Bends:
    """Return where a wire to the left comes back: in the middle of the widest free band between the nodes."""
    low, high = min(source.bottom, target.bottom), max(source.y, target.y)
    # Of nodes one below the other, or nearly, the wire is a loop at their sides.
    if target.x > source.right or low >= high or target.right > source.x:
        return ()
    left, right = target.x - LEVEL, source.right + LEVEL
    best, top = (low, low), low
    taken = sorted((box.y, box.bottom) for box in shelf.between(left, right))
    for y, bottom in [*taken, (high, high)]:
        if min(y, high) - top > best[1] - best[0]:
            best = (top, min(y, high))
        top = max(top, bottom)
    return (((left + right) / 2, (best[0] + best[1]) / 2),) if best[1] - best[0] > 2 * WIRE_CLEARANCE else ()


def _detours(start: Point, end: Point, under: Sequence[Box], near: Sequence[Box]) -> Iterator[Bends]:
    """Yield the direct route, then level detours past the nodes under it, those of least climb first."""
    yield ()
    if not under:
        return
    left = max(min(box.x for box in under) - WIRE_CLEARANCE, start[0] + LEVEL)
    right = min(max(box.right for box in under) + WIRE_CLEARANCE, end[0] - LEVEL)
    heights = {height for box in near for height in (box.y - WIRE_CLEARANCE, box.bottom + WIRE_CLEARANCE)}
    climb = {height: abs(height - start[1]) + abs(height - end[1]) for height in heights}
    yield ((left, end[1]),)  # level past the nodes, at the height of either end
    yield ((right, start[1]),)
    # Just above or below a node, first past the nodes under the wire alone, then level from end to end.
    flattest: list[float] = []
    if len(near) <= MANY:
        flattest = sorted(heights, key=lambda height: (climb[height], height))[:24]
    for height in flattest:
        if left < right:
            yield ((left, height), (right, height))
        yield ((start[0] + LEVEL, height), (end[0] - LEVEL, height))
    # In a band without nodes the level part is free; above and below all nodes there is always one.
    bands = _bands(near)
    levels = [bands[0][1] - WIRE_CLEARANCE]
    for top, bottom in bands[1:-1]:
        levels += [top + WIRE_CLEARANCE, bottom - WIRE_CLEARANCE]
    levels.append(bands[-1][0] + WIRE_CLEARANCE)
    for height in sorted(levels, key=lambda height: abs(height - start[1]) + abs(height - end[1])):
        yield ((start[0] + LEVEL, height), (end[0] - LEVEL, height))


def _is_free(start: Point, bends: Bends, end: Point, near: Sequence[Box]) -> bool:
    """Return whether the wire passes under none of the nodes."""
    points = (start, *bends, end)
    return not any(_passes_under(a, b, box) for a, b in pairwise(points) for box in near)


def _passes_under(a: Point, b: Point, box: Box) -> bool:
    """Return whether a curve from a to b, level at both ends, enters the box."""
    left, top, right, bottom = box.x, box.y, box.x + box.w, box.y + box.h
    if b[0] <= left or right <= a[0]:
        return False
    low, high = (a[1], b[1]) if a[1] < b[1] else (b[1], a[1])
    if high <= top or bottom <= low:
        return False
    # The curve between the box's sides, by its known heights at the places next to them.
    wide, tall = b[0] - a[0], b[1] - a[1]
    if wide < SHORT:  # of a short curve the ends are steeper, and it is no function of x
        return True
    first = a[1] + tall * HEIGHTS[max(0, int(STEPS * (left - a[0]) / wide))]
    last = a[1] + tall * HEIGHTS[min(STEPS, int(STEPS * (right - a[0]) / wide) + 1)]
    return min(first, last) < bottom and top < max(first, last)
