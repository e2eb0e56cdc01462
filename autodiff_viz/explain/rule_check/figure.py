"""Draw a node's declared derivative beside the true one and central differences, along a sweep."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.theme import (
    COTANGENT,
    EDGE,
    NEUTRAL,
    RULE,
    SMALL,
    STOP,
    axis,
    coloured,
    draw,
    heading,
    note,
    plain,
    rule_mark,
    short,
    top,
)
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.rule_check.compute import (
    NO_FORWARD_MODE,
    Along,
    RuleCheck,
    adjoint_statement,
    function_of,
    place,
    rule_check,
)
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.graph.text import scalar

TALL, LOW, BOTTOM, LEFT = 240, 226, 56, 62  # pixels of the drawing, of a low figure, and of margins
EVERY = 5  # positions between two circles
ROOM = 0.12  # of an axis, above and below what it shows
NONE = "Rule check compares a node's derivative; this graph has no node that reads another."


def rule_check_figure(trace: Trace, name: str | None, low: bool = False) -> go.Figure:
    """Draw three curves over the value that the node reads.

    The declared derivative is solid, the true one dashed, and central differences are circles, without those
    at corners. A red line from curve to curve marks the largest gap, a dotted one the present value.
    """
    found = _checked(trace, name)
    if found is None:
        return note(NONE, "rule check")
    along, ruled = found.worst, found.kind != FOLLOW
    said = [plain(found.sentence), _legend(found, along)]
    beside = [plain(adjoint_statement(along).text), *([NO_FORWARD_MODE] if found.blocked else [])]
    title, under = f"{_slope(along, found)}{_mark(trace, found)}", [*said, *beside]
    height = LOW if low else top(under) + TALL + BOTTOM
    head = {} if low else {"title": heading(title, under, height)}
    told = "".join(f"<p>{one}</p>" for one in (f"<b>{title}</b>", *under))
    layout = {
        **head,
        "height": height,
        "margin": {"l": LEFT, "r": 2 * EDGE, "t": EDGE if low else top(under), "b": BOTTOM, "pad": 0},
        "hovermode": "closest",
        "xaxis": axis(title=_title(along), zeroline=False, nticks=7, tickangle=0),
        "yaxis": axis(range=_range(along), nticks=6, tickangle=0),
        "shapes": [_line(along.here, along.here, None, NEUTRAL, "dot"), *_gap_line(along)],
        **({"meta": {"told": told}} if low else {}),
    }
    return draw(_traces(along, ruled), layout, f"rule check {found.node} {along.by} {low}")


def rule_check_text(trace: Trace, name: str | None) -> str:
    """Describe the figure in one sentence, for screen readers."""
    found = _checked(trace, name)
    if found is None:
        return NONE
    return f"A line chart of the derivatives of {found.node} by {place(found.worst)}: {found.sentence}"


def _checked(trace: Trace, name: str | None) -> RuleCheck | None:
    """Check the node, or one of the figure's own choice: the first with a rule, else the output."""
    if name is not None and name in trace.graph:
        return rule_check(trace, name)
    with_rule = [node.name for node in trace.graph.nodes if node.rule.kind != FOLLOW]
    reads = [node.name for node in trace.graph.nodes if node.op == INPUT or node.wires]
    for chosen in (*with_rule, trace.output, *reads):
        try:
            return rule_check(trace, chosen)
        except GraphError:
            continue
    return None


def _mark(trace: Trace, found: RuleCheck) -> str:
    mark = rule_mark(trace.graph[found.node].rule)
    return f"  {mark}" if mark else ""


def _slope(along: Along, found: RuleCheck) -> str:
    return f"d {function_of(found, short(found.node))} / d {short(place(along))}"


def _legend(found: RuleCheck, along: Along) -> str:
    at = along.at_here
    circles = f"{coloured('○', NEUTRAL)} central differences <b>{scalar(along.difference[at])}</b>"
    if along.corner[at]:
        circles = f"{coloured('○', NEUTRAL)} central differences (a corner here)"
    if found.kind == FOLLOW:
        return f"{coloured('━', COTANGENT)} JAX <b>{scalar(along.true[at])}</b>  {circles}"
    declared = f"{coloured('━', COTANGENT)} declared <b>{scalar(along.declared[at])}</b>"
    true = f"{coloured('╍', RULE)} true <b>{scalar(along.true[at])}</b>"
    gap = f"  {coloured('┃', STOP)} largest gap <b>{scalar(along.gap)}</b>" if along.differs else ""
    return f"{declared}  {true}  {circles}{gap}"


def _title(along: Along) -> dict[str, Any]:
    return {"text": f"<b>{short(place(along))}</b>", "font": {"size": SMALL + 1}, "standoff": 8}


def _range(along: Along) -> list[float]:
    """Return the shown part of the axis: what JAX computes, with the zero."""
    both = np.concatenate([along.declared, along.true, [0.0]])
    finite = both[np.isfinite(both)]
    low, high = float(finite.min()), float(finite.max())
    room = ROOM * (high - low) or 0.5 * max(1.0, abs(high))
    return [low - room, high + room]


def _traces(along: Along, ruled: bool) -> list[dict[str, Any]]:
    chosen = np.arange(0, len(along.positions), EVERY)
    chosen = chosen[~along.corner[chosen] & np.isfinite(along.difference[chosen])]
    circles = {
        "type": "scatter",
        "mode": "markers",
        "name": "central differences",
        "x": along.positions[chosen],
        "y": along.difference[chosen],
        "marker": {"symbol": "circle-open", "size": 9, "color": NEUTRAL, "line": {"width": 2}},
        "hovertemplate": "central difference %{y:.5g}<br>at %{x:.5g}<extra></extra>",
    }
    true = _curve(along, along.true, "true", RULE, "dash")
    declared = _curve(along, along.declared, "declared" if ruled else "JAX", COTANGENT, "solid")
    return [declared, true, circles] if ruled else [declared, circles]


def _curve(along: Along, numbers: np.ndarray, name: str, colour: str, dash: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": along.positions,
        "y": np.where(np.isfinite(numbers), numbers, np.nan),
        "line": {"color": colour, "width": 3.5, "dash": dash},
        "connectgaps": False,
        "hovertemplate": f"{name} %{{y:.5g}}<br>at %{{x:.5g}}<extra></extra>",
    }


def _gap_line(along: Along) -> list[dict[str, Any]]:
    ends = along.declared[along.worst], along.true[along.worst]
    if not along.differs or not np.all(np.isfinite(ends)):
        return []
    return [_line(along.where, along.where, (float(ends[0]), float(ends[1])), STOP, "solid")]


def _line(x0: float, x1: float, ends: tuple[float, float] | None, colour: str, dash: str) -> dict[str, Any]:
    """Return a vertical line between two numbers, or through the whole drawing."""
    y = {"yref": "paper", "y0": 0, "y1": 1} if ends is None else {"yref": "y", "y0": ends[0], "y1": ends[1]}
    line = {"color": colour, "width": 2 if ends is None else 4, "dash": dash}
    return {"type": "line", "xref": "x", "x0": x0, "x1": x1, **y, "line": line}
