"""Preparation of a walk: check the graph, compile its ops, and choose a pullback for each node.

Every refusal is raised here, before an array is computed; compiled ops are memoised by structure and shared
by all graphs, so a graph compiles only the ops and shapes that no graph has used before. In a sweep, arrays
that depend on the swept input carry a leading axis of samples: which ones is found by an abstract pass
forward, and one backward.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import prod
from typing import Any

from autodiff_viz.engine.check import at_node, check_no_slots, check_rule, total_too_large
from autodiff_viz.engine.live_path.arrays import constant, own_value
from autodiff_viz.engine.live_path.bounded_memo import Evaluation, within
from autodiff_viz.engine.live_path.grad_check import check_grad
from autodiff_viz.engine.live_path.grad_graph import GradGraph, grad_graph
from autodiff_viz.engine.live_path.grad_kernel import grad_kernel
from autodiff_viz.engine.live_path.kernels import Kernel, Shape, kernel
from autodiff_viz.engine.live_path.lambdas import LambdaProgram
from autodiff_viz.engine.live_path.op_calls import known_op, split
from autodiff_viz.engine.live_path.pullbacks import PullBack, hand_on
from autodiff_viz.engine.live_path.rules import Ruled, bind, on_identity
from autodiff_viz.engine.live_path.walk import ARRIVING, Prepared, Step
from autodiff_viz.graph import limits
from autodiff_viz.graph.literals import shape_of
from autodiff_viz.graph.model import FOLLOW, GRAD, INPUT, Graph, Node, Params
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ops.catalog import ADJUSTABLE
from autodiff_viz.ops.pullback_ops import PullbackOf

PARAMETERS = "parameters"
"""Pseudo-slot: (node, PARAMETERS) is the key of the run-time parameters of a node."""


def prepare(
    graph: Graph,
    inputs: Mapping[str, Any],
    dtype: str,
    swept: frozenset[str] = frozenset(),
    *,
    forward_only: bool = False,
) -> Prepared:
    """Check and compile `graph` for a walk.

    Args:
      inputs: arrays of the dtype for the input nodes that do not use their own value; those named in `swept`
        have a leading axis of samples.
      forward_only: choose no pullbacks.
    Raises:
      GraphError: a slot is empty, names no node or is part of a cycle; an op is unknown or refuses its
        shapes; a rule does not fit; the graph needs too many programs or elements. It is the first problem;
        `diagnose` finds all.
    """
    found, leaves, later = Prepared(graph, dtype, set(swept)), [], {}
    with within(Evaluation()):
        for node in order(graph):
            try:
                if node.op == INPUT:
                    leaves.append(_take(found, node, inputs))
                elif node.op == GRAD:
                    _take_grad(found, node, later)
                else:
                    _compile(found, node, later)
            except GraphError as error:
                raise at_node(error, node.name) from error
        if not forward_only:
            if swept:
                _bind_swept(found, later)
            found.inputs = {node.name: _gradient(found, node) for node in leaves}
    return found


def _take(found: Prepared, node: Node, inputs: Mapping[str, Any]) -> Node:
    """Check an input and take its value."""
    check_no_slots(node)
    name = node.name
    value = found.known[name] = inputs[name] if name in inputs else own_value(node, found.dtype)
    shape = found.shapes[name] = value.shape[1:] if name in found.swept else value.shape
    if node.rule.kind != FOLLOW:
        check_rule(node, shape, ())
    return node


def _compile(found: Prepared, node: Node, later: dict[int, Ruled]) -> None:
    """Check a node, compile its op, and add its step."""
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
            raise GraphError(_unusable(node, i))
        else:
            array = known[name, i] = constant(slot, dtype)
            reads.append((name, i))
            below.append(array.shape)
    key = node.op, static, tuple(below), tuple(wired), dtype
    batched = _batched(found, node) if found.swept else None
    compiled = kernel(*key, batched)
    shape = shapes[name] = compiled.shape
    if shape:
        _claim(found, node, shape)
    if node.rule.kind == FOLLOW and not found.swept and not found.inner:
        found.steps.append(Step(name, compiled.run, reads, compiled.pull_back, key[3], node.slots))
    else:
        function = _rule_function(found, node, key[2])
        slots = tuple([slot for slot, _ in node.wires])
        make = partial(kernel, *key)
        _add(found, later, Ruled(node, reads, slots, dtype, function, compiled, make, batched))


def _take_grad(found: Prepared, node: Node, later: dict[int, Ruled]) -> None:
    """Check a grad node and make its step: the walks of the graph that it is written out as."""
    check_grad(found.graph, node)
    for i, slot in enumerate(node.slots):
        if slot is None or (type(slot) is str and slot not in found.shapes):
            raise GraphError(_unusable(node, i))
    written = grad_graph(found.graph, node, found.shapes)
    make = partial(_grad_kernel, found, node, written)
    batched = _batched(found, node) if found.swept else None
    compiled = make(batched, False)
    found.shapes[node.name] = compiled.shape
    function = check_rule(node, compiled.shape, ())
    wired, reads = tuple(range(len(node.slots))), list(node.slots)
    _add(found, later, Ruled(node, reads, wired, found.dtype, function, compiled, make, batched))


def grad_op(graph: Graph, node: Node, shapes: Mapping[str, Shape], dtype: str) -> Kernel:
    """Return a grad node of the graph that runs as if it were one op of its wires.

    Args:
      shapes: of all nodes before it, by name.
    """
    found = Prepared(graph, dtype, set(), shapes=dict(shapes))
    with within(Evaluation()):
        return _grad_kernel(found, node, grad_graph(graph, node, shapes), None, False)


def _grad_kernel(
    found: Prepared, node: Node, written: GradGraph, batched: tuple[bool, ...] | None, cotangent_batched: bool
) -> Kernel:
    """Prepare the written graph of a grad node; return its walks as if they were one op of its wires."""
    graph = written.graph
    names = [each.name for each in graph.nodes[: len(written.shapes)]]
    flags = dict(zip(names, (batched or (False,) * len(node.slots))[1:], strict=True))
    inner = Prepared(graph, found.dtype, {name for name, flag in flags.items() if flag}, inner=True)
    inner.shapes.update(zip(names, written.shapes, strict=True))
    later: dict[int, Ruled] = {}
    for each in graph.nodes[len(names) :]:
        _compile(inner, each, later)
    arriving = _bind_swept(inner, later, cotangent_batched and batched is not None)
    inner.inputs = dict.fromkeys(names, hand_on(1))
    found.elements += inner.elements
    _claim(found, node, ())
    return grad_kernel(inner, names, arriving, batched, cotangent_batched)


def _claim(found: Prepared, node: Node, shape: Shape) -> None:
    """Add a tensor's elements to the total, which has a limit of its own."""
    found.elements += prod(shape)
    if found.elements > limits.TOTAL_ELEMENTS:
        raise GraphError(total_too_large(node, found.elements))


