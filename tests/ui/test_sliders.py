"""Test the checks of slider messages, which come from outside."""

from __future__ import annotations

import math

import pytest

from autodiff_viz.graph import limits
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import start

SLIDE = {"seq": 1, "kind": "slide", "name": "x", "value": 2.5, "fresh": True}


@pytest.mark.parametrize("value", [0, -1, 2.5, limits.NUMBER, -limits.NUMBER])
def test_a_number_within_the_limits_moves_the_input(value):
    assert edited(start(), {**SLIDE, "value": value}).graph["x"].param("value") == value


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": None},
        {"name": 3},
        {"value": None},
        {"value": "2.5"},
        {"value": True},
        {"value": [1.0]},
        {"value": math.nan},
        {"value": math.inf},
        {"value": limits.NUMBER * 2},
        {"value": 10**400},
    ],
)
def test_anything_else_is_refused_in_words(wrong):
    after = edited(start(), {**SLIDE, **wrong})
    assert after.graph == start().graph
    assert [problem.code for problem in after.notice] == ["bad-edit"]


def test_a_slider_that_answers_late_moves_nothing():
    lab = start()
    assert edited(lab, {**SLIDE, "name": "gone"}) is lab


@pytest.mark.parametrize("text", [None, 3, ["x = 1.0"]])
def test_a_formula_that_is_no_text_is_refused_in_words(text):
    after = edited(start(), {"seq": 1, "kind": "type", "text": text})
    assert (after.graph, [problem.code for problem in after.notice]) == (start().graph, ["bad-edit"])
