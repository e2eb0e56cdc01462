"""Test draws of noise: the same seed gives the same draw, whatever the dtype; another seed, another one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.ops.catalog import OPS

NOISE = [op for op in OPS.values() if not op.slots]


@pytest.fixture(params=NOISE, ids=lambda op: op.name)
def op(request):
    return request.param


def test_same_seed_gives_same_draw(op):
    np.testing.assert_array_equal(op.apply(shape=(5,), seed=3), op.apply(shape=(5,), seed=3))


def test_another_seed_gives_another_draw(op):
    assert not np.any(op.apply(shape=(5,), seed=3) == op.apply(shape=(5,), seed=4))


def test_float64_sees_the_draw_of_float32(op):
    single = op.apply(shape=(5,), seed=3)
    with jax.enable_x64(True):
        double = op.apply(shape=(5,), seed=3, dtype=jnp.float64)
    assert (single.dtype, double.dtype) == (np.float32, np.float64)
    np.testing.assert_array_equal(single, double)


def test_new_seed_compiles_nothing(op):
    draw = jax.jit(op.apply, static_argnames=("shape", "dtype"))
    for seed in range(3):
        draw(shape=(2,), seed=seed)
    assert draw._cache_size() == 1


def test_seeds_can_be_mapped(op):
    mapped = jax.vmap(lambda seed: op.apply(shape=(2,), seed=seed))(jnp.arange(3))
    np.testing.assert_array_equal(mapped, np.stack([op.apply(shape=(2,), seed=seed) for seed in range(3)]))


def test_uniform_fills_its_range():
    draw = OPS["uniform"].apply(shape=(20_000,), low=0.9, high=1.1)
    assert 0.9 <= draw.min() < 0.9001
    assert 1.0999 < draw.max() <= 1.1
    np.testing.assert_allclose(draw.mean(), 1.0, atol=2e-3)


def test_normal_has_its_mean_and_scale():
    draw = OPS["normal"].apply(shape=(20_000,), mean=3.0, scale=0.5)
    np.testing.assert_allclose(draw.mean(), 3.0, atol=0.02)
    np.testing.assert_allclose(draw.std(), 0.5, atol=0.02)
