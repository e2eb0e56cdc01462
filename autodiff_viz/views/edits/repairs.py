"""Refuse invalid sets of nodes, and offer the smallest valid set that contains them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_viz.graph.edits.frame_edits import WHOLE
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.views.edits.record import Edit
from autodiff_viz.views.notices import offering, take_in


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
