"""List JAX functions with arguments, whose values and gradients JAX itself says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

_draw = np.random.default_rng(0)

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def some(*shape: int) -> np.ndarray:
    """A draw of a shape, in float32."""
    return _draw.normal(size=shape).astype("float32")


def case(*args: Any) -> Callable[[Callable], Callable]:
    def add(function: Callable) -> Callable:
        CASES[function.__name__] = function, args
        return function

    return add


@case({"w1": some(3, 4), "b1": some(4), "w2": some(4, 2)}, some(5, 3), some(5, 2))
def mlp(params, x, y):
    h = jnp.tanh(x @ params["w1"] + params["b1"])
    out = h @ params["w2"]
    return jnp.mean((out - y) ** 2)


@case({name: some(4, 4) for name in "qkvo"}, some(1, 5, 4))
def attention(p, x):
    def heads(a):
        return a.reshape(1, 5, 2, 2).transpose(0, 2, 1, 3)

    q, k, v = heads(x @ p["q"]), heads(x @ p["k"]), heads(x @ p["v"])
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(2.0)
    mask = jnp.tril(jnp.ones((5, 5), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf))
    out = jnp.einsum("bhqk,bhkd->bhqd", weights, v).transpose(0, 2, 1, 3).reshape(1, 5, 4)
    return jnp.mean((out @ p["o"]) ** 2)


@case(some(4, 5), some(5), some(5))
def layer_norm(x, scale, bias):
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.var(x, -1, keepdims=True)
    return jnp.sum(jnp.sin((x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias))


@case(some(1, 2, 5, 5), some(3, 2, 3, 3))
def conv_first(x, w):
    """Channels first, with a padding that is neither SAME nor VALID."""
    return jnp.sum(lax.conv_general_dilated(x, w, (1, 1), ((2, 1), (0, 1))) ** 2)


@case(some(1, 6, 6, 2), some(3, 3, 2, 3))
def conv_last(x, w):
    y = lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jnp.sum(jnp.tanh(y))


@case(some(1, 4, 4, 2))
def pools(x):
    sides = (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
    return jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, *sides) ** 2) + jnp.sum(
        lax.reduce_window(x, 0.0, lax.add, *sides) ** 2
    )


def _rnn(p, xs):
    def step(h, x):
        h = jnp.tanh(h @ p["w"] + x @ p["u"])
        return h, h[0]

    h, firsts = lax.scan(step, jnp.zeros(2), xs)
    return jnp.sum(h) + jnp.sum(firsts**2)


@case({"w": some(2, 2), "u": some(3, 2)}, some(3, 3))
def short_rnn(p, xs):
    return _rnn(p, xs)


@case({"w": 0.3 * some(2, 2), "u": some(3, 2)}, some(40, 3))
def long_rnn(p, xs):
    return _rnn(p, xs)


@case(np.float32(1.5))
def counted_loop(x):
    return lax.fori_loop(0, 3, lambda i, y: y * jnp.sin(x) + i, x)


@case(np.float32(2.0), some(3))
def branch(s, x):
    return jnp.sum(lax.cond(s > 1, lambda x: jnp.sin(x) * s, lambda x: x, x))


@jax.custom_vjp
def _clipped(x):
    return x * 1.0


_clipped.defvjp(lambda x: (x, None), lambda _, v: (jnp.clip(v, -0.1, 0.1),))


@case(some(4))
def rule_vjp(x):
    return jnp.sum(_clipped(x) ** 2)


@jax.custom_vjp
def _two(x, y):
    return jnp.sin(x) * y, x + y


_two.defvjp(lambda x, y: (_two(x, y), (x, y)), lambda kept, v: (v[0] * v[1] * kept[1], v[0] + kept[0]))


@case(some(3), some(3))
def rule_of_two_results(x, y):
    """Its rule multiplies both cotangents, so it must see them at once."""
    a, b = _two(x, y)
    return jnp.sum(a * 2.0 + b * 3.0)


@jax.custom_jvp
def _log(x):
    return jnp.log(x)


_log.defjvp(lambda at, dot: (_log(*at), dot[0] * jnp.where(at[0] > 0, 3.0 * at[0], 0.0)))


@case(np.array([1.0, 0.0, 2.0], "float32"))
def rule_jvp(x):
    """At 0 its equations have an infinite slope, of which nothing may be passed."""
    return jnp.sum(_log(x)[jnp.array([0, 2])])


@case(some(2, 3))
def activations(x):
    nn = jax.nn
    exact = nn.gelu(x, approximate=False)
    return jnp.sum(
        nn.relu(x)
        + nn.silu(x)
        + nn.softplus(x)
        + nn.elu(x)
        + nn.gelu(x)
        + exact
        + nn.sigmoid(x)
        + nn.leaky_relu(x)
    )


@case(some(2, 3))
def log_sums(x):
    one = jnp.sum(jax.nn.logsumexp(x, axis=1)) + jax.nn.logsumexp(x)
    return one + jnp.sum(jax.nn.log_softmax(x)[0] ** 2) + jnp.sum(jax.nn.softmax(x, axis=0)[1])


@case({"w": some(3, 3)}, some(2, 3))
def checkpointed(p, x):
    def block(x):
        h = jax.ad_checkpoint.checkpoint_name(jnp.sin(x @ p["w"]), "h")
        return jnp.cos(h)

    policies = jax.checkpoint_policies
    y = jax.checkpoint(block)(x)
    y = jax.checkpoint(block, policy=policies.dots_saveable)(y)
    return jnp.sum(jax.checkpoint(block, policy=policies.save_only_these_names("h"))(y))


@case(some(3, 4), some(4))
def mapped(x, w):
    return jnp.sum(jax.vmap(lambda row: jnp.dot(row, w) * jnp.max(row))(x))


@case(some(2, 3, 2), some(3, 4, 2))
def einsum(a, b):
    return jnp.sum(jnp.einsum("ijk,jli->lk", a, b) ** 2)


@case(some(2, 3))
def norms(x):
    return jnp.linalg.norm(x) + jnp.sum(jnp.linalg.norm(x, axis=1))


@case(some(3, 4), np.array([0, 3, 1]))
def cross_entropy(logits, labels):
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(logits, labels))


@case(some(3, 4), np.array([0, 3, 1]))
def cross_entropy_by_hand(logits, labels):
    return -jnp.mean(jnp.sum(jax.nn.one_hot(labels, 4) * jax.nn.log_softmax(logits), -1))


@case(some(4, 2), np.array([0, 3, 3]))
def embedding(table, tokens):
    return jnp.sum(jnp.sin(table[tokens]))


@case(some(2, 3))
def along_axes(x):
    ordered = jnp.sort(x, 0) * jnp.arange(6.0).reshape(2, 3)
    taken = jnp.take(x, jnp.array([2, 0, 0]), axis=1) ** 3 + lax.cumsum(x, axis=1, reverse=True) ** 2
    return jnp.sum(taken) + jnp.sum(jnp.cumsum(x, 1) ** 2) + jnp.sum(ordered) + jnp.sum(jnp.cumprod(x, 1))


@case(some(6))
def fourier(x):
    return jnp.sum(jnp.abs(jnp.fft.rfft(x)) ** 2)


@case(0.3 * some(3))
def inverse_erf(x):
    return jnp.sum(jax.scipy.special.erfinv(x))


@case(some(3, 3), some(3))
def solved(a, b):
    return jnp.sum(jnp.linalg.solve(a @ a.T + 2 * jnp.eye(3), b) ** 2)


@case(some(5))
def places(x):
    one = x[0] * x[-1] + jnp.sum(x[1:4] ** 2) + jnp.sum(x[::-1] * jnp.arange(5.0))
    two = jnp.sum(x.at[2].set(3.0) ** 2) + jnp.sum(x.at[1:3].add(x[3:5]) ** 3)
    return one + two + jnp.sum(jnp.roll(x, 2) * x) + x[jnp.argmax(x)] ** 2


@case(some(2, 2, 3))
def moves(x):
    joined = jnp.concatenate([x, x[:, :1]], 1).swapaxes(0, 2).reshape(-1) * jnp.arange(18.0)
    padded = jnp.pad(x, ((0, 1), (1, 0), (0, 0)), constant_values=2.0)
    more = jnp.sum(jnp.stack([x, x * 2]) ** 3) + jnp.sum(jnp.tile(x, 2) ** 2) + jnp.sum(x[:1, ..., None] ** 2)
    return jnp.sum(joined) + jnp.sum(padded**3) + more + jnp.prod(x[0, 0])


@case(np.float32(0.5), some(1, 1))
def axes_of_one(x, w):
    """Copies along axes of length 1 have another shape all the same."""
    y = 2.0 * jnp.broadcast_to(x, (1, 1))
    return jnp.sum(jnp.stack([y, w]) ** 3)


@case(np.array([[[3.0, 1.0], [3.0, 0.0]], [[1.0, 2.0], [0.0, 2.0]]], "float32"))
def ties(x):
    """Equal elements along two of three axes share a cotangent."""
    return jnp.sum(jnp.max(x, axis=(1, 2)) * jnp.arange(1.0, 3.0)) + jnp.min(x)


@case(np.array([-2.0, -1.0, 0.5, 1.0, 3.0], "float32"))
def ends(x):
    """A clamp passes nothing at its ends, where a clip passes half."""
    return jnp.sum(lax.clamp(-1.0, x, 1.0) * 2) + jnp.sum(jnp.clip(x, -1, 1) * 3) + jnp.sum(jnp.abs(x) ** 3)


@case(np.array([-2.0, -1.0, 0.5, 1.0, 3.0], "float32"))
def other_ends(x):
    """Ends that are called by their names, that are computed, and that stand the wrong way round.

    JAX has no gradient for an end that is computed and a number beside an array.
    """
    named = jnp.sum(jnp.clip(x, min=-1.0, max=1.0) * 2 + x.clip(max=0.75, min=-1.5) * 3)
    low, high = x[1] + 0 * x, x[3] + 0 * x
    computed = jnp.sum(lax.clamp(low, x, high) * jnp.arange(5.0) + lax.clamp(x * 0.5, x, x + 1.0))
    return named + computed + jnp.sum(lax.clamp(1.0, x, -1.0)) + jnp.sum(lax.clamp(high, x, low) * x)


@case(np.array([0.5, -1.5, 0.0, 2.5], "float32"))
def steps(x):
    """Halves that go away from 0, a power 0 at 0, one of several cases, runs."""
    whole = jnp.sum(lax.round(x) * x)
    chosen = jnp.sum(lax.select_n(jnp.array([0, 2, 1, 0]), x, x**2, 3 * x)) + jnp.sum(lax.pow(x, 0) * x)
    runs = lax.cummax(x) * lax.cumprod(x, reverse=True) + lax.cummin(x, reverse=True)
    counts = jnp.sum((x > 0).astype("int32")).astype(x.dtype) * jnp.cumsum(x > 0).astype(x.dtype)
    return whole + chosen + jnp.sum(runs) + jnp.mean(x, where=x > 0) + jnp.sum(counts * x)


@case(np.array([0.5, -1.5, 0.0], "float32"))
def powers(x):
    sums = jnp.sum(x**4) + jnp.sum(x**5) + jnp.sum(2.0**x) + jnp.sum(jnp.exp2(x)) + jnp.sum((x + 3) ** -2)
    return sums + jnp.sum(jnp.logaddexp(x, 2 * x)) + jnp.sum(jnp.sinh(x)) + jnp.std(x)


@case(np.array([1.0001, 5.0, 30.0], "float32"), np.array([0.25, -2.0, 1e-4], "float32"))
def elementary(x, y):
    """Where a short formula of exp, log and erf has few digits left."""
    tails = jnp.sum(jnp.log(jax.scipy.special.erfc(y * 2)) + jnp.arccosh(x) + jnp.arcsinh(1e9 * y))
    grown = jnp.sum(jnp.sinh(y) + jnp.cosh(y) + jnp.arctanh(y / 3) + jnp.cbrt(y) + lax.rsqrt(x))
    return tails + grown + jnp.sum(jnp.arctan2(y, x) + jnp.hypot(x, y) + jnp.log2(x) + jnp.log10(x))


@case(some(3), jax.random.key(0))
def dropout(x, key):
    return jnp.sum(jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x / 0.5, 0.0))


@case(some(3), some(3))
def half(x, w):
    return jnp.sum((x.astype(jnp.bfloat16) * w.astype(jnp.bfloat16)).astype(jnp.float32))


@case(some(3).astype(jnp.bfloat16), some(3))
def mixed_arguments(x, w):
    return jnp.sum(x.astype(jnp.float32) * w)


@case(np.array([1.0, 2.0], "float32"))
def odd_numbers(x):
    """Infinities, NaN and numbers near the largest, which no literal of a formula may be."""
    rows = jnp.array([[0.0, -jnp.inf], [jnp.finfo("float32").max, 1.0]])
    kept = jnp.where(jnp.array([[True, False], [False, True]]), x + rows, 0.0)
    return (
        jnp.sum(kept)
        + jnp.sum(jnp.where(x > 5, jnp.nan, x))
        + jnp.sum(jnp.minimum(x, jnp.finfo("float32").max))
    )


@case([(some(3, 3), some(3)), (some(3, 3), some(3))], some(2, 3))
def layers(params, x):
    for w, b in params:
        x = jax.nn.relu(x @ w + b)
    return jnp.mean(optax.huber_loss(x)) + 0.01 * optax.tree.norm(params)
