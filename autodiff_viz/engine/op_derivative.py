"""Differentiate a single op at the numbers of a trace, without the node's rule."""

from __future__ import annotations

import numpy as np

from autodiff_viz.engine.grad_op import OpCall, op_call
from autodiff_viz.engine.live_path.arrays import on_device, rounded
from autodiff_viz.engine.live_path.kernels import Kernel, kernel, tangent_kernel
from autodiff_viz.engine.live_path.node_steps import on_identity
from autodiff_viz.engine.trace import Trace, precision
from autodiff_viz.graph.model import Node
from autodiff_viz.ops.catalog import OPS

EXTREMA = frozenset({"maximum", "minimum", "clip"})


def local_derivative(trace: Trace, name: str, slot: int) -> np.ndarray | None:
    """Return JAX's own d(value of the node)/d(element of the slot), element by element, without the rule.

    The result has the shape of the node's value. None for an op that mixes elements, whose derivative is a
    matrix; of a grad node, None unless both are numbers.
    """
    node = trace.graph[name]
    op = OPS[node.op]
    numbers = op.of_graph and not trace.value[name].ndim and not trace.value[node.slots[slot]].ndim
    if not (op.elementwise or numbers) or slot >= len(node.op_slots):
        return None
    with precision(trace.dtype):
        compiled, wired, call, arrays = _as_live(trace, node)
        if slot in wired and arrays[slot].shape == compiled.shape:
            ones = np.ones(compiled.shape, trace.dtype)
            pulled = compiled.pull(ones, *call.leading, *arrays)[wired.index(slot)]
            return np.zeros(compiled.shape, trace.dtype) if pulled is None else np.asarray(pulled)
        # The tangent of the node's value when that of each element of the slot is 1.
        push = tangent_kernel(call.op, call.static, tuple(a.shape for a in arrays), (slot,), trace.dtype)
        return np.asarray(push((np.ones_like(arrays[slot]),), *call.leading, *arrays)[0])


def own_contributions(trace: Trace, name: str, cotangent: np.ndarray | None = None) -> dict[int, np.ndarray]:
    """Return, by slot, the contribution that the op's own pullback gives, without the node's rule.

    Args:
      cotangent: pulled back in place of the one that arrives; of the value's shape and dtype.
    """
    with precision(trace.dtype):
        compiled, wired, call, arrays = _as_live(trace, trace.graph[name])
        if cotangent is None and trace.cotangent.is_symbolic_zero(name):  # no 0 times an infinite slope
            return {slot: np.zeros(arrays[slot].shape, trace.dtype) for slot in wired}
        arriving = trace.cotangent[name] if cotangent is None else cotangent
        results = compiled.pull(arriving, *call.leading, *arrays)
        return {
            slot: np.zeros(arrays[slot].shape, trace.dtype) if result is None else np.asarray(result)
            for slot, result in zip(wired, results, strict=True)
        }


def _as_live(trace: Trace, node: Node) -> tuple[Kernel, tuple[int, ...], OpCall, list[np.ndarray]]:
    """Return the compiled op that the live path uses for the node, with its arguments.

    Sharing the compiled op means that nothing is compiled for this node alone.

    Returns:
      (compiled op, wired slots, call of the op, values of all its slots).
    """
    call = op_call(trace.graph, node, lambda name: trace.value[name].shape)
    wired = tuple(i for i, slot in enumerate(call.slots) if isinstance(slot, str))
    arrays = [_slot_value(trace, slot) for slot in call.slots]
    compiled = kernel(call.op, call.static, tuple(a.shape for a in arrays), wired, trace.dtype)
    return compiled, wired, call, arrays


def at_corner(trace: Trace, name: str, slot: int) -> np.ndarray:
    """Return at which elements of a slot the op has no single derivative, as far as known without evaluation.

    Such elements are the `kinks` of the op's record, and ties between the inputs of an extremum.
    """
    node = trace.graph[name]
    value = _slot_value(trace, node.op_slots[slot])
    corners = np.isin(value, OPS[node.op].kinks)
    if node.op in EXTREMA:
        others = [_slot_value(trace, other) for i, other in enumerate(node.op_slots) if i != slot]
        corners = corners | any(bool((value == other).any()) for other in others)
    return corners


def changed_cotangent(trace: Trace, name: str) -> np.ndarray:
    """Return the arriving cotangent after the node's rule; of the value's shape."""
    node, arriving = trace.graph[name], trace.cotangent[name]
    with precision(trace.dtype):
        pull_back = on_identity(node, arriving.shape, trace.dtype)
        _, (changed,) = pull_back([on_device(arriving)], (), trace.value[name])
        return np.zeros_like(arriving) if changed is None else np.asarray(changed)


def _slot_value(trace: Trace, slot: object) -> np.ndarray:
    return trace.value[slot] if isinstance(slot, str) else rounded(slot, trace.dtype)
