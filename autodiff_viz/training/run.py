"""Record the training of the lab's graph: the request, the progress, and the reason why it stopped.

Nothing here runs by itself: `advanced` makes one chunk of steps and returns the next record. It can be called
in any thread, since no record ever changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.training.course import Course, Phase, further, records, start, trace_at
from autodiff_viz.training.state import OPTIMISERS, Settings, learned

NAMES = tuple(OPTIMISERS)
"""Names of the optimisers, in the order in which the page offers them."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of the user: how to train, and how many steps at a time."""

    settings: Settings
    steps: int


USUAL = Plan(Settings(), 100)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Inputs of a course, from which the same numbers can be recomputed.

    Attributes:
      phases: graphs and settings with their first steps.
      steps: number of steps.
    """

    phases: tuple[Phase, ...]
    steps: int


@dataclass(frozen=True, eq=False)
class Training:
    """Training of a graph; equal only to itself.

    Attributes:
      graph, settings: of the steps to come.
      dtype: of all steps.
      goal: number of steps requested in all.
      running: whether steps are being made.
      course: the steps so far; None before the first.
      again: recipe of an earlier visit that has still to be computed.
      why: why it stopped before its goal, in a sentence.
      seconds: time of computing so far, including the visitor's earlier trainings.
      before: the training that this one replaced, perhaps with one before it.
      document: number of the document in which it began.
      token: the same object in all records of one training.
    """

    graph: Graph
    settings: Settings
    dtype: str
    goal: int = 0
    running: bool = False
    course: Course | None = None
    again: Recipe | None = None
    why: str = ""
    seconds: float = 0.0
    before: Training | None = None
    document: int = 0
    token: object = field(default_factory=object)

    def __len__(self) -> int:
        """Return the number of steps made."""
        return len(self.course) if self.course else 0

    def __bool__(self) -> bool:
        """Return True, also for a training without steps."""
        return True


def still(graph: Graph) -> Graph:
    """Return the graph without positions and groups, which training does not depend on."""
    return replace(graph, nodes=tuple(replace(n, position=None) for n in graph.nodes), groups=())


def recipe(training: Training) -> Recipe | None:
    """Return the recipe of the training as it will be at its goal; None if it has no steps."""
    steps = training.goal if training.running else len(training)
    if training.again is not None and steps <= training.again.steps:
        return training.again
    if not steps:
        return None
    made = training.course.phases if training.course else ()
    if training.again is not None and len(training) < training.again.steps:
        made = training.again.phases
    next_one = Phase(len(training), training.graph, training.settings)
    same = made and (made[-1].graph, made[-1].settings) == (next_one.graph, next_one.settings)
    return Recipe(made if same or len(training) == steps else (*made, next_one), steps)


def same_beginning(training: Training, wanted: Recipe) -> bool:
    """Return whether the course so far contains all steps of `wanted`."""
    if training.course is None or len(training) < wanted.steps:
        return False
    mine = tuple(phase for phase in training.course.phases if phase.first < wanted.steps)
    return mine == tuple(phase for phase in wanted.phases if phase.first < wanted.steps)


def cannot_go_on(training: Training, graph: Graph) -> str:
    """Return why the course cannot continue with `graph`, in a sentence; "" if it can."""
    if not len(training) and training.again is None:
        return ""
    then, now = _beginnings(last_graph(training)), _beginnings(graph)
    if then and not then.keys() & now.keys():
        return f"This training has other parameters: {', '.join(sorted(then)[:4])}."
    changed = [name for name in then if name in now and not _goes_on(then[name], now[name])]
    return f"This training began with other values of {', '.join(changed)}." if changed else ""


def trains_some(training: Training, graph: Graph) -> bool:
    """Return whether a graph has some of the training's parameters, by name; also before the first step."""
    return not _beginnings(graph).keys().isdisjoint(_beginnings(last_graph(training)))


def last_graph(training: Training) -> Graph:
    """Return the graph of the last step."""
    made = training.course.phases if training.course else training.again.phases if training.again else ()
    return made[-1].graph if made else training.graph


def _beginnings(graph: Graph) -> dict[str, dict[str, Any]]:
    """Return the initial values of the parameters by name, without the ends of their sliders."""
    ends = ("low", "high")  # of a slider
    return {n.name: {key: x for key, x in n.params if key not in ends} for n in learned(graph)}


def _goes_on(then: dict[str, Any], now: dict[str, Any]) -> bool:
    """Return whether a parameter has the same initial value, but for the length (weights of branches)."""
    if {**then, "shape": None, "value": None} != {**now, "shape": None, "value": None}:
        return False
    value, other, shape, new = then.get("value"), now.get("value"), then.get("shape"), now.get("shape")
    # Of two tensors the shorter is a prefix of the longer one; of two shapes one axis has another length.
    if isinstance(value, tuple) and isinstance(other, tuple):
        both = min(len(value), len(other))
        value, other = value[:both], other[:both]
    if shape is not None and new is not None and len(shape) == len(new):
        return value == other and sum(a != b for a, b in zip(shape, new, strict=True)) <= 1
    return value == other and shape == new


