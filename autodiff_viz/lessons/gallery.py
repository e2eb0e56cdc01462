"""List the tracks, and in each the lessons in teaching order; contributed tours come last.

To add a lesson, add a file in the folder of its track and a line here.
"""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.lessons import contributed
from autodiff_viz.lessons.documents import (
    checkpointed_cnn,
    gated_transformer,
    split_cnn,
    split_model,
    xor_tutorial,
)
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.lessons.recomputation import budget, checkpointing, last_stage, mask_again, nested, scan
from autodiff_viz.lessons.rules import (
    adjoint,
    declare_derivative,
    hvp,
    implicit,
    maml,
    penalty,
    product_rule,
    reversal,
    rows_or_columns,
    second,
)
from autodiff_viz.lessons.start import fork, neuron, two_knobs, xor_broadcast
from autodiff_viz.lessons.stops import forward_backward, surgery, two_stops, without_derivative


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


CONTRIBUTED: tuple[Lesson, ...] = contributed.lessons()
"""Lessons that are a file of the page's own export; they need no claims, no questions and no picture."""

TRACKS: tuple[Track, ...] = (
    Track(
        "start",
        "Start here",
        "What arrives at a knob, and why: eight questions that all others build on.",
        (
            two_knobs.LESSON,
            fork.LESSON,
            xor_broadcast.LESSON,
            neuron.LESSON,
        ),
    ),
    Track(
        "zero_and_nan",
        "Zero and NaN",
        "A gradient that is 0, or no number, has a place where it became so.",
        (),
    ),
    Track(
        "stops",
        "Where the stop goes",
        "The same values, another gradient: what a stop cuts, and where it belongs.",
        (
            without_derivative.LESSON,
            surgery.LESSON,
            forward_backward.LESSON,
            two_stops.LESSON,
        ),
    ),
    Track(
        "steps",
        "Through a step",
        "Rounding, choosing, drawing: training through what has no slope.",
        (),
    ),
    Track(
        "losses",
        "Losses and steps",
        "Which loss sends what back, and how far one step goes.",
        (),
    ),
    Track(
        "networks",
        "Networks",
        "Layers, batches and depth: what reaches which weight.",
        (),
    ),
    Track(
        "rules",
        "Rules and second order",
        "Derivatives that are declared, and gradients of gradients.",
        (
            declare_derivative.LESSON,
            reversal.LESSON,
            adjoint.LESSON,
            rows_or_columns.LESSON,
            second.LESSON,
            penalty.LESSON,
            product_rule.LESSON,
            hvp.LESSON,
            maml.LESSON,
            implicit.LESSON,
        ),
    ),
    Track(
        "recomputation",
        "Recomputation",
        "What is kept for the way back, and what runs again.",
        (
            checkpointing.LESSON,
            last_stage.LESSON,
            scan.LESSON,
            budget.LESSON,
            nested.LESSON,
            mask_again.LESSON,
        ),
    ),
    Track(
        "documents",
        "From the documents",
        "Five programs that people wrote and asked about, with their own numbers.",
        (
            xor_tutorial.LESSON,
            checkpointed_cnn.LESSON,
            gated_transformer.LESSON,
            split_model.LESSON,
            split_cnn.LESSON,
        ),
    ),
)

LESSONS: tuple[Lesson, ...] = (*(one for track in TRACKS for one in track.lessons), *CONTRIBUTED)


def lesson(key: str | None) -> Lesson | None:
    """Return the lesson with that key; None when there is none, since keys come from URLs."""
    return next((lesson for lesson in LESSONS if lesson.key == key), None)
