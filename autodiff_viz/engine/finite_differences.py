"""Compute central differences in float64: the true derivative, whatever any rule declares.

Only forward evaluations are used, so nothing is shared with automatic differentiation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from autodiff_viz.engine.live_path.arrays import on_device
from autodiff_viz.engine.live_path.passes import forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.tolerance import gaps
from autodiff_viz.engine.trace import Trace, precision, with_output
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32, FLOAT64
from autodiff_viz.graph.grad_nodes import OF, runs_again
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node, Rule, params
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import quoted

# Compare the slopes on both sides of a number: central differences, corners and jumps.


NEARER = 0.125  # shorter step, as a share of the usual one: distinguishes a corner from curvature
TURNS = 0.1  # share of a slope: a shorter step that changes more of it says that the step is too long
LOST = 1e-3  # rounding that is larger, and more than that share of the slope, leaves nothing of it


class Beside(NamedTuple):
    """Slopes below and above each chosen element.

    Rounding can explain a difference of slopes of `rounding`, curvature and rounding one of `least`.
    """

    below: np.ndarray
    above: np.ndarray
    least: np.ndarray
    rounding: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """The central difference."""
        with np.errstate(invalid="ignore"):
            return (self.below + self.above) / 2


def breaks(wide: Beside, near: Beside) -> np.ndarray:
    """Return where the derivative jumps, or the value does; `near` has the slopes with the shorter step.

    The slopes on both sides of a corner stay as they are with the shorter step. At a jump of the value it is
    the rise that stays: the slope grows as the step gets shorter.
    """
    with np.errstate(invalid="ignore"):
        corner = np.abs(wide.above - wide.below) > wide.least
        steps = np.zeros(corner.shape, bool)
        for slope, nearer in ((wide.below, near.below), (wide.above, near.above)):
            size = np.abs(slope)
            corner &= np.abs(nearer - slope) <= 0.1 * np.abs(wide.above - wide.below)
            steps |= (size > wide.least) & (np.abs(nearer * NEARER - slope) <= 0.1 * size)
        return corner | steps


def central(wide: Beside, near: Beside) -> tuple[np.ndarray, np.ndarray]:
    """Return central differences, and how far the two steps are apart.

    Their error grows as the square of the step, which two steps take away (Richardson's extrapolation). They
    are NaN where rounding or the step's length decides what they are.
    """
    with np.errstate(invalid="ignore"):
        turn = np.abs(near.mean - wide.mean)
        size = np.maximum(np.abs(near.mean), np.abs(wide.mean))
        extrapolated = near.mean + (near.mean - wide.mean) * NEARER**2 / (1 - NEARER**2)
        lost = near.rounding > np.maximum(TURNS * size, LOST)
        lost |= turn > np.maximum(TURNS * size, near.rounding)
        return np.where(lost, np.nan, extrapolated), turn


def beyond(wide: Beside, near: Beside) -> Iterator[np.ndarray]:
    """Yield the slopes below and above each position, between the shorter and the usual step from it."""
    with np.errstate(invalid="ignore"):
        for far, close in ((wide.below, near.below), (wide.above, near.above)):
            yield (far - NEARER * close) / (1 - NEARER)


RELATIVE_STEP = 6e-6  # cube root of float64's epsilon: balances truncation and rounding
ELEMENTS = 64  # compared elements of one input; a larger input is sampled
TOLERANCE = 1e-3  # float32 cotangents against float64 differences, relative
HALF = 8  # units in the last place of numbers of 16 bits, in place of that


@dataclass(frozen=True, slots=True)
class Difference:
    """A declared derivative beside central differences of the same derivative.

    `declared` and `true` are flat arrays over the compared elements. `gap` is their largest difference,
    relative to the larger of 1e-6 and the largest number in `true`. `room` is the gap that rounding explains.
    """

    declared: np.ndarray
    true: np.ndarray
    gap: float
    room: float = TOLERANCE

    @property
    def agrees(self) -> bool:
        """Whether the dtype's rounding and central differences explain the gap."""
        return self.gap <= self.room


def check_inputs(trace: Trace) -> dict[str, Difference]:
    """Compare, for each input, the gradient that the graph declares with the true slope of <seed, output>.

    `explain/verification/compute.py` finds out why they differ.

    Args:
      trace: as `trace` made it.
    Returns:
      A comparison by input name, of at most `ELEMENTS` elements each.
    Raises:
      GraphError: it is no trace, or has no output.
    Source: central differences in float64.
    """
    with_output(trace)
    return {name: check_input(trace, name) for name in trace.inputs}


def check_input(trace: Trace, name: str) -> Difference:
    """Compare one input's declared gradient with central differences of <seed, output>."""
    point = trace.inputs[name].astype(np.float64)
    chosen = _chosen(point.size)
    true = _slopes(trace, name, point, chosen)
    return compare(trace.gradient[name].ravel()[chosen].astype(np.float64), true, trace.dtype)


def same_beside(trace: Trace, name: str) -> np.ndarray:
    """Return at which of the elements that `check_input` compares the slope is the same on both sides.

    Both slopes must stay as they are with a shorter step, as they do where the function has a derivative.
    """
    point = trace.inputs[name].astype(np.float64)
    wide, near = (_beside(trace, name, point, _chosen(point.size), size) for size in (1.0, NEARER))
    with np.errstate(invalid="ignore"):
        least = np.maximum(wide.least, near.least)
        return (
            (np.abs(wide.above - wide.below) <= least)
            & (np.abs(near.above - near.below) <= least)
            & (np.abs(wide.above - near.above) <= least)
        )


def slope_along(trace: Trace, name: str, positions: np.ndarray) -> np.ndarray:
    """Return central differences of <seed, output> at each value of the scalar input `name`."""
    positions = np.asarray(positions, np.float64)
    steps = RELATIVE_STEP * np.maximum(1.0, np.abs(positions))
    high, low = _outputs(trace, name, positions + steps), _outputs(trace, name, positions - steps)
    with np.errstate(invalid="ignore"):
        return (high - low) / (2 * steps)


def sides_along(trace: Trace, name: str, positions: np.ndarray, size: float = 1.0) -> Beside:
    """Return the slopes of <seed, output> below and above each value of the scalar input `name`.

    Their mean is the central difference. The step is `size` times the usual one.
    """
    positions = np.asarray(positions, np.float64)
    steps = size * RELATIVE_STEP * np.maximum(1.0, np.abs(positions))
    return _sides(*(_outputs(trace, name, positions + shift * steps) for shift in (-1, 0, 1)), steps)


def check_node(trace: Trace, name: str) -> dict[int, Difference]:
    """Compare each contribution of a node with the true derivative of its op times the cotangent.

    Args:
      trace: as `trace` made it.
      name: of the node; an input has no slots.
    Returns:
      A comparison by wired slot, of at most `ELEMENTS` elements each.
    Raises:
      GraphError: it is no trace, it has no output, or there is no such node.
    Source: central differences in float64.
    """
    graph = with_output(trace).graph
    if not isinstance(name, str) or name not in graph:
        message = f"There is no node {quoted(name)}."
        raise GraphError(Problem("unknown-node", message, "Choose one of the trace's graph."))
    node = graph[name]
    return {
        slot: check_slot(trace, node, slot, _chosen(trace.value[producer].size))
        for slot, producer in op_wires(node)
    }


def check_slot(trace: Trace, node: Node, slot: int, chosen: np.ndarray) -> Difference:
    """Compare as `check_node` does, for one slot at the `chosen` elements."""
    alone, point = local(trace, node), trace.value[node.slots[slot]].astype(np.float64)
    true = _slopes(alone, input_of(node, slot), point, chosen)
    return compare(trace.passed[node.name, slot].ravel()[chosen].astype(np.float64), true, trace.dtype)


def jumps(trace: Trace, node: Node, slot: int, chosen: np.ndarray) -> np.ndarray:
    """Return at which of the `chosen` elements of a slot the op's derivative jumps, or its value does.

    False where a number is not finite, and where the function turns faster than the step.
    """
    alone, point = local(trace, node), trace.value[node.slots[slot]].astype(np.float64)
    wide, near = (_beside(alone, input_of(node, slot), point, chosen, size) for size in (1.0, NEARER))
    return breaks(wide, near)


def local(trace: Trace, node: Node) -> Trace:
    """Return the node's op alone at its inputs, with the arriving cotangent as seed.

    Only the fields that differences need are filled.
    """
    alone = _alone(trace, node)
    inputs = {input_of(node, slot): np.asarray(trace.value[name]) for slot, name in op_wires(node)}
    return Trace(
        graph=alone,
        output=alone.output,
        dtype=FLOAT64,
        inputs=inputs,
        seed=trace.cotangent[node.name].astype(np.float64),
        value={},
        cotangent={},
        passed={},
        gradient={},
    )


def _alone(trace: Trace, node: Node) -> Graph:
    """Return the node's op as a graph of its own, with an input for each wired slot that it reads.

    With a grad node come the nodes that it runs again, under their names.
    """
    if node.op == GRAD:
        names = runs_again(trace.graph, [node])
        inside = [each for each in order(trace.graph) if each.name in names]
        inputs = dict.fromkeys(name for _, name in node.wires if name not in names)
        nodes = (
            *(Node(name, INPUT, (), params(value=0.0)) for name in inputs),
            *inside,
            replace(node, rule=Rule()),
        )
        return Graph(nodes, (), node.name)
    slots = tuple(f"slot_{i}" if isinstance(slot, str) else slot for i, slot in enumerate(node.op_slots))
    inputs = tuple(Node(slot, INPUT, (), params(value=0.0)) for slot in slots if isinstance(slot, str))
    return Graph((*inputs, Node(node.name, node.op, slots, node.params)), (), node.name)


def input_of(node: Node, slot: int) -> str:
    """Return the name of the input that stands for a slot in `local`."""
    return node.slots[slot] if node.op == GRAD else f"slot_{slot}"


def op_wires(node: Node) -> list[tuple[int, str]]:
    """Return (slot, name) of the wires that the op's value is a function of; the z of a grad node is none."""
    own = ((slot, name) for slot, name in node.wires if slot < len(node.op_slots))
    return [(slot, name) for slot, name in own if node.op != GRAD or slot != OF]


def _chosen(size: int) -> np.ndarray:
    """Return indices of the elements to compare: all of a small array, evenly spread ones of a large one."""
    return np.unique(np.linspace(0, size - 1, min(size, ELEMENTS)).astype(int)) if size else np.zeros(0, int)


def _slopes(trace: Trace, name: str, point: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    batch, steps = _moved(point, chosen)
    with np.errstate(invalid="ignore"):  # the step from an infinite number is infinite
        high, low = _outputs(trace, name, point + batch), _outputs(trace, name, point - batch)
        return (high - low) / (2 * steps)


def _beside(trace: Trace, name: str, point: np.ndarray, chosen: np.ndarray, size: float) -> Beside:
    batch, steps = _moved(point, chosen, size)
    with np.errstate(invalid="ignore"):
        places = (point - batch, point + 0 * batch, point + batch)
        return _sides(*(_outputs(trace, name, at) for at in places), steps)


def _sides(low: np.ndarray, middle: np.ndarray, high: np.ndarray, steps: np.ndarray) -> Beside:
    with np.errstate(invalid="ignore", over="ignore"):  # of numbers near the largest one
        below, above = (middle - low) / steps, (high - middle) / steps
        rounding = np.finfo(np.float64).eps * np.maximum(np.abs(low), np.abs(high)) / steps
        most = np.maximum(np.abs(below), np.abs(above))
        return Beside(below, above, np.maximum(TOLERANCE * most, 50 * rounding), 50 * rounding)


def _moved(point: np.ndarray, chosen: np.ndarray, size: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Return a step for each chosen element (0 elsewhere), and the lengths: `size` times the usual one."""
    steps = size * RELATIVE_STEP * np.maximum(1.0, np.abs(point.ravel()[chosen]))
    moved = np.zeros((len(chosen), point.size))
    moved[np.arange(len(chosen)), chosen] = steps
    return moved.reshape(len(chosen), *point.shape), steps


def _outputs(trace: Trace, name: str, batch: np.ndarray) -> np.ndarray:
    """Return <seed, output> in float64 for each value of input `name` in `batch`."""
    with precision(FLOAT64):
        inputs = {other: on_device(np.asarray(value, FLOAT64)) for other, value in trace.inputs.items()}
        inputs[name] = on_device(np.asarray(batch))
        prepared = prepare(trace.graph, inputs, FLOAT64, frozenset({name}), forward_only=True)
        output = np.asarray(forward(prepared)[0][trace.output])
    output = np.broadcast_to(output, (len(batch), *prepared.shapes[trace.output]))
    axes = tuple(range(1, output.ndim))
    with np.errstate(invalid="ignore", over="ignore"):
        return np.sum(output * trace.seed.astype(np.float64), axis=axes)


def compare(declared: np.ndarray, true: np.ndarray, dtype: str = FLOAT32) -> Difference:
    """Compare two flat arrays of the same elements. NaN beside NaN, or infinity beside itself, is no gap."""
    finite = np.abs(true[np.isfinite(true)])
    largest = max(1e-6, float(finite.max(initial=0.0)))
    room = HALF * DTYPES[dtype].eps if DTYPES[dtype].half else TOLERANCE
    return Difference(declared, true, float(gaps(declared, true).max(initial=0.0)) / largest, room)
