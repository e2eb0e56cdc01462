"""Draw a training: its transport bar and settings, the step on view, its figures, and what it has learned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from autodiff_viz.explain.precision.compute import SCALES
from autodiff_viz.explain.surface.figure import surface_figure, surface_text
from autodiff_viz.graph import limits
from autodiff_viz.graph.text import counted
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.state import LAST, Lab
from autodiff_viz.lab.surface import learned_surface
from autodiff_viz.lab.training import (
    brings_back,
    pauses,
    plans,
    resets,
    scrubs,
    trains,
    trains_again,
    uses_weights,
)
from autodiff_viz.lab.training_panel import TrainView, loss_now, progress, run_log, train_view, training_file
from autodiff_viz.training.figure import TRAINING_FIGURES
from autodiff_viz.training.run import NAMES, still
from autodiff_viz.training.state import Settings, learned
from autodiff_viz.ui.exchange import catch_up
from autodiff_viz.ui.fragments import answered, is_changed, pressed, redraw, renewed
from autodiff_viz.ui.panels.charts import draw_chart
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.session import Session, act, called, current_session
from autodiff_viz.ui.worker_jobs import is_large

# The figures of a training, one at a time, and the log of the step on view.


LOG = "log"
TITLES = {**{name: spec.title for name, spec in TRAINING_FIGURES.items()}, LOG: "Run log"}
CHOSEN = "curve"
AT_ONCE = ("loss", "flow")  # those that are drawn before the first step
BEFORE = "The loss, the gradients and the updates are drawn here, step by step, once it trains."
NO_STEP = "No step has been made yet: press Train."


def draw_curves(lab: Lab, view: LabView) -> None:
    """Draw the chosen figure or the log; before the first step what will be there."""
    made = progress(lab, view)
    if made is None:
        if learned(lab.graph):
            st.caption(BEFORE)
        return
    chosen = current_session().looks.get(CHOSEN, "loss")
    key = renewed("curve_choice", "", chosen)
    st.segmented_control(
        "What became of it",
        list(TITLES),
        default=chosen,
        key=key,
        format_func=TITLES.__getitem__,
        on_change=_on_choice,
        args=(key,),
        label_visibility="collapsed",
    )
    if made.planned and chosen not in AT_ONCE:
        st.caption(NO_STEP)
    elif chosen != LOG:
        spec = TRAINING_FIGURES[chosen]
        figure = spec.build_for(current_session().parts.low)(made)
        draw_chart(figure, spec.text(made), f"curve_{chosen}")
    elif text := run_log(lab, view):
        st.code(text, language=None)
    else:
        st.caption("The log tells of the step on view: choose one.")


@in_turn()
def _on_choice(key: str) -> None:
    session, values = called()
    if is_changed(session.widgets, values, key) and values[key]:
        session.looks[CHOSEN] = values[key]


# The transport bar and the settings of the training.


PACES = (0, 1, 2, 10, 100)  # steps a second, at most; 0 for no limit
INTERVALS = (0, 2, 10, 100, 1_000, 2_000)  # steps after which the loss scale doubles; 0 for never

BACK = "Brings back the training that was there before this one."


@in_turn()
def steer(action: Callable[..., Lab], *arguments: Any) -> None:
    """Replace the lab by the result of `action` on the newest state of the training; a callback of buttons.

    The training then goes on from there.
    """
    session, _ = called()
    catch_up(session)
    act(session, action, *arguments)
    session.trainer.put(session.lab.training)
    session.followed = None
    redraw(session)


def follow(session: Session) -> None:
    """Tell the worker the present rules, or give it a training that was opened from an address."""
    known, mine = session.trainer.training, session.lab.training
    if mine is not None and mine.running and (known is None or known.token is not mine.token):
        session.trainer.put(mine)
    elif mine is not None and mine.running:
        session.trainer.tell(still(session.lab.graph), session.lab.plan.settings)


def draw_train(lab: Lab, view: LabView) -> None:
    """Draw the transport bar and the settings; nothing for a graph without parameters.

    An element is disabled instead of left out if possible: one that is left out would stay on the page if the
    end of a run is lost, as it often is while a training requests the next.
    """
    shown = train_view(lab, view)
    if shown is None:
        return
    follow(current_session())
    with st.container(key="train_bar", horizontal=True, vertical_alignment="center", gap="small"):
        _draw_transport(shown)
        _draw_settings(shown)
    for trouble in filter(None, (shown.trouble, shown.skipped)):
        st.text(f"\u26a0 {trouble}")


RUNS = "It runs: pause it first."


def _draw_transport(view: TrainView) -> None:
    refusal = view.trouble or "The graph cannot be trained as it is." if view.refused else None
    go = {"key": "train_go", "on_click": steer}
    icon = {"icon": ":material/play_arrow:", "type": "primary"}
    start = {**go, **icon, "disabled": bool(refusal), "help": refusal}
    if view.running:
        st.button("Pause", icon=":material/pause:", args=(pauses,), **go)
    elif view.again:
        st.button(f"Train to step {view.at + view.again:,} again", args=(trains_again,), **start)
    else:
        st.button(f"Train {counted(view.steps, 'step')}", args=(trains, view.steps), **start)
    why = RUNS if view.running else refusal
    if view.again and not view.running:
        why = "The steps of the link are made again first."
    does = "Updates the parameters once, and shows the new numbers on the canvas."
    one = {"on_click": steer, "args": (trains, 1), "disabled": bool(why), "help": why or does}
    st.button("One step", key="train_one", icon=":material/skip_next:", **one)
    over = {"key": "train_over", "on_click": steer}
    if view.before and not view.at and not view.again:
        label = f"Bring back {view.before:,} steps"
        why = RUNS if view.running else None
        look = {"disabled": bool(why), "help": why or BACK}
        st.button(label, icon=":material/undo:", args=(brings_back,), **look, **over)
    else:
        none = not (view.at or view.again)
        why = "Pause it first." if view.running else "No step has been made yet." if none else None
        icon, does = ":material/restart_alt:", "Forgets the steps, which one more press brings back."
        st.button("Start over", icon=icon, args=(resets,), disabled=bool(why), help=why or does, **over)


def _draw_settings(view: TrainView) -> None:
    given, pace = view.settings, current_session().trainer.pace
    held = f" \u00b7 {pace}/s" if pace else ""
    with st.popover(f"{given.optimiser} \u00b7 rate {given.rate:g}{held}", icon=":material/tune:"):
        key = renewed("train_steps", "", view.steps)
        st.number_input(
            "Steps at a time",
            1,
            limits.STEPS,
            view.steps,
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
        if view.half:
            _draw_loss_scale(given)
        # A training has one optimiser and one start: only a new one can have others.
        fixed = {"disabled": view.fixed, "help": "Start over to change it." if view.fixed else None}
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
            "Random seed of the parameters",
            0,
            limits.SEED,
            given.seed,
            key=key,
            on_change=answered,
            args=(key, _set_plan, "seed"),
            **{**fixed, "help": fixed["help"] or "Whole number that decides the values they start with."},
        )
        session = current_session()  # read now: the file is of its state at the time of the request
        st.download_button(
            "Training as a JAX file",
            lambda: training_file(session.lab),
            "autodiff_training.py",
            "text/x-python",
            key="download_training",
            icon=":material/download:",
            on_click="ignore",
            disabled=view.refused,
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
    session, values = called()
    if is_changed(session.widgets, values, key) and values[key] in PACES:
        session.trainer.limit(values[key])
        session.parts.cut.add("train")
    redraw(session)


# The steps of a training: a progress bar while it runs, then a slider to any step.


FIRST_LOOK, LOOK = 80, 250  # milliseconds until the first update (a few steps take no time), then the next

NEWEST = "Shows the numbers of the newest step on the canvas, and follows while it trains."
OWN = "Shows the numbers of the formula as it is written, before any step."
USE = "Writes the parameters of this step into the formula. Undo takes them out again."


def draw_track(lab: Lab, view: LabView) -> None:
    """Draw the steps; nothing before a training has begun.

    The page follows a running training by this part, which is drawn again and again by itself.
    """
    shown = train_view(lab, view)
    if shown is None or not (shown.running or shown.at):
        return
    with st.container(key="train_track"):
        if shown.running:
            loss = loss_now(lab.training)
            state = f"loss {loss} at step {shown.at - 1:,}" if loss else "compiling the step"
            share = min(1.0, shown.at / max(shown.goal, 1))
            st.progress(share, f"Step {shown.at:,} of {shown.goal:,} \u00b7 {state}")
        else:
            at = shown.at if shown.shown is None else shown.shown
            # Its owner: another training, or more steps, need a slider of another length.
            key = renewed("train_step", f"{id(lab.training.token)} {shown.at}", at)
            look = {"label_visibility": "collapsed", "key": key}
            st.slider("Step on view", 0, shown.at, at, on_change=answered, args=(key, _scrub), **look)
    _draw_where(lab, shown)
    if shown.running:
        session = current_session()
        session.parts.polls["track"] = FIRST_LOOK if session.followed is None else LOOK


def _draw_where(lab: Lab, view: TrainView) -> None:
    """Draw the step on view and buttons for the other views."""
    own, now = lab.step is None, lab.step == LAST
    with st.container(key="train_where", horizontal=True, vertical_alignment="center", gap="small"):
        st.text("The newest step, as it trains." if view.running and now else view.says, width="content")
        on_view, runs = "It is on view.", RUNS if view.running else None
        _draw_link("Newest step", "train_now", NEWEST, on_view if now else None, pressed, scrubs, LAST)
        _draw_link("Formula as written", "train_own", OWN, on_view if own else None, pressed, scrubs, None)
        why = runs or ("Choose a step first." if view.shown is None else None)
        of = "a step" if view.shown is None else f"step {view.shown:,}"
        _draw_link(f"Use the weights of {of}", "train_use", USE, why, pressed, uses_weights)
        if view.before and view.at:
            label = f"Bring back {view.before:,} steps"
            _draw_link(label, "train_back", BACK, runs, steer, brings_back)


def _draw_link(
    label: str, key: str, does_what: str, why: str | None, does: Callable[..., None], *action: Any
) -> None:
    """Draw a button with what happens when it is pressed, or `why` it is disabled if it is."""
    look = {"type": "tertiary", "disabled": why is not None, "help": why or does_what}
    st.button(label, key=key, on_click=does, args=action, **look)


def _scrub(lab: Lab, step: float) -> Lab:
    return scrubs(lab, int(step))


# What it has learned, beside its loss: the surface of the prediction.


def draw_surface(lab: Lab, view: LabView) -> None:
    """Draw the surface, or why there is none; nothing for a graph that reads no points."""
    surface = None if is_large(view) else learned_surface(lab, view)
    if isinstance(surface, str):
        st.caption(surface)
    elif surface is not None:
        draw_chart(surface_figure(surface, current_session().parts.low), surface_text(surface), "surface")
