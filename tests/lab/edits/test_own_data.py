"""Test data from outside: tables as spreadsheets copy them, CSV, and files that NumPy itself has written."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.canvas.notices import notice_data
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.actions import typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.own_data import BYTES, read_npy, read_table
from autodiff_viz.lab.state import Lab, formula_text, start
from autodiff_viz.language.parse import parse
from tests.lab.canvas_steps import after

TEXT = "x = [[1.0, 2.0]]\nw = [[0.5], [1.0]]\ny = x @ w\n"


def put(text: str, node: str | None = "x", **fields) -> dict:
    """Return the edit that sets an input to a table."""
    return {"kind": "data", "node": node, "text": text, **fields}


def file(array: np.ndarray, node: str | None = "x", **saved) -> dict:
    """Return the edit that sets an input to an .npy file."""
    return {"kind": "data", "node": node, "npy": b64encode(npy(array, **saved)).decode()}


def npy_with_shape(lengths: str) -> bytes:
    """Return an .npy file whose header has this text as its shape."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({lengths}), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8)


def npy(array: np.ndarray, **saved) -> bytes:
    """Return the file that NumPy writes."""
    held = BytesIO()
    np.save(held, array, **saved)
    return held.getvalue()


def value(lab: Lab, name: str = "x") -> np.ndarray:
    return np.asarray(lab.graph[name].param("value"))


def refused(text: str, **fields) -> dict:
    """Return the refusal of a table."""
    (notice,) = notice_data(edited(after(text=TEXT), put(text, **fields)).notice)
    return notice


@pytest.mark.parametrize(
    ("text", "numbers", "notes"),
    [
        ("1\t2\n3\t4", [[1, 2], [3, 4]], ()),
        ("1,2\r\n3,4\r\n", [[1, 2], [3, 4]], ()),
        ("1;2\n3;4", [[1, 2], [3, 4]], ()),
        ("1 2\n3 4", [[1, 2], [3, 4]], ()),
        ("\ufeffa\tb\n1\t2\n", [[1, 2]], ("header row left out",)),
        ('"first, one",b\n1,2\n\n-3,4e2\n', [[1, 2], [-3, 400]], ("header row left out",)),
        ("1,5\t2\n3\t,25", [[1.5, 2], [3, 0.25]], ("decimal commas read as points",)),
        ("1.234,5;2", [[1234.5, 2]], ("decimal commas read as points", "thousands separators left out")),
        ("1,234.5\t1,000", [[1234.5, 1000]], ("thousands separators left out",)),
        ('"1,234.5",2', [[1234.5, 2]], ("thousands separators left out",)),
        (
            "1.234,5;1.000",
            [[1234.5, 1000]],
            ("decimal commas read as points", "thousands separators left out"),
        ),
        ("1.234.567\t-1.000", [[1234567, -1000]], ("thousands separators left out",)),
        ("0.125;0,5;1.5", [[0.125, 0.5, 1.5]], ("decimal commas read as points",)),
        ("1.000\t2.5", [[1, 2.5]], ()),
        ("1 000\t2\u00a0000", [[1000, 2000]], ("thousands separators left out",)),
        ("TRUE\tfalse", [[1, 0]], ("true and false read as 1 and 0",)),
        ("7", [[7]], ()),
    ],
)
def test_a_table_is_read_as_its_numbers(text, numbers, notes):
    found = read_table(text)
    np.testing.assert_array_equal(found.array, np.asarray(numbers, float))
    assert found.notes == notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\t2\n3\tcat", "Row 2, column 2: 'cat' is no number."),
        ("a\tb\n1\t2\n\n3\t", "Row 4, column 2 is empty; every cell needs a number."),
        ("1\tNA\n3\t4", "Row 1, column 2 is empty (NA); every cell needs a number."),
        ("1\t2\n3", "Row 2 has 1 cell, and row 1 has 2."),
        ("1\t1e40", "Row 1, column 2: 1e40 is beyond 1e+30."),
        ("1,000\t2", "Row 1, column 1: 1,000 may be 1000 or 1.000."),
        ("0,5;2\n1.000;3", "Row 2, column 1: 1.000 may be 1000 or 1, with decimal commas elsewhere."),
        ("1\tinf", "Row 1, column 2: 'inf' is no number."),
        ("1\t__import__('os')", "Row 1, column 2: \"__import__('os')\" is no number."),
        ("12%\t1", "Row 1, column 1: '12%' is no number."),
        ("1\t2\u0662", "Row 1, column 2: '2\u0662' is no number."),
        ("", "There are no numbers in it."),
        (" \n\n", "There are no numbers in it."),
        ("1\n" * 65_537, "These are 65,537 numbers; the limit is 65,536."),
        ("1," * 850_001, "This table has 1,700,002 characters; the limit is 1,700,000."),
    ],
)
def test_a_table_that_cannot_be_read_says_where(text, message):
    assert refused(text)["message"] == message


