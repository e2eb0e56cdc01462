"""Prepare a pass: check the graph, compile its ops, and choose a pullback for each node.

Every refusal is raised here, before an array is computed; a graph compiles only the ops and shapes that no
graph has used before, and what its grad nodes are made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autodiff_viz.engine.check import at_node, check_no_slots, check_rule
from autodiff_viz.engine.live_path.arrays import own_value
from autodiff_viz.engine.live_path.bounded_memo import Evaluation, within
from autodiff_viz.engine.live_path.grad_check import check_grad
from autodiff_viz.engine.live_path.grad_kernel import grad_kernel
from autodiff_viz.engine.live_path.kernels import Kernel
from autodiff_viz.engine.live_path.node_steps import (
    Later,
    add,
    bind_all,
    bind_swept,
    claim,
    compile_node,
    gradient,
    unusable,
)
from autodiff_viz.engine.live_path.passes import Prepared
from autodiff_viz.engine.live_path.rules import Ruled
from autodiff_viz.graph.model import FOLLOW, GRAD, INPUT, Graph, Node
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.structure.grad_nodes import BY
from autodiff_viz.graph.structure.order import order


def prepare(
    graph: Graph,
    inputs: Mapping[str, Any],
    dtype: str,
    swept: frozenset[str] = frozenset(),
    *,
    forward_only: bool = False,
) -> Prepared:
    """Check and compile `graph` for a forward and a backward pass.

    Args:
      inputs: arrays of the dtype for the input nodes that do not use their own value; those named in `swept`
        have a leading axis of samples.
      forward_only: choose no pullbacks.
    Raises:
      GraphError: a slot is empty, names no node or is part of a cycle; an op is unknown or refuses its
        shapes; a rule does not fit; the graph needs too many programs or elements. It is the first problem;
        `diagnose` finds all.
    """
    found, leaves, later = Prepared(graph, dtype, set(swept)), [], {}
    with within(Evaluation()):
        for node in order(graph):
            try:
                if node.op == INPUT:
                    leaves.append(_take(found, node, inputs))
                elif node.op == GRAD:
                    _take_grad(found, node, later)
                else:
                    compile_node(found, node, later)
            except GraphError as error:
                raise at_node(error, node.name) from error
        if not forward_only:
            (bind_swept if swept else bind_all)(found, later)
            found.inputs = {node.name: gradient(found, node) for node in leaves}
    return found


def _take(found: Prepared, node: Node, inputs: Mapping[str, Any]) -> Node:
    """Check an input and take its value."""
    check_no_slots(node)
    name = node.name
    value = found.known[name] = inputs[name] if name in inputs else own_value(node, found.dtype)
    shape = found.shapes[name] = value.shape[1:] if name in found.swept else value.shape
    if node.rule.kind != FOLLOW:
        check_rule(node, shape, ())
    return node


def _take_grad(found: Prepared, node: Node, later: Later) -> None:
    """Check a grad node and make its step: the passes of the graph that it is written out as."""
    check_grad(found.graph, node)
    for i, slot in enumerate(node.slots):
        if slot is None or (type(slot) is str and slot not in found.shapes):
            raise GraphError(unusable(node, i))

    def make(batched: tuple[bool, ...] | None, cotangent_batched: bool) -> Kernel:
        return grad_kernel(found.graph, node, found.shapes, found.dtype, batched, cotangent_batched)[0]

    batched = _swept_reads(found, node) if found.swept else None
    compiled, elements = grad_kernel(found.graph, node, found.shapes, found.dtype, batched)
    found.shapes[node.name] = compiled.shape
    found.elements += elements
    claim(found, node, compiled.shape)
    function = check_rule(node, compiled.shape, ())
    wired, reads = tuple(range(len(node.slots))), list(node.slots)
    add(found, later, Ruled(node, reads, wired, found.dtype, function, compiled, make, batched=batched))


def _swept_reads(found: Prepared, node: Node) -> tuple[bool, ...] | None:
    """Return which slots of a grad node are swept; None if none is. It does not read the value of its z."""
    flags = [False] * BY + [type(slot) is str and slot in found.swept for slot in node.slots[BY:]]
    return tuple(flags) if True in flags else None
