"""Refusals of sets of nodes that come with the smallest set that would do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_viz.graph.housing import WHOLE
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.views.edits.record import Edit
from autodiff_viz.views.notices import offering, take_in


def names_of(given: Any) -> frozenset[str]:
    """The names in a list of the browser's."""
    if not isinstance(given, list):
        raise TypeError(given)
    return frozenset(str(name) for name in given)


def mendable(
    change: Callable[[], Graph],
    wider: Callable[[], frozenset[str] | None],
    names: frozenset[str],
    again: Callable[[frozenset[str]], Edit],
) -> Graph:
    """`change`, or its refusal with an offer of the smallest set of nodes with which it would do."""
    try:
        return change()
    except GraphError as error:
        first: Problem = error.problems[0]
        whole = wider() if first.code in WHOLE else None
        if whole is None or whole == names:
            raise
        raise GraphError(offering(first, take_in(whole - names), again(whole))) from None
