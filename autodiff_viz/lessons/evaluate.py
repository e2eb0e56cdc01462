"""Evaluate the lessons' claims: the numbers that JAX computes beside the expected ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import starmap
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.jacobian.compute import Jacobian
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.lesson import Claim, Law, Lesson, Like
from autodiff_viz.lessons.tour import Step
from autodiff_viz.segments.compute import Curves, Division, curves, division
from autodiff_viz.training.course import Course, further, start, trace_at
from autodiff_viz.workers.jobs import report


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim with its expected and computed numbers.

    Attributes:
      claim: of the lesson.
      expected: number or numbers that the claim expects.
      computed: numbers that JAX computes, in the dtype of the trace, so that they print as there.
      holds: whether the two agree within the claim's tolerance.
    """

    claim: Claim
    expected: np.ndarray
    computed: np.ndarray
    holds: bool


QUANTITIES: Mapping[str, Callable[[Trace, Any], Any]] = {
    "value": lambda trace, of: trace.value[of],
    "cotangent": lambda trace, of: trace.cotangent[of],
    "gradient": lambda trace, of: trace.gradient[of],
    "passed": lambda trace, of: trace.passed[of],
    "added": lambda trace, of: [trace.passed[wire] for wire in consumers(trace.graph)[of]],
    "runs": lambda trace, of: (trace.runs[of].forward, trace.runs[of].backward, trace.runs[of].kept),
    "residuals": lambda trace, of: len(trace.residuals),
    "residual elements": lambda trace, of: sum(residual.elements for residual in trace.residuals),
}
"""Readers of each quantity from a trace. "added" lists the cotangent that each wire adds at a fork."""

CUT: Mapping[str, Callable[[Division, Any], Any]] = {
    "chain less whole": lambda cut, of: np.asarray(cut.difference),
    "product less whole": lambda cut, of: np.asarray(cut.product),
    "handed": lambda cut, of: next(
        prod(shape) for link in cut.links for name, shape in link.gives if name == of
    ),
    "jacobian": lambda cut, of: _jacobian(cut, *of).elements,
    "full jacobian": lambda cut, of: _jacobian(cut, *of).full,
}
"""Readers of claims about segments: element counts of cotangents and Jacobians, and largest differences."""

SPLIT: Mapping[str, Callable[[Curves, int], Any]] = {
    "joint loss": lambda curves, step: curves.joint[step],
    "chain less joint": lambda curves, step: curves.chain[step] - curves.joint[step],
    "apart loss": lambda curves, step: curves.apart[step],
}
"""Readers of claims about training by segments, as functions of the step; `of` is unused."""


def _jacobian(cut: Division, of: str, by: str) -> Jacobian:
    return next(j for link in cut.links for j in link.jacobians if (j.of, j.by) == (of, by))


@remembered(64)
def graph_in(formula: str) -> Graph:
    """Parse a formula of a step: its graph, or the one pinned beside it."""
    return parse(formula)


def graph_of(about: Step) -> Graph:
    """Parse the graph of a step."""
    return graph_in(about.formula)


@remembered(256)
def findings(lesson: Lesson, variant: int) -> tuple[Finding, ...]:
    """Evaluate the claims about one of the graphs of `lesson`, in order.

    Some claims train a network, so this runs in a worker process. It is memoised: lessons do not change, so
    each graph is evaluated once per process.
    """
    before = sum(claim.variant < variant for claim in lesson.claims)

    def checked(index: int, claim: Claim) -> Finding:
        report(before + index, len(lesson.claims), "claims")
        return check(claim, lesson)

    return tuple(starmap(checked, enumerate(claims_of(lesson, variant))))


def claims_of(lesson: Lesson, variant: int) -> tuple[Claim, ...]:
    """Return the claims about one of the graphs of `lesson`, in order."""
    return tuple(claim for claim in lesson.claims if claim.variant == variant)


def check(claim: Claim, lesson: Lesson) -> Finding:
    """Evaluate `claim` on its variant, at the step that it names."""
    computed, expected = _read(claim, lesson, claim.variant), claim.expected
    if isinstance(expected, Like):
        expected = _read(claim, lesson, expected.variant)
    elif isinstance(expected, Law):
        expected = _law_value(expected, trace_of(lesson.steps[claim.variant], claim.at))
    expected = np.asarray(expected)
    return Finding(claim, expected, computed, agree(computed, expected, claim))


