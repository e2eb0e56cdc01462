"""List the branches of a group: the groups directly inside it, ordered by the numbers in their names."""

from __future__ import annotations

from autodiff_viz.graph.model import Graph, Group
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.groups import outermost_first
from autodiff_viz.graph.text.names import natural, quoted


def branches_of(graph: Graph, name: str) -> tuple[Group, ...]:
    """Return the branches of a group, first to last.

    Raises:
      GraphError: code "no-branches", when there is no such group.
    """
    found: list[Group] = []
    group = _group(graph, name)
    inner = outermost_first(graph.groups)
    for other in inner[inner.index(group) + 1 :]:
        if other.nodes <= group.nodes and not any(other.nodes <= one.nodes for one in found):
            found.append(other)
    return tuple(sorted(found, key=lambda branch: natural(branch.name)))


def _group(graph: Graph, name: str) -> Group:
    found = next((group for group in graph.groups if group.name == name and group.branches), None)
    if found is None:
        message = f"There is no group of branches {quoted(name)}."
        raise GraphError(Problem("no-branches", message, "It may have been removed meanwhile."))
    return found
