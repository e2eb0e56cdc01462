"""The live path: walk the graph in Python, one compiled kernel per op, rules applied in between.

Forward gives a value per node. Backward gives, per node, the cotangent that arrives and what it passes
down each wire; where wires meet at a fork the contributions are added. Nothing is compiled that some
graph with the same ops and shapes has not compiled before.

With a sweep, the arrays that depend on the swept input carry a leading axis of samples and the same
walk runs `vmap`ped kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import jax

from autodiff_viz.engine.arrays import constant, own_value
from autodiff_viz.engine.check import unknown_op, wrong_alternative, wrong_arity, wrong_shape
from autodiff_viz.engine.kernels import Kernel, kernel, split
from autodiff_viz.graph.model import (
    BACKWARD_AS,
    FOLLOW,
    INPUT,
    REWRITE,
    STOP,
    Call,
    Graph,
    Lambda,
    Node,
    Term,
    params,
)
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ops.catalog import OPS

Wire = tuple[str, int]
"""A wire, named by the node and the slot that it goes into."""

ARRIVING = -1
"""(node, ARRIVING) stands beside the wires for the cotangent that arrives at the node."""


@dataclass(slots=True)
class Walk:
    """What one forward and backward walk found. Arrays are JAX's; None is an exact zero.

    `swept` holds the names of the nodes, and of the wires, whose arrays carry a leading axis.
    """

    graph: Graph
    dtype: str
    nodes: tuple[Node, ...]
    values: dict[str, jax.Array] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    arriving: dict[str, jax.Array | None] = field(default_factory=dict)
    passed: dict[Wire, jax.Array | None] = field(default_factory=dict)
    gradients: dict[str, jax.Array | None] = field(default_factory=dict)
    swept: set[str | Wire] = field(default_factory=set)
    _steps: dict[str, tuple[Kernel | None, list, dict]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    """An array on its way through a rule's expression, its shape per sample, and whether it is swept."""

    array: jax.Array
    shape: tuple[int, ...]
    swept: bool


def forward(graph: Graph, inputs: Mapping[str, Any], dtype: str, swept: frozenset[str] = frozenset()) -> Walk:
    """Compute every node's value.

    Args:
      inputs: arrays of the walk's dtype for the input nodes that do not use their own value; those
        named in `swept` have a leading axis of samples.
    Raises:
      GraphError: a slot is empty, names no node or is part of a cycle; an op is unknown or refuses
        its shapes.
    """
    walk = Walk(graph, dtype, order(graph), swept=set(swept))
    for node in walk.nodes:
        if node.op == INPUT:
            _take_input(walk, node, inputs)
        else:
            _run(walk, node)
    return walk


def _take_input(walk: Walk, node: Node, inputs: Mapping[str, Any]) -> None:
    value = inputs[node.name] if node.name in inputs else own_value(node, walk.dtype)
    walk.values[node.name] = value
    walk.shapes[node.name] = value.shape[1:] if node.name in walk.swept else value.shape


def _run(walk: Walk, node: Node) -> None:
    arrays, shapes, wired, flags = [], [], [], []
    values, known, swept = walk.values, walk.shapes, walk.swept
    for i, slot in enumerate(node.op_slots):
        if type(slot) is str:
            if slot not in values:
                raise GraphError(_unusable(walk, node, i))
            arrays.append(values[slot])
            shapes.append(known[slot])
            wired.append(i)
            flags.append(slot in swept)
        elif slot is None:
            raise GraphError(_unusable(walk, node, i))
        else:
            array = constant(slot, walk.dtype)
            arrays.append(array)
            shapes.append(array.shape)
            flags.append(False)
    batched = tuple(flags) if True in flags else None
    found, dynamic = _kernel(node, tuple(shapes), tuple(wired), walk.dtype, batched)
    walk.values[node.name] = found.run(dynamic, *arrays)
    walk.shapes[node.name] = found.shape
    walk._steps[node.name] = (found, arrays, dynamic)
    if batched:
        swept.add(node.name)


def _kernel(
    node: Node,
    shapes: tuple,
    wired: tuple[int, ...],
    dtype: str,
    batched: tuple[bool, ...] | None,
    **more: bool,
) -> tuple[Kernel, dict]:
    op = OPS.get(node.op)
    if op is None:
        raise GraphError(unknown_op(node.op))
    static, dynamic = split(op, node.params)
    try:
        return kernel(node.op, static, shapes, wired, dtype, batched, **more), dynamic
    except GraphError as error:
        (problem,) = error.problems
        raise GraphError(_at(problem, node.name)) from error


def backward(walk: Walk, output: str, seed: jax.Array) -> None:
    """Pull `seed`, of the output's shape, back to every node of `walk`."""
    walk.arriving = dict.fromkeys(walk.values)
    walk.arriving[output] = seed
    for node in reversed(walk.nodes):
        wires = node.wires
        if node.op == INPUT:
            walk.gradients[node.name] = _leave(walk, node)
        if not wires:
            continue
        contributions = _pass_down(walk, node)
        for (slot, producer), sample in zip(wires, contributions, strict=True):
            wire = (node.name, slot)
            if sample is None:
                walk.passed[wire] = None
                continue
            walk.passed[wire] = sample.array
            if sample.swept:
                walk.swept.add(wire)
            _add(walk, producer, sample)


def _leave(walk: Walk, node: Node) -> jax.Array | None:
    """The gradient of an input: what arrives at it, after its own rule."""
    arriving = walk.arriving[node.name]
    if arriving is None or node.rule.kind == STOP:
        return None
    if node.rule.kind != REWRITE:
        return arriving
    v = Sample(arriving, walk.shapes[node.name], (node.name, ARRIVING) in walk.swept)
    (rewritten,) = _apply(walk, node, node.rule.function, [v], [v.shape])
    return rewritten.array


