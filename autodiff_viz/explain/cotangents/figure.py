"""Draw the arriving cotangent of each node and, at forks, the contribution of each wire."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.display.numbers import Number, sent
from autodiff_viz.display.table import PART, ROW, Row, Rows, ends, table
from autodiff_viz.display.theme import (
    COTANGENT,
    INDENT,
    NEGATIVE,
    NEUTRAL,
    STOP,
    Scale,
    axis,
    coloured,
    note,
    of_sign,
    plain,
    rule_mark,
    scale_for,
    short,
    square,
)
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.cotangents.compute import APART, Arrival, Part, arrivals
from autodiff_viz.graph.rule_kinds import STOP as STOP_RULE
from autodiff_viz.graph.text import counted, listed, scalar

TITLE = "What arrives at each node"
FORKS = 3  # whose sums are read out
BEGINS = "begins here"  # in full when pointed at: a long remark would take the room of the bars
STOP_MARK = coloured("⊘ stop", STOP)


def cotangents_figure(trace: Trace) -> go.Figure:
    """Draw a bar per node in graph order: the arriving cotangent with its sign, or the norm of an array.

    Under a fork stands a row for each wire's contribution, drawn end to end, so that the last one ends where
    the bar of the fork does. Contributions against the sign of the sum are hatched. Orange is positive, teal
    negative. The axis is logarithmic when the sizes span more than three decades.
    """
    shown, left_out = ends(arrivals(trace))
    if not shown:
        return note("There is no node yet.", "cotangents")
    bars = [bar for arrival in shown for bar in _bars(arrival)]
    scale = scale_for(size for bar in bars for size in (bar.end, bar.end - bar.start))
    rows = Rows.of([row for i, arrival in enumerate(shown) for row in _rows(arrival, trace.output, i)])
    figure = table(
        rows,
        [_drawn(bars, rows, scale), _joints(bars, rows, scale)],
        title=TITLE,
        under=_explanation(shown, bars, trace.output, left_out, bool(scale.unit)),
        xaxis=axis(range=scale.range, **scale.ticks()),
        key=f"cotangents {len(rows.rows)}",
    )
    # web/explain/cotangents.js moves the bars while a slider is dragged: a row's place in the slider's table,
    # its number, and whether it is a part of the sum above it. Several wires together have no place.
    moving: list[tuple[str, Number | None, bool]] = []
    for arrival in shown:
        moving.append((f"cotangent {arrival.node.name}", _sent(arrival.size), False))
        for part in arrival.parts:
            place = f"passed {part.consumer}:{part.slot}" if part.consumer else ""
            moving.append((place, _sent(part.size), True))
    colours = [COTANGENT, NEGATIVE]
    figure.layout.meta = {"name": TITLE, "moving": moving, "unit": scale.unit, "colours": colours}
    return figure


def _sent(size: float | None) -> Number | None:
    return None if size is None else sent(size)


def cotangents_text(trace: Trace) -> str:
    """Describe the figure in one sentence, for screen readers."""
    every = arrivals(trace)
    if not every:
        return "A bar chart of cotangents, without nodes."
    sizes = [f"{a.node.name} {scalar(a.size)}" for a in every if a.size is not None]
    forks = [
        f"{a.node.name} is the sum of {listed([scalar(part.size) for part in a.parts])}"
        for a in every
        if a.parts
    ]
    stopped = [a.node.name for a in every if a.node.rule.kind == STOP_RULE]
    apart = [a.node.name for a in every if a.size is None]
    pieces = [f"A bar chart of what arrives at {counted(len(every), 'node')}: {listed(sizes, 6)}"]
    pieces += forks[:FORKS]
    pieces += [f"{counted(len(forks) - FORKS, 'more fork')}"] if len(forks) > FORKS else []
    pieces += [f"stopped at {listed(stopped, 3)}"] if stopped else []
    pieces += [f"not connected to the output: {listed(apart, 3)}"] if apart else []
    return "; ".join(pieces) + "."


def _rows(arrival: Arrival, output: str, group: int) -> Iterable[Row]:
    """Yield the rows of one node: what arrives, then under it the parts that it is the sum of."""
    hover, name = _hover(arrival, output), short(arrival.node.name)
    if arrival.size is None:
        yield Row(name, coloured(f"— {APART}", NEUTRAL), hover, ROW, group)
        return
    begins = coloured(BEGINS, STOP) if arrival.begins else ""
    words = f"<b>{scalar(arrival.size)}</b> {begins or _mark(arrival)}"
    yield Row(f"<b>{name}</b>", words, hover, ROW, group)
    for part in arrival.parts:
        mark = STOP_MARK if part.stopped else ""
        label = f"{INDENT * 3}{coloured('+', NEUTRAL)} {_source(part, short)}"
        yield Row(label, f"{INDENT}{_signed(part.size)} {mark}", hover, PART, group)


def _mark(arrival: Arrival) -> str:
    """Return the one remark beside the number: NaN that begins here, else the rule, else the place."""
    if arrival.begins:
        return coloured(arrival.begins, STOP)
    return rule_mark(arrival.node.rule) or coloured(arrival.place, NEUTRAL)


def _source(part: Part, write: Any = plain) -> str:
    if part.consumer is None:
        return counted(part.wires, "wire")
    return f"{write(part.consumer)}{f' in {part.slot}' if part.twin else ''}"


def _signed(size: float) -> str:
    return f"+{scalar(size)}" if size >= 0 else scalar(size)


def _hover(arrival: Arrival, output: str) -> str:
    name = f"<b>{plain(arrival.node.name)}</b>"
    if arrival.size is None:
        return f"{name}<br>{plain(output)} does not depend on it."
    kind = f"norm of an array of shape {list(arrival.shape)}" if arrival.is_array else "arrives"
    lines = [name, f"{scalar(arrival.size, 7)} {kind}"]
    lines += [f"{_signed(part.size)} from {_source(part)}" for part in arrival.parts]
    lines += [mark] if (mark := _mark(arrival)) else []
    return "<br>".join(lines)


@dataclass(frozen=True, slots=True)
class _Bar:
    """One bar, from `start` to `end` in units of the cotangent. `against`: whether it reduces the sum."""

    start: float = 0.0
    end: float = 0.0
    part: bool = False
    against: bool = False


def _bars(arrival: Arrival) -> Iterable[_Bar]:
    """Yield one bar per row: the sum, then its parts end to end.

    A number that is not finite has an empty bar.
    """
    size = arrival.size or 0.0
    yield _Bar(0.0, size if isfinite(size) else 0.0)
    tips = [*accumulate((part.size for part in arrival.parts), initial=0.0)]
    for i, part in enumerate(arrival.parts):
        against = part.size * size < 0 or (size == 0 and part.size < 0)
        yield _Bar(tips[i], tips[i + 1], True, against) if arrival.is_finite else _Bar()


def _drawn(bars: Sequence[_Bar], rows: Rows, scale: Scale) -> dict[str, Any]:
    starts, tips = [scale.place(bar.start) for bar in bars], [scale.place(bar.end) for bar in bars]
    colours = [of_sign(bar.end - bar.start) for bar in bars]
    hatch = {"fillmode": "replace", "fgcolor": colours, "size": 6, "solidity": 0.4}
    return {
        "type": "bar",
        "orientation": "h",
        "yaxis": "y2",
        "base": starts,
        "x": [tip - start for start, tip in zip(starts, tips, strict=True)],
        "y": list(rows.centres),
        "width": [10 if bar.part else 16 for bar in bars],
        "marker": {
            "color": colours,
            "opacity": [0.65 if bar.part else 1.0 for bar in bars],
            "line": {"width": 0},
            "cornerradius": 2,
            "pattern": {"shape": ["/" if bar.against else "" for bar in bars], **hatch},
        },
        "hoverinfo": "skip",
    }


def _joints(bars: Sequence[_Bar], rows: Rows, scale: Scale) -> dict[str, Any]:
    """Return thin lines from the tip of each part to the row under it; from the last one up to the sum."""
    x: list[float | None] = []
    y: list[float | None] = []
    above = 0  # row of the sum
    for i, bar in enumerate(bars):
        if not bar.part:
            above = i
            continue
        is_last = i + 1 == len(bars) or not bars[i + 1].part
        one, other = (above, i) if is_last else (i, i + 1)
        x += [scale.place(bar.end)] * 2 + [None]
        y += [rows.centres[one] - 6, rows.centres[other] + 6, None]
    line = {"color": NEUTRAL, "width": 1.5, "dash": "dot"}
    return {
        "type": "scatter",
        "mode": "lines",
        "yaxis": "y2",
        "x": x,
        "y": y,
        "line": line,
        "hoverinfo": "skip",
    }


def _explanation(
    shown: Sequence[Arrival], bars: Sequence[_Bar], output: str, left_out: int, logarithmic: bool
) -> list[str]:
    """Return the explanation of the figure, in lines of at most 50 characters, which fit on a phone."""
    arrays = any(arrival.is_array for arrival in shown)
    lines = [f"d⟨seed, {short(output)}⟩ / d(node){', arrays by their norm' if arrays else ''}"]
    if any(bar.part for bar in bars):
        against = f", {coloured('▨', NEUTRAL)} against it" if any(bar.against for bar in bars) else ""
        parts = "shares" if arrays else "parts"
        lines.append(f"under a sum its {parts}{against}")
    if any(bar.end < bar.start for bar in bars):
        lines.append(f"{square(COTANGENT)} positive {square(NEGATIVE)} negative")
    if logarithmic:
        lines.append("axis logarithmic on both sides of zero")
    if left_out:
        lines.append(f"{counted(left_out, 'node')} in the middle left out")
    return lines
