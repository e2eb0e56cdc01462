"""Push tangents forward from the inputs to every node, and verify them by the whole program.

`jvp` goes node by node; `verify_tangents` compares with one `jax.jvp` of the graph as a program;
`tangent_sweep` takes many values of one input in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.arguments import check_input, known_dtype, numbers
from autodiff_viz.engine.live_path.arrays import Arrays, on_device
from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.live_path.passes import Wire, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.live_path.tangents import push_forward
from autodiff_viz.engine.tolerance import agree, paired, share
from autodiff_viz.engine.trace import Trace, precision, trace, with_output
from autodiff_viz.engine.verify import Verdict
from autodiff_viz.engine.whole_program.jaxprs import traced
from autodiff_viz.engine.whole_program.program import Program, dynamic_params
from autodiff_viz.engine.whole_program.rounding import errors
from autodiff_viz.explain.sweep.compute import swept_positions
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.grad_nodes import reads_of, runs_again
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.order import ancestors, order
from autodiff_viz.graph.problem import GraphError, Problem, kind_of
from autodiff_viz.graph.shown import Shown

# Tangents at every node and along every wire

ALIKE = 1e-4  # share of the summed sizes; float32 rounds far below


@dataclass(frozen=True, eq=False, repr=False)
class Tangents(Shown):
    """One forward-mode evaluation. All arrays are read-only NumPy arrays.

    Attributes:
      trace: of the same graph at the same inputs; its cotangents belong to reverse mode.
      direction: by input name, the tangent that was given; an input that is left out does not move.
      tangent: by node name, how its value moves, of the value's shape; that of an input is after the input's
        own rule. Nodes after a blocked one are left out, unless a stop is between.
      passed: by (node, slot), what the wire adds to the tangent of the node that reads it, of the shape of
        that node's value. The contributions of a node's wires add up to its tangent.
      blocked: names of the nodes on the way to the output whose rule is a `jax.custom_vjp` and at which a
        tangent arrives: `jax.jvp` raises a TypeError there.
      aside: the same of nodes that the output does not need, so that they hinder nothing.
    """

    trace: Trace
    direction: Mapping[str, np.ndarray]
    tangent: Arrays[str]
    passed: Arrays[Wire]
    blocked: tuple[str, ...]
    aside: tuple[str, ...] = ()

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self.trace.graph

    @cached_property
    def arriving(self) -> Mapping[str, Mapping[str, np.ndarray]]:
        """By blocked node, the tangents that arrive there, by the node that they come from.

        For an input whose rule blocks, its own direction.
        """
        return {name: self._arriving(name) for name in (*self.blocked, *self.aside)}

    @cached_property
    def balance(self) -> tuple[float, float] | None:
        """The two sides of <cotangent, tangent> summed over the inputs = <seed, tangent of the output>.

        The left side takes what reverse mode computed, the right side what forward mode did. None if forward
        mode does not reach the output, or there is no output.
        """
        trace, output = self.trace, self.trace.output
        if output not in self.tangent or output not in trace.cotangent:
            return None
        moved = [name for name in self.direction if name in self.tangent]
        with np.errstate(all="ignore"):
            left = sum(_product(trace.cotangent[name], self.tangent[name]) for name in moved)
            return float(left), _product(trace.seed, self.tangent[output])

    @property
    def balanced(self) -> bool:
        """Whether the two sides of `balance` are equal up to rounding, of all the products that they sum."""
        if self.balance is None:
            return False
        trace, moved = self.trace, [name for name in self.direction if name in self.tangent]
        pairs = [(trace.cotangent[name], self.tangent[name]) for name in moved]
        pairs.append((trace.seed, self.tangent[trace.output]))
        with np.errstate(all="ignore"):
            terms = [_product(np.abs(a), np.abs(b)) for a, b in pairs]
        one, other = self.balance
        return one == other or abs(one - other) <= ALIKE * sum(terms)

    def __repr__(self) -> str:
        blocked = f", blocked at {', '.join(self.blocked)}" if self.blocked else ""
        return f"<Tangents of {self.trace.output} along {', '.join(self.direction)}{blocked}>"

    def _arriving(self, name: str) -> dict[str, np.ndarray]:
        node = self.graph[name]
        if node.op == INPUT:
            return {name: self.direction[name]}
        reads = dict.fromkeys(read for _, read in node.wires)
        known = [read for read in reads if read in self.tangent]  # not behind another blocked node
        return {read: self.tangent[read] for read in known if not self.tangent.is_symbolic_zero(read)}


def jvp(
    graph: Graph | Trace,
    directions: Mapping[str, Any],
    inputs: Mapping[str, Any] | None = None,
    *,
    dtype: str = FLOAT32,
) -> Tangents:
    """Push the tangents of some inputs forward to every node and wire.

    Args:
      graph: a complete graph, or a trace, whose inputs and dtype are then used.
      directions: a tangent by input name, broadcast to the input's shape. An input that is left out does not
        move. A 0 does: to JAX it is a tangent like any other.
      inputs, dtype: as of `trace`; for a graph only.
    Returns:
      The tangents. Where a rule blocks forward mode, those that can be known without it.
    Raises:
      GraphError: the graph, an input or a direction cannot be used.
    Source: stitches `jax.jvp` of single ops; https://docs.jax.dev/en/latest/jax-101/04-advanced-autodiff.html
    """
    found = graph if isinstance(graph, Trace) else trace(graph, inputs, dtype=known_dtype(dtype))
    if not isinstance(directions, Mapping):
        message = f"The directions must be a mapping from inputs to tangents; found {kind_of(directions)}."
        raise GraphError(Problem("bad-direction", message, 'Write {"x": 1.0}.'))
    given = {name: _direction(found, name, value) for name, value in directions.items()}
    with precision(found.dtype):
        arrays = {name: on_device(value) for name, value in found.inputs.items()}
        prepared = prepare(found.graph, arrays, found.dtype, forward_only=True)
        _, called = forward(prepared)
        pushed = push_forward(prepared, called, {name: on_device(value) for name, value in given.items()})
    shapes, blocked = prepared.shapes, leading(found.graph, pushed.blocked)
    return Tangents(
        trace=found,
        direction=given,
        tangent=Arrays(pushed.tangent, found.dtype, shapes.__getitem__),
        passed=Arrays(pushed.passed, found.dtype, lambda wire: shapes[wire[0]]),
        blocked=blocked,
        aside=tuple(name for name in pushed.blocked if name not in blocked),
    )


def leading(graph: Graph, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of the nodes that the output needs; all if there is no output.

    It needs what is read on the way to it, and what grad nodes on that way run again. The z of a grad node
    without a path to it is not needed.
    """
    if graph.output is None:
        return tuple(names)
    way = ancestors(graph, [graph.output], reads_of)
    way |= runs_again(graph, [graph[name] for name in way])
    return tuple(name for name in names if name in way)


