"""Train in mixed precision: parameters in float32, both passes in 16 bits, and a loss scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.graph.registries.dtypes import DTYPES, FLOAT32

LEAST, MOST = 1.0, 2.0**24  # of a loss scale that changes by itself


class Scaling(NamedTuple):
    """State of the loss scale.

    Attributes:
      scale: the seed of the next step's backward pass.
      good: steps with finite gradients since the scale changed or a step was skipped.
      first: the setting that it began with.
    """

    scale: Any
    good: Any
    first: float


def is_mixed(loss_scale: float | None, dtype: str) -> bool:
    """Return whether parameters are float32 while the pass is in 16 bits: given any loss scale, also 1."""
    return loss_scale is not None and DTYPES[dtype].half


def parameter_dtype(loss_scale: float | None, dtype: str) -> str:
    """Return the dtype of parameters and of the optimiser's state: float32 in mixed precision."""
    return FLOAT32 if is_mixed(loss_scale, dtype) else dtype


def scaling_of(was: Scaling | None, loss_scale: float | None, interval: int, dtype: str) -> Scaling | None:
    """Return the state of the loss scale under these settings; None without one.

    A scale that changes by itself goes on where it was, unless the setting has changed.
    """
    if not is_mixed(loss_scale, dtype):
        return None
    if was is not None and was.first == loss_scale and (interval or float(was.scale) == loss_scale):
        return was
    return Scaling(np.float32(loss_scale), np.int32(0), loss_scale)


def in_dtype(parameters: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """Return the parameters rounded to the dtype of the pass; what is too large for it becomes infinite."""
    with np.errstate(over="ignore"):
        return {
            name: array if array.dtype == dtype else np.asarray(array).astype(dtype)
            for name, array in parameters.items()
        }


def seed_of(scaling: Scaling | None, dtype: str) -> np.ndarray | None:
    """Return the seed of a backward pass: the loss scale, as the dtype has it; None without a loss scale."""
    if scaling is None:
        return None
    with np.errstate(over="ignore"):
        return np.asarray(scaling.scale).astype(dtype)


def unscaled(gradient: Any, seed: Any) -> jax.Array:
    """Return a gradient of the scaled loss, divided in float32 by the seed that it was computed with."""
    return jnp.asarray(gradient).astype(FLOAT32) / jnp.asarray(seed).astype(FLOAT32)


def all_finite(arrays: Any) -> jax.Array:
    """Return whether all numbers of all these arrays are finite."""
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(array)) for array in jax.tree.leaves(arrays)]))


def next_scale(scale: Any, good: Any, finite: Any, interval: Any) -> tuple[jax.Array, jax.Array]:
    """Return (scale, good steps) after a step; with `interval` 0 the scale stays as it is.

    Otherwise it is halved by a step whose gradients are not finite, down to `LEAST`, and doubled after
    `interval` finite ones in a row, up to `MOST`.

    Source: P. Micikevicius et al., "Mixed Precision Training", 2018, arXiv:1710.03740, section 3.2; halving
    and doubling with an interval as `torch.amp.GradScaler` and `jmp.DynamicLossScale` do.
    """
    good = jnp.where(finite, good + 1, 0)
    grows = (interval > 0) & (good >= interval)
    smaller = jnp.where(interval > 0, jnp.maximum(scale / 2, LEAST), scale)
    larger = jnp.where(grows, jnp.minimum(scale * 2, MOST), scale)
    return jnp.where(finite, larger, smaller), jnp.where(grows, 0, good).astype(jnp.int32)
