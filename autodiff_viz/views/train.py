"""The panel in which the graph is trained: what it says and offers, and what its figures show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.engine.counts import Runs
from autodiff_viz.engine.course import Phase, phase_at, records
from autodiff_viz.engine.training import Settings, learned
from autodiff_viz.figures.progress import Progress
from autodiff_viz.graph.model import FOLLOW, Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import descendants, order
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.words import scalar
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import LAST, Lab
from autodiff_viz.views.moment import live, own
from autodiff_viz.views.runlog import run_line, step_log
from autodiff_viz.views.steering import can_train
from autodiff_viz.views.training import Training, cannot_go_on, recipe, settings_of, still

LOGGED = 4  # steps in the log before the one on view


@dataclass(frozen=True, slots=True)
class TrainView:
    """What the panel shows.

    Attributes:
      settings: of the steps to come; `steps`: how many the button makes.
      fixed: optimiser and seed cannot change, since the course has begun.
      at, goal: how many steps there are, and shall be.
      running: whether they are being made.
      shown: the step on view, None for the graph's own numbers.
      says: where the page is in the training, in a line.
      trouble: why it does not go on, in a sentence; "" when it does.
      refused: it cannot go on before it is reset.
      again: steps of an earlier visit that are still to be made; 0 for none.
      before: steps of the training that was put aside, by a reset or for steps made otherwise.
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


def train_view(lab: Lab, view: LabView) -> TrainView | None:
    """None for a graph that has no parameter."""
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
    )


def says(lab: Lab, view: LabView) -> str:
    """Where the page is in the training."""
    at, training = view.moment, own(lab)
    if training is None or not len(training):
        return ""
    if at is None:
        return f"The formula's own numbers; {len(training):,} steps are trained."
    loss = view.trace.value[view.trace.output]
    number = f" \u00b7 loss {scalar(float(loss), 5)}" if loss.ndim == 0 else ""
    return f"Step {at.step:,} of {at.of:,}{number}{_under(lab, view)}"


def _under(lab: Lab, view: LabView) -> str:
    """Under which rules, where these are not those of the step."""
    at, course = view.moment, lab.training.course
    if at.as_then:
        return " \u00b7 under the rules of that time"
    then = phase_at(course, at.step).graph
    if lab.step != LAST and at.step < at.of and then != still(lab.graph):
        return " \u00b7 under the rules of now"
    return ""


def progress(lab: Lab, view: LabView) -> Progress | None:
    """What the figures show; None before the first step."""
    training = own(lab)
    course = training.course if training else None
    if course is None or not len(course):
        return None
    names = tuple((b.first, phase_name(a, b)) for a, b in zip(course.phases, course.phases[1:], strict=False))
    shown = view.moment.step if view.moment else None
    return Progress(records(course), names, shown, _reached(course.phases[-1].graph))


def _reached(graph: Graph) -> tuple[str, ...]:
    """Nodes at which a gradient can arrive: the parameters and what is made of them, in graph order."""
    moved = descendants(graph, [node.name for node in learned(graph)])
    return tuple(node.name for node in order(graph) if node.name in moved)


def phase_name(before: Phase, after: Phase) -> str:
    """What changed between two phases, in a few words."""
    old, new = before.graph, after.graph
    changes = [*_rules(old, new), *_regions(old, new), *_settings(before.settings, after.settings)]
    if not changes:
        changes = ["other inputs" if old.by_name.keys() == new.by_name.keys() else "another graph"]
    return changes[0] if len(changes) == 1 else f"{changes[0]} and {len(changes) - 1} more"


def _rules(old: Graph, new: Graph) -> list[str]:
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
    had, has = ({region.name: region for region in graph.regions} for graph in (old, new))
    names = [name for name in dict.fromkeys([*had, *has]) if had.get(name) != has.get(name)]
    return [f"checkpoint {name}" if name in has else f"no checkpoint {name}" for name in names]


def _settings(old: Settings, new: Settings) -> list[str]:
    return [f"rate {new.rate:g}"] if old.rate != new.rate else []


def run_log(lab: Lab, view: LabView) -> str:
    """The step on view in the tutorial's words, and a line for each of those before it; "" where runs
    cannot be counted."""
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
    """The runs of a step made on `graph`: its regions alone decide on them."""
    if graph.by_name.keys() != view.graph.by_name.keys():
        return "another graph"
    runs: Mapping[str, Runs] = replace(view.trace, graph=played(graph)).runs
    return run_line(replace(graph, groups=view.graph.groups), runs)


def train_data(lab: Lab, view: LabView) -> Any:
    """What the buttons and the settings follow from. While steps are made they stay as they are."""
    found = train_view(lab, view)
    if found is None or not found.running:
        return found
    return _quiet(found), still(lab.graph), lab.plan


def track_data(lab: Lab, view: LabView) -> Any:
    """What the bar or the slider follows from. While steps are made it moves by itself."""
    found = train_view(lab, view)
    if found is None or not (found.running or found.at):
        return None
    return (_quiet(found) if found.running else found), lab.step


def _quiet(found: TrainView) -> TrainView:
    return replace(found, at=0, shown=None, says="", goal=0)


def curves_data(lab: Lab, view: LabView) -> Any:
    """What the figures of the training follow from."""
    if not learned(lab.graph) or not own(lab) or not len(lab.training):
        return None
    at = view.moment.step if view.moment else None
    made = recipe(lab.training) if not live(lab) else None
    return lab.training.token, len(lab.training), made, at, lab.step is None, view.moment and view.moment.key


def loss_now(training: Training | None) -> str:
    """The loss of the last step that was made."""
    chunks = training.course.chunks if training and training.course else ()
    return scalar(float(chunks[-1].loss[-1]), 5) if chunks else ""
