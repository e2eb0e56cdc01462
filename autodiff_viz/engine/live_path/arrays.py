"""Convert literals to JAX arrays, and JAX arrays to the NumPy arrays of a trace."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from math import prod
from typing import Any, TypeVar

import jax
import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import FLOAT16
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.model import Literal, Node, Params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import seed_fault, shape_of
from autodiff_viz.ops.params import INITIALIZERS, usual

# Draw random inputs and parameters: the numbers of `jax.random` for any shape, from a few lengths. An
# element of a draw depends only on the key and on its own position, so a draw of 100 numbers begins with
# those of any shorter draw. Compiling a program for each shape would take JAX a third of a second.


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

K = TypeVar("K")

SMALL = 1_024  # elements of an array that is copied when it is read


def _key(literal: Literal, dtype: str) -> Hashable:
    """Return a key as `identity` does, but for a number in a tenth of the time."""
    kind = type(literal)
    return (kind, literal, dtype) if literal and kind in (float, int) else (identity(literal), dtype)


@remembered(256, _key)
def constant(literal: Literal, dtype: str) -> jax.Array:
    """Return a literal as an array on the device.

    Memoised, since slots use the same few numbers again and again.
    """
    return on_device(rounded(literal, dtype))


def rounded(literal: Literal, dtype: str) -> np.ndarray:
    """Return a literal as an array; a number that is too large for the dtype becomes infinite."""
    if dtype != FLOAT16:  # all others have room for `limits.NUMBER`
        return np.asarray(literal, dtype)
    with np.errstate(over="ignore"):
        return np.asarray(literal, dtype)


def on_device(array: np.ndarray) -> jax.Array:
    """Copy a NumPy array to the device.

    For a number the compiled identity takes a fifth of the time of `asarray`. For an array the identity would
    be compiled once per shape, and so would `asarray`; `device_put` compiles nothing.
    """
    return jax.device_put(np.array(array)) if array.ndim else _identity(array)


_identity = jax.jit(lambda number: number)


@remembered(256)
def random_input(params: Params, dtype: str) -> jax.Array:
    """Draw the value of a random input or parameter.

    An `input(shape=..., seed=...)` is standard normal; a `parameter` is drawn by its initializer. The draw is
    the same in every dtype, up to its rounding.
    """
    given = dict(params)
    seed, shape = given.get("seed", 0), given["shape"]
    learned = given.get("trainable")
    drawn = initial(initializer(params), seed, shape) if learned else normal(seed, shape)
    return jax.device_put(drawn.astype(dtype))


def initializer(params: Params) -> str:
    """Return the name of a random parameter's initializer."""
    given = dict(params)
    return given.get("init") or usual(given["shape"])


def own_value(node: Node, dtype: str) -> jax.Array | np.ndarray:
    """Return the value that an input node carries itself.

    A number stays a NumPy scalar: a slider sends new numbers all the time, and passing one to a compiled op
    costs less than copying it to the device first.

    Raises:
      GraphError: a random input has more than `limits.ELEMENTS` elements or an invalid seed.
    """
    value = node.param("value")
    if isinstance(value, int | float):
        return rounded(value, dtype)
    if value is not None:
        return constant(value, dtype)
    check_draw(node)
    return random_input(node.params, dtype)


def own_shape(node: Node) -> tuple[int, ...]:
    """Return the shape of `own_value` without drawing random numbers.

    Raises:
      GraphError: as `own_value`.
    """
    value = node.param("value")
    if value is not None:
        return shape_of(value)
    check_draw(node)
    return tuple(node.param("shape"))


def check_draw(node: Node) -> None:
    """Check that the value of a random input can be drawn.

    Raises:
      GraphError: too many elements, an invalid seed, or an unknown or unsuitable initializer.
    """
    if prod(node.param("shape", ())) > limits.ELEMENTS:
        raise GraphError(too_large(node))
    if fault := seed_fault(node.param("seed", 0)):
        raise GraphError(bad_param(node.name, "seed", fault, node.name))
    if node.is_parameter and (fault := _init_fault(node)):
        raise GraphError(bad_param(node.name, "init", fault, node.name))


def _init_fault(node: Node) -> str:
    name, rank = initializer(node.params), len(node.param("shape"))
    if name not in INITIALIZERS:
        return f"is none of {', '.join(INITIALIZERS)}"
    needed = INITIALIZERS[name].rank
    return f"{name!r} needs at least {needed} axes; the shape has {rank}" if rank < needed else ""


def too_large(node: Node) -> Problem:
    """Return the problem of a random input whose shape has more elements than a tensor may have."""
    size = prod(node.param("shape"))
    message = f"{node.name!r} would have {size} elements; at most {limits.ELEMENTS}."
    return Problem("too-large", message, "Use a smaller shape.", node=node.name)


def bad_param(owner: str, param: str, fault: str, node: str | None = None) -> Problem:
    """Return the problem of an invalid parameter of a random draw, whose `owner` is an input or an op."""
    return Problem(
        "bad-param", f"The {param} of {owner!r} {fault}.", "Change it in the inspector.", node=node
    )


class Arrays(Mapping[K, np.ndarray]):
    """A read-only mapping to NumPy arrays, converted when first read.

    The conversion is lazy because a large graph has thousands of arrays and a page shows a few dozen. A
    stored `None` is a symbolic zero that was never computed; it reads as zeros of the shape `shape_of(key)`.

    A small array is copied and JAX's own one freed: that takes 2.7 KB of memory for one number, NumPy's 0.1.
    """

    def __init__(self, arrays: Mapping[K, Any], dtype: str, shape_of: Callable[[K], tuple[int, ...]]):
        self._arrays, self._dtype, self._shape_of = dict(arrays), dtype, shape_of
        self._read: dict[K, np.ndarray] = {}

    def __getitem__(self, key: K) -> np.ndarray:
        array = self._read.get(key)
        if array is None:
            array = self._read[key] = self._converted(key)
        return array

    def _converted(self, key: K) -> np.ndarray:
        stored = self._arrays[key]
        if stored is None:
            array = np.zeros(self._shape_of(key), self._dtype)
        elif stored.size <= SMALL:
            array = self._arrays[key] = np.array(stored)
        else:
            array = np.asarray(stored)
        array.flags.writeable = False
        return array

    def is_symbolic_zero(self, key: K) -> bool:
        """Return whether the array is a symbolic zero: nothing arrives, whatever the values are."""
        return self._arrays[key] is None

    def with_samples(self) -> frozenset[K]:
        """Return the keys of the arrays that carry a leading axis of samples: in a sweep, what is swept."""
        arrays = ((key, array) for key, array in self._arrays.items() if array is not None)
        return frozenset(key for key, array in arrays if array.ndim > len(self._shape_of(key)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickle and copy: arrays become NumPy arrays and symbolic zeros stay None."""
        zeros = [key for key, array in self._arrays.items() if array is None]
        shapes = {key: self._shape_of(key) for key in zeros}
        return Arrays, ({**self, **dict.fromkeys(zeros)}, self._dtype, shapes.__getitem__)

    def __iter__(self) -> Iterator[K]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        return f"Arrays({dict(self)!r})"
