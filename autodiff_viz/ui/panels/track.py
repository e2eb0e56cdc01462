"""Draw the steps of a training: a progress bar while it runs, then a slider to any step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from autodiff_viz.ui.panels.train import BACK, steer
from autodiff_viz.ui.session import session
from autodiff_viz.ui.widgets import answered, pressed, renewed
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import LAST, Lab
from autodiff_viz.views.training.actions import brings_back, scrubs, uses_weights
from autodiff_viz.views.training.panel import TrainView, loss_now, train_view

FIRST_LOOK, LOOK = 80, 250  # milliseconds until the first update (a few steps take no time), then the next

NEWEST = "Shows the numbers of the newest step on the canvas, and follows while it trains."
OWN = "Shows the numbers of the formula as it is written, before any step."
USE = "Writes the parameters of this step into the formula. Undo takes them out again."


def draw_track(lab: Lab, view: LabView) -> None:
    """Draw the steps; nothing before a training has begun.

    The page follows a running training by this part, which is drawn again and again by itself.
    """
    found = train_view(lab, view)
    if found is None or not (found.running or found.at):
        return
    with st.container(key="train_track"):
        if found.running:
            _draw_progress(lab, found)
        else:
            _draw_scrubber(lab, found)
    _draw_where(lab, found)
    if found.running:
        here = session()
        here.parts.polls["track"] = FIRST_LOOK if here.followed is None else LOOK


def _draw_progress(lab: Lab, found: TrainView) -> None:
    loss = loss_now(lab.training)
    said = f"loss {loss}" if loss else "compiling the step"
    share = min(1.0, found.at / max(found.goal, 1))
    st.progress(share, f"Step {found.at:,} of {found.goal:,} \u00b7 {said}")


def _draw_scrubber(lab: Lab, found: TrainView) -> None:
    shown = found.at if found.shown is None else found.shown
    owner = f"{id(lab.training.token)} {found.at}"
    key = renewed("train_step", owner, shown)
    look = {"label_visibility": "collapsed", "key": key}
    st.slider("Step on view", 0, found.at, shown, on_change=answered, args=(key, _scrub), **look)


def _draw_where(lab: Lab, found: TrainView) -> None:
    """Draw the step on view and buttons for the other views."""
    own, now = lab.step is None, lab.step == LAST
    with st.container(key="train_where", horizontal=True, vertical_alignment="center", gap="small"):
        st.text("The newest step, as it trains." if found.running and now else found.says, width="content")
        on_view, runs = "It is on view.", "It runs: pause it first." if found.running else None
        _draw_link("Newest step", "train_now", NEWEST, on_view if now else None, pressed, scrubs, LAST)
        _draw_link("Formula as written", "train_own", OWN, on_view if own else None, pressed, scrubs, None)
        why = runs or ("Choose a step first." if found.shown is None else None)
        of = "a step" if found.shown is None else f"step {found.shown:,}"
        _draw_link(f"Use the weights of {of}", "train_use", USE, why, pressed, uses_weights)
        if found.before and found.at:
            said = f"Bring back {found.before:,} steps"
            _draw_link(said, "train_back", BACK, runs, steer, brings_back)


def _draw_link(
    label: str, key: str, does_what: str, why: str | None, does: Callable[..., None], *action: Any
) -> None:
    """Draw a button with what happens when it is pressed, or `why` it is disabled if it is."""
    look = {"type": "tertiary", "disabled": why is not None, "help": why or does_what}
    st.button(label, key=key, on_click=does, args=action, **look)


def _scrub(lab: Lab, step: float) -> Lab:
    return scrubs(lab, int(step))
