"""Evaluate one state of the lab: numbers with the texts about them, recomputed only when inputs change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from autodiff_viz.engine.check import diagnose, runnable
from autodiff_viz.engine.trace import Trace, counts_unknown, trace, trace_part
from autodiff_viz.engine.training.live_steps import traced
from autodiff_viz.engine.whole_program.remat_counts import Runs
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.bypass import played
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.node.declared_derivatives import declared_states
from autodiff_viz.views.node.health import State, states
from autodiff_viz.views.training.shown_step import Moment

COUNTED = 2_000  # limit of runs in checkpoint regions that are counted at each edit
NOT_COUNTED = "So many nested checkpoint regions are not counted with every edit: select a node for its runs."


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Result of an evaluation.

    Attributes:
      key: the identity of all inputs; None at a training step.
      trace: None when nothing can be evaluated.
      problems: problems of the graph.
      complete: whether the whole graph was evaluated, cotangents too.
      runs: run counts by node; empty unless a region makes them differ from one run each and all regions can
        run.
      states: (text for the card, sentence) by node.
      notes: sentences about the whole graph.
    """

    key: bytes | None
    trace: Trace | None
    problems: tuple[Problem, ...]
    complete: bool
    runs: Mapping[str, Runs]
    states: Mapping[str, State]
    notes: tuple[str, ...]


def evaluated(lab: Lab, last: Evaluated | None = None) -> Evaluated:
    """Evaluate the lab's graph, or the part of it that can be evaluated.

    Args:
      last: the previous result, returned if its inputs are the same.
    """
    key = identity((lab.graph, lab.seed, lab.dtype))
    if last is not None and last.key == key:
        return last
    playing = played(lab.graph)
    found, problems = _traced(lab, playing)
    return _with_words(key, found, problems, found is not None and found.graph is playing)


def evaluated_at(lab: Lab, at: Moment) -> Evaluated | None:
    """Evaluate the training step on view; None if the graph cannot be evaluated.

    The seed is the step's loss scale, where it has one and the user has chosen no seed.
    """
    try:
        found = traced(at.graph, at.state, lab.dtype, lab.seed)
    except GraphError:
        return None
    return _with_words(None, found, (), True)


def _traced(lab: Lab, playing: Graph) -> tuple[Trace | None, tuple[Problem, ...]]:
    """Return (trace, problems) of `playing`, the graph that runs, or of the part without problems."""
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
    """Return the result with run counts, states and notes."""
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
    """Count the runs; empty if no region changes them, or if counting fails or takes long."""
    stopped = any(problem.code != "groups-overlap" for problem in problems)
    if found is None or not found.graph.regions or stopped or runs_are_many(found.graph):
        return {}
    try:
        return found.runs
    except GraphError:  # at a training step, where regions have no effect
        return {}


def runs_are_many(graph: Graph) -> bool:
    """Return whether counting the runs would delay the canvas: a node counts once for each way to run it."""
    around = Counter(name for region in graph.regions for name in region.nodes)
    return sum(2**count for count in around.values()) > COUNTED


def _states(found: Trace, trained: bool) -> dict[str, State]:
    """Return the states of declared derivatives and, in a training, of node health.

    Of a node with both, the card shows the first and the sentence has both.
    """
    said, others = declared_states(found), states(found) if trained else {}
    for name, (word, sentence) in others.items():
        before = said.get(name)
        said[name] = (before[0], f"{before[1]} {sentence}") if before else (word, sentence)
    return said


def _notes(found: Trace) -> tuple[str, ...]:
    """Return sentences about the whole graph: notes of the trace, and whether its runs are not counted."""
    regions, many = found.graph.regions, runs_are_many(found.graph)
    uncounted = NOT_COUNTED if many else counts_unknown(found) if regions else ""
    return (*found.notes, *([uncounted] if uncounted else ()))
