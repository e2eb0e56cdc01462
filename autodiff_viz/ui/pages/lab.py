"""The lab: canvas, formula, inputs, inspector and figure of one graph."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from autodiff_viz.ui import warm
from autodiff_viz.ui.editor.component import canvas
from autodiff_viz.ui.panels.checks import draw_checks
from autodiff_viz.ui.panels.figure import draw_figure
from autodiff_viz.ui.panels.formula import draw_formula
from autodiff_viz.ui.panels.inputs import draw_inputs
from autodiff_viz.ui.panels.inspector import draw_inspector
from autodiff_viz.ui.panels.lesson import draw_lesson
from autodiff_viz.ui.panels.problems import draw_problems
from autodiff_viz.ui.panels.settings import draw_settings
from autodiff_viz.ui.session import act, lab, next_revision, write_address
from autodiff_viz.views.actions import steps
from autodiff_viz.views.canvas_edits import edited
from autodiff_viz.views.compose import lab_view
from autodiff_viz.views.drawing import sketch
from autodiff_viz.views.lab import Lab

SKETCHED, VISITED = "sketched", "visited"
SENDING = 0.1  # seconds; what has not left the server when a run starts again is dropped
HEAD_START = 0.4  # seconds for the canvas, before the figure's code keeps the browser busy as it loads


def page() -> None:
    """Draw one state of the lab: the canvas first, what takes longer after it."""
    now = lab()
    main, side = st.columns([8, 5], gap="medium")
    with main:
        _sketch_first(now)
    new = _is_new(VISITED)
    view = lab_view(now)
    with main:
        _draw_canvas(now, view.drawing)
        draw_problems(view.notice or view.problems)
        checks = st.empty()
        draw_settings(now, view)
    with side:
        draw_formula(now, view)
        draw_inputs(view)
        with st.container(border=True):
            draw_inspector(now, view)
    draw_lesson(now)
    write_address()
    if new:
        time.sleep(HEAD_START)
    with main:
        draw_figure(view)
        with checks.container():
            draw_checks(view)


def _sketch_first(now: Lab) -> None:
    """While the server still warms up, the numbers take seconds: a new visitor sees the graph before them."""
    if _is_new(SKETCHED) and warm.ready().is_alive():
        _draw_canvas(now, sketch(now))
        time.sleep(SENDING)
        st.rerun()


def _is_new(mark: str) -> bool:
    """Whether this is the first time in this session, in a browser."""
    new = mark not in st.session_state and warm.ready() is not None
    st.session_state[mark] = True
    return new


def _draw_canvas(now: Lab, drawing: dict[str, Any]) -> None:
    canvas({"rev": next_revision(), "history": steps(now), **drawing}, key="canvas", on_edit=_on_edit)


def _on_edit(edits: list[dict[str, Any]]) -> None:
    for edit in edits:
        act(edited, edit)
