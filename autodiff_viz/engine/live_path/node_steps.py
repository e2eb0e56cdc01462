"""Steps of a walk: one node at a time is checked and compiled, and given a pullback for its rule.

Compiled ops are memoised by structure and shared by all graphs. In a sweep, arrays that depend on the swept
input carry a leading axis of samples: which ones is found by an abstract pass forward, and one backward.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from math import prod
from typing import NamedTuple

from autodiff_viz.engine.check import at_node, check_rule, total_too_large
from autodiff_viz.engine.live_path.arrays import constant
from autodiff_viz.engine.live_path.kernels import Kernel, Shape, kernel, traced_kernel
from autodiff_viz.engine.live_path.op_calls import known_op, split
from autodiff_viz.engine.live_path.pullbacks import PullBack
from autodiff_viz.engine.live_path.rules import PULLBACKS, Abstract, Bound, Ruled, on_identity
from autodiff_viz.engine.live_path.walk import ARRIVING, Prepared, Step
from autodiff_viz.graph import limits
from autodiff_viz.graph.literals import shape_of
from autodiff_viz.graph.model import FOLLOW, Node, Params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ops.catalog import ADJUSTABLE
from autodiff_viz.ops.pullback_ops import PullbackOf

PARAMETERS = "parameters"
"""Pseudo-slot: (node, PARAMETERS) is the key of the run-time parameters of a node."""


class Op(NamedTuple):
    """A node whose pullback depends on its rule, or in a sweep.

    Attributes:
      at: place of its step.
      wired: slots of its wires.
      make: compiles the op for `batched` slots and a cotangent that is batched, or is not.
      batched: which of the op's slots are swept; None if no slot is.
    """

    node: Node
    at: int
    reads: list[Hashable]
    wired: tuple[int, ...]
    compiled: Kernel
    make: Make
    batched: tuple[bool, ...] | None


Make = Callable[[tuple[bool, ...] | None, bool], Kernel]


def compile_node(found: Prepared, node: Node, ops: list[Op]) -> None:
    """Check a node, compile its op, and make its step, with the op's own pullback.

    A node that may need another one is added to `ops`.
    """
    name, dtype, known, shapes = node.name, found.dtype, found.known, found.shapes
    reads, below, wired = [], [], []
    static: Params = ()
    if node.params or node.op in ADJUSTABLE or type(node.op) is PullbackOf:
        static, leading = split(known_op(node.op), node.params)
        if leading:
            known[name, PARAMETERS] = leading[0]
            reads.append((name, PARAMETERS))
    for i, slot in enumerate(node.op_slots):
        if type(slot) is str and slot in shapes:
            reads.append(slot)
            below.append(shapes[slot])
            wired.append(i)
        elif slot is None or type(slot) is str:
            raise GraphError(unusable(node, i))
        else:
            array = known[name, i] = constant(slot, dtype)
            reads.append((name, i))
            below.append(array.shape)
    key = node.op, static, tuple(below), tuple(wired), dtype
    batched = batched_slots(found, node) if found.swept else None
    making = traced_kernel if found.inner else kernel
    compiled = making(*key, batched)
    shape = shapes[name] = compiled.shape
    if shape:
        claim(found, node, shape)
    slots = key[3]
    if node.rule.kind != FOLLOW:
        slots = tuple([slot for slot, _ in node.wires])
        _check_rule(found, node, below)
    if node.rule.kind != FOLLOW or found.swept or found.inner:
        ops.append(Op(node, len(found.steps), reads, slots, compiled, partial(making, *key), batched))
    found.steps.append(Step(name, compiled.run, reads, compiled.pull_back, slots, node.slots))
    if batched:
        found.swept.add(name)


def claim(found: Prepared, node: Node, shape: Shape) -> None:
    """Add a tensor's elements to the total, which has a limit of its own."""
    found.elements += prod(shape)
    if found.elements > limits.TOTAL_ELEMENTS:
        raise GraphError(total_too_large(node, found.elements))


def batched_slots(found: Prepared, node: Node) -> tuple[bool, ...] | None:
    """Return which of the op's slots are swept; None if no slot is."""
    flags = tuple(type(slot) is str and slot in found.swept for slot in node.op_slots)
    return flags if True in flags else None


def _check_rule(found: Prepared, node: Node, below: list[Shape]) -> None:
    if len(node.slots) > len(below):
        slot = node.slots[-1]  # the alternative of `backward_as`
        if slot is None or (type(slot) is str and slot not in found.shapes):
            raise GraphError(unusable(node, len(below)))
        below = [*below, found.shapes[slot] if type(slot) is str else shape_of(slot)]
    check_rule(node, found.shapes[node.name], tuple(below))


def bind(found: Prepared, ops: list[Op]) -> None:
    """Choose the pullbacks of nodes with a rule."""
    for op in ops:
        found.steps[op.at] = _step(op, _bound(found, op, False).pull_back)


def bind_swept(found: Prepared, ops: list[Op], seed_swept: bool = False) -> dict[str, bool]:
    """Choose all pullbacks, by an abstract backward pass that finds which cotangents are swept.

    Returns:
      By name of a node at which something arrives, whether that is swept.
    """
    arriving = {found.graph.output: seed_swept}
    for op in reversed(ops):
        name, slots = op.node.name, op.node.slots
        if name not in arriving:
            continue
        pull_back, swept = _bound(found, op, arriving[name])
        found.steps[op.at] = _step(op, pull_back)
        for slot, contribution_swept in zip(op.wired, swept, strict=True):
            if contribution_swept is not None:
                arriving[slots[slot]] = arriving.get(slots[slot], False) or contribution_swept
            if contribution_swept:
                found.swept.add((name, slot))
    found.swept |= {(name, ARRIVING) for name, swept in arriving.items() if swept}
    return arriving


def _step(op: Op, pull_back: PullBack) -> Step:
    return Step(op.node.name, op.compiled.run, op.reads, pull_back, op.wired, op.node.slots)


def _bound(found: Prepared, op: Op, arriving_swept: bool) -> Bound:
    """Return the pullback of a node under its rule, for a cotangent that is swept, or is not."""
    node, value, read = op.node, _abstract(found, op.node.name), partial(_abstract, found)
    v = Abstract(value.shape, arriving_swept)
    making = traced_kernel if found.inner else kernel
    ruled = Ruled(node, op.wired, found.dtype, partial(_compiled_for, op), v, value, read, making)
    try:
        return PULLBACKS[node.rule.kind](ruled)
    except GraphError as error:  # too many programs
        raise at_node(error, node.name) from error


def _abstract(found: Prepared, name: str) -> Abstract:
    return Abstract(found.shapes[name], name in found.swept)


def gradient(found: Prepared, node: Node) -> PullBack:
    """Return the pullback of an input."""
    v = Abstract(found.shapes[node.name], (node.name, ARRIVING) in found.swept)
    return on_identity(node, v, found.dtype)


def _compiled_for(op: Op, arriving_swept: bool) -> Kernel:
    if not op.batched and not arriving_swept:
        return op.compiled
    return op.make(op.batched or (False,) * len(op.node.op_slots), arriving_swept)


def unusable(node: Node, slot: int) -> Problem:
    """Return the problem of a slot that is empty or wired to no value."""
    wired = node.slots[slot]
    found = "is empty" if wired is None else f"is wired to {wired!r}, which has no value"
    return Problem(
        code="empty-slot" if wired is None else "no-value",
        node=node.name,
        slot=slot,
        message=f"Input {slot} of {node.name!r} {found}.",
        hint="Wire a node into it or type a number.",
    )
