"""Place new nodes in a graph of which the user has placed some, and route wires around nodes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice, pairwise
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


STRIP = 256.0  # px of x for which boxes are kept together


def _strips(left: float, right: float) -> range:
    """Return the vertical strips of the canvas that overlap an interval of x."""
    return range(int(left // STRIP), int(right // STRIP) + 1)


class Shelf:
    """Spatial index of boxes by vertical strips of the canvas, so that only near ones are compared."""

    def __init__(self, boxes: Iterable[Box]):
        self._boxes: dict[int, list[Box]] = {}
        for box in boxes:
            self.add(box)

    def add(self, box: Box) -> None:
        """Add a box to each strip that it overlaps."""
        for strip in _strips(box.x, box.right):
            self._boxes.setdefault(strip, []).append(box)

    def between(self, left: float, right: float) -> list[Box]:
        """Return the boxes that overlap an interval of x, each once."""
        near = (box for strip in _strips(left, right) for box in self._boxes.get(strip, ()))
        return list(dict.fromkeys(box for box in near if box.x < right and left < box.right))


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


Bands = list[tuple[float, float]]
"""The top and the bottom of each band that no box reaches into, the endless ones at both ends too."""


class Obstacles:
    """Index of the boxes that wires go around: none of its answers costs a look at all of them.

    Attributes:
      left: left end of all boxes.
      widest: width of the widest one.
    """

    def __init__(self, boxes: Iterable[Box]):
        self._boxes: dict[int, list[Box]] = {}  # by strip, from top to foot
        self._blocks: dict[tuple[int, int], Bands] = {}
        self._bands: dict[tuple[float, float], Bands] = {}
        self.left, self.widest, self._tallest = inf, 0.0, 0.0
        for box in sorted(set(boxes), key=lambda box: box.y):
            self.left, self.widest = min(self.left, box.x), max(self.widest, box.w)
            self._tallest = max(self._tallest, box.h)
            for strip in _strips(box.x, box.right):
                self._boxes.setdefault(strip, []).append(box)
        self._tops = {strip: [box.y for box in kept] for strip, kept in self._boxes.items()}

    def of_strip(self, strip: int, top: float, bottom: float) -> Iterator[Box]:
        """Yield the boxes of a strip that overlap an interval of y."""
        tops = self._tops.get(strip, ())
        first = bisect_left(tops, top - self._tallest - 1)
        for box in self._boxes[strip][first : bisect_left(tops, bottom)] if tops else ():
            if top < box.bottom:
                yield box

    def within(self, left: float, right: float, top: float = -inf, bottom: float = inf) -> Iterator[Box]:
        """Yield the boxes that overlap a rectangle, each once."""
        strips = _strips(left, right)
        for strip in strips:
            for box in self.of_strip(strip, top, bottom):
                is_first = strip == max(strips[0], int(box.x // STRIP))
                if is_first and box.x < right and left < box.right:
                    yield box

    def bands(self, left: float, right: float) -> Bands:
        """Return the bands that are free in an interval of x, and wide enough for a wire.

        Nodes stand in columns, so that many wires ask for the same.
        """
        if (left, right) not in self._bands:
            self._bands[left, right] = self._free(left, right)
        return self._bands[left, right]

    def _free(self, left: float, right: float) -> Bands:
        strips = _strips(left, right)
        # At the ends of the interval a box of the strip may lie beside it; all of those between are in it.
        ends = {strips[0], strips[-1]}
        some = ([b for b in self._boxes.get(end, ()) if b.x < right and left < b.right] for end in ends)
        free: Bands = [(-inf, inf)]
        for boxes in some:
            free = _common(free, _bands(boxes))
        at = strips[0] + 1
        while at < strips[-1]:
            size = 1
            while at % (2 * size) == 0 and at + 2 * size <= strips[-1]:
                size *= 2
            free = _common(free, self._block(at, size))
            at += size
        return free

    def _block(self, first: int, size: int) -> Bands:
        """Return the bands that are free in all of so many strips, a power of two."""
        if (first, size) not in self._blocks:
            half = size // 2
            self._blocks[first, size] = (
                _common(self._block(first, half), self._block(first + half, half))
                if half
                else _bands(self._boxes.get(first, ()))
            )
        return self._blocks[first, size]


CHANGED = (
    16  # boxes up to which it is asked which wires they can concern; after more, all routes are found anew
)


class Way(NamedTuple):
    """The route of a wire, and the boxes that can change it.

    Attributes:
      ends: boxes of source and target, end of the wire, and its route in the layout: what else decides.
      bends: the route.
      left, right, top, bottom: rectangle; a box that does not reach into it does not matter.
      settled: whether a box that goes away does not matter either: the first route tried was free.
      near: how many boxes are between the ends, as far as counted; None where that does not matter.
    """

    ends: tuple[Box, Box, Point, Bends]
    bends: Bends
    left: float
    right: float
    top: float
    bottom: float
    settled: bool = False
    near: int | None = None

    def is_certain(self, added: Iterable[Box], removed: Collection[Box]) -> bool:
        """Return whether the route is the same when these boxes come and go."""
        if self.near is not None and self.near - len(removed) <= MANY:
            return False
        left, top, right, bottom = self.left, self.top, self.right, self.bottom
        for boxes in (added,) if self.settled else (added, removed):
            for x, y, w, h in boxes:
                if x < right and left < x + w and y < bottom and top < y + h:
                    return False
        return True


class Ways(NamedTuple):
    """What is kept of the routes of a canvas: after an edit those of most wires are the same.

    Attributes:
      boxes: all boxes.
      by_wire: by (target, slot).
    """

    boxes: AbstractSet[Box]
    by_wire: Mapping[tuple[str, int], Way]


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
    ways = ways_around(nodes, boxes, moved, known, closed)
    return bends_of(ways)


def bends_of(ways: Ways) -> dict[tuple[str, int], Bends]:
    """Return the bends of the wires that have some."""
    return {wire: way.bends for wire, way in ways.by_wire.items() if way.bends}


def ways_around(
    nodes: Sequence[Node],
    boxes: Mapping[str, Box],
    moved: AbstractSet[str],
    known: Mapping[tuple[str, int], Bends],
    closed: Mapping[str, str],
    last: Ways | None = None,
) -> Ways:
    """Return the routes that `around` returns, with what each depends on.

    Args:
      last: the routes before, for other boxes: those that can be no other ones now are taken over.
    """
    obstacles, taken = Obstacles(boxes.values()), frozenset(boxes.values())
    before = last.by_wire if last else {}
    added, removed = (taken - last.boxes, last.boxes - taken) if last else ((), ())
    if last and (len(added) + len(removed) > CHANGED or obstacles.left != min(box.x for box in last.boxes)):
        before = {}
    ways = {}
    for node in nodes:
        for slot, name in node.wires:
            if name not in boxes or (name in closed and closed[name] == closed.get(node.name)):
                continue
            source, target = boxes[name], boxes[node.name]
            end = (target.x, target.middle + port_offset(node, target.h, slot))
            first = () if name in moved or node.name in moved else known.get((node.name, slot), ())
            ends = (source, target, end, first)
            way = before.get((node.name, slot))
            if way is None or way.ends != ends or not way.is_certain(added, removed):
                way = _way(ends, obstacles)
            ways[node.name, slot] = way
    return Ways(taken, ways)


def _way(ends: tuple[Box, Box, Point, Bends], obstacles: Obstacles) -> Way:
    """Return the route of a wire."""
    source, target, end, first = ends
    start = (source.right, source.middle)
    # A wire of the layout that comes back, to another row, has a free route there: it stays.
    if first and any(b[0] < a[0] for a, b in pairwise((start, *first, end))):
        return Way(ends, first, inf, -inf, inf, -inf)
    if end[0] > start[0] and (way := _free_way(ends, obstacles)):
        return way
    bends = _beside_rows(start, end, obstacles) or _way_back(source, target, obstacles)
    top, bottom = low, high = min(start[1], end[1]), max(start[1], end[1])
    for side in (start[0], end[0]):
        over = [
            b for b in obstacles.bands(obstacles.left - WIRE_CLEARANCE, side) if b[0] < high and low < b[1]
        ]
        top, bottom = min([top, *(band[0] for band in over)]), max([bottom, *(band[1] for band in over)])
    right = max(start[0] + max(TURN, LEVEL), end[0])
    return Way(ends, bends, -inf, right, top - 2 * WIRE_CLEARANCE, bottom + 2 * WIRE_CLEARANCE)


def _free_way(ends: tuple[Box, Box, Point, Bends], obstacles: Obstacles) -> Way | None:
    """Return the first free one of the layout's route and the detours: () for the direct one."""
    source, _, end, first = ends
    start = (source.right, source.middle)

    def is_free(bends: Bends) -> bool:
        pieces = pairwise((start, *bends, end))
        return not any(True for a, b in pieces for _ in _under(a, b, start[0], end[0], obstacles))

    heights = [start[1], end[1], *(y for _, y in first)]
    low, high = min(heights), max(heights)
    if is_free(first):
        return Way(ends, first, start[0], end[0], low, high, settled=True)
    tried = Tried()
    bends = next(filter(is_free, _detours(start, end, obstacles, tried)), None)
    if bends is None:
        return None
    if tried.near is not None and tried.near <= MANY:
        return Way(ends, bends, start[0], end[0], -inf, inf)
    # No level beyond the one that was found has been looked at, and no box further away makes one.
    beyond = max([abs(start[1] - end[1]), *(abs(y - start[1]) + abs(y - end[1]) for _, y in bends)])
    reach = (beyond - abs(start[1] - end[1])) / 2 + 2 * WIRE_CLEARANCE
    return Way(ends, bends, start[0], end[0], low - reach, high + reach, near=tried.near)