def _direction(found: Trace, name: Any, value: Any) -> np.ndarray:
    """Return a tangent of an input, of the input's shape.

    Raises:
      GraphError: there is no such input, or the tangent does not fit.
    """
    check_input(found.graph, name)
    shape, fault = found.inputs[name].shape, ""
    try:
        array = numbers(value, found.dtype)
        fault = f"has shape {list(array.shape)}"
        return np.array(np.broadcast_to(array, shape))
    except ValueError as error:
        message = f"The tangent of {name!r}, whose shape is {list(shape)}, {fault or error}."
        raise GraphError(
            Problem("tangent-shape", message, "Give one number, or an array of that shape.", name)
        ) from error


def _product(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.sum(np.asarray(one, np.float64) * np.asarray(other, np.float64)))


# The same tangents by one `jax.jvp` of the whole program


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
      GraphError: they are no tangents, or the graph has no output or another problem, such as an invalid
        checkpoint region.
    Source: `jax.jvp` of the whole program.
    """
    if not isinstance(tangents, Tangents):
        message = f"Tangents are needed; found {kind_of(tangents)}."
        raise GraphError(Problem("not-tangents", message, "jvp(graph, {name: 1.0}) makes them."))
    trace = with_output(tangents.trace)
    if problems := diagnose(trace.graph, {name: value.shape for name, value in trace.inputs.items()}):
        raise GraphError(problems)
    with precision(trace.dtype):
        whole = whole_program_tangents(tangents)
        if whole is None or tangents.blocked:
            same = whole is None and bool(tangents.blocked)
            return Verdict(same, 0, 0.0 if same else float("inf"), "" if same else BLOCKED)
        pairs = [
            paired(f"the tangent of {name!r}", tangent, tangents.tangent[name])
            for name, tangent in whole.items()
        ]
        apart = [not agree(each, trace.dtype) for each in pairs]
        bounds = dict.fromkeys(whole, 0.0)
        if any(apart):
            # How far rounding from the inputs on may move each tangent: an analysis that takes its time, so
            # only where numbers differ.
            arguments = _arguments(tangents)
            program = traced(_tangents(tangents), *arguments)
            rounding = errors(program.equations, program.leaves(arguments), None)
            bounds = jax.tree.unflatten(program.tree, rounding)
    wrong = [
        each
        for each, bound in zip(pairs, bounds.values(), strict=True)
        if not agree(each, trace.dtype, bound)
    ]
    worst, where = max(((share(each), each.name) for each in wrong or pairs), default=(0.0, ""))
    return Verdict(not wrong, len(pairs), worst, where if worst > 0 else "", sum(apart) - len(wrong))


def whole_program_tangents(pushed: Tangents) -> dict[str, Any] | None:
    """Return every node's tangent by one `jax.jvp` of the whole program; None where it raises."""
    try:
        return _tangents(pushed)(*_arguments(pushed))
    except TypeError as error:
        if "custom_vjp" not in str(error):
            raise
        return None