def _pass_down(walk: Walk, node: Node) -> list[Sample | None]:
    """What `node` passes down each of its wires, in slot order."""
    arriving = walk.arriving[node.name]
    kind = node.rule.kind
    if arriving is None or kind == STOP:
        return [None] * len(node.wires)
    v = Sample(arriving, walk.shapes[node.name], (node.name, ARRIVING) in walk.swept)
    if kind == FOLLOW:
        return _pull(walk, node, v)
    if kind == REWRITE:
        (rewritten,) = _apply(walk, node, node.rule.function, [v], [v.shape])
        return _pull(walk, node, rewritten)
    if kind == BACKWARD_AS:
        return _to_alternative(walk, node, v)
    inputs = [_value(walk, producer) for _, producer in node.wires]
    terms = [v, *inputs, _value(walk, node.name)]
    return list(_apply(walk, node, node.rule.function, terms, [sample.shape for sample in inputs]))


def _pull(walk: Walk, node: Node, v: Sample) -> list[Sample | None]:
    """JAX's own pullback of the op, at the values of the forward walk."""
    found, arrays, dynamic = walk._steps[node.name]
    swept = v.swept or node.name in walk.swept
    if swept:
        flags = tuple(type(slot) is str and slot in walk.swept for slot in node.op_slots)
        shapes = tuple(
            walk.shapes[slot] if type(slot) is str else array.shape
            for slot, array in zip(node.op_slots, arrays, strict=True)
        )
        found, _ = _kernel(node, shapes, found.slots, walk.dtype, flags, cotangent_batched=v.swept)
    if True not in found.dependent:
        return [None] * len(found.slots)
    shapes_below = [walk.shapes[producer] for _, producer in node.wires]
    return [
        Sample(array, shape, swept) if dependent else None
        for array, shape, dependent in zip(
            found.pull(v.array, dynamic, *arrays), shapes_below, found.dependent, strict=True
        )
    ]


def _to_alternative(walk: Walk, node: Node, v: Sample) -> list[Sample | None]:
    below = walk.shapes[node.slots[-1]] if isinstance(node.slots[-1], str) else v.shape
    if below != v.shape:
        raise GraphError(wrong_alternative(node, v.shape, below))
    alternative = len(node.slots) - 1
    return [v if slot == alternative else None for slot, _ in node.wires]


def _value(walk: Walk, name: str) -> Sample:
    return Sample(walk.values[name], walk.shapes[name], name in walk.swept)


def _add(walk: Walk, producer: str, sample: Sample) -> None:
    """Add a contribution to what arrives at `producer`."""
    key = (producer, ARRIVING)
    before = walk.arriving[producer]
    if before is None:
        walk.arriving[producer] = sample.array
        total_swept = sample.swept
    else:
        total = _call(walk, Call("add", ()), [Sample(before, sample.shape, key in walk.swept), sample])
        walk.arriving[producer] = total.array
        total_swept = total.swept
    if total_swept:
        walk.swept.add(key)


def _apply(
    walk: Walk, node: Node, function: Lambda, given: list[Sample], wanted: list[tuple[int, ...]]
) -> list[Sample]:
    """Evaluate a rule's lambda with the same kernels; each result is broadcast to the wanted shape."""
    if len(given) != len(function.args) or len(wanted) != len(function.body):
        raise GraphError(wrong_arity(node, len(given), len(wanted)))
    names = dict(zip(function.args, given, strict=True))
    try:
        results = [_term(walk, term, names) for term in function.body]
        return [_fit(walk, node, result, shape) for result, shape in zip(results, wanted, strict=True)]
    except GraphError as error:
        raise GraphError(_at(problem, node.name) for problem in error.problems) from error


def _term(walk: Walk, term: Term, names: Mapping[str, Sample]) -> Sample:
    if isinstance(term, Call):
        return _call(walk, term, [_term(walk, arg, names) for arg in term.args])
    if isinstance(term, str):
        return names[term]
    array = constant(term, walk.dtype)
    return Sample(array, array.shape, False)


def _call(walk: Walk, call: Call, args: list[Sample]) -> Sample:
    op = OPS.get(call.op)
    if op is None:
        raise GraphError(unknown_op(call.op))
    swept = tuple(arg.swept for arg in args)
    static, dynamic = split(op, call.params)
    shapes = tuple(arg.shape for arg in args)
    found = kernel(call.op, static, shapes, (), walk.dtype, swept if True in swept else None)
    return Sample(found.run(dynamic, *(arg.array for arg in args)), found.shape, True in swept)


def _fit(walk: Walk, node: Node, result: Sample, shape: tuple[int, ...]) -> Sample:
    if result.shape == shape:
        return result
    try:
        return _call(walk, Call("broadcast_to", (), params(shape=shape)), [result])
    except GraphError as error:
        raise GraphError(wrong_shape(node, result.shape, shape)) from error


def _unusable(walk: Walk, node: Node, slot: int) -> Problem:
    wired = node.slots[slot]
    found = "is empty" if wired is None else f"is wired to {wired!r}, which has no value"
    return Problem(
        code="empty-slot" if wired is None else "no-value",
        node=node.name,
        slot=slot,
        message=f"Input {slot} of {node.name!r} {found}.",
        hint="Wire a node into it or type a number.",
    )


def _at(problem: Problem, node: str) -> Problem:
    """The same problem, placed at a node unless it has a place already."""
    return problem if problem.node is not None else replace(problem, node=node)
