"""Draw the Jacobian of the output: a heat-map, with its numbers where they have room."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.heatmap import INKS
from autodiff_viz.display.theme import EDGE, SMALL, axis, draw, heading, ink, note, plain, short, top
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.jacobian.compute import FullJacobian, jacobian
from autodiff_viz.graph.text import counted, listed, scalar

WRITTEN = (12, 8)  # rows and columns up to which the numbers are written
TICKS = 24  # rows, or columns, up to which each has its name
CELL, LEAST, TALLEST, LOW = 34, 60, 320, 226  # pixels of a row, of the drawing, and of a low figure
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
    found = jacobian(trace, by)
    rows, columns = found.rows.shape
    title, under = _title(found), [plain(found.sentence), *_determinant(found)]
    names = _names(found.of, found.shapes[0]), _columns(found)
    left = LEFT + LETTER * max(map(len, names[0])) if rows <= TICKS else LEFT
    height = LOW if low else top(under) + min(max(CELL * rows, LEAST), TALLEST) + BOTTOM
    layout = {
        **({} if low else {"title": heading(title, under, height)}),
        "height": height,
        "margin": {"l": left, "r": 2 * EDGE, "t": EDGE if low else top(under), "b": BOTTOM, "pad": 4},
        "hovermode": "closest",
        "xaxis": _axis(names[1], columns),
        "yaxis": _axis(names[0], rows) | {"autorange": "reversed"},
        **(
            {"meta": {"told": "".join(f"<p>{one}</p>" for one in (f"<b>{title}</b>", *under))}} if low else {}
        ),
    }
    return draw([_heatmap(found, names), *_numbers(found)], layout, f"jacobian {found.of} {found.by} {low}")


def jacobian_text(trace: Trace, name: str | None) -> str:
    """Describe the figure in one sentence, for screen readers."""
    by = _by(trace, name)
    if by is None and not trace.inputs:
        return NONE
    found = jacobian(trace, by)
    rows, columns = found.rows.shape
    size = f"{counted(rows, 'row')} and {counted(columns, 'column')}"
    said = f"A heat-map of the Jacobian of {found.of} by {listed(found.by, 3)}, {size}"
    return f"{said}: {found.sentence[0].lower()}{found.sentence[1:]}"


def _by(trace: Trace, name: str | None) -> str | None:
    """Return the node to differentiate by; None, for all inputs, where the output itself is selected."""
    return None if name == trace.output or name not in trace.graph else name


def _title(found: FullJacobian) -> str:
    rows, columns = found.rows.shape
    by = (
        short(found.by[0])
        if len(found.by) == 1
        else f"({', '.join(short(name) for name in found.by[:3])}" + (", …)" if len(found.by) > 3 else ")")
    )
    return f"d {short(found.of)} / d {by}: {rows:,} × {columns:,}"


def _determinant(found: FullJacobian) -> list[str]:
    known = found.rows.size > 1 and found.determinant is not None
    return [f"determinant <b>{scalar(found.determinant or 0.0)}</b>"] if known else []


def _names(name: str, shape: tuple[int, ...]) -> list[str]:
    """Return a name for each element."""
    if not shape:
        return [short(name, 10)]
    return [f"{short(name, 10)}{list(index)}".replace(" ", "") for index in np.ndindex(shape)]


def _columns(found: FullJacobian) -> list[str]:
    return [
        one for name, shape in zip(found.by, found.shapes[1:], strict=True) for one in _names(name, shape)
    ]


def _axis(names: list[str], count: int) -> dict[str, object]:
    shown = (
        {"tickvals": list(range(count)), "ticktext": [ink(name) for name in names]} if count <= TICKS else {}
    )
    return axis(showgrid=False, zeroline=False, tickangle=0, range=[-0.5, count - 0.5], **shown)


def _heatmap(found: FullJacobian, names: tuple[list[str], list[str]]) -> dict[str, object]:
    matrix = found.rows.astype(np.float64)
    rows, columns = matrix.shape
    z = np.where(np.isfinite(matrix), matrix, np.nan)
    most = float(np.nanmax(np.abs(z), initial=0.0)) or 1.0
    written = _is_written(found)
    hover = [
        [f"d {of} / d {by} = {scalar(x, 6)}" for by, x in zip(names[1], row, strict=True)]
        for of, row in zip(names[0], matrix, strict=True)
    ]
    warm, cold = ("rgba({},{},{},0.6)".format(*colour) for colour in INKS["cotangent"])  # text stays legible
    return {
        "type": "heatmap",
        "z": z,
        "zmin": -most,
        "zmax": most,
        "colorscale": [[0, cold], [0.5, "rgba(128,134,146,0.06)"], [1, warm]],
        "showscale": False,
        "xgap": 2 if written else 0,
        "ygap": 2 if written else 0,
        "hovertext": hover if rows * columns <= 4096 else None,
        "hoverinfo": "text",
    }


def _is_written(found: FullJacobian) -> bool:
    """Return whether there is room for the numbers."""
    rows, columns = found.rows.shape
    return rows <= WRITTEN[0] and columns <= WRITTEN[1]


def _numbers(found: FullJacobian) -> list[dict[str, object]]:
    """Write the numbers on the cells, in the page's own ink: a heat-map's text is dark on a dark page too."""
    if not _is_written(found):
        return []
    down, across = np.indices(found.rows.shape).reshape(2, -1).tolist()
    return [
        {
            "type": "scatter",
            "mode": "text",
            "x": across,
            "y": down,
            "text": [ink(scalar(x)) for x in found.rows.ravel()],
            "textfont": {"size": SMALL + 1},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]
