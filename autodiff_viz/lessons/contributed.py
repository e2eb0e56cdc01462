"""Read the lessons that are files of the page's own export: a tour saved as JSON and put into `tours`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lessons.codec import as_lesson, read_tour
from autodiff_viz.lessons.lesson import Lesson

FOLDER = Path(__file__).parent / "tours"


def lessons(folder: Path = FOLDER) -> tuple[Lesson, ...]:
    """Return the lessons of a folder, by the names of their files.

    A tour becomes a lesson whose key is the name of its file; a document that has a key keeps it.

    Raises:
      GraphError: a file holds no tour, or one without steps; the message names the file.
    """
    return tuple(map(_lesson, sorted(folder.glob("*.json"))))


def _lesson(path: Path) -> Lesson:
    try:
        tour = read_tour(path.read_text("utf-8"))
        return tour if isinstance(tour, Lesson) else as_lesson(tour, path.stem)
    except GraphError as error:
        first = error.problems[0]
        raise GraphError(replace(first, message=f"{path.name}: {first.message}")) from error
