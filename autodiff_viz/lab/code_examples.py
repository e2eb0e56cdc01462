"""Hold short pieces of code for visitors who have none at hand: one trick each, in each library."""

from __future__ import annotations

from typing import NamedTuple


class CodeExample(NamedTuple):
    """A piece of code to try.

    Attributes:
      title: what it shows, with its library first.
      text: the code.
    """

    title: str
    text: str


CODE_EXAMPLES = (
    CodeExample(
        "PyTorch: a target that is detached",
        """import torch

w = torch.tensor([0.5, -0.3], requires_grad=True)
state = torch.tensor([1.0, 2.0])
following = torch.tensor([0.5, 1.0])

value = (w * state).sum()
target = 1.0 + 0.9 * (w * following).sum().detach()
loss = (target - value) ** 2
loss.backward()
print(w.grad)
""",
    ),
    CodeExample(
        "PyTorch: a backward of one's own",
        """import torch


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


x = torch.tensor([0.3, 1.6], requires_grad=True)
loss = (Round.apply(x) ** 2).sum()
loss.backward()
print(x.grad)
""",
    ),
    CodeExample(
        "JAX: why is it NaN?",
        """import jax
import jax.numpy as jnp


def f(x):
    return jnp.sum(jnp.where(x > 0, jnp.sqrt(x), 0.0))


print(jax.grad(f)(jnp.array([0.0, 4.0])))
""",
    ),
    CodeExample(
        "JAX: a clipped gradient",
        """import jax
import jax.numpy as jnp


@jax.custom_vjp
def clip_gradient(x):
    return x


def forward(x):
    return x, None


def backward(residuals, g):
    return (jnp.clip(g, -1.0, 1.0),)


clip_gradient.defvjp(forward, backward)


def f(x):
    return clip_gradient(x) ** 3


print(jax.grad(f)(2.0))
""",
    ),
    CodeExample(
        "TensorFlow: a second derivative",
        """import tensorflow as tf

x = tf.Variable(3.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)
curvature = outer.gradient(slope, x)
print(curvature)
""",
    ),
    CodeExample(
        "NumPy: a loss by hand",
        """import numpy as np

x = np.array([[1.0, 2.0], [0.0, -1.0]])
w = np.array([0.5, -0.25])
labels = np.array([1.0, 0.0])

p = 1 / (1 + np.exp(-(x @ w)))
loss = -np.mean(labels * np.log(p) + (1 - labels) * np.log(1 - p))
""",
    ),
)
"""The six pieces that the page offers. The last makes nothing but values; the page shows their gradients."""
