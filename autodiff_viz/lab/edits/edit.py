"""Refuse invalid sets of nodes, and offer the smallest valid set that contains them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autodiff_viz.canvas.notices import offering, take_in
from autodiff_viz.graph.edits import WHOLE
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.state import Lab

# Declare the types of an edit from the canvas, and of the functions that apply one kind of edit.


Edit = Mapping[str, Any]
"""`{"seq": int, "kind": str, ...}`, made in the browser and therefore untrusted."""

Edits = Mapping[str, Callable[[Lab, Edit], Lab]]
"""By kind, the function that applies an edit to a lab.

It may raise `GraphError` for an edit that the graph refuses, and `AttributeError`, `KeyError`,
`OverflowError`, `TypeError` or `ValueError` for a malformed one.
"""


def names_of(given: Any) -> frozenset[str]:
    """Return the names in a list from the browser.

    Raises:
      TypeError: it is no list.
    """
    if not isinstance(given, list):
        raise TypeError(given)
    return frozenset(str(name) for name in given)


def mendable(
    change: Callable[[], Graph],
    wider: Callable[[], frozenset[str] | None],
    names: frozenset[str],
    again: Callable[[frozenset[str]], Edit],
) -> Graph:
    """Return the graph of `change`; its refusal offers the smallest larger set of nodes that is valid.

    Args:
      change: returns the changed graph.
      wider: returns that larger set; None if there is none.
      names: the nodes that were given.
      again: returns the edit for a set of nodes.
    Raises:
      GraphError: `change` was refused.
    """
    try:
        return change()
    except GraphError as error:
        first: Problem = error.problems[0]
        whole = wider() if first.code in WHOLE else None
        if whole is None or whole == names:
            raise
        raise GraphError(offering(first, take_in(whole - names), again(whole))) from None
