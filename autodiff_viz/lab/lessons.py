"""Show the open lesson beside the lab, with its claims."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autodiff_viz.asking.question import ASKED_ALONE, NUMBER, SIGN, ZERO, Asked, Asking
from autodiff_viz.display.numbers import exact, short
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.text import MINUS, scalar
from autodiff_viz.lab.asking import numbers_key
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.glossary import words_in
from autodiff_viz.lab.state import Lab, round_range, slider_range
from autodiff_viz.lab.tours import has_graph_of, is_answered, open_step, words_on_view
from autodiff_viz.lab.training import live, own
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.evaluate import SPLIT, Finding, allowed, check_on, graph_of
from autodiff_viz.lessons.lesson import PLAY, Claim, Law, Lesson
from autodiff_viz.lessons.paths import PAGE, Path
from autodiff_viz.lessons.proof import Proof
from autodiff_viz.training.run import still

# Claims, each with its state on the graph that is on the canvas.

IN_FULL = 12  # largest number of elements that a claim shows

HOLDS, FAILS = "holds", "fails"
"""States of a claim: true of the lesson's own graph, or false."""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """View of a claim: the computed number beside the expected one, the tolerance and the source, as text.

    Attributes:
      says: the claim in a sentence.
      computed: the number on the canvas if the claim holds there, otherwise in the lesson's own graph.
      expected: the number that the claim gives.
      closely: the tolerance.
      source: where the expected number comes from.
      state: `HOLDS` or `FAILS`.
      now: the number on the canvas, if the claim does not hold there; "" if it does or the canvas has none.
    """

    says: str
    computed: str
    expected: str
    closely: str
    source: str
    state: str
    now: str = ""

    @property
    def holds(self) -> bool:
        """Whether the claim is true of the lesson's own graph."""
        return self.state == HOLDS


def own_claims(own: Iterable[Finding]) -> tuple[ClaimView, ...]:
    """Return views of the claims about one of a lesson's own graphs."""
    return tuple(map(_claim, own))


def claims_on_canvas(lab: Lab, view: LabView, proof: Proof) -> tuple[ClaimView, ...]:
    """Return views of the claims of the open lesson, with what the canvas has in place of their numbers.

    Args:
      proof: findings about the lesson's own graphs.
    """
    lesson = gallery.lesson(lab.lesson)
    if lesson is None:
        return ()
    own = proof[variant_of(lab, lesson)]
    if view.moment is None and _is_run_as_own(lab, lesson):
        return own_claims(own)
    return tuple(_claim_on_canvas(finding, lab, view) for finding in own)


def variant_of(lab: Lab, lesson: Lesson) -> int:
    """Return the index of the open variant; the nearest one if an address gives an index out of range."""
    return min(max(lab.variant, 0), len(lesson.steps) - 1)


def is_own(lab: Lab, lesson: Lesson) -> bool:
    """Return whether graph and seed are the lesson's; positions do not count."""
    variant = lesson.steps[variant_of(lab, lesson)]
    return same(lab.seed, variant.seed) and has_graph_of(lab, variant)


def _is_run_as_own(lab: Lab, lesson: Lesson) -> bool:
    """Return whether graph, seed, dtype and settings of the training are the lesson's.

    All steps so far were then made by these settings, and with the lesson's rules.
    """
    variant = lesson.steps[variant_of(lab, lesson)]
    if lab.dtype != variant.dtype or not is_own(lab, lesson):
        return False
    if variant.training is None:
        return True
    training, graph = own(lab), still(graph_of(variant))
    made = training.course.phases if training and training.course else ()
    as_own = all((phase.settings, phase.graph) == (variant.training.settings, graph) for phase in made)
    return as_own and lab.plan.settings == variant.training.settings


def _claim_on_canvas(finding: Finding, lab: Lab, view: LabView) -> ClaimView:
    """Return the view of a claim with the number on the canvas, if it is about what the canvas shows."""
    claim, as_it_was = finding.claim, _claim(finding)
    # A claim about a later step, or about a divided training, can be tried at that step alone.
    of_training = claim.quantity in SPLIT or claim.at != 0
    if of_training and (view.moment is None or claim.at != view.moment.step):
        return as_it_was
    trace = None if live(lab) else view.trace  # numbers that change by themselves prove nothing
    now = trace and check_on(finding, trace)
    if now is None:
        return as_it_was
    shown = _claim(now)
    return shown if now.holds else replace(as_it_was, now=shown.computed)


def _claim(finding: Finding) -> ClaimView:
    """Return the view of a finding."""
    claim = finding.claim
    if finding.computed.size > IN_FULL and claim.quantity != "runs":
        number, expected = _at_a_glance(finding)
    else:
        number, expected = (written(claim, numbers) for numbers in (finding.computed, finding.expected))
    if isinstance(claim.expected, Law):
        expected = f"{claim.expected.formula} = {expected}"
    state = HOLDS if finding.holds else FAILS
    return ClaimView(claim.says, number, expected, closely(claim, finding.expected), claim.source, state)


