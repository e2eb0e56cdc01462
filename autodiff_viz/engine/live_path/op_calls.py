"""Check calls of ops: slots, parameters, and the shape of the result. Nothing is compiled here."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live_path.arrays import bad_param
from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import listed, literal_fault, seed_fault
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.gradients import GradOf
from autodiff_viz.ops.misfits import Misfit, Shape, describe_shape, misfit, slot_names
from autodiff_viz.ops.native import NativeOp
from autodiff_viz.ops.op import Op, Refusal

Program = tuple[str, Params, tuple[Shape, ...], tuple[int, ...]]
"""A compiled op as (name, static parameters, shapes, differentiated slots); see `kernels.kernel`."""


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
        if op.param(key).kind == "seed":
            fault = seed_fault(value)
        else:
            fault = "is not one number" if isinstance(value, tuple) else literal_fault(value)
        if fault:
            raise GraphError(bad_param(op.name, key, fault))
    given = {**dynamic, **given}
    return static, [op.prepared(given) if op.prepared else given]


def known_op(name: str | GradOf | NativeOp) -> Op:
    """Return the op of this name, or that of a grad node or a native node.

    Raises:
      GraphError: there is none; the problem has no node yet.
    """
    if type(name) in (GradOf, NativeOp):
        return name.op
    if name not in OPS:
        raise GraphError(Problem("unknown-op", f"There is no op {name!r}.", "Choose an op from the palette."))
    return OPS[name]


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
        message = f"{str(name)!r} has no parameter {unknown[0]!r}."
        raise GraphError(Problem("unknown-param", message, f"It has: {known}."))
    if (count < 1) if op.variadic else (count != len(op.slots)):
        wanted = f"{len(op.slots)} ({', '.join(op.slots) or 'none'})"
        needs = "at least one input" if op.variadic else wanted
        message = f"{owner!r} has {count} inputs; {str(name)!r} takes {needs}."
        raise GraphError(Problem("arity", message, "Add or remove inputs."))
    return op


def program_key(name: str | GradOf | NativeOp, static: Params, *ours: Any) -> Hashable:
    """Return the memoisation key of a compiled op: (shapes, slots, dtype) are `ours`.

    Shapes, slots and flags are made by the project and can be compared as they are. Parameters come from
    users; they are short, and their `repr` is computed sooner than their identity.
    """
    return name, static and repr(static), ours


def runner(op: Op, static: Params, dtype: str, leading: int) -> Callable[..., jax.Array]:
    """Return the op as a function of its run-time parameters (one dict, if `leading`) and arrays."""
    fixed = {**{p.name: p.default for p in op.params if p.static}, **dict(static)}
    if not op.slots:
        fixed["dtype"] = jnp.dtype(dtype)

    def run(*arguments: Any) -> jax.Array:
        dynamic = arguments[0] if leading else {}
        return op.apply(*arguments[leading:], **fixed, **dynamic)

    return run


@remembered(limits.NODES, program_key)
def result_shape(
    name: str | GradOf | NativeOp, static: Params, shapes: tuple[Shape, ...], dtype: str
) -> Shape:
    """Return the shape of the op's value by abstract evaluation. Compiles nothing.

    Raises:
      GraphError: as `kernel`.
    """
    op = check_call(name, name, static, len(shapes))
    _, leading = split(op, ())
    run = runner(op, static, dtype, len(leading))
    samples = [*leading, *(jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for shape in shapes)]
    try:
        shape = jax.eval_shape(run, *samples).shape
    except (TypeError, ValueError, IndexError, AssertionError) as error:
        names = slot_names(op, len(shapes))
        given = [f"{name} is {describe_shape(each)}" for name, each in zip(names, shapes, strict=True)]
        # Where no explanation of ours fits, the op's own refusal or JAX's first line says what is wrong.
        reason = str(error).splitlines()[0][:200]
        reason = reason if isinstance(error, Refusal) else f"JAX says: {reason}"
        needed, hint = misfit(op, shapes, dict(static)) or Misfit(
            reason, "Reshape an input, or change this node's parameters."
        )
        message = f"{op.name!r} cannot take these shapes: {listed(given) or 'no inputs'}. {needed}"
        raise GraphError(Problem("shape-mismatch", message, hint)) from error
    if (size := math.prod(shape)) > limits.ELEMENTS:
        message = f"{op.name!r} gives shape {list(shape)}, {size} elements; at most {limits.ELEMENTS}."
        raise GraphError(Problem("too-large", message, "Use smaller tensors."))
    return shape
