"""Test declared derivatives beside the true one, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from autodiff_viz.engine.finite_differences import check_node
from autodiff_viz.engine.op_derivative import own_contributions
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.rule_check.view import declared_apart, declared_states
from autodiff_viz.graph.model import INPUT
from autodiff_viz.lab.actions import set_input, undone
from autodiff_viz.lab.asking import reveal
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.inspector.node import node_view
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.language.parse import parse
from tests.engine.references.scalar_graphs import scalar_graphs
from tests.lab.regression import lab_of, trained


def said(text: str, **how: object) -> dict[str, str]:
    return {name: state[0] for name, state in declared_states(trace(parse(text), **how)).items()}


def on_canvas(lab: Lab) -> dict[str, list[str]]:
    return {node["id"]: node["state"] for node in lab_view(lab).drawing["nodes"] if node["state"]}


def test_a_wrong_derivative_stands_on_its_node_with_the_true_one():
    """d x²/dx = 2x = 1.5 at 0.75."""
    text = "x = 0.75\ny = custom(square(x), pullback=lambda v, x, y: v)"
    assert said(text) == {"y": "declared 1, true 1.5"}
    assert on_canvas(lab_of(text))["y"] == [
        "declared 1, true 1.5",
        "The derivative is declared. Down its input it passes 1; the true derivative passes 1.5.",
    ]


def test_the_lesson_shows_where_its_derivative_is_wrong_and_only_there():
    """The declared slope is 3 where it should be e³ = 20.0855."""
    asked = open_lesson(start(), "declare-derivative", 0)
    assert on_canvas(asked) == {}  # before the answer
    assert on_canvas(reveal(asked, 0))["y"][0] == "declared 3, true 20.1"
    assert on_canvas(open_lesson(start(), "declare-derivative", 1)) == {}
    assert on_canvas(open_lesson(start(), "gated-transformer", 3)) == {}


def test_it_follows_the_numbers_and_goes_where_both_are_equal():
    """v · x is e^x nowhere, but v · 2 is 2x at x = 1."""
    lab = lab_of("x = 0.5\ny = custom(square(x), pullback=lambda v, x, y: v * 2.0)")
    assert on_canvas(lab)["y"][0] == "declared 2, true 1"
    assert on_canvas(set_input(lab, "x", 1.0)) == {}
    assert on_canvas(undone(set_input(lab, "x", 1.0)))["y"][0] == "declared 2, true 1"


def test_the_numbers_are_those_of_the_wire():
    """3 arrives, so that 3 · 1 is passed and 3 · 1.5 should be."""
    text = "x = 0.75\na = custom(square(x), pullback=lambda v, x, y: v)\ny = 3.0 * a"
    assert said(text) == {"a": "declared 3, true 4.5"}
    assert said(text, seed=0.0) == {}


def test_the_seed_of_zero_and_a_stop_above_leave_nothing_to_compare():
    text = "x = 0.75\na = custom(square(x), pullback=lambda v, x, y: v)\ny = stop_gradient(3.0 * a) + x"
    assert said(text) == {}


@pytest.mark.parametrize(
    "rule", ["stop_gradient(exp(x))", "rewrite(exp(x), lambda v: 0.5)", "backward_as(exp(x), x)", "exp(x)"]
)
def test_other_rules_say_what_they_do_themselves(rule):
    assert said(f"x = 0.7\ny = {rule}") == {}


@pytest.mark.parametrize("declared", ["v", "0.0 * v", "0.3 * v"])
@pytest.mark.parametrize("op", ["abs(x)", "relu(x)"])
def test_at_a_corner_one_derivative_is_as_good_as_another(op, declared):
    text = f"x = 0.0\ny = custom({op}, pullback=lambda v, x, y: {declared})"
    assert said(text) == {}


def test_of_two_that_tie_either_may_be_passed_everything():
    text = "x = 1.0\nw = 1.0\ny = custom(maximum(x, w), pullback=lambda v, x, w, y: (v, 0.0 * v))"
    assert said(text) == {}
    assert said(text.replace("w = 1.0", "w = 2.0")) == {"y": "declared 1, true 0"}


def test_the_straight_through_estimator_is_no_mistake_and_is_seen():
    assert said("x = 1.2\ny = custom(round(x), pullback=lambda v, x, y: v)") == {"y": "declared 1, true 0"}


def test_of_a_tensor_the_worst_element_is_shown():
    """2x = [2, 4, 6] where 2, 2 and 2 are declared."""
    text = "x = [1.0, 2.0, 3.0]\na = custom(square(x), pullback=lambda v, x, y: 2.0 * v)\ny = sum(a)"
    found = trace(parse(text))
    assert said(text) == {"a": "declared 2, true 6"}
    assert (declared_apart(found, "a")[0].count, declared_apart(found, "a")[0].size) == (2, 3)
    assert "at the worst of 2 out of 3 elements" in declared_states(found)["a"][1]


def test_a_slope_without_end_is_said_and_one_that_does_not_exist_is_not():
    assert said("x = 0.0\ny = custom(sqrt(x), pullback=lambda v, x, y: 0.0)") == {"y": "declared 0, true ∞"}
    assert said("x = -1.0\ny = custom(sqrt(x), pullback=lambda v, x, y: 0.0)") == {}


def test_the_wire_that_is_wrong_is_the_one_that_is_named():
    text = "x = 2.0\nw = 5.0\ny = custom(x * w, pullback=lambda v, x, w, y: (v * w, v))"
    view = node_view(parse(text), trace(parse(text)), "y")
    assert [wire.apart for wire in view.wires] == ["", "declared 1, true 2"]


def test_a_graph_that_is_not_finished_is_left_alone():
    text = "x = 2.0\na = custom(square(x), pullback=lambda v, x, y: v)\nz = a + ..."
    assert on_canvas(lab_of(text)) == {}


def test_what_is_muted_declares_nothing():
    text = "x = 2.0\ny = bypass(custom(square(x), pullback=lambda v, x, y: v))"
    assert on_canvas(lab_of(text)) == {}


def test_it_follows_the_step_on_view_and_goes_with_what_training_shows():
    """One step of 0.02 against the declared 1 takes w from 2 to 1.98, where the slope is 3.96."""
    text = "w = parameter(2.0)\nu = parameter(3.0)\na = custom(square(w), pullback=lambda v, w, y: v)\n"
    lab = trained(lab_of(text + "loss = a + stop_gradient(u)"), 1)
    shown = on_canvas(lab)
    assert (shown["a"][0], shown["u"][0]) == ("declared 1, true 3.96", "frozen")
    assert on_canvas(replace(lab, step=None))["a"][0] == "declared 1, true 4"


def test_of_a_node_with_two_badges_both_are_said():
    text = "w = parameter([2.0, -1.0])\na = custom(relu(w), pullback=lambda v, w, y: 3.0 * v)\nloss = sum(a)"
    word, sentence = on_canvas(trained(lab_of(text), 1))["a"]
    assert word == "declared 3, true 0"
    assert "The derivative is declared." in sentence
    assert "1 of 2 units are 0" in sentence


@settings(max_examples=40)
@given(graph=scalar_graphs(regions=False))
def test_an_ops_own_pullback_is_what_central_differences_find_whatever_its_rule(graph):
    found = trace(graph, dtype="float64")
    for node in graph.nodes:
        if node.op == INPUT or not node.wires:
            continue
        own = own_contributions(found, node.name)
        for slot, check in check_node(found, node.name).items():
            assert own[slot].item() == pytest.approx(check.true.item(), rel=1e-3, abs=1e-6)


def test_both_precisions_have_the_same_own_pullback():
    graph = parse("x = 0.3\ny = custom(sin(x), pullback=lambda v, x, y: v)")
    for dtype, digits in (("float32", 1e-6), ("float64", 1e-15)):
        own = own_contributions(trace(graph, dtype=dtype), "y")[0]
        assert own.dtype == np.dtype(dtype)
        assert own.item() == pytest.approx(math.cos(0.3), rel=digits)


def test_a_node_that_cannot_be_evaluated_yet_has_no_badge_and_can_be_selected():
    lab = replace(lab_of("x = 2.0\nb = sin(x)"), selected="b")
    lab = edited(lab, {"kind": "disconnect", "to": "b", "slot": 0})
    view = lab_view(lab)
    assert declared_states(view.trace) == {}
    assert node_view(view.graph, view.trace, "b").value is None
