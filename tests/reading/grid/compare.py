"""Compare what the reader gives for a case with what its library gave."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.reading.reading import read
from tests.reading.grid.libraries import Numbers, errors_of, numbers_of
from tests.reading.grid.texts import Case

SINGLE, DOUBLE = 4e-6, 1e-13
"""Relative differences that are rounding: 34 units in the last place of float32, and 450 of float64.

A function of one number is right to a few units in either library; its derivative is a product of several
such. What mixes the elements of an array (a sum, a product of matrices) is rounded in units of its largest
number; the order of its steps is the library's own. Where a library's own answer in single precision is
further from its answer in double precision (the sine of 1e20, a difference of nearly equal numbers), twice
its own error is the measure: it shows no more digits.
"""

SMALLEST = 2.4e-38
"""The smallest normal float32, twice: below it one library rounds to 0 and another does not."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case.

    Attributes:
      kind: "right"; "refused"; or what is wrong: "value", "gradient", "shape", "taken" (the library raises an
        error) or "fault" (the reader fails).
      says: the code of a refusal and its words, or what differs.
    """

    kind: str
    says: str = ""

    @property
    def wrong(self) -> bool:
        """Whether the reader says something else than the library."""
        return self.kind not in ("right", "refused")


def outcome(case: Case) -> Outcome:
    """Return what the reader makes of a case, compared with its library."""
    right = numbers_of(case)
    logging.getLogger("autodiff_viz.reading.reading").setLevel(logging.CRITICAL)
    try:
        reading = read(case.text)
        if reading.refused:
            return _refused(reading.refused[0], right)
        values = reading.values()
        got = {name: values.get(name) for name in case.values}
        if case.answers:
            found = reading.answers()
            got |= {name: found.get(name) for name in case.answers}
    except GraphError as error:
        return _refused(error.problems[0], right)
    if right is None:
        return Outcome("taken", f"y = {np.asarray(got['y']).ravel()[:6]}")
    for name in (*case.values, *case.answers):
        if name not in right:
            continue
        told = differs(got[name], right[name], lambda name=name: errors_of(case).get(name), case.elementwise)
        if told:
            is_shape = told.startswith("shape")
            return Outcome("shape" if is_shape else "value" if name == "y" else "gradient", f"{name}: {told}")
    return Outcome("right")


def _refused(problem: Problem, right: Numbers | None) -> Outcome:
    says = f"{problem.code}: {problem.message}"
    if problem.code == "reader-fault":
        return Outcome("fault", says)
    return Outcome("right" if right is None else "refused", says)


def differs(
    got: np.ndarray | None,
    right: np.ndarray | None,
    error: Callable[[], np.ndarray | None],
    elementwise: bool = True,
) -> str:
    """Return how an array differs from the right one, an empty text if it does not.

    Args:
      error: returns how far the right one is from the same in double precision, if that is known.
      elementwise: whether each element is rounded by itself.
    """
    if got is None or right is None:
        return "" if got is right else f"{_short(got)} for {_short(right)}"
    got, right = np.asarray(got), np.asarray(right)
    if got.shape != right.shape:
        return f"shape {got.shape} for {right.shape}"
    double = right.dtype == np.float64 and got.dtype == np.float64
    got, right = got.astype(float), right.astype(float)
    with np.errstate(all="ignore"):
        same = (got == right) | (np.isnan(got) & np.isnan(right))
        near = np.isfinite(got) & np.isfinite(right)
        # The cotangents are 1, 2, 3, ...
        least = SMALLEST * np.arange(1.0, right.size + 1.0).reshape(right.shape)
        size = np.abs(right)
        if not elementwise:
            size = np.maximum(size, size[np.isfinite(size)].max(initial=0.0))
        room = (DOUBLE if double else SINGLE) * size + least
        same |= near & (np.abs(got - right) <= room)
        if same.all():
            return ""
        apart = error()
        if apart is not None:
            same |= near & (np.abs(got - right) <= room + 2 * apart)
    if same.all():
        return ""
    bad = np.flatnonzero(~same.ravel())
    shown = ", ".join(f"[{i}] {got.ravel()[i]:.7g} for {right.ravel()[i]:.7g}" for i in bad[:4])
    return f"{shown}{f' and {len(bad) - 4} more' if len(bad) > 4 else ''}"


def _short(value: np.ndarray | None) -> str:
    return "None" if value is None else f"{np.asarray(value).ravel()[:4]}"
