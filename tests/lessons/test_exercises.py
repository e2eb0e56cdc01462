"""Test that what exercises say of numbers holds after their edits, by hand."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.engine.trace import Trace
from autodiff_viz.lab.exercises import do_try
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import start
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.segments.compute import division


def after(key: str, i: int) -> Trace:
    """Trace the graph that the edits of an exercise lead to."""
    done = do_try(open_lesson(start(), key, lesson(key).to_try[i].parts[0].variant), key, i)
    assert done.notice == ()
    return av.trace(done.graph)


def floats(trace: Trace) -> int:
    return sum(residual.elements for residual in trace.residuals)


def test_a_declared_derivative_is_what_the_function_says():
    assert after("declare-derivative", 0).gradient["x"] == pytest.approx(np.e**2)
    assert after("declare-derivative", 2).gradient["x"] == 1.0


def test_without_a_dead_relu_every_prediction_is_above_0():
    assert (after("xor-tutorial", 2).value["yhat"] > 0).all()


def test_floats_that_are_kept_with_the_pool_outside_and_with_the_policy_that_keeps_everything():
    plain = 21_220  # as the lesson's claim has it
    assert floats(after("checkpointed-cnn", 1)) == plain
    assert floats(after("checkpointed-cnn", 2)) >= plain


def test_a_stopped_branch_takes_its_term_from_the_image_and_nothing_from_the_gate():
    stopped = after("gated-transformer", 0)
    assert (stopped.gradient["image"], stopped.cotangent["p"].tolist()) == (1.0, [3.0, 6.0, 12.0])


def test_segments_that_are_joined_or_stopped_still_agree_with_the_whole():
    joined, stopped = after("split-model", 2), after("split-model", 3)
    assert [len(division(each.graph, each).links) for each in (joined, stopped)] == [3, 4]
    assert division(joined.graph, joined).agrees
    assert division(stopped.graph, stopped).agrees
    assert not any(stopped.gradient[name].any() for name in ("k0", "b0", "k1", "b1"))
