"""Reduce crossings: order the items in each column (second step of the Sugiyama layout).

Barycentre heuristic: columns are sorted by the mean place of their neighbours, back and forth; then
neighbours are swapped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

from autodiff_viz.views.layout.layering import Columns

SWEEPS = 24  # limit, forwards or backwards; a large graph gets fewer
SWEEP_WORK = 12_000  # limit of items ordered in all sweeps together, about 30 ms
PATIENCE = 4  # sweeps without improvement after which ordering stops
SMALL = 300  # items up to which several starts and swaps of neighbours are tried


def uncross(made: Columns) -> None:
    """Set `made.order` so that few wires cross: the best of several starts, each improved in sweeps."""
    walked = _depth_first(made)
    starts = [walked]
    if len(made.column) <= SMALL:
        starts += [[sorted(items) for items in walked], [items[::-1] for items in walked]]
    fewest: int | None = None
    for start in starts:
        tried = replace(made, order=_copy(start))
        left = _sweep(tried, first_forwards=start is not walked)
        if fewest is None or left < fewest:
            fewest, made.order = left, tried.order
        if fewest == 0:
            return


def _depth_first(made: Columns) -> list[list[int]]:
    """Return the initial order: depth-first from the ends back to the inputs, slots from top to bottom.

    For a tree it has no crossings.
    """
    order: list[list[int]] = [[] for _ in range(max(made.column, default=-1) + 1)]
    seen = [False] * len(made.column)
    stack = [item for item in reversed(range(len(made.column))) if not made.after[item]]
    while stack:
        item = stack.pop()
        if not seen[item]:
            seen[item] = True
            order[made.column[item]].append(item)
            stack.extend(source for source, _ in reversed(made.before[item]))
    return order


def _sweep(made: Columns, first_forwards: bool) -> int:
    """Sort the columns by their neighbours, back and forth; return the crossings of the best order found."""
    place = [0.0] * len(made.column)
    for column in range(len(made.order)):
        _sort(made, column, place, [])  # makes regions contiguous
    best, fewest, since = _copy(made.order), crossings(made), 0
    for sweep in range(min(SWEEPS, max(4, SWEEP_WORK // (len(place) + 1)))):
        if fewest == 0 or since == PATIENCE:
            break
        forwards = (sweep % 2 == 0) == first_forwards
        for column in range(len(made.order)) if forwards else reversed(range(len(made.order))):
            _sort(made, column, place, made.before if forwards else made.after)
        now = crossings(made)
        since = 0 if now < fewest else since + 1
        if now < fewest:
            best, fewest = _copy(made.order), now
    made.order = best
    if not fewest or len(place) > SMALL:
        return fewest
    _swap_neighbours(made)
    return crossings(made)


def _sort(made: Columns, column: int, place: list[float], beside: list[list[tuple[int, float]]]) -> None:
    """Sort a column by the mean place of the neighbours `beside` it, keeping each region contiguous."""
    items = made.order[column]
    wish = dict(zip(items, map(float, range(len(items))), strict=True))
    for item in items:
        if beside and beside[item]:
            ends = [place[other] + _tilt(made, other, offset, beside) for other, offset in beside[item]]
            wish[item] = sum(ends) / len(ends)
    if any(made.regions[item] for item in items):
        items.sort(key=_region_keys(made, items, wish).__getitem__)
    else:
        items.sort(key=wish.__getitem__)
    for i, item in enumerate(items):
        place[item] = float(i)


def _tilt(made: Columns, other: int, offset: float, beside: list[list[tuple[int, float]]]) -> float:
    """Return the port's place on the edge of `other`, from -0.5 to 0.5; outputs are in the middle."""
    return offset / made.sizes[other][1] if beside is made.after and offset else 0.0


def _region_keys(made: Columns, items: Sequence[int], wish: Mapping[int, float]) -> dict[int, tuple]:
    """Return sort keys that keep a region's items contiguous, at the mean of their desired places."""
    inside: dict[int, list[float]] = {}
    for item in items:
        for region in made.regions[item]:
            inside.setdefault(region, []).append(wish[item])
    mean = {region: sum(wishes) / len(wishes) for region, wishes in inside.items()}
    return {
        item: (*((mean[region], region) for region in made.regions[item]), (wish[item], -1)) for item in items
    }


def crossings(made: Columns) -> int:
    """Count the pairs of wires that cross between neighbouring columns."""
    place = {item: i for items in made.order for i, item in enumerate(items)}
    total = 0
    for items in made.order:
        seen: list[float] = []
        for item in items:
            ends = [place[o] + _tilt(made, o, offset, made.after) for o, offset in made.after[item]]
            for end in sorted(ends):
                at = bisect_right(seen, end)
                total += len(seen) - at
                seen.insert(at, end)
    return total


def _swap_neighbours(made: Columns) -> None:
    """Swap adjacent items of the same regions as long as that removes crossings."""
    place = {item: i for items in made.order for i, item in enumerate(items)}
    for _ in range(PATIENCE):
        improved = False
        for items in made.order:
            for i in range(len(items) - 1):
                upper, lower = items[i], items[i + 1]
                if made.regions[upper] == made.regions[lower] and _gain(made, place, upper, lower) > 0:
                    items[i], items[i + 1] = lower, upper
                    place[lower], place[upper] = i, i + 1
                    improved = True
        if not improved:
            return


def _gain(made: Columns, place: Mapping[int, int], upper: int, lower: int) -> int:
    """Count the crossings that a swap of two adjacent items removes."""
    gain = 0
    for beside in (made.before, made.after):
        above = [place[o] + _tilt(made, o, offset, beside) for o, offset in beside[upper]]
        below = [place[o] + _tilt(made, o, offset, beside) for o, offset in beside[lower]]
        gain += sum((a > b) - (a < b) for a in above for b in below)
    return gain


def _copy(order: list[list[int]]) -> list[list[int]]:
    """Copy an order."""
    return [list(items) for items in order]
