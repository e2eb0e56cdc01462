"""Check and compile one node at a time as a step of a pass, and choose the pullback of its rule.

Compiled ops are memoised by structure and shared by all graphs. In a sweep, arrays that depend on the swept
input carry a leading axis of samples: which ones is found by an abstract pass forward, and one backward.
"""

from __future__ import annotations

from functools import partial
from math import prod

from autodiff_viz.engine.check import at_node, check_rule, total_too_large
from autodiff_viz.engine.live_path.arrays import constant
from autodiff_viz.engine.live_path.kernels import Shape, kernel, traced_kernel
from autodiff_viz.engine.live_path.lambdas import LambdaProgram
from autodiff_viz.engine.live_path.op_calls import known_op, split
from autodiff_viz.engine.live_path.passes import ARRIVING, Prepared, Step
from autodiff_viz.engine.live_path.pullbacks import PullBack
from autodiff_viz.engine.live_path.rules import Bound, Ruled, bind, on_identity
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import FOLLOW, Node, Params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text.literals import shape_of
from autodiff_viz.ops.catalog import ADJUSTABLE
from autodiff_viz.ops.pullback_ops import PullbackOf

PARAMETERS = "parameters"
"""Pseudo-slot: (node, PARAMETERS) is the key of the run-time parameters of a node."""


Later = dict[int, Ruled]
"""Nodes whose pullback is chosen when the whole graph has been compiled, by the place of their step."""


def compile_node(found: Prepared, node: Node, later: Later) -> None:
    """Check a node, compile its op, and make its step, with the op's own pullback.

    A node that may need another one is added to `later`.
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
    if node.rule.kind == FOLLOW and not found.swept and not found.inner:
        found.steps.append(Step(name, compiled.run, reads, compiled.pull_back, key[3], node.slots))
        return
    slots, function = key[3], LambdaProgram()
    if node.rule.kind != FOLLOW:
        slots, function = tuple([slot for slot, _ in node.wires]), _rule_function(found, node, key[2])
    make = partial(making, *key)
    add(found, later, Ruled(node, reads, slots, dtype, function, compiled, make, making, batched))


def add(found: Prepared, later: Later, ruled: Ruled) -> None:
    """Add the step of a node whose pullback is chosen later; until then it has the op's own."""
    later[len(found.steps)] = ruled
    found.steps.append(_step(ruled, ruled.op.pull_back))
    if ruled.batched:
        found.swept.add(ruled.node.name)


def claim(found: Prepared, node: Node, shape: Shape) -> None:
    """Add a tensor's elements to the total, which has a limit of its own."""
    found.elements += prod(shape)
    if found.elements > limits.TOTAL_ELEMENTS:
        raise GraphError(total_too_large(node, found.elements))


def batched_slots(found: Prepared, node: Node) -> tuple[bool, ...] | None:
    """Return which of the op's slots are swept; None if no slot is."""
    flags = tuple(type(slot) is str and slot in found.swept for slot in node.op_slots)
    return flags if True in flags else None


def _rule_function(found: Prepared, node: Node, below: tuple[Shape, ...]) -> LambdaProgram:
    """Check a node's rule and return its function; `below` are the shapes of the op's own slots."""
    if len(node.slots) > len(below):
        slot = node.slots[-1]  # the alternative of `backward_as`
        if slot is None or (type(slot) is str and slot not in found.shapes):
            raise GraphError(unusable(node, len(below)))
        below = (*below, found.shapes[slot] if type(slot) is str else shape_of(slot))
    return check_rule(node, found.shapes[node.name], below)


def bind_all(found: Prepared, later: Later) -> None:
    """Choose the pullbacks of nodes with a rule."""
    for at, ruled in later.items():
        found.steps[at] = _step(ruled, _bound(found, ruled, False).pull_back)


def bind_swept(found: Prepared, later: Later, seed_swept: bool = False) -> dict[str, bool]:
    """Choose all pullbacks, by an abstract backward pass that finds which cotangents are swept.

    Returns:
      By name of a node at which something arrives, whether that is swept.
    """
    arriving = {found.graph.output: seed_swept}
    for at, ruled in reversed(later.items()):
        name, slots = ruled.node.name, ruled.node.slots
        if name not in arriving:
            continue
        pull_back, swept = _bound(found, ruled, arriving[name])
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


def _bound(found: Prepared, ruled: Ruled, arriving_swept: bool) -> Bound:
    """Return the pullback of a node under its rule, for a cotangent that is swept, or is not."""
    try:
        return bind(ruled, found.swept, arriving_swept)
    except GraphError as error:  # too many programs
        raise at_node(error, ruled.node.name) from error


def gradient(found: Prepared, node: Node) -> PullBack:
    """Return the pullback of an input."""
    swept = (node.name, ARRIVING) in found.swept
    return on_identity(node, found.shapes[node.name], found.dtype, swept)


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
