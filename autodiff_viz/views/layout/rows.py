"""Break a wide layout into rows: a long chain goes on in the next row where few wires must come back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from autodiff_viz.views.layout.layering import Columns, Size

ROW_GAP = 110.0  # px between rows: a frame above, a frame with its tab below, and a wire that comes back
LINE_GAP = 14.0  # px between wires that come back
BACK = 8  # wires that come back, at most: those of one source are one
WIDER = 1.15  # factor between the widths that are tried
HALVINGS = 8  # steps of the search for the least width of as many rows


def rows(
    made: Columns,
    ends: tuple[Sequence[float], Sequence[float]],
    spans: Sequence[tuple[float, float]],
    widest: float,
    window: Size,
) -> tuple[list[range], float]:
    """Return the columns of each row, with which the layout is largest in the window, and that scale.

    One row if the layout is narrow enough or cannot be divided. Rows are as wide as `widest` or wider, and
    about equally wide.

    Args:
      ends: left and right end of each column in px.
      spans: top and bottom of each column in px.
      widest: px that a row may have where the graph is as high as the window.
      window: (width, height) of a canvas.
    """
    left, right = ends
    whole = [range(len(left))]
    # items of each column from which a wire goes on
    lines = [sum(map(bool, map(made.after.__getitem__, items))) for items in made.order]
    may = [n <= BACK and not cut for n, cut in zip(lines, _divided(made), strict=True)]

    def scale(found: Sequence[range]) -> float:
        """Return the scale at which these rows fit the window."""
        wide = max(right[row[-1]] - left[row[0]] for row in found)
        high = sum(max(spans[c][1] for c in row) - min(spans[c][0] for c in row) for row in found)
        high += sum(gap_below(lines[row[-1]]) for row in found[:-1])
        return min(window[0] / max(wide, 1.0), window[1] / max(high, 1.0))

    if not left or right[-1] - left[0] <= widest:
        return whole, scale(whole)
    best, high, width = whole, right[-1] - left[0], widest
    while width < right[-1] - left[0]:
        found = list(_filled(may, ends, width))
        if scale(found) > scale(best):
            best, high = found, width
        width *= WIDER
    low = high / 2
    for _ in range(HALVINGS if len(best) > 1 else 0):  # as many rows, about equally wide
        middle = (low + high) / 2
        found = list(_filled(may, ends, middle))
        if len(found) > len(best):
            low = middle
            continue
        high = middle
        if scale(found) >= scale(best):
            best = found
    return best, scale(best)


def _divided(made: Columns) -> list[bool]:
    """Return for each column whether a row that ends after it would divide a frame."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for column, frames in zip(made.column, made.regions, strict=True):
        for frame in frames:
            first[frame] = min(first.get(frame, column), column)
            last[frame] = max(last.get(frame, column), column)
    change = [0] * (len(made.order) + 1)
    for frame, column in first.items():
        change[column] += 1
        change[last[frame]] -= 1
    return [count > 0 for count in accumulate(change[:-1])]


def _filled(
    may: Sequence[bool], ends: tuple[Sequence[float], Sequence[float]], width: float
) -> Iterator[range]:
    """Yield rows with as many columns as the width allows; more where none of these may be the last."""
    (left, right), start, stop = ends, 0, None
    for column in range(len(left)):
        if stop is not None and right[column] - left[start] > width:
            yield range(start, stop)
            start, stop = stop, None
        if may[column]:
            stop = column + 1
    yield range(start, len(left))


def gap_below(lines: int) -> float:
    """Return the px between two rows with so many wires that come back between them."""
    return ROW_GAP + LINE_GAP * max(lines - 1, 0)


def line_below(foot: float, index: int) -> float:
    """Return the y of a wire that comes back below a row that ends at `foot`."""
    return foot + ROW_GAP / 2 + LINE_GAP * index
