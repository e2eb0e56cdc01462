"""Draw the figures on view: one, or two on request, since each costs the browser tens of milliseconds."""

from __future__ import annotations

from typing import Any

import streamlit as st

from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.explanation import About, Choice
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
from autodiff_viz.ui.fragments import answered, news, pressed, redraw, renewed
from autodiff_viz.ui.panels.charts import draw_awaited, draw_chart, draw_offer, draw_problems
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.session import called, session
from autodiff_viz.ui.worker_jobs import is_large
from autodiff_viz.workers.jobs import Job

# Draw checkpoint plans: a chart, a budget that chooses a plan, and a button that takes the plan.


FIRST = "figure"  # the part of the page with the widgets
BY, BUDGET = "plans_by", "plans_budget"


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
        (lambda: _draw_budget(found, now, view, part)) if part == FIRST else None
    )  # a widget has one place
    draw_chart(figure, plans_text(found, now.by), key, PLANS.what_it_says, beside, PLANS.counts)


def _draw_budget(found: Planned, now: PlanChoice, view: LabView, part: str) -> None:
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


def draw_chooser(now: Lab, view: LabView) -> None:
    """Draw what is chosen beside a figure; the figure itself is chosen on the dock's tabs."""
    for one in FIGURES[figure_on_view(now)].choices:
        _draw_choice(now, one)


def _draw_choice(now: Lab, one: Choice) -> None:
    """Draw the widget of a choice; nothing if the graph offers none."""
    value = chosen(now, one)
    if value is None:
        return
    offered, key = one.offered(now.graph), renewed(one.name, "", value)
    given = {
        "format_func": one.written,
        "key": key,
        "on_change": answered,
        "args": (key, choose, one),
        "help": GLOSSARY.get(one.word),
    }
    if one.slides:
        st.select_slider(one.label, offered, value, **given)
    else:
        st.selectbox(one.label, offered, offered.index(value), **given)


def draw_figure(now: Lab, view: LabView) -> None:
    """Draw the chosen figure with its caption and its description in words."""
    if not view.complete:
        st.caption("The figure appears when the graph is complete.")
        return
    _draw_figure(figure_on_view(now), now, view, "figure", "chart")


def draw_second(now: Lab, view: LabView) -> None:
    """Draw the second figure, where the browser has room for one beside the first."""
    name = session().parts.second
    if view.complete and name in FIGURES and FIGURES[name].fits(now.graph, pinned_graph(now)):
        _draw_figure(name, now, view, "second", "second_chart")


def _draw_figure(name: str, now: Lab, view: LabView, part: str, key: str) -> None:
    """Draw a figure in the part `part`; `key` is that of its chart."""
    if name in PANELS:
        PANELS[name](view, part, key)
        return
    of, apart = about(now, name), is_large(view) or FIGURES[name].is_slow(view.trace)
    found = _beside(name, now, view, of, part) if apart else _here(name, view, of)
    if found is not None:
        draw_chart(*found, key, FIGURES[name].what_it_says, counts=FIGURES[name].counts)


def _here(name: str, view: LabView, of: About) -> tuple[Any, str] | None:
    """Return (figure, words), built in this process; None if it cannot be built, and the page says why."""
    spec = FIGURES[name]
    try:
        return spec.build_for(session().parts.low)(view.trace, of), spec.text(view.trace, of)
    except GraphError as error:
        draw_problems(error.problems)
        return None


def _beside(name: str, now: Lab, view: LabView, of: About, part: str) -> tuple[Any, str] | None:
    """Return (figure, words), built by a worker; None also while the worker builds it."""
    there = twin(now, view) if FIGURES[name].beside else None
    job = figure_job(name, view.trace, of, session().parts.low, there)
    what = f"{FIGURES[name].title} of {len(view.graph.nodes):,} nodes"
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
