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


def test_an_input_of_0_gives_its_weight_nothing():
    assert after("neuron", 1).gradient["w"] == 0.0  # its local derivative is x


def test_at_a_fork_a_stop_leaves_the_other_contribution():
    assert after("fork", 1).gradient["x"] == 2.0
    moved = after("fork", 0)  # x = 1: 2 and 2x
    assert (moved.passed["a", 1], moved.passed["b", 0], moved.gradient["x"]) == (2.0, 2.0, 4.0)


def test_a_gradient_comes_as_far_as_the_stop():
    assert after("without-derivative", 1).gradient["y"] == 0.0
    moved = after("without-derivative", 2)
    assert moved.cotangent["cos_1"] != 0.0
    assert moved.gradient["y"] == 0.0


def test_a_rule_turns_or_clips_or_ignores_what_arrives():
    assert after("surgery", 0).passed["half", 0] == pytest.approx(-1 / 30)
    assert after("surgery", 1).passed["half", 0] == np.float32(0.01)
    moved = after("surgery", 2)  # x = 10
    assert (moved.cotangent["half"], moved.passed["half", 0]) == (np.float32(0.1), 0.5)


def test_early_noise_makes_the_gradient_small_where_it_is_above_1_and_large_in_naive():
    for i, turn in ((0, 1), (1, -1)):
        found = after("forward-backward", i)
        assert (np.sign(np.abs(found.gradient["x"]) - 1) == turn * np.sign(found.value["u"] - 1)).all()


def test_the_late_gradient_is_minus_1_wherever_the_noise_goes_and_without_noise_the_two_agree():
    moved = after("two-stops", 0)
    assert (moved.gradient["x_late"], moved.gradient["x_early"] == -1.0) == (-1.0, False)
    assert after("two-stops", 1).gradient["x_early"] == -1.0


def test_without_a_dead_relu_every_prediction_is_above_0():
    assert (after("xor-tutorial", 2).value["yhat"] > 0).all()


def test_segments_with_a_stop_still_agree_with_the_whole():
    stopped = after("split-model", 2)
    assert len(division(stopped.graph, stopped).links) == 4
    assert division(stopped.graph, stopped).agrees
    assert not any(stopped.gradient[name].any() for name in ("k0", "b0", "k1", "b1"))
