"""Measure and check literals (numbers and tensors as plain Python data) and random seeds."""

from __future__ import annotations

from math import prod

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Literal


def shape_of(literal: Literal) -> tuple[int, ...]:
    """Return the shape of a valid literal: () for a number, (2, 3) for two rows of three."""
    shape = []
    while isinstance(literal, tuple):
        shape.append(len(literal))
        literal = literal[0] if literal else 0
    return tuple(shape)


def literal_fault(value: object) -> str:
    """Return why `value` is no literal, as the end of a sentence that begins with its name.

    Returns:
      "" for a finite number or a tensor with rows of equal length, within the limits.
    """
    shape = shape_of(value)  # type: ignore[arg-type]
    if len(shape) > limits.RANK:
        return f"has more than {limits.RANK} axes"
    if 0 in shape:
        return "has no elements"
    if prod(shape) > limits.ELEMENTS:
        return f"has {prod(shape):,} elements; the limit is {limits.ELEMENTS:,}"
    level = [value]
    for length in shape:
        if any(type(item) is not tuple or len(item) != length for item in level):
            return "has rows of unequal length"
        level = [item for row in level for item in row]  # type: ignore[attr-defined]
    if any(type(item) is tuple for item in level):
        return "has rows of unequal length"
    if not all(type(item) in (int, float) for item in level):
        return "is not made of numbers alone"
    if not all(abs(item) <= limits.NUMBER for item in level):  # false for NaN as well
        return f"holds a number beyond {limits.NUMBER:g}, or one that is not finite"
    return ""


def seed_fault(value: object) -> str:
    """Return why `value` is no seed of a random draw, as `literal_fault` does; "" for a valid seed."""
    if type(value) is int and 0 <= value <= limits.SEED:
        return ""
    return f"is not a whole number from 0 to {limits.SEED}"