def closely(claim: Claim, expected: np.ndarray) -> str:
    """Return the tolerance of a claim as text."""
    if not allowed(claim, expected).any():
        return "exactly"
    return f"to {claim.digits} digits" if claim.within is None else f"within {scalar(claim.within)}"


def _at_a_glance(finding: Finding) -> tuple[str, str]:
    """Return (found, expected) for many numbers: the first, their count, and the largest difference."""
    first = f"{exact(finding.computed.ravel()[0])}, \u2026 ({finding.computed.size} numbers"
    wanted = f"{exact(finding.expected.ravel()[0])}, \u2026"
    if finding.computed.shape != finding.expected.shape:
        return f"{first})", wanted
    apart = np.abs(finding.computed.astype(np.float64) - finding.expected.astype(np.float64)).max()
    differ = f"at most {short(apart)} off" if apart else "the same to the last digit"
    return f"{first}, {differ})", wanted


def written(claim: Claim, numbers: np.ndarray) -> str:
    """Return numbers with all digits; runs in words, contributions at a fork as a sum."""
    parts = [exact(number) for number in numbers.ravel()]
    if claim.quantity == "runs":
        steps = f", in each of {len(claim.at)} steps" if isinstance(claim.at, range) else ""
        return "{} forward, {} backward, {} needed".format(*parts) + steps
    if claim.quantity == "added":
        first, *rest = parts  # such as 2 + (−6): a negative term is in brackets
        return " + ".join([first, *(f"({term})" if term.startswith(MINUS) else term for term in rest)])
    return parts[0] if numbers.ndim == 0 else f"[{', '.join(parts)}]"


# The lesson that is open.


@dataclass(frozen=True, slots=True)
class LessonView:
    """View of the open lesson.

    Attributes:
      key: key of the lesson.
      track: title of the path that is followed, otherwise of its track.
      place: where on the path it is, such as "2 of 3"; "" without a path.
      page: address of the page of the path, or of all lessons.
      title, text: its texts, which no question of it waits for; on another graph the text names the first,
        of which it speaks.
      variants: titles of its graphs.
      variant: index of the open graph.
      about: what the open graph shows, in Markdown; "" if the lesson has no other.
      words: of the glossary, those that text and `about` have; none that an open question could have as its
        answer.
      code, sources: the first graph as people write it, and threads and papers in Markdown; empty until
        what is asked has been answered, since they may have the number.
      changed: whether graph or seed differ from the lesson's, or something has been answered; positions
        do not count.
      before, after: keys of the neighbours on the path, otherwise in its track; None at the ends.
      after_title: title of the next lesson, "" at the end.
    """

    key: str
    track: str
    place: str
    page: str
    title: str
    text: str
    variants: tuple[str, ...]
    variant: int
    about: str
    words: tuple[str, ...]
    code: str
    sources: tuple[str, ...]
    changed: bool
    before: str | None
    after: str | None
    after_title: str


def open_lesson(lab: Lab, key: str, variant: int = 0) -> Lab:
    """Open a graph of a lesson; undo returns to the present graph. An unknown lesson changes nothing."""
    lesson = gallery.lesson(key)
    if lesson is None:
        return lab
    variant = variant_of(replace(lab, variant=variant), lesson)
    after = replace(open_step(lab, lesson, variant, f"Lesson: {lesson.title}"), lesson=key, variant=variant)
    for name, value in _aims(lesson, variant):
        low, high = slider_range(after, name)
        if not low <= value <= high:  # a finger reaches it too
            after = replace(after, ranges=(*after.ranges, (name, *round_range(value))))
    if not lesson.steps[variant].pinned and _pins(lab):
        present = after.history.present._replace(pinned=None)
        after = replace(after, history=replace(after.history, present=present))
    return with_answers(after, [*(old for _, old in lab.aside), lab])


def _aims(lesson: Lesson, variant: int) -> list[tuple[str, float]]:
    """Return the inputs of a graph whose sliders the exercises move, with the values to reach."""
    edits = [
        edit
        for item in lesson.to_try
        for part in item.parts
        if part.variant == variant
        for edit in part.edits
    ]
    slid = [each for each in edits if each["kind"] == "slide" and not each.get("any")]
    return [(each["name"], float(each["value"])) for each in slid]


def _pins(lab: Lab) -> bool:
    """Return whether the open graph of the open lesson came with another one pinned beside it.

    That one goes with its graph, flipped or moved by a slider as it may be by now; undo brings it back.
    """
    lesson = gallery.lesson(lab.lesson)
    return lesson is not None and bool(lesson.steps[variant_of(lab, lesson)].pinned)


