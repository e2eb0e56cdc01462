"""Test that broadcasts to all pairs are reported, and those that surprise nobody are not."""

import pytest

from autodiff_viz.engine.trace import mixes, trace
from autodiff_viz.language.parse import parse

COLUMN, ROW = "[[1.0], [2.0], [3.0], [4.0]]", "[1.0, 2.0, 3.0, 4.0]"


def found(text):
    return tuple(mixes(trace(parse(text))))


@pytest.mark.parametrize("call", ["a - b", "b * a", "maximum(a, b)", "mean_squared_error(a, b)"])
def test_a_column_and_a_row_make_all_pairs(call):
    (mix,) = found(f"a = {COLUMN}\nb = {ROW}\ny = {call}")
    *shapes, result = mix.claims[0].numbers
    assert (mix.node, result) == ("y", (4, 4))
    assert set(shapes) == {(4, 1), (4,)}


def test_it_is_said_in_words():
    (mix,) = found(f"a = {COLUMN}\nb = {ROW}\ny = mean_squared_error(a, b)")
    assert mix.text.startswith("All pairs: predictions [4, 1] and targets [4] were broadcast to [4, 4].")


def test_a_constant_in_a_slot_counts_too():
    (mix,) = found(f"a = {COLUMN}\ny = a - {ROW}")
    assert mix.node == "y"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (ROW, ROW),
        (COLUMN, COLUMN),
        (COLUMN, "2.0"),
        ("2.0", ROW),
        ("[[1.0, 2.0], [3.0, 4.0]]", "[1.0, 2.0]"),  # a bias
        ("[[1.0], [2.0]]", "[[1.0, 2.0, 3.0]]"),  # an outer product, as it is written
        ("[[1.0]]", ROW),
    ],
)
def test_what_surprises_nobody_is_not_said(a, b):
    assert found(f"a = {a}\nb = {b}\ny = a + b") == ()


def test_a_layer_with_its_bias_is_no_mix():
    assert found(f"x = {COLUMN}\nw = [[1.0, 2.0]]\ny = dense(x, w, [0.5, 0.5])") == ()
