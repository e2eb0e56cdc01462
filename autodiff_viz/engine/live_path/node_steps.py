"""Check and compile one node at a time as a step of a pass, and choose the pullback of its rule.

Compiled ops are memoised by structure and shared by all graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod
from typing import Any, NamedTuple

import jax

from autodiff_viz.engine.grad_op import check_grad, op_call
from autodiff_viz.engine.live_path.arrays import constant, rounded
from autodiff_viz.engine.live_path.check import at_node, check_rule, total_too_large
from autodiff_viz.engine.live_path.kernels import (
    Kernel,
    PullBack,
    kernel,
    pass_nothing,
    pass_unchanged,
    pull_changed,
    total,
)
from autodiff_viz.engine.live_path.lambdas import LambdaProgram
from autodiff_viz.engine.live_path.passes import Prepared, Step
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import GRAD, Node, Params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, PULLBACK, REWRITE, SCALE, STOP
from autodiff_viz.graph.text import shape_of
from autodiff_viz.ops.catalog import ADJUSTABLE
from autodiff_viz.ops.misfits import Shape

# Make the pullback of a node under each kind of rule, for the live path.


class PendingPullback(NamedTuple):
    """A node whose pullback depends on its rule; `check.check_rule` has accepted its rule.

    Attributes:
      reads: as of `passes.Step`.
      wired: the slots that the pullback gives contributions for.
      function: of the rule.
      op: compiled.
      swept: as of `kernels.kernel`.
    """

    node: Node
    reads: list[Hashable]
    wired: tuple[int, ...]
    dtype: str
    function: LambdaProgram
    op: Kernel
    swept: bool


def _changed(ruled: PendingPullback) -> PullBack:
    """Return the op's own pullback of the changed cotangent."""
    change, op = ruled.function.load(ruled.dtype, ruled.swept), ruled.op
    return pull_changed(op.pull, change) if any(op.carries) else op.pull_back


def _declared(ruled: PendingPullback) -> PullBack:
    declared = ruled.function.load(ruled.dtype, ruled.swept)
    places = [slot - len(ruled.node.slots) for slot in ruled.wired]  # from the end: parameters come first

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, declared(v, *[arguments[place] for place in places], value)

    return pull_back


def _to_alternative(ruled: PendingPullback) -> PullBack:
    alternative = len(ruled.node.slots) - 1
    reached = [slot == alternative for slot in ruled.wired]

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, [v if reaches else None for reaches in reached]

    return pull_back


LIVE_PULLBACKS: dict[str, Callable[[PendingPullback], PullBack]] = {
    FOLLOW: lambda ruled: ruled.op.pull_back,
    STOP: lambda ruled: pass_nothing(len(ruled.wired)),
    REWRITE: _changed,
    SCALE: _changed,
    PULLBACK: _declared,
    BACKWARD_AS: _to_alternative,
}
"""By kind of rule, the pullback of a node with that rule."""


_IDENTITY = Kernel(
    run=lambda x: x,
    pull=lambda v: (v,),
    pull_back=pass_unchanged(1),
    shape=(),
    carries=(True,),
    passes_unchanged=True,
)


def on_identity(node: Node, shape: Shape, dtype: str, swept: bool = False) -> PullBack:
    """Return the pullback of an identity under the node's rule: it passes what the rule makes of v.

    An input is such an identity, and its one contribution is the gradient.

    Args:
      shape: of the node's value.
      swept: as of `kernels.kernel`.
    """
    if node.rule.kind == FOLLOW:
        return _IDENTITY.pull_back
    function = check_rule(node, shape, ())
    return LIVE_PULLBACKS[node.rule.kind](PendingPullback(node, [], (0,), dtype, function, _IDENTITY, swept))


PARAMETERS = "parameters"
"""Pseudo-slot: (node, PARAMETERS) is the key of the run-time parameters of a node."""


PendingPullbacks = dict[int, PendingPullback]
"""Nodes whose pullback is chosen when the whole graph has been compiled, by the place of their step."""


