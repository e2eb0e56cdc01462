"""Route wires around nodes at arbitrary positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from math import inf

from autodiff_viz.graph.model import Node
from autodiff_viz.views.layout.layering import port_offset
from autodiff_viz.views.layout.placing import Box, Point, Shelf

Bends = tuple[Point, ...]

CLEAR = 14.0  # px between a wire's detour and the nodes that it goes around
LEVEL = 24.0  # px before and after such nodes in which the wire changes height
TURN = 68.0  # px by which a wire that comes back turns beyond its end, at most
MANY = 120  # nodes between the ends of a wire up to which level detours are tried one by one
STEPS = 128  # places at which a curve's heights are known
SHORT = 60.0  # px of a curve whose ends are steeper than those of longer ones


def _heights() -> tuple[float, ...]:
    """Return y of the unit cubic Bezier curve with level ends at STEPS + 1 even places of x."""
    found, t = [], 0.0
    for step in range(STEPS + 1):
        while t < 1 and 1.5 * t * (1 - t) + t**3 < step / STEPS:
            t += 1 / 4096
        found.append(t * t * (3 - 2 * t))
    return tuple(found)


HEIGHTS = _heights()


def around(
    nodes: Sequence[Node],
    boxes: Mapping[str, Box],
    moved: AbstractSet[str],
    known: Mapping[tuple[str, int], Bends],
) -> dict[tuple[str, int], Bends]:
    """Return bends by (target, slot). A wire without a free route has none; one to the left at most one.

    Args:
      nodes: of the graph.
      boxes: node by name on the canvas.
      moved: names of the nodes that are not where the layout put them.
      known: bends of the layout, kept if both ends have not moved and the route is free.
    """
    shelf = Shelf(boxes.values())
    found = {}
    for node in nodes:
        for slot, name in node.wires:
            if name not in boxes:
                continue
            source, target = boxes[name], boxes[node.name]
            start = (source.right, source.middle)
            end = (target.x, target.middle + port_offset(node, target.h, slot))
            first = () if {name, node.name} & moved else known.get((node.name, slot), ())
            bends = first if first and _is_back(start, first, end) else None
            if bends is None and end[0] > start[0]:
                bends = _free_way(start, end, first, shelf)
            if bends is None:
                bends = _beside_rows(start, end, shelf) or _way_back(source, target, shelf)
            if bends:
                found[node.name, slot] = bends
    return found


def _is_back(start: Point, bends: Bends, end: Point) -> bool:
    """Return whether a wire comes back on its way: so does one of a layout, where its route is free."""
    return any(b[0] < a[0] for a, b in pairwise((start, *bends, end)))


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
    margin, (low, high) = shelf.left - CLEAR, sorted((start[1], end[1]))
    downwards = start[1] < end[1]
    bands = _middles(shelf.between(margin, start[0]), low, high)
    if not bands:
        return ()
    first = bands[0] if downwards else bands[-1]
    turn = [box for box in shelf.between(start[0], start[0] + TURN) if box.x >= start[0]]
    if any(box.y < max(start[1], first) and min(start[1], first) < box.bottom for box in turn):
        return ()
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
    found, bottom = [], -inf
    for box in sorted(boxes, key=lambda box: box.y):
        if box.y - bottom > 2 * CLEAR:
            found.append((bottom, box.y))
        bottom = max(bottom, box.bottom)
    return [*found, (bottom, inf)]


def _middles(boxes: Sequence[Box], low: float, high: float) -> list[float]:
    """Return the middles of the bands between `low` and `high`."""
    middles = ((top + bottom) / 2 for top, bottom in _bands(boxes)[1:-1])
    return [middle for middle in middles if low < middle < high]


def _way_back(source: Box, target: Box, shelf: Shelf) -> Bends:
    """Return where a wire to the left comes back: in the middle of the widest free band between the nodes."""
    low, high = min(source.bottom, target.bottom), max(source.y, target.y)
    if (
        target.x > source.right or low >= high or target.right > source.x
    ):  # one below the other, or nearly: a loop at their sides
        return ()
    left, right = target.x - LEVEL, source.right + LEVEL
    best, top = (low, low), low
    taken = sorted((box.y, box.bottom) for box in shelf.between(left, right))
    for y, bottom in [*taken, (high, high)]:
        if min(y, high) - top > best[1] - best[0]:
            best = (top, min(y, high))
        top = max(top, bottom)
    return (((left + right) / 2, (best[0] + best[1]) / 2),) if best[1] - best[0] > 2 * CLEAR else ()


def _detours(start: Point, end: Point, under: Sequence[Box], near: Sequence[Box]) -> Iterator[Bends]:
    """Yield the direct route, then level detours past the nodes under it, those of least climb first."""
    yield ()
    if not under:
        return
    left = max(min(box.x for box in under) - CLEAR, start[0] + LEVEL)
    right = min(max(box.right for box in under) + CLEAR, end[0] - LEVEL)
    heights = {height for box in near for height in (box.y - CLEAR, box.bottom + CLEAR)}
    climb = {height: abs(height - start[1]) + abs(height - end[1]) for height in heights}
    yield ((left, end[1]),)  # level past the nodes, at the height of either end
    yield ((right, start[1]),)
    for height in (
        [] if len(near) > MANY else sorted(heights, key=lambda height: (climb[height], height))[:24]
    ):
        if left < right:
            yield ((left, height), (right, height))
        yield ((start[0] + LEVEL, height), (end[0] - LEVEL, height))
    bands = _bands(near)
    levels = [
        bands[0][1] - CLEAR,
        *(level for band in bands[1:-1] for level in (band[0] + CLEAR, band[1] - CLEAR)),
    ]
    for height in sorted(
        (*levels, bands[-1][0] + CLEAR), key=lambda height: abs(height - start[1]) + abs(height - end[1])
    ):
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
    wide, tall = b[0] - a[0], b[1] - a[1]
    if wide < SHORT:  # of a short curve the ends are steeper, and it is no function of x
        return True
    first = a[1] + tall * HEIGHTS[max(0, int(STEPS * (left - a[0]) / wide))]
    last = a[1] + tall * HEIGHTS[min(STEPS, int(STEPS * (right - a[0]) / wide) + 1)]
    return min(first, last) < bottom and top < max(first, last)
