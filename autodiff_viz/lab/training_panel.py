"""Show the training panel: its texts and buttons, the data of its figures, and the training as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autodiff_viz.display.numbers import typed
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.explain.noise.compute import noisy_nodes
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import descendants, order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import counted, scalar
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.state import LAST, Lab
from autodiff_viz.lab.training import live, own
from autodiff_viz.training.course import Course, Progress, phase_at, records
from autodiff_viz.training.records import Records
from autodiff_viz.training.run import Training, cannot_go_on, recipe, settings_of, still
from autodiff_viz.training.source import written_training
from autodiff_viz.training.state import Settings, learned
from autodiff_viz.training.updates import check_optimiser, check_trainable, describe_skipped
from autodiff_viz.training.view import _reached, phase_name, run_line, step_log


def before_training(lab: Lab, view: LabView) -> Progress | None:
    """Return loss and arriving cotangents of the numbers on view as the first row of a training.

    None for a graph that cannot be trained, and where the first step would have other numbers than the
    canvas: with another seed, draws of its own, or gradients that are scaled.
    """
    settings = lab.plan.settings
    # Where the first step has other numbers than the canvas:
    redrawn = bool(settings.seed) and any(node.param("value") is None for node in learned(lab.graph))
    scaled = settings.loss_scale is not None and DTYPES[lab.dtype].half
    differs = redrawn or scaled or lab.seed is not None or bool(noisy_nodes(lab.graph))
    if not learned(lab.graph) or differs or can_train(lab, view):
        return None
    trace = view.trace
    moved = descendants(trace.graph, [node.name for node in learned(trace.graph)])
    names = tuple(node.name for node in order(trace.graph) if node.name in moved)
    value, cotangent = _norms(trace.value, names), _norms(trace.cotangent, names)
    loss, one = np.array([float(trace.value[trace.output])]), np.ones(1)
    none = np.empty((1, 0))
    records = Records(names, (), 0, loss, value, cotangent, np.zeros_like(value), none, one, one == 0)
    return Progress(records, nodes=names, planned=lab.plan.steps)


def _norms(arrays: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    return np.array([[np.linalg.norm(np.asarray(arrays[name], np.float64)) for name in names]])


def training_file(lab: Lab) -> str:
    """Return the training of the graph on view as a JAX program, or why there is none, as a comment.

    It makes the steps that have been made, or those that the button makes, from the graph's own parameters,
    with the present rules and settings.
    """
    training = own(lab)
    settings = settings_of(training, lab.plan.settings) if training else lab.plan.settings
    made = len(training) if training else 0
    dtype = training.dtype if made else lab.dtype
    try:
        return written_training(lab.graph, settings, made or lab.plan.steps, dtype)
    except GraphError as error:
        return f"# {error.problems[0].message} {error.problems[0].hint or ''}".rstrip() + "\n"


LOGGED = 4  # number of steps before the one on view in the log


@dataclass(frozen=True, slots=True)
class TrainView:
    """View of the training panel.

    Attributes:
      settings: of the steps to come.
      steps: number of steps that the button makes.
      fixed: whether optimiser and random seed are fixed, since the course has begun.
      at: number of steps made.
      goal: number of steps requested in all.
      running: whether steps are being made.
      shown: the step on view, None for the graph's own numbers.
      says: the step on view and its loss, in a line.
      trouble: why the training cannot continue, in a sentence; "" if it can.
      refused: whether it cannot continue until it is reset or the graph is changed.
      again: number of steps of an earlier visit that have still to be recomputed; 0 for none.
      before: number of steps of the training that was replaced, by a reset or by other steps.
      half: whether the steps to come are in 16 bits, so that a loss scale has an effect.
      skipped: which steps were skipped for a gradient that is not finite, in a sentence; "" if none was.
    """

    settings: Settings
    steps: int
    fixed: bool
    at: int
    goal: int
    running: bool
    shown: int | None
    says: str
    trouble: str
    refused: bool
    again: int
    before: int
    half: bool
    skipped: str


def train_view(lab: Lab, view: LabView) -> TrainView | None:
    """Return the view of the training panel; None for a graph without parameters."""
    if not learned(lab.graph):
        return None
    training = own(lab) or Training(still(lab.graph), lab.plan.settings, lab.dtype)
    other, missing = cannot_go_on(training, lab.graph), can_train(lab, view)
    at, again = len(training), training.again.steps if training.again else 0
    trouble = f"{missing.message} {missing.hint or ''}".strip() if missing else training.why
    return TrainView(
        settings=settings_of(training, lab.plan.settings),
        steps=lab.plan.steps,
        fixed=at > 0 or again > 0,
        at=at,
        goal=training.goal,
        running=training.running,
        shown=view.moment.step if view.moment else None,
        says=says(lab, view),
        trouble=f"{other} Start over to train this graph." if other else trouble,
        refused=bool(other or missing),
        again=max(0, again - at),
        before=len(training.before) if training.before else 0,
        half=DTYPES[training.dtype if at or again else lab.dtype].half,
        skipped=_skipped(training.course),
    )


def _skipped(course: Course | None) -> str:
    """Return which steps were skipped, in a sentence; "" if none was."""
    chunks = course.chunks if course else ()
    return describe_skipped(records(course)) if any(chunk.skipped.any() for chunk in chunks) else ""


def moment_data(lab: Lab, view: LabView) -> dict[str, Any] | None:
    """Return the step on view with its words for the browser; None without one."""
    if view.moment is None:
        return None
    loss = view.trace.value[view.trace.output]
    number = typed(loss) if loss.ndim == 0 else None
    return {"step": view.moment.step, "says": says(lab, view), "loss": number}


def says(lab: Lab, view: LabView) -> str:
    """Return the step on view and its loss as text; "" before the first step."""
    at, training = view.moment, own(lab)
    if training is None or not len(training):
        return ""
    if at is None:
        return f"The formula as written; {counted(len(training), 'step')} trained."
    loss = view.trace.value[view.trace.output]
    number = f" \u00b7 loss {scalar(float(loss), 5)}" if loss.ndim == 0 else ""
    # The chart ends one step before: a step records the loss with which it begins.
    number += " after the last update" if number and at.step == at.of else ""
    return f"Step {at.step:,} of {at.of:,}{number}{_scaled(lab, view)}{_under(lab, view)}"


def _scaled(lab: Lab, view: LabView) -> str:
    """Return the loss scale of the step on view, and that it was skipped, if it was."""
    at, made = view.moment, lab.training.course
    if at.state.scaling is None or lab.seed is not None:
        return ""
    skipped = at.step < at.of and bool(records(made).skipped[at.step])
    why = " \u00b7 gradient not finite, skipped" if skipped else ""
    return f" \u00b7 cotangents times {scalar(float(at.state.scaling.scale), 8)}{why}"


def _under(lab: Lab, view: LabView) -> str:
    """Return whose rules the step on view has, if they may not be its own."""
    at, course = view.moment, lab.training.course
    if at.as_then:
        return " \u00b7 under the rules of that time"
    then = phase_at(course, at.step).graph
    if lab.step != LAST and at.step < at.of and then != still(lab.graph):
        return " \u00b7 under the rules of now"
    return ""


def progress(lab: Lab, view: LabView) -> Progress | None:
    """Return the data of the training figures; before the first step that of the numbers on view, or None."""
    training = own(lab)
    course = training.course if training else None
    if course is None or not len(course):
        return before_training(lab, view)
    names = tuple((b.first, phase_name(a, b)) for a, b in zip(course.phases, course.phases[1:], strict=False))
    shown = view.moment.step if view.moment else None
    return Progress(records(course), names, shown, _reached(course.phases[-1].graph))


def run_log(lab: Lab, view: LabView) -> str:
    """Return the log of the step on view, after a line for each step before; "" if runs cannot be counted."""
    at = view.moment
    if at is None or lab.training is None or lab.training.course is None:
        return ""
    course, losses = lab.training.course, records(lab.training.course).loss
    lines = []
    try:
        for step in range(max(0, at.step - LOGGED), at.step):
            graph = phase_at(course, step).graph
            lines.append(f"Step {step}: loss {scalar(float(losses[step]), 8)}; {_line(view, graph)}")
        loss = float(view.trace.value[view.trace.output])
        lines.append(step_log(view.graph, view.trace.runs, at.step, loss))
    except (GraphError, TypeError):
        return ""
    return "\n".join(lines)


def _line(view: LabView, graph: Graph) -> str:
    """Return the runs of a step on `graph` in one line; only its regions determine them."""
    if graph.by_name.keys() != view.graph.by_name.keys():
        return "another graph"
    runs: Mapping[str, Runs] = replace(view.trace, graph=played(graph)).runs
    return run_line(replace(graph, groups=view.graph.groups), runs)


def train_data(lab: Lab, view: LabView) -> Any:
    """Return all that buttons and settings depend on; constant while steps are made."""
    panel = train_view(lab, view)
    if panel is None or not panel.running:
        return panel
    return _quiet(panel), still(lab.graph), lab.plan


def track_data(lab: Lab, view: LabView) -> Any:
    """Return all that the progress bar or the slider depends on; constant while steps are made."""
    panel = train_view(lab, view)
    if panel is None or not (panel.running or panel.at):
        return None
    return (_quiet(panel) if panel.running else panel), lab.step


def _quiet(panel: TrainView) -> TrainView:
    """Return the view without the fields that change with each step."""
    return replace(panel, at=0, shown=None, says="", goal=0, skipped="")


def curves_data(lab: Lab, view: LabView) -> Any:
    """Return all that the training figures depend on; None for a graph without parameters."""
    if not learned(lab.graph):
        return None
    if not own(lab) or not len(lab.training):
        return "before the first step", view.follows, lab.plan
    at = view.moment.step if view.moment else None
    made = recipe(lab.training) if not live(lab) else None
    return lab.training.token, len(lab.training), made, at, lab.step is None, view.moment and view.moment.key


def loss_now(training: Training | None) -> str:
    """Return the loss of the last step as text: of the parameters before its update."""
    chunks = training.course.chunks if training and training.course else ()
    return scalar(float(chunks[-1].loss[-1]), 5) if chunks else ""


def can_train(lab: Lab, view: LabView) -> Problem | None:
    """Return the problem that prevents training the graph on view; None if there is none."""
    if not view.complete:
        return Problem("unfinished", "The graph is not complete.", "Complete it to train it.")
    try:
        check_trainable(view.graph, view.trace)
        check_optimiser(lab.plan.settings, lab.dtype)
    except GraphError as error:
        return error.problems[0]
    return None
