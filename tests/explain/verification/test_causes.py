"""Test why a gradient is not its slope, on graphs whose cause can be seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from autodiff_viz.engine.finite_differences import check_input, check_inputs, check_node, jumps
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.verification.compute import (
    CORNER,
    NOT_FINITE,
    ROUNDING,
    RULE,
    UNKNOWN,
    Cause,
    input_causes,
    node_cause,
)
from autodiff_viz.language.parse import parse
from tests.engine.references.scalar_graphs import scalar_graphs


def causes(text: str, name: str = "x", **how: object) -> tuple[Cause, ...]:
    found = trace(parse(text), **how)
    return input_causes(found, {name: check_input(found, name)})[name]


def test_the_corner_of_a_softplus_written_with_maximum_and_abs_is_that_of_abs():
    """max(x, 0) + log(1 + exp(-|x|)) is softplus, whose slope at 0 is 1/2. JAX adds 1/2 from the maximum,
    as the mean of 0 and 1, and 1 · -1/2 from abs, of whose slopes -1 and 1 it takes one."""
    text = "x = 0.0\ny = maximum(x, 0.0) + log1p(exp(-abs(x)))"
    found = check_input(trace(parse(text)), "x")
    assert (found.declared.item(), found.true.item()) == (0.0, pytest.approx(0.5))
    assert causes(text) == (Cause(CORNER, ("abs_1",)),)


def test_a_gradient_that_is_no_number_names_the_node():
    """The derivative of sqrt at 0 is infinite, and 0 times it is NaN: the slope of x is 1 all the same."""
    text = "x = 0.0\ny = where(less(x, 1.0), x, sqrt(x))"
    assert causes(text) == (Cause(NOT_FINITE, ("sqrt_1",)),)


def test_nan_beside_nan_is_no_agreement():
    text = "x = 0.0\na = sqrt(x)\ny = 0.0 * a"
    assert causes(text) == (Cause(NOT_FINITE, ("a",)),)


def test_differences_that_step_out_of_the_domain_name_the_node():
    """Gradient and value at 0 are 0; below 0 there is no value."""
    assert causes("x = 0.0\na = x ** 1.5\ny = a * 2.0") == (Cause(NOT_FINITE, ("a",)),)


def test_of_infinity_that_comes_from_elsewhere_the_node_where_it_is_met_is_named():
    """relu(-infinity) is 0, and the nodes after m say nothing of where it came in."""
    text = "x = 0.5\nw = log(0.0)\nm = x + w\nr = relu(m)\nn = neg(r)\ny = n + m"
    assert causes(text) == (Cause(NOT_FINITE, ("m",)),)


@pytest.mark.parametrize(
    "line",
    [
        "b = stop_gradient(exp(x))",
        "b = rewrite(exp(x), lambda v: 0.5)",
        "b = custom(exp(x), pullback=lambda v, x, y: v)",
        "b = backward_as(exp(x), x)",
    ],
)
def test_a_rule_is_named_whatever_kind_it_is(line):
    assert causes(f"x = 0.7\n{line}\ny = sin(b) + x") == (Cause(RULE, ("b",)),)


def test_a_straight_through_step_is_named_though_the_step_itself_passes_0():
    """Row R1 and row 19: round and sign have slope 0, and the alternative passes 1."""
    for op in ("round", "sign"):
        found = trace(parse(f"x = 1.7\ny = backward_as({op}(x), x)"))
        assert input_causes(found, check_inputs(found)) == {"x": (Cause(RULE, ("y",)),)}


def test_a_where_at_its_switch_is_a_corner():
    """Row 23: where(x > 0, x, 0) at 0 has slope 0 to the left and 1 to the right; the comparison switches."""
    assert causes("x = 0.0\ny = where(greater(x, 0.0), x, 0.0)") == (Cause(CORNER, ("greater_1",)),)
    assert causes("x = 0.0\nt = 0.0\ny = where(less(t, x), x, 0.0)\nreturn y")[0].kind == CORNER


def test_an_inputs_own_rule_is_named():
    assert causes("x = rewrite(2.0, lambda v: 3.0)\ny = x * x") == (Cause(RULE, ("x",)),)


def test_a_rule_that_declares_the_truth_is_not_blamed_for_a_corner_beside_it():
    text = "x = 0.0\na = custom(exp(x), pullback=lambda v, x, y: v * y)\ny = a + relu(x)"
    assert causes(text) == (Cause(CORNER, ("relu_1",)),)


@pytest.mark.parametrize("rule", ["rewrite(abs(x), lambda v: v)", "scale_gradient(abs(x), 1.0)"])
def test_at_a_corner_a_rule_that_changes_nothing_is_not_blamed(rule):
    """|x| at 0 has the slopes -1 and 1, whatever a rule makes of v that is v."""
    text = f"x = 0.0\na = {rule}\ny = a * 3.0"
    assert causes(text) == (Cause(CORNER, ("a",)),)
    assert node_cause(trace(parse(text)), "a", 0) == CORNER


def test_a_rule_beside_the_way_from_input_to_output_is_not_blamed():
    text = "x = 0.0\nw = 1.0\na = stop_gradient(w * w)\ny = a + abs(x)"
    assert causes(text) == (Cause(CORNER, ("abs_1",)),)


def test_where_nothing_arrives_a_corner_changes_nothing():
    """relu at 0 behind a stop, which alone keeps the slope away."""
    assert causes("x = 0.0\na = relu(x)\ny = x + stop_gradient(a * 1.0)") == (Cause(RULE, ("mul_1",)),)


def test_a_rule_and_a_corner_that_both_act_are_both_named():
    text = "x = 0.0\na = stop_gradient(exp(x))\ny = a + relu(x)"
    assert set(causes(text)) == {Cause(RULE, ("a",)), Cause(CORNER, ("relu_1",))}


@pytest.mark.parametrize("text", ["x = 7.0\ny = floor(x)", "x = [2.0, 2.0, 2.0]\ny = max(x)"])
def test_steps_and_ties_are_corners_though_no_record_lists_them(text):
    assert causes(text) == (Cause(CORNER, ("y",)),)


def test_two_corners_that_differ_only_together_are_named():
    """JAX passes 1/2 at each maximum, 1/4 in all; the slope of both is that of one, 1/2."""
    text = "x = 0.0\na = maximum(x, 0.0)\ny = maximum(a, 0.0)"
    found = check_input(trace(parse(text)), "x")
    assert (found.declared.item(), found.true.item()) == (0.25, pytest.approx(0.5))
    assert causes(text) == (Cause(CORNER, ("a", "y")),)


def test_one_corner_among_a_thousand_elements_is_found():
    x = np.where(np.arange(1_000) == 777, 0.0, 1.0)
    found = trace(parse("x = input(shape=(1000,), seed=0)\nh = abs(x)\ny = sum(h)"), {"x": x})
    assert node_cause(found, "h", 0) == CORNER


def test_rounding_is_what_double_precision_makes_go_away():
    """sigmoid'(14) = s (1 - s): of 1 - s, some 8e-7, float32 has two digits."""
    text = "x = 14.0\ny = 1.0 - sigmoid(x)"
    assert causes(text) == (Cause(ROUNDING),)
    assert node_cause(trace(parse(text)), "sigmoid_1", 0) == ROUNDING
    assert causes(text, dtype="float64") == ()


