"""Draw the figures on view: one, or two on request, since each costs the browser tens of milliseconds."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.explanation import About
from autodiff_viz.explain.plans.compute import PEAK, Plan, Planned, as_present, with_present
from autodiff_viz.explain.plans.figure import no_plans, plans_figure, plans_text
from autodiff_viz.explain.plans.view import PLANS, choice, offered
from autodiff_viz.explain.plans.view import Choice as PlanChoice
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import counted
from autodiff_viz.lab.edits.rules import take_plan
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.figures import (
    Figured,
    about,
    choose,
    chosen,
    figure_job,
    figure_on_view,
    pinned_graph,
    plans_job,
    present_job,
    twin,
)
from autodiff_viz.lab.glossary import GLOSSARY, explained
from autodiff_viz.lab.state import Lab
from autodiff_viz.ui.fragments import answered, is_changed, pressed, redraw, renewed
from autodiff_viz.ui.panels.charts import draw_awaited, draw_chart, draw_offer, draw_problems, draw_purpose
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.session import called, current_session
from autodiff_viz.ui.worker_jobs import is_large, known
from autodiff_viz.workers.jobs import Job

# Checkpoint plans: a chart, a budget that chooses a plan, and a button that takes the plan.


FIRST = "figure"  # the part of the page with the widgets
BY, BUDGET = "plans_by", "plans_budget"


def draw_plans(view: LabView, part: str, key: str) -> None:
    """Draw the plans of the graph on view in the part `part`; `key` is that of the chart."""
    if words := no_plans(view.trace):
        st.caption(words)
        return
    what = f"plans of {counted(len(view.graph.nodes), 'node')}"
    planned = _awaited(part, plans_job(view), what)
    if planned is None:
        return
    # Where no plan is the graph as it is, that is worked out as one more.
    listed = as_present(planned, view.trace.graph.regions)
    if listed is None and (present := _awaited(part, present_job(view), what)) is not None:
        listed = with_present(planned, present)
    if listed is None:
        return
    session = current_session()
    by = session.looks.get(BY, PEAK)
    now = choice(listed, by, session.looks.get((BUDGET, by)))
    figure = plans_figure(listed, now.by, now.budget, now.plan, session.parts.low)
    # A widget has one place on the page: the second figure beside the first has none.
    beside = partial(_draw_budget, listed, now, view, part) if part == FIRST else None
    draw_chart(figure, plans_text(listed, now.by), key, PLANS.what_it_says, beside, PLANS.counts)


def _awaited(part: str, job: Job, what: str) -> Any:
    """Return the result of a job; None if there is nothing yet, and the page says why."""
    if not draw_offer(part, part, job, f"Compare: {what}", at_once=True):
        return None
    answer = draw_awaited(part, part, job, f"Comparing {what}")
    if answer is None or answer.why:
        return None
    if isinstance(answer.value, Plan | Planned):
        return answer.value
    draw_problems(answer.value)
    return None


def _draw_budget(planned: Planned, now: PlanChoice, view: LabView, part: str) -> None:
    """Draw the budget, the plan that it chooses, and the button that takes that."""
    with st.container(horizontal=True, vertical_alignment="center"):
        key = renewed(BY, "", now.by)
        given = {"on_change": _looked, "args": (key, BY, part), "label_visibility": "collapsed"}
        st.segmented_control("Budget of", offered(planned), default=now.by, key=key, **given)
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
            help=GLOSSARY["live" if now.by == PEAK else "kept"],
            **given,
        )
    st.html(f"<p>{explained(now.says)}</p>")
    if now.plan.regions:
        with st.popover("Code", type="tertiary"):
            st.code(now.plan.code, language="python")


@in_turn()
def _looked(key: str, which: object, part: str) -> None:
    """Note what a widget chooses and draw the part again; a callback."""
    session, values = called()
    if is_changed(session.widgets, values, key) and values[key] is not None:
        session.looks[which] = values[key]
    session.parts.cut.add(part)
    redraw(session)


# All other figures.


def draw_chooser(now: Lab, view: LabView) -> None:
    """Draw what is chosen beside a figure; the figure itself is chosen on the dock's tabs."""
    for one in FIGURES[figure_on_view(now)].choices:
        value = chosen(now, one)
        if value is None:  # the graph offers none
            continue
        values, key = one.offered(now.graph), renewed(one.name, "", value)
        given = {
            "format_func": one.written,
            "key": key,
            "on_change": answered,
            "args": (key, choose, one),
            "help": GLOSSARY.get(one.word),
        }
        if one.slides:
            st.select_slider(one.label, values, value, **given)
        else:
            st.selectbox(one.label, values, values.index(value), **given)


def draw_figure(now: Lab, view: LabView) -> None:
    """Draw the chosen figure with its caption and its description in words."""
    if not view.complete:
        st.caption("The figure appears when the graph is complete.")
        return
    _draw_figure(figure_on_view(now), now, view, "figure", "chart")


def draw_second(now: Lab, view: LabView) -> None:
    """Draw the second figure, where the browser has room for one beside the first."""
    name = current_session().parts.second
    if view.complete and name in FIGURES and FIGURES[name].fits(now.graph, pinned_graph(now)):
        _draw_figure(name, now, view, "second", "second_chart")


def _draw_figure(name: str, now: Lab, view: LabView, part: str, key: str) -> None:
    """Draw a figure in the part `part`; `key` is that of its chart."""
    if name in PANELS:
        PANELS[name](view, part, key)
        return
    of, kind = about(now, name), FIGURES[name]
    if is_large(view) or kind.is_slow(view.trace):
        drawn = _by_worker(name, now, view, of, part)
    else:
        try:
            figure = kind.build_for(current_session().parts.low)(view.trace, of)
            drawn = figure, kind.text(view.trace, of)
        except GraphError as error:
            draw_problems(error.problems)
            return
    if drawn is not None:
        draw_chart(*drawn, key, kind.what_it_says, counts=kind.counts)


def _by_worker(name: str, now: Lab, view: LabView, of: About, part: str) -> tuple[Any, str] | None:
    """Return (figure, words), built by a worker; None also while the worker builds it."""
    there = twin(now, view) if FIGURES[name].beside else None
    job = figure_job(name, view.trace, of, current_session().parts.low, there)
    what = f"{FIGURES[name].title} of {len(view.graph.nodes):,} nodes"
    if known(job) is None:
        draw_purpose(FIGURES[name].what_it_says)
    if not draw_offer(part, part, job, f"Draw: {what}", at_once=True):
        return None
    answer = draw_awaited(part, part, job, what)
    if answer is None or answer.why:
        return None
    if isinstance(answer.value, Figured):
        return answer.value.figure, answer.value.words
    draw_problems(answer.value)
    return None


PANELS = {PLANS.key: draw_plans}
"""By key, the figures that have a panel of their own: it draws the figure too."""
