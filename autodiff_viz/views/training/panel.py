"""Show the training panel: its texts and buttons, and the data of its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.engine.training.course import Course, Phase, phase_at, records
from autodiff_viz.engine.training.updates import Settings, learned, skipped_said
from autodiff_viz.engine.whole_program.remat_counts import Runs
from autodiff_viz.figures.training.progress import Progress
from autodiff_viz.graph.model import FOLLOW, Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.registries.dtypes import DTYPES
from autodiff_viz.graph.structure.bypass import played
from autodiff_viz.graph.structure.order import descendants, order
from autodiff_viz.graph.text.text_format import counted, scalar
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import LAST, Lab
from autodiff_viz.views.training.actions import can_train
from autodiff_viz.views.training.before import before_training
from autodiff_viz.views.training.record import Training, cannot_go_on, recipe, settings_of, still
from autodiff_viz.views.training.run_log import run_line, step_log
from autodiff_viz.views.training.shown_step import live, own

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
    return skipped_said(records(course)) if any(chunk.skipped.any() for chunk in chunks) else ""


def moment_data(lab: Lab, view: LabView) -> dict[str, Any] | None:
    """Return the step on view with its words for the browser; None without one."""
    if view.moment is None:
        return None
    loss = view.trace.value[view.trace.output]
    number = scalar(float(loss)) if loss.ndim == 0 else ""
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
    return f"Step {at.step:,} of {at.of:,}{number}{_scaled(lab, view)}{_under(lab, view)}"


def _scaled(lab: Lab, view: LabView) -> str:
    """Return the loss scale of the step on view, and that it was skipped, if it was."""
    at, made = view.moment, lab.training.course
    if at.state.scaling is None or lab.seed is not None:
        return ""
    skipped = at.step < at.of and bool(records(made).skipped[at.step])
    said = " \u00b7 gradient not finite, skipped" if skipped else ""
    return f" \u00b7 cotangents times {scalar(float(at.state.scaling.scale), 8)}{said}"


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


def _reached(graph: Graph) -> tuple[str, ...]:
    """Return the nodes that a gradient can reach, parameters and their descendants, in graph order."""
    moved = descendants(graph, [node.name for node in learned(graph)])
    return tuple(node.name for node in order(graph) if node.name in moved)


def phase_name(before: Phase, after: Phase) -> str:
    """Return in a few words what changed between two phases."""
    old, new = before.graph, after.graph
    changes = [*_rules(old, new), *_regions(old, new), *_settings(before.settings, after.settings)]
    if not changes:
        changes = ["other inputs" if old.by_name.keys() == new.by_name.keys() else "another graph"]
    return changes[0] if len(changes) == 1 else f"{changes[0]} and {len(changes) - 1} more"


def _rules(old: Graph, new: Graph) -> list[str]:
    """Return the changes of rules and mutes."""
    both = [(old[n.name], n) for n in new.nodes if n.name in old]
    found = [
        f"{b.rule.kind.replace('_', ' ')} at {b.name}"
        if b.rule.kind != FOLLOW
        else f"no {a.rule.kind} at {b.name}"
        for a, b in both
        if a.rule != b.rule
    ]
    muted = [f"{'muted' if b.muted else 'not muted'} {b.name}" for a, b in both if a.muted != b.muted]
    return [*found, *muted]


def _regions(old: Graph, new: Graph) -> list[str]:
    """Return the changes of checkpoint regions."""
    had, has = ({region.name: region for region in graph.regions} for graph in (old, new))
    names = [name for name in dict.fromkeys([*had, *has]) if had.get(name) != has.get(name)]
    return [f"checkpoint {name}" if name in has else f"no checkpoint {name}" for name in names]


def _settings(old: Settings, new: Settings) -> list[str]:
    """Return the changes of the learning rate and of the loss scale."""
    rate = [f"rate {new.rate:g}"] if old.rate != new.rate else []
    scaling = [(each.loss_scale, each.growth_interval) for each in (old, new)]
    if scaling[0] == scaling[1]:
        return rate
    return [*rate, "no loss scale" if new.loss_scale is None else f"loss scale {new.loss_scale:,.0f}"]


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
    found = train_view(lab, view)
    if found is None or not found.running:
        return found
    return _quiet(found), still(lab.graph), lab.plan


def track_data(lab: Lab, view: LabView) -> Any:
    """Return all that the progress bar or the slider depends on; constant while steps are made."""
    found = train_view(lab, view)
    if found is None or not (found.running or found.at):
        return None
    return (_quiet(found) if found.running else found), lab.step


def _quiet(found: TrainView) -> TrainView:
    """Return the view without the fields that change with each step."""
    return replace(found, at=0, shown=None, says="", goal=0, skipped="")


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
    """Return the loss of the last step as text."""
    chunks = training.course.chunks if training and training.course else ()
    return scalar(float(chunks[-1].loss[-1]), 5) if chunks else ""
