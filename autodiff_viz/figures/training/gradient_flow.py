"""Draw the norm of each node's arriving cotangent in each training step, as a heat-map by powers of ten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.figures.style.plotly_text import coloured, counted, short, width
from autodiff_viz.figures.style.table import CHARACTER
from autodiff_viz.figures.style.theme import EDGE, LINE, NEUTRAL, SMALL, STOP, axis, draw, ink, note, power
from autodiff_viz.figures.training.progress import (
    BOTTOM,
    RIGHT,
    Progress,
    columns,
    invitation,
    marks,
    own_marks,
    phase_rows,
    step_axis,
)
from autodiff_viz.graph.text.text_format import listed, scalar

ROW = 22  # pixels
LOW, FOOT, LEAST = 192, 24, 12  # pixels of a low figure, of its foot, and of a row of it at least
TINY = 13  # pixels of names in low rows
MOST = 60  # nodes
COLUMNS = 120
BAR = 78  # pixels at the right of the colours' key
NOTHING, BAD = "0", "not finite"


@dataclass(frozen=True, eq=False)
class Flow:
    """Cells of the heat-map.

    `sizes` has the largest norm over the steps of each cell, 0 where all are 0, NaN where one is not finite.
    `starts` are the first steps of the columns.
    """

    names: tuple[str, ...]
    starts: np.ndarray
    step: int
    sizes: np.ndarray
    left_out: int


def gradient_flow_figure(progress: Progress, low: bool = False) -> go.Figure:
    """Draw coloured cells on a logarithmic scale.

    A line with 0 on it marks a cotangent of zero; a red line with words marks one that is not finite.

    Args:
      low: of a place that is wide and low: rows are as high as their names, if all then have room.
    """
    flow = flow_of(progress)
    if not flow.names:
        return note("Nothing arrives anywhere: no gradient has been worked out.", "gradient flow")
    shapes, names = marks(progress)
    rows, head = len(flow.names), 12 + LINE * ((1 if low else 2) + phase_rows(progress))
    foot = FOOT if low else BOTTOM
    row = max(LEAST, min(ROW, (LOW - head - foot) / rows)) if low else ROW
    labels = [short(name) for name in flow.names]
    left = int(EDGE + CHARACTER * max(4, *(width(label) for label in labels)) + 8)
    layout = {
        "height": int(head + row * rows + foot),
        "margin": {"l": left, "r": RIGHT + BAR, "t": head, "b": foot, "pad": 0},
        "hovermode": "closest",
        "meta": own_marks(progress),
        "xaxis": step_axis(progress, showgrid=False) | ({"title": None} if low else {}),
        "yaxis": axis(
            range=[rows - 0.5, -0.5],
            tickvals=list(range(rows)),
            ticktext=[ink(label) for label in labels],
            tickfont={"size": TINY if row < SMALL + 2 else SMALL},
            showgrid=False,
            zeroline=False,
        ),
        "shapes": shapes,
        "annotations": [
            *names,
            *_words(flow),
            _explanation(flow, left, head, low),
            *invitation(progress),
        ],
    }
    return draw([_cells(flow), *_lines(flow)], layout, f"gradient flow {rows}")


def gradient_flow_text(progress: Progress) -> str:
    """Describe the figure in one sentence, for screen readers."""
    flow = flow_of(progress)
    if not flow.names:
        return "A heat-map of gradients, without nodes."
    last = [f"{name} {scalar(size)}" for name, size in zip(flow.names, flow.sizes[:, -1], strict=True)]
    return (
        f"A heat-map of the norm of what arrives at {counted(len(flow.names), 'node')} over "
        f"{counted(progress.steps, 'step')}; in the last one {listed(last, 6)}."
    )


def flow_of(progress: Progress) -> Flow:
    """Return the cells of `progress.nodes`, in at most `COLUMNS` columns."""
    records = progress.records
    place = {name: i for i, name in enumerate(records.nodes)}
    names = tuple(name for name in progress.nodes if name in place)
    shown = names if len(names) <= MOST else (*names[: MOST // 2], *names[-MOST // 2 :])
    starts = columns(len(records), COLUMNS)
    step = int(starts[1] - starts[0]) if len(starts) > 1 else 1
    norms = records.cotangent[:, [place[name] for name in shown]]
    norms = norms.astype(np.float64 if norms.dtype == np.float64 else np.float32)  # half as much in the page
    cells = [_cell(norms[start : start + step]) for start in starts]
    sizes = np.stack(cells, axis=1) if cells else np.zeros((len(shown), 0))
    return Flow(shown, starts, step, sizes, len(names) - len(shown))


def _cell(norms: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(norms).all(axis=0), np.max(norms, axis=0), np.nan)


def _cells(flow: Flow) -> dict[str, Any]:
    with np.errstate(divide="ignore"):
        powers = np.where(flow.sizes > 0, np.log10(flow.sizes), np.nan)
    known = powers[np.isfinite(powers)]
    low, high = (np.floor(known.min()), np.ceil(known.max())) if known.size else (-1.0, 0.0)
    low, high = float(low), float(max(high, low + 1))
    ticks = np.arange(high, low - 1, -max(1, round((high - low) / 4))).tolist()
    return {
        "type": "heatmap",
        "x": flow.starts + flow.step / 2 - 0.5,
        "y": list(range(len(flow.names))),
        "z": powers,
        "customdata": flow.sizes,
        "zmin": low,
        "zmax": high,
        "colorscale": "Cividis",
        "ygap": 2,
        "hoverongaps": False,
        "hovertemplate": "step %{x:.0f}<br>%{customdata:.3g} arrives<extra></extra>",
        "colorbar": {
            "thickness": 12,
            "outlinewidth": 0,
            "x": 1,
            "xpad": 8,
            "tickvals": ticks,
            "ticktext": [ink(power(10, int(tick))) for tick in ticks],
            "tickfont": {"size": SMALL},
        },
    }


def _stretches(flow: Flow) -> Iterator[tuple[int, str, float, float]]:
    """Yield (row, kind, first step, last step) for neighbouring cells without a colour."""
    for row, sizes in enumerate(flow.sizes):
        kinds = [BAD if np.isnan(size) else NOTHING if size == 0 else "" for size in sizes]
        for kind, group in groupby(range(len(kinds)), key=kinds.__getitem__):
            at = list(group)
            if kind:
                yield row, kind, float(flow.starts[at[0]]) - 0.5, float(flow.starts[at[-1]]) + flow.step - 0.5


def _lines(flow: Flow) -> list[dict[str, Any]]:
    found = []
    for kind, colour, dash in ((NOTHING, NEUTRAL, "dot"), (BAD, STOP, "solid")):
        x: list[float | None] = []
        y: list[float | None] = []
        for row, what, first, last in _stretches(flow):
            if what == kind:
                x, y = [*x, first, last, None], [*y, row, row, None]
        line = {"color": colour, "width": 2, "dash": dash}
        look = {"type": "scatter", "mode": "lines", "name": kind, "line": line, "hoverinfo": "skip"}
        found += [{**look, "x": x, "y": y}] if x else []
    return found


def _words(flow: Flow) -> list[dict[str, Any]]:
    """Return the annotation "0" or "not finite" for each line."""
    return [
        {
            "text": coloured(f"<b>{kind}</b>", NEUTRAL if kind == NOTHING else STOP),
            "font": {"size": SMALL},
            "showarrow": False,
            "x": (first + last) / 2,
            "y": row,
            "yshift": 1,
        }
        for row, kind, first, last in list(_stretches(flow))[: 2 * MOST]
    ]


def _explanation(flow: Flow, left: int, head: int, low: bool) -> dict[str, Any]:
    kinds = {kind for _, kind, _, _ in _stretches(flow)} if low else {NOTHING, BAD}
    text = "<b>Norm of what arrives</b>" + (", by step   " if low else "<br>")
    text += f"{coloured('┄ 0', NEUTRAL)} nothing   " if NOTHING in kinds else ""
    text += coloured("━ " + BAD, STOP) if BAD in kinds else ""
    if flow.left_out:
        text += f"   {counted(flow.left_out, 'node')} in the middle left out"
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xshift": EDGE - left, "yshift": head - 6}
    anchors = {"xanchor": "left", "yanchor": "top", "align": "left", "showarrow": False}
    return {"text": ink(text), "font": {"size": SMALL}, **place, **anchors}
