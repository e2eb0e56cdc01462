"""List the lessons in teaching order: to add one, add a file and a line here; contributed tours come last."""

from __future__ import annotations

from autodiff_viz.lessons import (
    checkpointed_cnn,
    checkpointing,
    contributed,
    declare_derivative,
    derivative_surgery,
    fork,
    forward_backward,
    gated_transformer,
    one_neuron,
    split_cnn,
    split_model,
    two_stops,
    without_derivative,
    xor_broadcast,
    xor_tutorial,
)
from autodiff_viz.lessons.lesson import Lesson

CONTRIBUTED: tuple[Lesson, ...] = contributed.lessons()
"""Lessons that are a file of the page's own export; they need no claims and no picture."""

LESSONS: tuple[Lesson, ...] = (
    one_neuron.LESSON,
    fork.LESSON,
    without_derivative.LESSON,
    derivative_surgery.LESSON,
    xor_broadcast.LESSON,
    xor_tutorial.LESSON,
    declare_derivative.LESSON,
    forward_backward.LESSON,
    two_stops.LESSON,
    checkpointing.LESSON,
    gated_transformer.LESSON,
    split_model.LESSON,
    checkpointed_cnn.LESSON,
    split_cnn.LESSON,
    *CONTRIBUTED,
)


def lesson(key: str | None) -> Lesson | None:
    """Return the lesson with that key; None when there is none, since keys come from URLs."""
    return next((lesson for lesson in LESSONS if lesson.key == key), None)
