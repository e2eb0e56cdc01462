"""Isolate a node as a graph of its own, a function of one node that the node reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import IDENTITY, INPUT, Graph, Node, params
from autodiff_viz.graph.registries.rule_kinds import KINDS
from autodiff_viz.graph.structure.grad_nodes import reads_of, runs_again
from autodiff_viz.graph.structure.order import ancestors, descendants

GIVEN, MOVED, BASE, UNIT = "given ", "moved ", "base ", "unit "
"""Names of added nodes; a space is in no name of a graph."""


@dataclass(frozen=True, slots=True)
class Alone:
    """A graph of one node, and of the way to its alternative, with the values of everything else as inputs.

    Attributes:
      moved: the input that is to move.
      inputs: the values of all inputs.
    """

    graph: Graph
    moved: str
    inputs: Mapping[str, np.ndarray]


def node_alone(trace: Trace, node: Node, by: str) -> Alone:
    """Return the node as a function of `by`, a node that it reads; of an input as a function of its value.

    With a grad node come the nodes that it runs again.
    """
    if node.op == INPUT:
        alone = Node(node.name, IDENTITY, (GIVEN,), rule=node.rule)
        return Alone(Graph((_input(GIVEN), alone), (), node.name), GIVEN, {GIVEN: trace.value[node.name]})
    kept = {node.name}
    if KINDS[node.rule.kind].alternative:
        kept |= descendants(trace.graph, [by]) & ancestors(trace.graph, [node.name]) - {by}
    kept |= runs_again(trace.graph, [trace.graph[name] for name in kept])
    nodes = [each for each in trace.graph.nodes if each.name in kept]
    reads = dict.fromkeys(name for each in nodes for name in reads_of(each) if name not in kept)
    inputs = {name: np.asarray(trace.value[name], np.float64) for name in reads}
    return Alone(Graph((*map(_input, reads), *nodes), (), node.name), by, inputs)


def swept_alone(alone: Alone, index: tuple[int, ...]) -> Alone:
    """Return the same with one element of the moved input as a number of its own; `index` is its place."""
    value = alone.inputs[alone.moved]
    if not value.shape:
        return alone
    unit = np.zeros_like(value)
    unit[index] = 1.0
    nodes = [
        _input(MOVED),
        _input(BASE),
        _input(UNIT),
        # no product with the unit vector: where the slope by another element is infinite, 0 times it is NaN
        Node(alone.moved, "where", (UNIT, MOVED, BASE)),
        *(node for node in alone.graph.nodes if node.name != alone.moved),
    ]
    given = {name: array for name, array in alone.inputs.items() if name != alone.moved}
    inputs = {**given, MOVED: value[index], BASE: value, UNIT: unit}
    return Alone(replace(alone.graph, nodes=tuple(nodes)), MOVED, inputs)


def _input(name: str) -> Node:
    return Node(name, INPUT, (), params(value=0.0))
