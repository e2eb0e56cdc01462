"""Draw a field: the output as contours, the way of a step by each gradient as arrows, and what descends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.colours import faded
from autodiff_viz.display.theme import (
    AROUND,
    CHECKPOINT,
    COTANGENT,
    LOW,
    NEUTRAL,
    RING,
    RULE,
    SMALL,
    VALUE,
    axis,
    coloured,
    draw,
    note,
    plain,
    short,
)
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.explanation import About
from autodiff_viz.explain.field.compute import (
    ALL,
    LEFT,
    NOT_FINITE,
    POINTS,
    RESTS,
    TOO_LARGE,
    Descent,
    Field,
    candidates,
    curl_sentence,
    field,
)
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import counted, listed, scalar

HEIGHT = 280  # pixels of the figure
LEFT_ROOM, BOTTOM, RIGHT, TOP = 58, 48, 12, 8  # pixels of margins
WIDE, LOW_WIDE = 1.6, 2.5  # width of the plot by its height: heads of arrows have to know it
ARROWS, LOW_ARROWS = (7, 11), (5, 9)  # in rows and columns
LEVELS = 10  # of contours
GRIDS = (POINTS, 21, 11, 7)  # points of an axis: as many as a graph's numbers leave room for
LACKS = (
    "A field needs two numbers that reach<br>the output. Add an input, such as x = 1.0,<br>"
    "or a parameter, such as w = parameter(0.5)."
)
BAND = faded(VALUE, 0.055)  # of a level; Plotly lays that of each level over those of all lower ones
LINE = faded(VALUE, 0.4)


@remembered(4, lambda trace, about: identity((trace.identity, about)))
def shown(trace: Trace, about: About) -> Field | None:
    """Return the field of two numbers; None if the graph has fewer.

    Args:
      about: the names of both, and the path of a training if there is one. None in place of a name, and a
        name that the trace has not, stand for the next number.
    Raises:
      GraphError: both are the same, or the graph takes too many numbers even on the coarsest grid.
    """
    names = [one.name for one in candidates(trace)]
    if len(names) < 2:
        return None
    x, y, path = about or (None, None, None)
    x, y = (name if name in names else None for name in (x, y))
    for points in GRIDS[:-1]:
        try:
            return field(trace, x, y, points=points, training=path)
        except GraphError as error:
            if error.problems[0].code != TOO_LARGE:
                raise
    return field(trace, x, y, points=GRIDS[-1], training=path)


def field_figure(trace: Trace, about: About, low: bool = False) -> go.Figure:
    """Draw the plane of two numbers; a note in words for a graph without two."""
    plane = shown(trace, about)
    return note(LACKS, "field") if plane is None else drawn(plane, low)


def field_text(trace: Trace, about: About) -> str:
    """Describe the figure in sentences, for screen readers."""
    plane = shown(trace, about)
    return LACKS.replace("<br>", " ") if plane is None else described(plane)


def described(plane: Field) -> str:
    """Describe the figure of a field in sentences."""
    value = plane.value[np.isfinite(plane.value)]
    span = f", from {scalar(value.min())} to {scalar(value.max())}" if value.size else ""
    ends = [f"{name} from {scalar(along[0])} to {scalar(along[-1])}" for name, along in _named(plane)]
    return f"Contours of {_output(plane)} over {listed(ends)}{span}, with arrows. {plane.sentence}"


def drawn(plane: Field, low: bool = False) -> go.Figure:
    """Draw a field; its legend stands beside it (`meta`), so that it covers nothing."""
    spans = [float(along[-1]) - float(along[0]) or 1.0 for along in plane.axes]
    wide = LOW_WIDE if low else WIDE
    traces = [
        *_contours(plane),
        *_arrows(plane, spans, wide, LOW_ARROWS if low else ARROWS),
        *_descents(plane, spans),
        *_training(plane),
        *_present(plane),
    ]
    titles = [
        {"text": f"<b>{short(name)}</b>", "font": {"size": SMALL + 1}, "standoff": 6}
        for name, _ in _named(plane)
    ]
    ends = [[float(along[0]), float(along[-1])] for along in plane.axes]
    quiet = {"nticks": 6, "tickangle": 0, "showgrid": False, "zeroline": True, "constrain": "domain"}
    # The plot is `wide` times as wide as high, whatever its size. Where the width is short it stands at the
    # top, since the foot of the figure may be below the fold.
    shape = {"scaleanchor": "x", "scaleratio": spans[0] / spans[1] / wide, "constraintoward": "top"}
    layout = {
        "height": LOW if low else HEIGHT,
        "margin": {"l": LEFT_ROOM, "r": RIGHT, "t": TOP, "b": BOTTOM, "pad": 2},
        "hovermode": "closest",
        "meta": {"told": "".join(f"<p>{line}</p>" for line in legend(plane))},
        "xaxis": axis(range=ends[0], title=titles[0], **quiet),
        "yaxis": axis(range=ends[1], title=titles[1], **quiet, **shape),
    }
    return draw(traces, layout, f"field {plane.x} {plane.y} {plane.output}")


def legend(plane: Field) -> Iterator[str]:
    """Yield the lines beside the figure: what it shows, each mark with its numbers, the curl if any."""
    if plane.bent.any():
        yield "<b>Your rules turn the way down</b>"
        yield f"{coloured('➤', COTANGENT)} a step by the declared gradient"
        yield f"{coloured('▷', RULE)} a step by the true one, without rules"
    else:
        yield "<b>The way down from each point</b>"
        same = "declared" if plane.true is None else "declared = true"
        yield f"{coloured('➤', COTANGENT)} a step by the gradient ({same})"
    yield f"{coloured('━', COTANGENT)} descent, step size {plane.rate:g}: {_ends(plane.descent)}"
    if _has_true_path(plane):
        yield f"{coloured('╍', RULE)} descent by the true one: {_ends(plane.true_descent)}"
    if plane.training is not None:
        yield f"{coloured('◆', CHECKPOINT)} the training, {counted(plane.training.steps[-1], 'step')}"
    values = [
        f"{plain(name)} = {scalar(number)}"
        for (name, _), number in zip(_named(plane), plane.point, strict=True)
    ]
    yield f"{coloured('◉', NEUTRAL)} at present {', '.join(values)}"
    if plane.curl is None or plane.turns:  # that descent lowers a function is what one takes for granted
        yield plain(curl_sentence(plane))


def _ends(descent: Descent) -> str:
    steps = counted(descent.steps, "step")
    says = {
        LEFT: f"leaves in {steps}",
        NOT_FINITE: f"not finite after {steps}",
        RESTS: f"rests after {steps}",
    }
    return {**says, ALL: steps}[descent.why]


def _has_true_path(plane: Field) -> bool:
    return plane.true_descent is not None and bool(plane.bent.any())


def _named(plane: Field) -> list[tuple[str, np.ndarray]]:
    return [*zip((plane.x, plane.y), plane.axes, strict=True)]


def _output(plane: Field) -> str:
    return plane.output if plane.is_plain else f"⟨seed, {plane.output}⟩"


def _contours(plane: Field) -> list[dict[str, Any]]:
    finite = plane.value[np.isfinite(plane.value)]
    if not finite.size:
        return []
    # A few numbers near a pole would leave no line for all others.
    low, high = (float(end) for end in np.percentile(finite, [1, 95]))
    step = (high - low) / LEVELS
    # The lowest line stands above the lowest value, where it would be a row of dots.
    levels = {"start": low + step / 2, "end": high, "size": step} if step > 0 else {}
    names = [f"{plain(name)} %{{{along}:.4g}}" for name, along in zip((plane.x, plane.y), "xy", strict=True)]
    limit = np.finfo(np.float32).max
    z = np.where(np.isfinite(plane.value) & (np.abs(plane.value) < limit), plane.value, np.nan)
    return [
        {
            "type": "contour",
            "x": plane.axes[0].astype(np.float64),
            "y": plane.axes[1].astype(np.float64),
            "z": z.astype(np.float32),
            "zmin": low,
            "zmax": high if step > 0 else low + 1.0,
            "autocontour": not levels,
            "contours": {"coloring": "fill", "showlines": bool(levels), **levels},
            "line": {"color": LINE, "width": 1},
            "colorscale": [[0, BAND], [1, BAND]],
            "showscale": False,
            "hovertemplate": f"{'<br>'.join(names)}<br>{plain(_output(plane))} %{{z:.4g}}<extra></extra>",
        }
    ]


def _arrows(
    plane: Field, spans: Sequence[float], wide: float, counts: tuple[int, int]
) -> Iterator[dict[str, Any]]:
    """Yield shafts and heads of the arrows at some of the points, of both gradients to one scale."""
    rows, columns = (
        np.unique(np.linspace(0, side - 1, count + 2).round().astype(int)[1:-1])
        for side, count in zip(plane.value.shape, counts, strict=True)
    )
    at = np.stack(np.meshgrid(*(along.astype(np.float64) for along in plane.axes)), -1)
    at = at[np.ix_(rows, columns)].reshape(-1, 2)
    kinds = [("declared", plane.declared, COTANGENT, "arrow", 2.5)]
    if plane.bent.any():
        kinds.append(("true", plane.true, RULE, "arrow-open", 1.25))
    # A step goes against the gradient. On the screen the plot is `wide` by 1, whatever the numbers are.
    units = np.array([wide / spans[0], 1 / spans[1]])
    steps = []
    with np.errstate(invalid="ignore", over="ignore"):
        for _, gradient, *_ in kinds:
            steps.append(-gradient[np.ix_(rows, columns)].reshape(-1, 2).astype(np.float64) * units)
        sizes = [np.hypot(step[:, 0], step[:, 1]) for step in steps]
    every = np.concatenate(sizes)
    most = float(np.percentile(every[np.isfinite(every)], 95)) if np.isfinite(every).any() else 0.0
    longest = 0.95 / (counts[0] + 1)
    for (name, gradient, colour, symbol, width), step, size in zip(kinds, steps, sizes, strict=True):
        there = np.isfinite(size)
        moves = there & (size > 1e-6 * most) & (size > 0)
        tails, ways = at[moves], step[moves] / size[moves, None]
        # Roots of the sizes: the small ones can be seen beside the large ones.
        length = longest * np.clip(np.sqrt(size[moves] / most), 0.45, 1.0)
        tips = tails + ways * length[:, None] / units
        gap = np.full(len(tails), None)
        shafts = [
            np.stack([tails[:, i].astype(object), tips[:, i].astype(object), gap], -1).ravel() for i in (0, 1)
        ]
        kind = {"type": "scatter", "name": name, "cliponaxis": True}
        line = {"color": colour, "width": width}
        yield {
            **kind,
            "mode": "lines",
            "x": [*shafts[0]],
            "y": [*shafts[1]],
            "line": line,
            "hoverinfo": "skip",
        }
        numbers = gradient[np.ix_(rows, columns)].reshape(-1, 2).astype(np.float64)
        where = [f"{plain(plane.x)} %{{customdata[0]:.4g}}", f"{plain(plane.y)} %{{customdata[1]:.4g}}"]
        hover = f"{name} gradient (%{{customdata[2]:.4g}}, %{{customdata[3]:.4g}})<br>at {', '.join(where)}"
        marker = {"symbol": symbol, "size": 8, "color": colour, "line": {"color": colour, "width": 1.5}}
        yield {
            **kind,
            "mode": "markers",
            "x": tips[:, 0],
            "y": tips[:, 1],
            "marker": {**marker, "angle": np.degrees(np.arctan2(ways[:, 0], ways[:, 1]))},
            "customdata": np.concatenate([tails, numbers[moves]], -1),
            "hovertemplate": f"{hover}<extra></extra>",
        }
        still = there & ~moves
        if still.any():  # a gradient of zero goes nowhere
            yield {
                **kind,
                "mode": "markers",
                "x": at[still, 0],
                "y": at[still, 1],
                "marker": {
                    "symbol": "circle-open" if name == "true" else "circle",
                    "size": 5,
                    "color": colour,
                },
                "hovertemplate": f"{name} gradient 0<extra></extra>",
            }


def _descents(plane: Field, spans: Sequence[float]) -> Iterator[dict[str, Any]]:
    ways = [("declared", plane.descent, COTANGENT, "solid", "square")]
    if _has_true_path(plane):
        ways.append(("true", plane.true_descent, RULE, "dash", "square-open"))
    for name, descent, colour, dash, symbol in ways:
        points = descent.points.astype(np.float64)
        if descent.why == LEFT:
            # The last step may go far beyond the plot: its line ends one plot away.
            step = points[-1] - points[-2]
            points[-1] = points[-2] + step * min(1.0, float(1 / np.max(np.abs(step) / spans)))
        kind = {"type": "scatter", "x": points[:, 0], "y": points[:, 1], "name": f"descent, {name}"}
        hover = f"descent by the {name} gradient<br>step %{{pointNumber}}: (%{{x:.4g}}, %{{y:.4g}})"
        yield {
            **kind,
            "mode": "lines+markers",
            "line": {"color": colour, "width": 3.5, "dash": dash},
            "marker": {"size": 5, "color": colour},
            "hovertemplate": f"{hover}<extra></extra>",
        }
        end = {"symbol": symbol, "size": 10, "color": colour, "line": {"color": colour, "width": 2}}
        yield {
            **kind,
            "mode": "markers",
            "x": points[-1:, 0],
            "y": points[-1:, 1],
            "marker": end,
            "hoverinfo": "skip",
        }


def _training(plane: Field) -> Iterator[dict[str, Any]]:
    if plane.training is None:
        return
    path = np.array(plane.training.points)
    there = np.isfinite(path).all(-1)
    yield {
        "type": "scatter",
        "mode": "lines+markers",
        "x": path[there, 0],
        "y": path[there, 1],
        "name": "training",
        "line": {"color": CHECKPOINT, "width": 2.5, "dash": "dot"},
        "marker": {"symbol": "diamond", "size": 7, "color": CHECKPOINT},
        "customdata": np.array(plane.training.steps)[there],
        "hovertemplate": "training, step %{customdata}<br>(%{x:.4g}, %{y:.4g})<extra></extra>",
    }


def _present(plane: Field) -> Iterator[dict[str, Any]]:
    """Yield the present point: a light ring in a dark one, which is seen on every colour and page."""
    x, y = ([float(number)] for number in plane.point)
    kind = {"type": "scatter", "mode": "markers", "x": x, "y": y, "cliponaxis": False, "name": "present"}
    around = {"size": 17, "color": AROUND}
    yield {**kind, "marker": around, "hoverinfo": "skip"}
    ring = {"size": 12, "color": NEUTRAL, "line": {"color": RING, "width": 2.5}}
    yield {**kind, "marker": ring, "hovertemplate": "at present (%{x:.4g}, %{y:.4g})<extra></extra>"}
