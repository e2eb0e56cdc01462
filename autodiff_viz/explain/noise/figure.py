"""Draw mean and spread of each input's cotangent over draws of the noise, beside the present draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite, log, sqrt
from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.table import Row, Rows, ends, table
from autodiff_viz.display.theme import COTANGENT, FAINT, NEUTRAL, VALUE, axis, coloured, note, plain, short
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.explanation import Twin
from autodiff_viz.explain.noise.compute import USUAL_DRAWS, Statistics, noisy_nodes, statistics
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.text import counted, listed, scalar
from autodiff_viz.workers.jobs import as_part

SHOWN = 6  # elements of a tensor
PLUS_MINUS = "\u00b1"


@dataclass(frozen=True, slots=True)
class Number:
    """An element of an input's cotangent over the draws.

    `letter` says of which graph, A or B; it is "" while nothing is pinned.
    """

    name: str
    letter: str
    mean: float
    variance: float
    error: float
    present: float
    group: int

    @property
    def is_finite(self) -> bool:
        """Whether it can be drawn."""
        return all(map(isfinite, (self.mean, self.variance, self.error)))

    @property
    def words(self) -> str:
        """Its name, and of which graph it is."""
        return f"{self.name} in {self.letter}" if self.letter else self.name


Sides = Sequence[tuple[str, Trace]]


def noise_figure(trace: Trace, draws: str | None, twin: Twin | None = None) -> go.Figure:
    """Draw a row per input, or per element: mean with its standard error, standard deviation, present draw.

    Args:
      draws: the number of draws as text; None for 1,000.
      twin: the pinned graph, which then has a row below or above each row of the present one.
    """
    sides = _sides(trace, twin)
    if not sides:
        return note("There is no random draw in this graph.", "noise")
    every = tuple(_numbers(sides, draws))
    numbers, left_out = ends(every)
    rows = Rows.of([_row(number) for number in numbers])
    drawn = [pair for pair in zip(numbers, rows.centres, strict=True) if pair[0].is_finite]
    low, high = _span([number for number, _ in drawn])
    error = {"type": "data", "array": [number.error for number, _ in drawn], "color": COTANGENT}
    means = {
        **_points([number.mean for number, _ in drawn], drawn),
        "marker": {"size": 9, "color": COTANGENT},
        "error_x": {**error, "thickness": 3, "width": 5},
    }
    present = {  # a ring, through which the mean is seen; none where the draw on the canvas is not finite
        **_points([number.present if isfinite(number.present) else None for number, _ in drawn], drawn),
        "marker": {"size": 10, "symbol": "circle-open", "color": VALUE, "line": {"width": 2}},
    }
    title = f"{_count(draws):,} draws of A and of B"
    if len(sides) == 1:
        title = f"{_count(draws):,} draws of {counted(len(noisy_nodes(sides[0][1].graph)), 'node')}"
    return table(
        rows,
        [_spread(drawn), means, present],
        title=title,
        under=_under(left_out, _compared(every)),
        xaxis=axis(range=[low, high], nticks=5, tickangle=0, fixedrange=True, title={"text": ""}),
        key=f"noise {len(numbers)} {_count(draws)}",
    )


def noise_text(trace: Trace, draws: str | None, twin: Twin | None = None) -> str:
    """Describe the figure in one sentence, for screen readers."""
    sides = _sides(trace, twin)
    if not sides:
        return "No chart of noise: the graph has no random draw."
    every = tuple(_numbers(sides, draws))
    described = [f"{number.words} {_mean(number)}, variance {scalar(number.variance)}" for number in every]
    more = f"; {words}" if (words := _compared(every)) else ""
    return (
        f"A chart of what arrives at each input over {_count(draws):,} draws: "
        f"{listed(described, 6 * len(sides))}{more}."
    )


def _sides(trace: Trace, twin: Twin | None) -> Sides:
    """Return the graphs to show with their letters; none if no graph has noise."""
    sides = twin.beside(trace) if twin else (("", trace),)
    noisy = any(noisy_nodes(side.graph) for _, side in sides)
    return sides if noisy and all(side.output is not None for _, side in sides) else ()


def _count(draws: str | None) -> int:
    return int(draws or USUAL_DRAWS)


@remembered(4, lambda trace, draws: (trace.identity, draws))
def _statistics(trace: Trace, draws: int) -> Statistics:
    """Return what the figure and its words show."""
    noisy = noisy_nodes(trace.graph)
    if not noisy:  # of two graphs only the other one has noise: here all draws are the same
        still = {name: np.zeros(array.shape) for name, array in trace.cotangent.items()}
        return Statistics(draws, (), trace.cotangent, still, still, trace.cotangent)
    inputs = {name: trace.inputs[name] for name in trace.inputs if name not in noisy}
    return statistics(trace.graph, draws, inputs=inputs, seed=trace.seed, dtype=trace.dtype)


def _numbers(sides: Sides, draws: str | None) -> Iterator[Number]:
    """Yield the numbers by input and element; those of A and of B one after the other."""
    of_sides = []
    for i, (letter, trace) in enumerate(sides):
        with as_part(i, len(sides)):  # both are one job, with one progress
            of_sides.append((letter, _statistics(trace, _count(draws))))
    for group, name in enumerate(dict.fromkeys(name for _, trace in sides for name in trace.inputs)):
        own = [(letter, one) for letter, one in of_sides if name in one.mean]
        places = dict.fromkeys(place for _, one in own for place in _places(one.mean[name].shape))
        for place in places:
            at = f"[{', '.join(map(str, place))}]" if place else ""
            for letter, one in own:
                if place in _places(one.mean[name].shape):
                    parts = (one.mean, one.variance, one.error, one.present)
                    yield Number(f"{name}{at}", letter, *(float(part[name][place]) for part in parts), group)


def _places(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the indices of the first elements, which are shown."""
    return list(islice(np.ndindex(shape), SHOWN))


