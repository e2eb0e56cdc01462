"""Train one branch alone: stop the gradients of the other branches' parameters.

The stop is at the parameters and not at the values of the branches. A parameter with a zero gradient still
moves by its momentum, a stopped one does not; and nodes before the branches receive the same cotangents as
without the stop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autodiff_viz.graph.frames import outermost_first
from autodiff_viz.graph.model import Graph, Group, Rule
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP
from autodiff_viz.graph.text import natural, quoted


def branches_of(graph: Graph, name: str) -> tuple[Group, ...]:
    """Return the branches of a group, first to last: the groups directly inside it, by their names' numbers.

    Raises:
      GraphError: code "no-branches", when there is no such group.
    """
    group = next((group for group in graph.groups if group.name == name and group.branches), None)
    if group is None:
        message = f"There is no group of branches {quoted(name)}."
        raise GraphError(Problem("no-branches", message, "It may have been removed meanwhile."))
    branches: list[Group] = []
    inner = outermost_first(graph.groups)
    for other in inner[inner.index(group) + 1 :]:
        if other.nodes <= group.nodes and not any(other.nodes <= one.nodes for one in branches):
            branches.append(other)
    return tuple(sorted(branches, key=lambda branch: natural(branch.name)))


def parameters_of(graph: Graph, branch: Group) -> frozenset[str]:
    """Return the parameters in a branch, and those that no other node reads."""
    uses = consumers(graph)
    parameters = set()
    for node in graph.nodes:
        readers = {user for user, _ in uses[node.name]}
        if node.is_parameter and (node.name in branch.nodes or (readers and readers <= branch.nodes)):
            parameters.add(node.name)
    return frozenset(parameters)


def tuned(graph: Graph, group: str, branch: str) -> Graph:
    """Stop the parameters of all branches of a group but one.

    Raises:
      GraphError: there is no such branch, or no branch has a parameter.
    """
    branches = branches_of(graph, group)
    if branch not in [one.name for one in branches]:
        message = f"{quoted(branch)} is no branch of {quoted(group)}."
        raise GraphError(Problem("no-branches", message, "It may have been removed meanwhile."))
    if not any(parameters_of(graph, one) for one in branches):
        message = f"The branches of {quoted(group)} have no parameter to train."
        raise GraphError(Problem("no-parameters", message, "Write w = parameter(0.5) in the formula."))
    for one in branches:
        kind = FOLLOW if one.name == branch else STOP
        graph = _ruled(graph, parameters_of(graph, one), kind)
    return graph


def freed(graph: Graph, group: str) -> Graph:
    """Remove the stops from all parameters of the group's branches."""
    for one in branches_of(graph, group):
        graph = _ruled(graph, parameters_of(graph, one), FOLLOW)
    return graph


def trained_alone(graph: Graph, group: str) -> str | None:
    """Return the only branch with a parameter that is not stopped, of several with parameters; else None."""
    branches = [(one.name, parameters_of(graph, one)) for one in branches_of(graph, group)]
    with_some = [(name, held) for name, held in branches if held]
    moving = [name for name, held in with_some if any(graph[p].rule.kind != STOP for p in held)]
    return moving[0] if len(moving) == 1 < len(with_some) else None


def some_stopped(graph: Graph, group: str) -> bool:
    """Return whether a parameter of the group's branches is stopped."""
    held = (name for one in branches_of(graph, group) for name in parameters_of(graph, one))
    return any(graph[name].rule.kind == STOP for name in held)


def _ruled(graph: Graph, names: Iterable[str], kind: str) -> Graph:
    """Stop parameters (`kind` is STOP), or remove their stops (FOLLOW); a stop replaces any other rule."""
    names = set(names)

    def change(name: str, now: str) -> bool:
        return name in names and now != kind and (kind == STOP or now == STOP)

    return replace(
        graph,
        nodes=tuple(
            replace(node, rule=Rule(kind), slots=node.op_slots) if change(node.name, node.rule.kind) else node
            for node in graph.nodes
        ),
    )
