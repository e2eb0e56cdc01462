"""The lessons as the page shows them: cards for the gallery, and the open lesson beside the lab."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from autodiff_viz.graph.model import Graph
from autodiff_viz.lessons.findings import Finding, findings, graph_of
from autodiff_viz.lessons.gallery import LESSONS, lesson
from autodiff_viz.lessons.record import Claim, Law, Lesson
from autodiff_viz.views.lab import Lab, opened
from autodiff_viz.views.numbers import MINUS, exact, short
from autodiff_viz.views.training import Plan

IN_FULL = 12  # numbers of one claim that are shown


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim as text: the number found beside the one expected, and where that comes from."""

    says: str
    found: str
    expected: str
    source: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Card:
    """One lesson in the gallery. `graphs` are (title, claims), in the lesson's order."""

    key: str
    number: int
    title: str
    summary: str
    graphs: tuple[tuple[str, tuple[ClaimView, ...]], ...]

    @property
    def claims(self) -> tuple[ClaimView, ...]:
        return tuple(claim for _, claims in self.graphs for claim in claims)


@dataclass(frozen=True, slots=True)
class LessonView:
    """The open lesson.

    Attributes:
      place: "Lesson 3 of 7".
      variants: titles of its graphs; `variant` is the index of the open one.
      claims: about the open graph, as the lesson has it.
      changed: the user's graph or seed is no longer the lesson's; positions do not count.
      before, after: keys of the neighbours, None at the ends.
    """

    key: str
    place: str
    title: str
    text: str
    variants: tuple[str, ...]
    variant: int
    to_try: tuple[str, ...]
    claims: tuple[ClaimView, ...]
    changed: bool
    before: str | None
    after: str | None


def card(found: Lesson) -> Card:
    """`found` with all its claims. Evaluates its graphs the first time."""
    groups = tuple((variant.title, _claims(found, i)) for i, variant in enumerate(found.variants))
    return Card(found.key, LESSONS.index(found) + 1, found.title, found.summary, groups)


def open_lesson(lab: Lab, key: str, variant: int = 0) -> Lab:
    """The lab with a lesson's graph in it; undo leads back. An unknown lesson changes nothing."""
    found = lesson(key)
    if found is None:
        return lab
    variant = _within(found, variant)
    chosen = found.variants[variant]
    after = opened(lab, graph_of(chosen), f"Lesson: {found.title}")
    if chosen.training:
        after = replace(after, plan=Plan(chosen.training, chosen.steps))
    return replace(
        after, lesson=key, variant=variant, seed=chosen.seed, figure=found.figure, selected=chosen.look_at
    )


def open_variant(lab: Lab, key: str, variant: int) -> Lab:
    """As `open_lesson`, when it is not open already: a widget may say again what it shows."""
    return lab if (lab.lesson, lab.variant) == (key, variant) else open_lesson(lab, key, variant)


def close_lesson(lab: Lab) -> Lab:
    """The graph stays, the lesson goes."""
    return replace(lab, lesson=None, variant=0)


def lesson_view(lab: Lab) -> LessonView | None:
    """The lesson that is open in `lab`; None when there is none, or an address names one that is unknown."""
    found = lesson(lab.lesson)
    if found is None:
        return None
    at, variant = LESSONS.index(found), _within(found, lab.variant)
    keys = (None, *(other.key for other in LESSONS), None)
    return LessonView(
        key=found.key,
        place=f"Lesson {at + 1} of {len(LESSONS)}",
        title=found.title,
        text=found.text,
        variants=tuple(v.title for v in found.variants),
        variant=variant,
        to_try=found.to_try,
        claims=_claims(found, variant),
        changed=_changed(lab, found, variant),
        before=keys[at],
        after=keys[at + 2],
    )


def _within(found: Lesson, variant: int) -> int:
    return min(max(variant, 0), len(found.variants) - 1)


def _changed(lab: Lab, found: Lesson, variant: int) -> bool:
    own = found.variants[variant]
    return lab.seed != own.seed or _unplaced(lab.graph) != _unplaced(graph_of(own))


def _unplaced(graph: Graph) -> Graph:
    return replace(graph, nodes=tuple(replace(node, position=None) for node in graph.nodes))


def _claims(found: Lesson, variant: int) -> tuple[ClaimView, ...]:
    return tuple(_claim(finding) for finding in findings(found, variant))


def _claim(finding: Finding) -> ClaimView:
    claim = finding.claim
    if finding.found.size > IN_FULL and claim.quantity != "runs":
        found, expected = _at_a_glance(finding)
    else:
        found, expected = (_text(claim, numbers) for numbers in (finding.found, finding.expected))
    if isinstance(claim.expected, Law):
        expected = f"{claim.expected.formula} = {expected}"
    return ClaimView(claim.says, found, expected, claim.source, finding.holds)


def _at_a_glance(finding: Finding) -> tuple[str, str]:
    """Of many numbers the first and how many there are; how far the worst is from what was expected."""
    apart = np.abs(finding.found.astype(np.float64) - finding.expected.astype(np.float64)).max()
    first, wanted = (exact(numbers.ravel()[0]) for numbers in (finding.found, finding.expected))
    differ = f"at most {short(apart)} apart" if apart else "the same to the last digit"
    return f"{first}, \u2026 ({finding.found.size} numbers)", f"{wanted}, \u2026, {differ}"


def _text(claim: Claim, numbers: np.ndarray) -> str:
    """Every digit; runs in words, what is added at a fork as a sum."""
    parts = [exact(number).removesuffix(".0") for number in numbers.ravel()]
    if claim.quantity == "runs":
        steps = f", in each of {len(claim.at)} steps" if isinstance(claim.at, range) else ""
        return "{} forward, {} backward, {} kept".format(*parts) + steps
    if claim.quantity == "added":
        return _sum(parts)
    return parts[0] if numbers.ndim == 0 else f"[{', '.join(parts)}]"


def _sum(terms: Iterable[str]) -> str:
    """2 + (−6): a negative term keeps its sign in brackets, so that it still reads as a sum."""
    first, *rest = terms
    return " + ".join([first, *(f"({term})" if term.startswith(MINUS) else term for term in rest)])
