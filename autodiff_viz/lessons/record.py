"""A lesson as data: text, graphs, what to try, and claims that must hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import consumers
from autodiff_viz.language.parse import parse

TOLERANCE = 1e-5  # relative; numbers printed by other builds differ in the last digits


@dataclass(frozen=True, slots=True)
class Law:
    """An expected number that depends on what else is in the trace, such as a random draw.

    Attributes:
      formula: an expression in the formula language, `sign(x) * sqrt(u)`.
      names: the nodes whose values it reads. Only their values: it shares no derivative with the claim.
    """

    formula: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that must hold in one of the lesson's graphs.

    Attributes:
      says: the claim in words, without the number.
      quantity: a key of `QUANTITIES`, such as "value" or "cotangent".
      of: the node; (node, slot) for "passed"; nothing for "residuals".
      expected: a number, nested tuples of numbers, a `Law`, or for "runs" (forward, backward, kept).
      source: where the number comes from: a document, or "by hand: ..." with the working.
      variant: index of the graph it is about.
      tolerance: relative, 0 for exactly; an expected 0 must always be exactly 0.
    """

    says: str
    quantity: str
    of: Any
    expected: Any
    source: str
    variant: int = 0
    tolerance: float = TOLERANCE


@dataclass(frozen=True, slots=True)
class Variant:
    """One graph of a lesson.

    Attributes:
      title: a few words.
      formula: the graph as text, with its positions if it needs any.
      look_at: the node that is selected when the graph opens.
      seed: the cotangent put in at the output, None for ones.
    """

    title: str
    formula: str
    look_at: str | None = None
    seed: float | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """Narrative, graphs and claims.

    Attributes:
      key: short identifier, used in links; it never changes.
      title, summary: for the gallery; the summary is one sentence.
      text: Markdown, at most about 150 words.
      variants: at least one graph.
      to_try: things to do in the lab, each one says what to do and what to see.
      figure: key of the figure to open with.
    """

    key: str
    title: str
    summary: str
    text: str
    variants: tuple[Variant, ...]
    to_try: tuple[str, ...]
    claims: tuple[Claim, ...]
    figure: str = "cotangents"


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim beside what a trace says. `found` has the trace's dtype, so that it prints as it is."""

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
}
"""How each kind of claim is read from a trace. "added" lists what every wire adds at a fork."""


@lru_cache(maxsize=64)
def graph_of(variant: Variant) -> Graph:
    """The variant's graph."""
    return parse(variant.formula)


@lru_cache(maxsize=64)
def findings(lesson: Lesson) -> tuple[Finding, ...]:
    """All claims of `lesson`, in order, each held against a trace of its own graph. Lessons do not
    change, so this runs once per lesson and server."""
    traces = [trace(graph_of(variant), seed=variant.seed) for variant in lesson.variants]
    return tuple(check(claim, traces[claim.variant]) for claim in lesson.claims)


def check(claim: Claim, trace: Trace) -> Finding:
    """Read the claimed quantity from `trace`, which evaluates the claim's variant."""
    found = np.asarray(QUANTITIES[claim.quantity](trace, claim.of))
    expected = np.asarray(_expected(claim, trace))
    return Finding(claim, expected, found, _agree(found, expected, claim.tolerance))


def _agree(found: np.ndarray, expected: np.ndarray, tolerance: float) -> bool:
    if found.shape != expected.shape:
        return False
    wide = expected.astype(np.float64)
    return bool(np.all(np.abs(found.astype(np.float64) - wide) <= tolerance * np.abs(wide)))


def _expected(claim: Claim, trace: Trace) -> Any:
    return _law_value(claim.expected, trace) if isinstance(claim.expected, Law) else claim.expected


def _law_value(law: Law, found: Trace) -> np.ndarray:
    """The law's formula as a graph of its own, whose inputs are values of `found`."""
    graph = parse("\n".join([*(f"{name} = 0.0" for name in law.names), f"law = {law.formula}"]))
    values = {name: found.value[name] for name in law.names}
    return trace(graph, values, dtype=found.dtype).value["law"]
