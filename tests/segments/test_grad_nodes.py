"""Test cuts and grad nodes: the chain of pullbacks against plain JAX, written by hand for the same graph."""

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz import parse, segments, train, train_by_segments

TEXT = """
x = 0.8
a = parameter(0.7)
b = parameter(-1.3)
c = cut(tanh(a * x))
z = b * c * c
g = grad(z, x)
loss = square(z) + square(g)
"""


def first(a, x):
    return jnp.tanh(a * x)


def second(b, c):
    return b * c * c


def last(a, b, c, x):
    """The second segment: z of what the first one returns, and a gradient that runs both again."""
    g = jax.grad(lambda x: second(b, first(a, x)))(x)
    return second(b, c) ** 2 + g**2


def whole(a, b, x):
    return last(a, b, first(a, x), x)


def test_the_chain_is_the_gradient_of_the_whole_and_apart_is_each_segment_by_itself():
    found, at = segments(parse(TEXT)), (0.7, -1.3, 0.8)
    c = first(0.7, 0.8)
    by_a, by_b, handed = jax.grad(last, argnums=(0, 1, 2))(0.7, -1.3, c, 0.8)
    np.testing.assert_allclose(found.handed["c"], handed, rtol=1e-5)
    for name, wanted in zip("abx", jax.grad(whole, argnums=(0, 1, 2))(*at), strict=True):
        np.testing.assert_allclose(found.gradient[name], wanted, rtol=1e-5)
    np.testing.assert_allclose(found.apart["a"], by_a + jax.grad(first)(0.7, 0.8), rtol=1e-5)
    np.testing.assert_allclose(found.apart["b"], by_b, rtol=1e-5)


def test_training_by_the_chain_is_joint_training():
    """Two steps of gradient descent in plain JAX beside both."""
    graph, (a, b) = parse(TEXT), (0.7, -1.3)
    losses = []
    for _ in range(2):
        losses.append(float(whole(a, b, 0.8)))
        by = jax.grad(whole, argnums=(0, 1))(a, b, 0.8)
        a, b = a - 0.1 * by[0], b - 0.1 * by[1]
    found = train_by_segments(graph, optimizer="sgd", rate=0.1, steps=2)
    np.testing.assert_allclose(found.joint, losses, rtol=1e-5)
    np.testing.assert_allclose(found.chain, losses, rtol=1e-5)
    np.testing.assert_allclose(train(graph, optimizer="sgd", rate=0.1, steps=2).loss, losses, rtol=1e-5)
