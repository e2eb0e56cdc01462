"""Test an index as data, as Python's own and as text."""

import ast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.ops import indexing

SMALL = st.integers(-9, 9)
ENDS = st.none() | SMALL
PARTS = SMALL | st.none() | st.just("...") | st.tuples(ENDS, ENDS, ENDS)
INDEXES = st.lists(PARTS, max_size=4).map(tuple)


@given(INDEXES)
def test_text_reads_back(index):
    assert indexing.from_text(indexing.to_text(index)) == index


@given(INDEXES)
def test_index_is_what_python_reads_from_its_text(index):
    class Probe:
        def __getitem__(self, item):
            return item if isinstance(item, tuple) else (item,)

    assert eval(f"x[{indexing.to_text(index)}]", {"x": Probe()}) == indexing.to_python(index)


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("0", (0,)),
        ("-1", (-1,)),
        ("0, 1:3", (0, (1, 3, None))),
        (":, ::2", ((None, None, None), (None, None, 2))),
        ("..., None", ("...", None)),
        ("(0, 1)", (0, 1)),
        ("()", ()),
    ],
)
def test_text_is_read(text, index):
    assert indexing.from_text(text) == index


@pytest.mark.parametrize(
    "text",
    ["", "1.5", "True", "x", "f(0)", "[0, 1]", "0][1", "0 +", "1:y", "'...'", "-None", "--1", "(" * 300],
)
def test_what_is_no_index_is_refused(text):
    with pytest.raises(ValueError, match="index"):
        indexing.from_text(text)


def test_message_names_the_part_at_fault():
    with pytest.raises(ValueError, match=r"^'n \+ 1' cannot be in an index"):
        indexing.from_ast(ast.parse("x[0, n + 1]", mode="eval").body.slice)


@pytest.mark.parametrize("data", [0, [0], (0.5,), (True,), ("a",), ((0, 1),), ((0, 1, "2"),), ([0],)])
def test_data_from_a_file_is_checked(data):
    with pytest.raises(ValueError, match="index"):
        indexing.to_python(data)


def test_numpy_takes_what_to_python_gives():
    grid = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(grid[indexing.to_python(((None, None, -1), 1))], [9, 5, 1])
