"""Refuse edits that cannot be read and invalid sets of nodes, and offer the smallest valid set for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from autodiff_viz.canvas.notices import offering, take_in
from autodiff_viz.graph.edits import WHOLE
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.state import Lab
from autodiff_viz.messages.edits import Edit, edit_data

Handlers = Mapping[type[Edit], Callable[[Lab, Any], Lab]]
"""By the record of an edit, the function that applies it to a lab.

It raises `GraphError` for an edit that is refused. Anything else that it raises is a fault of the program.
"""


def unreadable(edit: Edit | Mapping[str, Any]) -> GraphError:
    """Return the refusal of an edit that no script of the page sends: a record, or what is none."""
    data = edit_data(edit) if isinstance(edit, Edit) else dict(edit)
    message = f"The canvas sent an edit that could not be read: {str(data)[:200]}."
    return GraphError(Problem("bad-edit", message, "Reload the page and try again."))


def check_nodes(lab: Lab, edit: Edit, names: Iterable[str]) -> None:
    """Check that the graph has these nodes.

    Raises:
      GraphError: it has not; the page sends no such edit.
    """
    if not lab.graph.by_name.keys() >= {*names}:
        raise unreadable(edit)


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
        raise GraphError(offering(first, take_in(whole - names), edit_data(again(whole)))) from None
