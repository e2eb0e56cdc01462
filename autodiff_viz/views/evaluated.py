"""The numbers of one state of the lab, with all that is said of them: evaluated again only where something
has changed that they follow from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from autodiff_viz.engine.check import diagnose, runnable
from autodiff_viz.engine.counts import Runs
from autodiff_viz.engine.trace import Trace, trace, trace_part
from autodiff_viz.engine.training import with_seeds
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.views.declared import declared_states
from autodiff_viz.views.drawing import doubts
from autodiff_viz.views.health import State, states
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.moment import Moment

COUNTED = 2_000  # runs of nodes in checkpoint regions that are counted with an edit
NOT_COUNTED = "So many nested checkpoint regions are not counted with every edit: select a node for its runs."


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Attributes:
    key: the identity of all that it follows from; None at a step of a training.
    trace: None when nothing can be evaluated.
    complete: the whole graph was evaluated, cotangents too.
    runs: by node, only where a region makes them differ from one run each and all regions can run.
    states: what cards say of nodes, and a sentence about each.
    notes: sentences about the whole.
    """

    key: bytes | None
    trace: Trace | None
    problems: tuple[Problem, ...]
    complete: bool
    runs: Mapping[str, Runs]
    states: Mapping[str, State]
    notes: tuple[str, ...]


def evaluated(lab: Lab, last: Evaluated | None = None) -> Evaluated:
    """Evaluate the lab's graph, or as much of it as can be evaluated. The `last` one, where it follows from
    the same."""
    key = identity((lab.graph, lab.seed, lab.dtype))
    if last is not None and last.key == key:
        return last
    playing = played(lab.graph)
    found, problems = _traced(lab, playing)
    return _with_words(key, found, problems, found is not None and found.graph is playing)


def evaluated_at(lab: Lab, at: Moment) -> Evaluated | None:
    """Evaluate the step on view; None where the graph cannot be evaluated."""
    try:
        found = trace(with_seeds(at.graph, at.step), at.parameters, lab.seed, dtype=lab.dtype)
    except GraphError:
        return None
    return _with_words(None, found, (), True)


def _traced(lab: Lab, playing: Graph) -> tuple[Trace | None, tuple[Problem, ...]]:
    """(trace, problems): of the whole graph, or of the part that has no problem. What runs is `playing`."""
    graph = lab.graph
    if not graph.nodes:
        return None, ()
    try:
        found = trace(playing, seed=lab.seed, dtype=lab.dtype)
        return found, diagnose(graph)
    except GraphError as error:
        problems = diagnose(graph) or error.problems
    try:
        return trace_part(runnable(graph, problems), dtype=lab.dtype), problems
    except GraphError:
        return None, problems


def _with_words(
    key: bytes | None, found: Trace | None, problems: tuple[Problem, ...], complete: bool
) -> Evaluated:
    return Evaluated(
        key=key,
        trace=found,
        problems=problems,
        complete=complete,
        runs=_runs(found, problems),
        states=_states(found, trained=key is None) if found else {},
        notes=_notes(found) if complete else (),
    )


def _runs(found: Trace | None, problems: tuple[Problem, ...]) -> Mapping[str, Runs]:
    stopped = any(problem.code != "groups-overlap" for problem in problems)
    if found is None or not found.graph.regions or stopped or _is_much(found.graph):
        return {}
    try:
        return found.runs
    except GraphError:  # at a step of a training, to which regions are nothing
        return {}


def _is_much(graph: Graph) -> bool:
    """Whether counting the runs would hold up the canvas: a node is counted once for each way to run it."""
    around = Counter(name for region in graph.regions for name in region.nodes)
    return sum(2**count for count in around.values()) > COUNTED


def _states(found: Trace, trained: bool) -> dict[str, State]:
    """What cards say of derivatives that are declared, and what there is to look out for in training. Of a
    node with both the first stands on the card, and the sentence says both."""
    said, others = declared_states(found), states(found) if trained else {}
    for name, (word, sentence) in others.items():
        before = said.get(name)
        said[name] = (before[0], f"{before[1]} {sentence}") if before else (word, sentence)
    return said


def _notes(found: Trace) -> tuple[str, ...]:
    uncounted = (NOT_COUNTED,) if _is_much(found.graph) else ()
    doubted = (f"at {doubt.node}: {doubt}" for doubt in doubts(found))
    return (*found.notes, *uncounted, *(str(birth) for birth in found.births), *doubted)
