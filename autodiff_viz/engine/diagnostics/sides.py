"""Compare the slopes on both sides of a number: central differences, corners and jumps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

NEARER = 0.125  # shorter step, as a share of the usual one: distinguishes a corner from curvature
TURNS = 0.1  # share of a slope: a shorter step that changes more of it says that the step is too long
LOST = 1e-3  # rounding that is larger, and more than that share of the slope, leaves nothing of it


class Beside(NamedTuple):
    """Slopes below and above each chosen element.

    Rounding can explain a difference of slopes of `rounding`, curvature and rounding one of `least`.
    """

    below: np.ndarray
    above: np.ndarray
    least: np.ndarray
    rounding: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """The central difference."""
        with np.errstate(invalid="ignore"):
            return (self.below + self.above) / 2


def breaks(wide: Beside, near: Beside) -> np.ndarray:
    """Return where the derivative jumps, or the value does; `near` has the slopes with the shorter step.

    The slopes on both sides of a corner stay as they are with the shorter step. At a jump of the value it is
    the rise that stays: the slope grows as the step gets shorter.
    """
    with np.errstate(invalid="ignore"):
        corner = np.abs(wide.above - wide.below) > wide.least
        steps = np.zeros(corner.shape, bool)
        for slope, nearer in ((wide.below, near.below), (wide.above, near.above)):
            size = np.abs(slope)
            corner &= np.abs(nearer - slope) <= 0.1 * np.abs(wide.above - wide.below)
            steps |= (size > wide.least) & (np.abs(nearer * NEARER - slope) <= 0.1 * size)
        return corner | steps


def central(wide: Beside, near: Beside) -> tuple[np.ndarray, np.ndarray]:
    """Return central differences, and how far the two steps are apart.

    Their error grows as the square of the step, which two steps take away (Richardson's extrapolation). They
    are NaN where rounding or the step's length decides what they are.
    """
    with np.errstate(invalid="ignore"):
        turn = np.abs(near.mean - wide.mean)
        size = np.maximum(np.abs(near.mean), np.abs(wide.mean))
        found = near.mean + (near.mean - wide.mean) * NEARER**2 / (1 - NEARER**2)
        lost = near.rounding > np.maximum(TURNS * size, LOST)
        lost |= turn > np.maximum(TURNS * size, near.rounding)
        return np.where(lost, np.nan, found), turn


def beyond(wide: Beside, near: Beside) -> Iterator[np.ndarray]:
    """Yield the slopes below and above each position, between the shorter and the usual step from it."""
    with np.errstate(invalid="ignore"):
        for far, close in ((wide.below, near.below), (wide.above, near.above)):
            yield (far - NEARER * close) / (1 - NEARER)
