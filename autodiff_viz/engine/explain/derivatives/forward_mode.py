"""Push tangents forward from the inputs to every node and along every wire (`jvp`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from autodiff_viz.engine.arguments import check_input, known_dtype, numbers
from autodiff_viz.engine.live_path.arrays import FLOAT32, Arrays, on_device
from autodiff_viz.engine.live_path.passes import Wire, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.live_path.tangents import push_forward
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.graph.checks.argument_types import kind_of
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.grad_nodes import reads_of, runs_again
from autodiff_viz.graph.structure.order import ancestors

ALIKE = 1e-4  # share of the summed sizes; float32 rounds far below


@dataclass(frozen=True, eq=False, repr=False)
class Tangents:
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
        found, output = self.trace, self.trace.output
        if output is None or output not in self.tangent:
            return None
        moved = [name for name in self.direction if name in self.tangent]
        with np.errstate(all="ignore"):
            left = sum(_product(found.cotangent[name], self.tangent[name]) for name in moved)
            return float(left), _product(found.seed, self.tangent[output])

    @property
    def balanced(self) -> bool:
        """Whether the two sides of `balance` are equal up to rounding, of all the products that they sum."""
        if self.balance is None:
            return False
        found, moved = self.trace, [name for name in self.direction if name in self.tangent]
        pairs = [(found.cotangent[name], self.tangent[name]) for name in moved]
        with np.errstate(all="ignore"):
            terms = [
                _product(np.abs(a), np.abs(b)) for a, b in (*pairs, (found.seed, self.tangent[found.output]))
            ]
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
    given = {name: _direction(found, name, value) for name, value in _mapping(directions).items()}
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


def _mapping(directions: Any) -> Mapping[str, Any]:
    if isinstance(directions, Mapping):
        return directions
    message = f"The directions must be a mapping from inputs to tangents; found {kind_of(directions)}."
    raise GraphError(Problem("bad-direction", message, 'Write {"x": 1.0}.'))


def _direction(found: Trace, name: Any, value: Any) -> np.ndarray:
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
