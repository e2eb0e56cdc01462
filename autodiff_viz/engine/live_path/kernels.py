"""Compile ops: one small program per (op, parameters, shapes), shared by all graphs and all visitors.

The live path calls these one after another, so that an edit never compiles a whole graph. The pullback of a
compiled op recomputes the op inside the same program; XLA removes what the derivative does not need. Ops that
take numbers alone have one program together: see `numbers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live_path.compiling import ONCE, QUICK, compiled, rounded
from autodiff_viz.engine.live_path.numbers import (
    UNCHANGED,
    Number,
    NumberOp,
    add,
    branches,
    pulling,
    pushing,
    reading,
    running,
)
from autodiff_viz.engine.live_path.op_calls import (
    known_op,
    program_key,
    result_shape,
    runner,
    split,
)
from autodiff_viz.engine.live_path.pullbacks import carries, pull_of, push_of, unchanged
from autodiff_viz.engine.memo import shared
from autodiff_viz.graph import limits
from autodiff_viz.graph.grad_nodes import OF
from autodiff_viz.graph.model import Params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ops.gradients import GradOf
from autodiff_viz.ops.misfits import Shape

Axes = tuple[int | None, ...] | None
"""For `jax.vmap`, the axis of samples of each argument; None where nothing has one."""


# Pullbacks of nodes: the usual one, and fast paths for ops that need less.


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
        lazy = type(added) is Number or type(part) is Number
        added = add(added, part) if lazy else _add(added, part)
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


def pull_alone(pull: Pull) -> PullBack:
    """Return the pullback of an op whose contributions are summed before it is called."""

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = parts[0] if len(parts) == 1 else total(parts)
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


# Ops, compiled for given shapes.


KEPT = 288  # compiled ops, a third of them on trial; each holds about 2 MB
TANGENTS_KEPT = 192  # compiled tangents, half of them on trial; each is one program, a third of that

SCALED, FITTED = "mul", "broadcast_to"
"""Ops that rules call by themselves: to scale a cotangent, and to fit a lambda's result to its wire."""


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
      passes_unchanged: whether `pull` gives the unchanged cotangent for every slot, as that of `a + b` does;
        then there is nothing to run.
    """

    run: Callable[..., jax.Array]
    pull: Pull
    pull_back: PullBack
    shape: Shape
    carries: tuple[bool, ...]
    passes_unchanged: bool


def _too_many(name: str | GradOf, *others: Any) -> GraphError:
    return GraphError(too_many_kernels(name))


def too_many_kernels(op: str | GradOf) -> Problem:
    """Return the problem of a graph that needs more different programs than the limit."""
    message = (
        f"{known_op(op).name!r} would be compiled anew for its shapes and parameters, and this graph has "
        f"{limits.KERNELS} different programs already, which is the limit."
    )
    return Problem("too-many-programs", message, "Use the same shapes and parameters more often.")


@shared(KEPT, limits.KERNELS, program_key, _too_many)
def kernel(
    name: str | GradOf,
    static: Params,
    shapes: tuple[Shape, ...],
    differentiated: tuple[int, ...],
    dtype: str,
    swept: bool = False,
) -> Kernel:
    """Compile an op for the given shapes, memoised.

    Args:
      shapes: of one sample each.
      differentiated: the slots that `pull` gives a contribution for.
      swept: whether arrays may carry a leading axis of samples: see `_along_samples`.
    Raises:
      GraphError: there is no such op, or it refuses the shapes or the parameters; the problem has no node
        yet.
    """
    shape = result_shape(name, static, shapes, dtype)
    if (number_op := _number_op(name, static, shapes, dtype)) is not None:
        passed = [number_op.contributions[slot] for slot in differentiated]
        carried = tuple([each is not None for each in passed])
        same = bool(passed) and all(each == UNCHANGED for each in passed)
        pull = pulling(number_op, dtype, differentiated)
        pull_back = pull_alone(pull) if any(carried) else pass_nothing(len(differentiated))
        return Kernel(running(number_op, dtype), pull, pull_back, shape, carried, same)
    op = known_op(name)
    _, leading = split(op, ())
    run = runner(op, static, dtype, len(leading))
    samples = [*leading, *(jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for shape in shapes)]
    slots = tuple(len(leading) + i for i in differentiated)
    carried, pull_all = carries(run, samples, slots), pull_of(run, slots)

    def pull(cotangent: jax.Array, *arguments: Any) -> tuple[jax.Array | None, ...]:
        found = pull_all(cotangent, *arguments)
        return tuple(x if has else None for x, has in zip(found, carried, strict=True))

    chosen = _options(name, [*shapes, shape], dtype)
    # The z of a grad node, which is not read, may have samples where nothing else has.
    fixed = not swept and not leading and type(name) is not GradOf
    same = bool(slots) and all(carried) and all(unchanged(pull_all, shape, dtype, samples))
    reads = reading if () in (shape, *shapes) else lambda program: program

    def run_program(axes: Axes) -> Callable:
        return reads(compiled(_mapped(run, axes), chosen, fixed))

    def pull_program(axes: Axes) -> Callable:
        return reads(compiled(_mapped(pull, axes), chosen, fixed))

    if swept:
        ranks = _ranks(name, leading, shapes)
        # Where nothing has samples, the op is that of a trace, so that a sweep need not compile it again.
        plain = partial(kernel, name, static, shapes, differentiated, dtype)
        ran = _along_samples(run_program, ranks, lambda: plain().run)
        pulled = _along_samples(pull_program, (len(shape), *ranks), lambda: plain().pull)
    else:
        ran, pulled = run_program(None), pull_program(None)
    if not any(carried):
        pull_back = pass_nothing(len(slots))
    elif same and not swept:
        pull_back = pass_unchanged(len(slots))
    else:
        pull_back = pull_alone(pulled)
    return Kernel(ran, pulled, pull_back, shape, carried, same)


def _number_op(name: str | GradOf, static: Params, shapes: tuple[Shape, ...], dtype: str) -> NumberOp | None:
    """Return the op as one of the interpreter's; None if it needs a program of its own."""
    return None if static or any(shapes) else branches(dtype).ops.get(name)


