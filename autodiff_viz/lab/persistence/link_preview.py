"""Describe links as chats and search engines show them: title, description and picture."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.short_text import FORMULA
from autodiff_viz.graph.text import well_formed
from autodiff_viz.lab.persistence.address import GALLERY, GRAPH, KEPT, LESSON, VIEW
from autodiff_viz.lessons.codec import TOUR, document_of
from autodiff_viz.lessons.gallery import LESSONS, SERVED
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.lessons.paths import path_of
from autodiff_viz.lessons.search import meant

NAME = "autodiff_viz"


@dataclass(frozen=True, slots=True)
class Preview:
    """Preview of a link.

    Attributes:
      title, description: plain text.
      picture: name of the picture, without its file extension.
      address: canonical path and query; None for a visitor's own graph, whose only address is the whole link.
    """

    title: str
    description: str
    picture: str
    address: str | None


PAGES: Mapping[str, Preview] = {
    "/": Preview(
        f"{NAME}: a lab for automatic differentiation",
        "Compose a small graph, bend its gradients, and see every value, every cotangent and every "
        "recomputation that JAX computes. No code to write.",
        "lab",
        "/",
    ),
    f"/{GALLERY}": Preview(
        f"Lessons · {NAME}",
        f"{len(LESSONS)} questions about gradients that people really ask: say first what you expect, then "
        "see it run and bend it.",
        GALLERY,
        f"/{GALLERY}",
    ),
}
"""Previews of the pages, by path."""

OWN_GRAPH = Preview(
    f"A computation graph · {NAME}",
    "Open it to see every value, every cotangent and every recomputation that JAX computes, and to bend its "
    "gradients yourself.",
    "lab",
    None,
)


OWN_TOUR = replace(
    OWN_GRAPH,
    title=f"A tour of computation graphs · {NAME}",
    description="Graphs to go through one by one, each with all values and cotangents that JAX computes.",
)


def preview(path: str, query: Mapping[str, str]) -> Preview:
    """Return the preview of an address. A lesson whose graph has been changed keeps the lesson's preview."""
    if query.get(VIEW) == GALLERY:
        path = f"/{GALLERY}"
    if path == f"/{GALLERY}" and (way := path_of(query)):
        return replace(PAGES[path], title=f"{way.title} \u00b7 {NAME}", description=way.summary)
    if path != "/":
        return PAGES[path]
    own = any(query.get(key) for key in (GRAPH, FORMULA, KEPT))
    opened = meant(query.get(LESSON)).lesson
    if opened is None and query.get(TOUR):
        return of_tour(query[TOUR])
    if opened is None:
        return OWN_GRAPH if own else PAGES[path]
    return replace(of_lesson(opened), address=None) if own else of_lesson(opened)


def of_lesson(lesson: Lesson) -> Preview:
    """Return the preview of a lesson."""
    return Preview(f"{lesson.title} · {NAME}", lesson.summary, lesson.key, f"/?{LESSON}={lesson.key}")


TITLE, WORDS = 90, 200  # characters that are shown of a tour's title and of its words


def of_tour(payload: str) -> Preview:
    """Return the preview of a visitor's tour: its title, and its summary or the titles of its steps.

    Args:
      payload: of the address. Untrusted; of one that cannot be read the preview is that of any tour.
    """
    try:
        found = json.loads(document_of(payload)) if len(payload) <= limits.LINK else None
        title, summary = str(found["title"]), str(found.get("summary", ""))
        titles = [str(step["title"]) for step in found["steps"][: limits.TOUR_STEPS]]
    except (GraphError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return OWN_TOUR
    count = f"{len(titles)} {'step' if len(titles) == 1 else 'steps'}"
    words = summary or f"{count}: {', '.join(filter(None, titles))}."
    return replace(
        OWN_TOUR, title=f"{_cut(title, TITLE) or 'A tour'} · {NAME}", description=_cut(words, WORDS)
    )


def _cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters on one line."""
    line = " ".join(well_formed(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


PREVIEWS = (*PAGES.values(), *map(of_lesson, SERVED))
"""All previews with an address of their own."""
