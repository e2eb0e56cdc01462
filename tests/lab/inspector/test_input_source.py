"""Test inputs that become parameters, draws or numbers, and back."""

from __future__ import annotations

import numpy as np
import pytest
from jax import random

from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.actions import set_param, steps, undone
from autodiff_viz.lab.inspector.parameters import (
    read_shape,
    set_numbers,
    set_shape,
    set_trainable,
    source_view,
)
from autodiff_viz.language.show import show
from tests.lab.canvas_steps import after


def lab_of(text: str):
    return after(text=f"{text}\ny = w * 2.0")


def line(lab) -> str:
    return show(lab.graph, positions=False).splitlines()[0]


def test_an_input_becomes_a_parameter_and_an_input_again():
    lab = set_trainable(lab_of("w = 0.5"), "w", True)
    assert (line(lab), steps(lab)["undo"]) == ("w = parameter(0.5)", "Turn w into a parameter")
    assert line(set_trainable(lab, "w", False)) == "w = 0.5"
    assert line(undone(lab)) == "w = 0.5"


def test_an_input_has_no_initialiser():
    lab = set_trainable(lab_of('w = parameter(shape=(3, 4), init="he_normal", seed=2)'), "w", False)
    assert line(lab) == "w = input(shape=(3, 4), seed=2)"
    drawn = random.normal(random.key(2), (3, 4))
    np.testing.assert_array_equal(trace(lab.graph).value["w"], drawn)


def test_a_shape_makes_a_draw_of_numbers():
    lab = set_shape(lab_of("w = parameter(0.5)"), "w", "3, 4")
    assert trace(lab.graph).value["w"].shape == (3, 4)
    assert source_view(lab.graph["w"]).seed == 0


def test_numbers_take_the_place_of_a_draw():
    lab = set_numbers(lab_of("w = parameter(shape=(2,), seed=3)"), "w", "[1.0, -2.0]")
    assert line(lab) == "w = parameter([1.0, -2.0])"


def test_a_seed_and_an_initialiser_can_be_changed():
    lab = set_param(lab_of("w = parameter(shape=(2, 2), seed=3)"), "w", "init", "ones")
    assert trace(lab.graph).value["w"].sum() == 4.0


def test_an_initialiser_that_needs_two_axes_goes_with_them():
    lab = set_shape(lab_of('w = parameter(shape=(3, 4), init="he_normal", seed=0)'), "w", "(4,)")
    assert "init" not in dict(lab.graph["w"].params)
    assert "he_normal" not in source_view(lab.graph["w"]).inits


@pytest.mark.parametrize("text", ["(3, 4)", "[3, 4]", "3, 4", " 3,4 "])
def test_a_shape_is_read_however_it_is_written(text):
    assert read_shape(text) == (3, 4)


@pytest.mark.parametrize("text", ["0", "-1", "a", "", "(3", "3), low=1", "2\n3", "(9999, 9999)", "1.5"])
def test_what_is_no_shape_is_refused_in_words(text):
    with pytest.raises(GraphError) as error:
        read_shape(text)
    assert error.value.problems[0].message


@pytest.mark.parametrize(("action", "text"), [(set_shape, "x"), (set_numbers, "[1, [2]]")])
def test_a_refusal_names_the_node_and_leaves_the_graph(action, text):
    before = lab_of("w = parameter(0.5)")
    lab = action(before, "w", text)
    assert lab.graph == before.graph
    assert (lab.notice[0].node, lab.notice[0].line) == ("w", None)
