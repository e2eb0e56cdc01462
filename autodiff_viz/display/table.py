"""Draw a table with a drawing as its middle column: names at the left, numbers and words at the right.

One unit of the vertical axis is one pixel, so text keeps its size however many rows there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.display.theme import (
    BAND,
    CHECKPOINT,
    CLEAR,
    EDGE,
    INDENT,
    STRIPE,
    axis,
    draw,
    heading,
    ink,
    top,
    width,
)

ROW, PART = 30, 25  # pixels of a row and of a row that belongs to another one
CHARACTER = 7.4  # pixels of an average character at size SMALL
MOST_ROWS = 160  # a page of about 5,000 pixels; longer tables show their two ends


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table.

    `label` and `words` are Plotly text; `hover` is the full text. Rows of the same thing share a `group`;
    every second group is tinted.
    """

    label: str
    words: str = ""
    hover: str = ""
    height: int = ROW
    group: int = 0


@dataclass(frozen=True, slots=True)
class Band:
    """A tint behind the rows from `first` to `last`; a band of greater `depth` lies inside another."""

    first: int
    last: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows with their places: `centres` and `edges` in pixels from the top of the table."""

    rows: tuple[Row, ...]
    edges: tuple[int, ...]
    centres: tuple[float, ...]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Rows:
        """Place the rows one below the other."""
        edges = tuple(accumulate((row.height for row in rows), initial=0))
        return cls(tuple(rows), edges, tuple((a + b) / 2 for a, b in pairwise(edges)))


def ends(items: Sequence[Any]) -> tuple[Sequence[Any], int]:
    """Return (the items to show, how many are left out of the middle)."""
    left_out = max(0, len(items) - MOST_ROWS)
    if not left_out:
        return items, 0
    half = MOST_ROWS // 2
    return (*items[:half], *items[-half:]), left_out


def table(
    rows: Rows,
    traces: Sequence[Mapping[str, Any]],
    *,
    title: str,
    under: Sequence[str],
    xaxis: Mapping[str, Any],
    key: str,
    bands: Sequence[Band] = (),
) -> go.Figure:
    """Draw rows with `traces` in the middle column, on the axes x and y2; `xaxis` needs a range."""
    left = _column([row.label for row in rows.rows]) + EDGE
    right = _column([row.words for row in rows.rows]) + 2 * EDGE
    bottom = 56 if xaxis.get("title") else 34 if xaxis.get("visible", True) else EDGE
    margin = {"l": left, "r": right, "t": top(under), "b": bottom, "pad": 0}
    length, under = rows.edges[-1], list(under)
    height = length + top(under) + bottom
    # Free and on the right-hand side of its place, an axis writes its labels flush with their left ends.
    names = {"anchor": "free", "position": 0, "side": "right", "shift": EDGE - left, "autoshift": False}
    layout = {
        "title": heading(title, under, height),
        "margin": margin,
        "height": height,
        "barmode": "overlay",
        "bargap": 0,
        "hovermode": "closest",
        "xaxis": dict(xaxis),
        "yaxis": _side(rows, [row.label for row in rows.rows], length, **names),
        "yaxis2": _side(
            rows, [f"{INDENT}{row.words}" for row in rows.rows], length, overlaying="y", side="right"
        ),
        "shapes": [box for band in bands for box in _band(band, rows, left, right)],
    }
    return draw([_stripes(rows, xaxis["range"]), *traces], layout, key)


def _column(texts: Sequence[str]) -> int:
    longest = max(map(width, texts), default=0)
    return round(CHARACTER * longest) + EDGE if longest else EDGE


def _side(rows: Rows, texts: Sequence[str], length: float, **settings: Any) -> dict[str, Any]:
    ticks = {
        "tickmode": "array",
        "tickvals": list(rows.centres),
        "ticktext": [ink(text) if text else "" for text in texts],
    }
    plain = {"showgrid": False, "zeroline": False, "fixedrange": True, "range": [length, 0]}
    # Without these two Plotly measures every label several times over: a second at 100 rows.
    quick = {"tickangle": 0, "ticklabeloverflow": "allow"}
    return axis(**ticks, **plain, **quick, **settings)


def _band(band: Band, rows: Rows, left: int, right: int) -> list[dict[str, Any]]:
    """Return a tint over names, drawing and words, with an edge at the left.

    There is a box per column, since a box is placed either in pixels from one point or in shares of the
    drawing.
    """
    inset = 3 + 9 * band.depth
    down = {"yref": "y", "y0": rows.edges[band.first], "y1": rows.edges[band.last + 1], "layer": "below"}
    box = {"type": "rect", "xref": "paper", "fillcolor": BAND, "line": {"width": 0}, **down}
    at_left = {"xsizemode": "pixel", "xanchor": 0, "x0": inset - left}
    return [
        {**box, **at_left, "x1": 0},
        {**box, "x0": 0, "x1": 1},
        {**box, "xsizemode": "pixel", "xanchor": 1, "x0": 0, "x1": right - 3},
        {**box, **at_left, "x1": inset - left + 4, "fillcolor": CHECKPOINT},
    ]


def _stripes(rows: Rows, ends: Sequence[float]) -> dict[str, Any]:
    """Return a bar behind each row: every second one is tinted, and all of them show the hover text."""
    return {
        "type": "bar",
        "orientation": "h",
        "base": ends[0],
        "x": [ends[1] - ends[0]] * len(rows.rows),
        "y": list(rows.centres),
        "width": [row.height for row in rows.rows],
        "marker": {"color": [STRIPE if row.group % 2 else CLEAR for row in rows.rows], "line": {"width": 0}},
        "hovertext": [ink(row.hover) for row in rows.rows],
        "hoverinfo": "text",
    }
