"""Show the lessons: cards for the gallery, and the open lesson beside the lab."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autodiff_viz.graph.edits.node_edits import with_positions
from autodiff_viz.graph.model import Graph
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.findings_codec import Proof
from autodiff_viz.lessons.gallery import LESSONS, lesson
from autodiff_viz.lessons.record import Lesson, Variant
from autodiff_viz.views.canvas.collapsed_groups import folded_places
from autodiff_viz.views.lab import Lab, opened
from autodiff_viz.views.lessons.claims import ClaimView, is_own, own_claims, variant_of
from autodiff_viz.views.training.record import Plan


@dataclass(frozen=True, slots=True)
class Card:
    """View of a lesson in the gallery.

    Attributes:
      key: key of the lesson.
      number: its place among the lessons, from 1.
      title, summary: its texts.
      graphs: (title, claims), in the lesson's order; without claims while they are not computed.
    """

    key: str
    number: int
    title: str
    summary: str
    graphs: tuple[tuple[str, tuple[ClaimView, ...]], ...]

    @property
    def claims(self) -> tuple[ClaimView, ...]:
        """The claims of all graphs."""
        return tuple(claim for _, claims in self.graphs for claim in claims)


@dataclass(frozen=True, slots=True)
class LessonView:
    """View of the open lesson.

    Attributes:
      key: key of the lesson.
      place: "Lesson 3 of 7".
      title, text: its texts.
      variants: titles of its graphs.
      variant: index of the open graph.
      about: what the open graph shows, in Markdown; "" if the lesson has no other.
      changed: whether graph or seed differ from the lesson's; positions do not count.
      before, after: keys of the neighbours, None at the ends.
      after_title: title of the next lesson, "" at the end.
    """

    key: str
    place: str
    title: str
    text: str
    variants: tuple[str, ...]
    variant: int
    about: str
    changed: bool
    before: str | None
    after: str | None
    after_title: str


def card(found: Lesson, proof: Proof | None) -> Card:
    """Return the card of a lesson, without its claims while there is no `proof` of them."""
    shown = [own_claims(own) for own in proof] if proof else [()] * len(found.variants)
    groups = tuple((variant.title, claims) for variant, claims in zip(found.variants, shown, strict=True))
    return Card(found.key, LESSONS.index(found) + 1, found.title, found.summary, groups)


def open_lesson(lab: Lab, key: str, variant: int = 0) -> Lab:
    """Open a graph of a lesson; undo returns to the present graph. An unknown lesson changes nothing."""
    found = lesson(key)
    if found is None:
        return lab
    variant = variant_of(replace(lab, variant=variant), found)
    chosen = found.variants[variant]
    after = opened(lab, _laid_out(chosen), f"Lesson: {found.title}")
    if chosen.training:
        after = replace(after, plan=Plan(chosen.training, chosen.steps))
    return replace(
        after,
        lesson=key,
        variant=variant,
        seed=chosen.seed,
        figure=found.figure,
        selected=chosen.look_at,
        collapsed=frozenset(chosen.collapsed),
    )


def _laid_out(variant: Variant) -> Graph:
    """Return the graph of a variant; with collapsed groups its nodes are placed around their cards."""
    graph = graph_of(variant)
    if not variant.collapsed:
        return graph
    return with_positions(graph, folded_places(graph, variant.collapsed))


def open_variant(lab: Lab, key: str, variant: int) -> Lab:
    """Open a graph of a lesson unless it is open already, since a widget may repeat its value."""
    return lab if (lab.lesson, lab.variant) == (key, variant) else open_lesson(lab, key, variant)


def close_lesson(lab: Lab) -> Lab:
    """Close the lesson; its graph stays."""
    return replace(lab, lesson=None, variant=0)


def lesson_view(lab: Lab) -> LessonView | None:
    """Return the view of the open lesson; None if there is none or an address has an unknown key."""
    found = lesson(lab.lesson)
    if found is None:
        return None
    at, variant = LESSONS.index(found), variant_of(lab, found)
    keys = (None, *(other.key for other in LESSONS), None)
    return LessonView(
        key=found.key,
        place=f"Lesson {at + 1} of {len(LESSONS)}",
        title=found.title,
        text=found.text,
        variants=tuple(v.title for v in found.variants),
        variant=variant,
        about=found.variants[variant].text,
        changed=not is_own(lab, found),
        before=keys[at],
        after=keys[at + 2],
        after_title=LESSONS[at + 1].title if at + 1 < len(LESSONS) else "",
    )
