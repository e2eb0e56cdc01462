"""Sliders and number boxes: the inputs, the seed cotangent, noise."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from autodiff_viz.graph import limits
from autodiff_viz.ui.session import act
from autodiff_viz.views.actions import resampled, set_input
from autodiff_viz.views.compose import LabView, Slider
from autodiff_viz.views.lab import Lab

SHOWN = 12  # sliders; a graph with more inputs has the rest on the canvas


def draw_inputs(lab: Lab, view: LabView) -> None:
    """One row per scalar input, then the seed and the dtype."""
    for slider in view.sliders[:SHOWN]:
        _draw_slider(slider)
    if len(view.sliders) > SHOWN:
        st.caption(f"{len(view.sliders) - SHOWN} more inputs: select them on the canvas.")
    left, middle, right = st.columns([1, 1, 1], vertical_alignment="bottom")
    with left:
        _draw_seed(lab)
    with middle:
        _draw_dtype(lab)
    with right:
        st.button(
            "Resample",
            key="resample",
            icon=":material/casino:",
            on_click=act,
            args=(resampled,),
            disabled=not view.can_resample,
            help="Draw all noise and all random inputs again, with the next seed.",
            width="stretch",
        )


def _draw_slider(slider: Slider) -> None:
    wide, narrow = st.columns([3, 1], vertical_alignment="bottom")
    line, box = f"slider_{slider.name}", f"number_{slider.name}"
    st.session_state[line] = st.session_state[box] = slider.value
    with wide:
        st.slider(
            slider.name,
            slider.low,
            slider.high,
            step=slider.step,
            format="%.4g",
            key=line,
            on_change=_on_move,
            args=(slider.name, line),
        )
    with narrow:
        st.number_input(
            f"Value of {slider.name}",
            -limits.NUMBER,
            limits.NUMBER,
            step=slider.step * 10,
            format="%g",
            key=box,
            on_change=_on_move,
            args=(slider.name, box),
            label_visibility="collapsed",
        )


def _draw_seed(lab: Lab) -> None:
    st.session_state["seed"] = 1.0 if lab.seed is None else lab.seed
    st.number_input(
        "Seed cotangent",
        -limits.NUMBER,
        limits.NUMBER,
        format="%g",
        step=0.5,
        key="seed",
        on_change=_on_seed,
        help="The cotangent put in at the output: every element of it gets this number.",
    )


def _draw_dtype(lab: Lab) -> None:
    st.session_state["dtype"] = lab.dtype
    st.selectbox(
        "Precision",
        ("float32", "float64"),
        key="dtype",
        on_change=_on_dtype,
        help="float32 is JAX's default; float64 has twice the digits.",
    )


def _on_move(name: str, key: str) -> None:
    act(set_input, name, float(st.session_state[key]))


def _on_seed() -> None:
    seed = float(st.session_state["seed"])
    act(lambda lab: replace(lab, seed=None if seed == 1.0 else seed))


def _on_dtype() -> None:
    dtype = st.session_state["dtype"]
    act(lambda lab: replace(lab, dtype=dtype))
