"""Test the layout of tensors on a sheet: each element once, or an even sample that says so."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_viz.explain.tensor.figure import GAP, MOST, sheet


def test_a_matrix_is_its_own_sheet():
    found = sheet((2, 3))
    assert (found.cells.tolist(), found.says) == ([[0, 1, 2], [3, 4, 5]], "")


def test_images_have_a_row_each_and_their_channels_a_column():
    images = np.random.default_rng(0).normal(size=(2, 3, 4, 2))
    found = sheet(images.shape).cells
    assert found.shape == (2 * 3 + 1, 2 * 4 + 1)
    np.testing.assert_array_equal(images.ravel()[found[4:, 5:]], images[1, :, :, 1])
    assert (found[3] == GAP).all()


def test_kernels_have_a_row_for_what_comes_in_and_a_column_for_what_goes_out():
    kernels = np.random.default_rng(0).normal(size=(2, 2, 3, 4))
    found = sheet(kernels.shape, kernels=True).cells
    np.testing.assert_array_equal(kernels.ravel()[found[6:, :2]], kernels[:, :, 2, 0])


@pytest.mark.parametrize("shape", [(5,), (3, 4), (5, 2, 3), (2, 3, 4, 2), (2, 2, 3, 3, 2)])
def test_every_element_of_a_small_tensor_is_there_once(shape):
    cells = sheet(shape).cells
    assert sorted(cells[cells != GAP]) == list(range(int(np.prod(shape))))


@pytest.mark.parametrize(
    "shape", [(256, 256), (65536,), (4096, 16), (64, 32, 32, 1), (1, 256, 256, 1), (16, 64, 64)]
)
def test_of_a_large_tensor_there_is_a_sample_that_says_so(shape):
    cells, says = sheet(shape)
    assert (cells != GAP).sum() <= 1.2 * MOST
    assert "every" in says or "of" in says


def test_a_sample_of_a_matrix_takes_evenly():
    cells = sheet((256, 256)).cells
    rows = np.unravel_index(cells[:, 0], (256, 256))[0]
    assert len(set(np.diff(rows))) == 1
