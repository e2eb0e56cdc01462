"""List the tracks, and in each the lessons in teaching order; lessons that others have made come last.

To add a lesson, add a file in the folder of its track and its name in `tracks.toml`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lessons import contributed
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.lessons.text import read_lesson

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Track:
    """A series of lessons.

    Attributes:
      key: its name in links and in `Lesson.track`; it never changes.
      title: a few words.
      summary: one sentence, for the page of lessons.
      lessons: in teaching order.
    """

    key: str
    title: str
    summary: str
    lessons: tuple[Lesson, ...]


def _tracks() -> tuple[Track, ...]:
    """Read the lessons of the project. Their graphs are not checked here: every test of a lesson does."""
    tracks = []
    for each in tomllib.loads((FOLDER / "tracks.toml").read_text("utf-8"))["track"]:
        files = [FOLDER / each["key"] / f"{key}.md" for key in each["lessons"]]
        read = [read_lesson(file.read_text("utf-8"), file.stem, each["key"], is_known=True) for file in files]
        tracks.append(Track(each["key"], each["title"], each["summary"], tuple(read)))
    return tuple(tracks)


TRACKS: tuple[Track, ...] = _tracks()

CONTRIBUTED: tuple[Lesson, ...] = contributed.lessons()
"""Lessons that are a file of the page's own export; they need no claims, no questions and no picture."""

LESSONS: tuple[Lesson, ...] = (*(one for track in TRACKS for one in track.lessons), *CONTRIBUTED)
"""The lessons of the project."""


def _own() -> tuple[tuple[Lesson, ...], str]:
    """Return the server's own lessons, or why there are none in words."""
    try:
        return contributed.own_lessons({each.key for each in LESSONS}), ""
    except GraphError as error:  # an import says nothing: `check_own` does, where a server starts
        return (), str(error)


OWN, _REFUSED = _own()
"""Lessons of the folder that `AUTODIFF_VIZ_LESSONS` names."""

SERVED: tuple[Lesson, ...] = (*LESSONS, *OWN)
"""All lessons that have a page here."""

ADDED: tuple[Track, ...] = (
    Track("contributed", "Contributed", "Tours that others have made.", CONTRIBUTED),
    Track("own", "Lessons of this server", "Added by whoever runs it.", OWN),
)
"""Lessons that are files, as tracks after the others."""


def check_own() -> None:
    """End the process in words, without a traceback, where the server's own lessons are refused."""
    if _REFUSED:
        raise SystemExit(f"The server's own lessons cannot be read.\n{_REFUSED}")


def lesson(key: str | None) -> Lesson | None:
    """Return the lesson with that key; None when there is none, since keys come from URLs."""
    return next((lesson for lesson in SERVED if lesson.key == key), None)


def track_of(found: Lesson) -> Track:
    """Return the track of a lesson."""
    return next(track for track in (*TRACKS, *ADDED) if found in track.lessons)
