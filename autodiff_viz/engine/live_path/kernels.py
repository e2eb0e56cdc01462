"""Compile ops: one small program per (op, parameters, shapes), shared by all graphs and all visitors.

The live path calls these one after another, so that an edit never compiles a whole graph. The pullback of a
compiled op recomputes the op inside the same program; XLA removes what the derivative does not need.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any

import jax.lib
import jax.numpy as jnp
import numpy as np
from jax import lax

from autodiff_viz.engine.live_path.op_calls import (
    known_op,
    program_key,
    result_shape,
    runner,
    split,
)
from autodiff_viz.engine.live_path.pullbacks import (
    Pull,
    PullBack,
    Slots,
    carries,
    pass_nothing,
    pass_unchanged,
    passes_unchanged,
    pull_alone,
    pull_fused,
    pull_of,
    pull_sum_of,
    push_of,
)
from autodiff_viz.engine.memo import shared
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.grad_nodes import OF
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.gradients import GradOf
from autodiff_viz.ops.misfits import Shape
from autodiff_viz.ops.op import Op

# Compile functions ahead of time, so that only their executables stay in memory. `jax.jit` keeps what it
# has lowered as long as the function: about 1 MB a program, and a server has dozens. Here the jaxpr and
# the lowered module go as soon as XLA has compiled them. Source: https://docs.jax.dev/en/latest/aot.html


def compiled(function: Callable, options: Mapping[str, Any] | None, fixed: bool = False) -> Callable:
    """Return `function` so that its first call compiles it, for the shapes and types of its arguments.

    The function must be pure. JAX cannot transform what is returned.

    Args:
      options: compiler options.
      fixed: whether each call has arguments of the same shapes and types; otherwise each new combination is
        compiled.
    """
    return _once(function, options) if fixed else _by_signature(function, options)


def _once(function: Callable, options: Mapping[str, Any] | None) -> Callable:
    program: Callable | None = None

    def call(*arguments: Any) -> Any:
        nonlocal program
        if program is None:
            program = _compile(function, options, arguments)
        return program(*arguments)

    return call


def _by_signature(function: Callable, options: Mapping[str, Any] | None) -> Callable:
    programs: dict[Hashable, Callable] = {}

    def call(*arguments: Any) -> Any:
        signature = _signature(arguments)
        program = programs.get(signature)
        if program is None:
            program = programs[signature] = _compile(function, options, arguments)
        return program(*arguments)

    return call


def _compile(function: Callable, options: Mapping[str, Any] | None, arguments: tuple) -> Callable:
    @wraps(function)
    def once(*some: Any) -> Any:
        return function(*some)

    # JAX's caches refer weakly to `once`, so what they keep of it is freed at the end.
    return jax.jit(once, compiler_options=options and {**options}).lower(*arguments).compile()


def _signature(arguments: tuple) -> Hashable:
    """Return the structure of the arguments, with each leaf's type and shape."""
    leaves, structure = jax.tree.flatten(arguments)
    return structure, tuple((getattr(leaf, "dtype", type(leaf)), np.shape(leaf)) for leaf in leaves)


# Compile one `lax.switch` over all ops that take as many numbers. An executable of XLA takes 1.3 MB
# whatever it computes, and a switch over thirty ops hardly more than one of them. The result of an op
# has the same bits as in a program of its own. Source:
# https://docs.jax.dev/en/latest/_autosummary/jax.lax.switch.html


PROGRAMS = 16  # numbers that an op takes, times dtypes

Axes = tuple[int | None, ...] | None
"""For `jax.vmap`, the axis of samples of each argument; None where nothing has one."""


