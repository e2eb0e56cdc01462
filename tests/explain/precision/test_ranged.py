"""Test marks on the canvas for numbers that leave the range of their dtype."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autodiff_viz.explain.precision.view import SCALE
from autodiff_viz.graph.history import begin
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.figures import ranged_data
from autodiff_viz.lab.page import lab_drawing
from autodiff_viz.lab.state import start, with_choice
from autodiff_viz.language.parse import parse

SMALL = "w = 1.0\nm = w * 0.0001220703125\ny = m * 0.0001220703125"  # 2^-13 twice; row 32


def marks(text=SMALL, **given):
    lab = replace(start(), history=begin(parse(text)), dtype="float16", figure="precision")
    scale = given.pop("scale", None)
    lab = with_choice(replace(lab, **given), SCALE.name, scale)
    return ranged_data(lab, lab_view(lab))


def test_what_underflows_is_marked():
    """2^-26, the value of y, what m passes and what arrives at w, is 0 in float16."""
    assert {side: sorted(names) for side, names in marks().items()} == {
        "under": ["m:0", "w", "y"],
        "over": [],
    }


def test_a_loss_scale_saves_the_wires_and_not_the_value():
    assert marks(scale=1024.0) == {"under": ["y"], "over": []}


def test_the_largest_scale_overflows():
    assert set(marks(scale=65536.0)["over"]) == {"y", "y:0", "m", "m:0", "w"}


@pytest.mark.parametrize("given", [{"figure": "cotangents"}, {"dtype": "bfloat16"}, {"dtype": "float64"}])
def test_nothing_is_marked_elsewhere(given):
    assert marks(**given) is None


def test_the_drawing_has_the_marks():
    lab = replace(start(), history=begin(parse(SMALL)), dtype="float16", figure="precision")
    assert lab_drawing(lab, lab_view(lab))["ranged"] == marks()


def test_a_graph_with_a_problem_has_no_marks():
    assert marks("x = [1.0, 2.0]\ny = x + [1.0, 2.0, 3.0]") is None
