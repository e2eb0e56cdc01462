"""Evaluate one state of the lab into its view: all data that the page draws, without decisions left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autodiff_viz.canvas.drawing import Drawing, Picture, drawing
from autodiff_viz.canvas.notices import elsewhere, notice_data
from autodiff_viz.canvas.slider_tables import Stretch, keys, tables
from autodiff_viz.display.numbers import State
from autodiff_viz.engine.live_path.check import diagnose, runnable
from autodiff_viz.engine.trace import Trace, counts_unknown, trace, trace_part
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.explain.forward.compute import Tangents
from autodiff_viz.explain.forward.view import tangents_of
from autodiff_viz.explain.rule_check.view import declared_states
from autodiff_viz.explain.sweep.compute import scalar_inputs
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.actions import resampled_nodes
from autodiff_viz.lab.state import Lab, formula_text, slider_range
from autodiff_viz.lab.training import Moment, moment
from autodiff_viz.training.steps import traced
from autodiff_viz.training.view import states

# Evaluate one state of the lab: numbers with the texts about them, recomputed only when inputs change.


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


@dataclass(frozen=True, slots=True)
class Slider:
    """Slider of a scalar input.

    Attributes:
      name: the input.
      low, high: ends of the range.
      value: the present value.
    """

    name: str
    low: float
    high: float
    value: float


@dataclass(frozen=True, slots=True)
class LabView:
    """View of the lab page that needs no slow check; `Verification` follows.

    Attributes:
      drawn: the drawing for the canvas.
      refusal: why the canvas refused the last edit.
      text: contents of the formula editor.
      mistakes: problems of the draft.
      problems: problems of the graph.
      notice: why an action beside the canvas was refused; refusals on the canvas are in the drawing.
      trace: None if nothing can be evaluated.
      complete: whether the whole graph was evaluated, cotangents too.
      sliders: one for each scalar input.
      sweeps: by input, the key of the table that fits the numbers on view while its slider is dragged.
      can_resample: whether a node has a random draw.
      seed_rows: whether the seed is written in rows: the output has axes, or the present seed has.
      notes: sentences about the whole graph.
      graph: the graph that is drawn: the lab's, perhaps with the rules of a training step.
      follows: the identity of all that any number depends on; positions of nodes are not part of it.
      evaluated: the numbers of `trace` with the texts about them.
      moment: the training step on view, if there is one.
      tangents: those of forward mode, while it is on.
    """

    drawn: Drawing
    refusal: list[dict[str, Any]]
    text: str
    mistakes: tuple[Problem, ...]
    problems: tuple[Problem, ...]
    notice: tuple[Problem, ...]
    trace: Trace | None
    complete: bool
    sliders: tuple[Slider, ...]
    sweeps: Mapping[str, str]
    can_resample: bool
    seed_rows: bool
    notes: tuple[str, ...]
    graph: Graph
    follows: bytes
    evaluated: Evaluated
    moment: Moment | None = None
    tangents: Tangents | None = None

    @property
    def is_program(self) -> bool:
        """Whether the graph can be written as a program."""
        return self.complete and not self.problems

    @property
    def drawing(self) -> dict[str, Any]:
        """The data that the canvas shows."""
        return {**self.drawn.data, "notice": self.refusal}

    @property
    def mistaken(self) -> tuple[Problem, ...]:
        """The problems that are mistakes. An empty slot is none: its node says what it needs."""
        return tuple(problem for problem in self.problems if problem.code != "empty-slot")

    @property
    def unfinished(self) -> tuple[str, ...]:
        """The names of the nodes with an empty slot."""
        found = (problem.node for problem in self.problems if problem.code == "empty-slot")
        return tuple(dict.fromkeys(filter(None, found)))


def lab_view(lab: Lab, last: LabView | None = None) -> LabView:
    """Evaluate the lab's graph, or the part of it that can be evaluated, at the training step on view if any.

    Args:
      last: the previous view, whose unchanged parts are reused.
    """
    at = moment(lab)
    found = evaluated_at(lab, at) if at else None
    at = at if found else None
    found = found or evaluated(lab, last.evaluated if last else None)
    graph = at.graph if at else lab.graph
    picture = Picture(
        graph,
        found.trace,
        found.runs,
        found.problems,
        lab.selected,
        lab.document,
        lab.collapsed,
        found.states,
        tangents := _tangents(lab, found, last),
    )
    sliders = tuple(_slider(lab, name) for name in scalar_inputs(lab.graph))
    movable = [row for row in sliders if at is None or row.name not in at.parameters]
    return LabView(
        drawn=drawing(picture, last.drawn if last else None),
        refusal=notice_data(lab.notice),
        text=formula_text(lab),
        mistakes=lab.mistakes,
        problems=found.problems,
        notice=elsewhere(lab.notice),
        trace=found.trace,
        complete=found.complete,
        sliders=sliders,
        sweeps=_keys(lab, found, movable, tangents),
        can_resample=bool(resampled_nodes(graph)),
        seed_rows=isinstance(lab.seed, tuple)
        or (found.complete and found.trace.value[found.trace.output].ndim > 0),
        notes=found.notes,
        graph=graph,
        follows=_follows(lab, graph, found, at),
        evaluated=found,
        moment=at,
        tangents=tangents,
    )


def _tangents(lab: Lab, found: Evaluated, last: LabView | None) -> Tangents | None:
    """Return the tangents of forward mode; None while it is off, and of an incomplete graph."""
    if lab.forward is None or not found.complete:
        return None
    return tangents_of(found.trace, lab.forward, last.tangents if last else None)


def _follows(lab: Lab, graph: Graph, found: Evaluated, at: Moment | None) -> bytes:
    """Return the identity of all that any number of the view depends on."""
    nodes = tuple([node.content for node in graph.nodes])
    numbers = (nodes, graph.regions, graph.output, lab.seed, lab.dtype)
    return identity((*numbers, found.complete, found.problems, at and at.key))


def _slider(lab: Lab, name: str) -> Slider:
    """Return the slider of an input."""
    low, high = slider_range(lab, name)
    return Slider(name, low, high, float(lab.graph[name].param("value")))


def _keys(lab: Lab, found: Evaluated, movable: list[Slider], tangents: Tangents | None) -> Mapping[str, str]:
    """Return the keys of the sliders' tables; none without the numbers that are on view."""
    known = found.complete and (lab.forward is None or tangents is not None)
    return keys(found.trace, map(_stretch, movable), tangents) if known else {}


def _stretch(slider: Slider) -> Stretch:
    """Return the range of a slider."""
    return Stretch(slider.name, slider.low, slider.high)


def sweep_tables(view: LabView, wanted: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the requested tables, by input and key; none for a key of numbers that are no longer on view."""
    stretches = {slider.name: _stretch(slider) for slider in view.sliders}
    current = [name for name, key in wanted.items() if view.sweeps.get(name) == key]
    if not current:
        return []
    return tables(view.trace, [stretches[name] for name in current], view.sweeps, view.tangents)
