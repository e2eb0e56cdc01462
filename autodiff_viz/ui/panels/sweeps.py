"""What the canvas shows while a slider is dragged, sent before anybody drags it."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.ui.sweeps.component import sweeps
from autodiff_viz.views.compose import LabView, sweep_tables
from autodiff_viz.views.lab import Lab

WANTED = "wanted_sweeps"


def draw_sweeps(lab: Lab, view: LabView) -> None:
    """The tables that the browser has just asked for; it keeps them, so each is sent once."""
    wanted = st.session_state.pop(WANTED, {})
    sweeps(sweep_tables(view, wanted), key="sweeps", on_want=_on_want)


def _on_want(keys: dict[str, str]) -> None:
    st.session_state[WANTED] = st.session_state.get(WANTED, {}) | keys
