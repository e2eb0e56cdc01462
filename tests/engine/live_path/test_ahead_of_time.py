"""Check that functions compiled ahead of time give JAX's numbers, and that what was traced is freed."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.engine.live_path.compiling import QUICK, compiled


def tripled(x: jax.Array, y: jax.Array) -> jax.Array:
    return 3 * x + y


@pytest.mark.parametrize("options", [None, QUICK])
@pytest.mark.parametrize("fixed", [True, False])
def test_a_function_gives_what_it_gives_uncompiled(fixed: bool, options: dict | None) -> None:
    found = compiled(tripled, options, fixed)
    for x, y in ((2.0, 0.5), (-1.0, 4.0)):
        assert float(found(jnp.float32(x), jnp.float32(y))) == 3 * x + y


def test_other_shapes_dtypes_and_types_are_compiled_anew() -> None:
    traced = []

    def counted(scale: dict[str, float], x: jax.Array) -> jax.Array:
        traced.append(x.shape)
        return scale["by"] * x

    found = compiled(counted, None)
    for x in (np.ones(2, np.float32), np.ones(3, np.float32), np.ones(2, np.float16)):
        for by in (2.0, 2):
            for _ in range(2):
                assert np.array_equal(found({"by": by}, x), 2 * x)
                assert found({"by": by}, x).dtype == x.dtype
    assert len(traced) == 6


def test_fixed_shapes_are_held() -> None:
    found = compiled(tripled, None, fixed=True)
    found(jnp.zeros(2), jnp.zeros(2))
    with pytest.raises(TypeError):
        found(jnp.zeros(3), jnp.zeros(3))


def kept_of_the_trace(compiling: Callable[[Callable], Callable]) -> object:
    """Return what is left of an object that is a part of the traced program, once the program has run."""
    parts: list[weakref.ref] = []

    def traced(x: jax.Array) -> jax.Array:
        def rule(values: tuple, tangents: tuple) -> tuple:
            return values[0] ** 2, tangents[0]

        own = jax.custom_jvp(lambda y: y * y)
        own.defjvp(rule)
        parts.append(weakref.ref(rule))
        return own(x)

    found = compiling(traced)
    assert float(found(jnp.float32(3.0))) == 9.0
    gc.collect()
    assert len(parts) == 1
    assert float(found(jnp.float32(2.0))) == 4.0
    return parts[0]()


def test_the_traced_program_is_freed() -> None:
    assert kept_of_the_trace(jax.jit) is not None, "jax.jit keeps it, else this test says nothing"
    assert kept_of_the_trace(lambda function: compiled(function, None)) is None
    assert kept_of_the_trace(lambda function: compiled(function, None, fixed=True)) is None
