"""Define dropout."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from autodiff_viz.ops.layers import GROUP
from autodiff_viz.ops.record import Op, Param


def dropout(x: Array, rate: ArrayLike = 0.5, seed: ArrayLike = 0, keep: ArrayLike | None = None) -> Array:
    """Set each element to 0 with probability `rate` and divide the others by 1 - rate.

    `keep` is 1 - rate where it is known: float32 has lost its digits for a rate near 1. The mask is drawn in
    float32 whatever the dtype is, so that every dtype has the same draw.

    Source: Srivastava et al., Dropout, JMLR 15 (2014).
    """
    keep = 1.0 - rate if keep is None else keep
    kept = jax.random.bernoulli(jax.random.key(seed), jnp.asarray(keep, jnp.float32), x.shape)
    keep = jnp.asarray(keep, x.dtype)
    return jnp.where(kept, x, 0.0) / jnp.where(keep > 0, keep, 1.0)


def _prepared(given: dict[str, Any]) -> dict[str, Any]:
    return {"keep": 1.0 - given["rate"], "seed": given["seed"]}


OPS = (
    Op(
        name="dropout",
        group=GROUP,
        symbol="drop",
        doc="Some elements set to 0 by chance, the others made larger to make up for it.",
        aliases=("noise", "regularize"),
        apply=dropout,
        source=(
            "(lambda a, keep: jnp.where(jax.random.bernoulli("
            "jax.random.key(seed), jnp.float32(keep), a.shape), a, 0.0) / (keep or 1.0))(x, 1.0 - rate)"
        ),
        slots=("x",),
        latex=r"\operatorname{dropout}_{<rate>,\,<seed>}(<x>)",
        derivative=(r"\frac{\bar y}{1 - <rate>} \text{ where } <x> \text{ was kept, else } 0",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((2, 3),), {}),
            (((3, 4),), {"rate": 0.25, "seed": 7}),
        ),
        params=(
            Param("rate", "float", 0.5, "Share of the elements that are set to 0.", static=False),
            Param("seed", "seed", 0, "Whole number that decides which.", static=False),
        ),
        prepared=_prepared,
    ),
)
