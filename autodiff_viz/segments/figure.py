"""Draw the segments of a graph: sizes of what they pass back, and the loss of a training in three ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.table import PART, ROW, Row, Rows, ends, table
from autodiff_viz.display.theme import (
    COTANGENT,
    EDGE,
    LINE,
    NEUTRAL,
    SMALL,
    STOP,
    VALUE,
    axis,
    coloured,
    draw,
    ink,
    plain,
    scale_for,
    short,
    square,
)
from autodiff_viz.explain.explanation import Chart
from autodiff_viz.explain.jacobian.compute import Jacobian
from autodiff_viz.graph.text import counted, listed, scalar
from autodiff_viz.segments.compute import Curves, Division, Link

# The sizes of cotangents that segments pass back, beside the sizes of their Jacobians.


MARKS = f"{square(COTANGENT)} cotangent that arrives, {coloured('▨', NEUTRAL)} Jacobian, in elements"
ROOM = 10  # characters of a name


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: a cotangent or a Jacobian."""

    row: Row
    elements: int
    jacobian: bool


def sizes_figure(found: Division) -> go.Figure:
    """Draw, for each segment, a bar for the cotangent that it receives and one for each of its Jacobians.

    Cotangents are solid orange, Jacobians hatched grey. The axis is logarithmic where sizes differ much.
    """
    bars, left_out = ends(list(_bars(found)))
    scale = scale_for(bar.elements for bar in bars)
    rows = Rows.of([bar.row for bar in bars])
    handed = sum(_handed(link) for link in found.links[:-1])  # the last segment is handed the seed
    whole = sum(jacobian.elements for link in found.links for jacobian in link.jacobians)
    under = [
        f"all Jacobians have <b>{whole:,}</b>",
        "each segment by what it gives:",
        MARKS,
        *(["logarithmic axis"] if scale.unit else []),
    ]
    if left_out:
        under.append(f"{counted(left_out, 'row')} in the middle left out")
    return table(
        rows,
        [_drawn(bars, rows, [scale.place(bar.elements) for bar in bars])],
        title=f"{counted(handed, 'element')} handed back",
        under=under,
        xaxis=axis(range=scale.range, **scale.ticks(whole=True)),
        key=f"segments {len(rows.rows)}",
    )


def sizes_text(found: Division) -> str:
    """Describe the figure in one sentence, for screen readers."""
    items = [
        f"segment {i + 1} receives {_handed(link):,} (its Jacobians have "
        f"{sum(jacobian.elements for jacobian in link.jacobians):,})"
        for i, link in enumerate(found.links)
    ]
    return f"A bar chart of elements handed back and of Jacobians: {listed(items, 8)}."


def _handed(link: Link) -> int:
    return sum(prod(shape) for _, shape in link.gives)


def _bars(found: Division) -> Iterable[Bar]:
    for i, link in enumerate(found.links):
        first = f"<b>{i + 1}</b>"
        for name, shape in link.gives:
            elements = prod(shape)
            sides = f"[{', '.join(map(str, shape))}]" if shape else "a number"
            hover = f"<b>segment {i + 1}</b>: {plain(', '.join(link.segment.nodes))}<br>"
            hover += f"receives the cotangent of {plain(name)}, {sides}: {counted(elements, 'element')}"
            label = f"{first} <b>{short(name, ROOM)}</b>"
            yield Bar(Row(label, f"<b>{elements:,}</b>", hover, ROW, i), elements, False)
            for jacobian in (j for j in link.jacobians if j.of == name):
                yield Bar(_jacobian_row(jacobian, i), jacobian.elements, True)
            first = ""


def _jacobian_row(jacobian: Jacobian, group: int) -> Row:
    sides = " × ".join(f"{side:,}" for side in jacobian.sides)
    hover = f"<b>d {plain(jacobian.of)} / d {plain(jacobian.by)}</b><br>{sides} = {jacobian.elements:,}"
    if jacobian.batch > 1:
        hover += f"<br>a block for each of {jacobian.batch} examples; the full matrix has {jacobian.full:,}"
    label = coloured(f"by {short(jacobian.by, ROOM)}", NEUTRAL)
    return Row(label, f"{jacobian.elements:,}", hover, PART, group)


