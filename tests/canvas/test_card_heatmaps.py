"""Test what is sent of a card's tensors: heat-maps, cells with numbers, and numbers for the pointer."""

from __future__ import annotations

import numpy as np

from autodiff_viz.canvas.records import elements, heat_data

MATRIX = np.array([[1.0, -2.0], [0.12345, 4e9]], np.float32)


def test_a_small_tensor_is_sent_with_its_numbers_row_by_row():
    found = heat_data(MATRIX, -MATRIX, kernels=False)
    assert found["valueNumbers"] == ["1", "\u22122", "0.123", "4e9"]
    assert found["cotangentNumbers"] == ["\u22121", "2", "\u22120.123", "\u22124e9"]


def test_its_numbers_are_sent_with_all_digits_too_so_that_a_narrow_cell_rounds_once():
    third = np.array([1.0 / 3.0, -1.0467646])
    full = heat_data(third, None, kernels=False)["valueFull"]
    assert [float(text.replace("\u2212", "-")) for text in full] == third.tolist()


def test_a_larger_one_without():
    assert "valueNumbers" not in heat_data(np.ones((2, 5)), None, kernels=False)


def test_the_pointer_finds_numbers_where_a_cell_is_one_element():
    assert elements(np.arange(10.0).reshape(2, 5), None) == {"value": list("0123456789")}
    for shape in (
        (),
        (2, 2),
        (13, 2),
        (2, 2, 2),
    ):  # none, written on the card, means of blocks, one plane of two
        assert elements(np.ones(shape), np.ones(shape)) == {}
