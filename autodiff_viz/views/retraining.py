"""A training as text for the address: not its numbers, but what they follow from.

Steps are pure, so that the same phases make the same course again. A phase's graph is told by how it
differs from the present one.
"""

from __future__ import annotations

import json
from dataclasses import replace
from math import prod
from typing import Any

from autodiff_viz.engine.course import Phase
from autodiff_viz.engine.training import Settings, learned
from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.history import Entry
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.language.documents import from_json
from autodiff_viz.views.lab import LAST, Lab
from autodiff_viz.views.recall import changed
from autodiff_viz.views.squeeze import squeezed, unsqueezed
from autodiff_viz.views.steering import checked
from autodiff_viz.views.trail import step_from
from autodiff_viz.views.training import (
    USUAL,
    Plan,
    Recipe,
    Training,
    cannot_go_on,
    recipe,
    same_beginning,
    still,
)

PHASES = 64
EFFORT = 20_000  # steps times nodes that are made again unasked
SMALL = 4_096  # elements of each input, for the same
NOW = "now"


def plan_text(plan: Plan) -> str:
    """ "" for the usual one."""
    given = plan.settings
    return "" if plan == USUAL else f"{given.optimiser},{given.rate!r},{given.seed},{plan.steps}"


def read_plan(text: str) -> Plan:
    """The plan of `plan_text`; the usual one for anything else."""
    try:
        optimiser, rate, seed, steps = text.split(",")
        return checked(Plan(Settings(optimiser, float(rate), int(seed)), int(steps)))
    except ValueError:
        return USUAL


def step_text(lab: Lab) -> str:
    return "" if lab.step is None else NOW if lab.step == LAST else str(lab.step)


def read_step(text: str) -> int | None:
    if text == NOW:
        return LAST
    return int(text) if text.isascii() and text.isdigit() and int(text) <= limits.STEPS else None


def training_text(lab: Lab) -> str:
    """How the course came about; "" without one, or when it is another graph's."""
    made = recipe(lab.training) if lab.training else None
    if made is None or cannot_go_on(lab.training, lab.graph):
        return ""
    base = Entry("", still(lab.graph))
    phases = [[p.first, _difference(base, p.graph), _settings(p.settings)] for p in made.phases]
    return squeezed([made.steps, lab.training.dtype, phases])


def read_training(text: str, graph: Graph, plan: Plan) -> Training | None:
    """The training that has still to be made; None for what is no `training_text` of this graph."""
    try:
        steps, dtype, phases = unsqueezed(text)
        found = Recipe(tuple(_phase(graph, phase) for phase in phases[:PHASES]), int(steps))
    except (AttributeError, KeyError, TypeError, ValueError):  # GraphError too
        return None
    first = [phase.first for phase in found.phases]
    fits = first and first[0] == 0 and first == sorted(set(first)) and 0 < found.steps <= limits.STEPS
    if not fits or dtype not in ("float32", "float64"):
        return None
    made = Training(still(graph), plan.settings, dtype, again=found, goal=found.steps)
    if cannot_go_on(made, graph) or not learned(graph):
        return None
    return replace(made, running=_is_short(found))


def with_course(lab: Lab, had: Training | None) -> Lab:
    """The lab of an address, with the course that the session has already: where it begins as the address
    says, or where that says nothing of one."""
    wanted = lab.training
    keep = had is not None and (wanted is None or same_beginning(had, wanted.again))
    return replace(lab, training=had) if keep else lab


def _difference(base: Entry, graph: Graph) -> dict[str, Any]:
    return {key: value for key, value in step_from(base, Entry("", graph)).items() if key != "label"}


def _settings(settings: Settings) -> list[Any]:
    return [settings.optimiser, settings.rate, settings.seed]


def _phase(graph: Graph, data: Any) -> Phase:
    first, difference, (optimiser, rate, seed) = data
    document = changed(json.loads(to_json(still(graph), None)), difference)
    plan = checked(Plan(Settings(str(optimiser), float(rate), int(seed)), USUAL.steps))
    return Phase(int(first), from_json(json.dumps(document)), plan.settings)


def _is_short(found: Recipe) -> bool:
    nodes = found.phases[0].graph.nodes
    inputs = [node for node in nodes if node.op == INPUT]
    light = all(prod(node.param("shape") or ()) <= SMALL for node in inputs)
    return light and found.steps * len(nodes) <= EFFORT
