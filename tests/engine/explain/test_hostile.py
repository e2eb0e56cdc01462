"""Values of the wrong kind given to the explanations: each is refused in words, as a `GraphError`."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_viz as av

FOUND = av.trace(av.parse("x = 2.0\ny = sin(x)\nz = y * x"))
NOISY = av.parse("x = 2.0\ny = dropout(x)")
NOT_NUMBERS = ("8", "", None, [], {}, 1j, b"x", object(), True, np.bool_(True))
NOT_COUNTS = (*NOT_NUMBERS, 1.5, float("nan"), float("inf"), -1, 10**30)
NOT_NAMES = (None, [], {}, 3, 1.5, True, b"x", object(), "no such node")


@pytest.mark.parametrize(
    "ask",
    [
        lambda given: av.paths(FOUND, "x", given),
        lambda given: av.plans(FOUND, given),
        lambda given: av.statistics(NOISY, given),
    ],
)
def test_what_is_no_count_is_refused(ask):
    for given in NOT_COUNTS:
        with pytest.raises(av.GraphError, match="must be a whole number from"):
            ask(given)


def test_counts_of_numpy_are_counts():
    assert len(av.paths(FOUND, "x", np.int64(1)).paths) == 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda given: av.paths(FOUND, given),
        lambda given: av.why_zero(FOUND, given),
        lambda given: av.rule_check(FOUND, given),
        lambda given: av.jacobian(FOUND, given if given is not None else 0),
    ],
)
def test_what_is_no_name_is_refused(ask):
    for given in NOT_NAMES:
        with pytest.raises(av.GraphError):
            ask(given)
