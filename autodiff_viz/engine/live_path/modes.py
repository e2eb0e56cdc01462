"""Build reverse and forward mode of an op as plain functions, to compile alone or in a larger program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

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
