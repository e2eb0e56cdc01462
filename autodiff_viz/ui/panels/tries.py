"""Draw the exercises of the open lesson: a click does one, and a tick marks those that are done."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from autodiff_viz.lessons.record import THREE_WAYS
from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.fragments import PLAYED, redraw
from autodiff_viz.ui.panels.segments import PART
from autodiff_viz.ui.panels.train import steer
from autodiff_viz.ui.session import act, called, session
from autodiff_viz.ui.widgets import pressed
from autodiff_viz.ui.work import CURVES
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.page.segments import three_ways_job
from autodiff_viz.views.page.tries import TryView, do_try, tries


def draw_tries(lab: Lab, view: LabView) -> None:
    """Draw the exercises of the open lesson; nothing without one."""
    found = tries(lab)
    if found is None:
        return
    key, items = found
    items = [replace(item, done=_is_asked(item.asks, lab, view)) if item.asks else item for item in items]
    st.markdown("**Try**")
    with st.container(key="tries", gap="small"):
        for i, item in enumerate(items):
            with st.container(key=f"try_{key}_{i}", horizontal=True, wrap=False, gap="small"):
                _draw_try(key, i, item)


def _draw_try(key: str, i: int, item: TryView) -> None:
    st.html(_tick(key, i, item), width="content")
    if not item.acts:
        st.markdown(item.says)
        return
    told = {"help": "Click to do it", "type": "tertiary", "width": "stretch", "wrap": True}
    kind = item.asks or ("training" if item.trains else "")
    name = f"do_{kind}_{key}_{i}" if kind else f"do_{key}_{i}"  # for ui/lab/web/tries.js
    if item.asks == THREE_WAYS:
        st.button(item.says, key=name, on_click=_ask, args=(key, i), **told)
    else:
        does = steer if item.trains else pressed
        st.button(item.says, key=name, on_click=does, args=(do_try, key, i), **told)


@in_turn()
def _ask(key: str, i: int) -> None:
    """Request the trainings in three ways, as the button of the segments does; a callback."""
    here, _ = called()
    act(here, do_try, key, i)
    if job := three_ways_job(here.lab, here.present.view):
        here.looks[CURVES] = job.key
    here.parts.cut.add(PART)
    redraw(here)


def _is_asked(what: str, lab: Lab, view: LabView) -> bool:
    """Return whether the visitor has requested what an exercise asks for."""
    looks = session().looks
    if what != THREE_WAYS:
        return looks.get(PLAYED) == lab.lesson
    job = three_ways_job(lab, view)
    return job is not None and looks.get(CURVES) == job.key


def _tick(key: str, i: int, item: TryView) -> str:
    """Return the mark; assets/progress.js fills it in for exercises that were done before."""
    done = " av-done" if item.done else ""
    return (
        f'<span class="av-tick{done}" data-try="{escape(key)}:{i}"></span>'
        if item.acts
        else "<span>\u2022</span>"
    )