def compile_node(prepared: Prepared, node: Node, later: PendingPullbacks) -> None:
    """Check a node, compile its op, and make its step, with the op's own pullback.

    A node that may need another one is added to `later`.
    """
    name, dtype, known, shapes = node.name, prepared.dtype, prepared.known, prepared.shapes
    reads, below, wired, literals = [], [], [], []
    op, slots, elements = node.op, node.op_slots, 0
    static: Params = ()
    if op == GRAD:
        check_grad(prepared.graph, node)
        for i, slot in enumerate(slots):  # what it runs has shapes only if all that it reads has
            if slot is None or (type(slot) is str and slot not in shapes):
                raise GraphError(unusable(node, i))
    if node.params or op in ADJUSTABLE or op == GRAD:
        op, static, leading, slots, elements = op_call(prepared.graph, node, shapes.__getitem__)
        if leading:
            known[name, PARAMETERS] = leading[0]
            reads.append((name, PARAMETERS))
    for i, slot in enumerate(slots):
        if type(slot) is str and slot in shapes:
            reads.append(slot)
            below.append(shapes[slot])
            wired.append(i)
        elif slot is None or type(slot) is str:
            raise GraphError(unusable(node, i))
        else:
            reads.append((name, i))
            below.append(shape_of(slot))
            literals.append(i)
    key = op, static, tuple(below), tuple(wired)
    swept, numbers = bool(prepared.swept), not any(below)
    compiled = None if static else prepared.kernels.get(key)
    if compiled is None:
        compiled = kernel(*key, dtype, swept)
        if not static:  # parameters are a visitor's, and need a longer key
            prepared.kernels[key] = compiled
    for i in literals:
        known[name, i] = prepared.tape.put(rounded(slots[i], dtype)) if numbers else constant(slots[i], dtype)
    shape = shapes[name] = compiled.shape
    if shape or elements:
        claim(prepared, node, shape, elements)
    if node.rule.kind == FOLLOW:
        prepared.steps.append(Step(name, compiled.run, reads, compiled.pull_back, key[3], node.slots))
        return
    wires, function = tuple([slot for slot, _ in node.wires]), _rule_function(prepared, node, key[2])
    later[len(prepared.steps)] = PendingPullback(node, reads, wires, dtype, function, compiled, swept)
    # Until its pullback is chosen it has the op's own.
    prepared.steps.append(Step(name, compiled.run, reads, compiled.pull_back, wires, node.slots))


def claim(prepared: Prepared, node: Node, shape: Shape, inside: int) -> None:
    """Add the elements of a value, and of those inside it, to the total, which has a limit of its own."""
    prepared.elements += inside + prod(shape)
    if prepared.elements > limits.TOTAL_ELEMENTS:
        raise GraphError(total_too_large(node, prepared.elements))


def _rule_function(prepared: Prepared, node: Node, below: tuple[Shape, ...]) -> LambdaProgram:
    """Check a node's rule and return its function; `below` are the shapes of the op's own slots."""
    if node.op == GRAD:
        return check_rule(node, prepared.shapes[node.name], ())
    if len(node.slots) > len(below):
        slot = node.slots[-1]  # the alternative of `backward_as`
        if slot is None or (type(slot) is str and slot not in prepared.shapes):
            raise GraphError(unusable(node, len(below)))
        below = (*below, prepared.shapes[slot] if type(slot) is str else shape_of(slot))
    return check_rule(node, prepared.shapes[node.name], below)


def bind_all(prepared: Prepared, later: PendingPullbacks) -> None:
    """Choose the pullbacks of nodes with a rule.

    Raises:
      GraphError: their rules need too many programs.
    """
    for at, ruled in later.items():
        try:
            pull_back = LIVE_PULLBACKS[ruled.node.rule.kind](ruled)
        except GraphError as error:
            raise at_node(error, ruled.node.name) from error
        prepared.steps[at] = prepared.steps[at]._replace(pull_back=pull_back)


def gradient(prepared: Prepared, node: Node) -> PullBack:
    """Return the pullback of an input."""
    return on_identity(node, prepared.shapes[node.name], prepared.dtype, bool(prepared.swept))


def unusable(node: Node, slot: int) -> Problem:
    """Return the problem of a slot that is empty or wired to no value."""
    wired = node.slots[slot]
    holds = "is empty" if wired is None else f"is wired to {wired!r}, which has no value"
    return Problem(
        code="empty-slot" if wired is None else "no-value",
        node=node.name,
        slot=slot,
        message=f"Input {slot} of {node.name!r} {holds}.",
        hint="Wire a node into it or type a number.",
    )
