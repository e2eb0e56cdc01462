"""Test what is sent of a card's tensors: heat-maps, cells with numbers, and numbers for the pointer."""

from __future__ import annotations

import numpy as np

from autodiff_viz.canvas.records import elements, heat_data
from autodiff_viz.display.numbers import typed

MATRIX = np.array([[1.0, -2.0], [0.12345, 4e9]], np.float32)


def test_a_small_tensor_is_sent_with_its_numbers_row_by_row():
    """Each is the shortest decimal that names it in its dtype, so that a narrow cell rounds it once."""
    assert typed(MATRIX, whole=True) == {"shape": [2, 2], "numbers": [1, -2, 0.12345, 4_000_000_000]}
    third = np.array([[1.0 / 3.0], [-1.0467646]])
    assert typed(third, whole=True)["numbers"] == third.ravel().tolist()


def test_a_larger_one_with_its_norm():
    assert typed(np.ones((2, 8))) == {"shape": [2, 8], "norm": 4}


def test_the_strongest_shade_is_sent_as_a_number():
    assert heat_data(MATRIX, -MATRIX, kernels=False)["valueTop"] == 4_000_000_000
    assert heat_data(MATRIX[:, :1] / 3, None, kernels=False)["valueTop"] == 0.333


def test_the_pointer_finds_numbers_where_a_cell_is_one_element():
    assert elements(np.arange(10.0).reshape(2, 5), None) == {"value": [*range(10)]}
    for shape in (
        (),
        (2, 2),
        (13, 2),
        (2, 2, 2),
    ):  # none, written on the card, means of blocks, one plane of two
        assert elements(np.ones(shape), np.ones(shape)) == {}
