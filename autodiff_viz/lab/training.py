"""Apply the user's actions on the training: each takes a lab and returns the next one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autodiff_viz.graph import edits, limits
from autodiff_viz.graph.history import SHOWN_STEP, Setting
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.model import Graph, Literal
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.state import LAST, Lab, committed, refused
from autodiff_viz.language.parse import replaces
from autodiff_viz.training.course import phase_at, state_at, upto
from autodiff_viz.training.run import (
    NAMES,
    USUAL,
    Plan,
    Training,
    cannot_go_on,
    last_graph,
    paused,
    settings_of,
    still,
    trains_some,
)
from autodiff_viz.training.state import LEAST, MOST, Settings, State, carried, learned

# The step on view: its parameters, and the rules under which it was made.

KEPT = 8  # memoised states


@dataclass(frozen=True, eq=False)
class Moment:
    """Training step on view.

    Attributes:
      step: number of updates before it.
      of: number of updates in all.
      graph: the graph that is drawn and evaluated: the present one, or with the rules of that step.
      as_then: whether these differ.
      state: of the training before the step.
      key: the identity of all that the parameters depend on.
    """

    step: int
    of: int
    graph: Graph
    as_then: bool
    state: State
    key: bytes

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Values by name."""
        return self.state.parameters


def moment(lab: Lab) -> Moment | None:
    """Return the step on view; None if the graph's own numbers are."""
    training = own(lab)
    if lab.step is None or not training or training.course is None or cannot_go_on(training, lab.graph):
        return None
    course, last = training.course, len(training)
    step = last if lab.step == LAST else lab.step
    if step > last or last == 0:
        return None
    then = _as_then(lab.graph, phase_at(course, step).graph) if lab.as_then and step < last else None
    key = identity((step, course.dtype, tuple(phase for phase in course.phases if phase.first < step)))
    graph = lab.graph if then is None else then
    try:
        state = _state(training, step, still(graph))
    except GraphError:  # at this step a parameter had another shape
        return None
    return Moment(step, last, graph, graph != lab.graph, state, key)


def own(lab: Lab) -> Training | None:
    """Return the training of the graph on view.

    None also for the training of another document, which undo may restore, unless both documents compute the
    same: equal parameters alone do not make its losses those of this graph. Nor do they in a graph that has
    taken the place of the training's.
    """
    training = lab.training
    if training is None:
        return None
    last = last_graph(training)
    if training.document != lab.document:
        return training if last == still(lab.graph) else None
    return None if replaces(lab.graph, last) else training


def ended(lab: Lab) -> Lab:
    """Pause the training if the graph on view is not one that it can go on with."""
    training = lab.training
    if training is None or not training.running:
        return lab
    why = cannot_go_on(training, lab.graph)
    if own(lab) and trains_some(training, lab.graph) and not why:
        return lab
    return replace(lab, training=paused(training, why))


def live(lab: Lab) -> bool:
    """Return whether the step on view advances by itself."""
    return lab.step == LAST and lab.training is not None and lab.training.running


def _state_key(training: Training, step: int, graph: Graph) -> Hashable:
    """Return the memoisation key; a record of a training never changes and equals only itself."""
    return training, step, graph.identity


@remembered(KEPT, _state_key)
def _state(training: Training, step: int, graph: Graph) -> State:
    """Return the state after a number of steps; parameters that only `graph` has get their initial values."""
    course = training.course
    return carried(graph, state_at(course, step), phase_at(course, step).settings, course.dtype)


def _as_then(now: Graph, then: Graph) -> Graph | None:
    """Return the present graph with the rules, regions and inputs of `then`; None if it has other nodes."""
    if {(n.name, n.op) for n in now.nodes} != {(n.name, n.op) for n in then.nodes}:
        return None
    old = then.by_name
    nodes = tuple(replace(old[node.name], position=node.position) for node in now.nodes)
    return replace(then, nodes=nodes, groups=now.groups)


# Actions.

WRITTEN = 2_000  # limit of numbers that are written into the formula


def trains(lab: Lab, steps: int) -> Lab:
    """Train for a number of steps from the one on view, and show the result.

    Steps that were made from there already with the same rules and settings are shown and not recomputed.
    Steps that were made differently are stored in `before`, and replaced.
    """
    now = still(lab.graph)
    old = own(lab) or _fresh(lab)
    if cannot_go_on(old, now):
        return lab
    if not len(old) and old.again is None:  # no step has been made with the earlier settings
        old = replace(old, dtype=lab.dtype)
    settings, at = settings_of(old, lab.plan.settings), 0  # the graph's own numbers are those of step 0
    if lab.step is not None:
        on_view = moment(lab)
        at = len(old) if on_view is None else on_view.step
    if at < len(old) and not _was_so(lab, old, at, steps, settings):
        old = replace(old, course=upto(old.course, at), before=_put_aside(old))
    if at + steps < len(old):
        return scrubs(lab, at + steps)
    if at + steps == len(old):
        return scrubs(lab, LAST)
    made = at if at < len(old) else max(at, old.goal if old.again else 0)
    goal = min(made + steps, limits.STEPS)
    begun = replace(old, graph=now, settings=settings, goal=goal, running=True, why="")
    return replace(lab, training=begun, step=LAST, as_then=False)


