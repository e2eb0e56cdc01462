"""Test statistics of random programs with noise, against NumPy's moments of draws by plain JAX."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from hypothesis import given, settings

import autodiff_viz as av
from tests.engine.references.random_programs import Program, programs

DRAWS, OTHERS = 2_000, 8_000  # of `statistics`, and by plain JAX
SIGMAS = 5.0  # standard errors; passed by chance in 99.99994 % of all cases
ROUNDING = 1e-5  # of the size of the draws, for cotangents that do not vary


def units(key: jax.Array) -> dict[str, jax.Array]:
    """The unit draws of all kinds of noise and both seeds, with one key for each seed, as in a graph."""
    kinds = {"normal": jax.random.normal, "uniform": jax.random.uniform, "dropout": jax.random.uniform}
    return {
        f"{kind} {seed}": draw(jax.random.fold_in(key, seed), (2,))
        for kind, draw in kinds.items()
        for seed in (1, 2)
    }


def test_kinds_of_noise_with_one_seed_are_one_draw_here_as_in_a_graph():
    """A graph draws by `jax.random.key(seed)`, whatever the op: `uniform` is in the order of `normal`."""
    text = "n = normal(shape=(2,), seed=1)\nu = uniform(shape=(2,), seed=1)\ny = sum(n * u)"
    graph = av.trace(av.parse(text))
    for seed in range(20):
        here = units(jax.random.key(seed))
        assert (here["normal 1"][0] < here["normal 1"][1]) == (here["uniform 1"][0] < here["uniform 1"][1])
    assert (graph.value["n"][0] < graph.value["n"][1]) == (graph.value["u"][0] < graph.value["u"][1])


def drawn(program: Program) -> dict[str, np.ndarray]:
    """The gradients of many draws, by plain JAX."""

    def one(key: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jax.grad(program.run, argnums=(0, 1))(*program.inputs, units(key))

    keys = jax.random.split(jax.random.key(20261123), OTHERS)
    return dict(zip("xw", map(np.float64, jax.jit(jax.vmap(one))(keys)), strict=True))


def check(program: Program) -> None:
    found = av.statistics(av.parse(program.text), DRAWS)
    for name, draws in drawn(program).items():
        mean, variance = np.mean(draws, axis=0), np.var(draws, axis=0, ddof=1)
        fourth = np.mean((draws - mean) ** 4, axis=0)
        rounding = ROUNDING * (1e-2 + np.abs(draws).max(axis=0))
        error = np.sqrt(variance / DRAWS + variance / OTHERS)
        assert np.all(np.abs(found.mean[name] - mean) <= SIGMAS * error + rounding), name
        # Of two numbers that are as likely the first term is 0: see the variance of a sample variance.
        spread = np.sqrt(
            np.maximum(fourth - variance**2, 0.0) * (1 / DRAWS + 1 / OTHERS)
            + 2 * variance**2 * (1 / DRAWS**2 + 1 / OTHERS**2)
        )
        allowed = SIGMAS * spread + rounding * np.sqrt(variance) + rounding**2
        assert np.all(np.abs(found.variance[name] - variance) <= allowed), name
        np.testing.assert_allclose(found.error[name] ** 2 * DRAWS, found.variance[name], rtol=1e-6)


@pytest.mark.nightly
@settings(max_examples=6, deadline=None)
@given(program=programs(noise=True))
def test_mean_and_variance_are_those_of_plain_jax_with_other_keys(program):
    check(program)


@pytest.mark.nightly
@settings(max_examples=150, deadline=None)
@given(program=programs(noise=True))
def test_so_are_those_of_many_programs(program):
    check(program)
