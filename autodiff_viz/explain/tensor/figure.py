"""Draw a whole tensor: heat-maps of value and cotangents, and histograms of their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, isqrt, prod
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.colours import faded
from autodiff_viz.display.heatmap import INKS
from autodiff_viz.display.theme import (
    COTANGENT,
    EDGE,
    FAINT,
    LINE,
    NEUTRAL,
    SMALL,
    STOP,
    VALUE,
    axis,
    coloured,
    draw,
    hidden_axis,
    ink,
    of_sign,
    plain,
)
from autodiff_viz.explain.tensor.view import Part
from autodiff_viz.graph.text import counted, listed, scalar
from autodiff_viz.ops.misfits import Shape

# A tensor of any rank on a two-dimensional sheet. A matrix is its own sheet. Images [batch, height, width,
# channels] form a grid, with a row for each item of the batch and a column for each channel; convolution
# kernels have a row per input and a column per output channel.

MOST = 9_216  # cells of a sheet
GAP = -1  # index of a cell between tiles


class Sheet(NamedTuple):
    """Layout of a tensor on a sheet.

    `cells` holds the index of each element in the flattened tensor, `GAP` between tiles; `says` describes
    rows, columns and omissions.
    """

    cells: np.ndarray
    says: str


def sheet(shape: Shape, kernels: bool = False, most: int = MOST) -> Sheet:
    """Return the sheet of a tensor of this shape, with at most about `most` cells."""
    places = np.arange(prod(shape)).reshape(shape)
    if len(shape) < 3:
        return _matrix(np.atleast_2d(places), most)
    tiles, says = _tiles(places, kernels)
    rows = tiles.shape[0]
    kept = min(rows, max(1, most // prod(tiles.shape[1:])))
    step = max(1, ceil((prod(tiles.shape[1:]) / most) ** 0.5))
    even = np.arange(kept) * rows // kept  # so many rows, evenly spread
    shown = tiles[even][:, :, ::step, ::step]
    left_out = [f"{kept} of {rows} rows of tiles"] if kept < rows else []
    left_out += [f"{_every(step)} row and column of each"] if step > 1 else []
    return Sheet(_side_by_side(shown), "; ".join([says, *left_out]))


def _matrix(places: np.ndarray, most: int) -> Sheet:
    """Return the sheet of a matrix, thinned on the longer side first: a row of a hundred is no sample."""
    rows, columns = places.shape
    down = max(1, ceil(rows / max(1, most // min(columns, isqrt(most)))))
    across = max(1, ceil(columns / max(1, most // min(rows, isqrt(most)))))
    parts = [f"{_every(n)} {what}" for n, what in ((down, "row"), (across, "column")) if n > 1]
    return Sheet(places[::down, ::across], listed(parts))


def _every(step: int) -> str:
    return {1: "every", 2: "every second", 3: "every third"}.get(step, f"every {step}th")


def _tiles(places: np.ndarray, kernels: bool) -> tuple[np.ndarray, str]:
    """Return [rows, columns, height, width] tiles of a tensor with at least three axes, and a description."""
    shape = places.shape
    if len(shape) == 3:
        # About as many rows as columns in cells: the sheet is nearly square.
        columns = max(1, min(shape[0], round((shape[0] * shape[1] / shape[2]) ** 0.5)))
        rows = ceil(shape[0] / columns)
        tiles = np.full((rows * columns, *shape[1:]), GAP)
        tiles[: shape[0]] = places
        return tiles.reshape(rows, columns, *shape[1:]), f"{shape[0]} slices, row by row"
    if kernels and len(shape) == 4:
        description = f"rows: {shape[2]} channels in, columns: {shape[3]} out"
        return places.transpose(2, 3, 0, 1), description
    images = places.reshape(-1, *shape[-3:])
    description = f"rows: {counted(images.shape[0], 'image')}, columns: {counted(shape[-1], 'channel')}"
    return images.transpose(0, 3, 1, 2), description


def _side_by_side(tiles: np.ndarray) -> np.ndarray:
    """Place tiles side by side, with a gap of one cell between them."""
    rows, columns, height, width = tiles.shape
    cells = np.full((rows * (height + 1) - 1, columns * (width + 1) - 1), GAP)
    for i in range(rows):
        for j in range(columns):
            cells[i * (height + 1) :, j * (width + 1) :][:height, :width] = tiles[i, j]
    return cells


# Heat-maps and histograms of the parts

WORDS = {"value": ("blue", "grey"), "cotangent": ("orange", "teal")}
"""Colours of positive and of negative numbers, by kind of tensor."""
COLOURS = {"value": VALUE, "cotangent": COTANGENT}
WIDTH = 400  # pixels; assumed width, from which the height follows
LEAST, TALLEST = 34, 300  # pixels of a heat-map
HEAD = 30  # pixels for the line over it
FAINTEST = 0.1  # share of the shared scale below which a part gets its own
NAMED = 1024  # cells; with more, the hover text has no index
BINS, BARS, FOOT = 31, 90, 26  # of a histogram; pixels of its height and of its axis


def heatmaps(parts: Sequence[Part], key: str) -> go.Figure:
    """Draw a heat-map for each part, one below the other, on scales that are symmetric around 0.

    Cotangents share one scale, except those that would be too faint on it, which have their own.
    """
    tops = _tops(parts)
    sheets = [sheet(part.array.shape, part.kernels) for part in parts]
    # As high as square cells need, if that is neither too low to see nor too high for the page.
    shapes = [one.cells.shape for one in sheets]
    heights = [min(max(WIDTH * rows / columns, LEAST), TALLEST) for rows, columns in shapes]
    heads = [HEAD + LINE + (LINE if one.says else 0) for one in sheets]
    total = sum(heights) + sum(heads) + EDGE
    traces, layout, at = [], {}, 0
    for i, (part, one, head, height) in enumerate(zip(parts, sheets, heads, heights, strict=True), 1):
        at += head
        domain = [1 - (at + height) / total, 1 - at / total]
        at += height
        traces += _heatmap(part, one.cells, tops[i - 1], i)
        layout |= _axes(i, domain, one.cells.shape)
        layout.setdefault("annotations", []).append(_title(part, one.says, tops[i - 1], domain[1]))
    margin = {"l": EDGE, "r": EDGE, "t": 0, "b": 0, "pad": 0}
    return draw(traces, {**layout, "height": total, "margin": margin}, f"heat {key}")


def _tops(parts: Sequence[Part]) -> list[float]:
    """Return, by part, the number that has the strongest shade."""
    shared = {kind: top([part.array for part in parts if part.kind == kind]) for kind in INKS}
    own = [top([part.array]) for part in parts]
    return [
        size if 0 < size < FAINTEST * shared[part.kind] else shared[part.kind]
        for part, size in zip(parts, own, strict=True)
    ]


def top(arrays: Sequence[np.ndarray]) -> float:
    """Return the largest absolute value of all finite numbers; 0 if there is none."""
    sizes = [np.abs(array[np.isfinite(array)]) for array in arrays]
    return max((float(size.max()) for size in sizes if size.size), default=0.0)


def _heatmap(part: Part, cells: np.ndarray, most: float, i: int) -> list[dict[str, Any]]:
    flat = np.asarray(part.array, np.float64).ravel()
    z = np.where(cells == GAP, np.nan, flat[cells])
    is_wide = part.array.dtype == np.float64  # other numbers take half as much in the page
    own = {"xaxis": f"x{i}", "yaxis": f"y{i}"}
    named = cells.size <= NAMED
    words = {"text": _indices(cells, part.array.shape)} if named else {}
    trace = {
        "type": "heatmap",
        "z": np.where(np.isfinite(z), z, np.nan).astype(np.float64 if is_wide else np.float32),
        "zmin": -(most or 1),
        "zmax": most or 1,
        "colorscale": _scale(part.kind),
        "showscale": False,
        "hovertemplate": f"{'%{text} ' if named else ''}%{{z:.6g}}<extra></extra>",
        "xgap": 1 if cells.size <= 256 else 0,
        "ygap": 1 if cells.size <= 256 else 0,
        **words,
        **own,
    }
    return [trace, *_non_finite_marks(z, cells, own)]


def _non_finite_marks(z: np.ndarray, cells: np.ndarray, own: dict[str, str]) -> list[dict[str, Any]]:
    """Return marks on the numbers that are not finite."""
    marks = []
    tests = (
        ("x", "NaN", np.isnan(z)),
        ("triangle-up", "\u221e", z == np.inf),
        ("triangle-down", "\u2212\u221e", z == -np.inf),
    )
    for symbol, name, where in tests:
        rows, columns = np.nonzero(where & (cells != GAP))
        if rows.size:
            marker = {"symbol": symbol, "color": STOP, "size": 8}
            points = {"type": "scatter", "mode": "markers", "x": columns, "y": rows, "marker": marker}
            marks.append({**points, "hovertemplate": f"{name}<extra></extra>", **own})
    return marks


def _indices(cells: np.ndarray, shape: tuple[int, ...]) -> list[list[str]]:
    """Return the index of each element as text, such as "[0, 3]"; that of a scalar is "[]"."""
    if not shape:
        return [["[]"]]
    at = np.stack(
        np.unravel_index(np.maximum(cells, 0), shape), axis=-1
    )  # a gap, which is not drawn, has the first
    return [[str(list(map(int, index))) for index in row] for row in at]


def _scale(kind: str) -> list[list[Any]]:
    """Return a colour scale from the strongest negative shade over none to the strongest positive one."""
    plus, minus = INKS[kind]
    steps = [i / 4 for i in range(5)]
    below = [[0.5 - step / 2, _shade(minus, step)] for step in reversed(steps)]
    return [*below, *([0.5 + step / 2, _shade(plus, step)] for step in steps)]


def _shade(colour: str, share: float) -> str:
    return faded(colour, round(share**0.8, 3))


def _axes(i: int, domain: list[float], shape: tuple[int, int]) -> dict[str, Any]:
    rows, columns = shape
    frame = {"showline": True, "mirror": True, "linecolor": FAINT, "showgrid": False, "zeroline": False}
    still = {"showticklabels": False, "fixedrange": True, "constrain": "domain", **frame}
    across = axis(**still, range=[-0.5, columns - 0.5], anchor=f"y{i}", constraintoward="left")
    square = {"scaleanchor": f"x{i}"} if rows > 1 and columns > 1 else {}
    down = {"range": [rows - 0.5, -0.5], "anchor": f"x{i}", "domain": domain, "constraintoward": "top"}
    return {_name("xaxis", i): across, _name("yaxis", i): axis(**{**still, **down, **square})}


def _name(axis_of: str, i: int) -> str:
    return axis_of if i == 1 else f"{axis_of}{i}"


def _title(part: Part, says: str, most: float, at: float) -> dict[str, Any]:
    plus, minus = WORDS[part.kind]
    scale = "all 0" if most == 0 else f"{plus} to {scalar(most, 3)}, {minus} to {scalar(-most, 3)}"
    name = coloured(f"<b>{plain(part.label)}</b>", COLOURS[part.kind])
    return _line("<br>".join(filter(None, (f"{name} {list(part.array.shape)}", scale, says))), at)


def _line(text: str, at: float) -> dict[str, Any]:
    style = {"font": {"size": SMALL}, "showarrow": False, "align": "left"}
    across = {"xref": "paper", "x": 0, "xanchor": "left"}
    down = {"yref": "paper", "y": at, "yanchor": "bottom", "yshift": 3}
    return {"text": ink(text), **style, **across, **down}


def histograms(parts: Sequence[Part], key: str) -> go.Figure:
    """Draw a histogram of the numbers of each part. All cotangents share one horizontal axis."""
    ends = {kind: top([part.array for part in parts if part.kind == kind]) or 1.0 for kind in INKS}
    total = len(parts) * (HEAD + BARS + FOOT)
    traces, layout = [], {"annotations": []}
    for i, part in enumerate(parts, 1):
        high = 1 - (HEAD + (i - 1) * (HEAD + BARS + FOOT)) / total
        reach = 1.02 * ends[part.kind]
        across = axis(anchor=f"y{i}", range=[-reach, reach], nticks=5, fixedrange=True, zerolinecolor=NEUTRAL)
        down = hidden_axis(anchor=f"x{i}", domain=[high - BARS / total, high], rangemode="tozero")
        layout |= {_name("xaxis", i): across, _name("yaxis", i): down}
        name = coloured(f"<b>{plain(part.label)}</b>", COLOURS[part.kind])
        broken = int((~np.isfinite(part.array)).sum())
        left_out = f", {broken} not finite" if broken else ""
        layout["annotations"].append(_line(f"{name}: {counted(part.array.size, 'number')}{left_out}", high))
        traces.append(_bars(part, ends[part.kind], i))
    margin = {"l": EDGE, "r": EDGE, "t": 0, "b": 0, "pad": 0}
    return draw(traces, {**layout, "height": total, "margin": margin, "bargap": 0}, f"spread {key}")


def _bars(part: Part, end: float, i: int) -> dict[str, Any]:
    counts, edges = np.histogram(part.array[np.isfinite(part.array)], BINS, (-end, end))
    middles = (edges[1:] + edges[:-1]) / 2
    hover = [f"{scalar(a)} to {scalar(b)}: {n}" for (a, b), n in zip(pairwise(edges), counts, strict=True)]
    return {
        "type": "bar",
        "x": middles,
        "y": counts,
        "width": np.diff(edges),
        "marker": {"color": [of_sign(at, COLOURS[part.kind]) for at in middles], "line": {"width": 0}},
        "hovertext": hover,
        "hoverinfo": "text",
        "xaxis": f"x{i}",
        "yaxis": f"y{i}",
    }
