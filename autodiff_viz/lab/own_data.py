"""Read a user's data to an array: columns of a spreadsheet, CSV or an .npy file. Nothing is evaluated."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from dataclasses import dataclass
from io import StringIO
from math import prod
from typing import NamedTuple, NoReturn

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import counted, listed

BYTES = 8 * limits.ELEMENTS + 10_000
"""Of an .npy file: a tensor of the largest size, of eight bytes a number, with its header."""

DATA_OF = "Data of"
"""Begins the label of an edit that sets an input to data, which says what was read."""

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "-"})
TRUTH = {"true": 1.0, "false": 0.0}

_PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_GROUPED = re.compile(r"[+-]?\d{1,3}([ '\u2019\u00a0\u202f]\d{3})+([.,]\d+)?", re.ASCII)
_COMMAS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", re.ASCII)
_POINTS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+|[+-]?\d{1,3}(\.\d{3}){2,}", re.ASCII)
_POINT = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)  # 1.000, which 0.125 cannot be
_DECIMAL = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_NUMBERS = (_PLAIN, _GROUPED, _COMMAS, _POINTS, _DECIMAL)
_HEADER = re.compile(
    rb"\{'descr': '([<>|=])([biuf])([1248])', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18}(?:, \d{1,18})*,?)?)\), \} *\n"
)


@dataclass(frozen=True, slots=True)
class Data:
    """Numbers from outside.

    Attributes:
      array: of float64; a table has two axes.
      notes: what was left out or read otherwise, in words.
    """

    array: np.ndarray
    notes: tuple[str, ...] = ()


class Marks(NamedTuple):
    """What commas and points are in the cells of a table.

    Attributes:
      decimal: commas stand for decimal points.
      commas: commas stand between thousands.
      points: points stand between thousands, for sure.
    """

    decimal: bool
    commas: bool
    points: bool


class Unreadable(GraphError):
    """Raised for a cell that is no number.

    Attributes:
      columns: to leave out, from 1, so that the others can be read.
      rows: whether leaving out the rows with empty cells would do.
    """

    def __init__(self, problem: Problem, columns: tuple[int, ...] = (), rows: bool = False):
        super().__init__(problem)
        self.columns, self.rows = columns, rows


def read_table(text: str, without: Collection[int] = (), complete: bool = False) -> Data:
    """Read a table: cells between tabs, semicolons, commas or spaces, a row for each line.

    Args:
      without: columns to leave out, counted from 1.
      complete: whether rows with an empty cell are left out.
    Raises:
      GraphError: it is too long, a row has another number of cells, or a cell is no number; the message names
        its row and column as they are in the text.
    """
    if len(text) > limits.TEXT:
        _refuse(f"This table has {len(text):,} characters; the limit is {limits.TEXT:,}.", "Take fewer rows.")
    if (lines := text.count("\n")) > 2 * limits.ELEMENTS:  # lines may be empty; before any cell is read
        _refuse(
            f"This table has {lines:,} lines; the limit is {limits.ELEMENTS:,} numbers.", "Take fewer rows."
        )
    rows, comma_splits = _rows(text.removeprefix("\ufeff"))
    if not rows:
        _refuse("There are no numbers in it.", "Copy cells with numbers.")
    first, width = rows[0]
    for number, cells in rows:
        if len(cells) != len(width):
            message = f"Row {number} has {counted(len(cells), 'cell')}, and row {first} has {len(width)}."
            _refuse(message, "Every row has the same number of cells.")
    notes: list[str] = []
    # A header has words and no number. "n/a" is no word: it stands for a number that is missing.
    words = [cell for cell in width if cell.lower() not in MISSING]
    has_number = any(
        cell.lower() in TRUTH or any(kind.fullmatch(cell) for kind in _NUMBERS) for cell in words
    )
    if len(rows) > 1 and words and not has_number:
        rows, notes = rows[1:], ["header row left out"]
    if gone := sorted({*without} & {*range(1, len(width) + 1)}):
        rows = [(n, [c for i, c in enumerate(cells, 1) if i not in gone]) for n, cells in rows]
        notes.append(f"column {listed([*map(str, gone)])} left out")
    kept = [i for i in range(1, len(width) + 1) if i not in gone]
    if complete:
        whole = [row for row in rows if not any(cell.lower() in MISSING for cell in row[1])]
        notes.append(f"{counted(len(rows) - len(whole), 'row')} with empty cells left out")
        rows = whole
    if not rows or not kept:
        _refuse("Nothing is left of this table.", "Leave less out.")
    _check_count(len(rows) * len(kept))
    return _numbers(rows, kept, comma_splits, notes)


def _rows(text: str) -> tuple[list[tuple[int, list[str]]], bool]:
    """Return the rows that are not empty, with their numbers, and whether commas divide the cells."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # Lines that all look like 1,000 may be one column or two: they stay whole, and both readings are named.
    alone = bool(lines) and all(map(_COMMAS.fullmatch, lines))
    # Spreadsheets copy tabs, and write semicolons where the comma is the decimal point; so these come first.
    sign = next((sign for sign in "\t;," if sign in text and not (alone and sign == ",")), None)
    if sign is None:
        numbered = enumerate(text.splitlines(), 1)
        return [(number, line.split()) for number, line in numbered if line.strip()], False
    reader = csv.reader(StringIO(text), delimiter=sign)
    try:
        # `line_num` is the line in the text, where a quoted cell may hold line breaks.
        rows = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as error:
        _refuse(f"Row {reader.line_num} cannot be read: {error}.", "Check its quotes.")
    return [(number, cells) for number, cells in rows if any(cells)], sign == ","


