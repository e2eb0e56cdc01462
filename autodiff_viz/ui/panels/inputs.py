"""A slider and a number box for every scalar input."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.ui.session import act_on
from autodiff_viz.ui.sliders.component import sliders
from autodiff_viz.views.actions import set_input
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab

MOST = 200  # sliders; the browser slows down with thousands


def draw_inputs(lab: Lab, view: LabView) -> None:
    """One row per scalar input."""
    if not view.sliders:
        return
    with st.container(key="inputs"):
        sliders(view.sliders[:MOST], lab.document, key="sliders", on_move=_on_move)
        if len(view.sliders) > MOST:
            st.caption(f"{len(view.sliders) - MOST} more: change them on the canvas or in the formula.")


def _on_move(name: str, value: float, fresh: bool) -> None:
    act_on(name, set_input, value, fresh)
