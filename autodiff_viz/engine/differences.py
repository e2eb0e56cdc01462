"""Central differences in float64: what the derivative is, whatever any rule declares.

Only forward evaluations are used, so nothing is shared with automatic differentiation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.arrays import FLOAT64
from autodiff_viz.engine.live import forward
from autodiff_viz.engine.trace import Trace, known_trace, precision
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.names import quoted
from autodiff_viz.graph.problem import GraphError, Problem

RELATIVE_STEP = 6e-6  # cube root of float64's epsilon: balances truncation and rounding
ELEMENTS = 64  # elements of one input that are differenced; a larger input is checked at these many
TOLERANCE = 1e-3  # float32 cotangents against float64 differences, relative


@dataclass(frozen=True, slots=True)
class Difference:
    """A declared derivative beside central differences of the same thing.

    `declared` and `true` are flat arrays over the compared elements. `gap` is their largest difference,
    relative to the larger of 1e-6 and the largest number in `true`.
    """

    declared: np.ndarray
    true: np.ndarray
    gap: float

    @property
    def agrees(self) -> bool:
        """Whether the gap is no more than float32 and central differences explain."""
        return self.gap <= TOLERANCE


def check_inputs(trace: Trace) -> dict[str, Difference]:
    """Per input, the gradient that the graph declares beside the true slope of <seed, output>.

    They differ where a rule bends the gradient (that is its point), and at kinks.

    Args:
      trace: as `trace` made it.
    Returns:
      A comparison by input name, of at most `ELEMENTS` elements each.
    Raises:
      GraphError: it is no trace.
    Source: central differences in float64.
    """
    known_trace(trace)
    return {name: check_input(trace, name) for name in trace.inputs}


def check_input(trace: Trace, name: str) -> Difference:
    """One input's declared gradient beside central differences of <seed, output>."""
    point = trace.inputs[name].astype(np.float64)
    chosen = _chosen(point.size)
    true = _slopes(trace, name, point, chosen)
    return _compare(trace.gradient[name].ravel()[chosen].astype(np.float64), true)


def slope_along(trace: Trace, name: str, positions: np.ndarray) -> np.ndarray:
    """Central differences of <seed, output> at each value of the scalar input `name`."""
    positions = np.asarray(positions, np.float64)
    steps = RELATIVE_STEP * np.maximum(1.0, np.abs(positions))
    high, low = _outputs(trace, name, positions + steps), _outputs(trace, name, positions - steps)
    with np.errstate(invalid="ignore"):
        return (high - low) / (2 * steps)


def check_node(trace: Trace, name: str) -> dict[int, Difference]:
    """Per wired slot of a node, what it passes down beside the true derivative of its op times what
    arrives.

    Args:
      trace: as `trace` made it.
      name: of the node; an input has no slots.
    Returns:
      A comparison by slot, of at most `ELEMENTS` elements each.
    Raises:
      GraphError: it is no trace, or there is no such node.
    Source: central differences in float64.
    """
    if name not in known_trace(trace).graph:
        message = f"There is no node {quoted(name)}."
        raise GraphError(Problem("unknown-node", message, "Choose one of the trace's graph."))
    node = trace.graph[name]
    arrives = trace.cotangent[name].astype(np.float64)
    return {
        slot: _check_slot(trace, node, slot, arrives) for slot, _ in node.wires if slot < len(node.op_slots)
    }


def _check_slot(trace: Trace, node: Node, slot: int, arrives: np.ndarray) -> Difference:
    alone, value = _alone(trace, node), trace.value[node.slots[slot]]
    local = Trace(
        graph=alone,
        output=node.name,
        dtype=FLOAT64,
        inputs={n.name: np.asarray(trace.value[node.slots[_slot(n)]]) for n in alone.nodes if n.op == INPUT},
        seed=arrives,
        value={},
        cotangent={},
        passed={},
        gradient={},
    )
    chosen = _chosen(value.size)
    true = _slopes(local, f"slot_{slot}", value.astype(np.float64), chosen)
    return _compare(trace.passed[node.name, slot].ravel()[chosen].astype(np.float64), true)


def _alone(trace: Trace, node: Node) -> Graph:
    """The node's op by itself, each wired slot an input of its own."""
    slots = tuple(f"slot_{i}" if isinstance(slot, str) else slot for i, slot in enumerate(node.op_slots))
    inputs = tuple(Node(slot, INPUT, (), params(value=0.0)) for slot in slots if isinstance(slot, str))
    return Graph((*inputs, Node(node.name, node.op, slots, node.params)), (), node.name)


def _slot(node: Node) -> int:
    return int(node.name.removeprefix("slot_"))


def _chosen(size: int) -> np.ndarray:
    """Indices of the elements to compare: all of a small array, evenly spread ones of a large one."""
    return np.unique(np.linspace(0, size - 1, min(size, ELEMENTS)).astype(int)) if size else np.zeros(0, int)


def _slopes(trace: Trace, name: str, point: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    steps = RELATIVE_STEP * np.maximum(1.0, np.abs(point.ravel()[chosen]))
    moved = np.zeros((len(chosen), point.size))
    moved[np.arange(len(chosen)), chosen] = steps
    batch = moved.reshape(len(chosen), *point.shape)
    high, low = _outputs(trace, name, point + batch), _outputs(trace, name, point - batch)
    with np.errstate(invalid="ignore"):
        return (high - low) / (2 * steps)


def _outputs(trace: Trace, name: str, batch: np.ndarray) -> np.ndarray:
    """<seed, output> in float64 for each value of input `name` in `batch`."""
    with precision(FLOAT64):
        inputs = {other: jnp.asarray(value, FLOAT64) for other, value in trace.inputs.items()}
        inputs[name] = jnp.asarray(batch)
        walk = forward(trace.graph, inputs, FLOAT64, frozenset({name}))
        output = np.asarray(walk.values[trace.output])
    if trace.output not in walk.swept:
        output = np.broadcast_to(output, (len(batch), *output.shape))
    axes = tuple(range(1, output.ndim))
    with np.errstate(invalid="ignore"):
        return np.sum(output * trace.seed.astype(np.float64), axis=axes)


def _compare(declared: np.ndarray, true: np.ndarray) -> Difference:
    with np.errstate(invalid="ignore"):
        gap: Any = np.abs(declared - true)
    gap = np.where(np.isnan(declared) & np.isnan(true), 0.0, gap)
    gap = np.where(np.isnan(gap), np.inf, gap)
    finite = np.abs(true[np.isfinite(true)])
    return Difference(declared, true, float(gap.max(initial=0.0)) / max(1e-6, float(finite.max(initial=0.0))))