def _ranks(name: str | GradOf, leading: list, shapes: tuple[Shape, ...]) -> tuple[int | None, ...]:
    """Return for each argument of an op its number of axes for one sample; None: it has no samples."""
    ranks = [*(None for _ in leading), *map(len, shapes)]
    if type(name) is GradOf:
        ranks[len(leading) + OF] = None  # its z is not read: samples of z alone make none of the value
    return tuple(ranks)


def _along_samples(
    make: Callable[[Axes], Callable], ranks: tuple[int | None, ...], plain: Callable[[], Callable]
) -> Callable:
    """Return a program that is mapped over the samples of those arguments that carry such an axis.

    In a sweep these are the arrays that depend on the swept input. It is seen from their number of axes.

    Args:
      make: returns the program for these axes; `plain` that for no samples.
      ranks: of each argument, its number of axes for one sample.
    """
    programs: dict[tuple, Callable] = {}

    def call(*arguments: Any) -> Any:
        # The numbers of axes; run-time parameters have none.
        counts = tuple([getattr(x, "ndim", None) for x in arguments])
        if counts not in programs:
            pairs = zip(counts, ranks, strict=True)
            axes = tuple(0 if rank is not None and count > rank else None for count, rank in pairs)
            programs[counts] = make(axes) if 0 in axes else plain()
        return programs[counts](*arguments)

    return call


def _mapped(function: Callable, axes: Axes) -> Callable:
    return function if axes is None else jax.vmap(function, in_axes=axes)


@shared(TANGENTS_KEPT, limits.KERNELS, program_key, _too_many)
def tangent_kernel(
    name: str | GradOf,
    static: Params,
    shapes: tuple[Shape, ...],
    slots: tuple[int, ...],
    dtype: str,
    swept: bool = False,
) -> Callable[..., tuple[jax.Array, ...]]:
    """Compile the forward mode of an op for the given shapes, memoised.

    Args:
      shapes: of one sample each.
      swept: as of `kernel`.
    Returns:
      `push(tangents, *arguments)`: for each of `slots`, what its tangent adds to the tangent of the op's
      value. Slots that have no tangent are left out, so that no zero is multiplied by an infinite slope.
    Raises:
      GraphError: as `kernel`.
    """
    shape = result_shape(name, static, shapes, dtype)
    if (number_op := _number_op(name, static, shapes, dtype)) is not None:
        return pushing(number_op, dtype, slots)
    _, leading = split(known_op(name), ())
    places = tuple(len(leading) + slot for slot in slots)
    push = push_of(runner(known_op(name), static, dtype, len(leading)), places)

    count = len(slots)

    def program(axes: Axes) -> Callable:
        return compiled(_mapped(push, axes), _options(name, [*shapes, shape], dtype))

    def one_by_one(push: Callable) -> Callable:
        return lambda *arrays: push(arrays[:count], *arrays[count:])

    if not swept:
        called = reading(one_by_one(program(None)))
        return lambda tangents, *arguments: called(*tangents, *arguments)

    called = reading(
        _along_samples(
            lambda axes: one_by_one(program((axes[:count], *axes[count:]))),
            (*[len(shapes[slot]) for slot in slots], *_ranks(name, leading, shapes)),
            lambda: one_by_one(tangent_kernel(name, static, shapes, slots, dtype)),
        )
    )
    return lambda tangents, *arguments: called(*tangents, *arguments)


def _options(name: str | GradOf, shapes: Sequence[Shape], dtype: str) -> dict[str, Any] | None:
    """Return the compiler options for an op; `shapes` are those of its slots and of its value."""
    return rounded(ONCE if type(name) is GradOf else {} if any(shapes) else QUICK, dtype) or None
