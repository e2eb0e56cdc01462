"""Tell what rounding leaves of a number from the number itself: two computed numbers may be one in truth.

Where terms cancel, as in the gradient of `sum(softmax(x))`, calculus says 0 and the trace 1e-8. How much may
be put down to rounding follows from the terms, by an error analysis of the whole program. Where rounding
could explain a difference, float64 decides: of rounding next to nothing is left there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff_viz.asking.question import COTANGENT, COUNTS, VALUE, Quantity
from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.tolerance import ROOM, equal_within, gaps
from autodiff_viz.engine.trace import Trace, exact_inputs, trace
from autodiff_viz.engine.verify import rounding_errors, without_regions
from autodiff_viz.explain.compare.compute import LEFT, SMALL, sizes
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32, FLOAT64
from autodiff_viz.graph.problem import GraphError


class Measured:
    """Numbers of a trace, with the same numbers in another precision and the room that rounding has.

    Attributes:
      found, asked: the trace and the quantity.
      numbers: of the quantity's array, in float64.
    """

    def __init__(self, found: Trace, asked: Quantity, take: Callable[[np.ndarray], Any] = np.asarray):
        """Take numbers of an array.

        Args:
          take: returns them, or their norm.
        """
        self.found, self.asked, self._take = found, asked, take
        self.numbers = self.in_dtype(found.dtype)

    def in_dtype(self, dtype: str) -> np.ndarray:
        """Return the numbers that the program has in a precision.

        Raises:
          GraphError: the program cannot run in it.
        """
        return np.asarray(self._take(_array(in_dtype(self.found, dtype), self.asked)), np.float64)

    def room(self, dtype: str) -> np.ndarray:
        """Return how far rounding may move each number in a precision.

        Raises:
          GraphError: the program cannot run in it.
        """
        found, asked = in_dtype(self.found, dtype), self.asked
        # With gaps, though there are none: what underflows is then no rounding.
        values, _, by_wire = rounding_errors(without_regions(found), ({}, {}, {}))
        slot = ARRIVING if asked.of == COTANGENT else asked.slot
        error = values.get(asked.node) if asked.of == VALUE else by_wire.get((asked.node, slot))
        error = np.broadcast_to(0.0 if error is None else error, _array(found, asked).shape)
        return ROOM * np.asarray(self._take(error), np.float64)


def _array(found: Trace, asked: Quantity) -> np.ndarray:
    if asked.of == VALUE:
        array = found.value[asked.node]
    elif asked.of == COTANGENT:
        array = found.cotangent[asked.node]
    else:
        array = found.passed[asked.node, asked.slot]
    return array.astype(np.float64)


def in_dtype(found: Trace, dtype: str) -> Trace:
    """Return a trace of the same program in another precision.

    An input that the graph holds as a decimal, such as 0.1, is that decimal in float64.

    Raises:
      GraphError: the program cannot run in it.
    """
    if dtype == found.dtype:
        return found
    given = exact_inputs(found) if dtype == FLOAT64 else found.inputs
    return trace(found.graph, given, found.seed, dtype=dtype)


def apart(one: Measured, other: Measured | None = None) -> np.ndarray:
    """Return where numbers differ by more than rounding from others, or from 0; `True` for other shapes."""
    both = [each for each in (one, other) if each is not None]
    nothing = [np.zeros_like(one.numbers)] * (2 - len(both))
    dtype = max((each.found.dtype for each in both), key=lambda each: DTYPES[each].eps)
    finer = FLOAT32 if dtype == FLOAT64 else FLOAT64
    pair = *(each.numbers for each in both), *nothing
    if pair[0].shape != pair[1].shape:
        return np.array(True)
    gap, wide = gaps(*pair), ~_close(pair, dtype)
    if not (wide & np.isfinite(gap)).any():
        return wide
    try:
        beside = *(each.in_dtype(finer) for each in both), *nothing
        left = gaps(*beside)
        # In float64 rounding is all but gone. What is in float64 itself may be a true difference if it is the
        # same in float32, where rounding is another one.
        is_gone = ~(np.abs(left - gap) <= SMALL * gap) if dtype == FLOAT64 else left <= LEFT * gap
        explained = wide & np.isfinite(gap) & is_gone
        if explained.any():
            explained &= gap <= sum(each.room(each.found.dtype) for each in both)
        if dtype != FLOAT64 and (explained & (left > 0)).any():
            # What is left in float64 may be a small number, which is true, or again rounding.
            explained &= _close(beside, FLOAT64) | (left <= sum(each.room(FLOAT64) for each in both))
    except GraphError:  # it runs in one precision alone
        return wide
    return wide & ~explained


def _close(pair: Sequence[np.ndarray], dtype: str) -> np.ndarray:
    """Return where two arrays agree but for the last digits of a dtype."""
    return gaps(*pair) <= equal_within(dtype) * sizes(pair)


def equal_numbers(one: Sequence[float], other: Sequence[float], dtype: str) -> bool:
    """Return whether numbers, of which no program is known, agree but for the last digits of a dtype."""
    pair = np.asarray(one), np.asarray(other)
    return pair[0].shape == pair[1].shape and bool(_close(pair, dtype).all())


def leftover(found: Trace, asked: Quantity) -> np.ndarray:
    """Return where an array has what rounding leaves of a 0: terms that are not 0 cancel there."""
    if asked.of in COUNTS:
        return np.zeros((), bool)
    measured = Measured(found, asked)
    return (measured.numbers != 0) & ~apart(measured)
