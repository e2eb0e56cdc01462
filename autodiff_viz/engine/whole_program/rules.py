"""Apply the rules of nodes in the whole program, by the JAX functions that a user would write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live_path.arrays import rounded
from autodiff_viz.graph.model import Call, Lambda, Literal, Node, Term
from autodiff_viz.graph.registries.rule_kinds import BACKWARD_AS, FOLLOW, PULLBACK, REWRITE, SCALE, STOP
from autodiff_viz.ops.catalog import OPS

Run = Callable[..., jax.Array]
"""Evaluate an op on the values of its wires."""

Mark = Callable[[jax.Array], jax.Array]
"""Name the op's value for JAX's checkpoint policies, or return it unchanged."""

Ruled = Callable[[Node, Run, Mark, Sequence[jax.Array]], jax.Array]


@jax.custom_jvp
def _forward_as(x: jax.Array, alternative: jax.Array) -> jax.Array:
    """Return x, with the derivative of `alternative`."""
    return x


def _forward_as_jvp(primals: tuple, tangents: tuple) -> tuple:
    return _forward_as(*primals), tangents[1]  # itself, so that a second derivative goes by the rule too


# An alternative without a derivative keeps its symbolic zero. JAX would otherwise instantiate an array of
# zeros; inside a region it then takes a function with a declared derivative for a known one, and cannot
# differentiate it.
_forward_as.defjvp(_forward_as_jvp, symbolic_zeros=True)


def _changed(value: jax.Array, change: Callable[[jax.Array], jax.Array]) -> jax.Array:
    """Return the value; its arriving cotangent goes through `change`."""

    @jax.custom_vjp
    def identity(x: jax.Array) -> jax.Array:
        return x

    # It calls itself, so that a second derivative goes by the rule too.
    identity.defvjp(lambda x: (identity(x), None), lambda _, v: (change(v),))
    return identity(value)


def _declared(function: Lambda, op: Run, itself: bool = True) -> Run:
    """Return the op with its declared pullback. Only values that the pullback reads are kept as residuals.

    Args:
      itself: whether its forward pass calls the rule again, so that a second derivative goes by the rule too.
        Otherwise it calls the op, whose own derivative JAX then takes.
    """
    read = _names(function.body)

    @jax.custom_vjp
    def declared(*wired: jax.Array) -> jax.Array:
        return op(*wired)

    def run(*wired: jax.Array) -> tuple[jax.Array, tuple]:
        y = declared(*wired) if itself else op(*wired)
        kept = zip(function.args[1:], (*wired, y), strict=True)
        return y, tuple(value if name in read else None for name, value in kept)

    def pull(kept: tuple, v: jax.Array) -> tuple[jax.Array, ...]:
        return _evaluate(function, (v, *kept), shapes)

    shapes: tuple = ()

    def with_shapes(*wired: jax.Array) -> jax.Array:
        nonlocal shapes
        shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in wired)
        return declared(*wired)

    declared.defvjp(run, pull)
    return with_shapes


def _names(terms: tuple[Term, ...]) -> set[str]:
    found: set[str] = set()
    for term in terms:
        found |= _names(term.args) if isinstance(term, Call) else {term} if isinstance(term, str) else set()
    return found


def _evaluate(function: Lambda, given: tuple, like: tuple) -> tuple[jax.Array, ...]:
    """Evaluate the lambda and broadcast each result to the shape of its counterpart in `like`."""
    names = dict(zip(function.args, given, strict=True))
    return tuple(
        jnp.broadcast_to(_term(term, names, like[0].dtype), target.shape)
        for term, target in zip(function.body, like, strict=True)
    )


def _term(term: Term, names: Mapping[str, Any], dtype: Any) -> jax.Array:
    if isinstance(term, str):
        return names[term]
    if not isinstance(term, Call):
        return constant(term, dtype)
    op = OPS[term.op]
    given = {**{param.name: param.default for param in op.params}, **dict(term.params)}
    if not op.slots:
        given["dtype"] = dtype
    return op.apply(*(_term(arg, names, dtype) for arg in term.args), **given)


def constant(literal: Literal, dtype: Any) -> jax.Array:
    """Return a literal as an array."""
    return jnp.asarray(rounded(literal, dtype))


def _stop(node: Node, run: Run, mark: Mark, wired: Sequence[jax.Array]) -> jax.Array:
    return jax.lax.stop_gradient(mark(run(*wired)))


def _rewrite(node: Node, run: Run, mark: Mark, wired: Sequence[jax.Array]) -> jax.Array:
    return _changed(mark(run(*wired)), lambda v: _evaluate(node.rule.function, (v,), (v,))[0])


def _scale(node: Node, run: Run, mark: Mark, wired: Sequence[jax.Array]) -> jax.Array:
    return _changed(mark(run(*wired)), lambda v: v * constant(node.rule.number, v.dtype))


def _backward_as(node: Node, run: Run, mark: Mark, wired: Sequence[jax.Array]) -> jax.Array:
    if not isinstance(node.slots[-1], str):  # backward as a constant: nothing is passed
        return _stop(node, run, mark, wired)
    return _forward_as(mark(run(*wired)), wired[-1])


RULED: dict[str, Ruled] = {
    FOLLOW: lambda node, run, mark, wired: mark(run(*wired)),
    STOP: _stop,
    REWRITE: _rewrite,
    SCALE: _scale,
    PULLBACK: lambda node, run, mark, wired: mark(_declared(node.rule.function, run)(*wired)),
    BACKWARD_AS: _backward_as,
}
"""By kind of rule, the value of a node with that rule."""

WITH_OP: Mapping[str, Ruled] = {
    **RULED,
    PULLBACK: lambda node, run, mark, wired: mark(_declared(node.rule.function, run, itself=False)(*wired)),
}
"""The same, but the forward pass of a declared pullback calls the op in place of the rule."""
