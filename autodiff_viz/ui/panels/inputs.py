"""A slider and a number box for every scalar input."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.graph import limits
from autodiff_viz.ui.session import act_on
from autodiff_viz.ui.widgets import is_news, show
from autodiff_viz.views.actions import set_input
from autodiff_viz.views.compose import LabView, Slider

UNSCROLLED = 6  # sliders; more of them scroll in a box of their own
MOST = 60  # sliders; the browser slows down with hundreds
BOX = 340  # pixels


def draw_inputs(view: LabView) -> None:
    """One row per scalar input."""
    height = BOX if len(view.sliders) > UNSCROLLED else "content"
    with st.container(height=height, border=False, key="inputs"):
        for slider in view.sliders[:MOST]:
            _draw_slider(slider)
        if len(view.sliders) > MOST:
            st.caption(f"{len(view.sliders) - MOST} more: change them on the canvas or in the formula.")


def _draw_slider(slider: Slider) -> None:
    name, line, box = slider.name, f"slider_{slider.name}", f"number_{slider.name}"
    show(line, slider.value)
    show(box, slider.value)
    label, wide, narrow = st.columns([2, 7, 4], vertical_alignment="center")
    label.markdown(f"**`{name}`**")
    wide.slider(
        f"Slider of {name}",
        slider.low,
        slider.high,
        step=slider.step,
        format="%.4g",
        key=line,
        on_change=_on_move,
        args=(name, line),
        label_visibility="collapsed",
    )
    narrow.number_input(
        f"Value of {name}",
        -limits.NUMBER,
        limits.NUMBER,
        step=slider.step * 10,
        format="%g",
        key=box,
        on_change=_on_move,
        args=(name, box),
        label_visibility="collapsed",
    )


def _on_move(name: str, key: str) -> None:
    if is_news(key):
        act_on(name, set_input, float(st.session_state[key]))
