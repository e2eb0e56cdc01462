"""Compare arrays computed in two ways: equality up to rounding, and the size of a difference."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autodiff_viz.graph.dtypes import DTYPES

SAME = 16  # units in the last place by which a number computed in two ways may differ
SAME_HALF = 2  # the same of 16 bits, whose last place is a thousandth of the number
ROOM = 4  # times the first-order error: both ways round, and XLA's functions not always to nearest


class Pair(NamedTuple):
    """One array computed in two ways; `name` says which array it is."""

    name: str
    one: np.ndarray
    other: np.ndarray


def paired(name: str, one: object, other: object) -> Pair:
    """Return a pair of two arrays as float64."""
    return Pair(name, np.asarray(one, np.float64), np.asarray(other, np.float64))


def agree(pair: Pair, dtype: str, error: np.ndarray | float = 0.0) -> bool:
    """Return whether no number differs by more than its own last digits, or than rounding can explain.

    Args:
      error: how far rounding may move each number, to first order.
    """
    return bool(np.all(gaps(pair.one, pair.other) <= equal_within(dtype) * _sizes(pair.one) + ROOM * error))


def equal_within(dtype: str) -> float:
    """Return the relative difference that two ways of computing a number may have."""
    limits = DTYPES[dtype]
    return (SAME_HALF if limits.half else SAME) * limits.eps / 2


def gaps(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the absolute differences of two arrays, in float64.

    0 where both are NaN or the same infinity; infinite where else only one of the two is finite, and
    everywhere if the shapes differ.
    """
    if one.shape != other.shape:
        return np.full(one.shape, np.inf)
    one, other = one.astype(np.float64, copy=False), other.astype(np.float64, copy=False)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(one - other))
    return np.where(np.isnan(gap), np.inf, gap)  # NaN: one of the two is NaN


def share(pair: Pair) -> float:
    """Return the largest difference as a share of the largest number."""
    gap = float(gaps(pair.one, pair.other).max(initial=0.0))
    size = max(float(_sizes(array).max(initial=0.0)) for array in pair[1:])
    return gap / size if size else gap


def _sizes(array: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(array), np.abs(array), 0.0)


# Compute the Euclidean norm of an array, without overflow and without threads.


def norm(array: np.ndarray) -> float:
    """Return the Euclidean norm, computed in float64."""
    # `np.linalg.norm` starts a BLAS thread for each processor, and these threads spin while they wait.
    single = np.asarray(array).dtype == np.float32
    array = np.asarray(array, np.float64)
    if array.ndim == 0:
        return abs(float(array))
    if single:  # float64 holds the squares of all float32 numbers
        return float(np.sqrt(np.square(array).sum()))
    largest = float(np.abs(array).max(initial=0.0))
    if largest == 0 or not np.isfinite(largest):
        return largest
    # Scaled to numbers near 1: the square of 1e-200 would be 0. A power of two loses no digit.
    exponent = np.frexp(largest)[1]
    return float(np.ldexp(np.sqrt(np.square(np.ldexp(array, -exponent)).sum()), exponent))