def test_a_function_that_turns_faster_than_the_step_has_no_known_cause():
    """sin(exp(30)): a step of 6e-6 · e^30 goes round some ten million times."""
    assert causes("x = 30.0\ny = sin(exp(x))", dtype="float64") == (Cause(UNKNOWN),)


@pytest.mark.parametrize(
    ("op", "point", "jumps_there"),
    [("abs(x)", 0.0, True), ("relu(x)", 0.0, True), ("floor(x)", 7.0, True), ("sign(x)", 0.0, True),
     ("square(x)", 0.0, False), ("exp(x)", 5.0, False), ("sin(x)", 1e5, False), ("x + 1000000.0", 1.0, False),
     ("abs(x)", 1e-3, False), ("sqrt(x)", 0.0, False)],
)  # fmt: skip
def test_a_corner_is_told_from_a_bend(op, point, jumps_there):
    found = trace(parse(f"x = {point}\ny = {op}"), dtype="float64")
    assert jumps(found, found.graph["y"], 0, np.array([0])).tolist() == [jumps_there]


@settings(max_examples=30)
@given(graph=scalar_graphs(regions=False))
def test_on_random_graphs_only_nodes_that_lie_between_are_named_and_rules_only_where_there_are_some(graph):
    found = trace(graph, dtype="float64")
    checks = check_inputs(found)
    for name, named in input_causes(found, checks).items():
        check = checks[name]
        assert bool(named) is not check.agrees or not np.isfinite(check.true).all()
        for cause in named:
            if cause.kind == RULE:
                assert all(graph[node].rule.kind != "follow" for node in cause.nodes)
            elif cause.kind == CORNER:
                assert all(any(jumps(found, graph[node], slot, np.array([0])).any()
                               for slot in check_node(found, node)) for node in cause.nodes)  # fmt: skip
