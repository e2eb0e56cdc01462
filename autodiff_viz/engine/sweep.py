"""Sweep an input: compute every number of a graph along a line of the input's values, in one pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autodiff_viz.engine.arguments import numbers
from autodiff_viz.engine.diagnostics.differences import slope_along
from autodiff_viz.engine.live_path.arrays import Arrays, on_device
from autodiff_viz.engine.live_path.passes import backward, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.trace import Trace, known_trace, precision
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.grad_nodes import has_grads

POSITIONS = 1001  # at most this many values of the swept input
SLIDER = 101  # positions of a slider; each number of positions is compiled separately


@dataclass(frozen=True)
class Sweep:
    """A trace at each of `positions`, the values that the scalar input `name` takes.

    `value`, `cotangent` and `passed` are as in a trace, with a leading axis of positions where they depend on
    the swept input; `along` adds that axis to the others. `swept` holds the keys of those that depend on it,
    `gradient` is that of the swept input at each position, and `output` the name of the output node.
    """

    name: str
    positions: np.ndarray
    output: str
    value: Mapping[str, np.ndarray]
    cotangent: Mapping[str, np.ndarray]
    passed: Mapping[tuple[str, int], np.ndarray]
    gradient: np.ndarray
    swept: frozenset[Any]

    def along(self, array: np.ndarray, key: Any) -> np.ndarray:
        """Return `array` with the axis of positions.

        Args:
          key: a node name for a value, (node, -1) for the arriving cotangent of a node, (node, slot) for a
            wire's.
        """
        return array if key in self.swept else np.broadcast_to(array, (len(self.positions), *array.shape))


def sweep(trace: Trace, name: str, positions: Any) -> Sweep:
    """Evaluate `trace`'s graph with the scalar input `name` at each of `positions`, all at once.

    Args:
      trace: of the graph; other inputs and the seed are as in it.
      name: of a scalar input.
      positions: the values that it takes, on one axis, at most `POSITIONS`.
    Returns:
      `value`, `cotangent` and `passed` as in a trace, with a leading axis of positions.
    Raises:
      GraphError: `name` is not a scalar input, a position is no number, or the sweep would be too large.
    """
    positions = swept_positions(known_trace(trace), name, positions)
    with precision(trace.dtype):
        inputs = {other: on_device(value) for other, value in trace.inputs.items()}
        inputs[name] = on_device(positions)
        prepared = prepare(trace.graph, inputs, trace.dtype, frozenset({name}))
        values, called = forward(prepared)
        arriving, passed, gradients = backward(prepared, values, called, on_device(trace.seed))

    def shape_of(name: str) -> tuple[int, ...]:
        return prepared.shapes[name]

    gradients = Arrays(gradients, trace.dtype, shape_of)
    found = Sweep(
        name=name,
        positions=positions,
        output=trace.output,
        value=Arrays(values, trace.dtype, shape_of),
        cotangent=Arrays(arriving, trace.dtype, shape_of),
        passed=Arrays(passed, trace.dtype, lambda wire: shape_of(trace.graph[wire[0]].slots[wire[1]])),
        gradient=gradients[name],
        swept=frozenset(prepared.swept),
    )
    whole = np.broadcast_to(found.gradient, positions.shape)
    return replace(found, gradient=whole)


def true_derivative(trace: Trace, name: str, positions: Any) -> np.ndarray:
    """Return JAX's own derivative of <seed, output> along `positions`, without any rule.

    In a graph with a grad node rules also decide values, which they must go on to do: then central
    differences.
    """
    if has_grads(trace.graph):
        return slope_along(trace, name, _positions(trace, positions)).astype(trace.dtype)
    return sweep(without_rules(trace), name, positions).gradient


def without_rules(trace: Trace) -> Trace:
    """Return the trace with every rule set to `follow`; its numbers are still those of `trace`."""
    nodes = tuple(replace(n, slots=n.op_slots, rule=type(n.rule)()) for n in trace.graph.nodes)
    return replace(trace, graph=Graph(nodes, trace.graph.regions, trace.graph.output))


def swept_positions(trace: Trace, name: str, positions: Any) -> np.ndarray:
    """Return the positions of a sweep as an array of the trace's dtype.

    Raises:
      GraphError: as `sweep`.
    """
    array = _positions(trace, positions)
    _check(trace, name, array)
    return array


def _positions(trace: Trace, positions: Any) -> np.ndarray:
    try:
        return numbers(positions, trace.dtype)
    except ValueError as error:
        message = f"What is given as positions {error}."
        raise GraphError(
            Problem("bad-positions", message, "Give numbers, as numpy.linspace does.")
        ) from error


def _check(trace: Trace, name: str, positions: np.ndarray) -> None:
    if name not in trace.inputs or trace.inputs[name].shape:
        message = f"{name!r} is not a scalar input, so it cannot be swept."
        raise GraphError(Problem("not-scalar", message, "Choose a scalar input."))
    elements = positions.size * sum(value.size for value in trace.value.values())
    most = 10 * limits.TOTAL_ELEMENTS
    if positions.ndim != 1 or not 1 <= positions.size <= POSITIONS or elements > most:
        raise GraphError(
            Problem(
                "sweep-size",
                f"The sweep has positions of shape {list(positions.shape)} and {elements} numbers in all.",
                f"At least one. At most {POSITIONS} positions on one axis and {most} numbers.",
            )
        )
