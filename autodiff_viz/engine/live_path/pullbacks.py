"""Build reverse and forward mode of an op as plain functions, and read facts about them off their jaxprs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.interpreters.partial_eval import dce_jaxpr

from autodiff_viz.ops.misfits import Shape

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


def unchanged(pull: Callable, shape: Shape, dtype: str, samples: list) -> list[bool]:
    """Return whether each result of `pull` is the cotangent itself, according to the jaxpr of `pull`."""
    program = jax.make_jaxpr(pull)(jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)), *samples).jaxpr
    return [_origin(program, result) is program.invars[0] for result in program.outvars]


def _origin(program: Any, result: Any) -> Any:
    """Return the variable that `result` is a copy of, followed through nested `jit` calls."""
    for equation in reversed(program.eqns):
        if result in equation.outvars and equation.primitive.name in ("jit", "pjit"):
            inner = equation.params["jaxpr"].jaxpr
            origin = _origin(inner, inner.outvars[equation.outvars.index(result)])
            if origin in inner.invars:
                result = equation.invars[inner.invars.index(origin)]
    return result
