"""Test cotangents against PyTorch's, away from kinks, for every op that PyTorch has with the same meaning."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.ops.catalog import OPS
from tests.ops.samples import examples_of, sample

torch = pytest.importorskip("torch")


def _nchw(x):
    return x.permute(0, 3, 1, 2)


def _nhwc(x):
    return x.permute(0, 2, 3, 1)


def _same(x, sides, stride, fill):
    """Padding as TensorFlow's SAME, the larger part of an odd one below and right; images are NCHW."""
    ends = []
    for length, side in zip(x.shape[:1:-1], sides[::-1], strict=True):  # the last axis comes first
        gap = max((-(-length // stride) - 1) * stride + side - length, 0)
        ends += [gap // 2, gap - gap // 2]
    return torch.nn.functional.pad(x, ends, value=fill)


def _pool(function, fill):
    def pool(x, window=2, stride=2, padding="VALID"):
        images = _nchw(x)
        if padding == "SAME":
            images = _same(images, (window, window), stride, fill)
        return _nhwc(function(images, window, stride))

    return pool


def _conv2d(x, w, b, stride=1, padding="VALID"):
    images = _nchw(x)
    if padding == "SAME":
        images = _same(images, w.shape[:2], stride, 0.0)
    return _nhwc(torch.nn.functional.conv2d(images, w.permute(3, 2, 0, 1).contiguous(), b, stride))


def _batch_norm(x, scale, bias, epsilon=1e-5):
    rows = x.reshape(-1, x.shape[-1])
    normed = torch.nn.functional.batch_norm(rows, None, None, scale, bias, training=True, eps=epsilon)
    return normed.reshape(x.shape)


def _cross_entropy(logits, labels):
    return torch.nn.functional.cross_entropy(logits, labels.long(), reduction="none")


def _take(x, indices, axis=None):
    x, axis = (x.ravel(), 0) if axis is None else (x, axis % x.ndim)
    return x[(*[slice(None)] * axis, indices.round().long())]


def _at_add(x, indices, updates, axis=0):
    index = (*[torch.arange(n) for n in x.shape[:axis]], indices.round().long())
    grid = [each.reshape(-1, *[1] * (axis - 1 - i + indices.ndim)) for i, each in enumerate(index[:-1])]
    shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    return x.index_put((*grid, index[-1]), torch.broadcast_to(updates, shape), accumulate=True)


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
    "arcsin",
    "arccos",
    "arctan",
    "erf",
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
    "min": lambda x, axis=None, keepdims=False: (
        x.min() if axis is None else x.min(dim=axis, keepdim=keepdims).values
    ),
    "prod": lambda x, axis=None, keepdims=False: (
        x.prod() if axis is None else x.prod(dim=axis, keepdim=keepdims)
    ),
    "norm": lambda x, axis=None, keepdims=False: torch.linalg.vector_norm(x, dim=axis, keepdim=keepdims),
    "cumsum": lambda x, axis=None: x.ravel().cumsum(0) if axis is None else x.cumsum(axis),
    "argmax": lambda x, axis=None, keepdims=False: (
        x.argmax().float() if axis is None else x.argmax(dim=axis, keepdim=keepdims).float()
    ),
    "argsort": lambda x, axis=-1, descending=False: torch.argsort(
        x, dim=axis, descending=descending, stable=True
    ).float(),
    "one_hot": lambda x, num_classes=2: (x.round()[..., None] == torch.arange(num_classes)).float(),
    "take": _take,
    "take_along_axis": lambda x, indices, axis=-1: torch.take_along_dim(
        x, indices.round().long() % x.shape[axis], axis
    ),
    "at_add": _at_add,
    "sort": lambda x, axis=-1, descending=False: torch.sort(x, dim=axis, descending=descending).values,
    "logsumexp": lambda x, axis=None, keepdims=False: torch.logsumexp(
        x, dim=tuple(range(x.ndim)) if axis is None else axis, keepdim=keepdims
    ),
    "softmax": lambda x, axis=-1: torch.softmax(x, dim=axis),
    "where": lambda condition, a, b: torch.where(condition != 0, a, b),
    "leaky_relu": torch.nn.functional.leaky_relu,
    "elu": torch.nn.functional.elu,
    "silu": torch.nn.functional.silu,
    "gelu": torch.nn.functional.gelu,
    "log_softmax": lambda x, axis=-1: torch.log_softmax(x, dim=axis),
    "dense": lambda x, w, b: torch.nn.functional.linear(x, w.T, b),
    "conv2d": _conv2d,
    "max_pool": _pool(torch.nn.functional.max_pool2d, -torch.inf),
    "avg_pool": _pool(torch.nn.functional.avg_pool2d, 0.0),
    "flatten": lambda x: torch.flatten(x, 1),
    "layer_norm": lambda x, scale, bias, epsilon=1e-5: torch.nn.functional.layer_norm(
        x, x.shape[-1:], scale, bias, epsilon
    ),
    "batch_norm": _batch_norm,
    "mean_squared_error": lambda predictions, targets: ((predictions - targets) ** 2).mean(),
    "softmax_cross_entropy_with_integer_labels": _cross_entropy,
    "sigmoid_binary_cross_entropy": lambda logits, labels: (
        torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    ),
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