def test_a_column_of_words_can_be_left_out_and_so_can_rows_with_empty_cells():
    lab = after(text=TEXT)
    table = "id\ta\tb\none\t1\t2\ntwo\t3\t4\n"
    offer = refused(table)
    assert offer["offer"] == "Leave out column 1"
    found = edited(lab, offer["edit"])
    assert value(found).tolist() == [[1, 2], [3, 4]]
    assert found.history.present.label == (
        "Data of x: 2 rows, 2 columns, float32; header row left out; column 1 left out"
    )
    gaps = refused("1\t2\n3\t\n5\t6")
    assert gaps["offer"] == "Leave out the rows with empty cells"
    assert value(edited(lab, gaps["edit"])).tolist() == [[1, 2], [5, 6]]


def test_data_is_one_step_of_undo_and_its_text_is_read_back():
    before = typed(start(), "# mine\n" + TEXT)
    lab = edited(before, put("1\t2\n3\t4\n5\t6"))
    assert formula_text(lab).startswith("# mine\nx = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]\n")
    assert parse(formula_text(lab)) == lab.graph
    assert trace(lab.graph).value["y"].tolist() == [[2.5], [5.5], [8.5]]
    assert undone(lab).graph == before.graph
    assert formula_text(undone(lab)) == formula_text(before)


@pytest.mark.parametrize(
    ("text", "table", "shape"),
    [
        ("x = 1.0", "1\n2\n3", (3,)),
        ("x = 1.0", "1\t2\t3", (3,)),
        ("x = 1.0", "5", ()),
        ("x = [1.0, 2.0]", "1\n2\n3", (3,)),
        ("x = [[1.0, 2.0]]", "1\n2\n3", (3, 1)),
        ("x = [[1.0, 2.0]]", "1\t2\t3", (1, 3)),
        ("x = input(shape=(4, 2), seed=0)", "1\t2\t3", (1, 3)),
        ("x = 1.0", "1\t2\n3\t4", (2, 2)),
    ],
)
def test_one_row_or_column_is_a_vector_unless_the_input_has_rows_and_columns(text, table, shape):
    lab = after(put(table), text=text)
    assert value(lab).shape == shape
    assert trace(lab.graph).value["x"].shape == shape


def test_a_shape_that_does_not_fit_is_said_with_the_node_that_it_does_not_fit():
    lab = edited(after(text=TEXT), put("1\t2\t3\n4\t5\t6"))
    assert lab.history.present.label == ("Data of x: 2 rows, 3 columns, float32; this shape does not fit y")


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "<i2", ">i4", "i8", "u8", "f2", "<f4", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_file_of_numpy_is_read_in_each_dtype_and_order(dtype, order):
    array = np.asarray([[1, 0, 1], [0, 1, 1]], dtype=dtype, order=order)
    np.testing.assert_array_equal(read_npy(npy(array)).array, array)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 2, 3), (2, 1, 2, 2)])
def test_a_file_has_the_shape_that_numpy_wrote(shape):
    array = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape) + 0.5
    lab = after(file(array), text="x = 1.0")
    np.testing.assert_array_equal(value(lab), array)