def _mean(number: Number) -> str:
    return f"{scalar(number.mean)} {PLUS_MINUS} {scalar(number.error, 2)}"


def _row(number: Number) -> Row:
    hover = (
        f"<b>{plain(number.words)}</b><br>mean {_mean(number)} (standard error)"
        f"<br>variance {scalar(number.variance)}<br>this draw {scalar(number.present)}"
    )
    words = f"<b>{_mean(number)}</b>, variance {scalar(number.variance)}"
    label = f"<b>{short(number.name)}</b>{f' {number.letter}' if number.letter else ''}"
    return Row(label, words, hover, group=number.group)


def _compared(numbers: Sequence[Number]) -> str:
    """Return where the variances of A and B differ most, and by which factor; "" if that cannot be said."""
    by = {(number.letter, number.name): number for number in numbers}
    pairs = [(a, by["B", name]) for (letter, name), a in by.items() if letter == "A" and ("B", name) in by]
    pairs = [pair for pair in pairs if all(n.variance > 0 and isfinite(n.variance) for n in pair)]
    if not pairs:
        return ""
    a, b = max(pairs, key=lambda pair: abs(log(pair[1].variance / pair[0].variance)))
    less, more = sorted((a, b), key=lambda number: number.variance)
    factor = scalar(more.variance / less.variance, 3)
    return f"variance of {a.name}: {factor} times as large in {more.letter} as in {less.letter}"


def _under(left_out: int, compared: str) -> list[str]:
    lines = [
        f"{coloured('●', COTANGENT)} mean of what arrives, {PLUS_MINUS} its standard error",
        f"{coloured('▬', NEUTRAL)} {PLUS_MINUS} one standard deviation of a draw",
        f"{coloured('○', VALUE)} the draw on the canvas",
    ]
    more = [f"{counted(left_out, 'number')} in the middle left out"] if left_out else []
    return [*([plain(compared)] if compared else []), *lines, *more]


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


def _points(places: Sequence[float | None], drawn: Sequence[tuple[Number, float]]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "yaxis": "y2",
        "x": list(places),
        "y": [y for _, y in drawn],
        "hoverinfo": "skip",
    }
