"""The lessons in the order in which they are taught. A new lesson is a file and a line here."""

from __future__ import annotations

from autodiff_viz.lessons import (
    checkpointing,
    declare_derivative,
    derivative_surgery,
    fork,
    forward_backward,
    two_stops,
    without_derivative,
)
from autodiff_viz.lessons.record import Lesson

LESSONS: tuple[Lesson, ...] = (
    fork.LESSON,
    without_derivative.LESSON,
    derivative_surgery.LESSON,
    declare_derivative.LESSON,
    forward_backward.LESSON,
    two_stops.LESSON,
    checkpointing.LESSON,
)


def lesson(key: str | None) -> Lesson | None:
    """The lesson of that key. None when there is none: keys come from addresses."""
    return next((lesson for lesson in LESSONS if lesson.key == key), None)
