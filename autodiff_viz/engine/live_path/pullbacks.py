"""Build the pullbacks of compiled ops: the usual one, and fast paths for ops that need less."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

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
    found = parts[0]
    for part in parts[1:]:
        found = _add(found, part)
    return found


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


def pull_fused(pull: Pull, pull_sum: Callable[..., tuple[jax.Array, Contributions]]) -> PullBack:
    """Return the fast path that adds the last two contributions and pulls back in one call."""

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        if len(parts) == 1:
            return parts[0], pull(parts[0], *arguments)
        return pull_sum(total(parts[:-1]), parts[-1], *arguments)

    return pull_back


def pull_alone(pull: Pull) -> PullBack:
    """Return the pullback of an op whose contributions are summed before it is called."""

    def pull_back(parts: list[jax.Array], arguments: Sequence[Any], value: jax.Array) -> tuple:
        v = total(parts)
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
