"""Show graphs in notebooks, as pictures by the function that the package registers.

A graph is in the first folder and its picture in a later one, so neither can import the other's writer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Writer = Callable[[Any], str | None]

_registered: list[Writer] = []


def register_pictures(write: Writer) -> None:
    """Let `write` make the HTML of graphs and traces; None where there is nothing to draw."""
    _registered[:] = [write]


def html_of(thing: Any) -> str | None:
    """Return the picture of a graph or a trace as HTML; None for none, so that its text is shown."""
    return _registered[0](thing) if _registered else None
