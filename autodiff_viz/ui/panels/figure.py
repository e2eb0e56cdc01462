"""Draw the figures on view: one, or two on request, since each costs the browser tens of milliseconds."""

from __future__ import annotations

from typing import Any

import streamlit as st

from autodiff_viz.figures.catalog import FIGURES, OF_DRAWS, OF_INPUT, OF_SCALE, PLANS
from autodiff_viz.figures.cotangents.noise import DRAWS, USUAL_DRAWS
from autodiff_viz.figures.cotangents.precision import SCALES
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.ui.panels.chart import draw_chart
from autodiff_viz.ui.panels.plans import draw_plans
from autodiff_viz.ui.panels.problems import draw_problems
from autodiff_viz.ui.panels.waiting import draw_awaited, draw_offer
from autodiff_viz.ui.session import session
from autodiff_viz.ui.widgets import answered, renewed
from autodiff_viz.ui.work import is_large
from autodiff_viz.views.actions import swept_input
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.glossary import GLOSSARY
from autodiff_viz.views.lab import Lab, scalar_inputs
from autodiff_viz.views.page.figure_choice import (
    about,
    figure_on_view,
    pinned_graph,
    set_draws,
    set_scale,
    set_swept,
)
from autodiff_viz.views.page.figure_job import Figured, figure_job
from autodiff_viz.views.page.twins import twin


def draw_chooser(now: Lab, view: LabView) -> None:
    """Draw what is chosen beside a figure; the figure itself is chosen on the dock's tabs."""
    of = FIGURES[figure_on_view(now)].of
    swept = swept_input(now)
    if of == OF_SCALE:
        _draw_scale(now)
    if of == OF_DRAWS:
        _draw_draws(now)
    if of == OF_INPUT and swept is not None:
        key = renewed("swept", "", swept)
        inputs = scalar_inputs(now.graph)
        at = inputs.index(swept)
        st.selectbox("Swept input", inputs, at, key=key, on_change=answered, args=(key, set_swept))


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
    if name == PLANS:
        draw_plans(view, part, key)
        return
    of, apart = about(now, name), is_large(view) or FIGURES[name].is_slow(view.trace)
    found = _beside(name, now, view, of, part) if apart else _here(name, view, of)
    if found is not None:
        draw_chart(*found, key, FIGURES[name].what_it_says, counts=FIGURES[name].counts)


def _here(name: str, view: LabView, of: str | None) -> tuple[Any, str] | None:
    """Return (figure, words), built in this process; None if it cannot be built, and the page says why."""
    spec = FIGURES[name]
    try:
        return spec.build_for(session().parts.low)(view.trace, of), spec.text(view.trace, of)
    except GraphError as error:
        draw_problems(error.problems)
        return None


def _beside(name: str, now: Lab, view: LabView, of: str | None, part: str) -> tuple[Any, str] | None:
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


def _draw_scale(now: Lab) -> None:
    key = renewed("scale", "", now.scale)
    st.select_slider(
        "Loss scale",
        SCALES,
        now.scale if now.scale in SCALES else SCALES[0],
        format_func=lambda scale: f"{scale:,.0f}",
        key=key,
        on_change=answered,
        args=(key, set_scale),
        help=GLOSSARY["loss scale"],
    )


def _draw_draws(now: Lab) -> None:
    key = renewed("draws", "", now.draws)
    at = DRAWS.index(now.draws if now.draws in DRAWS else USUAL_DRAWS)
    shared = {"format_func": lambda draws: f"{draws:,}", "key": key}
    st.selectbox("Draws", DRAWS, at, on_change=answered, args=(key, set_draws), **shared)