def _was_so(lab: Lab, training: Training, at: int, steps: int, settings: Settings) -> bool:
    """Return whether the steps made from `at` on are the ones that would be made now.

    A past step, on view under its own rules, continues as it did.
    """
    made = training.course.phases
    ends = [*(phase.first for phase in made[1:]), len(training)]
    ahead = [phase for phase, end in zip(made, ends, strict=True) if end > at and phase.first < at + steps]
    same = all((phase.graph, phase.settings) == (still(lab.graph), settings) for phase in ahead)
    return lab.as_then or same


def _put_aside(training: Training) -> Training:
    """Return the training paused, with at most one training in its `before`."""
    before = training.before and replace(training.before, before=None)
    return replace(paused(training), before=before)


def trains_again(lab: Lab) -> Lab:
    """Compute the steps of an earlier visit again."""
    if lab.training is None or lab.training.again is None:
        return lab
    goal = lab.training.again.steps
    return replace(lab, training=replace(lab.training, goal=goal, running=True, why=""))


def pauses(lab: Lab) -> Lab:
    """Pause the training if it runs."""
    running = lab.training is not None and lab.training.running
    return replace(lab, training=paused(lab.training)) if running else lab


def resets(lab: Lab) -> Lab:
    """Return to before the first step; the training is stored in `before`."""
    return replace(lab, training=_fresh(lab), step=None, as_then=False) if lab.training else lab


def _fresh(lab: Lab) -> Training:
    """Return a training without steps, with the previous one in its `before`."""
    old, before = lab.training, None
    if old is not None:
        before = _put_aside(old) if len(old) else old.before
    work = old.seconds if old else 0.0
    return Training(
        still(lab.graph), lab.plan.settings, lab.dtype, seconds=work, before=before, document=lab.document
    )


def brings_back(lab: Lab) -> Lab:
    """Exchange the training with the one that the last reset stored."""
    now = lab.training
    if now is None or now.before is None:
        return lab
    aside = replace(paused(now), before=now.before.before) if len(now) else now.before.before
    back = replace(now.before, seconds=now.seconds, before=aside)
    return replace(lab, training=back, step=LAST, as_then=False)


def scrubs(lab: Lab, step: int | None) -> Lab:
    """Show a step under its own rules; LAST for the last one, None for the graph's own numbers."""
    return replace(lab, step=step, as_then=step is not None and step != LAST)


def plans(lab: Lab, **changes: Any) -> Lab:
    """Change `steps`, or fields of `Settings`; the new settings hold from the step on view on."""
    steps = changes.pop("steps", lab.plan.steps)
    plan = checked(Plan(replace(lab.plan.settings, **changes), steps))
    return replace(lab, plan=plan, as_then=lab.as_then and plan.settings == lab.plan.settings)


def checked(plan: Plan) -> Plan:
    """Return the plan clipped to the limits; invalid values become the default ones."""
    given, usual = plan.settings, USUAL
    name = given.optimiser if given.optimiser in NAMES else usual.settings.optimiser
    rate = min(max(given.rate, 0.0), 100.0) if given.rate == given.rate else usual.settings.rate
    seed, steps = min(max(given.seed, 0), limits.SEED), min(max(plan.steps, 1), limits.STEPS)
    scale, interval = given.loss_scale, min(max(given.growth_interval, 0), limits.STEPS)
    if scale is not None:
        scale = min(max(scale, LEAST), MOST) if scale == scale else None
    scaling = {"loss_scale": scale, "growth_interval": interval if scale else 0}
    return Plan(replace(given, optimiser=name, rate=rate, seed=seed, **scaling), steps)


def caught_up(lab: Lab, training: Training | None) -> Lab:
    """Return the lab with the present record of its training, which may have advanced in the meantime."""
    same = training is not None and lab.training is not None and training.token is lab.training.token
    return replace(lab, training=training) if same and training is not lab.training else lab


def uses_weights(lab: Lab) -> Lab:
    """Write the parameters of the step on view into the formula, as one step of undo."""
    at = moment(lab)
    if at is None:
        return lab
    values = {node.name: np.asarray(at.parameters[node.name]) for node in learned(lab.graph)}
    problem = _unwritable(values)
    if problem:
        return refused(lab, GraphError(problem))
    graph = lab.graph
    for name, value in values.items():
        # All digits of the value's dtype, in place of its random draw.
        graph = edits.with_param(graph, name, "value", _literal(value))
        for drawn in ("shape", "init", "seed"):
            graph = edits.with_param(graph, name, drawn, None)
    used = committed(lab, graph, f"Use the weights of step {at.step}")
    history = used.history
    if history is not lab.history:  # undo then shows this step again
        entry = history.present._replace(setting=Setting(SHOWN_STEP, lab.step, None))
        history = replace(history, present=entry)
    return replace(used, history=history, step=None)


def _unwritable(values: Mapping[str, np.ndarray]) -> Problem | None:
    """Return why the parameters cannot be written into the formula; None if they can."""
    size = sum(value.size for value in values.values())
    if size > WRITTEN:
        message = f"The parameters have {size:,} numbers; at most {WRITTEN:,} are written into a formula."
        return Problem("too-large", message, "The link keeps how they were trained: it trains them again.")
    spoilt = [name for name, value in values.items() if not np.isfinite(value).all()]
    if spoilt:
        return Problem("literal", f"{spoilt[0]} is not finite at this step.", "Choose an earlier step.")
    return None


def _literal(value: np.ndarray) -> Literal:
    """Return an array as nested tuples of numbers."""
    return tuple(map(_literal, value)) if value.ndim else float(str(value))
