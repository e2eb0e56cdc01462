"""Build the pullbacks of compiled ops: the usual one, and fast paths for ops that need less."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.interpreters.partial_eval import dce_jaxpr

from autodiff_viz.ops.misfits import Shape

# Build reverse and forward mode of an op as plain functions, to compile alone or in a larger program.


Slots = tuple[int, ...]


def restrict(run: Callable, arguments: tuple, slots: Slots) -> Callable:
    """Return `run` as a function of the arguments at `slots` alone."""

    def function(*some: jax.Array) -> jax.Array:
        merged = list(arguments)
        for i, array in zip(slots, some, strict=True):
            merged[i] = array
        return run(*merged)

    return function


def pull_of(run: Callable, slots: Slots) -> Callable[..., tuple[jax.Array, ...]]:
    """Return `pull(cotangent, *arguments)`, which gives one contribution for each of `slots`."""

    def pull(cotangent: jax.Array, *arguments: Any) -> tuple[jax.Array, ...]:
        some = (arguments[i] for i in slots)
        return jax.vjp(restrict(run, arguments, slots), *some)[1](cotangent)

    return pull


def pull_sum_of(pull: Callable) -> Callable[..., tuple[jax.Array, tuple]]:
    """Return `pull` of the sum of two contributions, which gives that sum too."""

    def pull_sum(a: jax.Array, b: jax.Array, *arguments: Any) -> tuple[jax.Array, tuple]:
        return a + b, pull(a + b, *arguments)

    return pull_sum


def push_of(run: Callable, slots: Slots) -> Callable[..., tuple[jax.Array, ...]]:
    """Return `push(tangents, *arguments)`: what the tangent of each of `slots` adds to that of the value.

    Each slot has a call of `jax.jvp` for itself, so that no zero is multiplied by an infinite slope.
    """

    def push(tangents: tuple[jax.Array, ...], *arguments: Any) -> tuple[jax.Array, ...]:
        return tuple(
            jax.jvp(restrict(run, arguments, (i,)), (arguments[i],), (dot,))[1]
            for i, dot in zip(slots, tangents, strict=True)
        )

    return push


# Read facts about the pullback of an op off its jaxpr; nothing is computed or compiled for them.


def carries(run: Callable, samples: list, slots: tuple[int, ...]) -> tuple[bool, ...]:
    """Return, per slot, whether the op's tangent depends on the tangent of that slot at all.

    JAX's dead-code elimination of the linearised program says which tangents are read. By the others the
    derivative is a symbolic zero.
    """
    if not slots:
        return ()

    def tangent(arguments: list, dots: list) -> jax.Array:
        some = [arguments[i] for i in slots]
        return jax.jvp(restrict(run, tuple(arguments), slots), some, dots)[1]

    program = jax.make_jaxpr(tangent)(samples, [samples[i] for i in slots]).jaxpr
    # It looks into nested calls: a result of `jit` need not depend on all that the `jit` takes.
    _, used = dce_jaxpr(program, [True])
    return tuple(used[-len(slots) :])


def passes_unchanged(pull: Callable, shape: Shape, dtype: str, samples: list) -> bool:
    """Return whether every result of `pull` is the cotangent itself, according to the jaxpr of `pull`."""
    program = jax.make_jaxpr(pull)(jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)), *samples).jaxpr
    origins = [_origin(program, result) for result in program.outvars]
    return bool(origins) and all(origin is program.invars[0] for origin in origins)


def _origin(program: Any, result: Any) -> Any:
    """Return the variable that `result` is a copy of, followed through nested `jit` calls."""
    for equation in reversed(program.eqns):
        if result in equation.outvars and equation.primitive.name in ("jit", "pjit"):
            inner = equation.params["jaxpr"].jaxpr
            origin = _origin(inner, inner.outvars[equation.outvars.index(result)])
            if origin in inner.invars:
                result = equation.invars[inner.invars.index(origin)]
    return result


Contributions = Sequence[jax.Array | None]
"""What a node passes down its wires, one for each; None is a symbolic zero."""

Pull = Callable[..., Contributions]
"""`pull(cotangent, *arguments)`: a compiled op's own pullback."""

PullBack = Callable[[list[jax.Array], Sequence[Any], jax.Array], tuple[jax.Array, Contributions]]
"""`pull_back(parts, arguments, value)`: a node's step of the backward pass.

It sums the contributions that arrive at the node, `parts`, and returns the sum and what the node passes down
its wires. `arguments` and `value` are those of the node's op in the forward pass.
"""


def total(parts: list[jax.Array]) -> jax.Array:
    """Add contributions. The axis of samples comes first, so one without it is broadcast."""
    added = parts[0]
    for part in parts[1:]:
        added = _add(added, part)
    return added


_add = jax.jit(lambda a, b: a + b)


def pass_nothing(wires: int) -> PullBack:
    """Return the pullback of a node that passes nothing, such as one that stops."""
    nothing = (None,) * wires
    return lambda parts, arguments, value: (total(parts), nothing)


def pass_unchanged(wires: int) -> PullBack:
    """Return the fast path of an op that passes the unchanged cotangent down every wire, as `a + b` does."""

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, (v,) * wires

    return pull_back


def pull_fused(pull: Pull, pull_sum: Callable[..., tuple[jax.Array, Contributions]]) -> PullBack:
    """Return the fast path that adds the last two contributions and pulls back in one call."""

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        if len(parts) == 1:
            return parts[0], pull(parts[0], *arguments)
        return pull_sum(total(parts[:-1]), parts[-1], *arguments)

    return pull_back


def pull_alone(pull: Pull) -> PullBack:
    """Return the pullback of an op whose contributions are summed before it is called."""

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, pull(v, *arguments)

    return pull_back


def pull_changed(pull: Pull, change: Callable[[jax.Array], Sequence[jax.Array]]) -> PullBack:
    """Return the pullback of an op under a rule that first changes the arriving cotangent.

    Args:
      change: returns the changed cotangent, as its one result.
    """

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
        return v, pull(*change(v), *arguments)

    return pull_back
