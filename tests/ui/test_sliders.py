"""What the sliders send is checked: it comes from outside."""

from __future__ import annotations

import math

import pytest

from autodiff_viz.graph import limits
from autodiff_viz.ui.sliders.component import is_move

MOVE = {"seq": 1, "kind": "move", "name": "x", "value": 2.5, "fresh": True}


@pytest.mark.parametrize("value", [0, -1, 2.5, limits.NUMBER, -limits.NUMBER])
def test_a_number_within_the_limits_is_a_move(value):
    assert is_move({**MOVE, "value": value})


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "rule"},
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
def test_anything_else_is_not(wrong):
    assert not is_move({**MOVE, **wrong})
