"""Test numbers of two programs for equality up to rounding, since they may add in another order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from autodiff_viz.engine.diagnostics.tolerance import ROOM, gaps, same
from autodiff_viz.graph.registries.dtypes import FLOAT64

LEFT = 1e-4  # of a difference may be left in float64; of rounding a millionth of that is left
SMALL = 1e-3  # of a number may be rounding; more is an underflow, or a step taken in one program only
LARGE = 1e-6  # share of the largest number of the pass, of which no gap in float64 is put down to rounding

Two = tuple[np.ndarray, np.ndarray]


def same_numbers(
    pairs: Sequence[Two],
    dtype: str,
    exact: Callable[[], Sequence[Two]],
    errors: Callable[[], Sequence[Two]],
    largest: float,
) -> list[bool]:
    """Return for each pair of arrays whether they are equal up to rounding.

    NaN equals NaN, and an infinity an infinity of its sign. Numbers are equal within 16 units in the last
    place, or 2 of a number of 16 bits. A larger difference is rounding if it is all but gone in float64, and
    is small beside the number, or the number is gone there too: it was what a cancellation had left over.
    In float64, which has nothing finer beside it, a larger difference is rounding if the error analysis of
    the two programs explains it.

    Args:
      exact: returns the same pairs in float64; called only if it matters.
      errors: returns how far rounding may move each number in float64; called only if it matters, since it
        takes as long as the check of the whole program.
      largest: the largest number of the pass in float64.
    """
    found = [one.shape == other.shape for one, other in pairs]
    unsure = [i for i, (one, other) in enumerate(pairs) if found[i] and one.tobytes() != other.tobytes()]
    if not unsure:
        return found
    pair = _joined(pairs, unsure)
    if dtype == FLOAT64:
        apart = _apart_in_float64(pair, lambda: _joined(errors(), unsure), largest)
    else:
        apart = _apart(pair, dtype, lambda: _joined(exact(), unsure))
    starts = np.cumsum([0, *(pairs[i][0].size for i in unsure[:-1])])
    for i, differs in zip(unsure, np.logical_or.reduceat(apart, starts), strict=True):
        found[i] = not differs
    return found


def _joined(pairs: Sequence[Two], chosen: Sequence[int]) -> Two:
    """Return the numbers of all chosen pairs in a row: far quicker than one pair after the other."""
    one, other = (np.concatenate([np.ravel(pairs[i][side]) for i in chosen]) for side in (0, 1))
    return one.astype(np.float64), other.astype(np.float64)


def _apart(pair: Two, dtype: str, exact: Callable[[], Two]) -> np.ndarray:
    """Return where two arrays of fewer digits than float64 differ by more than rounding."""
    gap = gaps(*pair)
    wide = ~(gap <= same(dtype) * _sizes(pair))
    if not (wide & np.isfinite(gap)).any():
        return wide
    there = exact()
    left, true = gaps(*there), _sizes(there)
    explained = np.isfinite(gap) & (left <= LEFT * gap) & ((gap <= SMALL * true) | (true <= LEFT * gap))
    return wide & ~explained


def _apart_in_float64(pair: Two, errors: Callable[[], Two], largest: float) -> np.ndarray:
    """Return where two arrays of float64 differ by more than rounding."""
    gap = gaps(*pair)
    last = same(FLOAT64) * _sizes(pair)
    wide = ~(gap <= last)
    unsure = wide & (gap <= LARGE * largest)
    if not unsure.any():
        return wide
    one, other = errors()
    return wide & ~(unsure & (gap <= last + ROOM * (one + other)))


def _sizes(pair: Two) -> np.ndarray:
    """Return the larger of the two sizes of each number."""
    return np.fmax(*(np.where(np.isfinite(each), np.abs(each), 0.0) for each in pair))
