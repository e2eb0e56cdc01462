"""The training of the graph: a transport bar, the steps to go back to, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from autodiff_viz.graph import limits
from autodiff_viz.ui.parts import ask_after_look
from autodiff_viz.ui.session import LAB, act
from autodiff_viz.ui.trainer import Trainer
from autodiff_viz.ui.whole import whole
from autodiff_viz.ui.widgets import news, renewed
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import LAST, Lab
from autodiff_viz.views.steering import (
    brings_back,
    caught_up,
    pauses,
    plans,
    resets,
    scrubs,
    trains,
    trains_again,
    uses_weights,
)
from autodiff_viz.views.train import TrainView, loss_now, train_view
from autodiff_viz.views.training import NAMES, still

POLL = 0.8  # seconds between two looks at a training that runs
TRAINER = "trainer"


def trainer() -> Trainer:
    """The visitor's own."""
    return st.session_state.setdefault(TRAINER, Trainer())


@whole()
def steer(action: Callable[..., Lab], *arguments: Any) -> None:
    """As `act`, on the newest state of the training, which then goes on by what `action` made of it."""
    catch_up()
    act(action, *arguments)
    trainer().put(st.session_state[LAB].training)


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
    """Nothing for a graph without parameters."""
    found = train_view(lab, view)
    if found is None:
        return
    follow(lab)
    with st.container(key="train_bar", horizontal=True, vertical_alignment="center", gap="small"):
        _draw_transport(found)
        _draw_settings(found)
    if found.running:
        st.fragment(partial(_draw_progress, found.goal), run_every=POLL)()
    elif found.at:
        _draw_scrubber(lab, found)
    if found.trouble:
        st.text(f"\u26a0 {found.trouble}")


def _draw_transport(found: TrainView) -> None:
    if found.running:
        st.button("Pause", key="pause", icon=":material/pause:", on_click=steer, args=(pauses,))
    elif found.again:
        st.button(
            f"Train to step {found.at + found.again} again",
            key="train_again",
            icon=":material/play_arrow:",
            type="primary",
            on_click=steer,
            args=(trains_again,),
            disabled=found.refused,
        )
    else:
        st.button(
            f"Train {found.steps:,}",
            key="train",
            icon=":material/play_arrow:",
            type="primary",
            on_click=steer,
            args=(trains, found.steps),
            disabled=found.refused,
            help="Make so many steps under the rules that the graph has now.",
        )
    idle = {"disabled": found.running or found.refused or bool(found.again)}
    label, icon = "One step", ":material/skip_next:"
    st.button(label, key="train_one", icon=icon, on_click=steer, args=(trains, 1), **idle)
    if found.at or found.again:
        told = "Back before the first step. What there is can be brought back."
        icon = ":material/restart_alt:"
        st.button(
            "Start over",
            key="train_reset",
            icon=icon,
            on_click=steer,
            args=(resets,),
            help=told,
            disabled=found.running,
        )
    elif found.before:
        label = f"Bring back {found.before:,} steps"
        st.button(
            label, key="train_back", icon=":material/undo:", on_click=steer, args=(brings_back,), **idle
        )


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


def _draw_progress(goal: int) -> None:
    """A bar that moves by itself, and the rest of the page behind it."""
    catch_up()
    lab = st.session_state[LAB]
    at = len(lab.training) if lab.training else 0
    loss = loss_now(lab)
    text = f"Step {at:,} of {goal:,}" + (f" \u00b7 loss {loss}" if loss else " \u00b7 compiling the step")
    st.progress(min(1.0, at / max(goal, 1)), text)
    ask_after_look()


def _draw_scrubber(lab: Lab, found: TrainView) -> None:
    shown = found.at if found.shown is None else found.shown
    owner = f"{id(lab.training.token)} {found.at}"
    key = renewed("train_step", owner, shown)
    st.slider(
        "Step on view",
        0,
        found.at,
        shown,
        key=key,
        on_change=_on_step,
        args=(key,),
        label_visibility="collapsed",
    )
    with st.container(key="train_where", horizontal=True, vertical_alignment="center", gap="small"):
        st.text(found.says, width="content")
        if found.shown is None or lab.step != LAST:
            st.button("Now", key="train_now", type="tertiary", on_click=act, args=(scrubs, LAST))
        if found.shown is not None:
            own = "The formula's own numbers"
            st.button(own, key="train_own", type="tertiary", on_click=act, args=(scrubs, None))
            told = "Write the parameters of this step into the formula. Undo takes them out again."
            label, key = "Use these weights", "train_use"
            st.button(label, key=key, type="tertiary", on_click=act, args=(uses_weights,), help=told)


@whole()
def _on_step(key: str) -> None:
    if news(key):
        act(scrubs, int(st.session_state[key]))