def header(shape: str) -> bytes:
    """The beginning of an .npy file with this text for its shape."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (b"PK\x03\x04", "This is no .npy file."),
        (b"", "This is no .npy file."),
        (npy(np.asarray(["a"])), "This .npy file holds no plain array of numbers."),
        (npy(np.asarray([1j])), "This .npy file holds no plain array of numbers."),
        (npy(np.asarray([{}], object)), "This .npy file holds no plain array of numbers."),
        (npy(np.zeros(2, [("a", "f4")])), "This .npy file holds no plain array of numbers."),
        (npy(np.zeros(4))[:-1], "This .npy file is cut off."),
        (npy(np.zeros(4))[:20], "This .npy file holds no plain array of numbers."),
        (npy(np.zeros((0, 2))), "This array is empty."),
        (npy(np.zeros(65_537, "i1")), "These are 65,537 numbers; the limit is 65,536."),
        (
            npy(np.asarray([0, np.nan])),
            "The number at [1] is not finite, or beyond 1e+30.",
        ),
        # lengths that int() does not read
        (header("9" * 5_000), "This .npy file holds no plain array of numbers."),
        (header("1 2,"), "This .npy file holds no plain array of numbers."),
        (header("999999999, 999999999"), "These are 999,999,998,000,000,001 numbers; the limit is 65,536."),
        (npy(np.zeros((1,) * 7)), "This array has 7 axes; the limit is 6."),
        (npy_with_shape("1 2,"), "This .npy file holds no plain array of numbers."),
        (npy_with_shape(",,2"), "This .npy file holds no plain array of numbers."),
        (npy_with_shape("9" * 5_000 + ","), "This .npy file holds no plain array of numbers."),
        (npy_with_shape("9" * 18 + ","), "These are 999,999,999,999,999,999 numbers; the limit is 65,536."),
        (b"\x93NUMPY" + bytes(BYTES), "This file has 534,294 bytes; the limit is 534,288."),
    ],
)
def test_a_file_that_cannot_be_read_says_why(held, message):
    with pytest.raises(GraphError) as caught:
        read_npy(held)
    assert caught.value.problems[0].message == message


def outcome(read, held) -> np.ndarray | str:
    """Return the array that is read, or why it is refused; anything else that is raised fails the test."""
    try:
        return read(held).array
    except GraphError as error:
        return error.problems[0].message


@given(st.binary(max_size=200))
def test_no_bytes_after_the_magic_ones_raise_anything_else(tail):
    for held in (tail, b"\x93NUMPY\x01\x00" + tail, npy(np.zeros(2))[:64] + tail):
        found = outcome(read_npy, held)
        assert isinstance(found, str) or found.dtype == np.float64


@given(st.text("0123456789.,;\t\n -+eEaN'\"\u00a0%", max_size=30))
def test_no_text_raises_anything_else(text):
    found = outcome(read_table, text)
    assert isinstance(found, str) or np.abs(found).max() <= limits.NUMBER


def test_data_goes_into_no_op_and_into_a_new_input_where_there_is_no_node():
    (notice,) = notice_data(edited(after(text=TEXT), put("1\t2", node="y")).notice)
    assert notice["message"] == "y is computed from other nodes; data goes into an input."
    lab = after(put("1\t2\n3\t4", node=None, at=[10, 20]), text=TEXT)
    assert value(lab, "z").tolist() == [[1, 2], [3, 4]]
    assert lab.graph["z"].position == (10.0, 20.0)
    assert after(put("1\t2", node="gone"), text=TEXT).graph == after(text=TEXT).graph


def test_a_parameter_stays_one_and_the_largest_tensor_fits():
    lab = after(put("1\t2"), text="x = parameter(shape=(2, 2), seed=3)")
    assert lab.graph["x"].is_parameter
    large = after(file(np.arange(limits.ELEMENTS, dtype=np.float64).reshape(256, 256)), text="x = 1.0")
    assert parse(formula_text(large)) == large.graph
