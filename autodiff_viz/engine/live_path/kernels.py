"""Compiled ops: one small program per (op, parameters, shapes), shared by all graphs and all visitors.

The live path calls these one after another, so that an edit never compiles a whole graph. The pullback of a
compiled op recomputes the op inside the same program; XLA removes what the derivative does not need.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core

from autodiff_viz.engine.live_path.arrays import bad_param
from autodiff_viz.engine.live_path.bounded_memo import shared
from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.literals import literal_fault, seed_fault
from autodiff_viz.graph.model import Params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text_format import listed
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.misfit import Misfit, Shape, said
from autodiff_viz.ops.misfits import misfit, slot_names
from autodiff_viz.ops.record import Op, Param, Refusal

KEPT = 288  # compiled ops, a third of them on trial; each holds about 3 MB of code

QUICK = {"xla_cpu_use_fusion_emitters": False}
"""Compiler options for ops on numbers: two thirds of the compile time and the same bits.

On tensors some ops would run slower.
"""


@dataclass(frozen=True, slots=True)
class Kernel:
    """An op compiled for given shapes.

    `arguments` are the run-time parameters as one dict, for ops that have any, followed by the arrays of the
    slots.

    Attributes:
      run: `run(*arguments)` gives the op's value.
      pull: `pull(cotangent, *arguments)` gives one contribution per differentiated slot. None is a symbolic
        zero: JAX's derivative is zero whatever the numbers are (the slope of `sign`, say), and JAX passes
        nothing down the wire, not 0 times the cotangent.
      pull_sum: `pull_sum(a, b, *arguments)` gives a + b and the result of `pull` for a + b.
      slots: the differentiated slots, in the order of `pull`'s results.
      shape: of the value, per sample.
      passes: whether `pull` ever gives a contribution.
      hands_on: whether `pull` gives the unchanged cotangent for every slot, as that of `a + b` does: then
        there is nothing to run.
    """

    run: Callable[..., jax.Array]
    pull: Callable[..., tuple[jax.Array | None, ...]]
    pull_sum: Callable[..., tuple[jax.Array, tuple[jax.Array | None, ...]]]
    slots: tuple[int, ...]
    shape: Shape
    passes: bool
    hands_on: bool


def split(op: Op, params: Params) -> tuple[Params, list[dict[str, Any]]]:
    """Split parameters into (static, leading arguments).

    Static parameters are compiled in; the run-time ones are one dict, or nothing, before the op's arrays.

    Raises:
      GraphError: a run-time parameter is not a number, or not a seed; the problem has no node yet.
    """
    dynamic = {p.name: p.default for p in op.params if not p.static}
    if not dynamic:
        return params, []
    static = tuple(pair for pair in params if pair[0] not in dynamic)
    given = {key: value for key, value in params if key in dynamic}
    for key, value in given.items():
        if fault := _number_fault(op.param(key), value):
            raise GraphError(bad_param(op.name, key, fault))
    given = {**dynamic, **given}
    return static, [op.prepared(given) if op.prepared else given]


def _number_fault(param: Param, value: Any) -> str:
    if param.kind == "seed":
        return seed_fault(value)
    return "is not one number" if isinstance(value, tuple) else literal_fault(value)


def _key(name: str, static: Params, *ours: Any) -> Hashable:
    """Return the memoisation key of a compiled op.

    Shapes, slots and flags are made by the project and can be compared as they are. Parameters come from
    users; they are short, and their `repr` is computed sooner than their identity.
    """
    return name, static and repr(static), ours


def _too_many(name: str, *others: Any) -> GraphError:
    return GraphError(too_many_kernels(name))


def too_many_kernels(op: str) -> Problem:
    """Return the problem of a graph that needs more different programs than the limit."""
    message = (
        f"{op!r} would be compiled anew for its shapes and parameters, and this graph has {limits.KERNELS} "
        "different programs already, which is the limit."
    )
    return Problem("too-many-programs", message, "Use the same shapes and parameters more often.")


@shared(KEPT, limits.KERNELS, _key, _too_many)
def kernel(
    name: str,
    static: Params,
    shapes: tuple[Shape, ...],
    differentiated: tuple[int, ...],
    dtype: str,
    batched: tuple[bool, ...] | None = None,
    cotangent_batched: bool = True,
) -> Kernel:
    """Compile an op for the given shapes, memoised.

    Args:
      shapes: of one sample each.
      differentiated: the slots that `pull` gives a contribution for.
      batched: which slots carry a leading axis of samples; None if neither a slot nor the cotangent does.
      cotangent_batched: whether the cotangent carries that axis; has no effect if `batched` is None.
    Raises:
      GraphError: the op refuses the shapes or the parameters; the problem has no node yet.
    """
    op = OPS[name]
    _, leading = split(op, ())
    run = _runner(op, static, dtype, len(leading))
    samples = [jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for shape in shapes]
    shape = result_shape(name, static, shapes, dtype)
    slots = tuple(len(leading) + i for i in differentiated)
    dependent = _dependent(run, [*leading, *samples], slots)

    def pull(cotangent: jax.Array, *arguments: Any) -> tuple[jax.Array | None, ...]:
        some = (arguments[i] for i in slots)
        results = jax.vjp(_restrict(run, arguments, slots), *some)[1](cotangent)
        return tuple(x if depends else None for x, depends in zip(results, dependent, strict=True))

    def pull_sum(a: jax.Array, b: jax.Array, *arguments: Any) -> tuple[jax.Array, tuple]:
        return a + b, pull(a + b, *arguments)

    many_run, many_pull = run, pull
    if batched is not None:
        axes = (*(None for _ in leading), *(0 if flag else None for flag in batched))
        if any(batched):
            many_run = jax.vmap(run, in_axes=axes)
        if any(batched) or cotangent_batched:
            many_pull = jax.vmap(pull, in_axes=(0 if cotangent_batched else None, *axes))
    options = None if any(shapes) or shape else QUICK
    return Kernel(
        run=jax.jit(many_run, compiler_options=options),
        pull=jax.jit(many_pull, compiler_options=options),
        pull_sum=jax.jit(pull_sum, compiler_options=options),
        slots=differentiated,
        shape=shape,
        passes=any(dependent),
        hands_on=all(dependent) and _hands_on(pull, shape, dtype, [*leading, *samples]),
    )


def _runner(op: Op, static: Params, dtype: str, leading: int) -> Callable[..., jax.Array]:
    """Return the op as a function of its run-time parameters (one dict, if `leading`) and arrays."""
    fixed = {**{p.name: p.default for p in op.params if p.static}, **dict(static)}
    if not op.slots:
        fixed["dtype"] = jnp.dtype(dtype)

    def run(*arguments: Any) -> jax.Array:
        dynamic = arguments[0] if leading else {}
        return op.apply(*arguments[leading:], **fixed, **dynamic)

    return run


@remembered(limits.NODES, _key)
def result_shape(name: str, static: Params, shapes: tuple[Shape, ...], dtype: str) -> Shape:
    """Return the shape of the op's value by abstract evaluation. Compiles nothing.

    Raises:
      GraphError: as `kernel`.
    """
    op = OPS[name]
    _, leading = split(op, ())
    run = _runner(op, static, dtype, len(leading))
    samples = [*leading, *(jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for shape in shapes)]
    try:
        shape = jax.eval_shape(run, *samples).shape
    except (TypeError, ValueError, IndexError, AssertionError) as error:
        raise GraphError(_refused(op, static, shapes, error)) from error
    if math.prod(shape) > limits.ELEMENTS:
        raise GraphError(_too_large(op, shape))
    return shape


def _restrict(run: Callable, arguments: tuple, slots: tuple[int, ...]) -> Callable:
    """Return `run` as a function of the arguments at `slots` alone."""

    def function(*some: jax.Array) -> jax.Array:
        merged = list(arguments)
        for i, array in zip(slots, some, strict=True):
            merged[i] = array
        return run(*merged)

    return function


def _dependent(run: Callable, samples: list, slots: tuple[int, ...]) -> tuple[bool, ...]:
    """Return, per slot, whether the op's tangent depends on the tangent of that slot at all.

    The linearised program is searched: the tangent is a symbolic zero if no equation carries it to the
    output.
    """

    def tangent(arguments: list, i: int, dot: jax.Array) -> jax.Array:
        return jax.jvp(_restrict(run, tuple(arguments), (i,)), (arguments[i],), (dot,))[1]

    found = []
    for i in slots:
        program = jax.make_jaxpr(lambda arguments, dot, i=i: tangent(arguments, i, dot))(
            samples, samples[i]
        ).jaxpr
        reached = {program.invars[-1]}
        for equation in program.eqns:
            if any(isinstance(v, core.Var) and v in reached for v in equation.invars):
                reached.update(equation.outvars)
        found.append(isinstance(program.outvars[0], core.Var) and program.outvars[0] in reached)
    return tuple(found)


def _hands_on(pull: Callable, shape: Shape, dtype: str, samples: list) -> bool:
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


def _too_large(op: Op, shape: tuple[int, ...]) -> Problem:
    size = math.prod(shape)
    return Problem(
        code="too-large",
        message=f"{op.name!r} gives shape {list(shape)}, {size} elements; at most {limits.ELEMENTS}.",
        hint="Use smaller tensors.",
    )


def _refused(op: Op, static: Params, shapes: tuple[Shape, ...], error: Exception) -> Problem:
    names = slot_names(op, len(shapes))
    given = [f"{name} is {said(shape)}" for name, shape in zip(names, shapes, strict=True)]
    reason = str(error).splitlines()[0][:200]
    usual = reason if isinstance(error, Refusal) else f"JAX says: {reason}"
    found = misfit(op, shapes, dict(static)) or Misfit(
        usual, "Reshape an input, or change this node's parameters."
    )
    return Problem(
        code="shape-mismatch",
        message=f"{op.name!r} cannot take these shapes: {listed(given) or 'no inputs'}. {found.needed}",
        hint=found.hint,
    )
