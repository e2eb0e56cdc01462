"""What a lesson claims, held against what JAX computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from autodiff_viz.engine.course import Course, further, start, trace_at
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import consumers
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.record import Claim, Law, Lesson, Like, Variant


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim beside what its lesson says. `found` has the trace's dtype, so that it prints as it is."""

    claim: Claim
    expected: np.ndarray
    found: np.ndarray
    holds: bool


def _runs(trace: Trace, of: str) -> tuple[int, int, int]:
    runs = trace.runs[of]
    return runs.forward, runs.backward, runs.kept


def _added(trace: Trace, of: str) -> list[np.ndarray]:
    return [trace.passed[wire] for wire in consumers(trace.graph)[of]]


QUANTITIES: Mapping[str, Callable[[Trace, Any], Any]] = {
    "value": lambda trace, of: trace.value[of],
    "cotangent": lambda trace, of: trace.cotangent[of],
    "gradient": lambda trace, of: trace.gradient[of],
    "passed": lambda trace, of: trace.passed[of],
    "added": _added,
    "runs": _runs,
    "residuals": lambda trace, of: len(trace.residuals),
    "residual elements": lambda trace, of: sum(residual.elements for residual in trace.residuals),
}
"""How each kind of claim is read from a trace. "added" lists what every wire adds at a fork."""


@lru_cache(maxsize=64)
def graph_of(variant: Variant) -> Graph:
    """The variant's graph."""
    return parse(variant.formula)


@lru_cache(maxsize=256)
def findings(lesson: Lesson, variant: int) -> tuple[Finding, ...]:
    """The claims about one of the graphs of `lesson`, in order. Lessons do not change, so this runs once for
    each graph and server."""
    return tuple(check(claim, lesson) for claim in lesson.claims if claim.variant == variant)


def check(claim: Claim, lesson: Lesson) -> Finding:
    """`claim` beside what it is about: its variant, in the step that it names."""
    found, expected = _read(claim, lesson, claim.variant), np.asarray(_expected(claim, lesson))
    return Finding(claim, expected, found, _agree(found, expected, claim))


def trace_of(variant: Variant, step: int = 0) -> Trace:
    """The variant's graph; with training, after `step` updates of it."""
    return _trace(variant, step) if variant.training else _untrained(variant)


@lru_cache(maxsize=32)
def _untrained(variant: Variant) -> Trace:
    return trace(graph_of(variant), seed=variant.seed)


@lru_cache(maxsize=32)
def _trace(variant: Variant, step: int) -> Trace:
    return trace_at(_course(variant), step)


@lru_cache(maxsize=8)
def _course(variant: Variant) -> Course:
    """All the steps of the variant's training."""
    graph, settings = graph_of(variant), variant.training
    course = start(graph, settings)
    while len(course) < variant.steps:
        course = further(course, graph, settings, variant.steps - len(course))
    return course


def _read(claim: Claim, lesson: Lesson, variant: int) -> np.ndarray:
    def at(step: int) -> np.ndarray:
        return np.asarray(QUANTITIES[claim.quantity](trace_of(lesson.variants[variant], step), claim.of))

    return np.stack([at(step) for step in claim.at]) if isinstance(claim.at, range) else at(claim.at)


def _agree(found: np.ndarray, expected: np.ndarray, claim: Claim) -> bool:
    if found.shape != expected.shape:
        return False
    wide = expected.astype(np.float64)
    apart = np.abs(found.astype(np.float64) - wide)
    return bool(np.all(apart <= claim.within + claim.tolerance * np.abs(wide)))


def _expected(claim: Claim, lesson: Lesson) -> Any:
    if isinstance(claim.expected, Like):
        return _read(claim, lesson, claim.expected.variant)
    if isinstance(claim.expected, Law):
        return _law_value(claim.expected, trace_of(lesson.variants[claim.variant], claim.at))
    return claim.expected


def _law_value(law: Law, found: Trace) -> np.ndarray:
    """The law's formula as a graph of its own, whose inputs are values of `found`."""
    graph = parse("\n".join([*(f"{name} = 0.0" for name in law.names), f"law = {law.formula}"]))
    values = {name: found.value[name] for name in law.names}
    return trace(graph, values, dtype=found.dtype).value["law"]
