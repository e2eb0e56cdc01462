"""Break a wide layout into rows: a long chain goes on in the next row where few wires must come back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autodiff_viz.views.layout.layering import Columns

ROW_GAP = 110.0  # px between rows: a frame above, a frame with its tab below, and the wires that come back
BACK = 2  # wires that come back, at most


def rows(made: Columns, left: Sequence[float], right: Sequence[float], widest: float) -> list[range]:
    """Return the columns of each row; one row if the layout is narrow enough or cannot be divided.

    Args:
      left, right: ends of each column in px.
      widest: px that a row should have at most.
    """
    whole = range(len(left))
    if not left or right[-1] - left[0] <= widest:
        return [whole]
    places = [column for column in whole[1:] if _may_end_before(made, column)]
    return list(_halves(whole, places, left, right, widest))


def _halves(
    row: range, places: Sequence[int], left: Sequence[float], right: Sequence[float], widest: float
) -> Iterator[range]:
    """Divide a row at the place that leaves its longer part shortest, and so on."""

    def width(part: range) -> float:
        return right[part[-1]] - left[part[0]]

    halves = [(range(row[0], at), range(at, row[-1] + 1)) for at in places if row[0] < at <= row[-1]]
    if width(row) <= widest or not halves:
        yield row
        return
    for half in min(halves, key=lambda pair: max(map(width, pair))):
        yield from _halves(half, places, left, right, widest)


def _may_end_before(made: Columns, column: int) -> bool:
    """Return whether a row may end before a column: few wires pass there, and no frame is divided."""
    passing = sum(made.column[wire.source] < column <= made.column[wire.target] for wire in made.wires)
    before = {frame for i, at in enumerate(made.column) if at < column for frame in made.regions[i]}
    after = {frame for i, at in enumerate(made.column) if at >= column for frame in made.regions[i]}
    return passing <= BACK and not before & after
