"""Live path: evaluate and differentiate a graph in Python, with one compiled op per node.

The graph itself is never compiled. `forward` computes the value of every node. `backward` visits the nodes in
reverse topological order, sums the cotangents that arrive at a node, applies the node's rule and calls the
op's pullback, which gives a contribution for each wire. Compiled ops are shared by all graphs, so a graph
compiles only the ops and shapes that no graph has used before.

In a sweep, arrays that depend on the swept input carry a leading axis of samples, and the same walk calls ops
that are compiled with `jax.vmap`.

One call of a compiled op takes some microseconds and dominates the walk. The loops below are written to keep
Python's own share smaller than that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any, NamedTuple

import jax

from autodiff_viz.engine.check import at_node, unknown_op
from autodiff_viz.engine.live_path.arrays import constant, own_value
from autodiff_viz.engine.live_path.bounded_memo import Evaluation, within
from autodiff_viz.engine.live_path.kernels import Kernel, Shape, kernel, split
from autodiff_viz.engine.live_path.rules import CHANGED, PASSED, Sample
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import FOLLOW, INPUT, Graph, Node
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ops.catalog import ADJUSTABLE, OPS

Wire = tuple[str, int]
"""A wire as (consumer, slot): the node that reads and the slot that the wire ends in."""

Part = tuple[jax.Array, bool]
"""A contribution to a cotangent, and whether it is swept."""

ARRIVING = -1
"""Pseudo-slot: (node, ARRIVING) is the key of the cotangent that arrives at a node."""


class Step(NamedTuple):
    """The forward step of one node, with what its pullback needs. An input node has no kernel."""

    node: Node
    kernel: Kernel | None = None
    arguments: tuple = ()
    shapes: tuple[Shape, ...] = ()


@dataclass(slots=True)
class Walk:
    """Arrays of one forward and one backward walk. Arrays are JAX's; None is a symbolic zero.

    `swept` holds the keys of the arrays that carry a leading axis of samples: node names for values, wires
    for contributions, (node, ARRIVING) for arriving cotangents.
    """

    graph: Graph
    dtype: str
    swept: set[str | Wire]
    elements: int = 0
    steps: list[Step] = field(default_factory=list)
    values: dict[str, jax.Array] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    arriving: dict[str, jax.Array | None] = field(default_factory=dict)
    passed: dict[Wire, jax.Array | None] = field(default_factory=dict)
    gradients: dict[str, jax.Array | None] = field(default_factory=dict)
    evaluation: Evaluation = field(default_factory=Evaluation)


def forward(graph: Graph, inputs: Mapping[str, Any], dtype: str, swept: frozenset[str] = frozenset()) -> Walk:
    """Compute the value of every node, in topological order.

    Args:
      inputs: arrays of the walk's dtype for the input nodes that do not use their own value; those
        named in `swept` have a leading axis of samples.
    Raises:
      GraphError: a slot is empty, names no node or is part of a cycle; an op is unknown or refuses
        its shapes.
    """
    walk = Walk(graph, dtype, set(swept))
    with within(walk.evaluation):
        for node in order(graph):
            if node.op == INPUT:
                _take_input(walk, node, inputs)
            else:
                _run(walk, node)
    return walk


def _take_input(walk: Walk, node: Node, inputs: Mapping[str, Any]) -> None:
    value = inputs[node.name] if node.name in inputs else own_value(node, walk.dtype)
    walk.values[node.name] = value
    walk.shapes[node.name] = value.shape[1:] if node.name in walk.swept else value.shape
    walk.steps.append(Step(node))


def _run(walk: Walk, node: Node) -> None:
    op = OPS.get(node.op)
    if op is None:
        raise GraphError(unknown_op(node.op))
    static, arguments = split(op, node.params) if node.params or op.name in ADJUSTABLE else ((), [])
    shapes, wired = [], []
    values, known = walk.values, walk.shapes
    for i, slot in enumerate(node.op_slots):
        if type(slot) is str and slot in values:
            arguments.append(values[slot])
            shapes.append(known[slot])
            wired.append(i)
        elif slot is None or type(slot) is str:
            raise GraphError(_unusable(node, i))
        else:
            array = constant(slot, walk.dtype)
            arguments.append(array)
            shapes.append(array.shape)
    shapes, wired = tuple(shapes), tuple(wired)
    batched = _batched(walk, node) if walk.swept else None
    try:
        found = kernel(node.op, static, shapes, wired, walk.dtype, batched)
    except GraphError as error:
        raise at_node(error, node.name) from error
    if found.shape:
        _claim(walk, node, found.shape)
    values[node.name] = found.run(*arguments)
    known[node.name] = found.shape
    walk.steps.append(Step(node, found, arguments, shapes))
    if batched:
        walk.swept.add(node.name)


def _claim(walk: Walk, node: Node, shape: Shape) -> None:
    """Add a tensor's elements to the walk's total before the tensor is computed.

    Tensors that are allowed one by one may be too large together.
    """
    walk.elements += prod(shape)
    if walk.elements > limits.TOTAL_ELEMENTS:
        message = f"The values up to {node.name!r} have {walk.elements} elements in all."
        hint = f"At most {limits.TOTAL_ELEMENTS} are allowed together; use smaller tensors."
        raise GraphError(Problem("too-large", message, hint, node=node.name))


def _batched(walk: Walk, node: Node) -> tuple[bool, ...] | None:
    """Return which of the op's slots are swept; None if no slot is."""
    flags = tuple(type(slot) is str and slot in walk.swept for slot in node.op_slots)
    return flags if True in flags else None


