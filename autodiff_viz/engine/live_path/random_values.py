"""Draw random inputs and parameters: the numbers of `jax.random` for any shape, from a few lengths.

An element of a draw depends only on the key and on its own position, so a draw of 100 numbers begins with
those of any shorter draw. Compiling a program for each shape would take JAX a third of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

import jax
import numpy as np

from autodiff_viz.ops.initializers import INITIALIZERS

Shape = tuple[int, ...]

SHORTEST = 16  # numbers; longer draws have a power of two times as many
CUT = np.float32(0.87962566103423978)  # standard deviation of a standard normal truncated at 2


def normal(seed: int, shape: Shape) -> np.ndarray:
    """Return `jax.random.normal` of this key and shape, in float32."""
    return _drawn(_normal, seed, shape)


def initial(name: str, seed: int, shape: Shape) -> np.ndarray:
    """Return a draw of the initializer of that name in `jax.nn.initializers`, in float32."""
    if name not in _SCALES:
        return np.asarray(INITIALIZERS[name].draw(jax.random.key(seed), shape, "float32"))
    draw, scale = _SCALES[name]
    return _drawn(draw, seed, shape) * scale(shape)


def _drawn(draw: Callable[..., jax.Array], seed: int, shape: Shape) -> np.ndarray:
    count, length = prod(shape), SHORTEST
    while length < count:
        length *= 2
    return np.asarray(draw(jax.random.key(seed), length))[:count].reshape(shape)


def _normal(key: jax.Array, length: int) -> jax.Array:
    return jax.random.normal(key, (length,), "float32")


def _cut_normal(key: jax.Array, length: int) -> jax.Array:
    return jax.random.truncated_normal(key, -2, 2, (length,), "float32")


def _even_around_0(key: jax.Array, length: int) -> jax.Array:
    return jax.random.uniform(key, (length,), "float32", -1)


def _whole(name: str) -> tuple[Callable, Callable]:
    """Return JAX's own draw of an initializer whose scale no shape changes: it may scale inside."""
    return lambda key, length: INITIALIZERS[name].draw(key, (length,), "float32"), lambda shape: np.float32(1)


def _constant(value: float) -> tuple[Callable, Callable]:
    return lambda key, length: np.ones(length, np.float32), lambda shape: np.float32(value)


def _inputs(shape: Shape) -> float:
    return prod(shape) / shape[-1]


def _inputs_and_outputs(shape: Shape) -> float:
    """Return the mean of the numbers of inputs and outputs."""
    return (prod(shape) / shape[-1] + prod(shape) / shape[-2]) / 2


def _by(draw: Callable, scale: float, count: Callable[[Shape], float]) -> tuple[Callable, Callable]:
    """Return a draw and its deviation, for a variance of `scale` / `count`."""

    def deviation(shape: Shape) -> np.float32:
        variance = np.float32(scale / count(shape))
        return np.sqrt(variance) / CUT if draw is _cut_normal else np.sqrt(np.float32(3) * variance)

    return draw, deviation


_SCALES: Mapping[str, tuple[Callable, Callable[[Shape], np.float32]]] = {
    "zeros": _constant(0.0),
    "ones": _constant(1.0),
    "normal": _whole("normal"),
    "uniform": _whole("uniform"),
    "lecun_normal": _by(_cut_normal, 1.0, _inputs),
    "lecun_uniform": _by(_even_around_0, 1.0, _inputs),
    "glorot_normal": _by(_cut_normal, 1.0, _inputs_and_outputs),
    "glorot_uniform": _by(_even_around_0, 1.0, _inputs_and_outputs),
    "he_normal": _by(_cut_normal, 2.0, _inputs),
    "he_uniform": _by(_even_around_0, 2.0, _inputs),
}
"""By name, the draw and the factor for it. Initializers of other names are drawn by JAX itself."""
