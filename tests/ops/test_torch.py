"""PyTorch passes the same cotangents, away from kinks, for every op that it has under the same meaning."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.ops.catalog import OPS
from tests.ops.samples import examples_of, sample

torch = pytest.importorskip("torch")

SAME_NAME = [
    "add",
    "sub",
    "mul",
    "div",
    "neg",
    "pow",
    "square",
    "sqrt",
    "exp",
    "log",
    "log1p",
    "expm1",
    "sin",
    "cos",
    "tan",
    "tanh",
    "sigmoid",
    "abs",
    "sign",
    "maximum",
    "minimum",
    "clip",
    "round",
    "floor",
    "sum",
    "mean",
    "matmul",
]
TORCH = {name: getattr(torch, name) for name in SAME_NAME} | {
    "softplus": torch.nn.functional.softplus,
    "relu": torch.relu,
    "max": lambda x, axis=None, keepdims=False: (
        x.max() if axis is None else x.max(dim=axis, keepdim=keepdims).values
    ),
    "logsumexp": lambda x, axis=None, keepdims=False: torch.logsumexp(
        x, dim=tuple(range(x.ndim)) if axis is None else axis, keepdim=keepdims
    ),
    "softmax": lambda x, axis=-1: torch.softmax(x, dim=axis),
    "where": lambda condition, a, b: torch.where(condition != 0, a, b),
}


@pytest.mark.parametrize(("op", "shapes", "params"), examples_of([OPS[name] for name in TORCH]))
def test_pytorch_agrees(op, shapes, params):
    arrays = sample(op, shapes, np.float32)
    tensors = [torch.tensor(array, requires_grad=True) for array in arrays]
    theirs = TORCH[op.name](*tensors, **params)
    ours, pullback = jax.vjp(lambda *args: op.apply(*args, **params), *map(jnp.asarray, arrays))
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-5, atol=1e-6)
    if theirs.requires_grad:
        theirs.sum().backward()
    for passed, tensor in zip(pullback(jnp.ones_like(ours)), tensors, strict=True):
        wanted = np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy()
        np.testing.assert_allclose(passed, wanted, rtol=2e-5, atol=1e-6)
