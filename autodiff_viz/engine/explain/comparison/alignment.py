"""Align two traces node by node, also where only one graph has an identity on a wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import IDENTITY, Graph, Node, Slot
from autodiff_viz.graph.structure.order import consumers, order

Through = Mapping[str, str]
"""By the name of an identity that only one graph has, the node that the other graph reads in its place."""


class Numbers(NamedTuple):
    """Numbers of one side: those of its trace, and of identities that only the other graph has."""

    value: dict[str, np.ndarray]
    cotangent: dict[str, np.ndarray]
    passed: dict[Wire, np.ndarray]
    gradient: dict[str, np.ndarray]


def numbers_of(found: Trace) -> Numbers:
    """Return the numbers of a trace."""
    cotangent = dict(found.cotangent)
    return Numbers(
        dict(found.value), cotangent, dict(found.passed), gradient_of(found, found.gradient, cotangent)
    )


def gradient_of(found: Trace, gradient: Mapping[str, Any], cotangent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the gradients of the inputs; without any input, what arrives at the nodes that read none."""
    return dict(gradient) or {n.name: cotangent[n.name] for n in found.graph.nodes if not n.wires}


def with_identities_of(here: Numbers, graph: Graph, other: Graph) -> Numbers:
    """Return the numbers of a graph, with those of identities that only `other` has.

    The rule of a wire is kept on such an identity. In its place this graph hands the same number on without a
    node: the value of the node before it, and the sum of what its readers pass back.
    """
    here = Numbers(*map(dict, here))
    uses = consumers(other)
    for name, source in passed_through(other, graph).items():  # readers come first
        here.value[name] = here.value[source]
        part = np.asarray(sum(here.passed[wire] for wire in uses[name]))
        here.cotangent[name] = here.passed[name, 0] = part
    return here


def passed_through(graph: Graph, other: Graph) -> Through:
    """Return the identities that only `graph` has and in whose place `other` reads the node before them.

    Readers come before what they read.
    """
    found: dict[str, str] = {}
    uses = consumers(graph)
    for node in reversed(order(graph)):
        if node.name in other or node.op != IDENTITY or not node.wires:
            continue
        source = _source(graph, other, node)
        readers = uses[node.name]
        if source and readers and all(_reads(other, wire, source) or wire[0] in found for wire in readers):
            found[node.name] = source
    return found


def _source(graph: Graph, other: Graph, node: Node) -> str | None:
    """Return the first node before a chain of identities that both graphs have; None without one."""
    while node.name not in other:
        if node.op != IDENTITY or not node.wires:
            return None
        node = graph[node.wires[0][1]]
    return node.name


def _reads(graph: Graph, wire: Wire, source: str) -> bool:
    name, slot = wire
    return name in graph and slot < len(graph[name].slots) and graph[name].slots[slot] == source


def slots_through(node: Node, through: Through) -> tuple[Slot, ...]:
    """Return the node's slots, with the nodes before the identities that only its graph has."""
    return tuple(through.get(slot, slot) if isinstance(slot, str) else slot for slot in node.slots)


def both_in_order(a: Graph, b: Graph) -> tuple[str, ...]:
    """Return the names of all nodes of both graphs in an order that is topological for both."""
    merged = {
        name: Node(name, "", (*(a[name].slots if name in a else ()), *(b[name].slots if name in b else ())))
        for name in [*(n.name for n in order(b)), *(n.name for n in order(a))]
    }
    return tuple(node.name for node in order(Graph(tuple(merged.values()))))
