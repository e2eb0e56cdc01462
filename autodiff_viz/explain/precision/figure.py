"""Draw the exponents of each node's numbers beside those of float64, with the limits of the dtype."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, log2
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.display import theme
from autodiff_viz.display.table import Row, Rows, ends, table
from autodiff_viz.display.theme import NEUTRAL, STOP, axis, coloured, ink, note, plain, short, square
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.precision.compute import (
    COTANGENT,
    FITS,
    KINDS,
    NOT_FINITE,
    OVERFLOW,
    PASSED,
    SUBNORMAL,
    VALUE,
    Precision,
    Ranged,
    compared,
)
from autodiff_viz.graph.dtypes import DTYPES, FLOAT64, Dtype
from autodiff_viz.graph.order import order
from autodiff_viz.graph.text import counted, listed, scalar

HIGH = 36  # pixels of a row: two bars
APART = 8.0  # pixels from the middle of a row to the middle of a bar
SHORTEST = 1.0  # of a bar, in powers of two: one number has no length
COLOURS = {VALUE: theme.VALUE, COTANGENT: theme.COTANGENT, PASSED: theme.COTANGENT}
PLACES = {VALUE: -APART, COTANGENT: APART, PASSED: APART}


@dataclass(frozen=True, slots=True)
class Spans:
    """Bars of one kind: place on the axis of exponents, length, and height on the page."""

    starts: list[float]
    lengths: list[float]
    heights: list[float]


def precision_figure(trace: Trace, scale: str | None) -> go.Figure:
    """Draw a row per node: the span of its values and of its cotangents, with float64's as a thin line.

    Args:
      scale: the loss scale as text; None for 1.
    """
    if not trace.graph.nodes or trace.output is None:
        return note("There is no node yet.", "precision")
    precision = compared(trace, scale)
    names, left_out = ends([node.name for node in order(trace.graph)])
    by_node = {name: [place for place in precision.places if place.node == name] for name in names}
    rows = Rows.of([_row(name, by_node[name], i) for i, name in enumerate(names)])
    drawn = [(place, y) for name, y in zip(names, rows.centres, strict=True) for place in by_node[name]]
    limits = DTYPES[precision.dtype]
    # The axis of exponents reaches from the smallest number to the largest, of the dtype too.
    sizes = [s for p, _ in drawn for s in (p.low, p.high, p.exact_low, p.exact_high) if s]
    powers = [*map(log2, sizes), *_limits(limits)] or [-1.0, 1.0]
    lowest, highest = floor(min(powers)), ceil(max(powers))
    room = max(1.0, 0.05 * (highest - lowest))
    span = lowest - room, highest + room
    counts = Counter(place.kind for place in precision.places)
    lost = [f"{kind} at {counted(counts[kind], 'place')}" for kind in KINDS if counts[kind] and kind != FITS]
    by = "" if precision.scale == 1 else f", loss scale {precision.scale:,.0f}"
    figure = table(
        rows,
        [*_bars(drawn), _lost(drawn)],
        title=f"{precision.dtype}{by}: {listed(lost) or 'everything fits'}",
        under=_under(precision, left_out),
        xaxis=_axis(span, limits),
        key=f"precision {len(names)} {precision.dtype}",
    )
    # The limits of the dtype as lines behind the bars
    for power, word in _limits(limits).items():
        line = {"width": 1.5, "color": NEUTRAL, "dash": "solid" if word == "largest" else "dot"}
        upright = {"type": "line", "xref": "x", "yref": "paper", "x0": power, "x1": power, "y0": 0, "y1": 1}
        figure.layout.shapes = [*figure.layout.shapes, {**upright, "line": line, "layer": "below"}]
    return figure


def precision_text(trace: Trace, scale: str | None) -> str:
    """Describe the figure in a sentence or two, for screen readers."""
    if not trace.graph.nodes or trace.output is None:
        return "No chart of precision: there is no node yet."
    precision, nodes = compared(trace, scale), counted(len(trace.graph.nodes), "node")
    return f"A chart of the range of {nodes}. {precision.sentence} {precision.scales}"


def _under(precision: Precision, left_out: int) -> list[str]:
    lines = [plain(text) for text in (precision.sentence, precision.scales)]
    signs = (
        f"{square(theme.VALUE)} values {square(theme.COTANGENT)} cotangents "
        f"{coloured('▬', NEUTRAL)} float64 {coloured('◆', STOP)} lost here"
    )
    return [*lines, signs, *([f"{counted(left_out, 'node')} in the middle left out"] if left_out else [])]


def _row(name: str, places: Sequence[Ranged], index: int) -> Row:
    """Return the row of a node: its worst place beside the name, all of its places on hover."""
    worst = min(places, key=lambda place: place.rank, default=None)
    if worst is None:
        words = ""
    elif worst.kind == FITS:
        left = worst.high if worst.error is None else None  # of what is 0 in float64
        share = f"{scalar(100 * (worst.error or 0.0), 2)} %" if worst.error != inf else ""
        words = f"{scalar(left, 2)} for 0" if left else share
    else:  # a subnormal number is not lost
        words = coloured(worst.kind, NEUTRAL if worst.kind == SUBNORMAL else STOP)
    in_order = sorted(
        places, key=lambda place: ((VALUE, COTANGENT, PASSED).index(place.what), place.slot or 0)
    )
    hover = "<br>".join([f"<b>{plain(name)}</b>", *map(_hover, in_order)])
    return Row(f"<b>{short(name)}</b>", words, hover, HIGH, index)


def _hover(place: Ranged) -> str:
    what = {VALUE: "value", COTANGENT: "arrives", PASSED: f"passes to input {place.slot}"}[place.what]
    exact_kind = NOT_FINITE if place.kind == NOT_FINITE else ""
    sizes = _sizes(place.low, place.high, place.kind)
    exact = _sizes(place.exact_low, place.exact_high, exact_kind)
    count = f" at {place.count} of {place.size}" if place.size > 1 and place.kind != FITS else ""
    kind = "" if place.kind == FITS else f": {place.kind}{count}"
    return f"{what} {sizes}, float64 {exact}{kind}"


def _sizes(low: float | None, high: float | None, kind: str) -> str:
    if low is None or high is None:
        return {OVERFLOW: "∞", NOT_FINITE: "NaN or ∞"}.get(kind, "0")
    return scalar(low, 3) if low == high else f"{scalar(low, 3)} to {scalar(high, 3)}"


def _bars(drawn: Iterable[tuple[Ranged, float]]) -> list[dict[str, Any]]:
    """Return float64's thin lines and the bars of the dtype."""
    nodes = [(place, y + PLACES[place.what]) for place, y in drawn if place.what != PASSED]
    traces = []
    for what in (VALUE, COTANGENT):
        spans = _spans((place.low, place.high, y) for place, y in nodes if place.what == what)
        traces.append(_trace(spans, COLOURS[what], 9))
    exact = _spans((place.exact_low, place.exact_high, y + 6.5) for place, y in nodes)
    return [*traces, _trace(exact, NEUTRAL, 2)]


