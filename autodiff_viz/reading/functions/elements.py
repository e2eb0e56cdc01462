"""Compute functions of elements as PyTorch and TensorFlow do, in JAX: activations, limits, products.

Where both libraries agree they share a function. A slope that is another than JAX's stands beside the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.functions.known_functions import op
from autodiff_viz.reading.functions.library_calls import say
from autodiff_viz.reading.language.values import Refused

Slopes = Callable[..., jax.Array | tuple[jax.Array, ...]]


def with_slopes(
    value: Callable[..., jax.Array], slopes: Slopes, *arrays: jax.Array, chosen: bool = False
) -> jax.Array:
    """Return a value of arrays, whose slope by each of them is given.

    Args:
      slopes: returns the slopes, or where all that arrives is passed if this is `chosen`, and nothing
        elsewhere.
    """

    def moved(given: tuple, tangents: tuple) -> tuple:
        found = slopes(*given)
        pairs = zip(tangents, found if isinstance(found, tuple) else (found,), strict=True)
        return value(*given), sum(jnp.where(one, t, 0.0) if chosen else t * one for t, one in pairs)

    held = jax.custom_jvp(lambda *given: value(*given))  # so that it is never taken for JAX's own function
    held.defjvp(moved)
    return held(*(jnp.broadcast_arrays(*arrays) if len(arrays) > 1 else arrays))


# Activations.


def elu(x: jax.Array, alpha: float = 1.0, inside: float = 1.0) -> jax.Array:
    """Return x above 0 and alpha (exp(x / inside) - 1) below."""

    def value(x: jax.Array) -> jax.Array:
        return jnp.where(x > 0.0, x, alpha * jnp.expm1(jnp.minimum(x, 0.0) / inside))

    def slope(x: jax.Array) -> jax.Array:
        return jnp.where(x <= 0.0, alpha / inside * jnp.exp(jnp.minimum(x, 0.0) / inside), 1.0)

    return with_slopes(value, slope, x)


SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772  # of selu


def leaky_relu(x: jax.Array, slope: float | jax.Array) -> jax.Array:
    """Return x above 0 and less of it below; the slope at 0 is the small one."""
    return jnp.where(x > 0.0, x, slope * x)


def between(x: jax.Array, low: float, high: float) -> jax.Array:
    """Return x between two numbers, which pass nothing themselves."""
    return with_slopes(
        lambda x: jnp.clip(x, low, high), lambda x: ~((x <= low) | (x >= high)), x, chosen=True
    )


# Limits and lengths.


def absolute(x: jax.Array) -> jax.Array:
    """Return |x|, whose slope at 0 is 0."""
    say("the slope of abs at 0 is 0 here; JAX's is 1")
    return with_slopes(jnp.abs, jnp.sign, x)


def at_least(x: jax.Array, low: float) -> jax.Array:
    """Return x, or a number where that is larger; where both are equal, all of the gradient passes."""
    return with_slopes(lambda x: jnp.maximum(x, low), lambda x: x >= low, x, chosen=True)


def clip_by_value(t: jax.Array, low: float | jax.Array, high: float | jax.Array) -> jax.Array:
    """Return numbers within limits, of which the lower one counts more; at its ends TensorFlow passes all."""
    say("TensorFlow passes everything at the ends of clip_by_value; JAX half")
    if not isinstance(low, float) or not isinstance(high, float):

        def slopes(x: jax.Array, low: jax.Array, high: jax.Array) -> tuple[jax.Array, ...]:
            return (x >= low) & (x <= high), x < low, x > high

        return with_slopes(
            lambda x, low, high: jnp.maximum(jnp.minimum(x, high), low), slopes, t, low, high, chosen=True
        )

    def value(x: jax.Array) -> jax.Array:
        return jnp.clip(x, low, high) if low <= high else jnp.maximum(jnp.minimum(x, high), low)

    return with_slopes(value, lambda x: (x >= low) & (x <= high), t, chosen=True)


def lifted(x: jax.Array, low: float) -> jax.Array:
    """Return x, or a number where that is larger, which is set on the numbers: all of the gradient passes."""
    return with_slopes(lambda x: jnp.maximum(x, low), jnp.ones_like, x)


def root(x: jax.Array) -> jax.Array:
    """Return a square root that passes 0 where it is 0."""

    def slope(x: jax.Array) -> jax.Array:
        made = jnp.sqrt(x)
        return jnp.where(jnp.abs(made) > 0.0, 0.5 / made, made)

    return with_slopes(jnp.sqrt, slope, x)


def quiet(value: Callable[[jax.Array], jax.Array], slope: Callable[[jax.Array], jax.Array], x: jax.Array):
    """Return a value that passes 0 where 0 arrives, whatever its slope is there."""
    held = jax.custom_vjp(lambda x: value(x))
    held.defvjp(lambda x: (value(x), x), lambda x, v: (jnp.where(v != 0.0, v * slope(x), 0.0),))
    return held(x)


def norm(x: jax.Array, p: Any = 2, axis: Any = None, keepdims: bool = False) -> jax.Array:
    """Return the norms of arrays along axes; that of Euclid passes 0 where it is 0."""
    axis = tuple(axis) if isinstance(axis, list) else axis
    if p in (None, 2, "fro"):
        say("at 0 this passes 0 here; JAX's is NaN")
        return root(jnp.square(x).sum(axis, keepdims=keepdims))
    if p in (1, math.inf, -math.inf):
        fold = {1: jnp.sum, math.inf: jnp.max, -math.inf: jnp.min}[p]
        return fold(absolute(x), axis, keepdims=keepdims)
    if not isinstance(p, (int, float)) or p <= 2:
        raise Refused(f"The norm of order {p} is not read.", "Write it out, such as x.abs().sum().")
    total = jnp.power(absolute(x), float(p)).sum(axis, keepdims=keepdims)
    return jnp.where(total > 0.0, jnp.power(jnp.where(total > 0.0, total, 1.0), 1.0 / p), 0.0)


# Functions of two arrays, and others.


def without_0(value: Callable[..., jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
    """Return a value of two arrays that is 0, with no gradient, where the first is 0."""
    some = x != 0.0
    return value(jnp.where(some, x, 0.0), jnp.where(some, y, 1.0))


def xlogy(input: jax.Array, other: jax.Array) -> jax.Array:
    """Return x log y, which is 0 for x = 0 and has the slope log y there too."""

    def value(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.where((x == 0.0) & (y == y), 0.0, x * jnp.log(y))

    def slopes(x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.where((x == 0.0) & (y <= 0.0), 0.0, jnp.log(y)), x / y

    return with_slopes(value, slopes, input, other)


def arctan2(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return the angle of a point, which passes 0 at (0, 0)."""

    def slopes(a: jax.Array, b: jax.Array) -> tuple[jax.Array, jax.Array]:
        total = a * a + b * b
        safe = jnp.where(total > 0.0, total, 1.0)
        return b / safe, -a / safe

    return with_slopes(jnp.arctan2, slopes, a, b)