def _drawn(bars: Sequence[Bar], rows: Rows, places: list[float]) -> dict[str, object]:
    colours = [NEUTRAL if bar.jacobian else COTANGENT for bar in bars]
    hatch = {"fillmode": "replace", "fgcolor": colours, "size": 6, "solidity": 0.45}
    return {
        "type": "bar",
        "orientation": "h",
        "yaxis": "y2",
        "x": places,
        "y": list(rows.centres),
        "width": [14 if bar.jacobian else 18 for bar in bars],
        "marker": {
            "color": colours,
            "line": {"width": 1.5, "color": colours},
            "pattern": {"shape": ["/" if bar.jacobian else "" for bar in bars], **hatch},
        },
        "hoverinfo": "skip",
    }


# The loss of a training in three ways: joint, passed across cuts, and each segment by itself.


HEIGHT, LEFT, BOTTOM = 220, 58, 46  # pixels
ROWS = 3


def split_loss_figure(curves: Curves) -> go.Figure:
    """Draw three lines: joint training broad, the chain thin and dashed over it, segments apart dotted."""
    head = 14 + LINE * ROWS
    layout = {
        "height": head + HEIGHT + BOTTOM,
        "margin": {"l": LEFT, "r": EDGE, "t": head, "b": BOTTOM, "pad": 0},
        "hovermode": "x unified",
        "xaxis": axis(title={"text": ink("step"), "font": {"size": SMALL}}, zeroline=False, nticks=6),
        "yaxis": axis(rangemode="tozero", nticks=5, tickangle=0),
        "annotations": [_legend(i, text, head) for i, text in enumerate(_names(curves))],
    }
    lines = [
        _line("joint", curves.joint, VALUE, 6, "solid"),
        _line("handed across", curves.chain, COTANGENT, 2.5, "dash"),
        _line("own output", curves.apart, STOP, 2.5, "dot"),
    ]
    return draw(lines, layout, "split loss")


def split_loss_text(curves: Curves) -> str:
    """Describe the figure in one sentence, for screen readers."""
    ends = [f"{scalar(curve[0])} to {scalar(curve[-1])}" for curve in (curves.joint, curves.apart)]
    return (
        f"A line chart of the loss over {len(curves.joint)} steps: joint training goes from {ends[0]}, "
        f"handing the cotangent across differs from it by at most {scalar(curves.difference)}, "
        f"and each segment against its own output goes from {ends[1]}."
    )


def _names(curves: Curves) -> list[str]:
    apart = f"at most <b>{scalar(curves.difference)}</b> from it" if curves.difference else "<b>the same</b>"
    return [
        f"{coloured('━', VALUE)} joint: <b>{scalar(curves.joint[-1])}</b> at the end",
        f"{coloured('╍', COTANGENT)} handed across: {apart}",
        f"{coloured('┈', STOP)} own output: <b>{scalar(curves.apart[-1])}</b> at the end",
    ]


def _legend(row: int, text: str, head: int) -> dict[str, Any]:
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xshift": EDGE - LEFT}
    anchors = {"xanchor": "left", "yanchor": "middle", "align": "left", "showarrow": False}
    return {
        "text": ink(text),
        "font": {"size": SMALL},
        "yshift": head - LINE * (row + 0.6),
        **place,
        **anchors,
    }


def _line(name: str, loss: np.ndarray, colour: str, wide: float, dash: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines" if len(loss) > 1 else "markers",
        "name": name,
        "x": list(range(len(loss))),
        "y": np.where(np.isfinite(loss), loss, np.nan),
        "line": {"color": colour, "width": wide, "dash": dash},
        "hovertemplate": "%{y:.5g}",
    }


SEGMENT_FIGURES: Mapping[str, Chart] = {
    "sizes": Chart("Handed back", sizes_figure, sizes_text),
    "curves": Chart("Three ways", split_loss_figure, split_loss_text),
}