def _spans(sizes: Iterable[tuple[float | None, float | None, float]]) -> Spans:
    powers = [(log2(low), log2(high), y) for low, high, y in sizes if low and high]
    lengths = [max(SHORTEST, high - low) for low, high, _ in powers]
    starts = [(low + high - length) / 2 for (low, high, _), length in zip(powers, lengths, strict=True)]
    return Spans(starts, lengths, [y for *_, y in powers])


def _trace(spans: Spans, colour: str, thick: int) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "yaxis": "y2",
        "base": spans.starts,
        "x": spans.lengths,
        "y": spans.heights,
        "width": thick,
        "marker": {"color": colour, "line": {"width": 0}},
        "hoverinfo": "skip",
    }


def _lost(drawn: Iterable[tuple[Ranged, float]]) -> dict[str, Any]:
    """Return marks where float64 has numbers that this dtype has lost, of wires too."""
    at = [
        (log2(place.exact_high), y + PLACES[place.what])
        for place, y in drawn
        if place.kind not in (FITS, SUBNORMAL) and place.exact_high
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "yaxis": "y2",
        "x": [x for x, _ in at],
        "y": [y for _, y in at],
        "marker": {"symbol": "diamond", "size": 9, "color": STOP},
        "hoverinfo": "skip",
    }


def _limits(limits: Dtype) -> dict[float, str]:
    """Return the limits of the dtype as exponents, with their names; none for float64, whose are far off."""
    if limits.name == FLOAT64:
        return {}
    return {log2(limits.least): "smallest", log2(limits.tiny): "normal", limits.most + 1.0: "largest"}


def _axis(span: tuple[float, float], limits: Dtype) -> dict[str, Any]:
    marks = _limits(limits) or {float(power): "" for power in (ceil(span[0]), 0, floor(span[1]))}
    marks = {power: word for power, word in marks.items() if span[0] <= power <= span[1]}
    names = [theme.power(2, round(mark)) for mark in marks]
    words = [f"{name}<br>{word}" for name, word in zip(names, marks.values(), strict=True)]
    # The two lower limits are near each other, in a narrow figure also those of float16: a line each.
    if limits.name != FLOAT64:
        words[:2] = names[0], f"<br>{names[1]} normal"
    return axis(
        range=list(span),
        tickvals=list(marks),
        ticktext=[ink(word) for word in words],
        tickangle=0,
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        title={"text": ""},
    )