def _batched(found: Prepared, node: Node) -> tuple[bool, ...] | None:
    """Return which of the op's slots are swept; None if no slot is."""
    flags = tuple(type(slot) is str and slot in found.swept for slot in node.op_slots)
    return flags if True in flags else None


def _rule_function(found: Prepared, node: Node, below: tuple[Shape, ...]) -> LambdaProgram:
    """Check a node's rule and return its function; `below` are the shapes of the op's own slots."""
    if len(node.slots) > len(below):
        slot = node.slots[-1]  # the alternative of `backward_as`
        if slot is None or (type(slot) is str and slot not in found.shapes):
            raise GraphError(_unusable(node, len(below)))
        below = (*below, found.shapes[slot] if type(slot) is str else shape_of(slot))
    return check_rule(node, found.shapes[node.name], below)


def _add(found: Prepared, later: dict[int, Ruled], ruled: Ruled) -> None:
    """Add the step of a node whose pullback depends on its rule, or in a sweep.

    In a sweep its pullback is chosen later, when it is known which cotangents are swept; until then it is in
    `later`, by the place of its step.
    """
    pull_back = ruled.op.pull_back
    if found.swept or found.inner:
        later[len(found.steps)] = ruled
    else:
        pull_back = bind(ruled, found.swept).pull_back
    found.steps.append(_step(ruled, pull_back))
    if ruled.batched:
        found.swept.add(ruled.node.name)


def _bind_swept(found: Prepared, later: dict[int, Ruled], seed_swept: bool = False) -> dict[str, bool]:
    """Choose all pullbacks, by an abstract backward pass that finds which cotangents are swept.

    Returns:
      By name of a node at which something arrives, whether that is swept.
    """
    arriving = {found.graph.output: seed_swept}
    for at, ruled in reversed(later.items()):
        name, slots = ruled.node.name, ruled.node.slots
        if name not in arriving:
            continue
        try:
            pull_back, swept = bind(ruled, found.swept, arriving[name])
        except GraphError as error:  # too many programs
            raise at_node(error, name) from error
        found.steps[at] = _step(ruled, pull_back)
        for slot, contribution_swept in zip(ruled.wired, swept, strict=True):
            if contribution_swept is not None:
                arriving[slots[slot]] = arriving.get(slots[slot], False) or contribution_swept
            if contribution_swept:
                found.swept.add((name, slot))
    found.swept |= {(name, ARRIVING) for name, swept in arriving.items() if swept}
    return arriving


def _step(ruled: Ruled, pull_back: PullBack) -> Step:
    return Step(ruled.node.name, ruled.op.run, ruled.reads, pull_back, ruled.wired, ruled.node.slots)


def _gradient(found: Prepared, node: Node) -> PullBack:
    """Return the pullback of an input."""
    swept = (node.name, ARRIVING) in found.swept
    return on_identity(node, found.shapes[node.name], found.dtype, swept)


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
