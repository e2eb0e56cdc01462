"""Test the figures of segments against numbers worked out by hand."""

import re

import numpy as np
import plotly.graph_objects as go
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.language.parse import parse
from autodiff_viz.segments.compute import Curves, division
from autodiff_viz.segments.figure import SEGMENT_FIGURES
from autodiff_viz.segments.view import describe_product
from tests.explain.test_every_explanation import fonts, sent

GRAPH = parse("x = input(shape=(3, 2), seed=0)\nw = parameter(shape=(2, 4), seed=1)\n"
              "h = cut(x @ w)\nu = parameter(shape=(4,), seed=2)\nz = sum(h @ u)")  # fmt: skip
CURVES = Curves(np.array([1.0, 0.5]), np.array([1.0, 0.5]), np.array([1.0, np.nan]))


@pytest.fixture(scope="module")
def shown() -> dict[str, object]:
    return {"sizes": division(GRAPH, trace(GRAPH)), "curves": CURVES}


@pytest.mark.parametrize("key", SEGMENT_FIGURES)
def test_plotly_accepts_them_and_they_can_be_read(key, shown):
    spec = SEGMENT_FIGURES[key]
    figure = spec.build(shown[key])
    assert sent(go.Figure(figure.to_dict()))["data"] == sent(figure)["data"]
    layout = {k: v for k, v in sent(figure)["layout"].items() if k != "template"}
    assert min(fonts(layout)) >= 13
    assert re.fullmatch(r"[A-Z][^\n<>]+\.", spec.text(shown[key]))


def test_sizes_are_those_worked_out_by_hand(shown):
    # h has 3 * 4 elements; d h / d w is 12 x 8. z is a number: d z / d h has 12, d z / d u has 4
    words = SEGMENT_FIGURES["sizes"].text(shown["sizes"])
    assert "segment 1 receives 12 (its Jacobians have 96) and" in words
    assert "segment 2 receives 1 (its Jacobians have 16)." in words
    title = SEGMENT_FIGURES["sizes"].build(shown["sizes"]).layout.title.text
    assert "12 elements handed back" in title
    assert "all Jacobians have <b>112</b>" in title


def test_one_number_handed_back_is_one_element_and_no_part_of_one():
    graph = parse("x = 0.5\na = cut(sin(x))\nz = sin(a)")
    figure = SEGMENT_FIGURES["sizes"].build(division(graph, trace(graph)))
    assert "1 element handed back" in figure.layout.title.text
    assert figure.layout.xaxis.dtick == 1


def test_a_product_without_a_difference_is_the_gradient_itself():
    graph = parse("x = 0.5\na = cut(x * x)\nz = a * a")  # d z / d x = 4 x^3 = 0.5, exact in float32 too
    says = describe_product(division(graph, trace(graph)))
    assert says == "The product of all Jacobians, in float64: the gradient itself."


def test_two_equal_curves_are_called_the_same():
    figure = SEGMENT_FIGURES["curves"].build(CURVES)
    assert "handed across: <b>the same</b>" in figure.layout.annotations[1].text