def restart_lesson(lab: Lab, key: str, variant: int = 0) -> Lab:
    """Open a graph of a lesson as if nothing had been answered yet."""
    return open_lesson(replace(lab, aside=(), asking=None), key, variant)


def with_answers(lab: Lab, before: Iterable[Lab]) -> Lab:
    """Return the lab with the answers that have been given to its questions in these states of the lesson.

    So a visitor who goes from graph to graph, or does an exercise, is not asked again.
    """
    if lab.asking is None:
        return lab
    known = {
        (asked.question, asked.of): asked
        for old in before
        if old.lesson == lab.lesson and old.asking is not None
        for asked in old.asking.asked
        if asked.revealed
    }
    asked = tuple(known.get((one.question, numbers_key(lab, one.question)), one) for one in lab.asking.asked)
    return replace(lab, asking=replace(lab.asking, asked=asked))


def own_asking(lab: Lab) -> Asking | None:
    """Return what the open graph of the open lesson asks as it opens; None if it asks nothing."""
    lesson = gallery.lesson(lab.lesson)
    step = lesson.steps[variant_of(lab, lesson)] if lesson else None
    if step is None or not (step.questions or step.hides):
        return None
    return Asking(step.hides or ASKED_ALONE, tuple(map(Asked, step.questions)))


def open_variant(lab: Lab, key: str, variant: int) -> Lab:
    """Open a graph of a lesson unless it is open already, since a widget may repeat its value."""
    return lab if (lab.lesson, lab.variant) == (key, variant) else open_lesson(lab, key, variant)


def close_lesson(lab: Lab) -> Lab:
    """Close the lesson, and leave its path; the graph stays. What the lesson asks is asked no longer."""
    of_lesson = lab.asking is not None and lab.asking.unanswered == own_asking(lab)
    return replace(lab, lesson=None, variant=0, path=None, asking=None if of_lesson else lab.asking)


def lesson_view(lab: Lab) -> LessonView | None:
    """Return the view of the open lesson; None if there is none or an address has an unknown key."""
    lesson = gallery.lesson(lab.lesson)
    if lesson is None:
        return None
    variant, is_told = variant_of(lab, lesson), is_answered(lab)
    track, path = gallery.track_of(lesson), path_on_view(lab)
    row = track.lessons if path is None else [each for sitting in path.lessons for each in sitting]
    at = row.index(lesson)
    before = row[at - 1] if at else None
    after = row[at + 1] if at + 1 < len(row) else None
    about = words_on_view(lab, lesson.steps[variant])
    possible = _possible_words(lab)
    return LessonView(
        key=lesson.key,
        track=path.title if path else track.title,
        place=f"{at + 1} of {len(row)}" if path else "",
        page=path.page if path else f"./{PAGE}",
        title=lesson.title,
        text=f"Of the first graph, {lesson.steps[0].title}:\n\n{lesson.text}" if variant else lesson.text,
        variants=tuple(v.title for v in lesson.steps),
        variant=variant,
        about=about,
        words=tuple(word for word in words_in(f"{lesson.text}\n{about}") if word not in possible),
        code=lesson.code if is_told else "",
        sources=lesson.sources if is_told else (),
        changed=not is_own(lab, lesson)
        or (lab.asking is not None and any(a.tries for a in lab.asking.asked)),
        before=before and before.key,
        after=after and after.key,
        after_title=after.title if after else "",
    )


def _possible_words(lab: Lab) -> set[str]:
    """Return the words of the glossary that open questions could have as an answer, right or wrong."""
    asked = lab.asking.asked if lab.asking else ()
    waiting = [each.question for each in asked if not each.revealed]
    answers = [option for question in waiting for option in question.options]
    answers += ["NaN" for question in waiting if question.kind in (NUMBER, ZERO, SIGN)]
    return {word for answer in answers for word in words_in(answer)}


def path_on_view(lab: Lab) -> Path | None:
    """Return the path that the open lesson is on; None if none is followed, or the lesson is beside it."""
    return lab.path if lab.path and lab.lesson in lab.path.keys else None


def lesson_data(lab: Lab) -> dict[str, Any] | None:
    """Return the open lesson in the format of web/lesson: its words, its graphs and what shows the answer."""
    view, lesson = lesson_view(lab), gallery.lesson(lab.lesson)
    if view is None or lesson is None:
        return None
    return {
        "key": view.key,
        "title": view.title,
        "text": view.text,
        "variants": list(view.variants),
        "variant": view.variant,
        "reveal": lesson.steps[view.variant].reveal or PLAY,
        "place": f"{view.track} \u00b7 {view.place}" if view.place else None,
        "page": view.page,
        "after": view.after,
    }
