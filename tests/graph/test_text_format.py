"""Test numbers and lists as people read them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph.text import MINUS, listed, scalar


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.7040999, "0.7041"),
        (0.0, "0"),
        (-0.0, "0"),
        (2.0, "2"),
        (-1.5, MINUS + "1.5"),
        (12345.6, "12350"),
        (1e-4, "0.0001"),
        (1.23456e-5, "1.23e-5".replace("-", MINUS)),
        (999999.0, "1000000"),
        (1e6, "1e6"),
        (5e-324, "4.94e-324".replace("-", MINUS)),
        (math.nan, "NaN"),
        (math.inf, "\u221e"),
        (-math.inf, MINUS + "\u221e"),
    ],
)
def test_a_number_has_four_digits(number, text):
    assert scalar(number) == text


@given(st.floats(-1e307, 1e307), st.integers(4, 12))
def test_a_number_read_back_is_off_by_its_last_digit_at_most(number, digits):
    """With a power of ten there are two digits fewer, one of them before the dot."""
    found = float(scalar(number, digits).replace(MINUS, "-"))
    assert found == pytest.approx(number, rel=0.51 * 10.0 ** (2 - digits), abs=5e-324)


@pytest.mark.parametrize(
    ("items", "most", "text"),
    [
        ([], None, ""),
        (["a"], None, "a"),
        (["a", "b"], None, "a and b"),
        (["a", "b", "c"], None, "a, b and c"),
        (["a", "b", "c"], 3, "a, b and c"),
        (["a", "b", "c", "d", "e"], 3, "a, b, c and 2 more"),
        (["a", "b"], 1, "a and 1 more"),
    ],
)
def test_a_list_is_written_as_in_a_sentence(items, most, text):
    assert listed(items, most) == text
    assert listed(tuple(items), most) == text


def test_the_last_word_may_be_another():
    assert listed(["a", "b", "c"], last="or") == "a, b or c"
