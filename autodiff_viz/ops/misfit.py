"""Explain shapes that do not broadcast or contract; the explanations of all ops share these parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, zip_longest
from math import prod
from typing import Any, NamedTuple

Shape = tuple[int, ...]


class Misfit(NamedTuple):
    """Explanation of a shape error.

    Attributes:
      needed: the requirement, as a sentence.
      hint: how to meet it.
    """

    needed: str
    hint: str


Explain = Callable[[Sequence[str], Sequence[Shape], Mapping[str, Any]], Misfit | None]
"""Function of the slots' names, their shapes and all parameters: explains why they do not fit; None if
unknown."""


def said(shape: Shape) -> str:
    """Write a shape for a sentence."""
    return str(list(shape)) if shape else "a number"


def broadcast(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    """Explain shapes that cannot be broadcast."""
    for (a, one), (b, other) in combinations(zip(names, shapes, strict=True), 2):
        if sizes := clash(one, other):
            m, n = sizes
            needed = f"Counted from the last axis, sizes must be equal or 1; {a} has {m} where {b} has {n}."
            return Misfit(needed, to_fit((a, one), (b, other)))
    return None


def clash(one: Shape, other: Shape) -> tuple[int, int] | None:
    """Return the first pair of sizes, counted from the last axis, that cannot be broadcast, or None."""
    pairs = zip_longest(reversed(one), reversed(other), fillvalue=1)
    return next(((m, n) for m, n in pairs if m != n and 1 not in (m, n)), None)


def to_fit(*two: tuple[str, Shape]) -> str:
    """Hint at a shape that makes the two named shapes broadcast."""
    (few, small), (many, large) = sorted(two, key=lambda pair: len(pair[1]))
    if prod(small) == prod(large):
        return f"{few} has as many elements as {many}: reshape({few}, {written(large)}) fits."
    if len(small) == 1 < len(large) and small[0] == large[0]:
        column = written((*small, *(1,) * (len(large) - 1)))
        return f"If {few} has one number for each row of {many}, make it a column: reshape({few}, {column})."
    return f"Give {few} and {many} one shape, or a size of 1 where they differ."


def written(shape: Shape) -> str:
    """Write a shape as in a formula: (4,), (4, 1)."""
    return str(tuple(shape))


def inner(a: str, one: Shape, b: str, other: Shape) -> Misfit | None:
    """Explain sizes of a contracted axis that differ."""
    at = max(len(other) - 2, 0)
    if not one or not other or one[-1] == other[at]:
        return None
    which = "first" if at == 0 else "second last"
    needed = f"The last axis of {a}, {one[-1]}, must be as long as the {which} of {b}, {other[at]}."
    if len(other) == 2 and other[1] == one[-1]:
        return Misfit(needed, f"transpose({b}) fits, {list(reversed(other))}.")
    return Misfit(needed, f"Give {b} the shape {said((*other[:at], one[-1], *other[at + 1 :]))}.")


def leading(a: str, one: Shape, b: str, other: Shape) -> Misfit | None:
    """Explain leading axes (batch axes of a matrix product) that cannot be broadcast."""
    if not clash(one, other):
        return None
    needed = f"The axes before the last two must be equal or 1: {a} has {said(one)}, {b} has {said(other)}."
    return Misfit(needed, f"Give {a} and {b} the same leading axes.")
