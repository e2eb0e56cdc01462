"""Read lessons that others put into a folder: Markdown, or tours that the page has saved as JSON."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lessons.codec import as_lesson, read_tour
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.lessons.text import read_lesson

FOLDER = Path(__file__).parent / "tours"
OWN_FOLDER = "AUTODIFF_VIZ_LESSONS"
"""Variable with the folder of lessons that whoever runs the server adds; none unless set."""


def lessons(folder: Path = FOLDER) -> tuple[Lesson, ...]:
    """Return the lessons of a folder, by the names of their files.

    The key of a lesson is the name of its file; a JSON document that has a key keeps it.

    Raises:
      GraphError: files hold no lesson; there is a problem for each, which names it.
    """
    found, problems = [], []
    for path in sorted([*folder.glob("*.json"), *folder.glob("*.md")]):
        try:
            found.append(_lesson(path))
        except GraphError as error:
            problems += error.problems
    if problems:
        raise GraphError(problems)
    return tuple(found)


def own_lessons(taken: Collection[str]) -> tuple[Lesson, ...]:
    """Return the lessons of the folder that the environment names.

    Args:
      taken: keys of other lessons.
    Raises:
      GraphError: there is no such folder, a file of it is refused, or a key is taken.
    """
    named = os.environ.get(OWN_FOLDER, "").strip()
    if not named:
        return ()
    if not Path(named).is_dir():
        message = f"{OWN_FOLDER} is {named!r}, and there is no such folder."
        raise GraphError(Problem("no-folder", message, "Name a folder with lessons as .md or .json files."))
    found: dict[str, Lesson] = {}
    for lesson in lessons(Path(named)):
        if lesson.key in taken or lesson.key in found:
            message = f"{named} has a lesson with the key {lesson.key!r}, which another lesson has."
            raise GraphError(Problem("key-taken", message, 'Write another "key", or rename the file.'))
        found[lesson.key] = lesson
    return tuple(found.values())


def _lesson(path: Path) -> Lesson:
    try:
        text = path.read_text("utf-8")
        if path.suffix == ".md":
            return read_lesson(text, path.stem)
        tour = read_tour(text)
        return tour if isinstance(tour, Lesson) else as_lesson(tour, path.stem)
    except GraphError as error:
        raise GraphError(replace(error.problems[0], file=path.name)) from error
    except (OSError, UnicodeDecodeError) as error:
        problem = Problem("unreadable", f"{error}.", "Save it as a text file in UTF-8.", file=path.name)
        raise GraphError(problem) from error
