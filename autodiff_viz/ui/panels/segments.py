"""The segments of a graph that has cuts: what they hand on, three ways to the gradient, and to train."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.engine.segment_training import Curves
from autodiff_viz.figures.catalog import SEGMENT_FIGURES
from autodiff_viz.graph.identity import same
from autodiff_viz.ui.panels.chart import draw_chart
from autodiff_viz.ui.panels.problems import draw_problems
from autodiff_viz.ui.panels.table import draw_table
from autodiff_viz.ui.session import session
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.parts import SHOWS
from autodiff_viz.views.segments import SegmentsView, segments_view, trained, training_key

KEPT, CURVES = "segments_kept", "split_curves"


def draw_segments(lab: Lab, view: LabView) -> None:
    """Nothing for a graph without cuts."""
    found = _kept(lab, view)
    if found is None:
        return
    st.subheader("Segments", anchor=False)
    if found.division is None:
        st.text("No cut divides the graph: the marks on the canvas say why.")
        return
    mark = ":green[:material/check_circle:]" if found.agrees else ":red[:material/error:]"
    st.markdown(f"{mark} {found.chain}")
    _draw_figure("sizes", found.division)
    st.text(found.product)
    with st.container(horizontal=True, vertical_alignment="center", key="broken_way"):
        st.markdown(f":red[:material/link_off:] {found.broken}", width="stretch")
        with st.popover("Angles"):
            draw_table({"by": [n for n, _ in found.angles], "angle": [angle for _, angle in found.angles]})
    if found.steps:
        _draw_training(lab, view, found.steps)


def _kept(lab: Lab, view: LabView) -> SegmentsView | None:
    """Remembered for what was on view last."""
    key, looks = SHOWS["segments"](lab, view), session().looks
    kept = looks.get(KEPT)
    if kept is None or not same(kept[0], key):
        kept = looks[KEPT] = (key, segments_view(lab, view))
    return kept[1]


def _draw_training(lab: Lab, view: LabView, steps: int) -> None:
    key, looks = training_key(lab), session().looks
    kept = looks.get(CURVES)
    told = "With the whole gradient, by handing cotangents across, and each segment by itself."
    icon = ":material/stacked_line_chart:"
    if st.button(f"Train {steps:,} steps three ways", key="train_split", icon=icon, help=told):
        with st.spinner("Training three times"):
            kept = looks[CURVES] = (key, trained(lab, steps))
    if kept is None or kept[0] != key:
        return
    if isinstance(kept[1], Curves):
        _draw_figure("curves", kept[1])
    else:
        draw_problems(kept[1])


def _draw_figure(name: str, found: object) -> None:
    spec = SEGMENT_FIGURES[name]
    draw_chart(spec.build(found), spec.text(found), f"segments_{name}")
