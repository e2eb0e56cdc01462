"""Write the pages of lessons: what is asked, a figure that asks it, and what is told after the answer."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from urllib.parse import urlencode

from autodiff_viz.canvas.sketch import svg
from autodiff_viz.lab.persistence.address import GALLERY, LESSON
from autodiff_viz.lessons.gallery import LESSONS, TRACKS, lesson, track_of
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.standalone.page import html_of
from autodiff_viz.standalone.posters import states_of
from autodiff_viz.ui.server.lessons_page import sketch_of
from website.after import Tree, after, code, element, inline
from website.pages import Page, framed

TOP = "Lessons"
WAIT = "Exercises, the code as people write it, and sources follow once you have answered in the figure."


def lesson_page(shown: Lesson, lab: str) -> Page:
    """Return the page of a lesson with its figure.

    Args:
      lab: address of the lab, "" without one.
    """
    figure = html_of(states_of(shown.key, lab, stands_alone=False), lab, False, shown.title, shared="")
    return Page(
        path_of(shown),
        shown.title,
        lesson_text(shown, lab),
        shown.summary,
        shown.key,
        {f"figures/{shown.key}.html": figure},
        hide=("toc",),
        section=(TOP, track_of(shown).title),
        label=shown.title,
    )


def path_of(shown: Lesson) -> str:
    """Return the path of a lesson's page."""
    return f"lessons/{shown.key}.md"


def lesson_text(shown: Lesson, lab: str) -> str:
    """Return what a lesson's page says, with the frame of its figure; what has the answer is packed."""
    facts = [f"Level {shown.level} of 3"]
    if shown.minutes:
        facts.append(f"{shown.minutes} minutes")
    before = [f"[{found.title}]({key}.md)" for key in shown.after if (found := lesson(key))]
    also = f"Also asked as: {', '.join(shown.found_by)}." if shown.found_by else ""
    body = [
        f'<p class="av-facts">{" · ".join(map(escape, facts))}</p>',
        shown.summary,
        shown.text,
        next((f"**{one.words}**" for step in shown.steps for one in step.questions if one.words), ""),
        framed(shown.key, shown.title, path_of(shown), tall=True),
        after(list(_told(shown, lab)), WAIT),
        f"Before this one: {', '.join(before)}." if before else "",
        f'<p class="av-facts">{escape(also)}</p>' if also else "",
    ]
    return "\n\n".join(filter(None, body))


def _told(shown: Lesson, lab: str) -> Iterator[Tree]:
    """Yield what a lesson tells after its answer."""
    if shown.code:
        yield element("h2", "As people write it")
        yield code(shown.code)
    yield element("h2", "Try it in the lab")
    yield element("ol", *(element("li", *inline(each.says)) for each in shown.to_try))
    if lab:
        address = f"{lab}?{urlencode({LESSON: shown.key})}"
        yield element("p", element("a", "Open this lesson in the lab", href=address, class_="md-button"))
    if shown.sources:
        yield element("h2", "Where it comes from")
        yield element("ul", *(element("li", *inline(each)) for each in shown.sources))


def lessons_index() -> Page:
    """Return the list of all lessons, by track, with a sketch of each."""
    parts = [
        f"{len(LESSONS)} questions about gradients that people really ask. Say first what you expect; the "
        "figure answers, and names what was overlooked."
    ]
    for track in TRACKS:
        cards = "".join(
            f'<li><a href="{each.key}.md">{svg(sketch_of(each))}<span>{escape(each.title)}</span></a></li>'
            for each in track.lessons
        )
        parts += [f"## {track.title}", track.summary, f'<ul class="av-cards">{cards}</ul>']
    about = f"{len(LESSONS)} short lessons on automatic differentiation, each a question with a live figure."
    return Page(
        "lessons/index.md",
        "Questions about gradients",
        "\n\n".join(parts),
        about,
        GALLERY,
        section=(TOP,),
        is_searched=False,
    )
