"""The lab: canvas, formula, inputs, inspector and figure of one graph."""

from __future__ import annotations

from typing import Any

import streamlit as st

from autodiff_viz.ui.editor.component import canvas
from autodiff_viz.ui.panels.checks import draw_checks
from autodiff_viz.ui.panels.figure import draw_figure
from autodiff_viz.ui.panels.formula import draw_formula
from autodiff_viz.ui.panels.inputs import draw_inputs
from autodiff_viz.ui.panels.inspector import draw_inspector
from autodiff_viz.ui.panels.lesson import draw_lesson
from autodiff_viz.ui.panels.problems import draw_problems
from autodiff_viz.ui.panels.settings import draw_settings
from autodiff_viz.ui.panels.sweeps import draw_sweeps
from autodiff_viz.ui.session import act, kept_history, lab, too_large, write_address
from autodiff_viz.views.canvas_edits import edited_all
from autodiff_viz.views.compose import LabView, lab_view
from autodiff_viz.views.history_list import history_view
from autodiff_viz.views.lab import Lab


def page() -> None:
    """Draw one state of the lab: the canvas first, what takes longer after it.

    The keys of the containers are for `lab.css`, which on a phone puts formula and sliders before the rest.
    """
    now = lab()
    view = lab_view(now)
    write_address()
    with st.container(key="lab"):
        main, side = st.columns([8, 5], gap="medium")
    with main:
        _draw_canvas(now, view)
        draw_problems(view.notice or view.mistaken)
        checks = st.empty()
        with st.container(key="settings"):
            draw_settings(now, view)
        figure = st.container(key="figure_panel")
    with side:
        draw_formula(now, view)
        draw_inputs(now, view)
        with st.container(border=True, key="inspector"):
            draw_inspector(now, view)
    draw_lesson(now)
    with figure:
        draw_figure(view)
    with checks.container():
        draw_checks(view)
    draw_sweeps(view)


def _draw_canvas(now: Lab, view: LabView) -> None:
    steps = {"history": history_view(now), "picked": now.picked}
    kept = {"trail": kept_history(), "large": too_large()}
    drawing = {**steps, **kept, "sweeps": dict(view.sweeps), **view.drawing}
    canvas(drawing, key="canvas", on_edit=_on_edit)


def _on_edit(edits: list[dict[str, Any]], seen: set[Any]) -> None:
    act(edited_all, edits, seen)
