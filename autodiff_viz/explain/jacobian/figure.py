"""Draw the Jacobian of the output: a heat-map, with its numbers where they have room."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.colours import faded
from autodiff_viz.display.heatmap import INKS
from autodiff_viz.display.theme import (
    EDGE,
    LOW,
    NEUTRAL,
    SMALL,
    axis,
    draw,
    heading,
    ink,
    note,
    plain,
    short,
    top,
)
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.jacobian.compute import FullJacobian, jacobian
from autodiff_viz.graph.text import counted, listed, scalar

WRITTEN = (12, 8)  # rows and columns up to which the numbers are written
TICKS = 24  # rows, or columns, up to which each has its name
CELL, LEAST, TALLEST = 34, 60, 320  # pixels of a row, and of the drawing
LEFT, BOTTOM, LETTER = 30, 44, 7.6  # pixels of margins, and of a letter
NONE = "A Jacobian needs an input; this graph has none."


def jacobian_figure(trace: Trace, name: str | None, low: bool = False) -> go.Figure:
    """Draw the Jacobian of the output by the selected node, else by all inputs.

    A row is one element of the output, which takes one backward sweep; a column one element of what it is
    differentiated by, which takes one forward sweep. Orange is positive, teal negative, as for cotangents.
    """
    by = _by(trace, name)
    if by is None and not trace.inputs:
        return note(NONE, "jacobian")
    matrix = jacobian(trace, by)
    if matrix.rows.size == 1:
        return note(one_number(matrix), "jacobian")
    rows, columns = matrix.rows.shape
    moved = short(matrix.by[0])
    if len(matrix.by) > 1:
        end = ", …)" if len(matrix.by) > 3 else ")"
        moved = f"({', '.join(short(name) for name in matrix.by[:3])}{end}"
    title = f"d {short(matrix.of)} / d {moved}: {rows:,} × {columns:,}"
    under = [plain(matrix.sentence)]
    if matrix.rows.size > 1 and matrix.determinant is not None:
        under.append(f"determinant <b>{scalar(matrix.determinant)}</b>")
    blocks = zip(matrix.by, matrix.shapes[1:], strict=True)
    names = (
        _names(matrix.of, matrix.shapes[0]),
        [name for node, shape in blocks for name in _names(node, shape)],
    )
    left = LEFT + LETTER * max(map(len, names[0])) if rows <= TICKS else LEFT
    height = LOW if low else top(under) + min(max(CELL * rows, LEAST), TALLEST) + BOTTOM
    # A low figure has no room for words: the page shows them beside it.
    words = "".join(f"<p>{one}</p>" for one in (f"<b>{title}</b>", *under))
    layout = {
        **({} if low else {"title": heading(title, under, height)}),
        "height": height,
        "margin": {"l": left, "r": 2 * EDGE, "t": EDGE if low else top(under), "b": BOTTOM, "pad": 4},
        "hovermode": "closest",
        "xaxis": _axis(names[1], columns),
        "yaxis": _axis(names[0], rows) | {"autorange": "reversed"},
        **({"meta": {"told": words}} if low else {}),
    }
    return draw(
        [_heatmap(matrix, names), *_numbers(matrix)], layout, f"jacobian {matrix.of} {matrix.by} {low}"
    )


def one_number(matrix: FullJacobian) -> str:
    """Say the derivative of one number by one number, of which a table would be a single cell."""
    slope = f"d {short(matrix.of)} / d {short(matrix.by[0])} = <b>{scalar(matrix.rows.item())}</b>"
    return f"{slope}<br>One number by one number: the Jacobian is the derivative itself."


def jacobian_text(trace: Trace, name: str | None) -> str:
    """Describe the figure in one sentence, for screen readers."""
    by = _by(trace, name)
    if by is None and not trace.inputs:
        return NONE
    matrix = jacobian(trace, by)
    rows, columns = matrix.rows.shape
    size = f"{counted(rows, 'row')} and {counted(columns, 'column')}"
    what = f"A heat-map of the Jacobian of {matrix.of} by {listed(matrix.by, 3)}, {size}"
    return f"{what}: {matrix.sentence[0].lower()}{matrix.sentence[1:]}"


def _by(trace: Trace, name: str | None) -> str | None:
    """Return the node to differentiate by; None, for all inputs, where the output itself is selected."""
    return None if name == trace.output or name not in trace.graph else name


def _names(name: str, shape: tuple[int, ...]) -> list[str]:
    """Return a name for each element."""
    if not shape:
        return [short(name, 10)]
    return [f"{short(name, 10)}{list(index)}".replace(" ", "") for index in np.ndindex(shape)]


def _axis(names: list[str], count: int) -> dict[str, object]:
    shown = (
        {"tickvals": list(range(count)), "ticktext": [ink(name) for name in names]} if count <= TICKS else {}
    )
    return axis(showgrid=False, zeroline=False, tickangle=0, range=[-0.5, count - 0.5], **shown)


def _heatmap(matrix: FullJacobian, names: tuple[list[str], list[str]]) -> dict[str, object]:
    numbers = matrix.rows.astype(np.float64)
    rows, columns = numbers.shape
    z = np.where(np.isfinite(numbers), numbers, np.nan)
    most = float(np.nanmax(np.abs(z), initial=0.0)) or 1.0
    written = _is_written(matrix)
    hover = [
        [f"d {of} / d {by} = {scalar(x, 6)}" for by, x in zip(names[1], row, strict=True)]
        for of, row in zip(names[0], numbers, strict=True)
    ]
    warm, cold = (faded(colour, 0.6) for colour in INKS["cotangent"])  # text stays legible
    return {
        "type": "heatmap",
        "z": z,
        "zmin": -most,
        "zmax": most,
        "colorscale": [[0, cold], [0.5, faded(NEUTRAL, 0.06)], [1, warm]],
        "showscale": False,
        "xgap": 2 if written else 0,
        "ygap": 2 if written else 0,
        "hovertext": hover if rows * columns <= 4096 else None,
        "hoverinfo": "text",
    }


def _is_written(matrix: FullJacobian) -> bool:
    """Return whether there is room for the numbers."""
    rows, columns = matrix.rows.shape
    return rows <= WRITTEN[0] and columns <= WRITTEN[1]


def _numbers(matrix: FullJacobian) -> list[dict[str, object]]:
    """Write the numbers on the cells, in the page's own ink: a heat-map's text is dark on a dark page too."""
    if not _is_written(matrix):
        return []
    down, across = np.indices(matrix.rows.shape).reshape(2, -1).tolist()
    return [
        {
            "type": "scatter",
            "mode": "text",
            "x": across,
            "y": down,
            "text": [ink(scalar(x)) for x in matrix.rows.ravel()],
            "textfont": {"size": SMALL + 1},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]
