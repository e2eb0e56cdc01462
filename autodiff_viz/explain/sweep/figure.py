"""Draw value and derivative along one input: declared derivative, true one, and difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.colours import faded
from autodiff_viz.display.theme import (
    CLEAR,
    COTANGENT,
    EDGE,
    LINE,
    LOW,
    NEUTRAL,
    RULE,
    SMALL,
    VALUE,
    axis,
    coloured,
    draw,
    ink,
    short,
)
from autodiff_viz.explain.sweep.compute import Curves
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.graph.text import listed, scalar

# Draw the traces of the sweep figure: curves, tangents, the area between declared and true, and points.


TANGENT = 0.2  # share of the axis that a tangent goes to either side
SHADE = faded(RULE, 0.2)


def sweep_traces(curves: Curves, upper: list[float], lower: list[float], bent: bool) -> list[dict[str, Any]]:
    """Return all traces, those that lie behind first.

    Args:
      upper, lower: ranges of the two axes.
      bent: whether declared and true differ.
    """
    lines = [
        _line(curves, curves.value, upper, "y", "value", VALUE, "solid"),
        _line(curves, curves.declared, lower, "y2", "declared", COTANGENT, "solid"),
    ]
    if bent:  # else the dashes would lie on the declared line
        lines.append(_line(curves, curves.true, lower, "y2", "true", RULE, "dash"))
    return [*_shading(curves), *lines, *_tangents(curves, upper, bent), *_points(curves, bent)]


def _line(
    curves: Curves, numbers: np.ndarray, shown: list[float], yaxis: str, name: str, colour: str, dash: str
) -> dict[str, Any]:
    # NaN leaves a gap: where nothing is finite, and at a jump by more than is shown, a pole, which would be
    # drawn as a line. An array, not a list: Plotly sends it as bytes, in which NaN is allowed.
    drawn = np.where(np.isfinite(numbers), numbers, np.nan)
    drawn[:-1][np.abs(np.diff(drawn)) > shown[1] - shown[0]] = np.nan
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "yaxis": yaxis,
        "x": curves.positions,
        "y": drawn,
        "line": {"color": colour, "width": 3.5, "dash": dash},
        "connectgaps": False,
        "hovertemplate": f"{name} %{{y:.5g}}<br>at %{{x:.5g}}<extra></extra>",
    }


def _tangents(curves: Curves, shown: list[float], bent: bool) -> list[dict[str, Any]]:
    """Return the tangent of the declared slope, and that of the true one if they differ."""
    i = curves.at_present
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
    value = float(curves.value[curves.at_present])
    reach = TANGENT * float(curves.positions[-1] - curves.positions[0])
    room = max(min(value - shown[0], shown[1] - value), 0.0)
    reach = min(reach, room / abs(slope)) if slope else reach
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "yaxis": "y",
        "x": [curves.present - reach, curves.present + reach],
        "y": [value - slope * reach, value + slope * reach],
        "line": {"color": colour, "width": 2.5, "dash": dash},
        "hovertemplate": f"{name}: slope {scalar(slope)}<extra></extra>",
    }


def _shading(curves: Curves) -> list[dict[str, Any]]:
    """Return the area between declared and true, one closed shape for each stretch in which they differ."""
    both = np.isfinite(curves.declared) & np.isfinite(curves.true)
    x: list[float | None] = []
    y: list[float | None] = []
    # Each run of True is a stretch: the flags change before its first position and after its last.
    flags = np.concatenate([[False], curves.bent & both, [False]]).astype(int)
    starts, stops = np.flatnonzero(np.diff(flags) == 1), np.flatnonzero(np.diff(flags) == -1)
    for start, stop in zip(starts, stops, strict=True):
        stretch = slice(int(start), int(stop))
        at = curves.positions[stretch]
        x += [*at.tolist(), *at[::-1].tolist(), None]
        y += [*curves.declared[stretch].tolist(), *curves.true[stretch][::-1].tolist(), None]
    shape = {"type": "scatter", "mode": "lines", "fill": "toself", "fillcolor": SHADE, "line": {"width": 0}}
    return [{**shape, "name": "bent", "yaxis": "y2", "x": x, "y": y, "hoverinfo": "skip"}] if x else []


def _points(curves: Curves, bent: bool) -> list[dict[str, Any]]:
    """Return finite differences, and a dot on each line at the present value."""
    i = curves.at_present
    differences = _markers(
        curves.marked, np.where(np.isfinite(curves.slopes), curves.slopes, np.nan), "y2", "finite differences"
    )
    differences["marker"] = {"symbol": "circle-open", "size": 9, "color": NEUTRAL, "line": {"width": 2}}
    dots = [("y", "value", curves.value[i], VALUE), ("y2", "declared", curves.declared[i], COTANGENT)]
    dots += [("y2", "true", curves.true[i], RULE)] if bent else []
    points = [differences]
    for yaxis, name, y, colour in dots:
        dot = _markers([curves.present], [float(y) if np.isfinite(y) else None], yaxis, f"{name} here")
        points.append({**dot, "marker": {"symbol": "circle", "size": 13, "color": colour}})
    return points


def _markers(x: Any, y: Any, yaxis: str, name: str) -> dict[str, Any]:
    hover = f"{name} %{{y:.5g}}<br>at %{{x:.5g}}<extra></extra>"
    kind = {"type": "scatter", "mode": "markers", "yaxis": yaxis, "name": name, "cliponaxis": False}
    return {**kind, "x": x, "y": y, "hovertemplate": hover}


UPPER, LOWER = 170, 210  # pixels of the two panels
LEFT, RIGHT, BOTTOM = 62, 20, 60
ABOVE, FOOT = 28, 44  # pixels of the margins of the panels side by side
SHORT_TITLE, TITLES = 12, 34  # letters that a narrow figure has room for, over the right panel and over both
APART = 0.56  # share of the width at which the second of them begins
CROWD = 6.0  # the axis is cut if a few numbers would make it this many times taller
SWATCH = faded(RULE, 0.55)
AWAY = {"ticks": "outside", "ticklen": 8, "tickcolor": CLEAR}  # keeps tick labels clear of the circles


def sweep_figure(curves: Curves) -> go.Figure:
    """Draw two panels over one axis, the swept input, with a line at its present value.

    Above: the value, with its tangent by the declared derivative (solid) and by the true one (dashed).
    Below: the declared derivative (solid), the true one with the rules off (dashed) and finite differences
    (circles). The area between declared and true is shaded; the text over each panel names the lines and
    gives their numbers at the present value. NaN leaves a gap.
    """
    bent = bool(curves.bent.any())
    legend = _legend(curves, bent)
    head, gap = 34 + LINE, 16 + LINE * len(legend)
    heights = {"upper": UPPER, "gap": gap, "lower": LOWER}
    total = sum(heights.values())
    upper = _range(curves.value, keep=curves.value[curves.at_present])
    lower = _range(
        np.concatenate([curves.declared, curves.true, [0.0]]), keep=curves.declared[curves.at_present]
    )
    # A vertical line at the present value, through each panel.
    look = {"color": NEUTRAL, "width": 2, "dash": "dot"}
    line = {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": curves.present,
        "x1": curves.present,
        "line": look,
    }
    layout = {
        "height": head + total + BOTTOM,
        "margin": {"l": LEFT, "r": RIGHT, "t": head, "b": BOTTOM, "pad": 0},
        "hovermode": "closest",
        "xaxis": _across(curves),
        "yaxis": axis(domain=[1 - UPPER / total, 1], range=upper, nticks=5, tickangle=0, **AWAY),
        "yaxis2": axis(domain=[0, LOWER / total], range=lower, nticks=6, tickangle=0, anchor="x", **AWAY),
        "annotations": [_headline(_value_line(curves), 1.0), _headline("<br>".join(legend), LOWER / total)],
        "shapes": [{**line, "y0": 1 - UPPER / total, "y1": 1}, {**line, "y0": 0, "y1": LOWER / total}],
        "meta": {"swept": curves.name, "here": curves.present},  # web/dock/marker.js drags the marker
    }
    traces = sweep_traces(curves, upper, lower, bent)
    ends = f"{curves.positions[0]:g} {curves.positions[-1]:g}"
    return draw(traces, layout, f"sweep {curves.name} {curves.output} {ends}")


def low_sweep(curves: Curves) -> go.Figure:
    """Draw the two panels side by side, for a place that is low; their legend stands beside the figure."""
    whole, bent = sweep_figure(curves), bool(curves.bent.any())
    layout, across = whole["layout"], _across(curves)
    # The title of the right panel: a long one ends with the figure, a longer one names nothing.
    left, right = _output(curves, short), _slope(curves)
    if len(right) <= SHORT_TITLE:
        headline = _headline(f"<b>{right}</b>", 1.0) | {"x": APART, "xshift": 0}
    else:
        text = right if len(right) + len(left) <= TITLES else "derivative"
        at_end = {"x": 1, "xanchor": "right", "xshift": RIGHT - EDGE, "align": "right"}
        headline = _headline(f"<b>{text}</b>", 1.0) | at_end
    line = {**layout["shapes"][0].to_plotly_json(), "y0": 0, "y1": 1}
    legend = "".join(f"<p>{one}</p>" for one in [_value_line(curves), *_legend(curves, bent)])
    beside = {
        "height": LOW,
        "margin": {"l": LEFT, "r": RIGHT, "t": ABOVE, "b": FOOT, "pad": 0},
        "hovermode": "closest",
        "xaxis": {**across, "anchor": "y", "domain": [0, 1 - APART], "nticks": 4},
        "xaxis2": {**across, "anchor": "y2", "domain": [APART, 1], "nticks": 4},
        "yaxis": {**layout["yaxis"].to_plotly_json(), "domain": [0, 1], "nticks": 4},
        "yaxis2": {**layout["yaxis2"].to_plotly_json(), "domain": [0, 1], "anchor": "x2", "nticks": 4},
        "annotations": [_headline(f"<b>{left}</b>", 1.0), headline],
        "shapes": [line, {**line, "xref": "x2"}],
        "meta": {"swept": curves.name, "here": curves.present, "told": legend},
    }
    traces = [one.to_plotly_json() for one in whole.data]
    traces = [{**one, "xaxis": "x2"} if one["yaxis"] == "y2" else one for one in traces]
    return draw(traces, beside, f"low {layout['uirevision']}")


def _slope(curves: Curves) -> str:
    return f"d {_output(curves, short)} / d {short(curves.name)}"


def sweep_text(curves: Curves) -> str:
    """Describe the figure in one sentence, for screen readers."""
    i = curves.at_present
    first, last, present = (scalar(x) for x in (curves.positions[0], curves.positions[-1], curves.present))
    value, declared, true = (scalar(y[i]) for y in (curves.value, curves.declared, curves.true))
    charts = (
        f"Two line charts over {curves.name} from {first} to {last}: at {present}, {_output(curves)} is "
        f"{value}, its declared derivative {declared} and its true derivative {true}"
    )
    if not curves.bent.any():
        return f"{charts}; declared and true agree everywhere."
    low, high = curves.positions[curves.bent][[0, -1]]
    where = f"between {scalar(low)} and {scalar(high)}"
    return f"{charts}; the two differ {where}, because of {_rules(curves)}."


def _output(curves: Curves, write: Any = str) -> str:
    return write(curves.output) if curves.is_plain else f"⟨seed, {write(curves.output)}⟩"


def _rules(curves: Curves, write: Any = str) -> str:
    """Return rules and their nodes in words, as many as fit on a line."""
    named = [f"{KINDS[node.rule.kind].label} at {write(node.name)}" for node in curves.rules]
    return listed(named, 2 if sum(map(len, named[:2])) < 40 else 1)


def _value_line(curves: Curves) -> str:
    value = _live("value", curves.value[curves.at_present])
    where = f"at {short(curves.name)} = {_live('here', curves.present)}"
    return f"{coloured('━', VALUE)} <b>{_output(curves, short)} = {value}</b> {where}"


def _legend(curves: Curves, bent: bool) -> list[str]:
    """Return the legend of the lower panel, each line with its number at the present value."""
    i = curves.at_present
    mark = int(np.argmin(np.abs(curves.marked - curves.present)))
    title = f"<b>{_slope(curves)}</b>"
    agree = "declared" if bent else "declared = true" if curves.rules else "JAX"
    first = f"{title}  {coloured('━', COTANGENT)} {agree} <b>{_live('declared', curves.declared[i])}</b>"
    slope = _live("slope", curves.slopes[mark])
    circles = f"{coloured('○', NEUTRAL)} finite differences <b>{slope}</b>"
    if not bent:
        return [first, circles]
    dashes = f"{coloured('╍', RULE)} true <b>{_live('true', curves.true[i])}</b>"
    return [first, f"{dashes}  {circles}", f"{coloured('■', SWATCH)} bent by {_rules(curves, short)}"]


def _live(what: str, number: float) -> str:
    """Return a number that the browser writes anew while the slider is dragged (web/explain/sweep.js)."""
    return f'<span data-av-sweep="{what}">{scalar(number)}</span>'


def _headline(text: str, y: float) -> dict[str, Any]:
    """Return text over a panel whose top is at `y`, flush with the left edge of the figure."""
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": y, "xshift": EDGE - LEFT, "yshift": 6}
    anchors = {"xanchor": "left", "yanchor": "bottom", "align": "left", "showarrow": False}
    return {"text": ink(text), "font": {"size": SMALL}, **place, **anchors}


def _across(curves: Curves) -> dict[str, Any]:
    low, high = float(curves.positions[0]), float(curves.positions[-1])
    title = {"text": f"<b>{short(curves.name)}</b>", "font": {"size": SMALL + 1}, "standoff": 8}
    return axis(range=[low, high], anchor="y2", nticks=7, tickangle=0, title=title, zeroline=False)


def _range(numbers: np.ndarray, keep: float) -> list[float]:
    """Return the shown part of an axis: all of it, unless a few numbers near a pole would crush the rest."""
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return [-1.0, 1.0]
    low, high = np.percentile(finite, [10, 90])
    middle, half = (low + high) / 2, CROWD / 2 * max(high - low, 1e-12)
    whole = (float(finite.min()), float(finite.max()))
    cut = whole[1] - whole[0] > 2 * CROWD * (high - low) > 0
    low, high = (max(whole[0], middle - half), min(whole[1], middle + half)) if cut else whole
    if np.isfinite(keep):
        low, high = min(low, keep), max(high, keep)
    room = 0.08 * (high - low) or 0.5 * max(1.0, abs(high))
    return [float(low - room), float(high + room)]
