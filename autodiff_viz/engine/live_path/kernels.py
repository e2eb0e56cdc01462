"""Compiled ops: one small program per (op, parameters, shapes), shared by all graphs and all visitors.

The live path calls these one after another, so that an edit never compiles a whole graph. The pullback of a
compiled op recomputes the op inside the same program; XLA removes what the derivative does not need.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live_path.arrays import bad_param
from autodiff_viz.engine.live_path.bounded_memo import shared
from autodiff_viz.engine.live_path.pullback_jaxprs import carries, hands_on, restrict
from autodiff_viz.engine.live_path.pullbacks import (
    Pull,
    PullBack,
    hand_on,
    pass_nothing,
    pull_changed,
    pull_fused,
)
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.literals import literal_fault, seed_fault
from autodiff_viz.graph.model import Params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text_format import listed
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.misfit import Misfit, Shape, said
from autodiff_viz.ops.misfits import misfit, slot_names
from autodiff_viz.ops.pullback_ops import PullbackOf, pullback_op
from autodiff_viz.ops.record import Op, Param, Refusal

KEPT = 288  # compiled ops, a third of them on trial; each holds about 3 MB of code
TANGENTS_KEPT = 192  # compiled tangents, half of them on trial; each is one program, a third of that

SCALED, FITTED = "mul", "broadcast_to"
"""Ops that rules call by themselves: to scale a cotangent, and to fit a lambda's result to its wire."""

QUICK = {"xla_cpu_use_fusion_emitters": False}
"""Compiler options for ops on numbers: two thirds of the compile time and the same bits.

On tensors some ops would run slower.
"""

ROUNDED = {"xla_allow_excess_precision": False}
"""Compiler options for 16-bit numbers: XLA rounds after each operation, as JAX does without compilation.

By default it computes a chain of operations in float32 and rounds only the result.
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
      pull_back: sum the contributions that arrive, then `pull`, by the fastest way that this op allows.
      shape: of the value, per sample.
      carries: for each differentiated slot, whether `pull` gives a contribution.
      hands_on: whether `pull` gives the unchanged cotangent for every slot, as that of `a + b` does: then
        there is nothing to run.
    """

    run: Callable[..., jax.Array]
    pull: Pull
    pull_back: PullBack
    shape: Shape
    carries: tuple[bool, ...]
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


def known_op(name: str | PullbackOf) -> Op:
    """Return the op of this name, or the op that a `PullbackOf` names.

    Raises:
      GraphError: there is none; the problem has no node yet.
    """
    if type(name) is PullbackOf:
        return _pullback_op(name)
    if name not in OPS:
        raise GraphError(Problem("unknown-op", f"There is no op {name!r}.", "Choose an op from the palette."))
    return OPS[name]


@remembered(KEPT, lambda name: name)
def _pullback_op(name: PullbackOf) -> Op:
    return pullback_op(known_op(name.op), name.slot)


def check_call(owner: str, name: str, given: Params, count: int) -> Op:
    """Return the op called `name` if it takes these parameters and `count` inputs.

    Args:
      owner: name of the node, for messages.
    Raises:
      GraphError: it does not, or there is no such op; the problem has no node yet.
    """
    op = known_op(name)
    if unknown := [key for key, _ in given if op.param(key) is None]:
        known = ", ".join(param.name for param in op.params) or "none"
        message = f"{name!r} has no parameter {unknown[0]!r}."
        raise GraphError(Problem("unknown-param", message, f"It has: {known}."))
    if (count < 1) if op.variadic else (count != len(op.slots)):
        wanted = f"{len(op.slots)} ({', '.join(op.slots) or 'none'})"
        needs = "at least one input" if op.variadic else wanted
        message = f"{owner!r} has {count} inputs; {name!r} takes {needs}."
        raise GraphError(Problem("arity", message, "Add or remove inputs."))
    return op


def program_key(name: str | PullbackOf, static: Params, *ours: Any) -> Hashable:
    """Return the memoisation key of a compiled op: (shapes, slots, dtype) are `ours`.

    Shapes, slots and flags are made by the project and can be compared as they are. Parameters come from
    users; they are short, and their `repr` is computed sooner than their identity.
    """
    return name, static and repr(static), ours


def _too_many(name: str | PullbackOf, *others: Any) -> GraphError:
    return GraphError(too_many_kernels(name))


def said_op(name: str | PullbackOf) -> str:
    """Return the name of an op in quotes; of a pullback in words."""
    return f"The pullback of {said_op(name.op)}" if type(name) is PullbackOf else repr(name)


def too_many_kernels(op: str | PullbackOf) -> Problem:
    """Return the problem of a graph that needs more different programs than the limit."""
    message = (
        f"{said_op(op)} would be compiled anew for its shapes and parameters, and this graph has "
        f"{limits.KERNELS} different programs already, which is the limit."
    )
    return Problem("too-many-programs", message, "Use the same shapes and parameters more often.")


