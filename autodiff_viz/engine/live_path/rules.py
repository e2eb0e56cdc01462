"""Rules of nodes on the live path: the pullback of a node under each kind of rule.

`check.check_rule` has refused whatever does not fit. A lambda is resolved once to calls of the compiled ops
that graphs use, and then called with arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import jax

from autodiff_viz.engine.live_path.arrays import constant
from autodiff_viz.engine.live_path.kernels import FITTED, SCALED, Kernel, Shape, kernel
from autodiff_viz.engine.live_path.op_calls import split
from autodiff_viz.engine.live_path.pullbacks import PullBack, hand_on, pass_nothing, pull_changed, total
from autodiff_viz.graph.model import Call, Lambda, Node, Params, Term, params
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, PULLBACK, REWRITE, SCALE, STOP
from autodiff_viz.ops.catalog import OPS


class Abstract(NamedTuple):
    """What is known of an array before it is computed: its shape per sample, and whether it is swept."""

    shape: Shape
    swept: bool = False


class Ruled(NamedTuple):
    """A node whose pullback is to be bound.

    Attributes:
      wired: the slots that the pullback gives contributions for.
      compiled: returns the compiled op for a cotangent that is swept, or is not.
      v: the arriving cotangent.
      value: of the node.
      read: returns the value of another node by name.
      kernel: makes the ops that the rule itself calls.
    """

    node: Node
    wired: tuple[int, ...]
    dtype: str
    compiled: Callable[[bool], Kernel]
    v: Abstract
    value: Abstract
    read: Callable[[str], Abstract]
    kernel: Callable[..., Kernel] = kernel


class Bound(NamedTuple):
    """A pullback, and for each wire whether its contribution is swept; None: nothing is passed."""

    pull_back: PullBack
    swept: Sequence[bool | None]


def _follow(ruled: Ruled) -> Bound:
    op = ruled.compiled(ruled.v.swept)
    return Bound(op.pull_back, _carried(ruled, op, ruled.v.swept))


def _stop(ruled: Ruled) -> Bound:
    count = len(ruled.wired)
    return Bound(pass_nothing(count), [None] * count)


def _rewrite(ruled: Ruled) -> Bound:
    change, (swept,) = _function(ruled.node.rule.function, [ruled.v], [ruled.v.shape], ruled)
    return _changed(ruled, lambda v: change(v)[0], swept)


def _scale(ruled: Ruled) -> Bound:
    number = _resolved(ruled.node.rule.number, {}, ruled)
    change = _call(SCALED, (), [_Resolved(lambda v: v, *ruled.v), number], ruled)
    return _changed(ruled, change.run, change.swept)


def _declared(ruled: Ruled) -> Bound:
    node = ruled.node
    inputs = [ruled.read(node.slots[slot]) for slot in ruled.wired]
    given, wanted = [ruled.v, *inputs, ruled.value], [x.shape for x in inputs]
    declared, swept = _function(node.rule.function, given, wanted, ruled)
    places = [slot - len(node.slots) for slot in ruled.wired]  # from the end: parameters come first

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, declared(v, *(arguments[place] for place in places), value)

    return Bound(pull_back, swept)


def _to_alternative(ruled: Ruled) -> Bound:
    alternative = len(ruled.node.slots) - 1
    reached = [slot == alternative for slot in ruled.wired]

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, [v if reaches else None for reaches in reached]

    return Bound(pull_back, [ruled.v.swept if reaches else None for reaches in reached])


PULLBACKS: dict[str, Callable[[Ruled], Bound]] = {
    FOLLOW: _follow,
    STOP: _stop,
    REWRITE: _rewrite,
    SCALE: _scale,
    PULLBACK: _declared,
    BACKWARD_AS: _to_alternative,
}
"""By kind of rule, the pullback of a node with that rule."""


_IDENTITY = Kernel(
    run=lambda x: x, pull=lambda v: (v,), pull_back=hand_on(1), shape=(), carries=(True,), hands_on=True
)


def on_identity(node: Node, v: Abstract, dtype: str) -> PullBack:
    """Return the pullback of an identity under the node's rule: it passes what the rule makes of `v`.

    An input is such an identity, and its one contribution is the gradient.
    """
    if node.rule.kind == FOLLOW:
        return _IDENTITY.pull_back
    ruled = Ruled(node, (0,), dtype, lambda swept: _IDENTITY, v, v, lambda name: v)
    return PULLBACKS[node.rule.kind](ruled).pull_back


def _changed(ruled: Ruled, change: Callable[[jax.Array], jax.Array], swept: bool) -> Bound:
    """Return the op's own pullback of the changed cotangent."""
    op = ruled.compiled(swept)
    pull_back = pull_changed(op.pull, change) if any(op.carries) else op.pull_back
    return Bound(pull_back, _carried(ruled, op, swept))


def _carried(ruled: Ruled, op: Kernel, swept: bool) -> list[bool | None]:
    """Return for each wire whether the op's contribution is swept, if the cotangent that it pulls back is."""
    return [swept or ruled.value.swept if carries else None for carries in op.carries]


class _Resolved(NamedTuple):
    """A term of a lambda: `run(arguments by name)` gives its array; (shape, swept) are as in `Abstract`."""

    run: Callable[[Any], jax.Array]
    shape: Shape
    swept: bool


def _function(
    function: Lambda, given: Sequence[Abstract], wanted: Sequence[Shape], ruled: Ruled
) -> tuple[Callable[..., list[jax.Array]], list[bool]]:
    """Resolve a lambda whose results are broadcast to the `wanted` shapes.

    Returns:
      The lambda as a function of arrays, and for each result whether it is swept.
    """
    names = dict(zip(function.args, given, strict=True))
    terms = [
        _fitted(_resolved(term, names, ruled), shape, ruled)
        for term, shape in zip(function.body, wanted, strict=True)
    ]
    runs = [term.run for term in terms]

    def call(*arrays: jax.Array) -> list[jax.Array]:
        named = dict(zip(function.args, arrays, strict=True))
        return [run(named) for run in runs]

    return call, [term.swept for term in terms]


def _resolved(term: Term, names: Mapping[str, Abstract], ruled: Ruled) -> _Resolved:
    if isinstance(term, Call):
        return _call(term.op, term.params, [_resolved(arg, names, ruled) for arg in term.args], ruled)
    if isinstance(term, str):
        return _Resolved(itemgetter(term), *names[term])
    array = constant(term, ruled.dtype)
    return _Resolved(lambda named: array, array.shape, False)


def _call(op: str, given: Params, terms: Sequence[_Resolved], ruled: Ruled) -> _Resolved:
    """Resolve the call of an op; its result is swept if an argument is."""
    static, leading = split(OPS[op], given)
    swept = tuple(term.swept for term in terms)
    some = True in swept
    shapes = tuple(term.shape for term in terms)
    found = ruled.kernel(op, static, shapes, (), ruled.dtype, swept if some else None)
    run, runs = found.run, [term.run for term in terms]
    return _Resolved(lambda named: run(*leading, *[each(named) for each in runs]), found.shape, some)


def _fitted(term: _Resolved, shape: Shape, ruled: Ruled) -> _Resolved:
    return term if term.shape == shape else _call(FITTED, params(shape=shape), [term], ruled)
