"""Assign coordinates to columns that are in order (last step of the Sugiyama layout); divide into rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from math import inf

from autodiff_viz.canvas.layout.layering import Columns, Size

NODE_GAP = 28.0  # px between nodes in a column
LANE_GAP = 14.0  # px between a lane and what is above or below it
FRAME = 24.0  # px between nodes and the innermost frame around them
LEVEL = 28.0  # px from a frame to the next one around it
TAB = 11.0  # px by which a frame's tab stands out above it
NESTED_TAB = 30.0  # px more for each frame inside that begins with it, whose tabs are seen from far
FRAME_GAP = 10.0  # px between a frame and what stands outside it
COLUMN_GAP = 64.0  # px between columns, at least
STEEP = 0.12  # px added between columns for each px that a wire climbs there
MOST_COLUMN_GAP = 160.0
JOG = 8.0  # px of deviation up to which a wire is made straight
ROUNDS = 5  # sweeps back and forth; more of them change little

_STRAIGHT = (1.0, 4.0, 16.0)
"""Weight of a wire by how many of its two ends are lanes, since a long wire should be straight above all."""


def heights(made: Columns) -> list[float]:
    """Return the y of each item's centre in px, so that wires are short and straight and nothing overlaps."""
    y = [0.0] * len(made.column)
    gaps = [_gaps(made, items) for items in made.order]
    # At first all items want to be at 0: each column is packed around it.
    for items, apart in zip(made.order, gaps, strict=True):
        _settle(items, apart, [0.0] * len(items), [1.0] * len(items), y)
    lanes_from = len(made.column) - sum(1 for size in made.sizes if size == (0.0, 0.0))
    for _ in range(ROUNDS):
        for side in (made.after, made.before):
            forwards = side is made.before
            for column in range(len(made.order)) if forwards else reversed(range(len(made.order))):
                items = made.order[column]
                wishes, pulls = _wishes(made, items, y, forwards, lanes_from)
                _settle(items, gaps[column], wishes, pulls, y)
    _straighten(made, gaps, y)
    return y


def _straighten(made: Columns, gaps: Sequence[Sequence[float]], y: list[float]) -> None:
    """Move items by a few px, where there is room, so that nearly straight wires are straight."""
    for items, apart in zip(made.order, gaps, strict=True):
        for i, item in enumerate(items):
            least = y[items[i - 1]] + apart[i - 1] if i else -inf
            most = y[items[i + 1]] - apart[i] if i + 1 < len(items) else inf
            for other, offset in made.before[item]:
                straight = y[other] - offset
                if abs(straight - y[item]) < JOG and least <= straight <= most:
                    y[item] = straight
                    break


def _gaps(made: Columns, items: Sequence[int]) -> list[float]:
    """Return the distances between the centres of adjacent items of a column."""
    gaps = []
    for upper, lower in pairwise(items):
        high, low = made.sizes[upper][1], made.sizes[lower][1]
        # Between the two, frames may end below the upper and begin above the lower item.
        above, below = set(made.regions[upper]), set(made.regions[lower])
        ends, begins = _frames(len(above - below)), _frames(len(below - above))
        tabs = TAB + NESTED_TAB * (len(below - above) - 1) if begins else 0.0
        frames = ends + begins + tabs + (FRAME_GAP if ends or begins else 0.0)
        foot = made.feet.get(upper, 0.0)
        gaps.append((high + low) / 2 + foot + max(NODE_GAP if high and low else LANE_GAP, frames))
    return gaps


def _frames(count: int) -> float:
    """Return the px from a node to the outermost of `count` frames around it."""
    return FRAME + LEVEL * (count - 1) if count else 0.0


def _wishes(
    made: Columns, items: Sequence[int], y: Sequence[float], forwards: bool, lanes_from: int
) -> tuple[list[float], list[float]]:
    """Return for each item the y at which its wires on one side would be straight, and its weight."""
    wishes, pulls = [], []
    for item in items:
        total = pull = 0.0
        for other, offset in made.before[item] if forwards else made.after[item]:
            weight = _STRAIGHT[(item >= lanes_from) + (other >= lanes_from)]
            total += weight * (y[other] - offset if forwards else y[other] + offset)
            pull += weight
        wishes.append(total / pull if pull else y[item])
        pulls.append(pull or 0.2)  # without wires on this side an item stays, and yields to those that have
    return wishes, pulls


