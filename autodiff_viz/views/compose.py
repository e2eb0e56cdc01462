"""One state of the lab evaluated: all that the page needs, and nothing that it has to decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autodiff_viz.engine.causes import Cause, input_causes
from autodiff_viz.engine.check import diagnose, runnable
from autodiff_viz.engine.counts import Runs
from autodiff_viz.engine.differences import check_inputs
from autodiff_viz.engine.trace import Trace, trace, trace_part
from autodiff_viz.engine.training import with_seeds
from autodiff_viz.engine.verify import Verdict, verify
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.views.actions import noisy
from autodiff_viz.views.declared import declared_states
from autodiff_viz.views.drawing import Drawing, Picture, doubts, drawing
from autodiff_viz.views.health import State, states
from autodiff_viz.views.lab import Lab, formula_text, scalar_inputs, slider_range
from autodiff_viz.views.moment import Moment, moment
from autodiff_viz.views.notices import elsewhere, notice_data
from autodiff_viz.views.numbers import full, short
from autodiff_viz.views.scrub import Stretch, keys, tables

VERIFIED_AT_ONCE = 150  # nodes; a larger graph is verified when the user asks, since tracing takes the lock


@dataclass(frozen=True, slots=True)
class Slider:
    """A scalar input's slider: its ends and where it stands."""

    name: str
    low: float
    high: float
    value: float


