"""The row under the canvas: seed cotangent, precision, noise, and a way back to the beginning."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from autodiff_viz.graph import limits
from autodiff_viz.ui.session import act
from autodiff_viz.views.actions import resampled, reset
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab


def draw_settings(lab: Lab, view: LabView) -> None:
    """Four controls in a row that wraps where it is narrow."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _draw_seed(lab)
        _draw_dtype(lab)
        st.button(
            "Resample",
            key="resample",
            icon=":material/casino:",
            on_click=act,
            args=(resampled,),
            disabled=not view.can_resample,
            help="Draw all noise and all random inputs again, with the next seed.",
        )
        st.button(
            "Reset",
            key="reset",
            icon=":material/restart_alt:",
            on_click=act,
            args=(reset,),
            help="Back to the first graph. Undo brings yours back.",
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
        width=160,
    )


def _draw_dtype(lab: Lab) -> None:
    st.session_state["dtype"] = lab.dtype
    st.selectbox(
        "Precision",
        ("float32", "float64"),
        key="dtype",
        on_change=_on_dtype,
        help="float32 is JAX's default; float64 has twice the digits.",
        width=130,
    )


def _on_seed() -> None:
    seed = float(st.session_state["seed"])
    act(lambda lab: replace(lab, seed=None if seed == 1.0 else seed))


def _on_dtype() -> None:
    dtype = st.session_state["dtype"]
    act(lambda lab: replace(lab, dtype=dtype))
