"""Draw a graph's segments: cotangents across its cuts, three ways to the gradient, and their training."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.segments import divided_job, is_divided, segments_told, trained_job
from autodiff_viz.lab.state import Lab
from autodiff_viz.lessons.lesson import THREE_WAYS
from autodiff_viz.segments.compute import Curves, Division
from autodiff_viz.segments.figure import SEGMENT_FIGURES
from autodiff_viz.segments.view import SEGMENTS as KIND
from autodiff_viz.ui.panels.charts import (
    draw_awaited,
    draw_chart,
    draw_offer,
    draw_problems,
    draw_purpose,
    draw_table,
)
from autodiff_viz.ui.session import current_session, note_tried
from autodiff_viz.ui.worker_jobs import CURVES, is_large

PART, SEGMENTS = "segments", "segments"


def draw_segments(lab: Lab, view: LabView) -> None:
    """Draw the panel; nothing for a graph without cuts. A large graph waits until the user asks."""
    divided = is_divided(view)
    if divided is None:
        return
    draw_purpose(KIND.what_it_says)
    if not divided:
        st.text("No cut divides the graph: the marks on the canvas say why.")
        return
    job = divided_job(view)
    offer = f"{len(view.graph.nodes):,} nodes: differentiate by segments"
    if draw_offer(PART, SEGMENTS, job, offer, at_once=not is_large(view)):
        answer = draw_awaited(PART, SEGMENTS, job, "Differentiating by segments")
        if answer is not None and not answer.why:
            _draw(lab, view, answer.value)


def _draw(lab: Lab, view: LabView, division: Division) -> None:
    shown = segments_told(lab, view, division)
    mark = ":green[:material/check_circle:]" if shown.agrees else ":red[:material/error:]"
    st.markdown(f"{mark} {shown.chain}")
    if shown.steps:  # first, so that its curves are in view in a low dock
        _draw_training(lab, shown.steps)
        if shown.unscaled:
            st.text(shown.unscaled)
    _draw_figure("sizes", shown.division)
    st.text(shown.product)
    with st.container(horizontal=True, vertical_alignment="center", key="broken_way"):
        st.markdown(f":red[:material/link_off:] {shown.broken}", width="stretch")
        with st.popover("Angles"):
            draw_table({"by": [n for n, _ in shown.angles], "angle": [angle for _, angle in shown.angles]})


def _draw_training(lab: Lab, steps: int) -> None:
    """Draw three training curves, once the user has requested them."""
    job = trained_job(lab, steps)
    ways = "With the whole gradient, by handing cotangents across, and each segment by itself."
    look = {"icon": ":material/stacked_line_chart:", "help": ways}
    if not draw_offer(PART, CURVES, job, f"Train {steps:,} steps three ways", **look):
        return
    answer = draw_awaited(PART, CURVES, job, f"Training {steps:,} steps three ways")
    if answer is None or answer.why:
        return
    if isinstance(answer.value, Curves):
        _draw_figure("curves", answer.value)
        note_tried(current_session(), THREE_WAYS)
    else:
        draw_problems(answer.value)


def _draw_figure(name: str, of: object) -> None:
    spec = SEGMENT_FIGURES[name]
    draw_chart(spec.build(of), spec.text(of), f"segments_{name}")
