"""Make the pullback of a node under each kind of rule, for the live path."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence, Set
from typing import Any, NamedTuple

import jax

from autodiff_viz.engine.check import check_rule
from autodiff_viz.engine.live_path.kernels import Kernel, Shape, kernel
from autodiff_viz.engine.live_path.lambdas import LambdaProgram
from autodiff_viz.engine.live_path.pullbacks import (
    PullBack,
    pass_nothing,
    pass_unchanged,
    pull_changed,
    total,
)
from autodiff_viz.graph.model import Node
from autodiff_viz.graph.registries.rule_kinds import BACKWARD_AS, FOLLOW, PULLBACK, REWRITE, SCALE, STOP

Make = Callable[[tuple[bool, ...] | None, bool], Kernel]
"""Compile an op for slots of which some are swept, and a cotangent that is swept, or is not."""


class Ruled(NamedTuple):
    """A node whose pullback depends on its rule, or in a sweep; `check.check_rule` has accepted its rule.

    Attributes:
      reads: as of `passes.Step`.
      wired: the slots that the pullback gives contributions for.
      function: of the rule.
      op: compiled for the forward pass.
      make: makes the op for other cotangents.
      kernel: makes the ops that the rule itself calls.
      batched: which of the op's slots are swept; None if no slot is.
    """

    node: Node
    reads: list[Hashable]
    wired: tuple[int, ...]
    dtype: str
    function: LambdaProgram
    op: Kernel
    make: Make
    kernel: Callable[..., Kernel] = kernel
    batched: tuple[bool, ...] | None = None

    def compiled(self, arriving_swept: bool) -> Kernel:
        """Return the compiled op for a cotangent that is swept, or is not."""
        if not self.batched and not arriving_swept:
            return self.op
        return self.make(self.batched or (False,) * len(self.node.op_slots), arriving_swept)


class Bound(NamedTuple):
    """A pullback, and for each wire whether its contribution is swept; None: nothing is passed."""

    pull_back: PullBack
    swept: Sequence[bool | None]


def _follow(ruled: Ruled, swept: Set[Any], arriving_swept: bool) -> Bound:
    op = ruled.compiled(arriving_swept)
    return Bound(op.pull_back, _carried(op, arriving_swept or ruled.node.name in swept))


def _stop(ruled: Ruled, swept: Set[Any], arriving_swept: bool) -> Bound:
    count = len(ruled.wired)
    return Bound(pass_nothing(count), [None] * count)


def _changed(ruled: Ruled, swept: Set[Any], arriving_swept: bool) -> Bound:
    """Return the op's own pullback of the changed cotangent."""
    change, (changed_swept,) = ruled.function.load([arriving_swept], ruled.dtype, ruled.kernel)
    op = ruled.compiled(changed_swept)
    pull_back = pull_changed(op.pull, change) if any(op.carries) else op.pull_back
    return Bound(pull_back, _carried(op, changed_swept or ruled.node.name in swept))


def _declared(ruled: Ruled, swept: Set[Any], arriving_swept: bool) -> Bound:
    node = ruled.node
    inputs = [node.slots[slot] in swept for slot in ruled.wired]
    given = [arriving_swept, *inputs, node.name in swept]
    declared, declared_swept = ruled.function.load(given, ruled.dtype, ruled.kernel)
    places = [slot - len(node.slots) for slot in ruled.wired]  # from the end: parameters come first

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, declared(v, *[arguments[place] for place in places], value)

    return Bound(pull_back, declared_swept)


def _to_alternative(ruled: Ruled, swept: Set[Any], arriving_swept: bool) -> Bound:
    alternative = len(ruled.node.slots) - 1
    reached = [slot == alternative for slot in ruled.wired]

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, [v if reaches else None for reaches in reached]

    return Bound(pull_back, [arriving_swept if reaches else None for reaches in reached])


PULLBACKS: dict[str, Callable[[Ruled, Set[Any], bool], Bound]] = {
    FOLLOW: _follow,
    STOP: _stop,
    REWRITE: _changed,
    SCALE: _changed,
    PULLBACK: _declared,
    BACKWARD_AS: _to_alternative,
}
"""By kind of rule, the pullback of a node with that rule."""


def bind(ruled: Ruled, swept: Set[Any], arriving_swept: bool = False) -> Bound:
    """Return the pullback of a node under its rule.

    Args:
      swept: names of the nodes whose values are swept.
      arriving_swept: whether the arriving cotangent is.
    """
    return PULLBACKS[ruled.node.rule.kind](ruled, swept, arriving_swept)


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
    ruled = Ruled(node, [], (0,), dtype, function, _IDENTITY, lambda *flags: _IDENTITY)
    return bind(ruled, frozenset(), swept).pull_back


def _carried(op: Kernel, swept: bool) -> list[bool | None]:
    """Return for each wire whether the op's contribution is swept, if any of them is."""
    return [swept if carries else None for carries in op.carries]
