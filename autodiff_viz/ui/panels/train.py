"""Draw the training panel: a transport bar and the settings of the training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from autodiff_viz.engine.training.state import Settings
from autodiff_viz.figures.cotangents.precision import SCALES
from autodiff_viz.graph import limits
from autodiff_viz.graph.text.text_format import counted
from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.follow_training import catch_up
from autodiff_viz.ui.fragments import redraw
from autodiff_viz.ui.session import Session, act, called, session
from autodiff_viz.ui.widgets import answered, news, renewed
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.training.actions import brings_back, pauses, plans, resets, trains, trains_again
from autodiff_viz.views.training.files import training_file
from autodiff_viz.views.training.panel import TrainView, train_view
from autodiff_viz.views.training.record import NAMES, still

PACES = (0, 1, 2, 10, 100)  # steps a second, at most; 0 for no limit
INTERVALS = (0, 2, 10, 100, 1_000, 2_000)  # steps after which the loss scale doubles; 0 for never

BACK = "Brings back the training that was there before this one."


@in_turn()
def steer(action: Callable[..., Lab], *arguments: Any) -> None:
    """Replace the lab by the result of `action` on the newest state of the training; a callback of buttons.

    The training then goes on from there.
    """
    here, _ = called()
    catch_up(here)
    act(here, action, *arguments)
    here.trainer.put(here.lab.training)
    here.followed = None
    redraw(here)


def follow(here: Session) -> None:
    """Tell the worker the present rules, or give it a training that was opened from an address."""
    known, mine = here.trainer.training, here.lab.training
    if mine is not None and mine.running and (known is None or known.token is not mine.token):
        here.trainer.put(mine)
    elif mine is not None and mine.running:
        here.trainer.tell(still(here.lab.graph), here.lab.plan.settings)


def draw_train(lab: Lab, view: LabView) -> None:
    """Draw the transport bar and the settings; nothing for a graph without parameters.

    An element is disabled instead of left out if possible: one that is left out would stay on the page if the
    end of a run is lost, as it often is while a training requests the next.
    """
    found = train_view(lab, view)
    if found is None:
        return
    follow(session())
    with st.container(key="train_bar", horizontal=True, vertical_alignment="center", gap="small"):
        _draw_transport(found)
        _draw_settings(found)
    for said in (found.trouble, found.skipped):
        if said:
            st.text(f"\u26a0 {said}")


def _draw_transport(found: TrainView) -> None:
    go, no = {"key": "train_go", "on_click": steer}, _refusal(found)
    start = {**go, "icon": ":material/play_arrow:", "type": "primary", "disabled": bool(no), "help": no}
    if found.running:
        st.button("Pause", icon=":material/pause:", args=(pauses,), **go)
    elif found.again:
        st.button(f"Train to step {found.at + found.again:,} again", args=(trains_again,), **start)
    else:
        st.button(f"Train {counted(found.steps, 'step')}", args=(trains, found.steps), **start)
    why = _why_not(found)
    does = "Updates the parameters once, and shows the new numbers on the canvas."
    one = {"on_click": steer, "args": (trains, 1), "disabled": bool(why), "help": why or does}
    st.button("One step", key="train_one", icon=":material/skip_next:", **one)
    over = {"key": "train_over", "on_click": steer}
    if found.before and not found.at and not found.again:
        label = f"Bring back {found.before:,} steps"
        why = "It runs: pause it first." if found.running else None
        look = {"disabled": bool(why), "help": why or BACK}
        st.button(label, icon=":material/undo:", args=(brings_back,), **look, **over)
    else:
        none = not (found.at or found.again)
        why = "Pause it first." if found.running else "No step has been made yet." if none else None
        icon, does = ":material/restart_alt:", "Forgets the steps, which one more press brings back."
        st.button("Start over", icon=icon, args=(resets,), disabled=bool(why), help=why or does, **over)


def _why_not(found: TrainView) -> str | None:
    """Return why no single step can be made now; None if it can."""
    if found.running:
        return "It runs: pause it first."
    if found.again:
        return "The steps of the link are made again first."
    return _refusal(found)


def _refusal(found: TrainView) -> str | None:
    """Return why the graph cannot be trained; None if it can."""
    return found.trouble or "The graph cannot be trained as it is." if found.refused else None


def _draw_settings(found: TrainView) -> None:
    given, pace = found.settings, session().trainer.pace
    held = f" \u00b7 {pace}/s" if pace else ""
    with st.popover(f"{given.optimiser} \u00b7 rate {given.rate:g}{held}", icon=":material/tune:"):
        key = renewed("train_steps", "", found.steps)
        st.number_input(
            "Steps at a time",
            1,
            limits.STEPS,
            found.steps,
            key=key,
            on_change=answered,
            args=(key, _set_plan, "steps"),
        )
        key = renewed("train_pace", "", pace)
        st.selectbox(
            "Steps a second",
            PACES,
            PACES.index(pace),
            key=key,
            format_func=lambda pace: str(pace) if pace else "as many as it can",
            on_change=_on_pace,
            args=(key,),
            help="If there are few, the canvas shows each step.",
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
            on_change=answered,
            args=(key, _set_plan, "rate"),
            help="A change holds from the next step on.",
        )
        if found.half:
            _draw_loss_scale(given)
        fixed = {"disabled": found.fixed, "help": "Start over to change it." if found.fixed else None}
        key = renewed("train_optimiser", "", given.optimiser)
        st.selectbox(
            "Optimiser",
            NAMES,
            NAMES.index(given.optimiser),
            key=key,
            on_change=answered,
            args=(key, _set_plan, "optimiser"),
            **fixed,
        )
        key = renewed("train_seed", "", given.seed)
        st.number_input(
            "Seed of the parameters",
            0,
            limits.SEED,
            given.seed,
            key=key,
            on_change=answered,
            args=(key, _set_plan, "seed"),
            **fixed,
        )
        here = session()
        st.download_button(
            "Training as a JAX file",
            lambda: training_file(here.lab),
            "autodiff_training.py",
            "text/x-python",
            key="download_training",
            icon=":material/download:",
            on_click="ignore",
            disabled=found.refused,
            help="The steps as a Python program that needs JAX and Optax alone.",
        )


def _draw_loss_scale(given: Settings) -> None:
    """Draw the controls of mixed precision."""
    scale, interval = given.loss_scale, given.growth_interval
    key = renewed("train_loss_scale", "", scale)
    scales = (None, *sorted({*SCALES, *([scale] if scale else [])}))
    st.selectbox(
        "Loss scale",
        scales,
        scales.index(scale),
        key=key,
        format_func=lambda scale: "none: 16-bit parameters" if scale is None else f"{scale:,.0f}",
        on_change=answered,
        args=(key, _set_plan, "loss_scale"),
        help="With one, parameters are float32, the pass computes in 16 bits, and its gradients are divided "
        "by the scale in float32. A step whose gradient is not finite is skipped.",
    )
    key = renewed("train_growth", "", interval)
    intervals = sorted({*INTERVALS, interval})
    st.selectbox(
        "The scale doubles",
        intervals,
        intervals.index(interval),
        key=key,
        format_func=lambda steps: f"after {steps:,} finite steps" if steps else "never",
        on_change=answered,
        args=(key, _set_plan, "growth_interval"),
        disabled=scale is None,
        help="Choose a loss scale first." if scale is None else "A step that is skipped then halves it.",
    )


def _set_plan(lab: Lab, field: str, value: Any) -> Lab:
    return plans(lab, **{field: value})


@in_turn()
def _on_pace(key: str) -> None:
    """Limit the speed of this visitor's trainings; a callback."""
    here, values = called()
    if news(here.widgets, values, key) and values[key] in PACES:
        here.trainer.limit(values[key])
        here.parts.cut.add("train")
    redraw(here)