def _tangents(pushed: Tangents) -> Any:
    """Return the tangents of all values as a function of inputs, directions and run-time parameters."""
    program = Program(_program_graph(pushed), pushed.trace.dtype, export_all=True)

    def tangents(inputs: dict, directions: dict, dynamic: dict) -> dict[str, jax.Array]:
        def values(moved: dict) -> dict[str, jax.Array]:
            return program({**inputs, **moved}, dynamic, {})[1]

        return jax.jvp(values, ({name: inputs[name] for name in directions},), (directions,))[1]

    return tangents


def _program_graph(pushed: Tangents) -> Graph:
    """Return the graph without what is blocked beside the way to the output."""
    graph = pushed.graph
    if pushed.blocked or not pushed.aside:
        return graph
    # With the blocked nodes goes all that reads them, which the output does not need.
    left_out = set(pushed.aside)
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


def _arguments(pushed: Tangents) -> tuple[dict, dict, dict]:
    """Return what the function of `_tangents` takes."""
    inputs = {name: jnp.asarray(value) for name, value in pushed.trace.inputs.items()}
    directions = {name: jnp.asarray(value) for name, value in pushed.direction.items()}
    return inputs, directions, dynamic_params(_program_graph(pushed))


@dataclass(frozen=True)
class TangentSweep:
    """Tangents at each value that a scalar input takes.

    `tangent` and `passed` are as in `Tangents`, with a leading axis of positions where they depend on the
    swept input: `swept` holds the keys of those.
    """

    tangent: Mapping[str, np.ndarray]
    passed: Mapping[Wire, np.ndarray]
    swept: frozenset[str | Wire]


def tangent_sweep(found: Tangents, name: str, positions: Any) -> TangentSweep:
    """Push the same directions forward with the scalar input `name` at each of `positions`, all at once.

    Args:
      found: tangents of the graph; other inputs and the directions are as in it.
      name, positions: as of `sweep`.
    Raises:
      GraphError: as `sweep`.
    """
    trace = found.trace
    positions = swept_positions(trace, name, positions)
    with precision(trace.dtype):
        inputs = {other: on_device(value) for other, value in trace.inputs.items()}
        inputs[name] = on_device(positions)
        prepared = prepare(trace.graph, inputs, trace.dtype, frozenset({name}), forward_only=True)
        _, called = forward(prepared)
        given = {moved: on_device(dot) for moved, dot in found.direction.items()}
        pushed = push_forward(prepared, called, given)
    shapes = prepared.shapes
    tangent = Arrays(pushed.tangent, trace.dtype, shapes.__getitem__)
    passed = Arrays(pushed.passed, trace.dtype, lambda wire: shapes[wire[0]])
    return TangentSweep(tangent, passed, frozenset({*tangent.with_samples(), *passed.with_samples()}))