def _numbers(
    rows: list[tuple[int, list[str]]], kept: list[int], comma_splits: bool, notes: list[str]
) -> Data:
    """Convert cells to numbers, by what commas and points are in all of them."""
    cells = [cell for _, row in rows for cell in row]
    # 1,000 says nothing about commas. In 0,5 the comma can only be a point, and in 1.000,5 too; one such cell
    # decides for all, since a table has one notation. (The test for a comma excludes 1.000.000.)
    decimal = not comma_splits and any(
        "," in cell
        and not _COMMAS.fullmatch(cell)
        and bool(_DECIMAL.fullmatch(cell) or _POINTS.fullmatch(cell))
        for cell in cells
    )
    # In 1,000.5 and 1,000,000 the comma can only stand between thousands.
    sure = (_COMMAS.fullmatch(cell) and ("." in cell or cell.count(",") > 1) for cell in cells)
    marks = Marks(decimal, comma_splits or any(sure), any(_POINTS.fullmatch(cell) for cell in cells))
    array = np.empty((len(rows), len(kept)))
    for at, (number, row) in enumerate(rows):
        for column, cell in enumerate(row):
            value = _value(cell, marks)
            if value is None:
                raise _unreadable(rows, kept, number, column, marks)
            array[at, column] = value
    notes = [*notes, *(["decimal commas read as points"] if decimal else [])]
    # Every cell is a number by now: a comma that is no decimal point stood between thousands.
    if any(
        _GROUPED.fullmatch(cell) or _POINTS.fullmatch(cell) or ("," in cell and not decimal) for cell in cells
    ):
        notes.append("thousands separators left out")
    if any(cell.lower() in TRUTH for cell in cells):
        notes.append("true and false read as 1 and 0")
    return Data(array, tuple(notes))


def _value(cell: str, marks: Marks) -> float | None:
    """Return the number of a cell; None if it is none, or could be two."""
    decimal, grouped, points = marks
    if points and _POINT.fullmatch(cell):
        text = cell.replace(".", "")
    elif decimal and _POINT.fullmatch(cell):
        return None  # 1.000 beside 0,5: 1000 or 1
    elif _PLAIN.fullmatch(cell):
        text = cell
    elif cell.lower() in TRUTH:
        return TRUTH[cell.lower()]
    elif _GROUPED.fullmatch(cell):
        text = re.sub(r"[ '\u2019\u00a0\u202f]", "", cell).replace(",", ".")
    elif decimal and (_DECIMAL.fullmatch(cell) or _POINTS.fullmatch(cell)):
        text = cell.replace(".", "").replace(",", ".")
    elif grouped and not decimal and _COMMAS.fullmatch(cell):
        text = cell.replace(",", "")
    elif not decimal and _POINTS.fullmatch(cell) and "," not in cell:
        text = cell.replace(".", "")
    else:
        return None
    return value if abs(value := float(text)) <= limits.NUMBER else None  # 1e999 is infinite