@dataclass(slots=True)
class Tried:
    """What has been looked at for a detour: so many boxes between the ends, once they were counted."""

    near: int | None = None


def _beside_rows(start: Point, end: Point, obstacles: Obstacles) -> Bends:
    """Return a route between rows: back beside the source's row, along all rows, and on to the end.

    () if there are not at least two free bands between the ends, or if no such route is free.
    """
    margin, (low, high) = obstacles.left - WIRE_CLEARANCE, sorted((start[1], end[1]))
    downwards = start[1] < end[1]
    # Back in the free band that is nearest to the source, if the turn beside the source is free too.
    bands = _middles(obstacles.bands(margin, start[0]), low, high)
    if not bands:
        return ()
    first = bands[0] if downwards else bands[-1]
    turn = obstacles.within(start[0], start[0] + TURN, min(start[1], first), max(start[1], first))
    if any(box.x >= start[0] for box in turn):
        return ()
    # At the margin up or down, and straight to the end, or in the free band that is nearest to the end.
    back = ((start[0] + margin) / 2, first)
    if not any(box.right <= end[0] for box in obstacles.within(margin, end[0], end[1] - 1, end[1] + 1)):
        return (back, (margin, end[1])) if len(bands) > 1 or end[0] > start[0] else ()
    last = _middles(obstacles.bands(margin, end[0]), low, high)
    if not last:
        return ()
    level = last[-1] if downwards else last[0]
    return (back, (margin, level), (end[0] - LEVEL, level)) if level != first else ()


