"""Draw checkpoint plans: a chart, a budget that chooses a plan, and a button that takes the plan."""

from __future__ import annotations

from typing import Any

import streamlit as st

from autodiff_viz.engine.explain.plans.plans import Plan, Planned, as_present, with_present
from autodiff_viz.figures.catalog import FIGURES, PLANS
from autodiff_viz.figures.memory.plans import PEAK, no_plans, plans_figure, plans_text
from autodiff_viz.figures.style.plotly_text import counted
from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.fragments import redraw
from autodiff_viz.ui.panels.chart import draw_chart
from autodiff_viz.ui.panels.problems import draw_problems
from autodiff_viz.ui.panels.waiting import draw_awaited, draw_offer
from autodiff_viz.ui.session import called, session
from autodiff_viz.ui.widgets import news, pressed, renewed
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.glossary import explained
from autodiff_viz.views.page.plans import Choice, choice, offered, plans_job, present_job, take_plan
from autodiff_viz.workers.jobs import Job

FIRST = "figure"  # the part of the page with the widgets
BY, BUDGET = "plans_by", "plans_budget"
ASKS = FIGURES[PLANS].what_it_says


def draw_plans(view: LabView, part: str, key: str) -> None:
    """Draw the plans of the graph on view in the part `part`; `key` is that of the chart."""
    if words := no_plans(view.trace):
        st.caption(words)
        return
    what = f"plans of {counted(len(view.graph.nodes), 'node')}"
    found = _awaited(part, plans_job(view), what)
    if found is None:
        return
    listed = as_present(found, view.trace.graph.regions)
    if listed is None and (here := _awaited(part, present_job(view), what)) is not None:
        listed = with_present(found, here)
    if listed is not None:
        _draw(listed, view, part, key)


def _awaited(part: str, job: Job, what: str) -> Any:
    """Return what a job has found; None if there is nothing yet, and the page says why."""
    if not draw_offer(part, part, job, f"Compare: {what}", at_once=True):
        return None
    answer = draw_awaited(part, part, job, f"Comparing {what}")
    if answer is None or answer.why:
        return None
    if isinstance(answer.value, Plan | Planned):
        return answer.value
    draw_problems(answer.value)
    return None


def _draw(found: Planned, view: LabView, part: str, key: str) -> None:
    here = session()
    by = here.looks.get(BY, PEAK)
    now = choice(found, by, here.looks.get((BUDGET, by)))
    figure = plans_figure(found, now.by, now.budget, now.plan, here.parts.low)
    beside = (
        (lambda: _draw_choice(found, now, view, part)) if part == FIRST else None
    )  # a widget has one place
    draw_chart(figure, plans_text(found, now.by), key, ASKS, beside, FIGURES[PLANS].counts)


def _draw_choice(found: Planned, now: Choice, view: LabView, part: str) -> None:
    """Draw the budget, the plan that it chooses, and the button that takes that."""
    with st.container(horizontal=True, vertical_alignment="center"):
        key = renewed(BY, "", now.by)
        given = {"on_change": _looked, "args": (key, BY, part), "label_visibility": "collapsed"}
        st.segmented_control("Budget of", offered(found), default=now.by, key=key, **given)
        given = {"on_click": pressed, "args": (take_plan, now.plan, view.graph)}
        st.button("Take this plan", key="take_plan", disabled=now.plan.present, type="primary", **given)
    if len(now.budgets) > 1:
        key = renewed(BUDGET, f"{now.by} {now.budgets}", now.budget)
        given = {"on_change": _looked, "args": (key, (BUDGET, now.by), part)}
        st.select_slider(
            f"At most so many elements {'live' if now.by == PEAK else 'kept'}",
            now.budgets,
            now.budget,
            key=key,
            **given,
        )
    st.html(f"<p>{explained(now.says)}</p>")
    if now.plan.regions:
        with st.popover("Code", type="tertiary"):
            st.code(now.plan.code, language="python")


@in_turn()
def _looked(key: str, which: object, part: str) -> None:
    """Note what a widget chooses and draw the part again; a callback."""
    here, values = called()
    if news(here.widgets, values, key) and values[key] is not None:
        here.looks[which] = values[key]
    here.parts.cut.add(part)
    redraw(here)
