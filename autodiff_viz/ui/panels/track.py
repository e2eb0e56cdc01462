"""The steps of the training: a bar that moves while they are made, a slider to go back to any of them, and
what is on view."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import streamlit as st

from autodiff_viz.ui.panels.train import FOLLOWED, catch_up, steer, trainer
from autodiff_viz.ui.parts import last_drawn
from autodiff_viz.ui.pulse.component import pulse
from autodiff_viz.ui.session import act
from autodiff_viz.ui.whole import whole
from autodiff_viz.ui.widgets import news, renewed
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import LAST, Lab
from autodiff_viz.views.steering import brings_back, scrubs, uses_weights
from autodiff_viz.views.train import TrainView, loss_now, train_view

MOST_REST = 1.5  # seconds without a look
FIRST_LOOK, LOOK = 0.08, 0.25  # seconds until the page looks how far a training is: a few steps take no time


def draw_track(lab: Lab, view: LabView) -> None:
    """Nothing before a training has begun. The page follows a running one by this part, which is drawn again
    and again by itself."""
    found = train_view(lab, view)
    if found is None or not (found.running or found.at):
        return
    with st.container(key="train_track"):
        if found.running:
            _draw_progress(lab, found)
        else:
            _draw_scrubber(lab, found)
    _draw_where(lab, found)
    after = LOOK if FOLLOWED in st.session_state else FIRST_LOOK
    pulse(after if found.running else None, key="pulse", on_look=_on_look)


def _draw_progress(lab: Lab, found: TrainView) -> None:
    loss = loss_now(lab.training)
    said = f"loss {loss}" if loss else "compiling the step"
    share = min(1.0, found.at / max(found.goal, 1))
    st.progress(share, f"Step {found.at:,} of {found.goal:,} \u00b7 {said}")


@whole()
def _on_look() -> None:
    newest = trainer().training
    if newest is None or not newest.running or _is_time():
        st.session_state[FOLLOWED] = monotonic()
        catch_up()


def _is_time() -> bool:
    """Whether the page has had its rest: what is drawn of a training takes about a quarter of the time, so
    that what the user does meanwhile need not wait for it. What is slow but once must not stop it for long.
    """
    before = st.session_state.get(FOLLOWED, monotonic())
    took = max(0.0, last_drawn(but="track") - before)
    return monotonic() - before >= min(3 * took, MOST_REST)


def _draw_scrubber(lab: Lab, found: TrainView) -> None:
    shown = found.at if found.shown is None else found.shown
    owner = f"{id(lab.training.token)} {found.at}"
    key = renewed("train_step", owner, shown)
    look = {"label_visibility": "collapsed", "key": key}
    st.slider("Step on view", 0, found.at, shown, on_change=_on_step, args=(key,), **look)


def _draw_where(lab: Lab, found: TrainView) -> None:
    """What is on view, and what else there is to see."""
    own, now = lab.step is None, lab.step == LAST
    with st.container(key="train_where", horizontal=True, vertical_alignment="center", gap="small"):
        st.text("Now, step by step." if found.running and now else found.says, width="content")
        _draw_link("Now", "train_now", now, act, scrubs, LAST)
        _draw_link("The formula's own numbers", "train_own", own, act, scrubs, None)
        _draw_link("Use these weights", "train_use", found.running or found.shown is None, act, uses_weights)
        if found.before and found.at:
            said = f"Bring back {found.before:,} steps"
            _draw_link(said, "train_back", found.running, steer, brings_back)


def _draw_link(label: str, key: str, off: bool, does: Callable[..., None], *action: Any) -> None:
    st.button(label, key=key, type="tertiary", on_click=does, args=action, disabled=off)


@whole()
def _on_step(key: str) -> None:
    if news(key):
        act(scrubs, int(st.session_state[key]))
