"""Test sizes and texts of cards: numbers as full as fit, room for constants, editable inputs."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_viz.canvas.cards import cells, constant_text, input_text, line_text, room, size
from autodiff_viz.display.numbers import VECTOR, number_text, shape_text
from autodiff_viz.graph.model import INPUT, Node, params
from autodiff_viz.language.parse import parse


@pytest.mark.parametrize(
    ("array", "text", "shape"),
    [
        (np.float32(0.70404), "0.704", ""),
        (np.array([-2.0, -1.0, 1.0]), "[−2, −1, 1]", ""),
        (np.array([0.125, 0.25, -4.0]), "[0.125, 0.25, −4]", ""),
        (
            np.array([-1.2345, -2.3456, -3.4567]),
            "[−1.2, −2.3, −3.5]",
            "",
        ),  # two digits where three are too long
        (np.array([3.0, 4.0, 0.0, 0.0]), "‖5‖", "[4]"),
        (np.array([[3.0, 0.0], [0.0, 4.0]]), "‖5‖", "[2, 2]"),
        (np.array([1.5e-9, -2.5e-9, 3.5e-9]), "‖4.6e−9‖", "[3]"),
    ],
)
def test_the_number_on_a_card_is_as_full_as_it_fits(array, text, shape):
    assert (number_text(array), shape_text(array)) == (text, shape)


def test_no_vector_is_longer_than_what_fits():
    random = np.random.default_rng(0)
    for scale in (1e-8, 1e-3, 1.0, 1e3, 1e8):
        assert len(number_text(scale * random.normal(size=3))) <= VECTOR


def test_a_node_with_more_slots_is_taller_and_no_slot_is_nearer_than_a_port_is_wide():
    for count in range(12):
        _, height = size(Node("n", "concatenate", (None,) * count))
        assert height / (count + 1) >= 13


def test_a_longer_constant_needs_more_room():
    assert room(Node("n", "mul", ("x", "y"))) == 0
    assert room(Node("n", "mul", (2.0, "x"))) == 0
    assert room(Node("n", "mul", ((-2.0, -1.0, 1.0), "x"))) > 0


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (2.5, "2.5"),
        ((-2.0, -1.0, 1.0), "[−2, −1, 1]"),
        (((1.0,) * 4,) * 3, "3×4"),
        ((0.123456,) * 3, "3 numbers"),
    ],
)
def test_a_constant_that_is_too_long_is_shown_by_its_shape(literal, text):
    assert constant_text(literal) == text


def test_an_input_is_edited_as_it_would_be_typed():
    assert input_text(Node("x", INPUT, (), params(value=(1.0, -2.0)))) == "[1.0, -2.0]"


def test_a_line_can_be_copied_as_long_as_the_language_can_read_it():
    long = Node("x", INPUT, (), params(value=(0.125,) * 200))
    assert parse(f"x = {line_text(long)}").nodes[0].param("value") == (0.125,) * 200
    assert line_text(Node("x", INPUT, (), params(value=(0.125,) * 400))) is None


def test_what_cannot_be_typed_on_a_card_is_left_to_the_formula():
    assert input_text(Node("x", INPUT, (), params(shape=(3, 4), seed=0))) is None
    assert input_text(Node("x", INPUT, (), params(value=(0.5,) * 200))) is None
    assert input_text(Node("y", "sin", ("x",))) is None


@pytest.mark.parametrize(
    ("shape", "grid"),
    [
        ((), None),
        ((1,), None),
        ((3,), (1, 3)),
        ((5,), None),
        ((4, 4), (4, 4)),
        ((4, 5), None),
        ((2, 2, 2), None),
    ],
)
def test_numbers_of_tensors_up_to_4_by_4_are_written_in_cells(shape, grid):
    assert cells(shape) == grid


def test_a_card_has_a_line_for_each_row_of_cells():
    node = Node("m", INPUT)
    heights = [size(node, shape)[1] for shape in ((4,), (2, 2), (4, 2), (2, 4), (4, 4), (5, 5))]
    # 46 px and 17 a row; beside each other up to two columns, else one below the other; 80 at least
    assert heights == [80, 80, 114, 114, 182, 132]
    assert [size(node, shape)[0] for shape in ((4,), (4, 1), (4, 2), (4, 3))] == [152, 152, 184, 152]
