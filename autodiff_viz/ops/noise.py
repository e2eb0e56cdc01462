"""Define random constants. The seed is explicit: the same seed gives the same draw, in every dtype."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import DTypeLike

from autodiff_viz.ops.op import SCALAR, Op, Param

GROUP = "Noise"

SHAPE = Param("shape", "shape", SCALAR, "Shape of the draw.")
SEED = Param("seed", "seed", 0, "Whole number that decides the draw.", static=False)


def uniform(
    shape: tuple[int, ...] = SCALAR,
    low: float | Array = 0.0,
    high: float | Array = 1.0,
    seed: int | Array = 0,
    dtype: DTypeLike = jnp.float32,
) -> Array:
    """Draw from the uniform distribution on [low, high).

    Drawn in float32 whatever `dtype` is, so that a float64 check sees the same draw: in float64 it is the
    float32 draw from [0, 1), scaled to the range in float64.
    """
    if dtype == jnp.float32:
        return jax.random.uniform(jax.random.key(seed), shape, dtype, low, high)
    return low + (high - low) * jax.random.uniform(jax.random.key(seed), shape, jnp.float32).astype(dtype)


def normal(
    shape: tuple[int, ...] = SCALAR,
    mean: float | Array = 0.0,
    scale: float | Array = 1.0,
    seed: int | Array = 0,
    dtype: DTypeLike = jnp.float32,
) -> Array:
    """Draw from the normal distribution, in float32 whatever `dtype` is, as in `uniform`."""
    unit = jax.random.normal(jax.random.key(seed), shape, jnp.float32).astype(dtype)
    return jnp.asarray(mean, dtype) + jnp.asarray(scale, dtype) * unit


OPS = (
    Op(
        name="uniform",
        group=GROUP,
        symbol="U",
        doc="Random numbers, each as likely as the next, between low and high.",
        aliases=("random", "rand", "noise"),
        apply=uniform,
        source="jax.random.uniform(jax.random.key(seed), shape, jnp.float32, low, high)",
        source64=(
            "low + (high - low) * "
            "jax.random.uniform(jax.random.key(seed), shape, jnp.float32).astype(jnp.float64)"
        ),
        slots=(),
        latex=r"\mathcal{U}(<low>, <high>)",
        derivative=(),
        elementwise=False,
        examples=(
            ((), {}),
            ((), {"shape": (3,), "low": 0.9, "high": 1.1, "seed": 7}),
        ),
        params=(
            SHAPE,
            Param("low", "float", 0.0, "Smallest value.", static=False),
            Param("high", "float", 1.0, "Largest value.", static=False),
            SEED,
        ),
    ),
    Op(
        name="normal",
        group=GROUP,
        symbol="N",
        doc="Random numbers from the bell curve with a mean and a scale (standard deviation).",
        aliases=("gaussian", "randn", "random", "noise", "gauss"),
        apply=normal,
        source="mean + scale * jax.random.normal(jax.random.key(seed), shape, jnp.float32)",
        source64=(
            "mean + scale * jax.random.normal(jax.random.key(seed), shape, jnp.float32).astype(jnp.float64)"
        ),
        slots=(),
        latex=r"\mathcal{N}(<mean>, <scale>^{2})",
        derivative=(),
        elementwise=False,
        examples=(
            ((), {}),
            ((), {"shape": (2, 3), "mean": 1.0, "scale": 0.5, "seed": 7}),
        ),
        params=(
            SHAPE,
            Param("mean", "float", 0.0, "Centre of the draw.", static=False),
            Param("scale", "float", 1.0, "Standard deviation.", static=False),
            SEED,
        ),
    ),
)
