"""Compute the Euclidean norm of an array, without overflow and without threads."""

from __future__ import annotations

import numpy as np


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
