"""The lab: canvas, formula, inputs, inspector and figure of one graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from autodiff_viz.ui.editor.component import canvas
from autodiff_viz.ui.panels.checks import draw_checks
from autodiff_viz.ui.panels.claims import draw_open_claims
from autodiff_viz.ui.panels.curves import draw_curves
from autodiff_viz.ui.panels.figure import draw_chooser, draw_figure
from autodiff_viz.ui.panels.formula import draw_formula, draw_formula_head
from autodiff_viz.ui.panels.inputs import draw_inputs
from autodiff_viz.ui.panels.inspector import draw_inspector, draw_runs
from autodiff_viz.ui.panels.lesson import draw_lesson
from autodiff_viz.ui.panels.problems import draw_problems
from autodiff_viz.ui.panels.segments import draw_segments
from autodiff_viz.ui.panels.settings import draw_settings
from autodiff_viz.ui.panels.sweeps import draw_sweeps
from autodiff_viz.ui.panels.tensor import draw_tensor
from autodiff_viz.ui.panels.track import draw_track
from autodiff_viz.ui.panels.train import draw_train
from autodiff_viz.ui.parts import Draw, ask_for_rest, draw_parts, note_shown
from autodiff_viz.ui.present import present
from autodiff_viz.ui.session import act, kept_history, lab, too_large, write_address
from autodiff_viz.ui.sight.component import sight
from autodiff_viz.views.canvas_edits import edited_all
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.moment import live
from autodiff_viz.views.parts import LESSON, SHOWS, canvas_drawing

FIGURE = "figure_place"  # key of the container of the figure


def page() -> None:
    """Draw one state of the lab: the canvas first, what takes longer after it. After an edit the parts that
    it has changed are drawn again, and not this page.

    The keys of the containers are for `lab.css`, which on a phone puts formula and sliders before the rest.
    """
    now = lab()
    write_address()
    draw = draw_parts(DRAWS)
    with st.container(key="lab"):
        main, side = st.columns([8, 5], gap="medium")
    with main:
        draw("canvas")
        draw("problems")
        with st.container(key="train_panel"):
            draw("train")
            draw("track")
            draw("curves")
        with st.container(key="segments_panel"):
            draw("segments")
        checks = st.container()
        with st.container(key="settings"):
            draw("settings")
        figure = st.container(key="figure_panel")
    with side:
        draw("formula_head")
        draw("formula")
        draw("sliders")
        with st.container(border=True, key="inspector"):
            draw("inspector")
            draw("tensor")
            draw("runs")
    note_shown(LESSON)
    draw_lesson(now, draw)
    with figure:
        draw("chooser")
        with st.container(key=FIGURE):
            draw("figure")
        draw("sight")
    with checks:
        draw("checks")
    draw("sweeps")
    ask_for_rest()


def _draw_canvas(lab: Lab, view: LabView) -> None:
    kept = {"trail": kept_history(), "large": too_large(), "state": present().state, "live": live(lab)}
    canvas({**canvas_drawing(lab, view), **kept}, key="canvas", on_edit=_on_edit)


def _on_edit(edits: list[dict[str, Any]], seen: set[Any]) -> None:
    act(edited_all, edits, seen)


DRAWS: Mapping[str, Draw] = {
    "canvas": _draw_canvas,
    "problems": lambda lab, view: draw_problems(SHOWS["problems"](lab, view)),
    "formula_head": draw_formula_head,
    "formula": draw_formula,
    "sliders": draw_inputs,
    "inspector": draw_inspector,
    "settings": draw_settings,
    "tensor": draw_tensor,
    "runs": draw_runs,
    "train": draw_train,
    "track": draw_track,
    "curves": draw_curves,
    "segments": draw_segments,
    "checks": draw_checks,
    "claims": draw_open_claims,
    "chooser": draw_chooser,
    "figure": draw_figure,
    "sight": lambda lab, view: sight(FIGURE, key="sight"),
    "sweeps": draw_sweeps,
}
