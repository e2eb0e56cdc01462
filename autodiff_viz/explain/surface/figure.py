"""Draw what a graph predicts between its data points: a heat-map over two columns, or a curve over one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from math import ceil, log10
from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.colours import faded, light
from autodiff_viz.display.theme import AROUND, NEUTRAL, RING, VALUE, axis, draw, plain, short
from autodiff_viz.explain.surface.compute import Surface
from autodiff_viz.graph.text import counted, scalar

HEIGHT, LOW = 210, 152  # pixels of the figure, and of one in a low dock
LEFT, BOTTOM, RIGHT, TOP = 34, 24, 8, 8  # pixels of margins
SHOWN = 1_000  # data points that are drawn
CHANCE, CLASS = "chance of class 1", "likeliest class"
BINARY = "sigmoid_binary_cross_entropy"
CLASSES = "softmax_cross_entropy_with_integer_labels"

# Blue and amber differ in lightness too, and with every kind of colour blindness, on a light and a dark page.
PALETTE = tuple(light(f"class-{i}") for i in range(6))
LITTLE, HIGH, SOME = PALETTE[0], PALETTE[1], light("class-between")


@dataclass(frozen=True, eq=False)
class Learned:
    """A surface as the figure takes it.

    Attributes:
      surface: of the step on view.
      step: number of updates before it; None for the formula's own numbers, of no step of the training.
      op: of the loss that reads the prediction; "" if no loss op does.
    """

    surface: Surface
    step: int | None
    op: str = ""


@dataclass(frozen=True, eq=False)
class _Shade:
    """What of the node's rows is drawn.

    Attributes:
      words: its name in words, as Plotly text.
      at: by point of the grid, `on` by data point: one number each.
      ends: the numbers that have the two strongest colours.
      classes: how many classes the numbers are; 0 if they are no classes.
      middle: the number on whose line the prediction turns over; None if there are not two targets.
    """

    words: str
    at: np.ndarray
    on: np.ndarray
    ends: tuple[float, float]
    classes: int = 0
    middle: float | None = None


def surface_figure(learned: Learned, low: bool = False) -> go.Figure:
    """Draw the prediction over the columns of the data, with the data points on it, coloured by target.

    Colours follow from the targets, so they stay the same from step to step.
    """
    surface, shade = learned.surface, _shade(learned)
    traces = _heatmap(surface, shade) if len(surface.axes) == 2 else _curve(surface, shade)
    across = {"nticks": 5, "tickangle": 0, "showgrid": False, "zeroline": False}
    sides = [[float(along[0]), float(along[-1])] for along in surface.axes]
    low_end, high_end = shade.ends
    room = 0.3 * (high_end - low_end)
    up = sides[1] if len(sides) == 2 else [low_end - room, high_end + room]
    layout = {
        "height": LOW if low else HEIGHT,
        "margin": {"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM, "pad": 2},
        "hovermode": "closest",
        "meta": {"told": f"<p>{_sentence(learned, shade)}</p>"},
        "xaxis": axis(range=sides[0], **across),
        "yaxis": axis(range=up, **across),
    }
    return draw(traces, layout, f"surface {surface.node}")


def surface_text(learned: Learned) -> str:
    """Describe the figure in one sentence, for screen readers."""
    shade = _shade(learned)
    kind = "A heat-map" if len(learned.surface.axes) == 2 else "A curve"
    finite = shade.at[np.isfinite(shade.at)]
    span = f" It is from {scalar(finite.min())} to {scalar(finite.max())}." if finite.size else ""
    return unescape(f"{kind}: {_sentence(learned, shade)}{span}")


def _sentence(learned: Learned, shade: _Shade) -> str:
    surface = learned.surface
    columns = [f"{plain(surface.data)}[:,\u00a0{i}]" for i in range(surface.points.shape[1])]  # in one line
    over = " and ".join(columns) if len(columns) == 2 else plain(surface.data)
    when = "before the first step" if learned.step == 0 else f"after step {learned.step or 0:,}"
    when = "with the formula's own numbers" if learned.step is None else when
    points, coloured = len(surface.points), ", coloured by target" if len(columns) == 2 else ""
    data = "the point is the data" if points == 1 else f"the {counted(points, 'point')} are the data"
    if points > SHOWN:
        data = f"{SHOWN:,} of the {counted(points, 'point')} of data are drawn"
    broken = "" if np.isfinite(shade.at).all() else " Where it is not finite, nothing is drawn."
    return (
        f"{shade.words} {when} over {over}; {data}{coloured if surface.targets is not None else ''}.{broken}"
    )


def _shade(learned: Learned) -> _Shade:
    surface, name = learned.surface, short(learned.surface.node, 24)
    rows = surface.points.shape[:1]
    value = surface.value.astype(np.float64).reshape(*surface.value.shape[: len(surface.axes)], -1)
    predicted = surface.predicted.astype(np.float64).reshape(*rows, -1)
    columns = value.shape[-1]
    if learned.op == CLASSES and 2 < columns <= len(PALETTE):
        each = [np.where(np.isfinite(x).all(-1), x.argmax(-1), np.nan) for x in (value, predicted)]
        return _Shade(f"{CLASS} by {name}", *each, (0.0, columns - 1.0), classes=columns)
    if (learned.op, columns) in ((CLASSES, 2), (BINARY, 1)):
        odds = [x[..., 1] - x[..., 0] if columns == 2 else x[..., 0] for x in (value, predicted)]
        with np.errstate(over="ignore"):
            chances = [1 / (1 + np.exp(-x)) for x in odds]
        return _Shade(f"{CHANCE} by {name}", *chances, (0.0, 1.0), middle=0.5)
    words = name if columns == 1 else f"{name}[:, 0]"
    targets = surface.targets if columns == 1 else None
    at, on = value[..., 0], predicted[..., 0]
    if targets is None:
        return _Shade(words, at, on, _round_ends(at))
    ends = _ends(targets.astype(np.float64))
    middle = sum(ends) / 2 if len(np.unique(targets)) == 2 else None
    return _Shade(words, at, on, ends, middle=middle)


def _round_ends(values: np.ndarray) -> tuple[float, float]:
    """Return ends around 0 that change seldom while the values do: 1, 2 or 5 times a power of ten."""
    most = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    power = 10.0 ** ceil(log10(most))
    end = next(share * power for share in (0.2, 0.5, 1.0, 2.0) if share * power >= most)
    return -end, end


def _heatmap(surface: Surface, shade: _Shade) -> list[dict[str, Any]]:
    x, y = (along.astype(np.float64) for along in surface.axes)
    ends = _class_ends(shade.classes) if shade.classes else shade.ends
    names = [f"{plain(surface.data)}[:, {i}] %{{{axis_}:.4g}}" for i, axis_ in enumerate("xy")]
    heatmap = {
        "type": "heatmap",
        "x": x,
        "y": y,
        "z": np.where(np.isfinite(shade.at), shade.at, np.nan).astype(np.float32),
        "zmin": ends[0],
        "zmax": ends[1],
        "colorscale": _colours(shade.classes, 0.55),
        "zsmooth": False if shade.classes else "best",
        "showscale": False,
        "hovertemplate": f"{'<br>'.join(names)}<br>{shade.words} %{{z:.4g}}<extra></extra>",
    }
    boundary = []
    if shade.middle is not None:  # the line on which the prediction is halfway between the two targets
        level = {"start": shade.middle, "end": shade.middle, "size": 1, "coloring": "none"}
        line = {"color": NEUTRAL, "width": 2}
        same = {key: heatmap[key] for key in "xyz"}
        quiet = {"showscale": False, "hoverinfo": "skip"}
        boundary.append({"type": "contour", **same, "contours": level, "line": line, **quiet})
    return [heatmap, *boundary, *_points(surface, shade, surface.points.T.astype(np.float64))]


def _curve(surface: Surface, shade: _Shade) -> list[dict[str, Any]]:
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": surface.axes[0].astype(np.float64),
        "y": np.where(np.isfinite(shade.at), shade.at, np.nan),
        "line": {"color": VALUE, "width": 3},
        "hovertemplate": f"{plain(surface.data)} %{{x:.4g}}<br>{shade.words} %{{y:.4g}}<extra></extra>",
    }
    height = shade.on if surface.targets is None else surface.targets.astype(np.float64)
    return [line, *_points(surface, shade, (surface.points[:, 0].astype(np.float64), height))]


def _points(surface: Surface, shade: _Shade, places: Sequence[np.ndarray]) -> list[dict[str, Any]]:
    """Return the data points, light rings in dark ones, so that they are seen on every colour and page."""
    count = len(surface.points)
    some = np.unique(np.linspace(0, count - 1, min(count, SHOWN)).astype(int))
    x, y = (along[some] for along in places)
    size, edge, ring = (12, 1.5, 16) if count <= 12 else (7, 1, 9) if count <= 150 else (4, 1, 6)
    marker: dict[str, Any] = {"size": size, "line": {"color": RING, "width": edge}}
    named = {"customdata": shade.on[some], "hovertemplate": f"{shade.words} %{{customdata:.4g}}"}
    if surface.targets is None:
        marker["color"] = SOME
    else:
        targets = surface.targets.astype(np.float64)
        low, high = _class_ends(shade.classes) if shade.classes else _ends(targets)
        marker |= {"color": targets[some], "colorscale": _colours(shade.classes, 1.0)}
        marker |= {"cmin": low, "cmax": high}
        named["text"] = [scalar(float(one)) for one in surface.targets[some]]
        named["hovertemplate"] += "<br>target %{text}"
    named |= {"hovertemplate": f"{named['hovertemplate']}<extra></extra>", "name": "data"}
    shared = {"type": "scatter", "mode": "markers", "x": x, "y": y, "cliponaxis": False}
    around = {"size": ring, "color": AROUND}
    return [{**shared, "marker": around, "hoverinfo": "skip"}, {**shared, "marker": marker, **named}]


def _class_ends(classes: int) -> tuple[float, float]:
    return -0.5, classes - 0.5


def _ends(targets: np.ndarray) -> tuple[float, float]:
    low, high = float(targets.min()), float(targets.max())
    return (low, high) if low < high else (low - 1, high + 1)


def _colours(classes: int, strength: float) -> list[list[Any]]:
    """Return a colour scale: of numbers from amber to blue, or a colour for each class.

    Args:
      strength: opacity of the strongest colours; 1 for colours that let nothing through.
    """

    if classes:
        bands = [(i / classes, (i + 1) / classes, faded(PALETTE[i], strength)) for i in range(classes)]
        return [[end, colour] for low, high, colour in bands for end in (low, high)]
    faint = 1.0 if strength == 1.0 else 0.12
    return [[0, faded(LITTLE, strength)], [0.5, faded(SOME, faint)], [1, faded(HIGH, strength)]]
