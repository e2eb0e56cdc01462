"""Draw the traces of the sweep figure: curves, tangents, the area between declared and true, and points."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_viz.figures.derivatives.curves import Curves
from autodiff_viz.figures.style.theme import COTANGENT, NEUTRAL, RULE, VALUE
from autodiff_viz.graph.text.text_format import scalar

TANGENT = 0.2  # share of the axis that a tangent goes to either side
SHADE = "rgba(146,90,226,0.20)"


def sweep_traces(curves: Curves, upper: list[float], lower: list[float], bent: bool) -> list[dict[str, Any]]:
    """Return all traces, those that lie behind first.

    Args:
      upper, lower: ranges of the two axes.
      bent: whether declared and true differ.
    """
    drawn = [*_shading(curves), *_lines(curves, upper, lower, bent), *_tangents(curves, upper, bent)]
    return [*drawn, *_points(curves, bent)]


def _lines(curves: Curves, upper: list[float], lower: list[float], bent: bool) -> list[dict[str, Any]]:
    value = _line(curves, curves.value, upper, "y", "value", VALUE, "solid")
    declared = _line(curves, curves.declared, lower, "y2", "declared", COTANGENT, "solid")
    true = _line(curves, curves.true, lower, "y2", "true", RULE, "dash")
    return [value, declared, true] if bent else [value, declared]


def _line(
    curves: Curves, numbers: np.ndarray, shown: list[float], yaxis: str, name: str, colour: str, dash: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "yaxis": yaxis,
        "x": curves.positions,
        "y": _gaps(numbers, shown),
        "line": {"color": colour, "width": 3.5, "dash": dash},
        "connectgaps": False,
        "hovertemplate": f"{name} %{{y:.5g}}<br>at %{{x:.5g}}<extra></extra>",
    }


def _tangents(curves: Curves, shown: list[float], bent: bool) -> list[dict[str, Any]]:
    """Return the tangent of the declared slope, and that of the true one if they differ."""
    i = curves.at_here
    slopes = [("tangent", curves.declared[i], COTANGENT, "solid")]
    slopes += [("true tangent", curves.true[i], RULE, "dash")] if bent else []
    return [
        _tangent(curves, float(slope), shown, name, colour, dash)
        for name, slope, colour, dash in slopes
        if np.isfinite(slope) and np.isfinite(curves.value[i])
    ]


def _tangent(
    curves: Curves, slope: float, shown: list[float], name: str, colour: str, dash: str
) -> dict[str, Any]:
    """Return a piece of a tangent about the present value that stays within the panel."""
    value = float(curves.value[curves.at_here])
    reach = TANGENT * float(curves.positions[-1] - curves.positions[0])
    room = max(min(value - shown[0], shown[1] - value), 0.0)
    reach = min(reach, room / abs(slope)) if slope else reach
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "yaxis": "y",
        "x": [curves.here - reach, curves.here + reach],
        "y": [value - slope * reach, value + slope * reach],
        "line": {"color": colour, "width": 2.5, "dash": dash},
        "hovertemplate": f"{name}: slope {scalar(slope)}<extra></extra>",
    }


def _gaps(numbers: np.ndarray, shown: list[float]) -> np.ndarray:
    """Return the numbers with NaN where nothing is to be drawn, and where a pole would be drawn as a line.

    An array, not a list: Plotly sends it as bytes, in which NaN is allowed.
    """
    found = np.where(np.isfinite(numbers), numbers, np.nan)
    found[:-1][np.abs(np.diff(found)) > shown[1] - shown[0]] = np.nan
    return found


def _shading(curves: Curves) -> list[dict[str, Any]]:
    """Return the area between declared and true, one closed shape for each stretch in which they differ."""
    both = np.isfinite(curves.declared) & np.isfinite(curves.true)
    x: list[float | None] = []
    y: list[float | None] = []
    for stretch in _stretches(curves.bent & both):
        at = curves.positions[stretch]
        x += [*at.tolist(), *at[::-1].tolist(), None]
        y += [*curves.declared[stretch].tolist(), *curves.true[stretch][::-1].tolist(), None]
    shape = {"type": "scatter", "mode": "lines", "fill": "toself", "fillcolor": SHADE, "line": {"width": 0}}
    return [{**shape, "name": "bent", "yaxis": "y2", "x": x, "y": y, "hoverinfo": "skip"}] if x else []


def _stretches(flags: np.ndarray) -> list[slice]:
    """Return runs of True, each extended by one position at both ends where possible, to meet the curves."""
    padded = np.concatenate([[False], flags, [False]]).astype(int)
    starts, stops = np.flatnonzero(np.diff(padded) == 1), np.flatnonzero(np.diff(padded) == -1)
    return [slice(int(a), int(b)) for a, b in zip(starts, stops, strict=True)]


def _points(curves: Curves, bent: bool) -> list[dict[str, Any]]:
    """Return finite differences, and a dot on each line at the present value."""
    i = curves.at_here
    differences = _markers(
        curves.marked, np.where(np.isfinite(curves.slopes), curves.slopes, np.nan), "y2", "finite differences"
    )
    differences["marker"] = {"symbol": "circle-open", "size": 9, "color": NEUTRAL, "line": {"width": 2}}
    dots = [("y", "value", curves.value[i], VALUE), ("y2", "declared", curves.declared[i], COTANGENT)]
    dots += [("y2", "true", curves.true[i], RULE)] if bent else []
    found = [differences]
    for yaxis, name, y, colour in dots:
        dot = _markers([curves.here], [float(y) if np.isfinite(y) else None], yaxis, f"{name} here")
        found.append({**dot, "marker": {"symbol": "circle", "size": 13, "color": colour}})
    return found


def _markers(x: Any, y: Any, yaxis: str, name: str) -> dict[str, Any]:
    hover = f"{name} %{{y:.5g}}<br>at %{{x:.5g}}<extra></extra>"
    kind = {"type": "scatter", "mode": "markers", "yaxis": yaxis, "name": name, "cliponaxis": False}
    return {**kind, "x": x, "y": y, "hovertemplate": hover}
