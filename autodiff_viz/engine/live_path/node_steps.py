"""Check and compile one node at a time as a step of a pass, and choose the pullback of its rule.

Compiled ops are memoised by structure and shared by all graphs. In a sweep, arrays that depend on the swept
input carry a leading axis of samples: which ones is found by an abstract pass forward, and one backward.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence, Set
from math import prod
from typing import Any, NamedTuple

import jax

from autodiff_viz.engine.grad_op import check_grad, op_call
from autodiff_viz.engine.live_path.arrays import constant
from autodiff_viz.engine.live_path.check import at_node, check_rule, total_too_large
from autodiff_viz.engine.live_path.kernels import Kernel, kernel
from autodiff_viz.engine.live_path.lambdas import LambdaProgram
from autodiff_viz.engine.live_path.passes import ARRIVING, Prepared, Step
from autodiff_viz.engine.live_path.pullbacks import (
    PullBack,
    pass_nothing,
    pass_unchanged,
    pull_changed,
    total,
)
from autodiff_viz.graph import limits
from autodiff_viz.graph.grad_nodes import OF
from autodiff_viz.graph.model import GRAD, Node, Params, Slot
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, PULLBACK, REWRITE, SCALE, STOP
from autodiff_viz.graph.text import shape_of
from autodiff_viz.ops.catalog import ADJUSTABLE
from autodiff_viz.ops.misfits import Shape

# Make the pullback of a node under each kind of rule, for the live path.


Recompile = Callable[[tuple[bool, ...] | None, bool], Kernel]
"""Compile an op for slots of which some are swept, and a cotangent that is swept, or is not."""


class PendingPullback(NamedTuple):
    """A node whose pullback depends on its rule, or in a sweep; `check.check_rule` has accepted its rule.

    Attributes:
      reads: as of `passes.Step`.
      wired: the slots that the pullback gives contributions for.
      function: of the rule.
      op: compiled for the forward pass.
      make: makes the op for other cotangents.
      batched: which of the op's slots are swept; None if no slot is.
    """

    node: Node
    reads: list[Hashable]
    wired: tuple[int, ...]
    dtype: str
    function: LambdaProgram
    op: Kernel
    make: Recompile
    batched: tuple[bool, ...] | None = None

    def compiled(self, arriving_swept: bool) -> Kernel:
        """Return the compiled op for a cotangent that is swept, or is not."""
        if not self.batched and not arriving_swept:
            return self.op
        return self.make(self.batched, arriving_swept)


class BoundPullback(NamedTuple):
    """A pullback, and for each wire whether its contribution is swept; None: nothing is passed."""

    pull_back: PullBack
    swept: Sequence[bool | None]


def _follow(ruled: PendingPullback, swept: Set[Any], arriving_swept: bool) -> BoundPullback:
    op = ruled.compiled(arriving_swept)
    return BoundPullback(op.pull_back, _carried(op, arriving_swept or ruled.node.name in swept))


def _stop(ruled: PendingPullback, swept: Set[Any], arriving_swept: bool) -> BoundPullback:
    count = len(ruled.wired)
    return BoundPullback(pass_nothing(count), [None] * count)


def _changed(ruled: PendingPullback, swept: Set[Any], arriving_swept: bool) -> BoundPullback:
    """Return the op's own pullback of the changed cotangent."""
    change, (changed_swept,) = ruled.function.load([arriving_swept], ruled.dtype)
    op = ruled.compiled(changed_swept)
    pull_back = pull_changed(op.pull, change) if any(op.carries) else op.pull_back
    return BoundPullback(pull_back, _carried(op, changed_swept or ruled.node.name in swept))


def _declared(ruled: PendingPullback, swept: Set[Any], arriving_swept: bool) -> BoundPullback:
    node = ruled.node
    inputs = [node.slots[slot] in swept for slot in ruled.wired]
    given = [arriving_swept, *inputs, node.name in swept]
    declared, declared_swept = ruled.function.load(given, ruled.dtype)
    places = [slot - len(node.slots) for slot in ruled.wired]  # from the end: parameters come first

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, declared(v, *[arguments[place] for place in places], value)

    return BoundPullback(pull_back, declared_swept)


def _to_alternative(ruled: PendingPullback, swept: Set[Any], arriving_swept: bool) -> BoundPullback:
    alternative = len(ruled.node.slots) - 1
    reached = [slot == alternative for slot in ruled.wired]

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, [v if reaches else None for reaches in reached]

    return BoundPullback(pull_back, [arriving_swept if reaches else None for reaches in reached])


LIVE_PULLBACKS: dict[str, Callable[[PendingPullback, Set[Any], bool], BoundPullback]] = {
    FOLLOW: _follow,
    STOP: _stop,
    REWRITE: _changed,
    SCALE: _changed,
    PULLBACK: _declared,
    BACKWARD_AS: _to_alternative,
}
"""By kind of rule, the pullback of a node with that rule."""


