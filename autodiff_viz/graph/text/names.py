"""Check, quote and number the names of nodes, regions and groups."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Sequence
from itertools import count, filterfalse
from keyword import iskeyword
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.text.text_format import listed

COTANGENT, OUT = "v", "out"
"""Names of the first and the last argument of a new function, allowed whatever nodes there are."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TITLE = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_ .-]*[A-Za-z0-9_.-])?")


def name_fault(name: object) -> str:
    """Return why `name` cannot name a node, an op or an argument; "" when it can.

    Names are Python identifiers in ASCII, so that a graph can be shown as a formula and exported as a
    program.
    """
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
        return "is not letters, digits and _, beginning with a letter"
    if iskeyword(name) or name.startswith("__"):
        return "is a word that Python keeps for itself"
    return _length_fault(name)


def region_name_fault(name: object) -> str:
    """Return why `name` cannot name a region or a group; "" when it can.

    Unlike the name of a node, it may hold spaces, dots and dashes.
    """
    if not isinstance(name, str) or not _TITLE.fullmatch(name):
        return "is not letters, digits, spaces and _ . -"
    return _length_fault(name)


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
    found = [COTANGENT]
    for name in (*producers, OUT):
        found.append(numbered(name, {*found, *taken}) if name in found else name)
    return tuple(found)


def natural(name: str) -> tuple[Any, ...]:
    """Return a sort key for natural order: "branch_2" before "branch_10"."""
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", name))