@shared(KEPT, limits.KERNELS, program_key, _too_many)
def kernel(
    name: str | PullbackOf,
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
      GraphError: there is no such op, or it refuses the shapes or the parameters; the problem has no node
        yet.
    """
    shape = result_shape(name, static, shapes, dtype)
    op = known_op(name)
    _, leading = split(op, ())
    run = _runner(op, static, dtype, len(leading))
    samples = [*leading, *(jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for shape in shapes)]
    slots = tuple(len(leading) + i for i in differentiated)
    carried = carries(run, samples, slots)

    def pull(cotangent: jax.Array, *arguments: Any) -> tuple[jax.Array | None, ...]:
        some = (arguments[i] for i in slots)
        results = jax.vjp(restrict(run, arguments, slots), *some)[1](cotangent)
        return tuple(x if has else None for x, has in zip(results, carried, strict=True))

    def pull_sum(a: jax.Array, b: jax.Array, *arguments: Any) -> tuple[jax.Array, tuple]:
        return a + b, pull(a + b, *arguments)

    many_run, many_pull = run, pull
    if batched is not None:
        axes = (*(None for _ in leading), *(0 if flag else None for flag in batched))
        if any(batched):
            many_run = jax.vmap(run, in_axes=axes)
        if any(batched) or cotangent_batched:
            many_pull = jax.vmap(pull, in_axes=(0 if cotangent_batched else None, *axes))
    options = {} if any(shapes) or shape else QUICK
    jit = partial(jax.jit, compiler_options={**options, **ROUNDED} if DTYPES[dtype].half else options or None)
    compiled, unchanged = jit(many_pull), all(carried) and hands_on(pull, shape, dtype, samples)
    if not any(carried):
        pull_back = pass_nothing(len(slots))
    elif batched is not None:
        pull_back = pull_changed(compiled)
    else:
        pull_back = hand_on(len(slots)) if unchanged else pull_fused(compiled, jit(pull_sum))
    return Kernel(jit(many_run), compiled, pull_back, shape, carried, unchanged)


@shared(TANGENTS_KEPT, limits.KERNELS, program_key, _too_many)
def tangent_kernel(
    name: str, static: Params, shapes: tuple[Shape, ...], slots: tuple[int, ...], dtype: str
) -> Callable[..., tuple[jax.Array, ...]]:
    """Compile the forward mode of an op for the given shapes, memoised.

    Returns:
      `push(tangents, *arguments)`: for each of `slots`, what its tangent adds to the tangent of the op's
      value. Slots that have no tangent are left out, so that no zero is multiplied by an infinite slope.
    Raises:
      GraphError: as `kernel`.
    """
    shape = result_shape(name, static, shapes, dtype)
    op = OPS[name]
    _, leading = split(op, ())
    run, places = _runner(op, static, dtype, len(leading)), [len(leading) + slot for slot in slots]

    def push(tangents: tuple[jax.Array, ...], *arguments: Any) -> tuple[jax.Array, ...]:
        return tuple(
            jax.jvp(restrict(run, arguments, (i,)), (arguments[i],), (dot,))[1]
            for i, dot in zip(places, tangents, strict=True)
        )

    return jax.jit(push, compiler_options=None if any(shapes) or shape else QUICK)


def _runner(op: Op, static: Params, dtype: str, leading: int) -> Callable[..., jax.Array]:
    """Return the op as a function of its run-time parameters (one dict, if `leading`) and arrays."""
    fixed = {**{p.name: p.default for p in op.params if p.static}, **dict(static)}
    if not op.slots:
        fixed["dtype"] = jnp.dtype(dtype)

    def run(*arguments: Any) -> jax.Array:
        dynamic = arguments[0] if leading else {}
        return op.apply(*arguments[leading:], **fixed, **dynamic)

    return run


@remembered(limits.NODES, program_key)
def result_shape(name: str | PullbackOf, static: Params, shapes: tuple[Shape, ...], dtype: str) -> Shape:
    """Return the shape of the op's value by abstract evaluation. Compiles nothing.

    Raises:
      GraphError: as `kernel`.
    """
    op = check_call(name, name, static, len(shapes))
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


@remembered(KEPT, program_key)
def carries_slot(name: str | PullbackOf, static: Params, shapes: tuple[Shape, ...], slot: int) -> bool:
    """Return whether an op passes anything to a slot: False where JAX's derivative is a symbolic zero."""
    op = known_op(name)
    _, leading = split(op, ())
    samples = [*leading, *(jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes)]
    return carries(_runner(op, static, "float32", len(leading)), samples, (len(leading) + slot,))[0]


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