def settings_of(training: Training, wanted: Settings) -> Settings:
    """Return the settings of the steps to come.

    Optimiser and random seed stay as long as the course does, since the optimiser has a state, and the
    parameters were drawn with the seed.
    """
    begun = training.course.phases if training.course else training.again.phases if training.again else ()
    if not begun:
        return wanted
    first = begun[0].settings
    return replace(wanted, optimiser=first.optimiser, seed=first.seed)


def with_settings(training: Training, graph: Graph, settings: Settings) -> Training:
    """Apply a graph and settings to the steps to come; stop the training if it cannot continue with them."""
    settings = settings_of(training, settings)
    if (graph, settings) == (training.graph, training.settings):
        return training
    why = cannot_go_on(training, graph)
    if why:
        return replace(training, running=False, why=why) if training.running else training
    return replace(training, graph=graph, settings=settings)


def returned(then: Training | None, now: Training | None) -> Training | None:
    """Return the training of a document that undo restores, paused; its time includes that of `now`.

    Args:
      then: the restored document's training.
      now: the training of the document that was open until now.
    """
    if then is None or now is None or then.token is now.token:
        return now or then
    return replace(paused(then), seconds=max(then.seconds, now.seconds))


def folded(training: Training) -> Training:
    """Replace a training's steps by their recipe, from which they can be recomputed."""
    made = recipe(paused(training))
    if made is None or training.course is None:
        return training
    return replace(paused(training), course=None, again=made, goal=made.steps, before=None)


def paused(training: Training, why: str = "") -> Training:
    """Stop the training at its present step."""
    return replace(training, running=False, goal=len(training), why=why)


def advanced(training: Training, most: int) -> Training:
    """Make at most `most` further steps, in one chunk.

    It stops at its goal, at a limit, and at a loss that is not finite.
    """
    if training.seconds >= limits.TRAINING_SECONDS:
        return paused(training, _TIRED.format(limits.TRAINING_SECONDS))
    began = perf_counter()
    try:
        after = _chunk(training, most)
    except GraphError as error:
        problem = error.problems[0]
        return paused(training, f"{problem.message} {problem.hint or ''}".strip())
    if after.goal <= len(after):
        after = replace(after, running=False)
    return replace(after, seconds=training.seconds + perf_counter() - began)


_TIRED = "Your trainings have had {} seconds of this server, which is the limit of one visit."


def _chunk(training: Training, most: int) -> Training:
    """Make one chunk of steps, up to the first loss that is not finite."""
    # What is made again from a recipe has the phases that it had; what comes after them those of today.
    at, again = len(training), training.again
    now = Phase(at, training.graph, training.settings)
    if again is not None and at < again.steps:
        now = next(phase for phase in reversed(again.phases) if phase.first <= at)
    course = training.course or start(now.graph, now.settings, training.dtype)
    count = max(1, min(most, _until(training) - len(course)))
    after = further(course, now.graph, now.settings, count)
    chunk = after.chunks[-1]  # may contain earlier steps too
    bad = np.flatnonzero(~np.isfinite(chunk.loss)) + chunk.first
    bad = bad[bad >= len(course)]
    if not bad.size:
        return replace(training, course=after, why="")
    # Made again up to that step alone: a chunk goes on past it, with what a NaN leaves of the parameters.
    first_bad = int(bad[0])
    after = further(course, now.graph, now.settings, first_bad + 1 - len(course))
    return replace(training, course=after, running=False, why=_not_a_number(after, first_bad))


def _until(training: Training) -> int:
    """Return the last step of this chunk's phase."""
    again = training.again
    if again is None:
        return training.goal
    ends = [phase.first for phase in again.phases if phase.first > len(training)]
    if len(training) < again.steps:
        ends.append(again.steps)
    return min([training.goal, *ends])


def _not_a_number(course: Course, step: int) -> str:
    """Return the sentence about a loss that is not finite."""
    loss = records(course).loss[step]
    kind = "not a number" if np.isnan(loss) else "infinite"
    # In a parameter, which the update before has spoilt, else at the node that made it.
    at = trace_at(course, step)
    spoilt = [node.name for node in learned(at.graph) if not np.isfinite(at.value[node.name]).all()]
    sentence = str(at.nonfinite_origins[0]) if at.nonfinite_origins else ""
    where = sentence[:1].upper() + sentence[1:]
    if spoilt:
        where = f"The first number that is not finite is in {spoilt[0]}: its last update was too large."
    advice = " A smaller learning rate may help." if step else ""  # no update precedes the first loss
    return f"Stopped: the loss of step {step} is {kind}. {where}{advice}"