@dataclass(frozen=True, slots=True)
class LabView:
    """What the lab page shows at once; the slower checks follow in `Verification`.

    Attributes:
      drawn: for the canvas; `refusal` is why it refused the last edit.
      text: what stands in the formula editor.
      mistakes: of the draft; `problems`: of the graph; `notice`: why what was done
        beside the canvas was refused; what was refused on it is in the drawing.
      trace: None when nothing can be evaluated.
      complete: the whole graph was evaluated, cotangents too.
      sweeps: by input, the key of the table that fits the numbers on view while its slider is dragged.
      graph: what is drawn: the lab's, perhaps with the rules of a step of the training.
      moment: that step, where one is on view.
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
    tensor_output: bool
    notes: tuple[str, ...]
    graph: Graph
    moment: Moment | None = None

    @property
    def drawing(self) -> dict[str, Any]:
        """What the canvas shows."""
        return {**self.drawn.data, "notice": self.refusal}

    @property
    def mistaken(self) -> tuple[Problem, ...]:
        """The problems that are mistakes: an empty slot is none, and says itself what it needs."""
        return tuple(problem for problem in self.problems if problem.code != "empty-slot")

    @property
    def unfinished(self) -> tuple[str, ...]:
        """Names of the nodes with an empty slot."""
        found = (problem.node for problem in self.problems if problem.code == "empty-slot")
        return tuple(dict.fromkeys(filter(None, found)))


def lab_view(lab: Lab, last: LabView | None = None) -> LabView:
    """Evaluate the lab's graph, or as much of it as can be evaluated; at the step of the training on view,
    where there is one.

    Args:
      last: the view before, of which what still shows the same is taken over.
    """
    at = moment(lab)
    found = at and evaluated_at(lab, at)
    at = at if found else None
    graph = at.graph if at else lab.graph
    playing = found.graph if at else played(graph)
    found, problems = (found, ()) if at else evaluate(lab, playing)
    complete = found is not None and found.graph is playing
    badges = _badges(found, trained=at is not None) if found else {}
    picture = Picture(
        graph, found, _runs(found, problems), problems, lab.selected, lab.document, lab.collapsed, badges
    )
    sliders = tuple(_slider(lab, name) for name in scalar_inputs(lab.graph))
    movable = [row for row in sliders if at is None or row.name not in at.parameters]
    return LabView(
        drawn=drawing(picture, last.drawn if last else None),
        refusal=notice_data(lab.notice),
        text=formula_text(lab),
        mistakes=lab.mistakes,
        problems=problems,
        notice=elsewhere(lab.notice),
        trace=found,
        complete=complete,
        sliders=sliders,
        sweeps=keys(found, map(_stretch, movable)) if complete else {},
        can_resample=bool(noisy(graph)),
        tensor_output=complete and found.value[found.output].ndim > 0,
        notes=_notes(found) if complete else (),
        graph=graph,
        moment=at,
    )


def _badges(found: Trace, trained: bool) -> dict[str, State]:
    """What cards say of derivatives that are declared, and what there is to look out for in training. Of a
    node with both the first stands on the card, and the sentence says both."""
    badges, others = declared_states(found), states(found) if trained else {}
    for name, (word, sentence) in others.items():
        before = badges.get(name)
        badges[name] = (before[0], f"{before[1]} {sentence}") if before else (word, sentence)
    return badges


def evaluated_at(lab: Lab, at: Moment) -> Trace | None:
    """The trace of the step on view; None where the graph cannot be evaluated."""
    try:
        return trace(with_seeds(at.graph, at.step), at.parameters, lab.seed, dtype=lab.dtype)
    except GraphError:
        return None


def evaluate(lab: Lab, playing: Graph) -> tuple[Trace | None, tuple[Problem, ...]]:
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


def _runs(found: Trace | None, problems: tuple[Problem, ...]) -> Mapping[str, Runs]:
    """Counted only where a region makes them differ from one run each, and all regions can run."""
    stopped = any(problem.code != "groups-overlap" for problem in problems)
    if found is None or not found.graph.regions or stopped:
        return {}
    try:
        return found.runs
    except GraphError:  # at a step of a training, to which regions are nothing
        return {}


def _slider(lab: Lab, name: str) -> Slider:
    low, high = slider_range(lab, name)
    return Slider(name, low, high, float(lab.graph[name].param("value")))


def _stretch(slider: Slider) -> Stretch:
    return Stretch(slider.name, slider.low, slider.high)


def sweep_tables(view: LabView, wanted: Mapping[str, str]) -> list[dict[str, Any]]:
    """The tables that were asked for, by input and key; none for a key that is of other numbers by now."""
    stretches = {slider.name: _stretch(slider) for slider in view.sliders}
    current = [name for name, key in wanted.items() if view.sweeps.get(name) == key]
    return tables(view.trace, [stretches[name] for name in current], view.sweeps) if current else []


def _notes(found: Trace) -> tuple[str, ...]:
    doubted = (f"at {doubt.node}: {doubt}" for doubt in doubts(found))
    return (*found.notes, *(str(birth) for birth in found.births), *doubted)


@dataclass(frozen=True, slots=True)
class Check:
    """One input's declared gradient beside the true slope of the output, as text; and why they differ, or are
    no numbers."""

    name: str
    declared: str
    true: str
    agrees: bool
    causes: tuple[Cause, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """What independent computations say of a trace. `verdict` is None when it could not be worked out,
    and `problems` then says why."""

    verdict: Verdict | None
    problems: tuple[Problem, ...]
    inputs: tuple[Check, ...]

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        if self.verdict is None:
            return "The whole program cannot run: " + " ".join(p.message for p in self.problems)
        if self.verdict.agrees:
            agrees = f"Whole-program jax.vjp agrees on all {self.verdict.compared} arrays"
            return agrees + _how_close(self.verdict)
        share = f"{self.verdict.worst:.2g} of its size"
        return f"Whole-program jax.vjp differs in {self.verdict.where}, by {share}."


def _how_close(verdict: Verdict) -> str:
    close = f": no number is further off than {verdict.worst:.1g} of its array's size."
    fewer = "rounding leaves fewer digits: large numbers cancel there, or on the way."
    rounded = f" In {verdict.rounded} of them {fewer}" if verdict.rounded else ""
    return (close if verdict.worst else ", to the last digit.") + rounded


def verification(found: Trace) -> Verification:
    """Hold the trace against the whole program and against central differences."""
    try:
        verdict, problems = verify(found), ()
    except GraphError as error:
        verdict, problems = None, error.problems
    differences = check_inputs(found)
    causes = input_causes(found, differences)
    inputs = (
        Check(name, *_pair(d.declared, d.true), d.agrees, causes[name]) for name, d in differences.items()
    )
    return Verification(verdict, problems, tuple(inputs))


def _pair(declared: Any, true: Any) -> tuple[str, str]:
    if declared.size == 1:
        return full(declared.astype("float32").reshape(())), full(true.astype("float32").reshape(()))
    return short(declared), short(true)
