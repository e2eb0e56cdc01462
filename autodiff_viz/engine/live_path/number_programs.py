"""Compile one `lax.switch` over all ops that take as many numbers.

An executable of XLA takes 1.3 MB whatever it computes, and a switch over thirty ops hardly more than one of
them. The result of an op has the same bits as in a program of its own.

Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.switch.html
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autodiff_viz.engine.live_path.ahead_of_time import compiled
from autodiff_viz.engine.live_path.modes import Slots, pull_of, pull_sum_of, push_of
from autodiff_viz.engine.live_path.op_calls import runner
from autodiff_viz.engine.live_path.pullback_jaxprs import carries
from autodiff_viz.graph.identity import remembered
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.pullback_ops import PullbackOf
from autodiff_viz.ops.record import Op

KEPT = 16  # numbers that an op takes, times dtypes

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

    def has(self, name: str | PullbackOf) -> bool:
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


@remembered(KEPT)
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
