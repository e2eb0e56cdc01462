"""Compute each op once more without JAX: the tests compare the catalog with this table."""

import jax
import numpy as np
import scipy.special


def _place(index):
    return tuple(Ellipsis if i == "..." else slice(*i) if isinstance(i, tuple) else i for i in index)


def _getitem(x, index=(0,)):
    return x[_place(index)]


def _softmax(x, axis=-1):
    return scipy.special.softmax(x, axis=axis)


def _windows(x, sides, strides, padding, fill):
    """(place, window) for each place where a window of `sides` stands on images x [batch, h, w, channels].

    SAME is TensorFlow's: of an odd padding, the larger part is below and right.
    """
    if padding == "SAME":
        wanted = [-(-length // stride) for length, stride in zip(x.shape[1:3], strides, strict=True)]
        gaps = [
            max((n - 1) * stride + side - length, 0)
            for n, stride, side, length in zip(wanted, strides, sides, x.shape[1:3], strict=True)
        ]
        around = [(0, 0), *((gap // 2, gap - gap // 2) for gap in gaps), (0, 0)]
        x = np.pad(x, around, constant_values=fill)
    counts = [(n - side) // step + 1 for n, side, step in zip(x.shape[1:3], sides, strides, strict=True)]
    for i, j in np.ndindex(*counts):
        top, left = i * strides[0], j * strides[1]
        yield (i, j), x[:, top : top + sides[0], left : left + sides[1]]


def _slid(x, sides, stride, padding, fill, reduce):
    found = {place: reduce(window) for place, window in _windows(x, sides, (stride, stride), padding, fill)}
    rows, columns = max(found)
    return np.stack([np.stack([found[i, j] for j in range(columns + 1)], 1) for i in range(rows + 1)], 1)


def _conv2d(x, w, b, stride=1, padding="VALID"):
    def weighted(window):
        return np.einsum("nijc,ijco->no", window, w)

    return _slid(x, w.shape[:2], stride, padding, 0.0, weighted) + b


def _max_pool(x, window=2, stride=2, padding="VALID"):
    return _slid(x, (window, window), stride, padding, -np.inf, lambda part: part.max(axis=(1, 2)))


def _avg_pool(x, window=2, stride=2, padding="VALID"):
    return _slid(x, (window, window), stride, padding, 0.0, lambda part: part.mean(axis=(1, 2)))


def _normed(x, scale, bias, epsilon, axes):
    spread = np.sqrt(x.var(axis=axes, keepdims=True) + epsilon)
    return scale * (x - x.mean(axis=axes, keepdims=True)) / spread + bias


def _dropout(x, rate=0.5, seed=0):
    """JAX draws which elements are kept; what becomes of them is worked out here."""
    drawn = jax.random.uniform(jax.random.key(seed), x.shape, np.float32)
    return np.where(np.asarray(drawn) < np.float32(1.0 - rate), x / (1.0 - rate), 0.0).astype(x.dtype)


def _cross_entropy(logits, labels):
    chances = scipy.special.softmax(logits, axis=-1)
    places = np.asarray(labels).astype(int)[..., None]
    return -np.log(np.take_along_axis(chances, places, axis=-1)[..., 0])


def _binary_cross_entropy(logits, labels):
    chance = scipy.special.expit(logits)
    return -labels * np.log(chance) - (1 - labels) * np.log(1 - chance)


def _at_set(x, v, index=(0,)):
    found = np.array(x)
    found[_place(index)] = v
    return found


def _take_along_axis(x, indices, axis=-1):
    return np.take_along_axis(x, np.rint(indices).astype(int), axis)


def _at_add(x, indices, updates, axis=0):
    found, places = np.array(x), np.rint(indices).astype(int)
    np.add.at(found, (slice(None),) * axis + (places,), updates)
    return found


def _one_hot(x, num_classes=2):
    return np.where(np.rint(x)[..., None] == np.arange(num_classes), 1.0, 0.0).astype(x.dtype)


def _argmax(x, axis=None, keepdims=False):
    return np.argmax(x, axis=axis, keepdims=keepdims).astype(x.dtype)


def _argsort(x, axis=-1, descending=False):
    return np.argsort(-x if descending else x, axis=axis, kind="stable").astype(x.dtype)


def _sort(x, axis=-1, descending=False):
    return -np.sort(-x, axis=axis) if descending else np.sort(x, axis=axis)


REFERENCES = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda x: -x,
    "pow": lambda a, b: a**b,
    "square": lambda x: x * x,
    "sqrt": np.sqrt,
    "identity": lambda x: x,
    "exp": np.exp,
    "log": np.log,
    "log1p": np.log1p,
    "expm1": np.expm1,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    **{
        name: getattr(np, name)
        for name in ("sinh", "cosh", "arcsinh", "arccosh", "arctanh", "arctan2", "hypot")
    },
    **{name: getattr(np, name) for name in ("exp2", "log2", "log10", "logaddexp", "cbrt")},
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erfc": scipy.special.erfc,
    "erf": scipy.special.erf,
    "tanh": np.tanh,
    "sigmoid": scipy.special.expit,
    "softplus": lambda x: np.log1p(np.exp(x)),
    "relu": lambda x: x * (x > 0),
    "abs": np.abs,
    "sign": np.sign,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "clip": np.clip,
    "round": np.rint,
    "floor": np.floor,
    "remainder": np.remainder,
    "where": lambda condition, a, b: np.where(condition != 0, a, b),
    "greater": lambda a, b: np.where(a > b, 1.0, 0.0),
    "less": lambda a, b: np.where(a < b, 1.0, 0.0),
    "greater_equal": lambda a, b: np.where(a >= b, 1.0, 0.0),
    "less_equal": lambda a, b: np.where(a <= b, 1.0, 0.0),
    "equal": lambda a, b: np.where(a == b, 1.0, 0.0),
    "not_equal": lambda a, b: np.where(a != b, 1.0, 0.0),
    "first": lambda *arrays: arrays[0],
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "prod": np.prod,
    "norm": np.linalg.norm,
    "cumsum": np.cumsum,
    "argmax": _argmax,
    "argsort": _argsort,
    "one_hot": _one_hot,
    "sort": _sort,
    "logsumexp": scipy.special.logsumexp,
    "softmax": _softmax,
    "dot": np.dot,
    "matmul": np.matmul,
    "transpose": np.transpose,
    "reshape": lambda x, shape=(-1,): np.reshape(x, shape),
    "broadcast_to": lambda x, shape=(): np.broadcast_to(x, shape),
    "concatenate": lambda *arrays, axis=0: np.concatenate(arrays, axis=axis),
    "stack": lambda *arrays, axis=0: np.stack(arrays, axis=axis),
    "expand_dims": lambda x, axis=0: np.expand_dims(x, axis),
    "getitem": _getitem,
    "at_set": _at_set,
    "take": lambda x, indices, axis=None: np.take(x, np.rint(indices).astype(int), axis),
    "take_along_axis": _take_along_axis,
    "at_add": _at_add,
    "leaky_relu": lambda x: np.where(x > 0, x, x / 100),
    "elu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: x * (1 + scipy.special.erf(x / np.sqrt(x.dtype.type(2)))) / 2,
    "log_softmax": lambda x, axis=-1: np.log(scipy.special.softmax(x, axis=axis)),
    "dense": lambda x, w, b: np.dot(x, w) + b,
    "conv2d": _conv2d,
    "max_pool": _max_pool,
    "avg_pool": _avg_pool,
    "flatten": lambda x: x.reshape(len(x), -1),
    "layer_norm": lambda x, scale, bias, epsilon=1e-5: _normed(x, scale, bias, epsilon, -1),
    "batch_norm": lambda x, scale, bias, epsilon=1e-5: _normed(
        x, scale, bias, epsilon, tuple(range(x.ndim - 1))
    ),
    "dropout": _dropout,
    "mean_squared_error": lambda predictions, targets: ((predictions - targets) ** 2).mean(),
    "softmax_cross_entropy_with_integer_labels": _cross_entropy,
    "sigmoid_binary_cross_entropy": _binary_cross_entropy,
    "zeros_like": np.zeros_like,
    "ones_like": np.ones_like,
}


def reference(name):
    """The NumPy function of (*arrays, **params) that op `name` must agree with."""
    assert name in REFERENCES, f"Add a NumPy function for {name!r} to REFERENCES in tests/ops/references.py."
    return REFERENCES[name]