def _bands(boxes: Iterable[Box]) -> Bands:
    """Return the bands without boxes, which are given from top to foot."""
    bands, bottom = [], -inf
    for box in boxes:
        if box.y - bottom > 2 * WIRE_CLEARANCE:
            bands.append((bottom, box.y))
        bottom = max(bottom, box.bottom)
    return [*bands, (bottom, inf)]


def _common(some: Bands, others: Bands) -> Bands:
    """Return the bands that are free in both."""
    found, i, j = [], 0, 0
    while i < len(some) and j < len(others):
        top, bottom = max(some[i][0], others[j][0]), min(some[i][1], others[j][1])
        if bottom - top > 2 * WIRE_CLEARANCE:
            found.append((top, bottom))
        if some[i][1] < others[j][1]:
            i += 1
        else:
            j += 1
    return found


def _middles(bands: Bands, low: float, high: float) -> list[float]:
    """Return the middles of the bands between `low` and `high`."""
    middles = ((top + bottom) / 2 for top, bottom in bands[1:-1])
    return [middle for middle in middles if low < middle < high]


def _way_back(source: Box, target: Box, obstacles: Obstacles) -> Bends:
    """Return where a wire to the left comes back: in the middle of the widest free band between the nodes."""
    low, high = min(source.bottom, target.bottom), max(source.y, target.y)
    # Of nodes one below the other, or nearly, the wire is a loop at their sides.
    if target.x > source.right or low >= high or target.right > source.x:
        return ()
    left, right = target.x - LEVEL, source.right + LEVEL
    parts = [(max(top, low), min(bottom, high)) for top, bottom in obstacles.bands(left, right)]
    top, bottom = max(parts, key=lambda part: part[1] - part[0])
    return (((left + right) / 2, (top + bottom) / 2),) if bottom - top > 2 * WIRE_CLEARANCE else ()