def _settle(
    items: Sequence[int],
    gaps: Sequence[float],
    wishes: Sequence[float],
    pulls: Sequence[float],
    y: list[float],
) -> None:
    """Set y of a column's items as close to their desired places as the gaps allow.

    Weighted least squares under a fixed order (isotonic regression).
    """
    # Items that would be too close form a block, which is placed at the weighted mean of their desired
    # places, each less the gaps above it.
    blocks: list[tuple[float, float, int]] = []  # mean wish, pull, number of items
    shift, shifts = 0.0, []
    for i, (wish, pull) in enumerate(zip(wishes, pulls, strict=True)):
        shift += gaps[i - 1] if i else 0.0
        shifts.append(shift)
        block = (wish - shift, pull, 1)
        while blocks and blocks[-1][0] >= block[0]:
            mean, weight, count = blocks.pop()
            both = weight + block[1]
            block = ((mean * weight + block[0] * block[1]) / both, both, count + block[2])
        blocks.append(block)
    i = 0
    for mean, _, count in blocks:
        for _ in range(count):
            y[items[i]] = mean + shifts[i]
            i += 1


def lefts(made: Columns, y: Sequence[float], rooms: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return the left and the right end of each column in px.

    Args:
      rooms: px that a node needs free to its left, by node.
    """
    left, right = [], []
    x = 0.0
    for items in made.order:
        x += max((rooms[item] for item in items if item < len(rooms)), default=0.0)
        left.append(x)
        x += max((made.sizes[item][0] for item in items), default=0.0)
        right.append(x)
        # Where wires are steep, columns are further apart.
        climbs = (abs(y[item] - y[other] - offset) for item in items for other, offset in made.after[item])
        x += min(COLUMN_GAP + STEEP * max(climbs, default=0.0), MOST_COLUMN_GAP)
    return left, right


# Rows: a long chain goes on in the next one, where few wires must come back

ROW_GAP = 110.0  # px between rows: a frame above, a frame with its tab below, and a wire that comes back
LINE_GAP = 14.0  # px between wires that come back
BACK = 8  # wires that come back, at most: those of one source are one
WORTH = 0.92  # of a scale, what it is worth with each wire that comes back between two rows
WIDER = 1.15  # factor between the widths that are tried
HALVINGS = 8  # steps of the search for the least width of as many rows


def rows(
    made: Columns,
    ends: tuple[Sequence[float], Sequence[float]],
    spans: Sequence[tuple[float, float]],
    widest: float,
    window: Size,
) -> tuple[list[range], float]:
    """Return the columns of each row, with which the layout is largest in the window, and what that is worth.

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
    # By column, how many items wires go on from: each is a line that comes back if a row ends there. A row
    # may end where these are few and no frame is divided.
    lines = [sum(map(bool, map(made.after.__getitem__, items))) for items in made.order]
    may = [n <= BACK and not cut for n, cut in zip(lines, _divided(made), strict=True)]

    def scale(divided: Sequence[range]) -> float:
        """Return the scale at which these rows fit the window, less for wires that come back."""
        wide = max(right[row[-1]] - left[row[0]] for row in divided)
        high = sum(max(spans[c][1] for c in row) - min(spans[c][0] for c in row) for row in divided)
        high += sum(gap_below(lines[row[-1]]) for row in divided[:-1])
        # Wires that come back are harder to follow: rows must be so much larger for them.
        back = max((lines[row[-1]] for row in divided[:-1]), default=0)
        return min(window[0] / max(wide, 1.0), window[1] / max(high, 1.0)) * WORTH**back

    if not left or right[-1] - left[0] <= widest:
        return whole, scale(whole)
    best, high, width = whole, right[-1] - left[0], widest
    while width < right[-1] - left[0]:
        tried = list(_filled(may, ends, width))
        if scale(tried) > scale(best):
            best, high = tried, width
        width *= WIDER
    # The least width with as many rows, so that they are about equally wide and the last one is not a stub.
    low = high / 2
    for _ in range(HALVINGS if len(best) > 1 else 0):
        middle = (low + high) / 2
        tried = list(_filled(may, ends, middle))
        if len(tried) > len(best):
            low = middle
            continue
        high = middle
        if scale(tried) >= scale(best):
            best = tried
    return best, scale(best)


def _divided(made: Columns) -> list[bool]:
    """Return for each column whether a row that ends after it would divide a frame."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for column, frames in zip(made.column, made.regions, strict=True):
        for frame in frames:
            first[frame] = min(first.get(frame, column), column)
            last[frame] = max(last.get(frame, column), column)
    # How many frames are open after a column: a frame of one column opens and closes there.
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
        # `stop` is the last place at which the row could end; without one the row goes on, however wide.
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
