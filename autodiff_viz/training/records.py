"""Hold what training steps record: one named record, of a single step or of many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.shown import Shown


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Records(Shown):
    """Numbers of some consecutive steps, as arrays with one row per step.

    Attributes:
      nodes: names of the columns of `value`, `cotangent` and `dead`.
      parameters: names of the columns of `ratio`.
      first: number of the first step; 0 is the one before any update.
      loss: before the step's update.
      value, cotangent: Euclidean norm of each node's value and of the cotangent that arrives there; NaN for
        the cotangent of data, and of nodes computed from data alone, which training does not compute.
      dead: share of a node's units that are 0 for every example; a unit is an element behind the first axis.
      ratio: by parameter, norm of the update over norm of the parameter.
      scale: the loss scale, 1 without one. Norms of cotangents are divided by it.
      skipped: whether the step was skipped, since its gradient was not finite; only with a loss scale.
    """

    # For JAX the arrays are the leaves of a tree: a step makes the record of one row, without its axis, and
    # what is done to all rows (to stack, cut or join them) is a `jax.tree.map`.
    nodes: tuple[str, ...] = field(metadata={"static": True})
    parameters: tuple[str, ...] = field(metadata={"static": True})
    first: int = field(metadata={"static": True})
    loss: np.ndarray
    value: np.ndarray
    cotangent: np.ndarray
    dead: np.ndarray
    ratio: np.ndarray
    scale: np.ndarray
    skipped: np.ndarray

    def __len__(self) -> int:
        return len(self.loss)


def record_dtype(dtype: str) -> str:
    """Return the dtype of a training's record: float32 for 16 bits, whose squares overflow at once."""
    return FLOAT32 if DTYPES[dtype].half else dtype


def norm(array: Any, kind: str, xp: Any = jnp) -> Any:
    """Return the Euclidean norm of an array, computed in the dtype `kind` by `jax.numpy` or `numpy`."""
    return xp.sqrt(xp.sum(xp.square(array.astype(kind))))


def dead_share(value: Any, kind: str, xp: Any = jnp) -> Any:
    """Return the share of units that are 0 in every example, as `norm` does."""
    silent = xp.all(value == 0, axis=0) if value.ndim > 1 else value == 0
    return xp.mean(silent, dtype=kind)


def update_ratio(update: jax.Array, parameter: jax.Array, kind: str) -> jax.Array:
    """Return the norm of an update over that of its parameter; 0 for a parameter of zeros."""
    size = norm(parameter, kind)
    return jnp.where(size > 0, norm(update, kind) / size, 0.0)


def stacked(rows: list[Records]) -> Records:
    """Return the records of single steps as those of all."""
    return jax.tree.map(lambda *arrays: np.stack(arrays), *rows)


def as_row(record: Records) -> jax.Array:
    """Return all numbers of a step's record as one array, which comes from the device at once."""
    kind = record.loss.dtype
    return jnp.concatenate([jnp.ravel(array).astype(kind) for array in jax.tree.leaves(record)])


def from_rows(rows: np.ndarray, like: Records) -> Records:
    """Return the records of steps from their rows; `like` has the shapes and dtypes of one."""
    arrays, structure = jax.tree.flatten(like)
    ends = np.cumsum([array.size for array in arrays])[:-1]
    parts = zip(np.split(rows, ends, axis=1), arrays, strict=True)
    return structure.unflatten(part.reshape(-1, *each.shape).astype(each.dtype) for part, each in parts)
