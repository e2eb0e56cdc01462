"""Equality up to rounding of the numbers of two programs, which may add them up in another order."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from autodiff_viz.engine.diagnostics.tolerance import SAME
from autodiff_viz.engine.live_path.arrays import FLOAT32, FLOAT64

LEFT = 1e-4  # of a difference may be left in float64; of rounding a millionth of that is left
SMALL = 1e-3  # of a number may be rounding; more is an underflow, or a step taken in one program only
LAST = 64  # units in the last place of the largest number, in float64, which has nothing finer beside it

EPSILON = {dtype: float(np.finfo(dtype).eps) for dtype in (FLOAT32, FLOAT64)}

Exact = Callable[[], tuple[np.ndarray, np.ndarray]]


def same_numbers(one: np.ndarray, other: np.ndarray, dtype: str, exact: Exact, largest: float) -> bool:
    """Return whether two arrays are equal up to rounding.

    NaN equals NaN, and an infinity an infinity of its sign. Numbers are equal within 16 units in the last
    place. A larger difference is rounding if it is all but gone in float64, and is small beside the number,
    or the number is gone there too: it was what a cancellation had left over.

    Args:
      exact: returns the same arrays of the two programs in float64; called only if it matters.
      largest: the largest number of the pass, for a `dtype` of float64, which has nothing finer beside it.
    """
    if one.shape != other.shape:
        return False
    if one.tobytes() == other.tobytes():
        return True
    if one.ndim == 0 and _is_near(one.item(), other.item(), dtype):
        return True
    gap, size = _gaps(one, other), _sizes(one, other)
    unit = EPSILON[dtype] / 2
    wide = ~(gap <= SAME * unit * size)
    if not wide.any():
        return True
    if not np.isfinite(gap[wide]).all():
        return False
    if dtype == FLOAT64:
        return bool((gap <= LAST * unit * largest).all())
    pair = exact()
    left, true = _gaps(*pair), _sizes(*pair)
    explained = (left <= LEFT * gap) & ((gap <= SMALL * true) | (true <= LEFT * gap))
    return bool(explained[wide].all())


def _is_near(one: float, other: float, dtype: str) -> bool:
    """Whether two finite numbers are equal within their last digits: the usual case, found quickly."""
    return abs(one - other) <= SAME * EPSILON[dtype] / 2 * max(abs(one), abs(other)) < inf


def _gaps(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the absolute differences; infinite where one of the two is not finite and the other differs."""
    one, other = np.asarray(one, np.float64), np.asarray(other, np.float64)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        found = np.where(same, 0.0, np.abs(one - other))
    return np.where(np.isnan(found), np.inf, found)


def _sizes(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the larger of the two sizes of each number."""
    pair = (np.abs(np.asarray(each, np.float64)) for each in (one, other))
    return np.fmax(*(np.where(np.isfinite(each), each, 0.0) for each in pair))
