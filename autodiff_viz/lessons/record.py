"""A lesson as data: text, graphs, what to try, and claims that must hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.engine.trace import Trace

TOLERANCE = 1e-5  # relative; numbers printed by other builds differ in the last digits


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that must hold in one of the lesson's graphs.

    Attributes:
      says: the claim in words, without the number.
      quantity: a key of `QUANTITIES`, such as "value" or "cotangent".
      of: the node; (node, slot) for "passed".
      expected: a number, nested tuples of numbers, or for "runs" (forward, backward, kept).
      source: where the number comes from: a document, or "by hand: ..." with the working.
      variant: index of the graph it is about.
      tolerance: relative; an expected 0 must be exactly 0.
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
    """One graph of a lesson: a short title and the formula, with its positions if it needs any.

    `seed` is the cotangent put in at the output, None for ones.
    """

    title: str
    formula: str
    seed: float | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """Narrative, graphs and claims.

    Attributes:
      key: short identifier, used in links; it never changes.
      title, summary: for the gallery; the summary is one sentence.
      text: Markdown, at most about 150 words.
      variants: at least one graph.
      to_try: things to do in the lab, each one sentence that says what to look for.
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
    """A claim beside what a trace says."""

    claim: Claim
    found: Any
    holds: bool


def _runs(trace: Trace, of: str) -> tuple[int, int, int]:
    runs = trace.runs[of]
    return runs.forward, runs.backward, runs.kept


QUANTITIES: Mapping[str, Callable[[Trace, Any], Any]] = {
    "value": lambda trace, of: trace.value[of],
    "cotangent": lambda trace, of: trace.cotangent[of],
    "gradient": lambda trace, of: trace.gradient[of],
    "passed": lambda trace, of: trace.passed[of],
    "runs": _runs,
    "residuals": lambda trace, of: len(trace.residuals),
}
"""How each kind of claim is read from a trace."""


def check(claim: Claim, trace: Trace) -> Finding:
    """Read the claimed quantity from `trace`, which evaluates the claim's variant."""
    found = QUANTITIES[claim.quantity](trace, claim.of)
    expected = np.asarray(claim.expected, np.float64)
    got = np.asarray(found, np.float64)
    holds = got.shape == expected.shape and bool(
        np.all(np.abs(got - expected) <= claim.tolerance * np.abs(expected))
    )
    return Finding(claim, found, holds)
