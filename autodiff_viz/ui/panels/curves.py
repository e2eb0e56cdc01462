"""Draw the figures of a training, one at a time, and the log of the step on view."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.engine.training.updates import learned
from autodiff_viz.figures.catalog import TRAINING_FIGURES
from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.panels.chart import draw_chart
from autodiff_viz.ui.session import called, session
from autodiff_viz.ui.widgets import news, renewed
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.training.panel import progress, run_log

LOG = "log"
TITLES = {**{name: spec.title for name, spec in TRAINING_FIGURES.items()}, LOG: "Run log"}
CHOSEN = "curve"
AT_ONCE = ("loss", "flow")  # those that are drawn before the first step
BEFORE = "The loss, the gradients and the updates are drawn here, step by step, once it trains."
NO_STEP = "No step has been made yet: press Train."


def draw_curves(lab: Lab, view: LabView) -> None:
    """Draw the chosen figure or the log; before the first step what will be there."""
    found = progress(lab, view)
    if found is None:
        if learned(lab.graph):
            st.caption(BEFORE)
        return
    chosen = _choose()
    if found.planned and chosen not in AT_ONCE:
        st.caption(NO_STEP)
    elif chosen == LOG:
        _draw_log(lab, view)
    else:
        spec = TRAINING_FIGURES[chosen]
        figure = spec.build_for(session().parts.low)(found)
        draw_chart(figure, spec.text(found), f"curve_{chosen}")


def _choose() -> str:
    """Draw the choice and return the chosen name, which is kept only in the session."""
    now = session().looks.get(CHOSEN, "loss")
    key = renewed("curve_choice", "", now)
    st.segmented_control(
        "What became of it",
        list(TITLES),
        default=now,
        key=key,
        format_func=TITLES.__getitem__,
        on_change=_on_choice,
        args=(key,),
        label_visibility="collapsed",
    )
    return now


@in_turn()
def _on_choice(key: str) -> None:
    here, values = called()
    if news(here.widgets, values, key) and values[key]:
        here.looks[CHOSEN] = values[key]


def _draw_log(lab: Lab, view: LabView) -> None:
    text = run_log(lab, view)
    if text:
        st.code(text, language=None)
    else:
        st.caption("The log tells of the step on view: choose one.")
