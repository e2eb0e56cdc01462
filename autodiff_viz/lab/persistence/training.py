"""Encode a training for the address as a recipe, without numbers, and decode the recipe.

Steps are pure functions, so that the same phases give the same course. The graph of a phase is encoded as its
difference from the present one.
"""

from __future__ import annotations

import json
from dataclasses import replace
from math import prod
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.history import Entry
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.lab.persistence.history import changed, step_from
from autodiff_viz.lab.persistence.json_text import squeezed, unsqueezed
from autodiff_viz.lab.state import LAST, Lab
from autodiff_viz.lab.training import checked, own
from autodiff_viz.language.documents import from_json
from autodiff_viz.training.course import Phase
from autodiff_viz.training.run import (
    USUAL,
    Plan,
    Recipe,
    Training,
    cannot_go_on,
    recipe,
    same_beginning,
    still,
)
from autodiff_viz.training.state import Settings, learned

PHASES = 64
EFFORT = 20_000  # limit of steps × nodes that are recomputed unasked
SMALL = 4_096  # limit of elements of each input, for the same
NOW = "now"


def plan_text(plan: Plan) -> str:
    """Encode a plan; "" for the default one."""
    given = plan.settings
    scaling = "" if given.loss_scale is None else f",{given.loss_scale!r},{given.growth_interval}"
    return "" if plan == USUAL else f"{given.optimiser},{given.rate!r},{given.seed},{plan.steps}{scaling}"


def read_plan(text: str) -> Plan:
    """Decode a plan; the default one for unreadable text."""
    try:
        optimiser, rate, seed, steps, *scaling = text.split(",")
        settings = Settings(optimiser, float(rate), int(seed), *_scaling(*scaling))
        return checked(Plan(settings, int(steps)))
    except (TypeError, ValueError):  # too many parts, or one that is no number
        return USUAL


def step_text(lab: Lab) -> str:
    """Encode the step on view; "" for none."""
    return "" if lab.step is None else NOW if lab.step == LAST else str(lab.step)


def read_step(text: str) -> int | None:
    """Decode the step on view; None for unreadable text."""
    if text == NOW:
        return LAST
    # The length comes before int(), which raises for thousands of digits.
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    return int(text) if is_number and int(text) <= limits.STEPS else None


def training_text(lab: Lab) -> str:
    """Encode the recipe of the lab's training; "" if there is none or it is of another graph."""
    training = own(lab)
    made = recipe(training) if training else None
    if made is None or cannot_go_on(training, lab.graph):
        return ""
    base = Entry("", still(lab.graph))
    phases = []
    for phase in made.phases:
        # A phase is a step of a history without a label: what it changes in the present graph.
        step = step_from(base, Entry("", phase.graph))
        difference = {key: value for key, value in step.items() if key != "label"}
        given = phase.settings
        scaling = [] if given.loss_scale is None else [given.loss_scale, given.growth_interval]
        phases.append([phase.first, difference, [given.optimiser, given.rate, given.seed, *scaling]])
    return squeezed([made.steps, training.dtype, phases])


def read_training(text: str, graph: Graph, plan: Plan) -> Training | None:
    """Decode a training whose steps have still to be computed; None for text that does not fit the graph.

    A short one is computed at once, a long one when the user asks.
    """
    try:
        steps, dtype, phases = unsqueezed(text)
        written = Recipe(tuple(_phase(graph, phase) for phase in phases[:PHASES]), int(steps))
    except (AttributeError, KeyError, TypeError, ValueError):  # GraphError is a ValueError
        return None
    first = [phase.first for phase in written.phases]
    fits = first and first[0] == 0 and first == sorted(set(first)) and 0 < written.steps <= limits.STEPS
    if not fits or dtype not in DTYPES:
        return None
    made = Training(still(graph), plan.settings, dtype, again=written, goal=written.steps)
    if cannot_go_on(made, graph) or not learned(graph):
        return None
    # What a link makes the server compute unasked is limited, in steps times nodes and in the size of inputs.
    nodes = written.phases[0].graph.nodes
    light = all(prod(node.param("shape") or ()) <= SMALL for node in nodes if node.op == INPUT)
    return replace(made, running=light and written.steps * len(nodes) <= EFFORT)


def with_course(lab: Lab, had: Training | None) -> Lab:
    """Return the lab of an address with the course that the session has already.

    That is done if the course begins as the address states, or if the address has no training.
    """
    wanted = lab.training
    keep = had is not None and (wanted is None or same_beginning(had, wanted.again))
    return replace(lab, training=had) if keep else lab


def _scaling(scale: Any = None, interval: Any = 0) -> tuple[float | None, int]:
    """Return loss scale and growth interval of what was written; none if nothing was.

    Raises:
      ValueError: they are no numbers.
    """
    return None if scale is None else float(scale), int(interval)


def _phase(graph: Graph, data: Any) -> Phase:
    """Decode a phase."""
    first, difference, (optimiser, rate, seed, *scaling) = data
    document = changed(json.loads(to_json(still(graph), None)), difference)
    # `checked` is the check of a plan, whose number of steps is not this phase's: the usual one is valid.
    settings = Settings(str(optimiser), float(rate), int(seed), *_scaling(*scaling))
    plan = checked(Plan(settings, USUAL.steps))
    return Phase(int(first), from_json(json.dumps(document)), plan.settings)
