"""One small compiled program per (op, parameters, shapes), shared by every graph and every visitor.

The live path stitches these together, so that an edit never compiles a whole graph. A kernel's pullback
recomputes the op inside the same compiled program; XLA drops what the derivative does not need.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.record import Op

KEPT = 4096  # kernels; each holds a few kB of compiled code


@dataclass(frozen=True, slots=True)
class Kernel:
    """An op compiled for given shapes.

    Attributes:
      run: `run(dynamic, *arrays)` gives the op's value.
      pull: `pull(cotangent, dynamic, *arrays)` gives one contribution per differentiated slot.
      slots: the differentiated slots, in the order of `pull`'s results.
      dependent: for each of `slots`, False where JAX's derivative is zero whatever the numbers are (the
        slope of `sign`, say). There JAX passes nothing at all down the wire, not 0 times something.
      dynamic: the run-time parameters, as the first argument of `run`.
    """

    run: Callable[..., jax.Array]
    pull: Callable[..., tuple[jax.Array, ...]]
    slots: tuple[int, ...]
    dependent: tuple[bool, ...]
    shape: tuple[int, ...]


def split(op: Op, params: Params) -> tuple[Params, dict[str, Any]]:
    """Parameters as (compiled in, passed at run time)."""
    if not params or not any(not p.static for p in op.params):
        return params, {}
    dynamic = {p.name: p.default for p in op.params if not p.static}
    static = tuple(pair for pair in params if pair[0] not in dynamic)
    return static, {**dynamic, **{key: value for key, value in params if key in dynamic}}


@lru_cache(maxsize=KEPT)
def kernel(
    name: str,
    static: Params,
    shapes: tuple[tuple[int, ...], ...],
    differentiated: tuple[int, ...],
    dtype: str,
    batched: tuple[bool, ...] | None = None,
    cotangent_batched: bool = True,
) -> Kernel:
    """The compiled op. Shapes are those of one sample; `batched` says which arrays carry a leading
    axis of samples (None: none does).

    Raises:
      GraphError: the op refuses the shapes or the parameters; the problem has no node yet.
    """
    op = OPS[name]
    fixed = {**{p.name: p.default for p in op.params if p.static}, **dict(static)}
    if not op.slots:
        fixed["dtype"] = jnp.dtype(dtype)

    def run(dynamic: dict[str, Any], *arrays: jax.Array) -> jax.Array:
        return op.apply(*arrays, **fixed, **dynamic)

    def pull(cotangent: jax.Array, dynamic: dict[str, Any], *arrays: jax.Array) -> tuple[jax.Array, ...]:
        some = (arrays[i] for i in differentiated)
        return jax.vjp(_restrict(run, dynamic, arrays, differentiated), *some)[1](cotangent)

    samples = [jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for shape in shapes]
    dynamic = {p.name: p.default for p in op.params if not p.static}
    try:
        shape = jax.eval_shape(run, dynamic, *samples).shape
    except (TypeError, ValueError, IndexError, AssertionError) as error:
        raise GraphError(_refused(op, shapes, error)) from error
    if math.prod(shape) > limits.ELEMENTS:
        raise GraphError(_too_large(op, shape))
    dependent = _dependent(run, dynamic, samples, differentiated)
    if batched is None:
        return Kernel(jax.jit(run), jax.jit(pull), differentiated, dependent, shape)
    axes = tuple(0 if flag else None for flag in batched)
    many_run, many_pull = run, pull
    if any(batched):
        many_run = jax.vmap(run, in_axes=(None, *axes))
    if any(batched) or cotangent_batched:
        many_pull = jax.vmap(pull, in_axes=(0 if cotangent_batched else None, None, *axes))
    return Kernel(jax.jit(many_run), jax.jit(many_pull), differentiated, dependent, shape)


def _restrict(run: Callable, dynamic: dict, arrays: tuple, differentiated: tuple[int, ...]) -> Callable:
    """`run` as a function of the differentiated arrays alone."""

    def function(*some: jax.Array) -> jax.Array:
        merged = list(arrays)
        for i, array in zip(differentiated, some, strict=True):
            merged[i] = array
        return run(dynamic, *merged)

    return function


def _dependent(
    run: Callable, dynamic: dict, samples: list, differentiated: tuple[int, ...]
) -> tuple[bool, ...]:
    """Per differentiated slot, whether the op's tangent depends on that slot's tangent at all.

    Read off the linear program: an input that no equation carries to the output is a symbolic zero.
    """

    def tangent(arrays: list, i: int, dot: jax.Array) -> jax.Array:
        function = _restrict(run, dynamic, tuple(arrays), (i,))
        return jax.jvp(function, (arrays[i],), (dot,))[1]

    found = []
    for i in differentiated:
        program = jax.make_jaxpr(lambda arrays, dot, i=i: tangent(arrays, i, dot))(samples, samples[i]).jaxpr
        reached = {program.invars[-1]}
        for equation in program.eqns:
            if any(isinstance(v, core.Var) and v in reached for v in equation.invars):
                reached.update(equation.outvars)
        found.append(isinstance(program.outvars[0], core.Var) and program.outvars[0] in reached)
    return tuple(found)


def _too_large(op: Op, shape: tuple[int, ...]) -> Problem:
    size = math.prod(shape)
    return Problem(
        code="too-large",
        message=f"{op.name!r} gives shape {list(shape)}, {size} elements; at most {limits.ELEMENTS}.",
        hint="Use smaller tensors.",
    )


def _refused(op: Op, shapes: tuple[tuple[int, ...], ...], error: Exception) -> Problem:
    given = ", ".join(f"input {i} is {list(shape)}" for i, shape in enumerate(shapes)) or "no inputs"
    reason = str(error).splitlines()[0][:200]
    return Problem(
        code="shape-mismatch",
        message=f"{op.name!r} cannot take these shapes: {given}. JAX says: {reason}",
        hint="Reshape or broadcast an input, or change the parameters of this node.",
    )
