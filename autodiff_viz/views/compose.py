"""Evaluate one state of the lab into its view: all data that the page draws, without decisions left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autodiff_viz.engine.diagnostics.causes import Cause, input_causes
from autodiff_viz.engine.diagnostics.differences import check_inputs
from autodiff_viz.engine.explain.derivatives.forward_mode import Tangents
from autodiff_viz.engine.lints.lints import not_looked_at
from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.whole_program.verify import Verdict, verify
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text.text_format import listed
from autodiff_viz.views.actions import resampled_nodes
from autodiff_viz.views.canvas.drawing import Drawing, Picture, drawing
from autodiff_viz.views.canvas.slider_tables import Stretch, keys, tables
from autodiff_viz.views.evaluated import Evaluated, evaluated, evaluated_at
from autodiff_viz.views.forward import ForwardCheck, check_tangents, tangents_of
from autodiff_viz.views.lab import Lab, formula_text, scalar_inputs
from autodiff_viz.views.node.cures import Explanation, explained_lints, explained_non_finite
from autodiff_viz.views.notices import elsewhere, notice_data
from autodiff_viz.views.numbers import declared_and_true
from autodiff_viz.views.slider_ranges import slider_range
from autodiff_viz.views.training.shown_step import Moment, moment

VERIFIED_AT_ONCE = 150  # nodes; a larger graph is verified on request, since tracing holds the GIL
OTHERWISE = "a callback in each node, while the whole program runs, counts otherwise"
NO_HINTS = f"There are hints for graphs of up to {VERIFIED_AT_ONCE} nodes, and none for this one."


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


@dataclass(frozen=True, slots=True)
class Check:
    """Comparison of an input's declared gradient with the true slope of the output, as text.

    Attributes:
      name: the input.
      declared: the gradient of the trace.
      true: the central difference.
      agrees: whether both agree.
      causes: why they differ or are not finite.
    """

    name: str
    declared: str
    true: str
    agrees: bool
    causes: tuple[Cause, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of independent computations about a trace.

    Attributes:
      verdict: comparison with the whole program; None if it could not be computed.
      problems: why there is no verdict.
      inputs: comparison of each input's gradient with central differences.
      origin: where numbers stop being finite; None if all are.
      lints: what is legal and rarely meant; none of a large graph.
      unseen: what the lints have not looked at, in sentences.
      forward: comparison of the tangents with the whole program; None while forward mode is off.
    """

    verdict: Verdict | None
    problems: tuple[Problem, ...]
    inputs: tuple[Check, ...]
    origin: Explanation | None = None
    lints: tuple[Explanation, ...] = ()
    unseen: tuple[str, ...] = ()
    forward: ForwardCheck | None = None

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        if self.verdict is None:
            return "The whole program cannot run: " + " ".join(p.message for p in self.problems)
        if self.verdict.agrees:
            agrees = f"Whole-program jax.vjp agrees on all {self.verdict.compared} arrays"
            return agrees + _how_close(self.verdict)
        if self.verdict.miscounted:
            return f"The runs of {listed(self.verdict.miscounted, 4)} are counted wrongly: {OTHERWISE}."
        share = f"{self.verdict.worst:.2g} of its size"
        return f"Whole-program jax.vjp differs in {self.verdict.where}, by {share}."


def _how_close(verdict: Verdict) -> str:
    """Return the largest relative difference in words."""
    close = f": no number is further off than {verdict.worst:.1g} of its array's size."
    fewer = "rounding leaves fewer digits: large numbers cancel there, or on the way."
    rounded = f" In {verdict.rounded} of them {fewer}" if verdict.rounded else ""
    return (close if verdict.worst else ", to the last digit.") + rounded


def verification(found: Trace, tangents: Tangents | None = None) -> Verification:
    """Verify the trace against the whole program and against central differences.

    Also find where its numbers stop being finite, and what is legal and rarely meant.

    Args:
      tangents: those of forward mode, to be verified too; None while it is off.
    """
    try:
        verdict, problems = verify(found), ()
    except GraphError as error:
        verdict, problems = None, error.problems
    differences = check_inputs(found)
    causes = input_causes(found, differences)
    inputs = (
        Check(name, *declared_and_true(d.declared, d.true, found.dtype), d.agrees, causes[name])
        for name, d in differences.items()
    )
    large = len(found.value) > VERIFIED_AT_ONCE
    found_lints = () if large else explained_lints(found, differences)
    unseen = (NO_HINTS,) if large else not_looked_at(found)
    origin = explained_non_finite(found)
    forward = None if tangents is None else check_tangents(tangents)
    return Verification(verdict, problems, tuple(inputs), origin, found_lints, unseen, forward)
