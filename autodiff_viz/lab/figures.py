"""Choose the figure on view and what it is about, and make slow figures in worker processes.

The marks of the precision figure and the comparison with the pinned graph also go to the canvas, as data.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any

from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.verify import without_regions
from autodiff_viz.engine.whole_program.program import structure
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.compare.view import COMPARE, Compared, Data, comparison_data, pinned_trace
from autodiff_viz.explain.explanation import OF_NODE, About, Choice, ExplanationKind, Twin
from autodiff_viz.explain.plans.view import found_plans, measured_plan
from autodiff_viz.explain.precision.compute import OVERFLOW, UNDERFLOW, compared
from autodiff_viz.explain.precision.view import PRECISION, place_id
from autodiff_viz.graph.history import OTHER
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.state import Lab, with_choice
from autodiff_viz.lab.training import live, own
from autodiff_viz.segments.view import SEGMENTS
from autodiff_viz.training.state import in_dtype, seed_of
from autodiff_viz.training.steps import with_seeds
from autodiff_viz.training.view import TRAINING
from autodiff_viz.workers.jobs import LONG, Job, job_of

TABS: tuple[ExplanationKind, ...] = (COMPARE, SEGMENTS, TRAINING, *FIGURES.values())
"""The explanations with a tab below the canvas, in its order: three with their own panel, and the figures."""

# The figure on view, and what it is about


def figure_on_view(lab: Lab) -> str:
    """Return the key of the figure on view: the chosen one, unless the graph lacks what it is about."""
    spec = FIGURES.get(lab.figure)
    return lab.figure if spec and spec.fits(lab.graph, pinned_graph(lab)) else next(iter(FIGURES))


def pinned_graph(lab: Lab) -> Graph | None:
    """Return the pinned graph, if there is one."""
    return lab.pinned.graph if lab.pinned else None


def chosen(lab: Lab, choice: Choice) -> Any:
    """Return the value of a choice beside a figure: the chosen one, while the graph offers it, or the usual.

    None if the graph offers none.
    """
    offered = choice.offered(lab.graph)
    # The graph may have changed since, and offer neither what was chosen nor the selected node.
    for value in (dict(lab.choices).get(choice.name), lab.selected if choice.follows else None):
        if value in offered:
            return value
    return offered[min(choice.first, len(offered) - 1)] if offered else None


def choose(lab: Lab, choice: Choice, value: Any) -> Lab:
    """Set a choice beside a figure, if the value is one that is offered.

    A message from outside may have any: the browser sends a choice as text.
    """
    offered = choice.offered(lab.graph)
    if value not in offered:
        return lab
    value = offered[offered.index(value)]  # 1024.0, where a message has 1024
    # A usual number is not stored. A name always is: another node may become the first one.
    usual = not choice.names and value == offered[choice.first]
    return with_choice(lab, choice.name, None if usual else value)


def comparison_key(lab: Lab, figure: str | None) -> tuple[bytes, str] | None:
    """Return the identity and the letter of the pinned graph, if the figure shows that too."""
    shown = lab.pinned is not None and figure in FIGURES and FIGURES[figure].beside
    return (lab.pinned.graph.identity, lab.pinned.letter) if shown else None


def about(lab: Lab, figure: str | None) -> About:
    """Return what a figure is about: the name of a node, or what was chosen; None of the whole graph."""
    kind = FIGURES.get(figure)
    if kind is None:
        return None
    if not kind.choices:
        return lab.selected if kind.of == OF_NODE else None
    values = [chosen(lab, choice) for choice in kind.choices]
    texts = tuple(None if value is None else str(value) for value in values)  # as in the address
    if kind.trained:
        texts = (*texts, _of_training(lab, kind, texts))
    return texts if len(texts) > 1 else texts[0]


def _of_training(lab: Lab, kind: ExplanationKind, texts: tuple[str | None, ...]) -> Any:
    """Return what a figure shows of the training; None while there is none, and while it runs."""
    training = own(lab)
    if training is None or live(lab) or training.course is None or not len(training):
        return None
    # The kept states are enough for a path, and nothing is computed again.
    kept = {state.step: state.parameters for state in (*training.course.snapshots, training.course.state)}
    return kind.trained(lab.graph, texts, kept)


# Figures in worker processes, since some take seconds

SECONDS = 60.0  # of CPU time


@dataclass(frozen=True, slots=True)
class Figured:
    """Figure as compressed JSON, since many are kept, with its description.

    Attributes:
      packed: the compressed JSON.
      words: the same in a sentence for screen readers.
    """

    packed: bytes
    words: str

    @property
    def figure(self) -> dict[str, Any]:
        """The figure as a dictionary for Plotly."""
        return json.loads(zlib.decompress(self.packed))


def figure_job(name: str, trace: Trace, of: About, low: bool = False, twin: Twin | None = None) -> Job:
    """Return the job that runs `figured` in a worker process of its own."""
    twin = twin if FIGURES[name].beside else None  # the key of the job is then free of what is pinned
    return job_of(figured, name, trace, of, low, twin, seconds=SECONDS, lane=LONG)


def figured(
    name: str, trace: Trace, of: About, low: bool = False, twin: Twin | None = None
) -> Figured | tuple[Problem, ...]:
    """Make the figure of this name about `of`, or return the problems that prevent it.

    Args:
      twin: the pinned graph, of a figure that shows it beside the present one.
    """
    spec = FIGURES[name]
    try:
        if twin is not None:
            figure, words = spec.beside(trace, of, twin)
        else:
            figure, words = spec.build_for(low)(trace, of), spec.text(trace, of)
    except GraphError as error:
        return error.problems
    return Figured(zlib.compress(figure.to_json().encode()), words)


# Plans: a search that no number of the trace changes

PLAN_SECONDS = 120.0  # of CPU time


def plans_job(view: LabView) -> Job:
    """Return the job that finds the plans of the graph on view.

    No plan depends on the values of inputs, or on the regions that the graph has now: a plan that is taken
    needs no new search.
    """
    trace, groups = without_regions(view.trace), view.graph.groups
    reads = (*_structure(trace), groups)
    return job_of(found_plans, trace, groups, reads=reads, seconds=PLAN_SECONDS, lane=LONG)


def present_job(view: LabView) -> Job:
    """Return the job that measures the plan that the graph on view has now."""
    return job_of(measured_plan, view.trace, reads=_structure(view.trace))


def _structure(trace: Trace) -> tuple[Any, ...]:
    """Return all of a trace but its numbers."""
    shapes = tuple((name, value.shape) for name, value in sorted(trace.inputs.items()))
    return structure(trace.graph), shapes, trace.dtype


# What the canvas shows of a figure, and of the pinned graph


def ranged_data(lab: Lab, view: LabView) -> dict[str, Any] | None:
    """Return the wires, as ids, and the nodes whose numbers underflow and overflow.

    None if none does, and while another figure is chosen, a training runs, or the graph is large.
    """
    if lab.figure != PRECISION.key or figure_on_view(lab) != PRECISION.key or not view.complete or live(lab):
        return None
    if len(view.graph.nodes) > VERIFIED_AT_ONCE:
        return None
    try:
        precision = compared(view.trace, about(lab, PRECISION.key))
    except GraphError:
        return None
    names = {
        side: list(dict.fromkeys(place_id(place) for place in precision.places if place.kind == kind))
        for side, kind in (("under", UNDERFLOW), ("over", OVERFLOW))
    }
    return names if any(names.values()) else None


def twins_data(lab: Lab, view: LabView) -> Data | None:
    """Return the comparison of the present graph with the pinned one; None if nothing is pinned.

    `letter` is that of the present graph. `says` is the sentence, and `kind` which of the three it is, or
    "waits" while there is nothing to compare. `rows` are the nodes whose numbers differ, the output first,
    and `equal` the names of the others; `lit` are the wires on the canvas at which the backward sweeps part.
    """
    if lab.pinned is None:
        return None
    letter = OTHER[lab.pinned.letter]
    if live(lab):
        return {"letter": letter, "kind": "waits", "says": "Compared when the training stops."}
    if view.hiding:
        return {"letter": letter, "kind": "waits", "says": "Answer first: then A and B are compared."}
    if not view.complete:
        return {"letter": letter, "kind": "waits", "says": f"{letter} is unfinished: not compared yet."}
    return comparison_data(_beside(lab, view))


def twin(lab: Lab, view: LabView) -> Twin | None:
    """Return the pinned graph's trace; None if nothing is pinned, or it cannot run or be compared now."""
    if lab.pinned is None or live(lab) or not view.complete:
        return None
    try:
        return Twin(pinned_trace(_beside(lab, view)), lab.pinned.letter)
    except GraphError:
        return None


def _beside(lab: Lab, view: LabView) -> Compared:
    """Return what runs of the pinned graph beside the one on view, so that only the graphs differ."""
    pinned, at = lab.pinned, view.moment
    # At a step of a training both have the parameters of that step, in the dtype on view, and its noise.
    learned = in_dtype(at.parameters, lab.dtype) if at else {}
    parameters = {name: array for name, array in learned.items() if name in pinned.graph}
    graph = with_seeds(pinned.graph, at.step) if at else pinned.graph
    # A seed of the user's own stands above the loss scale of the step.
    seed = seed_of(at.state.scaling, lab.dtype) if at and lab.seed is None else lab.seed
    return Compared(pinned, graph, seed, parameters, view.trace, view.graph, view.follows)
