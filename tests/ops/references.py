"""What each op computes, said once more without JAX. The tests hold the catalog against this table."""

import numpy as np
import scipy.special


def _getitem(x, index=(0,)):
    ends = (Ellipsis if i == "..." else slice(*i) if isinstance(i, tuple) else i for i in index)
    return x[tuple(ends)]


def _softmax(x, axis=-1):
    return scipy.special.softmax(x, axis=axis)


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
    "where": lambda condition, a, b: np.where(condition != 0, a, b),
    "greater": lambda a, b: np.where(a > b, 1.0, 0.0),
    "less": lambda a, b: np.where(a < b, 1.0, 0.0),
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
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
    "zeros_like": np.zeros_like,
    "ones_like": np.ones_like,
}


def reference(name):
    """The NumPy function of (*arrays, **params) that op `name` must agree with."""
    assert name in REFERENCES, f"Add a NumPy function for {name!r} to REFERENCES in tests/ops/references.py."
    return REFERENCES[name]
