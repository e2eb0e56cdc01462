"""Read facts about the pullback of an op off its jaxpr; nothing is computed or compiled for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.interpreters.partial_eval import dce_jaxpr

from autodiff_viz.engine.live_path.modes import restrict
from autodiff_viz.ops.misfit import Shape


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
    found = [_origin(program, result) for result in program.outvars]
    return bool(found) and all(origin is program.invars[0] for origin in found)


def _origin(program: Any, result: Any) -> Any:
    """Return the variable that `result` is a copy of, followed through nested `jit` calls."""
    for equation in reversed(program.eqns):
        if result in equation.outvars and equation.primitive.name in ("jit", "pjit"):
            inner = equation.params["jaxpr"].jaxpr
            origin = _origin(inner, inner.outvars[equation.outvars.index(result)])
            if origin in inner.invars:
                result = equation.invars[inner.invars.index(origin)]
    return result