def _unreadable(
    rows: list[tuple[int, list[str]]], kept: list[int], number: int, column: int, marks: Marks
) -> Unreadable:
    """Return the error of the first cell that is no number."""
    cell = next(row for n, row in rows if n == number)[column]
    where = f"Row {number}, column {kept[column]}"
    # All faults, not only the first: the answer offers to leave out every column, or every row, with one.
    faults = [(i, each[i]) for _, each in rows for i in range(len(kept)) if _value(each[i], marks) is None]
    columns = tuple(sorted({kept[i] for i, _ in faults}))
    if cell.lower() in MISSING:
        shown = f" ({cell})" if cell else ""
        message, hint = (
            f"{where} is empty{shown}; every cell needs a number.",
            "Fill it, or leave its row out.",
        )
        rows_do = all(each.lower() in MISSING for _, each in faults)
        return Unreadable(_problem(message, hint), () if rows_do else columns, rows_do)
    if marks.decimal and _POINT.fullmatch(cell):
        either = f"{cell.replace('.', '')} or {float(cell):g}"
        message = f"{where}: {cell} may be {either}, with decimal commas elsewhere."
        return Unreadable(_problem(message, "Write it without the point, or with a comma."))
    if _PLAIN.fullmatch(cell):
        message = f"{where}: {cell[:40]} is beyond {limits.NUMBER:g}."
        return Unreadable(_problem(message, "Divide the column by a large number."))
    if _COMMAS.fullmatch(cell):
        whole, point = cell.replace(",", ""), cell.replace(",", ".")
        message = f"{where}: {cell} may be {whole} or {point}."
        return Unreadable(
            _problem(message, "Write it without the comma, or with a point; between two columns put a tab.")
        )
    message = f"{where}: {cell[:40]!r} is no number."
    return Unreadable(_problem(message, "Leave the column out, or write numbers for it."), columns)


def read_npy(held: bytes) -> Data:
    """Read an .npy file: a header and the numbers, of whole numbers, floats or truth values.

    Raises:
      GraphError: it is no such file, of another kind, too large or cut off.
    """
    if len(held) > BYTES:
        _refuse(f"This file has {len(held):,} bytes; the limit is {BYTES:,}.", "Take fewer rows.")
    # The format (numpy.lib.format): 6 bytes of magic, 2 of version, the header's length, the header. From
    # version 2 on the length has 4 bytes. The header is a Python literal: a pattern reads it, nothing runs.
    start = 12 if held[6:7] in (b"\x02", b"\x03") else 10
    size = int.from_bytes(held[8:start], "little")
    header = _HEADER.fullmatch(held[start : start + size])
    if held[:6] != b"\x93NUMPY":
        _refuse("This is no .npy file.", "Save an array with numpy.save.")
    if header is None:
        hint = "Save one with numpy.save(name, array.astype('float32'))."
        _refuse("This .npy file holds no plain array of numbers.", hint)
    order, kind, width, fortran, lengths = (part.decode() for part in header.groups())
    if (kind == "b" and width != "1") or (kind == "f" and width == "1"):
        _refuse(f"Numbers of kind {kind}{width} cannot be read.", "Save the array as float32.")
    shape = tuple(int(each) for each in lengths.split(",") if each.strip())
    if len(shape) > limits.RANK:
        _refuse(f"This array has {len(shape)} axes; the limit is {limits.RANK}.", "Reshape it first.")
    _check_count(prod(shape))
    dtype = np.dtype(f"{order}{kind}{width}")
    if len(held) - start - size < prod(shape) * dtype.itemsize:
        _refuse("This .npy file is cut off.", "Save it again.")
    flat = np.frombuffer(held, dtype, prod(shape), start + size)
    array = flat.reshape(shape, order="F" if fortran == "True" else "C").astype(np.float64)
    bad = np.argwhere(~(np.abs(array) <= limits.NUMBER))  # "not <=" is true of a NaN too
    if len(bad):
        place = ", ".join(str(index) for index in bad[0])
        _refuse(f"The number at [{place}] is not finite, or beyond {limits.NUMBER:g}.", "Replace it first.")
    return Data(array)


def fitted(data: Data, rank: int) -> np.ndarray:
    """Return a table as an input of this rank holds it: one row or column is a vector, except of rank 2."""
    array = data.array
    if array.ndim == 2 and rank != 2 and 1 in array.shape:
        return array.reshape(array.size) if array.size > 1 else array.reshape(())
    return array


def _check_count(count: int) -> None:
    """Raise a GraphError where a tensor cannot have so many elements."""
    if count == 0:
        _refuse("This array is empty.", "Take some rows.")
    if count > limits.ELEMENTS:
        _refuse(f"These are {count:,} numbers; the limit is {limits.ELEMENTS:,}.", "Take fewer rows.")


def _problem(message: str, hint: str) -> Problem:
    return Problem("own-data", message, hint)


def _refuse(message: str, hint: str) -> NoReturn:
    raise GraphError(_problem(message, hint))
