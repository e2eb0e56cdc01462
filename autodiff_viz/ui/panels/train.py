"""The training of the graph: a transport bar, and how to train."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from autodiff_viz.graph import limits
from autodiff_viz.ui.session import LAB, act
from autodiff_viz.ui.trainer import Trainer
from autodiff_viz.ui.whole import whole
from autodiff_viz.ui.widgets import news, renewed
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.steering import brings_back, caught_up, pauses, plans, resets, trains, trains_again
from autodiff_viz.views.train import TrainView, train_view
from autodiff_viz.views.training import NAMES, still

TRAINER, FOLLOWED = "trainer", "train_followed"


def trainer() -> Trainer:
    """The visitor's own."""
    return st.session_state.setdefault(TRAINER, Trainer())


@whole()
def steer(action: Callable[..., Lab], *arguments: Any) -> None:
    """As `act`, on the newest state of the training, which then goes on by what `action` made of it."""
    catch_up()
    act(action, *arguments)
    trainer().put(st.session_state[LAB].training)
    st.session_state.pop(FOLLOWED, None)


def catch_up() -> None:
    """The lab gets what has been trained meanwhile."""
    lab, newest = st.session_state[LAB], trainer().training
    if caught_up(lab, newest) is not lab:
        act(caught_up, newest)


def follow(lab: Lab) -> None:
    """The worker hears of the rules that the lab has now, and of a training that an address has brought."""
    known, mine = trainer().training, lab.training
    if mine is not None and mine.running and (known is None or known.token is not mine.token):
        trainer().put(mine)
    elif mine is not None and mine.running:
        trainer().tell(still(lab.graph), lab.plan.settings)


def draw_train(lab: Lab, view: LabView) -> None:
    """What to do, and how. Nothing for a graph without parameters.

    Where it can, an element is disabled, and not left out: one that goes would stay on the page when the end
    of a run is lost, as it often is while a training calls for the next.
    """
    found = train_view(lab, view)
    if found is None:
        return
    follow(lab)
    with st.container(key="train_bar", horizontal=True, vertical_alignment="center", gap="small"):
        _draw_transport(found)
        _draw_settings(found)
    if found.trouble:
        st.text(f"\u26a0 {found.trouble}")


def _draw_transport(found: TrainView) -> None:
    go = {"key": "train_go", "on_click": steer}
    if found.running:
        st.button("Pause", icon=":material/pause:", args=(pauses,), **go)
    elif found.again:
        label = f"Train to step {found.at + found.again:,} again"
        icon, off = ":material/play_arrow:", found.refused
        st.button(label, icon=icon, type="primary", args=(trains_again,), disabled=off, **go)
    else:
        label, icon = f"Train {found.steps:,}", ":material/play_arrow:"
        st.button(label, icon=icon, type="primary", args=(trains, found.steps), disabled=found.refused, **go)
    idle = found.running or found.refused or bool(found.again)
    icon = ":material/skip_next:"
    st.button("One step", key="train_one", icon=icon, on_click=steer, args=(trains, 1), disabled=idle)
    over = {"key": "train_over", "on_click": steer}
    if found.before and not found.at and not found.again:
        label = f"Bring back {found.before:,} steps"
        st.button(label, icon=":material/undo:", args=(brings_back,), disabled=found.running, **over)
    else:
        off = found.running or not (found.at or found.again)
        st.button("Start over", icon=":material/restart_alt:", args=(resets,), disabled=off, **over)


def _draw_settings(found: TrainView) -> None:
    given = found.settings
    with st.popover(f"{given.optimiser} \u00b7 rate {given.rate:g}", icon=":material/tune:"):
        key = renewed("train_steps", "", found.steps)
        st.number_input(
            "Steps at a time",
            1,
            limits.STEPS,
            found.steps,
            key=key,
            on_change=_on_plan,
            args=("steps", key),
        )
        key = renewed("train_rate", "", float(given.rate))
        st.number_input(
            "Learning rate",
            0.0,
            100.0,
            float(given.rate),
            step=0.01,
            format="%g",
            key=key,
            on_change=_on_plan,
            args=("rate", key),
            help="A change holds from the next step on.",
        )
        fixed = {"disabled": found.fixed, "help": "Start over to change it." if found.fixed else None}
        key = renewed("train_optimiser", "", given.optimiser)
        st.selectbox(
            "Optimiser",
            NAMES,
            NAMES.index(given.optimiser),
            key=key,
            on_change=_on_plan,
            args=("optimiser", key),
            **fixed,
        )
        key = renewed("train_seed", "", given.seed)
        st.number_input(
            "Seed of the parameters",
            0,
            limits.SEED,
            given.seed,
            key=key,
            on_change=_on_plan,
            args=("seed", key),
            **fixed,
        )


@whole()
def _on_plan(field: str, key: str) -> None:
    if news(key):
        value = st.session_state[key]
        act(lambda lab: plans(lab, **{field: value}))