def backward(walk: Walk, output: str, seed: jax.Array) -> None:
    """Pull `seed`, of the output's shape, back to every node and wire of `walk`."""
    with within(walk.evaluation):
        _pull_back(walk, output, seed)


def _pull_back(walk: Walk, output: str, seed: jax.Array) -> None:
    waiting: dict[str, list[Part]] = {output: [(seed, False)]}
    for step in reversed(walk.steps):
        parts = waiting.pop(step.node.name, None)
        if parts is None:
            _pass_nothing(walk, step.node)
        elif step.kernel is not None and step.node.rule.kind == FOLLOW and not walk.swept:
            _pull_parts(walk, step, parts, waiting)
        else:
            contributions = _pass_down(walk, step, _arrive(walk, step.node.name, parts))
            _hand_on(walk, step.node, contributions, waiting)
    _leave(walk)


def _pass_nothing(walk: Walk, node: Node) -> None:
    walk.arriving[node.name] = None
    for slot, _ in node.wires:
        walk.passed[node.name, slot] = None


def _pull_parts(walk: Walk, step: Step, parts: list[Part], waiting: dict[str, list[Part]]) -> None:
    """Fast path without rule or sweep: add the last two contributions and pull back in one call."""
    found, name, slots, passed = step.kernel, step.node.name, step.node.slots, walk.passed
    if not found.passes:
        total, results = _sum(parts)[0], [None] * len(found.slots)
    elif found.hands_on:
        total = _sum(parts)[0]
        results = [total] * len(found.slots)
    elif len(parts) == 1:
        total = parts[0][0]
        results = found.pull(total, *step.arguments)
    else:
        total, results = found.pull_sum(_sum(parts[:-1])[0], parts[-1][0], *step.arguments)
    walk.arriving[name] = total
    for slot, array in zip(found.slots, results, strict=True):
        passed[name, slot] = array
        if array is not None:
            producer = slots[slot]
            if producer in waiting:
                waiting[producer].append((array, False))
            else:
                waiting[producer] = [(array, False)]


def _hand_on(
    walk: Walk, node: Node, contributions: list[Part | None], waiting: dict[str, list[Part]]
) -> None:
    for (slot, producer), part in zip(node.wires, contributions, strict=True):
        walk.passed[node.name, slot] = part and part[0]
        if part is not None:
            waiting.setdefault(producer, []).append(part)
            if part[1]:
                walk.swept.add((node.name, slot))


def _nothing(node: Node) -> list[Part | None]:
    return [None] * len(node.wires)


def _arrive(walk: Walk, name: str, parts: list[Part]) -> Sample:
    """Sum the contributions to a node's cotangent and record the result."""
    array, swept = _sum(parts)
    walk.arriving[name] = array
    if swept:
        walk.swept.add((name, ARRIVING))
    return Sample(array, walk.shapes[name], swept)


def _sum(parts: list[Part]) -> Part:
    """Add contributions. The axis of samples is the first axis, so a contribution without it is broadcast."""
    total, swept = parts[0]
    for array, also in parts[1:]:
        total, swept = _add(total, array), swept or also
    return total, swept


_add = jax.jit(lambda a, b: a + b)


def _pass_down(walk: Walk, step: Step, v: Sample) -> list[Part | None]:
    """Return a node's contribution to each of its wires, for any rule, swept or not."""
    node, kind = step.node, step.node.rule.kind
    if step.kernel is None:
        return _nothing(node)
    if kind in PASSED:
        found = PASSED[kind](node, v, partial(_value, walk), walk.dtype)
        return [sample and (sample.array, sample.swept) for sample in found]
    changed = CHANGED[kind](node, v, walk.dtype)
    return _nothing(node) if changed is None else _pull(walk, step, changed)


def _pull(walk: Walk, step: Step, v: Sample) -> list[Part | None]:
    """Apply JAX's own pullback of the op at the values of the forward walk."""
    found, node = step.kernel, step.node
    if v.swept or node.name in walk.swept:
        flags = _batched(walk, node) or (False,) * len(step.shapes)
        static, _ = split(OPS[node.op], node.params)
        found = kernel(node.op, static, step.shapes, found.slots, walk.dtype, flags, v.swept)
    if not found.passes:
        return _nothing(node)
    swept = v.swept or node.name in walk.swept
    results = found.pull(v.array, *step.arguments)
    return [None if array is None else (array, swept) for array in results]


def _value(walk: Walk, name: str) -> Sample:
    return Sample(walk.values[name], walk.shapes[name], name in walk.swept)


def _leave(walk: Walk) -> None:
    """Record the gradient of each input: the arriving cotangent after the input's own rule."""
    for node in (step.node for step in walk.steps if step.kernel is None):
        arriving = walk.arriving[node.name]
        # A rule that stands for a derivative does nothing on an input; `check` says so.
        if arriving is not None and node.rule.kind != FOLLOW and node.rule.kind in CHANGED:
            v = Sample(arriving, walk.shapes[node.name], (node.name, ARRIVING) in walk.swept)
            changed = CHANGED[node.rule.kind](node, v, walk.dtype)
            arriving = changed and changed.array
        walk.gradients[node.name] = arriving


def _unusable(node: Node, slot: int) -> Problem:
    wired = node.slots[slot]
    found = "is empty" if wired is None else f"is wired to {wired!r}, which has no value"
    return Problem(
        code="empty-slot" if wired is None else "no-value",
        node=node.name,
        slot=slot,
        message=f"Input {slot} of {node.name!r} {found}.",
        hint="Wire a node into it or type a number.",
    )
