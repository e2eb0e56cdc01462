"""Evaluate one state of the lab into its view: all data that the page draws, without decisions left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autodiff_viz.asking.concealed import conceal
from autodiff_viz.asking.question import RUNS
from autodiff_viz.canvas.drawing import Drawing, Picture, drawing
from autodiff_viz.canvas.notices import elsewhere, notice_data
from autodiff_viz.canvas.slider_tables import Stretch, keys, tables
from autodiff_viz.display.numbers import State
from autodiff_viz.engine.live_path.check import diagnose, runnable
from autodiff_viz.engine.trace import Place, Trace, counts_unknown, trace, trace_part
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
from autodiff_viz.lab.asking import guesses, hidden_places
from autodiff_viz.lab.state import Lab, formula_text, slider_range
from autodiff_viz.lab.training import Moment, moment
from autodiff_viz.training.steps import traced
from autodiff_viz.training.view import states

# The numbers with the texts about them, recomputed only when inputs change.

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
    run, problems = _traced(lab, playing)
    return _with_words(key, run, problems, run is not None and run.graph is playing)


def evaluated_at(lab: Lab, at: Moment) -> Evaluated | None:
    """Evaluate the training step on view; None if the graph cannot be evaluated.

    The seed is the step's loss scale, where it has one and the user has chosen no seed.
    """
    try:
        run = traced(at.graph, at.state, lab.dtype, lab.seed)
    except GraphError:
        return None
    return _with_words(None, run, (), True)


def _traced(lab: Lab, playing: Graph) -> tuple[Trace | None, tuple[Problem, ...]]:
    """Return (trace, problems) of `playing`, the graph that runs, or of the part without problems."""
    graph = lab.graph
    if not graph.nodes:
        return None, ()
    try:
        return trace(playing, seed=lab.seed, dtype=lab.dtype), diagnose(graph)
    except GraphError as error:
        problems = diagnose(graph) or error.problems
    try:  # the part that can run still has numbers to show
        return trace_part(runnable(graph, problems), dtype=lab.dtype), problems
    except GraphError:
        return None, problems


def _with_words(
    key: bytes | None, run: Trace | None, problems: tuple[Problem, ...], complete: bool
) -> Evaluated:
    """Return the result with run counts, states and notes."""
    notes: tuple[str, ...] = ()
    if complete:
        regions, many = run.graph.regions, runs_are_many(run.graph)
        uncounted = NOT_COUNTED if many else counts_unknown(run) if regions else ""
        notes = (*run.notes, *([uncounted] if uncounted else ()))
    return Evaluated(
        key=key,
        trace=run,
        problems=problems,
        complete=complete,
        runs=_runs(run, problems),
        states=_states(run, trained=key is None) if run else {},
        notes=notes,
    )


def _runs(run: Trace | None, problems: tuple[Problem, ...]) -> Mapping[str, Runs]:
    """Count the runs; empty if no region changes them, or if counting fails or takes long."""
    stopped = any(problem.code != "groups-overlap" for problem in problems)
    if run is None or not run.graph.regions or stopped or runs_are_many(run.graph):
        return {}
    try:
        return run.runs
    except GraphError:  # at a training step, where regions have no effect
        return {}


def runs_are_many(graph: Graph) -> bool:
    """Return whether counting the runs would delay the canvas: a node counts once for each way to run it."""
    around = Counter(name for region in graph.regions for name in region.nodes)
    return sum(2**count for count in around.values()) > COUNTED


def _states(run: Trace, trained: bool) -> dict[str, State]:
    """Return the states of declared derivatives and, in a training, of node health.

    Of a node with both, the card shows the first and the sentence has both.
    """
    by_node, health = declared_states(run), states(run) if trained else {}
    for name, (word, sentence) in health.items():
        declared = by_node.get(name)
        by_node[name] = (declared[0], f"{declared[1]} {sentence}") if declared else (word, sentence)
    return by_node


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
      complete: whether the whole graph was evaluated, cotangents too, and none of its numbers is hidden.
      hiding: whether numbers are hidden, since they are asked for: `trace` does not have them.
      whole: whether the whole graph was evaluated, hidden or not.
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
    hiding: bool = False
    whole: bool = False

    @property
    def is_program(self) -> bool:
        """Whether the graph can be written as a program."""
        return self.whole and not self.problems

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
        names = (problem.node for problem in self.problems if problem.code == "empty-slot")
        return tuple(dict.fromkeys(filter(None, names)))


def lab_view(lab: Lab, last: LabView | None = None) -> LabView:
    """Evaluate the lab's graph, or the part of it that can be evaluated, at the training step on view if any.

    Args:
      last: the previous view, whose unchanged parts are reused.
    """
    at = moment(lab)
    result = evaluated_at(lab, at) if at else None
    at = at if result else None  # a step that cannot be evaluated is not on view
    result = result or evaluated(lab, last.evaluated if last else None)
    graph = at.graph if at else lab.graph
    shown, places = _concealed(lab, result, last)
    complete = result.complete and not places
    tangents = None
    if lab.forward is not None and complete:
        tangents = tangents_of(result.trace, lab.forward, last.tangents if last else None)
    picture = Picture(
        graph,
        shown,
        NO_RUNS if (RUNS,) in places else result.runs,
        result.problems,
        lab.selected,
        lab.document,
        lab.collapsed,
        NO_STATES if places else result.states,
        tangents,
        guesses(lab),
    )
    sliders = tuple(
        Slider(name, *slider_range(lab, name), float(lab.graph[name].param("value")))
        for name in scalar_inputs(lab.graph)
    )
    # At a training step a parameter has that step's value, which its slider does not move.
    movable = [row for row in sliders if at is None or row.name not in at.parameters]
    # A table would lack the numbers that are on view while these are not known.
    tabulated = complete and (lab.forward is None or tangents is not None)
    # All that any number of the view depends on.
    nodes = tuple([node.content for node in graph.nodes])
    numbers = (nodes, graph.regions, graph.output, lab.seed, lab.dtype)
    hidden = tuple(sorted(map(repr, places)))
    follows = identity((*numbers, result.complete, result.problems, at and at.key, hidden))
    return LabView(
        drawn=drawing(picture, last.drawn if last else None),
        refusal=notice_data(lab.notice),
        text=formula_text(lab),
        mistakes=lab.mistakes,
        problems=result.problems,
        notice=elsewhere(lab.notice),
        trace=shown,
        complete=complete,
        hiding=bool(places),
        whole=result.complete,
        sliders=sliders,
        sweeps=keys(shown, map(_stretch, movable), tangents) if tabulated else {},
        can_resample=bool(resampled_nodes(graph)),
        seed_rows=isinstance(lab.seed, tuple)
        or (result.complete and result.trace.value[result.trace.output].ndim > 0),
        notes=() if places else result.notes,
        graph=graph,
        follows=follows,
        evaluated=result,
        moment=at,
        tangents=tangents,
    )


NO_STATES: Mapping[str, State] = {}
"""Of numbers of which some are hidden; one object, by which the drawing knows that nothing has changed."""


NO_RUNS: Mapping[str, Runs] = {}
"""Run counts while they are asked for; one object, likewise."""


def _concealed(lab: Lab, result: Evaluated, last: LabView | None) -> tuple[Trace | None, frozenset[Place]]:
    """Return what is on view of the numbers, and the places of those that are hidden."""
    run = result.trace
    places = hidden_places(lab, run.graph) if run is not None and lab.asking is not None else frozenset()
    if not places:
        return run, places
    shown = conceal(run, places)
    if last is not None and last.evaluated.trace is run and last.trace.hidden == shown.hidden:
        shown = last.trace  # the same object, by which the drawing knows that nothing has changed
    return shown, shown.hidden


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
