"""A lesson as data: text, graphs, what to try, and claims that must hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autodiff_viz.engine.training import Settings

DIGITS = 6  # of float32's seven; the last one differs from one build of XLA to another
EXACTLY = 0.0


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
class Like:
    """What the same quantity is in another of the lesson's graphs: a claim that something changes nothing."""

    variant: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that must hold in one of the lesson's graphs.

    Attributes:
      says: the claim in words, without the number.
      quantity: a key of `QUANTITIES`, such as "value", of `CUT` or of `SPLIT`, all in `findings`.
      of: the node; (node, slot) for "passed", (node, node) for Jacobians; nothing for "residuals".
      expected: a number, nested tuples of numbers, a `Law` or a `Like`; for "runs" (forward, backward, kept).
      source: where the number comes from: a document, or "by hand: ..." with the working.
      variant: index of the graph it is about.
      within: how far it may be off, EXACTLY for not at all; None for as many `digits` as are said.
      digits: that agree of every number; an expected 0 is exactly 0. Counts are exact whatever these say.
      at: step of the variant's training, or several: the quantity then has a row for each.
    """

    says: str
    quantity: str
    of: Any
    expected: Any
    source: str
    variant: int = 0
    within: float | None = None
    digits: int = DIGITS
    at: int | range = 0


@dataclass(frozen=True, slots=True)
class Variant:
    """One graph of a lesson.

    Attributes:
      title: a few words.
      formula: the graph as text, with its positions if it needs any.
      look_at: the node that is selected when the graph opens.
      seed: the cotangent put in at the output, None for ones.
      training: how it is trained, None when it is not; `steps` is how far.
    """

    title: str
    formula: str
    look_at: str | None = None
    seed: float | None = None
    training: Settings | None = None
    steps: int = 0


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
