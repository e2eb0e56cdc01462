"""Differentiate hand-written functions as users of their libraries would do it."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp

from benchmarks.graphs import Example

try:
    import torch
except ModuleNotFoundError:  # optional: the rows that need it are left out
    torch = None


def jax_eager(example: Example) -> Callable[[], list[float]]:
    """Return a function that computes gradients by `jax.vjp` of the example, without `jit`."""
    function, inputs = example.function(), [jnp.float32(x) for x in example.inputs]
    one = jnp.float32(1)

    def gradients() -> list[float]:
        return [float(g) for g in jax.vjp(function, *inputs)[1](one)]

    return gradients


def torch_eager(example: Example) -> Callable[[], list[float]]:
    """Return a function that computes gradients by PyTorch's own tape."""
    function = example.function(torch)
    inputs = [torch.tensor(x, requires_grad=True) for x in example.inputs]

    def gradients() -> list[float]:
        found = torch.autograd.grad(function(*inputs), inputs, materialize_grads=True)
        return [float(g) for g in found]

    return gradients
