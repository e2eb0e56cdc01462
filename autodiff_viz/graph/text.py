"""Check and write the numbers, tensors and names of a graph, and repair text from outside."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Sequence
from itertools import count, filterfalse
from keyword import iskeyword
from math import isinf, isnan, prod
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Literal

# Literals (numbers and tensors as plain Python data) and seeds of random draws.


def shape_of(literal: Literal) -> tuple[int, ...]:
    """Return the shape of a valid literal: () for a number, (2, 3) for two rows of three."""
    shape = []
    while isinstance(literal, tuple):
        shape.append(len(literal))
        literal = literal[0] if literal else 0
    return tuple(shape)


def as_literal(value: Any) -> Literal:
    """Return a number or nested lists of numbers, such as those of `ndarray.tolist()`, as a literal."""
    return tuple(map(as_literal, value)) if isinstance(value, list) else value


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


# Numbers, counts and lists as text: one spelling for the page, the figures and the messages.


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
        text = repr(float(f"{number:.{digits}g}")).removesuffix(".0")  # which has no exponent in this range
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


# Names of nodes, regions and groups.


COTANGENT, OUT = "v", "out"
"""Names of the first and the last argument of a new function, allowed whatever nodes there are."""

_NAME = re.compile(r"[A-Za-z0-9_]+")
_TITLE = re.compile(r"[A-Za-z0-9_ .-]+")


def name_fault(name: object) -> str:
    """Return why `name` cannot name a node, an op or an argument; "" when it can.

    Names are Python identifiers in ASCII, so that a graph can be shown as a formula and exported as a
    program.
    """
    if fault := _signs_fault(name, _NAME, "a-z, A-Z, 0-9 and _"):
        return fault
    if name[0].isdigit():
        return "begins with a digit"
    if iskeyword(name) or name.startswith("__"):
        return "is a word that Python keeps for itself"
    return _length_fault(name)


def region_name_fault(name: object) -> str:
    """Return why `name` cannot name a region or a group; "" when it can.

    Unlike the name of a node, it may hold spaces, dots and dashes.
    """
    if fault := _signs_fault(name, _TITLE, "a-z, A-Z, 0-9, spaces and _ . -"):
        return fault
    if name[0] in " .-":
        return f"begins with {'a space' if name[0] == ' ' else name[0]}"
    return "ends with a space" if name[-1] == " " else _length_fault(name)


def _signs_fault(name: object, made_of: re.Pattern[str], signs: str) -> str:
    """Return that a name is empty, or holds others than these signs; "" otherwise."""
    if isinstance(name, str) and made_of.fullmatch(name):
        return ""
    return "is empty" if name == "" else f"holds signs other than {signs}"


def _length_fault(name: str) -> str:
    return f"is longer than {limits.NAME} characters" if len(name) > limits.NAME else ""


def quoted(name: object) -> str:
    """Quote a name for a message: in ASCII and of bounded length, whatever it holds."""
    text = ascii(name)
    return text if len(text) <= limits.NAME + 2 else f"{text[: limits.NAME]}..."


def listed_names(names: Sequence[str]) -> str:
    """List names for a message: the first four of them, and how many more."""
    return listed([quoted(name) for name in names], 4)


def numbered(stem: str, taken: Container[str]) -> str:
    """Return `<stem>_<k>` with the smallest k >= 1 that is not taken."""
    stem = stem[: limits.NAME - 5]  # room for "_" and the number of any node
    numbered_name = (stem.replace("{", "{{").replace("}", "}}") + "_{}").format
    return next(filterfalse(taken.__contains__, map(numbered_name, count(1))))


def pullback_arguments(producers: Iterable[str], taken: Collection[str]) -> tuple[str, ...]:
    """Return the arguments of a declared derivative: the cotangent, one per wire, and the node's value.

    That of a wire is its producer's name, or a numbered one if that is used twice. A numbered name is none
    that is taken.
    """
    names = [COTANGENT]
    for name in (*producers, OUT):
        names.append(numbered(name, {*names, *taken}) if name in names else name)
    return tuple(names)


def natural(name: str) -> tuple[Any, ...]:
    """Return a sort key for natural order: "branch_2" before "branch_10"."""
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", name))


# Text from outside. JavaScript's strings may hold a lone surrogate (a bad paste cuts an emoji in two), and
# JSON can name one; Python reads it and cannot encode it, so that no answer could be sent any more.


_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def well_formed(value: Any) -> Any:
    """Replace each lone surrogate in JSON data by U+FFFD, as `String.prototype.toWellFormed` does.

    Every other character stays in its place, in JavaScript's count too.
    """
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub(REPLACEMENT, value)
    if isinstance(value, list):
        return [well_formed(each) for each in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(each) for key, each in value.items()}
    return value
