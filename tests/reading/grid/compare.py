"""Compare what the reader gives for a case with what its library gave."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.reading.reading import read
from tests.reading.grid.texts import Case

Numbers = Mapping[str, np.ndarray | None]

SINGLE, DOUBLE = 4e-6, 1e-13
"""Relative differences that are rounding: 34 units in the last place of float32, and 450 of float64.

A function of one number is right to a few units in either library; its derivative is a product of several such.
Where a library's own answer in single precision is further from its answer in double precision (the sine of
1e20, a difference of nearly equal numbers), its own error twice is the measure: it then shows no more digits.
"""

SMALLEST = 2.4e-38
"""The smallest normal float32, twice: below it one library rounds to 0 and another does not."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case.

    Attributes:
      kind: "right"; "refused"; or what is wrong: "value", "gradient", "shape", "taken" (the library raises an
        error) or "fault" (the reader fails).
      says: the code of a refusal, or what differs.
    """

    kind: str
    says: str = ""

    @property
    def wrong(self) -> bool:
        """Whether the reader says something else than the library."""
        return self.kind not in ("right", "refused")


def outcome(case: Case, right: Numbers | None, errors: Callable[[], Numbers]) -> Outcome:
    """Return what the reader makes of a case.

    Args:
      right: numbers of the library, None if it raises an error.
      errors: returns how far these are from the library's numbers in double precision.
    """
    logging.getLogger("autodiff_viz.reading.reading").setLevel(logging.CRITICAL)
    try:
        reading = read(case.text)
        if reading.refused:
            problem = reading.refused[0]
            return Outcome("fault" if problem.code == "reader-fault" else "refused", _said(problem))
        values = reading.values()
        got = {name: values.get(name) for name in case.values}
        if case.answers:
            found = reading.answers()
            got |= {name: found.get(name) for name in case.answers}
    except GraphError as error:
        problem = error.problems[0]
        return Outcome("fault" if problem.code == "reader-fault" else "refused", _said(problem))
    if right is None:
        return Outcome("taken", f"y = {np.asarray(got['y']).ravel()[:6]}")
    for name in (*case.values, *case.answers):
        if name not in right:
            continue
        told = differs(got[name], right[name], lambda name=name: errors().get(name))
        if told:
            is_shape = told.startswith("shape")
            return Outcome("shape" if is_shape else "value" if name == "y" else "gradient", f"{name}: {told}")
    return Outcome("right")


def _said(problem: object) -> str:
    return f"{problem.code}: {problem.message}"  # type: ignore[attr-defined]


def differs(got: np.ndarray | None, right: np.ndarray | None, error: Callable[[], np.ndarray | None]) -> str:
    """Return how an array differs from the right one, an empty text if it does not."""
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
        room = (DOUBLE if double else SINGLE) * np.abs(right) + least
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
