"""Test numbers as text: short on a card, in full so that they read back equal."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from ml_dtypes import bfloat16

from autodiff_viz.display.numbers import exact, full, shape, short
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.graph.text import MINUS, scalar

FLOATS = st.floats(width=32)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.0, "−1"),
        (0.70404100, "0.704"),
        (-0.91294526, "−0.9129"),
        (10.0, "10"),
        (1234.0, "1234"),
        (123456.0, "123500"),
        (0.000123456, "0.0001235"),
        (0.0000123456, "1.23e-5".replace("-", MINUS)),
        (1.5e30, "1.5e30"),
        (float("nan"), "NaN"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
    ],
)
def test_a_number_is_written_with_four_digits(number, text):
    assert scalar(number) == text


@given(FLOATS)
def test_every_number_fits_on_a_node(number):
    assert len(scalar(number)) <= 11


@given(st.floats(1e-4, 1e6, exclude_min=True, exclude_max=True), st.booleans())
def test_four_digits_are_within_half_a_unit_of_the_fourth(number, negative):
    number = -number if negative else number
    read = float(scalar(number).replace(MINUS, "-"))
    assert abs(read - number) <= abs(number) * 5.001e-4


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_the_full_text_of_a_float32_reads_back_as_the_same_float32(number):
    text = exact(np.float32(number)).replace(MINUS, "-")
    assert np.float32(text) == np.float32(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_full_text_of_a_float64_reads_back_as_the_same_float64(number):
    assert float(exact(np.float64(number)).replace(MINUS, "-")) == number


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, bfloat16])
@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (-0.0, "0"), (1.0, "1"), (-1.0, "−1"), (0.5, "0.5"), (-20.0, "−20")],
)
def test_the_full_text_of_a_number_that_a_card_holds_is_that_of_the_card(dtype, number, text):
    assert (exact(dtype(number)), short(dtype(number))) == (text, text)


@pytest.mark.parametrize(("number", "text"), [(2.0**-20, "9.536743e−7"), (1e20, "1e20"), (-1e-7, "−1e−7")])
def test_a_power_of_ten_is_spelled_alike_in_full_and_on_a_card(number, text):
    assert exact(np.float32(number)) == text


def test_a_short_vector_is_written_out():
    assert short(np.array([1.0, -0.5, 0.25])) == "[1, −0.5, 0.25]"


def test_a_tensor_is_its_shape_and_euclidean_norm():
    assert short(np.full((3, 4), 2.0)) == "3×4 ‖6.93‖"  # sqrt(12 * 4) = 6.928


def test_the_length_of_a_row_is_not_read_as_a_number_beside_it():
    assert full(np.zeros(2)) == "[0, 0], norm 0"
    assert short(np.full(9, 2.0)) == "[9] ‖6‖"  # sqrt(9 * 4)


@pytest.mark.parametrize(
    ("dtype", "sizes"),
    [(np.float32, (1e-45, 1e-30, 1.0, 1e38)), (np.float64, (1e-308, 1e-200, 1.0, 1e300))],
)
def test_a_norm_has_all_its_digits_however_large_or_small_the_numbers_are(dtype, sizes):
    for size in sizes:
        numbers = (np.array([[3.0, -1.5, 0.25], [0.5, 2.0, -0.125]]) * size).astype(dtype)
        assert norm(numbers) == pytest.approx(math.hypot(*map(float, numbers.ravel())), rel=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_norm_of_what_is_not_finite_is_not_finite(dtype):
    assert norm(np.array([1.0, -np.inf], dtype)) == np.inf
    assert np.isnan(norm(np.array([1.0, np.nan, np.inf], dtype)))
    assert norm(np.zeros((0, 3), dtype)) == 0


def test_a_large_float32_tensor_has_a_finite_norm():
    assert norm(np.full(4, 1e30, np.float32)) == pytest.approx(2e30)


def test_a_scalar_has_an_empty_shape():
    assert shape(()) == ""


@given(arrays.arrays(np.float32, arrays.array_shapes(min_dims=0, max_dims=3, max_side=4), elements=FLOATS))
def test_any_array_becomes_text_that_json_can_carry(array):
    with np.errstate(all="ignore"):
        for text in (short(array), full(array)):
            assert json.loads(json.dumps(text, allow_nan=False)) == text


def test_an_array_without_elements_becomes_text():
    assert short(np.zeros((0, 3))) == "0×3 ‖0‖"


@pytest.mark.parametrize(
    ("dtype", "number", "brief", "whole"),
    [
        ("float16", 0.1, "0.09998", "0.1"),  # 0.0999755859375, the nearest with 11 bits
        ("bfloat16", 0.1, "0.1", "0.1"),  # 0.10009765625, the nearest with 8 bits
        ("bfloat16", 3.14159, "3.14", "3.14"),  # 3.140625
        ("bfloat16", 1e-40, "9.2e−41", "9e−41"),  # the smallest number, 2^-133 = 9.18e-41
        ("float16", 65504.0, "65500", "65500"),
        ("bfloat16", -2.0, "−2", "−2"),
    ],
)
def test_numbers_of_16_bits_have_the_digits_of_their_dtype(dtype, number, brief, whole):
    array = np.asarray(number, np.dtype(dtype))
    assert (short(array), exact(array)) == (brief, whole)
    assert np.asarray(float(exact(array).replace(MINUS, "-")), array.dtype) == array
