"""Sweep local factors: what multiplies an arriving cotangent, along a line of values of one input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from autodiff_viz.engine.live_path.arrays import on_device, rounded
from autodiff_viz.engine.live_path.grad_kernel import grad_kernel
from autodiff_viz.engine.live_path.kernels import Kernel, kernel
from autodiff_viz.engine.live_path.op_calls import split
from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.engine.live_path.rules import on_identity
from autodiff_viz.engine.sweep import Sweep
from autodiff_viz.engine.trace import Trace, precision
from autodiff_viz.graph.model import GRAD, INPUT, Node
from autodiff_viz.graph.registries.rule_kinds import FOLLOW, REWRITE, SCALE
from autodiff_viz.graph.structure.grad_nodes import BY
from autodiff_viz.ops.catalog import OPS

CHANGING = (REWRITE, SCALE)
"""Kinds of rules that change the arriving cotangent, which the op's own derivative then multiplies."""


@dataclass(frozen=True)
class LocalSweep:
    """Numbers of a sweep that depend on the swept input, one at each position.

    Attributes:
      local: by wire between two numbers, JAX's own derivative of the op; not of wires whose rule replaces it.
      changed: by node, the arriving cotangent after a rule that changes it.
    """

    local: dict[Wire, np.ndarray]
    changed: dict[str, np.ndarray]


def local_sweep(trace: Trace, swept: Sweep) -> LocalSweep:
    """Return the local factors of a sweep of `trace`, by the compiled pullbacks that the sweep has used.

    A factor is what an op passes of the cotangent 1; it is no quotient of what it passes and what arrives.
    """
    found = LocalSweep({}, {})
    with precision(trace.dtype):
        for node in trace.graph.nodes:
            if node.op != INPUT and node.rule.kind in (FOLLOW, *CHANGING) and not trace.value[node.name].ndim:
                _add(found, trace, swept, node)
    return found


def _add(found: LocalSweep, trace: Trace, swept: Sweep, node: Node) -> None:
    """Add the factors of one node whose value is a number."""
    name = node.name
    arriving_swept = (name, ARRIVING) in swept.swept
    if node.rule.kind in CHANGING:
        changed = _changed(trace, swept, node, arriving_swept)
        arriving_swept = changed.ndim > 0
        if arriving_swept:
            found.changed[name] = np.asarray(changed)
    flags = _flags(node, swept)
    if not any(flags) or not (OPS[node.op].elementwise or node.op == GRAD):
        return
    op, wired, leading = _compiled(trace, node, flags, arriving_swept)
    if op.passes_unchanged:  # its factors are 1 whatever the numbers are
        return
    ones = np.ones(len(swept.positions) if arriving_swept else (), trace.dtype)
    arrays = [swept.value[s] if isinstance(s, str) else rounded(s, trace.dtype) for s in node.op_slots]
    for slot, pulled in zip(wired, op.pull(ones, *leading, *arrays), strict=True):
        if pulled is not None and not trace.value[node.slots[slot]].ndim:
            found.local[name, slot] = np.asarray(pulled)


def _changed(trace: Trace, swept: Sweep, node: Node, arriving_swept: bool) -> jax.Array | np.ndarray:
    """Return the arriving cotangent after the node's rule, with the axis of positions if it has one."""
    pull_back = on_identity(node, (), trace.dtype, arriving_swept)
    _, (changed,) = pull_back([on_device(swept.cotangent[node.name])], (), swept.value[node.name])
    return np.zeros((), trace.dtype) if changed is None else changed


def _flags(node: Node, swept: Sweep) -> tuple[bool, ...]:
    """Return which slots of the op are swept; a grad node does not read the value of its z."""
    unread = BY if node.op == GRAD else 0
    return tuple(i >= unread and s in swept.swept for i, s in enumerate(node.op_slots))


def _compiled(
    trace: Trace, node: Node, flags: tuple[bool, ...], arriving_swept: bool
) -> tuple[Kernel, tuple[int, ...], list[Any]]:
    """Return the compiled op as in the sweep, its wired slots and its run-time parameters."""
    wired = tuple(i for i, slot in enumerate(node.op_slots) if isinstance(slot, str))
    if node.op == GRAD:
        shapes = {name: value.shape for name, value in trace.value.items()}
        return grad_kernel(trace.graph, node, shapes, trace.dtype, flags, arriving_swept)[0], wired, []
    static, leading = split(OPS[node.op], node.params)
    shapes = tuple(np.shape(trace.value[s] if isinstance(s, str) else s) for s in node.op_slots)
    return kernel(node.op, static, shapes, wired, trace.dtype, flags, arriving_swept), wired, leading