def _detours(start: Point, end: Point, obstacles: Obstacles, tried: Tried) -> Iterator[Bends]:
    """Yield the direct route, then level detours past the nodes under it, those of least climb first."""
    yield ()
    under = _extent_under(start, end, obstacles)
    if under is None:
        return
    left = max(under[0] - WIRE_CLEARANCE, start[0] + LEVEL)
    right = min(under[1] + WIRE_CLEARANCE, end[0] - LEVEL)
    yield ((left, end[1]),)  # level past the nodes, at the height of either end
    yield ((right, start[1]),)
    # Just above or below a node, first past the nodes under the wire alone, then level from end to end.
    near = [*islice(obstacles.within(start[0], end[0]), MANY + CHANGED + 1)]
    tried.near = len(near)
    few = near if len(near) <= MANY else ()
    heights = {height for box in few for height in (box.y - WIRE_CLEARANCE, box.bottom + WIRE_CLEARANCE)}
    climb = {height: abs(height - start[1]) + abs(height - end[1]) for height in heights}
    for height in sorted(heights, key=lambda height: (climb[height], height))[:24]:
        if left < right:
            yield ((left, height), (right, height))
        yield ((start[0] + LEVEL, height), (end[0] - LEVEL, height))
    # In a band without nodes the level part is free; above and below all nodes there is always one.
    bands = obstacles.bands(start[0], end[0])
    levels = [bands[0][1] - WIRE_CLEARANCE]
    for top, bottom in bands[1:-1]:
        levels += [top + WIRE_CLEARANCE, bottom - WIRE_CLEARANCE]
    levels.append(bands[-1][0] + WIRE_CLEARANCE)
    for height in sorted(levels, key=lambda height: abs(height - start[1]) + abs(height - end[1])):
        yield ((start[0] + LEVEL, height), (end[0] - LEVEL, height))


def _under(
    a: Point, b: Point, left: float, right: float, obstacles: Obstacles, step: int = 1
) -> Iterator[Box]:
    """Yield the boxes that a curve from a to b enters, of those that overlap an interval of x; some twice.

    They come strip by strip, with the step -1 from the right.
    """
    for strip in _strips(min(a[0], b[0]), max(a[0], b[0]))[::step]:
        for box in obstacles.of_strip(strip, *_reach(a, b, strip * STRIP, (strip + 1) * STRIP)):
            if box.x < right and left < box.right and _passes_under(a, b, box):
                yield box


def _extent_under(a: Point, b: Point, obstacles: Obstacles) -> tuple[float, float] | None:
    """Return the left and the right end of the boxes that a curve from a to b enters; None without any."""
    # A box that is found later may begin further left: it may reach over from the strips before its own.
    left, right = inf, -inf
    for box in _under(a, b, a[0], b[0], obstacles):
        if box.x > left + STRIP + obstacles.widest:
            break
        left = min(left, box.x)
    for box in _under(a, b, a[0], b[0], obstacles, step=-1):
        if box.right < right - STRIP - obstacles.widest:
            break
        right = max(right, box.right)
    return (left, right) if left < inf else None


def _reach(a: Point, b: Point, left: float, right: float) -> tuple[float, float]:
    """Return between which heights a curve from a to b, level at both ends, is in an interval of x."""
    low, high = (a[1], b[1]) if a[1] < b[1] else (b[1], a[1])
    wide, tall = b[0] - a[0], b[1] - a[1]
    if wide < SHORT or not tall:  # of a short curve the ends are steeper, and it is no function of x
        return low, high
    # By its known heights at the places next to both sides.
    first = a[1] + tall * HEIGHTS[max(0, int(STEPS * (left - a[0]) / wide))]
    last = a[1] + tall * HEIGHTS[min(STEPS, int(STEPS * (right - a[0]) / wide) + 1)]
    return (first, last) if first < last else (last, first)


def _passes_under(a: Point, b: Point, box: Box) -> bool:
    """Return whether a curve from a to b, level at both ends, enters the box."""
    left, top, right, bottom = box.x, box.y, box.x + box.w, box.y + box.h
    if b[0] <= left or right <= a[0]:
        return False
    if max(a[1], b[1]) <= top or bottom <= min(a[1], b[1]):
        return False
    high, low = _reach(a, b, left, right)
    return high < bottom and top < low
