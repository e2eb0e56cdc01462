"""Route wires around nodes at arbitrary positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from autodiff_viz.graph.model import Node
from autodiff_viz.views.layout.layering import port_offset
from autodiff_viz.views.layout.placing import Box, Point, Shelf

Bends = tuple[Point, ...]

CLEAR = 14.0  # px between a wire's detour and the nodes that it goes around
LEVEL = 24.0  # px before and after such nodes in which the wire changes height
STEPS = 12  # points at which a curve is compared with a node


def _curve(t: float) -> tuple[float, float]:
    """Return (x, y) at t of the unit cubic Bezier curve with level ends; x is nearly linear in t."""
    return 1.5 * t * (1 - t) ** 2 + 1.5 * t * t * (1 - t) + t**3, t * t * (3 - 2 * t)


CURVE = tuple(_curve(step / STEPS) for step in range(STEPS + 1))


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
            if end[0] <= start[0]:
                bends = _way_back(source, target, shelf)
            else:
                bends = _free_way(start, end, first, shelf)
            if bends:
                found[node.name, slot] = bends
    return found


def _free_way(start: Point, end: Point, first: Bends, shelf: Shelf) -> Bends:
    """Return the first free route among `first` and the detours; () if it is the direct one or none is."""
    near = shelf.between(start[0], end[0])
    if _is_free(start, first, end, near):
        return first
    under = [box for box in near if _passes_under(start, end, box)]
    free = (bends for bends in _detours(start, end, under, near) if _is_free(start, bends, end, near))
    return next(free, ())


def _way_back(source: Box, target: Box, shelf: Shelf) -> Bends:
    """Return where a wire to the left comes back: in the middle of the widest free band between the nodes."""
    low, high = min(source.bottom, target.bottom), max(source.y, target.y)
    if low >= high or target.right > source.x:  # one below the other, or nearly: a loop at their sides
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
    for height in sorted(heights, key=lambda height: (climb[height], height))[:24]:
        if left < right:
            yield ((left, height), (right, height))
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
    return any(
        left < a[0] + wide * along < right and top < a[1] + tall * ease < bottom for along, ease in CURVE
    )
