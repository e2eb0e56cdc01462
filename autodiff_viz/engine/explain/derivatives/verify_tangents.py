"""Verify the live tangents by one `jax.jvp` of the whole program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.check import diagnose
from autodiff_viz.engine.diagnostics.tolerance import Pair, agree, paired, share
from autodiff_viz.engine.explain.derivatives.forward_mode import Tangents
from autodiff_viz.engine.trace import precision
from autodiff_viz.engine.whole_program.program import Program, dynamic_params
from autodiff_viz.engine.whole_program.rounding import errors
from autodiff_viz.engine.whole_program.traced import traced
from autodiff_viz.engine.whole_program.verify import Verdict
from autodiff_viz.graph.checks.argument_types import kind_of
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.grad_nodes import reads_of
from autodiff_viz.graph.structure.order import order

BLOCKED = "forward mode, which jax.jvp refuses"


def verify_tangents(tangents: Tangents) -> Verdict:
    """Differentiate the graph forward as one program, with its real regions and rules, and compare.

    Args:
      tangents: as `jvp` made them.
    Returns:
      Whether every tangent agrees, and how closely. Of a graph in which forward mode is blocked no number
      can be compared: the two agree if `jax.jvp` raises. Nodes that are blocked beside the way to the
      output, and those that need them, are left out of the program.
    Raises:
      GraphError: they are no tangents, or the graph has a problem, such as an invalid checkpoint region.
    Source: `jax.jvp` of the whole program.
    """
    found = _known(tangents)
    trace = found.trace
    if problems := diagnose(trace.graph, {name: value.shape for name, value in trace.inputs.items()}):
        raise GraphError(problems)
    with precision(trace.dtype):
        whole = whole_program_tangents(found)
        if whole is None or found.blocked:
            same = whole is None and bool(found.blocked)
            return Verdict(same, 0, 0.0 if same else float("inf"), "" if same else BLOCKED)
        pairs = [_pair(found, name, tangent) for name, tangent in whole.items()]
        apart = [not agree(each, trace.dtype) for each in pairs]
        bounds = _rounding(found) if any(apart) else dict.fromkeys(whole, 0.0)
    wrong = [
        each
        for each, bound in zip(pairs, bounds.values(), strict=True)
        if not agree(each, trace.dtype, bound)
    ]
    worst, where = max(((share(each), each.name) for each in wrong or pairs), default=(0.0, ""))
    return Verdict(not wrong, len(pairs), worst, where if worst > 0 else "", sum(apart) - len(wrong))


def _known(found: Any) -> Tangents:
    if isinstance(found, Tangents):
        return found
    message = f"Tangents are needed; found {kind_of(found)}."
    raise GraphError(Problem("not-tangents", message, "jvp(graph, {name: 1.0}) makes them."))


def whole_program_tangents(found: Tangents) -> dict[str, Any] | None:
    """Return every node's tangent by one `jax.jvp` of the whole program; None where it raises."""
    try:
        return _tangents(found)(*_arguments(found))
    except TypeError as error:
        if "custom_vjp" not in str(error):
            raise
        return None


def _tangents(found: Tangents) -> Any:
    """Return the tangents of all values as a function of inputs, directions and run-time parameters."""
    program = Program(_program_graph(found), found.trace.dtype, export_all=True)

    def tangents(inputs: dict, directions: dict, dynamic: dict) -> dict[str, jax.Array]:
        def values(moved: dict) -> dict[str, jax.Array]:
            return program({**inputs, **moved}, dynamic, {})[1]

        return jax.jvp(values, ({name: inputs[name] for name in directions},), (directions,))[1]

    return tangents


def _program_graph(found: Tangents) -> Graph:
    """Return the graph without what is blocked beside the way to the output."""
    graph = found.graph
    if found.blocked or not found.aside:
        return graph
    left_out = set(found.aside)
    for node in order(graph):
        if any(name in left_out for name in reads_of(node)):
            left_out.add(node.name)
    nodes = tuple(node for node in graph.nodes if node.name not in left_out)
    regions = (
        replace(each, nodes=each.nodes - left_out, saved=each.saved - left_out) for each in graph.regions
    )
    groups = (replace(each, nodes=each.nodes - left_out) for each in graph.groups)
    return replace(
        graph,
        nodes=nodes,
        regions=tuple(each for each in regions if each.nodes),
        groups=tuple(each for each in groups if each.nodes),
    )


def _arguments(found: Tangents) -> tuple[dict, dict, dict]:
    inputs = {name: jnp.asarray(value) for name, value in found.trace.inputs.items()}
    directions = {name: jnp.asarray(value) for name, value in found.direction.items()}
    return inputs, directions, dynamic_params(_program_graph(found))


def _rounding(found: Tangents) -> dict[str, np.ndarray]:
    """Return, by node, how far rounding from the inputs on may move its tangent."""
    arguments = _arguments(found)
    program = traced(_tangents(found), *arguments)
    return jax.tree.unflatten(program.tree, errors(program.equations, program.leaves(arguments), None))


def _pair(found: Tangents, name: str, tangent: Any) -> Pair:
    return paired(f"the tangent of {name!r}", tangent, found.tangent[name])
