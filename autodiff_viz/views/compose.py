"""One state of the lab evaluated: all that the page needs, and nothing that it has to decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.engine.causes import Cause, input_causes
from autodiff_viz.engine.differences import check_inputs
from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.verify import Verdict, verify
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.views.actions import noisy
from autodiff_viz.views.drawing import Drawing, Picture, drawing
from autodiff_viz.views.evaluated import Evaluated, evaluated, evaluated_at
from autodiff_viz.views.inspector import program_says
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
      follows: the identity of all that any number follows from; where the nodes stand is not part of it.
      evaluated: the numbers of `trace`, with all that is said of them.
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
    follows: bytes
    evaluated: Evaluated
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
        sweeps=keys(found.trace, map(_stretch, movable)) if found.complete else {},
        can_resample=bool(noisy(graph)),
        tensor_output=found.complete and found.trace.value[found.trace.output].ndim > 0,
        notes=found.notes,
        graph=graph,
        follows=_follows(lab, graph, found, at),
        evaluated=found,
        moment=at,
    )


def _follows(lab: Lab, graph: Graph, found: Evaluated, at: Moment | None) -> bytes:
    nodes = tuple([node.content for node in graph.nodes])
    numbers = (nodes, graph.regions, graph.output, lab.seed, lab.dtype)
    return identity((*numbers, found.complete, found.problems, at and at.key))


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
    """What the whole program, as an independent computation, says of a trace. `verdict` is None when it could
    not be worked out, and `problems` then says why; `nodes` has sentences about each node by its name."""

    verdict: Verdict | None
    problems: tuple[Problem, ...]
    inputs: tuple[Check, ...]
    nodes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

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
    return Verification(verdict, problems, tuple(inputs), _said(found))


def _said(found: Trace) -> dict[str, tuple[str, ...]]:
    try:
        return program_says(found)
    except GraphError:  # regions that cannot run; at a step of a training nobody looks at them
        return {}


def _pair(declared: Any, true: Any) -> tuple[str, str]:
    if declared.size == 1:
        return full(declared.astype("float32").reshape(())), full(true.astype("float32").reshape(()))
    return short(declared), short(true)
