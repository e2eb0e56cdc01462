"""Test that explanations refuse values of the wrong kind in words, as a `GraphError`."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_viz as av

NOISY = av.parse("x = 2.0\ny = dropout(x)")
NOT_NUMBERS = ("8", "", None, [], {}, 1j, b"x", object(), True, np.bool_(True))
NOT_COUNTS = (*NOT_NUMBERS, 1.5, float("nan"), float("inf"), -1, 10**30)
NOT_NAMES = (None, [], {}, 3, 1.5, True, b"x", object(), "no such node")


@pytest.fixture(scope="module")
def found():
    return av.trace(av.parse("x = 2.0\ny = sin(x)\nz = y * x"))


@pytest.mark.parametrize(
    "ask",
    [
        lambda found, given: av.paths(found, "x", given),
        lambda found, given: av.plans(found, given),
        lambda _, given: av.statistics(NOISY, given),
    ],
)
def test_what_is_no_count_is_refused(ask, found):
    for given in NOT_COUNTS:
        with pytest.raises(av.GraphError, match="must be a whole number from"):
            ask(found, given)


def test_counts_of_numpy_are_counts(found):
    assert len(av.paths(found, "x", np.int64(1)).paths) == 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda found, given: av.paths(found, given),
        lambda found, given: av.why_zero(found, given),
        lambda found, given: av.rule_check(found, given),
        lambda found, given: av.jacobian(found, given if given is not None else 0),
    ],
)
def test_what_is_no_name_is_refused(ask, found):
    for given in NOT_NAMES:
        with pytest.raises(av.GraphError):
            ask(found, given)
