"""When two arrays are equal but for rounding, and how far apart they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SAME = 16  # units of the last digit by which the same number may differ, computed in two ways
ROOM = 4  # times the error to first order: both ways round, and XLA's functions not always to the nearest


class Pair(NamedTuple):
    """One array worked out in two ways; `name` says which array it is."""

    name: str
    one: np.ndarray
    other: np.ndarray


def paired(name: str, one: object, other: object) -> Pair:
    """Two arrays as float64."""
    return Pair(name, np.asarray(one, np.float64), np.asarray(other, np.float64))


def agree(pair: Pair, dtype: str, error: np.ndarray | float = 0.0) -> bool:
    """Whether no number is further off than its own last digits, and than rounding, `error`, can move it."""
    unit = float(np.finfo(dtype).eps) / 2
    return bool(np.all(gaps(pair) <= SAME * unit * _sizes(pair.one) + ROOM * error))


def gaps(pair: Pair) -> np.ndarray:
    """The differences; infinite where only one of the two is finite, and everywhere where shapes differ."""
    if pair.one.shape != pair.other.shape:
        return np.full(pair.one.shape, np.inf)
    same = (pair.one == pair.other) | (np.isnan(pair.one) & np.isnan(pair.other))
    with np.errstate(invalid="ignore"):
        found = np.where(same, 0.0, np.abs(pair.one - pair.other))
    return np.where(np.isnan(found), np.inf, found)


def share(pair: Pair) -> float:
    """The largest difference, as a share of the largest number."""
    gap = float(gaps(pair).max(initial=0.0))
    size = max(float(_sizes(array).max(initial=0.0)) for array in pair[1:])
    return gap / size if size else gap


def _sizes(array: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(array), np.abs(array), 0.0)