def hypot(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return the length of a hypotenuse, which passes NaN at (0, 0)."""
    return with_slopes(jnp.hypot, lambda a, b: (a / jnp.hypot(a, b), b / jnp.hypot(a, b)), a, b)


def logaddexp(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return log(exp(a) + exp(b)), which passes NaN of two infinities."""
    return with_slopes(
        jnp.logaddexp, lambda a, b: (1.0 / (1.0 + jnp.exp(b - a)), 1.0 / (1.0 + jnp.exp(a - b))), a, b
    )


def fmod(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return a rest with the sign of a; NaN where a / b is too large for a float."""

    def value(a: jax.Array, b: jax.Array) -> jax.Array:
        rest = jnp.sign(a) * op("remainder", jnp.abs(a), jnp.abs(b))
        large = (jnp.abs(a / b) == jnp.inf) & (jnp.abs(a) < jnp.inf)
        return jnp.where(large, jnp.nan, rest)

    def slopes(a: jax.Array, b: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.ones_like(a), -jnp.sign(a / b) * jnp.floor(jnp.abs(a / b))

    return with_slopes(value, slopes, *(jnp.asarray(one, jnp.result_type(a, b)) for one in (a, b)))


def power(x: jax.Array, p: jax.Array) -> jax.Array:
    """Return x ** p, with the slope 0 for p = 0, and of 0 ** p by p."""

    def slopes(x: jax.Array, p: jax.Array) -> tuple[jax.Array, jax.Array]:
        by_x = jnp.where(p == 0.0, 0.0, p * x ** jnp.where(p == 0.0, 0.0, p - 1.0))
        return by_x, jnp.where((x == 0.0) & (p >= 0.0), 0.0, x**p * jnp.log(x))

    return with_slopes(jnp.power, slopes, x, p)


def logit(x: jax.Array) -> jax.Array:
    """Return log(x / (1 - x)), whose slope at both ends is infinite and outside of them NaN."""

    def slope(x: jax.Array) -> jax.Array:
        inside = jnp.where((x == 0.0) | (x == 1.0), jnp.inf, 1.0 / (x * (1.0 - x)))
        return jnp.where((x < 0.0) | (x > 1.0), jnp.nan, inside)

    return with_slopes(lambda x: jnp.log(x) - jnp.log1p(-x), slope, x)


def sinc(input: jax.Array) -> jax.Array:
    """Return sin(pi x) / (pi x), which is 1 at 0."""

    def value(x: jax.Array) -> jax.Array:
        turn = math.pi * jnp.where(x == 0.0, 1.0, x)
        return jnp.where(x == 0.0, 1.0, jnp.sin(turn) / turn)

    def slope(x: jax.Array) -> jax.Array:
        turn, square = math.pi * x, math.pi * x * x
        rise, flat = turn * jnp.cos(turn) - jnp.sin(turn), square == 0.0
        return jnp.where(flat, 0.0, rise / jnp.where(flat, 1.0, square))

    return with_slopes(value, slope, input)


def nan_to_num(
    input: jax.Array, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> jax.Array:
    """Return numbers for NaN and infinities."""
    if not jnp.issubdtype(input.dtype, jnp.floating):
        return input
    largest = float(jnp.finfo(input.dtype).max)
    low, high = -largest if neginf is None else neginf, largest if posinf is None else posinf
    finite = jnp.where(input == jnp.inf, high, jnp.where(input == -jnp.inf, low, input))
    return jnp.where(input != input, nan, finite)
