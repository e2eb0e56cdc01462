"""List the tracks, and in each the lessons in teaching order; lessons that are files come last.

To add a lesson, add a file in the folder of its track and a line here.
"""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lessons import contributed
from autodiff_viz.lessons.documents import (
    checkpointed_cnn,
    gated_transformer,
    split_cnn,
    split_model,
    xor_tutorial,
)
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.lessons.losses import (
    accumulate,
    adam_first,
    clip,
    distil,
    half,
    min_max,
    mse_sigmoid,
    p_minus_y,
    step_size,
    zero_grad,
)
from autodiff_viz.lessons.networks import (
    bias_sum,
    embedding,
    matmul,
    residual,
    root_d,
    vanish,
    zero_start,
)
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
from autodiff_viz.lessons.start import (
    branch_nan,
    fork,
    gets_nothing,
    loss_zero,
    neuron,
    twins,
    two_knobs,
    xor_broadcast,
)
from autodiff_viz.lessons.steps import gumbel, lsq, reinforce, ste, top1, vq
from autodiff_viz.lessons.stops import (
    bptt,
    dqn_target,
    forward_backward,
    gan_detach,
    hidden_stop,
    simsiam,
    surgery,
    td_target,
    two_stops,
    without_derivative,
)
from autodiff_viz.lessons.zero_and_nan import (
    accuracy,
    cancels,
    clip_nan,
    corner,
    guard,
    mask_nan,
    nan_from,
    norm_zero,
    softplus_corner,
    two_frameworks,
)


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
        "What arrives at an input, and why: eight questions that all others build on.",
        (
            two_knobs.LESSON,
            fork.LESSON,
            twins.LESSON,
            loss_zero.LESSON,
            branch_nan.LESSON,
            xor_broadcast.LESSON,
            neuron.LESSON,
            gets_nothing.LESSON,
        ),
    ),
    Track(
        "zero_and_nan",
        "Zero and NaN",
        "A gradient that is 0, or no number, has a place where it became so.",
        (
            accuracy.LESSON,
            cancels.LESSON,
            corner.LESSON,
            two_frameworks.LESSON,
            softplus_corner.LESSON,
            norm_zero.LESSON,
            clip_nan.LESSON,
            nan_from.LESSON,
            guard.LESSON,
            mask_nan.LESSON,
        ),
    ),
    Track(
        "stops",
        "Where the stop goes",
        "The same values, another gradient: what a stop cuts, and where it belongs.",
        (
            without_derivative.LESSON,
            surgery.LESSON,
            hidden_stop.LESSON,
            td_target.LESSON,
            dqn_target.LESSON,
            gan_detach.LESSON,
            simsiam.LESSON,
            bptt.LESSON,
            forward_backward.LESSON,
            two_stops.LESSON,
        ),
    ),
    Track(
        "steps",
        "Through a step",
        "Rounding, choosing, drawing: training through what has no slope.",
        (
            ste.LESSON,
            lsq.LESSON,
            vq.LESSON,
            gumbel.LESSON,
            top1.LESSON,
            reinforce.LESSON,
        ),
    ),
    Track(
        "losses",
        "Losses and steps",
        "Which loss sends what back, and how far one step goes.",
        (
            p_minus_y.LESSON,
            mse_sigmoid.LESSON,
            step_size.LESSON,
            adam_first.LESSON,
            zero_grad.LESSON,
            accumulate.LESSON,
            clip.LESSON,
            half.LESSON,
            distil.LESSON,
            min_max.LESSON,
        ),
    ),
    Track(
        "networks",
        "Networks",
        "Layers, batches and depth: what reaches which weight.",
        (
            matmul.LESSON,
            bias_sum.LESSON,
            embedding.LESSON,
            vanish.LESSON,
            residual.LESSON,
            zero_start.LESSON,
            root_d.LESSON,
        ),
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
