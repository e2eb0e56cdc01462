"""Mute (bypass) nodes: a muted node returns its first wired input, without op and rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autodiff_viz.graph.grad_nodes import with_reads
from autodiff_viz.graph.model import GRAD, IDENTITY, INPUT, Graph, Node, Rule
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import quoted


def returned_slot(node: Node) -> int | None:
    """Return the slot whose value a muted node returns: the op's first wired slot; None without any.

    None for a grad node too, whose value is made of neither of its inputs.
    """
    if node.op == GRAD:
        return None
    return next((i for i, slot in enumerate(node.op_slots) if isinstance(slot, str)), None)


def played(graph: Graph) -> Graph:
    """Return the graph that runs: muted nodes are identities of their first wired input, groups are removed.

    Grad nodes have a wire from all that they read (see `grad_nodes.with_reads`). Returns the same graph when
    no node is muted, none is a grad node, and there is no group.
    """
    if graph.groups:
        graph = replace(graph, groups=())
    special = [node for node in graph.nodes if node.muted or node.op == GRAD]
    if not special:
        return graph
    if any(node.muted for node in special):
        nodes = []
        for node in graph.nodes:
            if node.muted:
                slot = returned_slot(node)
                held = None if slot is None else node.slots[slot]
                node = replace(node, op=IDENTITY, slots=(held,), params=(), rule=Rule(), muted=False)
            nodes.append(node)
        graph = replace(graph, nodes=tuple(nodes))
    return with_reads(graph)


def with_muted(graph: Graph, names: Iterable[str], muted: bool) -> Graph:
    """Mute nodes, or unmute them. Those among several that cannot be muted are left out.

    Raises:
      GraphError: code "bad-mute", when none can be muted.
    """
    nodes = [graph[name] for name in dict.fromkeys(names)]
    able = {node.name for node in nodes if not muted or not mute_fault(node)}
    if nodes and not able:
        raise GraphError(mute_problem(nodes[0]))
    return replace(
        graph,
        nodes=tuple(
            replace(node, muted=muted) if node.name in able and node.muted != muted else node
            for node in graph.nodes
        ),
    )


def mute_fault(node: Node) -> str:
    """Return why a node cannot be muted; "" when it can."""
    if node.op == INPUT:
        return "is an input"
    if node.op == GRAD:
        return "is a gradient, which is neither of its inputs"
    return "" if returned_slot(node) is not None else "has no wired input"


def mute_problem(node: Node) -> Problem:
    """Return the problem of a muted node that cannot be muted."""
    message = f"A muted node returns its first wired input, but {quoted(node.name)} {mute_fault(node)}."
    wireable = node.op not in (INPUT, GRAD)
    hint = "Wire a node to it first, or mute another node." if wireable else "Mute another node."
    return Problem("bad-mute", message, hint, node=node.name)
