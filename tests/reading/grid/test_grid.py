"""Test that each name that the reader knows gives what its library gives on the grid, or is refused."""

import numpy as np
import pytest

from tests.reading.grid.compare import differs
from tests.reading.grid.outcomes import (
    MOST,
    cases,
    known_wrong,
    names,
    registered,
    without_row,
    wrong,
)
from tests.reading.grid.rows import DIALECTS, alias_of, without

NAMES = [(dialect, name) for dialect in DIALECTS for name in names(dialect)]


@pytest.mark.sampled(60)
@pytest.mark.parametrize(("dialect", "name"), NAMES, ids=[f"{dialect}-{name}" for dialect, name in NAMES])
def test_a_name_gives_what_its_library_gives(dialect, name):
    listed = {case.name for case in cases(dialect, name)} & {*known_wrong()}
    found = wrong(dialect, name)
    new = {case: says for case, says in found.items() if case not in listed}
    assert not new, "mend these, or let the reader refuse them"
    assert not listed - {*found}, "right now: python -m tests.reading.grid.outcomes"


def test_every_name_has_a_row_or_a_reason():
    assert not without_row(), "write how these are called into rows.txt"


def test_a_reason_is_given_for_names_that_have_no_row():
    held = {name for dialect in DIALECTS for name in names(dialect)}
    known = {alias_of(name) for name in registered()}
    assert not [name for name in without() if name not in known or name in held]


def test_the_list_of_wrong_cases_only_shrinks():
    assert len(known_wrong()) <= MOST
    there = {case.name for dialect, name in NAMES for case in cases(dialect, name)}
    assert not [case for case in known_wrong() if case not in there]


@pytest.mark.parametrize(
    ("got", "right", "same"),
    [
        ([1.0, np.nan], [1.0, np.nan], True),
        ([1.0 + 2e-7], [1.0], True),
        ([1e-45], [0.0], True),
        ([1.0 + 1e-4], [1.0], False),
        ([1e-20], [0.0], False),
        ([0.0], [np.nan], False),
        ([np.inf], [-np.inf], False),
        ([3.4e38], [np.inf], False),
        ([1.0], [[1.0]], False),
    ],
)
def test_a_difference_is_told(got, right, same):
    told = differs(np.float32(got), np.float32(right), lambda: None)
    assert (told == "") is same


def test_what_the_library_itself_rounds_is_no_difference():
    """Where the argument is rounded sin(1e20) is right to no digit: twice its error is the room."""
    assert differs(np.float32([0.5]), np.float32([0.4]), lambda: np.array([0.06])) == ""
    assert differs(np.float32([0.5]), np.float32([0.4]), lambda: np.array([0.04])) != ""


def test_in_a_sum_the_largest_number_is_the_measure():
    got, right = np.float32([1e4, 1e-3]), np.float32([1e4, 0.0])
    assert differs(got, right, lambda: None, elementwise=False) == ""
    assert differs(got, right, lambda: None) != ""