def check_on(own: Finding, other: Trace) -> Finding | None:
    """Evaluate a claim on another trace, perhaps of an edited graph; `own` is its finding on its own graph.

    Returns:
      None where the graph has no such node or wire, or the claim is not read from one trace.
    """
    claim = own.claim
    if claim.quantity not in QUANTITIES or isinstance(claim.at, range):
        return None
    try:
        read = np.asarray(QUANTITIES[claim.quantity](other, claim.of))
        law = isinstance(claim.expected, Law)
        expected = np.asarray(_law_value(claim.expected, other)) if law else own.expected
    except (GraphError, KeyError, ValueError):  # ValueError: wires of several shapes meet at a fork
        return None
    return Finding(claim, expected, read, agree(read, expected, claim))


def trace_of(about: Step, step: int = 0) -> Trace:
    """Trace the graph of a step of a lesson; if it has a training, after `step` updates."""
    drawn_anew = about.training is not None and about.training.settings.seed != 0
    return _trace(about, step) if step or drawn_anew else _untrained(about)


@remembered(8)
def division_of(about: Step) -> Division:
    """Differentiate the graph segment by segment."""
    return division(graph_of(about), trace_of(about))


@remembered(8)
def curves_of(about: Step) -> Curves:
    """Train the graph with the whole gradient and by segments."""
    return curves(graph_of(about), about.training.settings, about.training.steps, about.dtype)


@remembered(32)
def _untrained(about: Step) -> Trace:
    return trace(graph_of(about), seed=about.seed, dtype=about.dtype)


@remembered(32)
def _trace(about: Step, step: int) -> Trace:
    return trace_at(_course(about), step)


@remembered(8)
def _course(about: Step) -> Course:
    """Run all training steps of the graph."""
    graph, plan = graph_of(about), about.training
    course = start(graph, plan.settings, about.dtype)
    while len(course) < plan.steps:
        course = further(course, graph, plan.settings, plan.steps - len(course))
    return course


def _read(claim: Claim, lesson: Lesson, variant: int) -> np.ndarray:
    about = lesson.steps[variant]

    def at(step: int) -> np.ndarray:
        if claim.quantity in CUT:
            return np.asarray(CUT[claim.quantity](division_of(about), claim.of))
        if claim.quantity in SPLIT:
            return np.asarray(SPLIT[claim.quantity](curves_of(about), step))
        return np.asarray(QUANTITIES[claim.quantity](trace_of(about, step), claim.of))

    return np.stack([at(step) for step in claim.at]) if isinstance(claim.at, range) else at(claim.at)


def agree(found: np.ndarray, expected: np.ndarray, claim: Claim) -> bool:
    """Return whether `found` is within the claim's tolerance of `expected`; NaN is claimed by NaN alone."""
    if found.shape != expected.shape:
        return False
    narrow, wide = found.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore"):  # infinities are equal, or not
        close = np.abs(narrow - wide) <= allowed(claim, expected)
    return bool(
        np.all(np.where(np.isfinite(wide), close, np.isnan(wide) & np.isnan(narrow) | (narrow == wide)))
    )


def allowed(claim: Claim, expected: np.ndarray) -> np.ndarray:
    """Return the tolerance of each number; NaN and infinities have none."""
    if expected.dtype.kind in "iu":
        return np.zeros(expected.shape)
    size = np.abs(expected.astype(np.float64))
    room = np.full(size.shape, claim.within) if claim.within is not None else 10.0**-claim.digits * size
    return np.where(np.isfinite(size), room, 0.0)


def _law_value(law: Law, traced: Trace) -> np.ndarray:
    """Evaluate the law as a graph of its own, whose inputs are values of `traced`."""
    graph = parse("\n".join([*(f"{name} = 0.0" for name in law.names), f"law = {law.formula}"]))
    values = {name: traced.value[name] for name in law.names}
    return trace(graph, values, dtype=traced.dtype).value["law"]
