"""Test the independent check: it agrees with right derivatives and catches wrong ones."""

import numpy as np
import pytest
from hypothesis import given, settings

from autodiff_viz.engine.finite_differences import check_input, check_inputs, check_node, slope_along
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.model import INPUT
from autodiff_viz.language.parse import parse
from tests.engine.references.scalar_graphs import scalar_graphs

WRONG = """
x = 0.7
w = [0.5, -1.0]
a = custom(exp(x), pullback=lambda v, x, y: 1.1 * v * y)
y = sum(a * w) + x * x
"""


def test_right_derivatives_agree():
    found = trace(parse("x = 0.7\nw = [[0.5, -1.0]]\ny = sum(exp(w * x) @ [1.0, 2.0])"))
    checks = check_inputs(found)
    assert set(checks) == {"x", "w"}
    assert all(check.agrees for check in checks.values())


def test_true_slopes_are_those_of_calculus():
    check = check_input(trace(parse("x = [0.5, 1.0, 2.0]\ny = sin(x)")), "x")
    np.testing.assert_allclose(check.true, np.cos([0.5, 1, 2]), rtol=1e-9)


def test_a_wrong_pullback_is_caught_at_its_input():
    check = check_input(trace(parse(WRONG)), "x")
    assert not check.agrees
    slope = -0.5 * np.exp(0.7)
    assert check.true == pytest.approx(slope + 1.4, rel=1e-6)
    assert check.declared == pytest.approx(1.1 * slope + 1.4, rel=1e-5)


def test_a_wrong_pullback_is_caught_at_its_node_and_no_other():
    found = trace(parse(WRONG))
    agree = {
        (name, slot): check.agrees
        for name in found.value
        if found.graph[name].op != INPUT
        for slot, check in check_node(found, name).items()
    }
    assert not agree.pop(("a", 0))
    assert len(agree) >= 4
    assert all(agree.values())


@pytest.mark.parametrize("wrong", ["v * y + 0.01", "-1.0 * v * y", "0.0", "v", "v * y * 1.01"])
def test_a_wrong_pullback_of_any_kind_is_caught(wrong):
    graph = parse(f"x = 0.7\ny = custom(exp(x), pullback=lambda v, x, y: {wrong})")
    assert not check_node(trace(graph), "y")[0].agrees


def test_a_gap_is_relative_to_the_true_slope():
    graph = parse("x = 0.7\ny = custom(exp(x), pullback=lambda v, x, y: 1.1 * v * y)")
    assert check_node(trace(graph), "y")[0].gap == pytest.approx(0.1, rel=1e-4)


@pytest.mark.parametrize(
    ("line", "true"),
    [
        ("y = stop_gradient(sin(x))", np.cos(0.7)),
        ("y = rewrite(sin(x), lambda v: 0.5 * v)", np.cos(0.7)),
        ("y = round(x) + stop_gradient(sin(x))", np.cos(0.7)),
        ("y = backward_as(round(x), x)", 0.0),
    ],
)
def test_what_a_rule_bends_shows_as_a_gap(line, true):
    found = check_input(trace(parse("x = 0.7\n" + line)), "x")
    assert found.true.item() == pytest.approx(true, abs=1e-6)
    assert not found.agrees


def test_the_alternative_of_backward_as_has_no_slope_to_check():
    found = check_node(trace(parse("x = 0.7\na = 2.0 * x\ny = backward_as(sin(x), a)")), "y")
    assert set(found) == {0}
    assert not found[0].agrees  # sin passes nothing, though its slope is cos


def test_a_node_is_checked_with_both_of_its_wires_apart():
    found = check_node(trace(parse("x = 3.0\ny = x * x")), "y")
    assert [found[slot].true.item() for slot in (0, 1)] == pytest.approx([3.0, 3.0], rel=1e-9)


def test_the_seed_is_part_of_the_check():
    check = check_input(trace(parse("x = [1.0, 2.0]\ny = x * x"), seed=[3.0, -1.0]), "x")
    np.testing.assert_allclose(check.true, [6.0, -4.0], rtol=1e-9)
    assert check.agrees


def test_noise_is_held_still():
    check = check_input(trace(parse("x = 0.7\nu = normal(seed=4)\ny = exp(x * u)")), "x")
    assert check.agrees


def test_a_large_input_is_checked_at_some_of_its_elements():
    check = check_input(trace(parse("x = input(shape=(30, 40), seed=0)\ny = sum(sin(x))")), "x")
    assert check.true.shape == check.declared.shape == (64,)
    assert check.agrees


def test_slopes_along_a_line():
    points = np.linspace(-2, 2, 41)
    found = slope_along(trace(parse("x = 1.0\ny = rewrite(sin(x), lambda v: 0.0)")), "x", points)
    np.testing.assert_allclose(found, np.cos(points), rtol=0, atol=1e-9)


@pytest.mark.parametrize("formula", ["log(x)", "sqrt(x)", "1.0 / x", "x ** -1.0"])
def test_a_pole_is_no_crash(formula):
    check = check_input(trace(parse(f"x = 0.0\ny = {formula}")), "x")
    assert not check.agrees


@settings(max_examples=30)
@given(graph=scalar_graphs(rules=False, regions=False))
def test_random_graphs_without_rules_agree(graph):
    for name, check in check_inputs(trace(graph, dtype="float64")).items():
        assert check.declared.item() == pytest.approx(check.true.item(), rel=1e-3, abs=1e-6), name
