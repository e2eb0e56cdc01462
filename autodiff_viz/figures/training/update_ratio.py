"""Draw each parameter's update ratio: the size of the update over the size of the parameter."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.figures.style.plotly_text import coloured, counted, short
from autodiff_viz.figures.style.theme import (
    CHECKPOINT,
    COTANGENT,
    EDGE,
    LINE,
    NEUTRAL,
    RULE,
    SMALL,
    STOP,
    VALUE,
    axis,
    draw,
    ink,
    note,
    power,
)
from autodiff_viz.figures.training.progress import (
    BOTTOM,
    LEFT,
    RIGHT,
    Progress,
    columns,
    marks,
    own_marks,
    phase_rows,
    step_axis,
)
from autodiff_viz.graph.text.text_format import listed, scalar

HEIGHT, LEAST = 96, 64  # pixels of the panel, and at least
LOW = 194  # pixels of the figure that a low dock has room for
POINTS = 300  # of a line
MOST = 12  # parameters with a line
COLOURS = (VALUE, COTANGENT, CHECKPOINT, RULE)
DASHES = (("solid", "━"), ("dash", "╍"), ("dot", "┅"))
FLOOR = 0.1  # decades of space at the ends of the axis


def update_ratio_figure(progress: Progress) -> go.Figure:
    """Draw a line per parameter, each with its own colour and dash, on a logarithmic axis.

    Below the axis is 0, where a frozen parameter stays.
    """
    names = progress.records.parameters[:MOST]
    if not names:
        return note("There is no parameter.", "update ratio")
    ratios = progress.records.ratio[:, : len(names)].astype(float)
    known = ratios[np.isfinite(ratios) & (ratios > 0)]
    low = float(np.floor(np.log10(known.min()))) if known.size else -4.0
    high = float(max(np.ceil(np.log10(known.max())), low + 1)) if known.size else 0.0
    floor = 10.0 ** (low - 0.5)
    still = bool((ratios == 0).any())
    legend = _legend(names, ratios)
    head = 12 + LINE * (len(legend) + phase_rows(progress))
    shapes, marked = marks(progress)
    layout = {
        "height": head + max(LEAST, min(HEIGHT, LOW - head - BOTTOM)) + BOTTOM,
        "margin": {"l": LEFT, "r": RIGHT, "t": head, "b": BOTTOM, "pad": 0},
        "hovermode": "closest",
        "meta": own_marks(progress),
        "xaxis": step_axis(progress),
        "yaxis": _ratio_axis(low, high, floor, still),
        "shapes": shapes,
        "annotations": [*marked, _headline(legend, head)],
    }
    lines = [_line(i, name, ratios[:, i], floor) for i, name in enumerate(names)]
    return draw(lines, layout, f"update ratio {len(names)}")


def update_ratio_text(progress: Progress) -> str:
    """Describe the figure in one sentence, for screen readers."""
    names, last = progress.records.parameters, progress.records.ratio[-1]
    said = [f"{name} {scalar(ratio)}" for name, ratio in zip(names, last, strict=True)]
    return (
        f"A line chart of the size of each update over that of the parameter, over "
        f"{counted(progress.steps, 'step')}; in the last one {listed(said, 6)}."
    )


def _ratio_axis(low: float, high: float, floor: float, still: bool) -> dict[str, Any]:
    powers = np.arange(high, low - 1, -max(1, round((high - low) / 4)))
    values = [10.0**one for one in powers]
    texts = [power(10, int(one)) for one in powers]
    bottom = low - 0.75 if still else low - FLOOR
    shown = ([floor, *values], ["<b>0</b>", *texts]) if still else (values, texts)
    return axis(
        type="log", range=[bottom, high + FLOOR], tickvals=shown[0], ticktext=shown[1], zeroline=False
    )


def _look(index: int) -> tuple[str, tuple[str, str]]:
    return COLOURS[index % len(COLOURS)], DASHES[index // len(COLOURS) % len(DASHES)]


def _line(index: int, name: str, ratio: np.ndarray, floor: float) -> dict[str, Any]:
    at = np.unique(np.append(columns(len(ratio), POINTS), len(ratio) - 1))
    colour, (dash, _) = _look(index)
    found = ratio[at]
    return {
        "type": "scatter",
        "mode": "lines" if len(ratio) > 1 else "markers",
        "name": short(name),
        "x": at,
        "y": np.where(np.isfinite(found), np.where(found > 0, found, floor), np.nan),
        "customdata": np.where(np.isfinite(found), found, np.nan),
        "line": {"color": colour, "width": 2.5, "dash": dash},
        "marker": {"color": colour, "size": 9},
        "hovertemplate": f"{short(name)}<br>step %{{x}}<br>update / size %{{customdata:.3g}}<extra></extra>",
    }


def _legend(names: tuple[str, ...], ratios: np.ndarray) -> list[str]:
    """Return the parameters with their last ratio, three to a line."""
    parts = []
    for i, name in enumerate(names):
        colour, (_, sign) = _look(i)
        last = ratios[-1, i]
        word = coloured("still", NEUTRAL) if last == 0 else scalar(last, 3)
        word = word if np.isfinite(last) else coloured(scalar(last), STOP)
        parts.append(f"{coloured(sign, colour)} {short(name, 10)} {word}")
    lines = ["   ".join(parts[i : i + 3]) for i in range(0, len(parts), 3)]
    return ["<b>Size of the update / size of the parameter</b>", *lines]


def _headline(legend: list[str], head: int) -> dict[str, Any]:
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xshift": EDGE - LEFT, "yshift": head - 6}
    anchors = {"xanchor": "left", "yanchor": "top", "align": "left", "showarrow": False}
    return {"text": ink("<br>".join(legend)), "font": {"size": SMALL}, **place, **anchors}
