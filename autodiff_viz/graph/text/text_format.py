"""Format numbers, counts and lists as text: one spelling for the page, the figures and the messages."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf, isnan

MINUS = "\u2212"  # as wide as a digit in most fonts, so that columns of numbers do not jump


def scalar(number: float, digits: int = 4) -> str:
    """Write a number with `digits` significant digits, such as 0.7041 or NaN.

    Uses a power of ten below 1e-4 and from 10**max(digits, 6) on.
    """
    number = float(number)
    if isnan(number):
        return "NaN"
    if isinf(number):
        return "\u221e" if number > 0 else MINUS + "\u221e"
    if number == 0:
        return "0"
    if 1e-4 <= abs(number) < 10 ** max(digits, 6):
        text = repr(float(f"{number:.{digits}g}")).removesuffix(".0")
    else:
        mantissa, exponent = f"{number:.{max(digits - 2, 1)}e}".split("e")
        text = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    return text.replace("-", MINUS)


def counted(count: int, noun: str) -> str:
    """Write a count with its noun: "1 node", "2,000 nodes"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(items: Sequence[str], most: int | None = None, last: str = "and") -> str:
    """Write "a", "a and b", "a, b and c"; for more than `most` items "a, b and 4 more".

    `last` is the conjunction, "and" or "or".
    """
    if most is not None and len(items) > most:
        items = [*items[:most], f"{len(items) - most} more"]
    return f" {last} ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))
