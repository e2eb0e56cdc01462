"""Prepare a pass: check the graph, compile its ops, and choose a pullback for each node.

Every refusal is raised here, before an array is computed; a graph compiles only the ops and shapes that no
graph has used before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autodiff_viz.engine.live_path.arrays import own_value
from autodiff_viz.engine.live_path.check import at_node, check_no_slots, check_rule
from autodiff_viz.engine.live_path.node_steps import bind_all, compile_node, gradient
from autodiff_viz.engine.live_path.numbers import Tape
from autodiff_viz.engine.live_path.passes import Prepared
from autodiff_viz.engine.memo import Evaluation, within
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW


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
    samples = max((len(inputs[name]) for name in swept), default=None)
    tape, leaves, later = Tape(dtype, samples), [], {}
    prepared = Prepared(graph, dtype, swept, tape)
    known, shapes = prepared.known, prepared.shapes
    with within(Evaluation()):
        for node in order(graph):
            try:
                if node.op == INPUT:
                    check_no_slots(node)
                    name = node.name
                    value = inputs[name] if name in inputs else own_value(node, dtype)
                    shape = shapes[name] = value.shape[1:] if name in swept else value.shape
                    known[name] = value if shape else tape.put(np.asarray(value))
                    if node.rule.kind != FOLLOW:
                        check_rule(node, shape, ())
                    leaves.append(node)
                else:
                    compile_node(prepared, node, later)
            except GraphError as error:
                raise at_node(error, node.name) from error
        if not forward_only:
            # After all nodes, so that a fault of a later node is reported before one of what a rule needs.
            bind_all(prepared, later)
            prepared.inputs = {node.name: gradient(prepared, node) for node in leaves}
    return prepared