def bind(ruled: PendingPullback, swept: Set[Any], arriving_swept: bool = False) -> BoundPullback:
    """Return the pullback of a node under its rule.

    Args:
      swept: names of the nodes whose values are swept.
      arriving_swept: whether the arriving cotangent is.
    """
    return LIVE_PULLBACKS[ruled.node.rule.kind](ruled, swept, arriving_swept)


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
      swept: whether the arriving cotangent is.
    """
    if node.rule.kind == FOLLOW:
        return _IDENTITY.pull_back
    function = check_rule(node, shape, ())
    ruled = PendingPullback(node, [], (0,), dtype, function, _IDENTITY, lambda *flags: _IDENTITY)
    return bind(ruled, frozenset(), swept).pull_back


def _carried(op: Kernel, swept: bool) -> list[bool | None]:
    """Return for each wire whether the op's contribution is swept, if any of them is."""
    return [swept if carries else None for carries in op.carries]


PARAMETERS = "parameters"
"""Pseudo-slot: (node, PARAMETERS) is the key of the run-time parameters of a node."""


PendingPullbacks = dict[int, PendingPullback]
"""Nodes whose pullback is chosen when the whole graph has been compiled, by the place of their step."""


def compile_node(found: Prepared, node: Node, later: PendingPullbacks) -> None:
    """Check a node, compile its op, and make its step, with the op's own pullback.

    A node that may need another one is added to `later`.
    """
    name, dtype, known, shapes = node.name, found.dtype, found.known, found.shapes
    reads, below, wired = [], [], []
    op, slots, elements = node.op, node.op_slots, 0
    static: Params = ()
    if op == GRAD:
        check_grad(found.graph, node)
        for i, slot in enumerate(slots):  # what it runs has shapes only if all that it reads has
            if slot is None or (type(slot) is str and slot not in shapes):
                raise GraphError(unusable(node, i))
    if node.params or op in ADJUSTABLE or op == GRAD:
        op, static, leading, slots, elements = op_call(found.graph, node, shapes.__getitem__)
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
            array = known[name, i] = constant(slot, dtype)
            reads.append((name, i))
            below.append(array.shape)
    key = op, static, tuple(below), tuple(wired), dtype
    batched = batched_slots(node, slots, found.swept) if found.swept else None
    compiled = kernel(*key, batched)
    shape = shapes[name] = compiled.shape
    if shape or elements:
        claim(found, node, shape, elements)
    if node.rule.kind == FOLLOW and not found.swept:
        found.steps.append(Step(name, compiled.run, reads, compiled.pull_back, key[3], node.slots))
        return
    taking, function = key[3], LambdaProgram()
    if node.rule.kind != FOLLOW:
        taking, function = tuple([slot for slot, _ in node.wires]), _rule_function(found, node, key[2])

    def make(batched: tuple[bool, ...] | None, cotangent_batched: bool) -> Kernel:
        return kernel(*key, batched or (False,) * len(below), cotangent_batched)

    ruled = PendingPullback(node, reads, taking, dtype, function, compiled, make, batched)
    later[len(found.steps)] = ruled  # until its pullback is chosen it has the op's own
    found.steps.append(_step(ruled, compiled.pull_back))
    if batched:
        found.swept.add(name)


def claim(found: Prepared, node: Node, shape: Shape, inside: int) -> None:
    """Add the elements of a value, and of those inside it, to the total, which has a limit of its own."""
    found.elements += inside + prod(shape)
    if found.elements > limits.TOTAL_ELEMENTS:
        raise GraphError(total_too_large(node, found.elements))


def batched_slots(node: Node, slots: Sequence[Slot], swept: Set[Any]) -> tuple[bool, ...] | None:
    """Return which of the op's slots are swept; None if no slot is. A grad node does not read its z."""
    flags = [type(slot) is str and slot in swept for slot in slots]
    if node.op == GRAD:
        flags[OF] = False
    return tuple(flags) if True in flags else None


def _rule_function(found: Prepared, node: Node, below: tuple[Shape, ...]) -> LambdaProgram:
    """Check a node's rule and return its function; `below` are the shapes of the op's own slots."""
    if node.op == GRAD:
        return check_rule(node, found.shapes[node.name], ())
    if len(node.slots) > len(below):
        slot = node.slots[-1]  # the alternative of `backward_as`
        if slot is None or (type(slot) is str and slot not in found.shapes):
            raise GraphError(unusable(node, len(below)))
        below = (*below, found.shapes[slot] if type(slot) is str else shape_of(slot))
    return check_rule(node, found.shapes[node.name], below)


def bind_all(found: Prepared, later: PendingPullbacks) -> None:
    """Choose the pullbacks of nodes with a rule."""
    for at, ruled in later.items():
        found.steps[at] = _step(ruled, _bound(found, ruled, False).pull_back)


def bind_swept(found: Prepared, later: PendingPullbacks, seed_swept: bool = False) -> dict[str, bool]:
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


def _step(ruled: PendingPullback, pull_back: PullBack) -> Step:
    return Step(ruled.node.name, ruled.op.run, ruled.reads, pull_back, ruled.wired, ruled.node.slots)


def _bound(found: Prepared, ruled: PendingPullback, arriving_swept: bool) -> BoundPullback:
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