class NumberPrograms:
    """Programs that are shared by all ops that take `count` numbers of a dtype, and have no parameters.

    Each is compiled when it is first used. `options` are the compiler's.
    """

    def __init__(self, count: int, dtype: str, options: dict[str, Any]):
        self._sample = jax.ShapeDtypeStruct((), jnp.dtype(dtype))
        self._samples, self._options = [self._sample] * count, options
        self._runs = {name: runner(op, (), dtype, 0) for name, op in OPS.items() if self._fits(op, dtype)}
        self._programs: dict[Hashable, tuple[list[str], Callable]] = {}

    def has(self, name: str | GradOf) -> bool:
        """Return whether the op is one of them."""
        return name in self._runs

    def run(self, name: str, axes: Axes) -> Callable[..., jax.Array]:
        """Return the op as `kernels.Kernel.run`."""
        return self._chosen(name, ("run", axes), lambda: self._runs, axes)

    def pull(self, name: str, slots: Slots, axes: Axes) -> Callable[..., tuple[jax.Array, ...]]:
        """Return the op's pullback as `kernels.Kernel.pull`, of an op that carries to all of `slots`."""
        return self._chosen(name, ("pull", slots, axes), lambda: self._pulls(slots), axes)

    def pull_sum(self, name: str, slots: Slots) -> Callable[..., tuple[jax.Array, tuple[jax.Array, ...]]]:
        """Return the op's pullback of the sum of two contributions, and that sum before it."""

        def branches() -> dict[str, Callable]:
            return {other: pull_sum_of(pull) for other, pull in self._pulls(slots).items()}

        return self._chosen(name, ("pull_sum", slots), branches, None)

    def push(self, name: str, slots: Slots, axes: tuple | None) -> Callable[..., tuple[jax.Array, ...]]:
        """Return the op's forward mode, as `kernels.tangent_kernel`."""
        return self._chosen(name, ("push", slots, axes), lambda: self._pushes(slots), axes)

    def _chosen(
        self, name: str, key: Hashable, branches: Callable[[], dict[str, Callable]], axes: tuple | None
    ) -> Callable:
        if key not in self._programs:
            named = branches()
            self._programs[key] = [*named], _switch([*named.values()], axes, self._options)
        names, program = self._programs[key]
        return partial(program, jnp.int32(names.index(name)))

    def _fits(self, op: Op, dtype: str) -> bool:
        if op.params or (not op.variadic and len(op.slots) != len(self._samples)):
            return False
        try:
            found = jax.eval_shape(runner(op, (), dtype, 0), *self._samples)
        except (TypeError, ValueError, IndexError, AssertionError):
            return False
        return (found.shape, found.dtype) == (self._sample.shape, self._sample.dtype)

    def _pulls(self, slots: Slots) -> dict[str, Callable]:
        return {
            name: pull_of(run, slots)
            for name, run in self._runs.items()
            if all(carries(run, self._samples, slots))
        }

    def _pushes(self, slots: Slots) -> dict[str, Callable]:
        return {name: push_of(run, slots) for name, run in self._runs.items()}


@remembered(PROGRAMS)
def number_programs(count: int, dtype: str, options: tuple[tuple[str, Any], ...]) -> NumberPrograms:
    """Return the programs of all ops that take `count` numbers."""
    return NumberPrograms(count, dtype, dict(options))


def _switch(branches: Sequence[Callable], axes: tuple | None, options: dict[str, Any]) -> Callable:
    """Compile `switch(index, *arguments)`; the index is one for all samples."""

    def switch(index: jax.Array, *arguments: Any) -> Any:
        def chosen(*some: Any) -> Any:
            return lax.switch(index, branches, *some)

        return (chosen if axes is None else jax.vmap(chosen, in_axes=axes))(*arguments)

    return compiled(switch, options, fixed=axes is None)


KEPT = 288  # compiled ops, a third of them on trial; each holds about 2 MB
TANGENTS_KEPT = 192  # compiled tangents, half of them on trial; each is one program, a third of that

SCALED, FITTED = "mul", "broadcast_to"
"""Ops that rules call by themselves: to scale a cotangent, and to fit a lambda's result to its wire."""

JAXLIB = tuple(map(int, jax.lib.__version__.split(".")[:3]))

