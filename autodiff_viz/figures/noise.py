"""Mean and spread of each input's cotangent over draws of the graph's noise, beside the present draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.engine.explain.statistics import Statistics, noisy_nodes, statistics
from autodiff_viz.engine.trace import Trace
from autodiff_viz.figures.plotly_text import coloured, counted, plain, short
from autodiff_viz.figures.table import Row, Rows, ends, table
from autodiff_viz.figures.theme import COTANGENT, FAINT, NEUTRAL, VALUE, axis, note
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.text_format import listed, scalar

DRAWS = (100, 1_000, 10_000)
USUAL_DRAWS = 1_000
SHOWN = 6  # elements of a tensor
PLUS_MINUS = "\u00b1"


@dataclass(frozen=True, slots=True)
class Number:
    """An element of an input's cotangent over the draws."""

    name: str
    mean: float
    variance: float
    error: float
    present: float
    group: int

    @property
    def is_finite(self) -> bool:
        """Whether it can be drawn."""
        return all(map(isfinite, (self.mean, self.variance, self.error)))


def noise_figure(trace: Trace, draws: str | None) -> go.Figure:
    """Draw a row per input, or per element: mean with its standard error, standard deviation, present draw.

    Args:
      draws: the number of draws as text; None for 1,000.
    """
    if not noisy_nodes(trace.graph) or trace.output is None:
        return note("There is no random draw in this graph.", "noise")
    found = _found(trace, draws)
    numbers, left_out = ends(tuple(_numbers(trace, found)))
    rows = Rows.of([_row(number) for number in numbers])
    drawn = [pair for pair in zip(numbers, rows.centres, strict=True) if pair[0].is_finite]
    low, high = _span([number for number, _ in drawn])
    return table(
        rows,
        [_spread(drawn), _means(drawn), _present(drawn)],
        title=f"{found.draws:,} draws of {counted(len(found.noisy), 'node')}",
        under=_under(found, left_out),
        xaxis=axis(range=[low, high], nticks=5, tickangle=0, fixedrange=True, title={"text": ""}),
        key=f"noise {len(numbers)} {found.draws}",
    )


def noise_text(trace: Trace, draws: str | None) -> str:
    """Describe the figure in one sentence, for screen readers."""
    if not noisy_nodes(trace.graph) or trace.output is None:
        return "No chart of noise: the graph has no random draw."
    found = _found(trace, draws)
    said = [
        f"{number.name} {_mean(number)}, variance {scalar(number.variance)}"
        for number in _numbers(trace, found)
    ]
    return f"A chart of what arrives at each input over {found.draws:,} draws: {listed(said, 6)}."


@remembered(4, lambda trace, draws: (trace.identity, draws))
def _found(trace: Trace, draws: str | None) -> Statistics:
    """Return what the figure and its words show."""
    noisy = noisy_nodes(trace.graph)
    inputs = {name: trace.inputs[name] for name in trace.inputs if name not in noisy}
    count = int(draws or USUAL_DRAWS)
    return statistics(trace.graph, count, inputs=inputs, seed=trace.seed, dtype=trace.dtype)


def _numbers(trace: Trace, found: Statistics) -> Iterator[Number]:
    for group, name in enumerate(trace.inputs):
        mean = found.mean[name]
        for place in list(np.ndindex(mean.shape))[:SHOWN]:
            at = f"[{', '.join(map(str, place))}]" if place else ""
            parts = (found.mean, found.variance, found.error, found.present)
            yield Number(f"{name}{at}", *(float(part[name][place]) for part in parts), group)


def _mean(number: Number) -> str:
    return f"{scalar(number.mean)} {PLUS_MINUS} {scalar(number.error, 2)}"


def _row(number: Number) -> Row:
    hover = (
        f"<b>{plain(number.name)}</b><br>mean {_mean(number)} (standard error)"
        f"<br>variance {scalar(number.variance)}<br>this draw {scalar(number.present)}"
    )
    words = f"<b>{_mean(number)}</b>, variance {scalar(number.variance)}"
    return Row(f"<b>{short(number.name)}</b>", words, hover, group=number.group)


def _under(found: Statistics, left_out: int) -> list[str]:
    lines = [
        f"{coloured('●', COTANGENT)} mean of what arrives, {PLUS_MINUS} its standard error",
        f"{coloured('▬', NEUTRAL)} {PLUS_MINUS} one standard deviation of a draw",
        f"{coloured('○', VALUE)} the draw on the canvas",
    ]
    return [*lines, *([f"{counted(left_out, 'number')} in the middle left out"] if left_out else [])]


def _span(numbers: Iterable[Number]) -> tuple[float, float]:
    ends = [
        end
        for n in numbers
        for end in (n.mean - sqrt(n.variance), n.mean + sqrt(n.variance), n.present)
        if isfinite(end)
    ]
    low, high = min(ends, default=-1.0), max(ends, default=1.0)
    room = 0.08 * (high - low) or max(1e-6, 0.1 * abs(high)) or 1.0
    return low - room, high + room


def _spread(drawn: Sequence[tuple[Number, float]]) -> dict[str, Any]:
    sides = [sqrt(number.variance) for number, _ in drawn]
    return {
        "type": "bar",
        "orientation": "h",
        "yaxis": "y2",
        "base": [number.mean - side for (number, _), side in zip(drawn, sides, strict=True)],
        "x": [2 * side for side in sides],
        "y": [y for _, y in drawn],
        "width": 8,
        "marker": {"color": FAINT, "line": {"width": 0}},
        "hoverinfo": "skip",
    }


def _means(drawn: Sequence[tuple[Number, float]]) -> dict[str, Any]:
    error = {"type": "data", "array": [number.error for number, _ in drawn], "color": COTANGENT}
    return {
        **_points([number.mean for number, _ in drawn], drawn),
        "marker": {"size": 9, "color": COTANGENT},
        "error_x": {**error, "thickness": 3, "width": 5},
    }


def _present(drawn: Sequence[tuple[Number, float]]) -> dict[str, Any]:
    places = [number.present if isfinite(number.present) else None for number, _ in drawn]
    look = {"size": 10, "symbol": "circle-open", "color": VALUE, "line": {"width": 2}}
    return {**_points(places, drawn), "marker": look}


def _points(places: Sequence[float | None], drawn: Sequence[tuple[Number, float]]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "yaxis": "y2",
        "x": list(places),
        "y": [y for _, y in drawn],
        "hoverinfo": "skip",
    }
