"""Draw what a training has learned, beside its loss: the surface of the prediction."""

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
from autodiff_viz.ui.fragments import answered, news, pressed, redraw, renewed
from autodiff_viz.ui.panels.charts import draw_chart
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.session import Session, act, called, session
from autodiff_viz.ui.worker_jobs import is_large

# Draw the figures of a training, one at a time, and the log of the step on view.


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


# Draw the training panel: a transport bar and the settings of the training.


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


# Draw the steps of a training: a progress bar while it runs, then a slider to any step.


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


def draw_surface(lab: Lab, view: LabView) -> None:
    """Draw the surface, or why there is none; nothing for a graph that reads no points."""
    found = None if is_large(view) else learned_surface(lab, view)
    if isinstance(found, str):
        st.caption(found)
    elif found is not None:
        draw_chart(surface_figure(found, session().parts.low), surface_text(found), "surface")
