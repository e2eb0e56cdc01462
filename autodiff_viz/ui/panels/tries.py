"""Draw the exercises of the open lesson: a click does one, and a tick marks those that are done."""

from __future__ import annotations

from html import escape

import streamlit as st

from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.lessons.record import THREE_WAYS
from autodiff_viz.lessons.tries import selected
from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.fragments import redraw
from autodiff_viz.ui.panels.segments import PART
from autodiff_viz.ui.panels.tensor import show_numbers
from autodiff_viz.ui.panels.train import steer
from autodiff_viz.ui.session import act, called, session
from autodiff_viz.ui.widgets import pressed
from autodiff_viz.ui.work import CURVES
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.edits.apply import edited
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.page.segments import three_ways_job
from autodiff_viz.views.page.tries import Reached, TryView, do_try, tries

PLOTS = {
    "segments": "Segments",
    "training": "Training",
    **{name: spec.title for name, spec in FIGURES.items()},
}
"""Plots that an exercise may show, by name, with their tabs."""


def draw_tries(lab: Lab, view: LabView) -> None:
    """Draw the exercises of the open lesson; nothing without one."""
    before = session().tried
    found = tries(lab, before)
    if found is None:
        return
    key, items = found
    st.markdown("**Try**")
    with st.container(key="tries", gap="small"):
        for i, item in enumerate(items):
            with st.container(key=f"try_{key}_{i}", horizontal=True, wrap=False, gap="small"):
                st.html(_tick(key, i, item), width="content")
                with st.container(key=f"try_text_{key}_{i}", gap=None, width="stretch"):
                    _draw_try(key, i, item, before)


def _draw_try(key: str, i: int, item: TryView, before: Reached) -> None:
    told = {"help": _help(item), "type": "tertiary", "width": "stretch", "wrap": True}
    kind = item.asks or ("training" if item.trains else "")
    name = f"do_{kind}_{key}_{i}" if kind else f"do_{key}_{i}"  # for ui/lab/web/tries.js
    if item.asks == THREE_WAYS:
        st.button(item.says, key=name, on_click=_ask, args=(key, i), **told)
    else:
        does = steer if item.trains else pressed
        st.button(item.says, key=name, on_click=does, args=(do_try, key, i, before), **told)
    if not item.shows:
        return
    with st.container(key=f"shows_{key}_{i}", horizontal=True, gap="small"):
        for name in item.shows:
            _draw_show(key, i, name)


def _draw_show(key: str, i: int, name: str) -> None:
    """Draw the button that opens the numbers of a node, or a plot, which the browser opens by itself."""
    look = {"type": "tertiary", "icon": ":material/visibility:"}
    if name in PLOTS:
        st.button(f"Show *{PLOTS[name]}*", key=f"show_{name}_{key}_{i}", **look)
    else:
        st.button(f"Show `{name}`", key=f"show_node_{key}_{i}_{name}", on_click=_show, args=(name,), **look)


def _help(item: TryView) -> str:
    """Return what a click does."""
    return "Click to do it" if item.of == 1 else f"Click to do the next of its {item.of} parts"


@in_turn()
def _show(name: str) -> None:
    """Select a node, and choose the numbers of its tensors; a callback."""
    here, _ = called()
    act(here, edited, selected(name))
    show_numbers(here)
    redraw(here)


@in_turn()
def _ask(key: str, i: int) -> None:
    """Request the trainings in three ways, as the button of the segments does; a callback."""
    here, _ = called()
    act(here, do_try, key, i)
    if job := three_ways_job(here.lab, here.present.view):
        here.looks[CURVES] = job.key
    here.parts.cut.add(PART)
    redraw(here)


def _tick(key: str, i: int, item: TryView) -> str:
    """Return the mark; assets/progress.js fills it in for exercises that were done before."""
    state = " av-done" if item.is_done else " av-begun" if item.done else ""
    return f'<span class="av-tick{state}" data-try="{escape(key)}:{i}"></span>'
