"""Ask JAX where a derivative is a symbolic zero: probes of its own say what arrives at them.

Nothing is computed. JAX decides what it passes while it traces.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

Arrays = Mapping[Hashable, Any]


def arrives(function: Callable[[dict], jax.Array], arrays: Arrays) -> set[Hashable]:
    """The arrays at which a cotangent arrives in `jax.vjp` of a function of a dict of them."""
    found: set[Hashable] = set()

    def probe(key: Hashable, array: jax.Array) -> jax.Array:
        @jax.custom_vjp
        def identity(x: jax.Array) -> jax.Array:
            return x

        def pull(_: None, v: jax.Array) -> tuple[jax.Array]:  # JAX calls it only if something arrives
            found.add(key)
            return (v,)

        identity.defvjp(lambda x: (x, None), pull)
        return identity(array)

    def differentiated(values: list[jax.Array]) -> Any:
        def probed(values: list[jax.Array]) -> jax.Array:
            return function({key: probe(key, value) for key, value in zip(arrays, values, strict=True)})

        value, pull = jax.vjp(probed, values)
        return pull(jnp.ones_like(value))

    jax.eval_shape(differentiated, list(arrays.values()))
    return found


def moves(function: Callable[..., jax.Array], arrays: list[Any], slot: int) -> bool:
    """Whether `jax.jvp` of a function gives its value a tangent if one argument has one."""
    found = []

    @jax.custom_jvp
    def probe(x: jax.Array) -> jax.Array:
        return x

    def rule(primals: tuple, tangents: tuple) -> tuple:
        found.append(not isinstance(tangents[0], SymbolicZero))
        return primals[0], tangents[0]

    probe.defjvp(rule, symbolic_zeros=True)

    def pushed(*arrays: jax.Array) -> Any:
        def of_slot(array: jax.Array) -> jax.Array:
            return probe(function(*arrays[:slot], array, *arrays[slot + 1 :]))

        return jax.jvp(of_slot, (arrays[slot],), (arrays[slot],))

    jax.eval_shape(pushed, *arrays)
    return any(found)
