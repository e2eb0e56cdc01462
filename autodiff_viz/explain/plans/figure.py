"""Draw checkpoint plans: memory against values recomputed, and the plans that no other betters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.display.theme import (
    CHECKPOINT,
    CLEAR,
    COTANGENT,
    EDGE,
    FAINT,
    LOW_UNDER_ONE,
    NEUTRAL,
    SMALL,
    VALUE,
    axis,
    coloured,
    draw,
    heading,
    ink,
    note,
    plain,
    top,
)
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.plans.compute import AXES, PEAK, Plan, Planned, best, planned, size
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import counted, listed

MOST_NODES = 150  # of a graph whose plans are made on the page
HEIGHT = 400


def plans_figure_of(trace: Trace, low: bool = False) -> go.Figure:
    """Draw the plans of a trace; see `plans_figure`."""
    if words := no_plans(trace):
        return note(words, "plans")
    try:
        return plans_figure(planned(trace), low=low)
    except GraphError as error:
        return note(plain(error.problems[0].message), "plans")


def plans_text_of(trace: Trace) -> str:
    """Describe the plans of a trace in one sentence, for screen readers."""
    if words := no_plans(trace):
        return f"No chart of plans: {words}"
    try:
        return plans_text(planned(trace))
    except GraphError as error:
        return f"No chart of plans: {error.problems[0].message}"


def no_plans(trace: Trace) -> str:
    """Return why a graph has no plans to show; "" if it has some."""
    running = sum(node.op != INPUT for node in trace.graph.nodes)
    if not running:
        return "There is no node yet that could run again."
    if running > MOST_NODES:
        return f"So many plans cannot be compared: graphs of up to {MOST_NODES} nodes have some."
    return ""


def plans_figure(
    all_plans: Planned,
    by: str = PEAK,
    budget: int | None = None,
    chosen: Plan | None = None,
    low: bool = False,
) -> go.Figure:
    """Draw each plan as a point: memory to the right, values recomputed upwards.

    Grey: all that have been searched. Blue, with a line: those that no other one betters. Green squares:
    known schedules. Orange: the present one. The chosen one has a ring, and the budget is a line.

    Args:
      by: what memory is, a key of `AXES`.
    """
    under = _explanation(all_plans, by)
    height = LOW_UNDER_ONE + top(under) - EDGE if low else HEIGHT
    memory = [size(plan, by) for plan in all_plans.plans] + [point[by != PEAK] for point in all_plans.points]
    runs = [plan.reruns for plan in all_plans.plans] + [point[2] for point in all_plans.points]
    reach = max(memory) - min(memory) or 1
    shapes = []
    if budget is not None:
        line = {"color": NEUTRAL, "width": 1.5, "dash": "dot"}
        upright = {"type": "line", "x0": budget, "x1": budget, "yref": "paper", "y0": 0, "y1": 1}
        shapes.append({**upright, "line": line})
    layout = {
        "title": heading(_title(all_plans, by), under, height),
        "height": height,
        "margin": {"l": 58, "r": 42, "t": top(under), "b": 48, "pad": 0},
        "hovermode": "closest",
        "xaxis": axis(
            range=[min(memory) - 0.06 * reach, max(memory) + 0.1 * reach],
            title={"text": AXES[by], "font": {"size": SMALL}, "standoff": 4},
            zeroline=False,
            **_ticks(reach, 8),
        ),
        "yaxis": axis(
            range=[-0.08 * (max(runs) or 1), max(1, max(runs)) * 1.18],
            title={"text": "computed again", "font": {"size": SMALL}},
            **_ticks(max(runs), 5),
        ),
        "shapes": shapes,
    }
    return draw(list(_traces(all_plans, by, chosen)), layout, f"plans {by} {len(all_plans.plans)}")


def _ticks(reach: int, most: int) -> dict[str, int]:
    """Return the ticks of an axis of counts: none between whole numbers."""
    return {"tick0": 0, "dtick": 1} if reach <= most else {"nticks": most}


def plans_text(all_plans: Planned, by: str = PEAK) -> str:
    """Describe the figure in one sentence, for screen readers."""
    front = best(all_plans, by)
    described = [f"{plan.name} {_numbers(plan)}" for plan in front or all_plans.plans]
    present = next(plan for plan in all_plans.plans if plan.present)
    return (
        f"A chart of checkpoint plans, {AXES[by]} against values computed again; now {_numbers(present)}; "
        f"{'best of all' if front else 'to choose from'}: {listed(described, 8)}."
    )


def _numbers(plan: Plan) -> str:
    again = f"{counted(plan.reruns, 'value')} again"
    return f"(peak {plan.peak:,}, kept {plan.kept:,}, {again})"


def _traces(all_plans: Planned, by: str, chosen: Plan | None) -> Iterable[dict[str, Any]]:
    front = sorted(best(all_plans, by), key=lambda plan: size(plan, by))
    # Without a front, the search has counted with something else than JAX does: its points are wrong.
    points = all_plans.points if front else ()
    cloud = sorted({(point[by != PEAK], point[2]) for point in points})
    yield {
        "type": "scatter",
        "mode": "markers",
        "x": [x for x, _ in cloud],
        "y": [y for _, y in cloud],
        "marker": {"size": 6, "color": FAINT},
        "hoverinfo": "skip",
    }
    others = [p for p in all_plans.plans if not (p in front or p.formula or p.present)]
    yield _points(
        front,
        by,
        VALUE,
        "circle",
        11,
        mode="lines+markers",
        line={"shape": "hv", "width": 1.5, "color": VALUE},
    )
    yield _points(others, by, NEUTRAL, "circle", 7)
    yield _points([p for p in all_plans.plans if p.formula], by, CHECKPOINT, "square-open", 13)
    yield _points([p for p in all_plans.plans if p.present], by, COTANGENT, "diamond", 13)
    if chosen is not None:
        yield _points([chosen], by, CLEAR, "circle", 22, edge=VALUE)


def _points(
    plans: Sequence[Plan], by: str, colour: str, symbol: str, across: int, edge: str = "", **look: Any
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [size(plan, by) for plan in plans],
        "y": [plan.reruns for plan in plans],
        "marker": {
            "size": across,
            "color": colour,
            "symbol": symbol,
            "line": {"width": 2.5, "color": edge or colour},
        },
        "hovertext": [ink(_hover(plan)) for plan in plans],
        "hoverinfo": "skip" if edge else "text",
        **look,
    }


def _hover(plan: Plan) -> str:
    name = f"<b>{plain(plan.name)}</b>{' (present)' if plan.present else ''}"
    lines = [name, f"peak {plan.peak:,}, kept {plan.kept:,}, {counted(plan.reruns, 'value')} computed again"]
    regions = [listed(sorted(region.nodes), 8) for region in plan.regions]
    lines += [f"region: {plain(names)}" for names in regions[:4]]
    lines += [f"and {counted(len(regions) - 4, 'region')} more"] if len(regions) > 4 else []
    return "<br>".join([*lines, *([plain(plan.formula).replace("; ", "<br>")] if plan.formula else [])])


def _title(all_plans: Planned, by: str) -> str:
    present = next(plan for plan in all_plans.plans if plan.present)
    least = min(all_plans.plans, key=lambda plan: (size(plan, by), plan.reruns))
    now = f"{size(present, by):,}"
    if size(least, by) >= size(present, by):
        return f"No plan has less than the present {now}"
    what = "Peak" if by == PEAK else "Kept"
    return f"{what} {now} now, {size(least, by):,} with {counted(least.reruns, 'value')} computed again"


def _explanation(all_plans: Planned, by: str) -> list[str]:
    lines = [
        f"{coloured('◆', COTANGENT)} present {coloured('●', VALUE)} no other betters it "
        f"{coloured('□', CHECKPOINT)} known schedules"
    ]
    if best(all_plans, by):
        lines.append(f"best of {all_plans.searched:,} plans")
    elif all_plans.searched:
        lines.append(
            f"JAX keeps something else here than the search of {all_plans.searched:,} plans counts with: "
            "those shown are measured, and a better one may exist"
        )
    else:
        lines.append("too many nodes to search all plans: known schedules only")
    return lines
