"""Test heat-maps: cells and shades of small and large tensors, and marks of what is no number."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_viz.display.heatmap import ALPHABET, blocks, blocks_say, heat, plane, plane_says
from autodiff_viz.display.numbers import has_picture


def shades(cells: str) -> list[int]:
    return [ALPHABET.index(letter) - 30 for letter in cells]


@pytest.mark.parametrize(
    ("shape", "drawn"),
    [((), False), ((3,), False), ((4,), True), ((1, 1), True), ((3, 0), False), ((2, 3, 4), True)],
)
def test_a_tensor_is_drawn_where_its_numbers_are_not_written_out(shape, drawn):
    assert has_picture(shape) is drawn


def test_a_small_matrix_is_drawn_element_by_element():
    found = heat(np.array([[-2.0, 0.0, 1.0], [0.5, -1.0, 2.0]]))
    assert (found.columns, found.top) == (3, 2.0)
    assert shades(found.cells) == [-30, 0, 15, 8, -15, 30]  # 7.5 is rounded to even


def test_a_vector_is_one_row():
    assert heat(np.arange(5.0)).columns == 5


def test_zeros_are_all_of_the_middle_shade():
    found = heat(np.zeros((2, 2)))
    assert (shades(found.cells), found.top) == ([0, 0, 0, 0], 0.0)


def test_what_is_no_number_has_marks_of_its_own_and_leaves_the_scale_to_the_others():
    found = heat(np.array([np.nan, np.inf, -np.inf, 4.0, -2.0]))
    assert (found.cells[:3], found.top) == ("9+/", 4.0)
    assert shades(found.cells[3:]) == [30, -15]


def test_a_large_matrix_is_drawn_as_means_of_blocks():
    matrix = np.random.default_rng(0).normal(size=(24, 36))
    by_hand = matrix.reshape(12, 2, 12, 3).mean(axis=(1, 3))
    np.testing.assert_allclose(blocks(matrix), by_hand)


def test_blocks_of_a_length_that_does_not_divide_count_every_element_once():
    found = blocks(np.arange(26.0)[None])
    np.testing.assert_allclose(found[0], [part.mean() for part in _split(np.arange(26.0))])


def _split(row: np.ndarray) -> list[np.ndarray]:
    """Twelve parts of two, but for the sixth and the last, of three: 26 = 12 * 2 + 2."""
    return [row[2 * i + (i > 5) : 2 * i + 2 + (i >= 5) + (i == 11)] for i in range(12)]


def test_one_nan_shows_in_a_large_tensor():
    matrix = np.zeros((64, 64))
    matrix[40, 3] = np.nan
    assert heat(matrix).cells.count("9") == 1


def test_of_images_the_first_is_drawn_as_the_mean_of_its_channels():
    images = np.random.default_rng(1).normal(size=(10, 4, 5, 3))
    np.testing.assert_allclose(plane(images), images[0].mean(axis=2))
    assert plane_says(images.shape) == "first of 10 images, mean of 3 channels"


def test_of_kernels_the_first_is_drawn_as_the_mean_over_what_comes_in():
    kernels = np.random.default_rng(2).normal(size=(5, 5, 3, 6))
    np.testing.assert_allclose(plane(kernels, kernels=True), kernels[:, :, :, 0].mean(axis=2))
    assert plane_says(kernels.shape, kernels=True) == "first of 6 kernels, mean of 3 input channels"


@pytest.mark.parametrize(
    ("shape", "says"),
    [
        ((4, 10), ""),
        ((16, 10), "a cell is the mean of up to 2\u00d71"),
        ((2, 64), "a cell is the mean of up to 1\u00d76"),
        ((1, 25, 12, 1), "a cell is the mean of up to 3\u00d71"),
    ],
)
def test_it_is_said_how_many_elements_a_cell_stands_for(shape, says):
    assert blocks_say(shape) == says
