"""Test that the figures of the rule check and of the Jacobian draw the numbers that follow by hand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.jacobian.figure import jacobian_figure, jacobian_text
from autodiff_viz.explain.rule_check.figure import rule_check_figure, rule_check_text
from autodiff_viz.language.parse import parse

LSQ = trace(
    parse("x = 1.3\ns = 0.5\nc = clip(x / s, -3.0, 3.0)\nq = backward_as(round(c), c)\ny = q * s\nz = sin(y)")
)
POLAR = trace(parse("r = 2.0\nt = 0.5235988\ny = stack([r * cos(t), r * sin(t)])"))


def curves(figure):
    return {one.name: (np.asarray(one.x), np.asarray(one.y)) for one in figure.data}


@pytest.mark.parametrize("low", [False, True])
def test_three_curves_with_the_largest_gap_marked(low):
    figure = rule_check_figure(LSQ, "q", low)
    found = curves(figure)
    assert found.keys() == {"declared", "true", "central differences"}
    np.testing.assert_array_equal(found["declared"][1], 1.0)
    np.testing.assert_array_equal(found["true"][1], 0.0)
    np.testing.assert_allclose(found["central differences"][1], 0.0, atol=1e-9)
    here, gap = figure.layout.shapes
    assert here.x0 == pytest.approx(2.6)
    assert (gap.x0, {gap.y0, gap.y1}) == (pytest.approx(2.6), {0.0, 1.0})
    assert "on purpose by up to 1" in rule_check_text(LSQ, "q")


def test_the_title_says_of_what_the_derivatives_are():
    # v[0] u[0] = 2, and not d Ju[0] / d W[0, 0] = 1
    product = "W = [[1.0, 2.0], [3.0, 4.0]]\nu = [1.0, -1.0]\nJu = W @ u\ny = dot(Ju, [2.0, 1.0])"
    title = rule_check_figure(trace(parse(product)), "Ju").layout.title.text
    assert re.sub("<[^>]*>", "", title).startswith("d ⟨v, Ju⟩ / d W[0, 0]")
    plain = rule_check_figure(trace(parse("x = 2.0\ny = sin(x)\nz = 3.0 * y")), "y").layout.title.text
    assert re.sub("<[^>]*>", "", plain).startswith("d y / d x")


def test_without_a_rule_the_ops_own_derivative_and_the_difference():
    found = curves(rule_check_figure(LSQ, "z"))
    assert found.keys() == {"JAX", "central differences"}
    for x, y in found.values():
        np.testing.assert_allclose(y, np.cos(x), atol=1e-8)
    assert "No rule: JAX's derivative is" in rule_check_text(LSQ, "z")


def test_no_node_is_selected():
    assert rule_check_text(LSQ, None) == rule_check_text(LSQ, "q")  # the first with a rule
    assert jacobian_text(POLAR, None) == jacobian_text(POLAR, "y")  # by all inputs


def test_the_jacobian_of_polar_coordinates():
    figure = jacobian_figure(POLAR, None)
    matrix, numbers = figure.data
    np.testing.assert_allclose(np.asarray(matrix.z), [[0.8660254, -1.0], [0.5, 1.7320508]], rtol=2e-6)
    assert [re.sub(r"<.*?>", "", text) for text in numbers.text] == ["0.866", "−1", "0.5", "1.732"]
    assert "determinant <b>2</b>" in figure.layout.title.text
    assert "2 backward sweeps, one for each row; forward mode needs 2 forward sweeps" in jacobian_text(
        POLAR, None
    )
    assert "forward mode is cheaper" in jacobian_text(POLAR, "r")
