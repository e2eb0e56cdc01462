"""Make the figure of a lesson, which a full server shows in place of the page."""

from __future__ import annotations

import os
import re
from pathlib import Path

from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import start
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.standalone.data import Made, Words, state_of
from autodiff_viz.standalone.page import html_of, unmarked
from autodiff_viz.workers.disk_cache import keep

FIGURES = "AUTODIFF_VIZ_FIGURES"
"""Folder with the figures of lessons, as standalone/export.py has written them; none unless set."""

HERE = "./"  # the address of the lab, from the page of a lesson
BODY = "<body>"


def make_poster(key: str, directory: str | None, name: bytes) -> str:
    """Make the figure of the lesson `key` and cache it; runs in a worker process.

    Args:
      directory: of the persistent cache, None without one.
      name: key in the cache.
    Returns:
      The text of the file, in which each graph of the lesson is a step.
    """
    text = html_of(states_of(key), HERE, False, lesson(key).title)
    keep(directory and Path(directory), name, text)
    return text


def states_of(key: str, base: str = HERE, stands_alone: bool = True) -> list[Made]:
    """Return the graphs of the lesson `key`, each as a step of its figure.

    Args:
      base: address of the lab, "" if it is not known.
      stands_alone: whether the figure says what the lesson says; otherwise a page around it does, and the
        figure has what belongs to each graph.
    """
    shown = lesson(key)
    made = []
    for at, step in enumerate(shown.steps):
        lab = open_lesson(start(), key, at)
        # The text of a step may name the answers.
        before = (shown.text, step.caption) if stands_alone else (step.caption,)
        asked = "\n\n".join(filter(None, before)) if lab.asking else ""
        told = "\n\n".join(filter(None, (asked, step.text))) or (shown.summary if stands_alone else "")
        title = f"{shown.title}: {step.title}" if stands_alone else step.title
        words = Words(title, unmarked(asked if lab.asking else told), unmarked(told))
        made.append(state_of(lab, base, False, words))
    return made


def kept_poster(key: str) -> str | None:
    """Return the figure of a lesson that was written ahead; None if there is none."""
    folder = os.environ.get(FIGURES, "").strip()
    try:
        text = (Path(folder) / f"{key}.html").read_text("utf-8") if folder else ""
    except OSError:
        return None
    return _NOTICE.sub("", text, count=1) or None


_NOTICE = re.compile(r'<p class="full".*?</p>', re.DOTALL)


def with_notice(poster: str, sentence: str) -> str:
    """Return the file with a sentence above the figure: why it is shown, and how to try again."""
    notice = (
        f'<p class="full" role="status">{sentence} This figure of the lesson works without it. '
        '<a href="">Try again</a></p>'
    )
    before, body, after = poster.partition(BODY)
    return f"{before}{body}{notice}{after}"
