"""Exercises of the open lesson: a click does one, and it is ticked where its state is reached."""

from __future__ import annotations

from html import escape

import streamlit as st

from autodiff_viz.ui.panels.train import steer
from autodiff_viz.ui.widgets import pressed
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.lessons.tries import TryView, do_try, tries


def draw_tries(lab: Lab, view: LabView) -> None:
    """Draw the exercises of the open lesson; nothing without one."""
    found = tries(lab)
    if found is None:
        return
    key, items = found
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
    act = steer if item.trains else pressed
    st.button(item.says, key=f"do_{key}_{i}", on_click=act, args=(do_try, key, i), **told)


def _tick(key: str, i: int, item: TryView) -> str:
    """Return the mark; assets/progress.js fills it in for exercises that were done before."""
    done = " av-done" if item.done else ""
    return (
        f'<span class="av-tick{done}" data-try="{escape(key)}:{i}"></span>'
        if item.acts
        else "<span>\u2022</span>"
    )
