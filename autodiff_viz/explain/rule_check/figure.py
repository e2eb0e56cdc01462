"""Draw a node's declared derivative beside the true one and central differences, along a sweep."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.theme import (
    COTANGENT,
    EDGE,
    LOW_UNDER_ONE,
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

TALL, BOTTOM, LEFT = 240, 56, 62  # pixels of the drawing, and of margins
EVERY = 5  # positions between two circles
ROOM = 0.12  # of an axis, above and below what it shows
NONE = "Rule check compares a node's derivative; this graph has no node that reads another."


def rule_check_figure(trace: Trace, name: str | None, low: bool = False) -> go.Figure:
    """Draw three curves over the value that the node reads.

    The declared derivative is solid, the true one dashed, and central differences are circles, without those
    at corners. A red line from curve to curve marks the largest gap, a dotted one the present value.
    """
    check = _checked(trace, name)
    if check is None:
        return note(NONE, "rule check")
    along, ruled = check.worst, check.kind != FOLLOW
    under = [plain(check.sentence), _legend(check, along), plain(adjoint_statement(along).text)]
    under += [NO_FORWARD_MODE] if check.blocked else []
    mark = rule_mark(trace.graph[check.node].rule)
    slope = f"d {function_of(check, short(check.node))} / d {short(place(along))}"
    title = f"{slope}  {mark}" if mark else slope
    height = LOW_UNDER_ONE if low else top(under) + TALL + BOTTOM
    head = {} if low else {"title": heading(title, under, height)}
    # A low figure has no room for words: the page shows them beside it.
    words = "".join(f"<p>{one}</p>" for one in (f"<b>{title}</b>", *under))
    # The axis shows what JAX computes, with the zero; central differences may be far off.
    both = np.concatenate([along.declared[~along.outside], along.true[~along.outside], [0.0]])
    finite = both[np.isfinite(both)]
    bottom, peak = float(finite.min()), float(finite.max())
    room = ROOM * (peak - bottom) or 0.5 * max(1.0, abs(peak))
    lines = [_line(along.here, along.here, None, NEUTRAL, "dot")]
    ends = float(along.declared[along.worst]), float(along.true[along.worst])
    if along.differs and np.all(np.isfinite(ends)):
        lines.append(_line(along.where, along.where, ends, STOP, "solid"))
    axis_title = {"text": f"<b>{short(place(along))}</b>", "font": {"size": SMALL + 1}, "standoff": 8}
    layout = {
        **head,
        "height": height,
        "margin": {"l": LEFT, "r": 2 * EDGE, "t": EDGE if low else top(under), "b": BOTTOM, "pad": 0},
        "hovermode": "closest",
        "xaxis": axis(title=axis_title, zeroline=False, nticks=7, tickangle=0),
        "yaxis": axis(range=[bottom - room, peak + room], nticks=6, tickangle=0),
        "shapes": lines,
        **({"meta": {"told": words}} if low else {}),
    }
    return draw(_traces(along, ruled), layout, f"rule check {check.node} {along.by} {low}")


def rule_check_text(trace: Trace, name: str | None) -> str:
    """Describe the figure in one sentence, for screen readers."""
    check = _checked(trace, name)
    if check is None:
        return NONE
    return f"A line chart of the derivatives of {check.node} by {place(check.worst)}: {check.sentence}"


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


def _legend(check: RuleCheck, along: Along) -> str:
    at = along.at_here
    if along.outside[at]:
        return f"{check.node} has no finite value here"
    circles = f"{coloured('○', NEUTRAL)} central differences <b>{scalar(along.difference[at])}</b>"
    if along.corner[at]:
        circles = f"{coloured('○', NEUTRAL)} central differences (a corner here)"
    if check.kind == FOLLOW:
        return f"{coloured('━', COTANGENT)} JAX <b>{scalar(along.true[at])}</b>  {circles}"
    declared = f"{coloured('━', COTANGENT)} declared <b>{scalar(along.declared[at])}</b>"
    true = f"{coloured('╍', RULE)} true <b>{scalar(along.true[at])}</b>"
    gap = f"  {coloured('┃', STOP)} largest gap <b>{scalar(along.gap)}</b>" if along.differs else ""
    return f"{declared}  {true}  {circles}{gap}"


def _traces(along: Along, ruled: bool) -> list[dict[str, Any]]:
    chosen = np.arange(0, len(along.positions), EVERY)
    chosen = chosen[~(along.corner | along.outside)[chosen] & np.isfinite(along.difference[chosen])]
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
        "y": np.where(np.isfinite(numbers) & ~along.outside, numbers, np.nan),
        "line": {"color": colour, "width": 3.5, "dash": dash},
        "connectgaps": False,
        "hovertemplate": f"{name} %{{y:.5g}}<br>at %{{x:.5g}}<extra></extra>",
    }


def _line(x0: float, x1: float, ends: tuple[float, float] | None, colour: str, dash: str) -> dict[str, Any]:
    """Return a vertical line between two numbers, or through the whole drawing."""
    y = {"yref": "paper", "y0": 0, "y1": 1} if ends is None else {"yref": "y", "y0": ends[0], "y1": ends[1]}
    line = {"color": colour, "width": 2 if ends is None else 4, "dash": dash}
    return {"type": "line", "xref": "x", "x0": x0, "x1": x1, **y, "line": line}
