"""Remove the last branch of a group, with its slots, terms and weights elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autodiff_viz.branches.attachment import Attachment, recounted
from autodiff_viz.branches.extrapolate import fewer_results
from autodiff_viz.graph.model import PULLBACK, Graph, Node, Slot
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.groups import filled
from autodiff_viz.graph.structure.order import consumers
from autodiff_viz.graph.text.names import quoted


def without_last(graph: Graph, found: Attachment) -> Graph:
    """Remove the last branch and the wires into it.

    Raises:
      GraphError: code "branch-read", when a node that is no sum or join of all branches reads it; code
        "branches-mixed", when a declared pullback mixes branches.
    """
    gone = {*found.own, *found.sums} - _needed(graph, found)
    left = {name: graph[name].slots[1 - slot] for name, slot in found.sums.items()} | found.carried
    nodes = tuple(_without(node, found, gone, left) for node in graph.nodes if node.name not in gone)
    output = left.get(graph.output or "", graph.output)
    reader = next((node for node in nodes if any(name in gone for _, name in node.wires)), None)
    if reader is not None or output in gone:
        what = "The output" if reader is None else quoted(reader.name)
        message = f"{what} needs the last branch, and is no sum or join of all of them."
        raise GraphError(
            Problem("branch-read", message, "Wire it to something else first.", reader and reader.name)
        )
    return replace(
        graph,
        nodes=nodes,
        output=output,
        regions=filled(replace(r, nodes=r.nodes - gone, saved=r.saved - gone) for r in graph.regions),
        groups=filled(replace(group, nodes=group.nodes - gone) for group in graph.groups),
    )


def _needed(graph: Graph, found: Attachment) -> set[str]:
    """Return the picks and weights of the last branch that other nodes read too; they stay."""
    uses = consumers(graph)
    needed: set[str] = set()
    while True:
        going = {*found.own, *found.sums} - needed
        aside = found.aside - needed
        read = {n for n in aside if n == graph.output or any(user not in going for user, _ in uses[n])}
        if not read:
            return needed
        needed |= read


def _without(node: Node, found: Attachment, gone: set[str], left: Mapping[str, Slot]) -> Node:
    return _joining(node, gone) if node.name in found.joins else recounted(node, found, left, -1)


def _joining(node: Node, gone: set[str]) -> Node:
    kept = tuple(i for i, slot in enumerate(node.slots) if slot not in gone)
    rule = node.rule
    if rule.kind == PULLBACK and rule.function is not None:
        wires = [i for i, (slot, _) in enumerate(node.wires) if slot not in kept]
        function = fewer_results(rule.function, wires)
        if function is None:
            message = f"The declared derivative of {quoted(node.name)} uses one branch for another one."
            raise GraphError(Problem("branches-mixed", message, "Write it for one less by hand.", node.name))
        rule = replace(rule, function=function)
    return replace(node, slots=tuple(node.slots[i] for i in kept), rule=rule)