QUICK = {
    **({"xla_cpu_use_fusion_emitters": False} if JAXLIB < (0, 11, 1) else {}),
    "xla_cpu_parallel_codegen_split_count": 1,
    "xla_backend_optimization_level": 3,
}
"""Compiler options for ops on numbers: less compile time, less machine code, and the same bits.

Without fusion emitters XLA takes half of the time; from jaxlib 0.11.1 on there is nothing else, and XLA
refuses the option. On tensors some ops would run slower. The level is XLA's own, set so that numbers have
these bits whatever XLA_FLAGS says: with less, tanh(10) is not rounded to 1.
"""

ONCE = {**QUICK, "xla_backend_optimization_level": 0}
"""Compiler options for programs of one graph, which few others need: faster to compile, slower to run."""

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
    unchanged = all(carried) and passes_unchanged(pull, shape, dtype, samples)
    ours = _shared_programs(name, static, shapes, dtype)
    pulls_shared = ours is not None and carried and all(carried)

    def run_program(axes: Axes) -> Callable:
        return compiled(_mapped(run, axes), chosen, fixed) if ours is None else ours.run(name, axes)

    def pull_program(axes: Axes) -> Callable:
        if pulls_shared:
            return ours.pull(name, slots, axes)
        return compiled(_mapped(pull, axes), chosen, fixed)

    if swept:
        ranks = _ranks(name, leading, shapes)
        # Where nothing has samples, the op is that of a trace, so that a sweep need not compile it again.
        plain = partial(kernel, name, static, shapes, differentiated, dtype)
        ran = _along_samples(run_program, ranks, lambda: plain().run)
        pulled = _along_samples(pull_program, (len(shape), *ranks), lambda: plain().pull)
        pull_back = pull_alone(pulled) if any(carried) else pass_nothing(len(slots))
        return Kernel(ran, pulled, pull_back, shape, carried, unchanged)
    ran, pulled = run_program(None), pull_program(None)
    if not any(carried):
        pull_back = pass_nothing(len(slots))
    elif unchanged:
        pull_back = pass_unchanged(len(slots))
    else:
        pulls = ours.pull_sum(name, slots) if pulls_shared else compiled(pull_sum_of(pull), chosen, fixed)
        pull_back = pull_fused(pulled, pulls)
    return Kernel(ran, pulled, pull_back, shape, carried, unchanged)


def _shared_programs(
    name: str | GradOf, static: Params, shapes: tuple[Shape, ...], dtype: str
) -> NumberPrograms | None:
    """Return the programs that the op shares with others; None if it needs its own."""
    if static or any(shapes):
        return None
    found = number_programs(len(shapes), dtype, tuple(rounded(QUICK, dtype).items()))
    return found if found.has(name) else None


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
        counts = tuple(
            [getattr(x, "ndim", None) for x in arguments]
        )  # of axes; run-time parameters have none
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
    _, leading = split(known_op(name), ())
    ours = _shared_programs(name, static, shapes, dtype)
    places = tuple(len(leading) + slot for slot in slots)
    push = push_of(runner(known_op(name), static, dtype, len(leading)), places)

    def program(axes: Axes) -> Callable:
        if ours is not None:
            return ours.push(name, slots, axes)
        return compiled(_mapped(push, axes), _options(name, [*shapes, shape], dtype))

    if not swept:
        return program(None)
    count = len(slots)

    def one_by_one(push: Callable) -> Callable:
        return lambda *arrays: push(arrays[:count], *arrays[count:])

    called = _along_samples(
        lambda axes: one_by_one(program((axes[:count], *axes[count:]))),
        (*[len(shapes[slot]) for slot in slots], *_ranks(name, leading, shapes)),
        lambda: one_by_one(tangent_kernel(name, static, shapes, slots, dtype)),
    )
    return lambda tangents, *arguments: called(*tangents, *arguments)


def _options(name: str | GradOf, shapes: Sequence[Shape], dtype: str) -> dict[str, Any] | None:
    """Return the compiler options for an op; `shapes` are those of its slots and of its value."""
    return rounded(ONCE if type(name) is GradOf else {} if any(shapes) else QUICK, dtype) or None


def rounded(options: dict[str, Any], dtype: str) -> dict[str, Any]:
    """Return compiler options with what the dtype needs."""
    return {**options, **ROUNDED} if DTYPES[dtype].half else options
