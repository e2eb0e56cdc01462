"""Test the axis of sizes: linear while that shows everything, else logarithmic on both sides of zero."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.display.theme import scale_for

SIZES = st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), max_size=8)


def test_sizes_within_three_decades_are_drawn_in_proportion():
    assert [scale_for([1.0, -500.0]).place(size) for size in (1.0, -500.0)] == [1.0, -500.0]


def test_sizes_over_more_decades_keep_their_sign_and_their_order():
    scale = scale_for([1e-9, -1e-3, 5.0])
    places = [scale.place(size) for size in (-1e-3, 0.0, 1e-9, 5.0)]
    assert places == sorted(places)
    assert places[0] < 0 == places[1] < places[2]


def test_ticks_of_a_logarithmic_axis_stand_at_powers_of_ten():
    texts = [
        re.sub("</?span[^>]*>", "", text) for text in scale_for([1e-6, -100.0, 100.0]).ticks()["ticktext"]
    ]
    assert "10<sup>2</sup>" in texts
    assert "−10<sup>2</sup>" in texts
    assert "0" in texts


@given(SIZES)
def test_every_finite_size_is_inside_the_axis_whatever_the_sizes_are(sizes):
    scale = scale_for(sizes)
    low, high = scale.range
    assert low <= 0 <= high
    assert low < high
    finite = [size for size in sizes if abs(size) < float("inf")]
    assert all(low <= scale.place(size) <= high for size in finite)


@given(SIZES)
def test_there_are_few_ticks_and_each_is_inside_the_axis(sizes):
    scale = scale_for(sizes)
    low, high = scale.range
    places = scale.ticks().get("tickvals", [])
    assert len(places) <= 9
    assert all(low <= place <= high for place in places)
    assert places == pytest.approx(sorted(set(places)))
