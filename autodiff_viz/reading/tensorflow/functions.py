"""Read TensorFlow's functions.

Where a registered gradient of TensorFlow differs from JAX's at a corner, the node declares TensorFlow's, and
`say` tells which.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autodiff_viz.functions.known_functions import op
from autodiff_viz.graph.model import IDENTITY, Rule
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading.functions import arrays, elements
from autodiff_viz.reading.functions.arrays import axis_argument, constant, shape_of
from autodiff_viz.reading.functions.declared import rule_of, ruled, written
from autodiff_viz.reading.functions.draws import Draws
from autodiff_viz.reading.functions.library_calls import call_jax, say
from autodiff_viz.reading.language.functions import plain_method
from autodiff_viz.reading.language.operators import COMPARES, as_written
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import (
    BOOL,
    FLOATS,
    INT,
    Array,
    Native,
    Path,
    Refused,
    arrays_in,
    leaves,
    mapped,
)
from autodiff_viz.reading.nodes.builder import Builder, Frame, Ref
from autodiff_viz.reading.nodes.costs import LibraryError, sized
from autodiff_viz.reading.numpy import linear_algebra
from autodiff_viz.reading.tensorflow.tensors import (
    METHODS,
    TF,
    Dtypes,
    Read,
    alike,
    connected,
    floating,
    in_jax,
    kind_named,
    of_alike,
    of_floats,
    of_list,
    of_pair,
    of_tensor,
    tensor,
    tf,
    whole_numbers,
    written_out,
)
from autodiff_viz.reading.tensors.own_dtypes import check_divisor

UNROLLED = 64  # rows of `map_fn`, steps of a loop


def unary(op: str, name: str, pull: str = "", says: str = "", floats: bool = True) -> Read:
    """Return the reading of a function of one tensor; with `pull`, its slope is TensorFlow's own."""

    def read(reader: Reader, x: Any) -> Array:
        made = floating(reader, x, name) if floats else tensor(reader, x)
        if made.dtype == BOOL:
            raise LibraryError(
                f"{name}: Value for attr 'T' of bool is not allowed.", "Write tf.cast().", "dtype"
            )
        if says:
            reader.say(reader.line, says)
        if pull:
            return ruled(reader, op, [made], {"x": pull}, made.dtype)
        return reader.make(op, [made], dtype=made.dtype)

    return read


NOTHING_IS_NOTHING = "at its corner it passes 0 where 0 arrives in TensorFlow; JAX's 0 * inf is NaN"

OF_FLOATS = {
    **{f"{op} math.{op}": op for op in ("exp", "sin", "cos", "tan", "sinh", "cosh")},
    **{f"{op} math.{op} nn.{op} keras.activations.{op}": op for op in ("tanh", "sigmoid")},
    **{f"math.{op}": op for op in ("log", "log1p", "erf", "erfc")},
    "math.softplus nn.softplus keras.activations.softplus": "softplus",
    "keras.activations.exponential": "exp",
    "asin math.asin": "arcsin",
    "acos math.acos": "arccos",
    "atan math.atan": "arctan",
    "math.atanh": "arctanh",
    "floor math.floor": "floor",
    "math.rint": "round",
}
OF_NUMBERS = {
    "nn.relu keras.activations.relu": "relu",
    "square math.square": "square",
    "negative math.negative": "neg",
    "sign math.sign": "sign",
    "round math.round": "round",
}
"""Functions that are one op, by their names."""

for _names, _op in {**OF_FLOATS, **OF_NUMBERS}.items():
    tf(*_names.split())(unary(_op, _names.split()[0], floats=_names in OF_FLOATS))
tf("math.expm1")(unary("expm1", "math.expm1", "v * exp(x)"))
tf("nn.elu", "keras.activations.elu")(
    unary("elu", "nn.elu", "v * where(less(x, 0.0), out + 1.0, ones_like(x))")
)
SIZE = "the slope of abs at 0 is 0 in TensorFlow; JAX's is 1"
tf("abs", "math.abs")(unary("abs", "abs", "v * sign(x)", SIZE, floats=False))


def reciprocal(x):
    """Return 1/x, which passes 0 where 0 arrives."""
    say(f"reciprocal: {NOTHING_IS_NOTHING}")
    return elements.quiet(lambda x: 1.0 / x, lambda x: -1.0 / x / x, x)


def root(x):
    """Return a square root that passes 0 where 0 arrives."""
    say(f"sqrt: {NOTHING_IS_NOTHING}")
    return elements.quiet(jnp.sqrt, lambda x: 0.5 / jnp.sqrt(x), x)


def rsqrt(x):
    """Return 1 / sqrt(x), which passes 0 where 0 arrives."""
    say(f"rsqrt: {NOTHING_IS_NOTHING}")
    return elements.quiet(lax.rsqrt, lambda x: -0.5 * lax.rsqrt(x) * lax.rsqrt(x) * lax.rsqrt(x), x)


in_jax(
    of_floats,
    {
        "math.reciprocal": reciprocal,
        "sqrt math.sqrt": root,
        "math.rsqrt": rsqrt,
        "math.ceil": lambda x: jnp.ceil(x),
        "math.is_nan": lambda x: jnp.isnan(x),
        "math.is_finite": lambda x: jnp.isfinite(x),
        "math.log_sigmoid": lambda x: -jax.nn.softplus(-x),
        "math.reciprocal_no_nan": lambda x: divide_no_nan(1.0, x),
    },
)


# Activations.


def to_6(x):
    """Return x between 0 and 6, whose slope is 0 at both ends."""
    return elements.with_slopes(
        lambda x: jnp.clip(x, 0.0, 6.0), lambda x: (x > 0.0) & (x < 6.0), x, chosen=True
    )


@tf("nn.relu6", "keras.activations.relu6")
@connected
@of_floats
def relu6(features):
    """Return x between 0 and 6."""
    return to_6(features)


@tf("nn.leaky_relu")
@connected
@of_floats
def leaky_relu(features, alpha=0.2):
    """Return x above 0 and less of it below."""
    if not isinstance(alpha, (int, float)):
        raise TypeError("alpha must be a number")
    say("the slope of leaky_relu at 0 is the small one in TensorFlow; JAX's is 1")
    return elements.leaky_relu(features, alpha)


tf("keras.activations.leaky_relu")(
    lambda reader, x, negative_slope=0.2: leaky_relu(reader, x, negative_slope)
)


@tf("nn.selu", "keras.activations.selu")
@of_floats
def selu(features):
    """Return ELU by numbers that keep mean and variance."""
    scale, alpha = elements.SCALE, elements.ALPHA
    return elements.with_slopes(
        lambda x: jnp.where(x < 0.0, scale * alpha * (jnp.exp(x) - 1.0), scale * x),
        lambda x: jnp.where((x < 0.0) & (jnp.exp(x) < 1.0), scale * alpha * jnp.exp(x), scale),
        features,
    )


@tf("nn.gelu")
@of_floats
def gelu(features, approximate=False):
    """Return GELU, by erf unless it is to be approximate."""
    if approximate:
        return jax.nn.gelu(features, approximate=True)
    say("TensorFlow's gelu is the exact one, by erf; JAX's usual one is by tanh")
    return op("gelu", features)


tf("keras.activations.gelu")(lambda reader, x, approximate=False: gelu(reader, x, bool(approximate)))


@tf("nn.silu", "nn.swish", "keras.activations.silu", "keras.activations.swish")
@of_floats
def silu(features, beta=1.0):
    """Return x sigmoid(beta x)."""
    if isinstance(beta, float) and beta == 1.0:
        return jax.nn.silu(features)
    return features * jax.nn.sigmoid(beta * features)


def softsign(features):
    """Return x / (1 + |x|)."""
    return elements.with_slopes(
        lambda x: x / (1.0 + jnp.abs(x)), lambda x: 1.0 / jnp.square(1.0 + jnp.abs(x)), features
    )


in_jax(
    of_floats,
    {
        "nn.softsign math.softsign keras.activations.softsign": softsign,
        "nn.crelu": lambda features, axis=-1: jax.nn.relu(jnp.concatenate([features, -features], axis)),
        "keras.activations.hard_sigmoid": lambda x: to_6(x + 3.0) / 6.0,
        "nn.softmax math.softmax keras.activations.softmax keras.ops.softmax": lambda logits, axis=-1: op(
            "softmax", logits, axis=-1 if axis is None else axis
        ),
        "nn.log_softmax math.log_softmax keras.activations.log_softmax": lambda logits, axis=-1: op(
            "log_softmax", logits, axis=-1 if axis is None else axis
        ),
    },
)


@tf("keras.activations.linear", "identity")
def identity(reader: Reader, input: Any) -> Array:
    """Read a copy of a tensor, which a variable is read by too."""
    made = tensor(reader, input)
    return reader.make(IDENTITY, [made], dtype=made.dtype)


# Functions of two tensors.


def binary(op: str, name: str, floats: bool = False) -> Read:
    """Return the reading of a function of two tensors of one dtype, which may have to be floats."""

    def read(reader: Reader, x: Any, y: Any) -> Array:
        pair = alike(reader, [x, y], name)
        if pair[0].dtype == BOOL:
            raise Refused(
                f"TensorFlow has no {name} of truth values.", "Write tf.cast(x, tf.float32).", "dtype"
            )
        pair = [floating(reader, one, name) for one in pair] if floats else pair
        return reader.make(op, pair, dtype=pair[0].dtype)

    return read


add, subtract, multiply = binary("add", "AddV2"), binary("sub", "Sub"), binary("mul", "Mul")
tf("add", "math.add")(add)
tf("nn.bias_add")(lambda reader, value, bias: add(reader, value, bias))
tf("subtract", "math.subtract")(subtract)
tf("multiply", "math.multiply")(multiply)
tf("atan2", "math.atan2")(binary("arctan2", "atan2", floats=True))


@tf("divide", "math.divide", "truediv", "math.truediv")
def divide(reader: Reader, x: Any, y: Any) -> Array:
    """Read a quotient; of whole numbers it is float64."""
    pair = alike(reader, [x, y], "RealDiv")
    kind = "float64" if pair[0].dtype == INT else pair[0].dtype
    if kind == "float64":
        reader.state(Dtypes).floats.add(kind)
    return reader.make("div", pair, dtype=kind)


def _extreme(op: str, first: str) -> Read:
    """Return the reading of an extreme of two, of which the first gets all where they are equal."""
    says = "of equal numbers the first takes the whole gradient in TensorFlow; in JAX each takes half"
    pulls = {"a": f"v * {first}(a, b)", "b": f"v * (1.0 - {first}(a, b))"}

    def read(reader: Reader, x: Any, y: Any) -> Array:
        pair = alike(reader, [x, y], op.capitalize())
        reader.say(reader.line, says)
        return ruled(reader, op, pair, pulls, pair[0].dtype)

    return read


maximum, minimum = _extreme("maximum", "greater_equal"), _extreme("minimum", "less_equal")
tf("maximum", "math.maximum")(maximum)
tf("minimum", "math.minimum")(minimum)


@tf("pow", "math.pow")
def power(reader: Reader, x: Any, y: Any) -> Array:
    """Read a power: the slope for the exponent is 0 where the base is not above 0."""
    pair = alike(reader, [x, y], "Pow")
    base, exponent = pair
    kind = base.dtype
    if kind == INT and (reader.numbers(exponent) < 0).any():
        raise LibraryError(
            "Integers to negative integer powers are not allowed.", "Write tf.cast(x, tf.float32)."
        )
    if exponent.is_constant and not isinstance(exponent.held, tuple):
        if exponent.held == 2.0:
            return reader.make("square", [base], dtype=kind)
        if exponent.held == 0.0:  # 0 * x^-1 is NaN at 0
            return ruled(reader, "pow", pair, {"a": "v * (0.0 * pow(a, -1.0))", "b": ""}, kind)
        return reader.make("pow", pair, dtype=kind)
    reader.say(reader.line, "the slope for an exponent is 0 in TensorFlow where the base is not above 0")
    return ruled(
        reader,
        "pow",
        pair,
        {"a": "v * b * pow(a, b - 1.0)", "b": "v * out * log(where(greater(a, 0.0), a, ones_like(a)))"}
        if base.is_node
        else {"a": "", "b": "v * out * log(where(greater(a, 0.0), a, 1.0))"},
        kind,
    )


@tf("math.floormod", "math.mod")
def floormod(reader: Reader, x: Any, y: Any) -> Array:
    """Read the rest of a division: x - floor(x / y) * y."""
    pair = alike(reader, [x, y], "FloorMod")
    check_divisor(reader, *pair)
    return ruled(reader, "remainder", pair, {"a": "v", "b": "-(v * floor(a / b))"}, pair[0].dtype)


@tf("math.floordiv")
def floordiv(reader: Reader, x: Any, y: Any) -> Array:
    """Read a quotient rounded down."""
    check_divisor(reader, x, y)
    return _floored(reader, x, y)


@of_pair
def _floored(x, y):
    return jnp.floor(x / y)


def divide_no_nan(x, y):
    """Return a quotient that is 0, with no gradient, where it divides by 0."""
    fits = y != 0.0
    return fits * (x / jnp.where(fits, y, 1.0))


in_jax(
    of_alike,
    {
        "math.divide_no_nan": divide_no_nan,
        "math.xlogy": lambda x, y: elements.without_0(lambda x, y: x * jnp.log(y), x, y),
        "math.xlog1py": lambda x, y: elements.without_0(lambda x, y: x * jnp.log1p(y), x, y),
        "math.xdivy": lambda x, y: elements.without_0(jnp.divide, x, y),
    },
)
in_jax(
    of_pair,
    {
        "math.squared_difference": lambda x, y: jnp.square(x - y),
    },
)


def add_n(inputs):
    """Return the sum of tensors of one shape."""
    if len({one.shape for one in inputs}) > 1:
        raise ValueError("Inputs to operation AddN must have the same size and shape.")
    return sum(inputs[1:], inputs[0])


in_jax(of_list, {"add_n math.add_n math.accumulate_n": add_n})


def compare(reader: Reader, op: ast.cmpop, x: Any, y: Any) -> Array:
    """Read a comparison of two tensors of one dtype."""
    made = alike(reader, [x, y], type(op).__name__)
    if type(op) not in COMPARES:
        raise Refused("This comparison is not read of tensors.")
    return reader.make(COMPARES[type(op)], made, dtype=BOOL)


for _op, _name in COMPARES.items():
    tf(_name, f"math.{_name}")(lambda reader, x, y, _op=_op: compare(reader, _op(), x, y))


def truths(reader: Reader, x: Any) -> Array:
    """Return truth values as a tensor.

    Raises:
      LibraryError: it holds something else.
    """
    made = tensor(reader, x)
    if made.dtype != BOOL:
        raise LibraryError(
            "The input was expected to be a bool tensor.", "Write tf.cast(x, tf.bool).", "dtype"
        )
    return made


@tf("logical_not", "math.logical_not")
def logical_not(reader: Reader, x: Any) -> Array:
    """Read not."""
    return reader.make("sub", [1.0, truths(reader, x)], dtype=BOOL)


def _logic(op: str) -> Read:
    return lambda reader, x, y: reader.make(op, [truths(reader, x), truths(reader, y)], dtype=BOOL)


logical_and, logical_or = _logic("mul"), _logic("maximum")
tf("logical_and", "math.logical_and")(logical_and)
tf("logical_or", "math.logical_or")(logical_or)


def operator(reader: Reader, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Array:
    """Apply an operator of Python where one side is a tensor."""
    known: dict[type, Read] = {
        ast.Add: add,
        ast.Sub: subtract,
        ast.Mult: multiply,
        ast.Div: divide,
        ast.Pow: power,
        ast.FloorDiv: floordiv,
        ast.Mod: floormod,
        ast.MatMult: TF["tensorflow.matmul"],
    }
    if isinstance(op, ast.Mult) and all(getattr(side, "dtype", None) == BOOL for side in (left, right)):
        return logical_and(reader, left, right)
    if type(op) in known:
        return known[type(op)](reader, left, right)
    logical: dict[type, Read] = {ast.BitAnd: logical_and, ast.BitOr: logical_or}
    if type(op) in logical and all(
        isinstance(side, bool) or getattr(side, "dtype", None) == BOOL for side in (left, right)
    ):
        return logical[type(op)](reader, left, right)
    raise Refused(f"This operator is not read of tensors: {as_written(node)}.", at=node)


# Limits.


@tf("clip_by_value")
def clip_by_value(reader: Reader, t: Any, clip_value_min: Any, clip_value_max: Any) -> Array:
    """Read limits to a value, which pass all of the gradient at their ends in TensorFlow."""
    x, low, high = alike(reader, [t, clip_value_min, clip_value_max], "ClipByValue")
    if x.dtype not in FLOATS:
        return reader.make("maximum", [reader.make("minimum", [x, high]), low], dtype=x.dtype)
    fixed = isinstance(low.held, float) and isinstance(high.held, float)
    return call_jax(reader, elements.clip_by_value, x, *((low.held, high.held) if fixed else (low, high)))


def first_larger(x, y):
    """Return the larger of two, of which the first gets all where they are equal."""
    return elements.with_slopes(jnp.maximum, lambda x, y: (x >= y, ~(x >= y)), x, y, chosen=True)


@tf("clip_by_norm")
@of_floats
def clip_by_norm(t, clip_norm, axes=None):
    """Return an array with a limit to its norm, in TensorFlow's own steps."""
    if isinstance(clip_norm, (int, float)) and clip_norm < 0:
        raise ValueError("a negative norm is not read")
    total = jnp.square(t).sum(axes, keepdims=True)
    some = total > 0.0
    norm = jnp.where(some, root(jnp.where(some, total, 1.0)), total)
    return t * clip_norm / first_larger(norm, jnp.asarray(clip_norm, t.dtype))


@tf("linalg.global_norm")
def global_norm(reader: Reader, t_list: Any) -> Array:
    """Read the norm of several tensors together."""
    parts = [TF["tensorflow.nn.l2_loss"](reader, one) for one in t_list if one is not None]
    total = TF["tensorflow.add_n"](reader, parts)
    return TF["tensorflow.sqrt"](reader, multiply(reader, total, 2.0))


@tf("clip_by_global_norm")
def clip_by_global_norm(reader: Reader, t_list: Any, clip_norm: Any, use_norm: Any = None) -> tuple:
    """Read a limit to the norm of several tensors together."""
    norm = global_norm(reader, t_list) if use_norm is None else use_norm
    clip = tensor(reader, clip_norm, norm.dtype)
    scale = multiply(reader, clip, minimum(reader, divide(reader, 1.0, norm), divide(reader, 1.0, clip)))
    return [None if one is None else multiply(reader, one, scale) for one in t_list], norm


# Fold axes.


def fold(reader: Reader, op: str, x: Any, axis: Any, keepdims: Any) -> Array:
    """Fold axes of a tensor by an op."""
    x = tensor(reader, x)
    made = arrays.fold(reader, op, x, written_out(reader, axis), keepdims)
    made.dtype = x.dtype
    return made


def _reduction(op: str) -> Read:
    def read(
        reader: Reader, input_tensor: Any, axis: Any = None, keepdims: Any = False, keep_dims: Any = None
    ) -> Array:
        x = tensor(reader, input_tensor)
        if x.dtype == BOOL:
            raise Refused("This is not computed of truth values.", "Write tf.cast(x, tf.float32).", "dtype")
        if op in ("mean", "logsumexp") and x.dtype not in FLOATS:
            raise Refused(
                "A mean of whole numbers is a whole number in TensorFlow.",
                "Write tf.cast(x, tf.float32).",
                "dtype",
            )
        return fold(reader, op, x, axis, keepdims or keep_dims)

    return read


for _op in ("sum", "mean", "max", "min", "prod", "logsumexp"):
    tf(f"reduce_{_op}", f"math.reduce_{_op}")(_reduction(_op))


for _name, _op in (("any", "max"), ("all", "min")):
    tf(f"reduce_{_name}", f"math.reduce_{_name}")(
        lambda reader, input_tensor, axis=None, keepdims=False, _op=_op: fold(
            reader, _op, truths(reader, input_tensor), axis, keepdims
        )
    )


def _variance(x, axis, keepdims):
    return jnp.square(x - x.mean(axis, keepdims=True)).mean(axis, keepdims=keepdims)


@tf("norm", "linalg.norm")
@of_floats
def norm(tensor, ord="euclidean", axis=None, keepdims=False):
    """Return the root of a sum of squares, a sum of sizes, or the largest size."""
    flat = axis is None or isinstance(axis, int) or len(axis) == 1
    if ord in ("euclidean", "fro") or (ord == 2 and flat):
        return root((tensor * tensor).sum(axis, keepdims=keepdims))
    if ord not in (1, math.inf) or not flat:
        raise Refused(f"The norm of order {ord} is not read.", "There are 1, 2 and inf of vectors.")
    return (jnp.sum if ord == 1 else jnp.max)(elements.absolute(tensor), axis, keepdims=keepdims)


@tf("nn.l2_normalize", "math.l2_normalize", "linalg.l2_normalize")
@of_floats
def l2_normalize(x, axis=None, epsilon=1e-12, dim=None):
    """Return an array over its norm, as TensorFlow: x * rsqrt(max(sum of squares, epsilon))."""
    total = jnp.square(x).sum(dim if axis is None else axis, keepdims=True)
    return x * rsqrt(first_larger(total, jnp.asarray(epsilon, x.dtype)))


@tf("nn.moments")
@of_floats
def moments(x, axes, shift=None, keepdims=False):
    """Return mean and variance; the variance is that about a mean that is not differentiated."""
    apart = jnp.square(x - lax.stop_gradient(x.mean(axes, keepdims=True)))
    return x.mean(axes, keepdims=keepdims), apart.mean(axes, keepdims=keepdims)


def _cumsum(x, axis=0, exclusive=False, reverse=False):
    x = jnp.flip(x, axis) if reverse else x
    if exclusive:
        before = lax.slice_in_dim(x, 0, -1, axis=axis)
        x = jnp.concatenate([jnp.zeros_like(lax.slice_in_dim(x, 0, 1, axis=axis)), before], axis)
    made = op("cumsum", x, axis=axis)
    return jnp.flip(made, axis) if reverse else made


in_jax(
    of_floats,
    {
        "math.reduce_variance": lambda input_tensor, axis=None, keepdims=False: _variance(
            input_tensor, axis, keepdims
        ),
        # Its gradient is NaN where all is equal.
        "math.reduce_std": lambda input_tensor, axis=None, keepdims=False: root(
            _variance(input_tensor, axis, keepdims)
        ),
        # Its gradient is NaN at 0, whatever arrives.
        "math.reduce_euclidean_norm": lambda input_tensor, axis=None, keepdims=False: jnp.sqrt(
            jnp.square(input_tensor).sum(axis, keepdims=keepdims)
        ),
        "nn.l2_loss": lambda t: 0.5 * jnp.square(t).sum(),
    },
)
in_jax(of_tensor, {"cumsum math.cumsum": _cumsum})


@tf("linalg.inv")
def inverse(reader: Reader, input: Any, adjoint: Any = False) -> Array:
    """Read the inverse of a small matrix."""
    if adjoint:
        raise Refused("tf.linalg.inv is read without adjoint.")
    made = reader.tables["numpy.linalg.inv"](reader, tensor(reader, input))
    if not np.isfinite(reader.numbers(made)).all():
        raise LibraryError("Input is not invertible.")
    return made


def _place(sign: str) -> Read:
    def read(reader: Reader, input: Any, axis: Any = None, output_type: Any = None) -> Array:
        x = reader.make(sign, [tensor(reader, input)]) if sign else tensor(reader, input)
        return reader.make("argmax", [x], dtype=INT, axis=axis_argument(0 if axis is None else axis))

    return read


tf("argmax", "math.argmax")(_place(""))
tf("argmin", "math.argmin")(_place("neg"))


@tf("sort")
def sort(reader: Reader, values: Any, axis: Any = -1, direction: Any = "ASCENDING") -> Array:
    """Read a sort."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise Refused(f"sort has no direction {direction!r}.", 'There are "ASCENDING" and "DESCENDING".')
    return _sorted(reader, tensor(reader, values), axis_argument(axis), direction == "DESCENDING")


def _sorted(reader: Reader, x: Array, axis: int, descending: bool) -> Array:
    # Of equal elements the first comes first in either direction: descending is not ascending turned.
    if not descending:
        return reader.make("sort", [x], dtype=x.dtype, axis=axis)
    negative = reader.make("sort", [reader.make("neg", [x], dtype=x.dtype)], dtype=x.dtype, axis=axis)
    return reader.make("neg", [negative], dtype=x.dtype)


class TopK(NamedTuple):
    """What `tf.math.top_k` returns."""

    values: Array
    indices: Array


@tf("math.top_k", "nn.top_k")
def top_k(reader: Reader, input: Any, k: Any = 1, sorted: Any = True) -> tuple:
    """Read the k largest along the last axis, the largest first, and their places."""
    if not sorted and k != 1:
        raise Refused("top_k is read with sorted=True: any other order is TensorFlow's own.")
    return TopK(*call_jax(reader, lax.top_k, tensor(reader, input), k))


# Products.


def _matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False):
    """Return a product of matrices, neither of which may be a vector in TensorFlow."""
    for one in (a, b):
        if one.ndim < 2:
            raise Refused(
                f"In[0] and In[1] ndims must be >= 2: here one has shape {list(one.shape)}.",
                "Write tf.linalg.matvec(a, x), tf.tensordot(a, b, 1), or x[:, None].",
                "shape-mismatch",
            )
    a = jnp.matrix_transpose(a) if transpose_a or adjoint_a else a
    return op("matmul", a, jnp.matrix_transpose(b) if transpose_b or adjoint_b else b)


in_jax(
    of_pair,
    {
        "matmul linalg.matmul": _matmul,
        "linalg.matvec": lambda a, b, transpose_a=False: op(
            "matmul", jnp.matrix_transpose(a) if transpose_a else a, b
        ),
        "tensordot linalg.tensordot": lambda a, b, axes: jnp.tensordot(a, b, axes),
    },
)
in_jax(
    of_floats,
    {
        "linalg.trace": lambda x: jnp.diagonal(x, axis1=-2, axis2=-1).sum(-1),
        "linalg.diag_part linalg.tensor_diag_part": lambda input: jnp.diagonal(input, axis1=-2, axis2=-1),
    },
)


@tf("einsum", "linalg.einsum")
def einsum(reader: Reader, equation: Any, *inputs: Any) -> Array:
    """Read a sum of products by letters."""
    made = alike(reader, list(inputs), "Einsum")
    return linear_algebra.einsum(reader, equation, *made)


@tf("linalg.diag", "linalg.tensor_diag")
@of_floats
def diag(diagonal):
    """Return a matrix with a vector on its diagonal."""
    if diagonal.ndim != 1:
        raise Refused("linalg.diag is read of vectors.")
    return jnp.where(jnp.eye(diagonal.size, dtype=bool), diagonal[None], 0.0)


# Choose.


@tf("where")
def where(reader: Reader, condition: Any, x: Any = None, y: Any = None) -> Array:
    """Read a choice by a condition; NaN of the branch that is not taken still reaches the gradient."""
    if x is None or y is None:
        raise Refused("tf.where without two values returns places, whose number depends on numbers.")
    chosen = alike(reader, [x, y], "SelectV2")
    mask = tensor(reader, condition)
    if mask.dtype != BOOL:
        raise Refused("tf.where takes a condition of truth values.", "Write tf.where(x > 0, a, b).", "dtype")
    return reader.make("where", [mask, *chosen], dtype=chosen[0].dtype)


@tf("one_hot")
def one_hot(
    reader: Reader,
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = -1,
    dtype: Any = None,
) -> Array:
    """Read classes as rows with one 1."""
    if axis not in (-1, None):
        raise Refused("one_hot is read along the last axis.")
    count, kind = int(whole_numbers(reader, depth)), kind_named(reader, dtype) or "float32"
    rows = reader.make("one_hot", [tensor(reader, indices)], num_classes=count, dtype=kind)
    on, off = (1.0 if on_value is None else on_value), (0.0 if off_value is None else off_value)
    if (on, off) != (1.0, 0.0):
        rows = reader.make("add", [reader.make("mul", [rows, float(on - off)]), float(off)])
    return rows


def _mapped(function, batch_dims):
    for _ in range(batch_dims):
        function = jax.vmap(function)
    return function


def _check_places(places, sizes, batch, shape):
    """Refuse places, of which the last axis has one for each size, unless all are there."""
    if not places.size:
        raise Refused("A tensor has at least one element here.")
    if places.shape[:batch] != shape[:batch]:
        raise Refused("The first axes of both tensors have to be of one length.", code="shape-mismatch")
    if (places < 0).any() or (places >= np.array(sizes)).any():
        raise LibraryError(f"indices are not in [0, {sizes[0]}).")


def _gather(params, indices, axis, batch_dims):
    batch = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    axis = batch if axis is None else axis_of(params.ndim, axis)
    _check_places(indices[..., None], [params.shape[axis]], batch, params.shape)
    return _mapped(lambda x, i: jnp.take(x, i, axis=axis - batch), batch)(params, indices)


def _gather_nd(params, indices, batch_dims):
    sizes = params.shape[batch_dims : batch_dims + indices.shape[-1]]
    _check_places(indices, sizes, batch_dims, params.shape)
    return _mapped(lambda x, i: x[tuple(jnp.moveaxis(i, -1, 0))], batch_dims)(params, indices)


def _at_places(reader: Reader, function: Callable[..., Any], x: Any, places: Any, *options: Any) -> Array:
    """Return what a function makes of a tensor and places, of which it knows the numbers."""
    x, places = tensor(reader, x), constant(reader, whole_numbers(reader, places), "tf", INT)
    return call_jax(reader, function, x, places, *written_out(reader, options))


@tf("gather")
def gather(
    reader: Reader,
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: Any = 0,
) -> Array:
    """Read elements by their places along an axis; the gradient is read dense, not as IndexedSlices."""
    return _at_places(reader, _gather, params, indices, axis, batch_dims)


@tf("gather_nd")
def gather_nd(reader: Reader, params: Any, indices: Any, batch_dims: Any = 0) -> Array:
    """Read elements by several places each."""
    return _at_places(reader, _gather_nd, params, indices, batch_dims)


@tf("nn.embedding_lookup")
def embedding_lookup(reader: Reader, params: Any, ids: Any, max_norm: Any = None) -> Array:
    """Read rows of a table."""
    if max_norm is not None:
        raise Refused("embedding_lookup is read without max_norm.")
    return gather(reader, params, ids)


@tf("boolean_mask")
def boolean_mask(reader: Reader, tensor: Any, mask: Any, axis: Any = None) -> Array:
    """Read the rows that a condition picks for these numbers."""
    if axis not in (None, 0):
        raise Refused("boolean_mask is read along the first axis.")
    picked = reader.numbers(mask) if isinstance(mask, Array) else np.array(mask)
    if picked.ndim != 1:
        raise Refused("A mask is read along the first axis.", "Write tf.where(mask, x, 0.0).")
    reader.say(reader.line, "which elements the mask picks is taken from these numbers")
    places = np.flatnonzero(picked).tolist()
    if not places:
        raise Refused("The mask picks nothing, and a tensor has at least one element here.")
    return gather(reader, tensor, places)


# Shapes.


def sizes_of(reader: Reader, shape: Any) -> tuple[int, ...]:
    """Return a shape argument as whole numbers."""
    if isinstance(shape, Array):
        return tuple(int(size) for size in whole_numbers(reader, shape).reshape(-1))
    parts = [shape] if isinstance(shape, int) else list(shape)
    return tuple(int(whole_numbers(reader, one)) if isinstance(one, Array) else one for one in parts)


def axis_of(rank: int, axis: Any) -> int:
    """Return an axis of a tensor, counted from the first.

    Raises:
      Refused: the tensor has no such axis.
    """
    if type(axis) is not int or not -rank <= axis < rank:
        raise Refused(f"A tensor of {rank} axes has no axis {axis!r}.", code="shape-mismatch")
    return axis % rank


def _reshaped(reader: Reader, x: Array, shape: tuple[int, ...]) -> Array:
    if shape_of(reader, x) == tuple(shape):
        return x
    made = arrays.reshape(reader, x, tuple(shape))
    made.dtype = x.dtype
    return made


@tf("reshape")
def reshape(reader: Reader, tensor: Any, shape: Any) -> Array:
    """Read a new shape."""
    x = as_tensor(reader, tensor)
    made = arrays.reshape(reader, x, sizes_of(reader, shape))
    made.dtype = x.dtype
    return made


as_tensor = tensor  # some functions of TensorFlow call an argument so


in_jax(
    of_tensor,
    {
        "transpose": lambda a, perm=None, conjugate=False: jnp.transpose(a, perm),
        "linalg.matrix_transpose linalg.adjoint": lambda a: jnp.matrix_transpose(a),
        "expand_dims": lambda input, axis: op("expand_dims", input, axis=axis),
        "squeeze": lambda input, axis=None: jnp.squeeze(input, axis),
        "broadcast_to": lambda input, shape: jnp.broadcast_to(input, shape),
        "tile": lambda input, multiples: jnp.tile(input, multiples),
        "reverse": lambda tensor, axis: jnp.flip(tensor, axis),
        "roll": lambda input, shift, axis: jnp.roll(input, shift, axis),
    },
)
in_jax(
    of_list,
    {
        "concat": lambda values, axis: jnp.concatenate(values, axis),
        "stack": lambda values, axis=0: jnp.stack(values, axis),
    },
)
squeeze, concat, stack = (TF[f"tensorflow.{_name}"] for _name in ("squeeze", "concat", "stack"))


@tf("unstack")
def unstack(reader: Reader, value: Any, num: Any = None, axis: Any = 0) -> list[Array]:
    """Read the rows of a tensor along an axis."""
    x = tensor(reader, value)
    shape = shape_of(reader, x)
    axis = axis_of(len(shape), axis)
    before = [(None, None, None)] * axis
    return [reader.make("getitem", [x], dtype=x.dtype, index=(*before, i)) for i in range(shape[axis])]


@tf("split")
@of_tensor
def split(value, num_or_size_splits, axis=0, num=None):
    """Return the pieces of an array along an axis: equal ones, or of given lengths."""
    axis = axis_of(value.ndim, axis)
    length, sizes = value.shape[axis], num_or_size_splits
    if isinstance(sizes, int):
        if not sizes or length % sizes:
            raise Refused(f"{length} elements cannot be split to {sizes} equal parts.")
        sizes = (length // sizes,) * sizes
    sizes = [length - sum(s for s in sizes if s >= 0) if size == -1 else size for size in sizes]
    if sum(sizes) != length:
        raise Refused(f"Pieces of {sizes} do not make {length} elements.", "", "shape-mismatch")
    return lax.split(value, sizes, axis)


@tf("slice")
def slice_(reader: Reader, input_: Any, begin: Any, size: Any) -> Array:
    """Read a piece of a tensor."""
    x = tensor(reader, input_)
    parts = zip(sizes_of(reader, begin), sizes_of(reader, size), strict=True)
    index = tuple((first, None if length == -1 else first + length, None) for first, length in parts)
    return reader.make("getitem", [x], dtype=x.dtype, index=index)


@tf("repeat")
@of_tensor
def repeat(input, repeats, axis=None):
    """Return each element repeated, all as often or each as often as its own number says."""
    input, axis = (input.reshape(-1), 0) if axis is None else (input, axis_of(input.ndim, axis))
    counts = (repeats,) if isinstance(repeats, int) else repeats
    counts = counts * input.shape[axis] if len(counts) == 1 else counts
    if len(counts) != input.shape[axis]:
        raise LibraryError(f"There are {input.shape[axis]} elements, and {len(counts)} repeats.")
    sized((sum(counts),))
    return jnp.take(input, np.array([i for i, count in enumerate(counts) for _ in range(count)]), axis)


@tf("pad")
@of_tensor
def pad(tensor, paddings, mode="CONSTANT", constant_values=0):
    """Return an array set into a larger one of one number, or with its own elements around it."""
    if mode.upper() not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise LibraryError(f"Value of argument mode expected to be CONSTANT, REFLECT, or SYMMETRIC: {mode}")
    options = {"constant_values": constant_values} if mode.upper() == "CONSTANT" else {}
    return jnp.pad(tensor, paddings, mode.lower(), **options)


def _scattered(adds: bool) -> Read:
    def read(reader: Reader, tensor: Any, indices: Any, updates: Any) -> Array:
        x, new = alike(reader, [as_tensor(reader, tensor), updates], "TensorScatter")
        return _at_places(reader, _tensor_scatter_nd, x, indices, new, adds)

    return read


tf("tensor_scatter_nd_update")(_scattered(False))
tf("tensor_scatter_nd_add")(_scattered(True))


def _tensor_scatter_nd(tensor, indices, updates, adds):
    places = indices.reshape(-1, indices.shape[-1])
    _check_places(places, tensor.shape[: places.shape[-1]], 0, ())
    if not adds and len(np.unique(places, axis=0)) < len(places):
        raise Refused("Which of two updates of one element stays nobody can foretell.")
    at = tensor.at[tuple(np.moveaxis(indices, -1, 0))]
    return at.add(updates) if adds else at.set(updates)


# Make tensors.


def full(reader: Reader, shape: Any, number: Any, kind: str | None = None) -> Array:
    """Return a tensor of one number."""
    sizes = sizes_of(reader, shape)
    sizes = arrays.shape_argument(sizes) if sizes else ()
    return constant(reader, np.full(sized(sizes), float(number)), "tf", kind or "float32")


@tf("constant", "compat.v1.constant")
def constant_tensor(reader: Reader, value: Any, dtype: Any = None, shape: Any = None) -> Array:
    """Read a constant."""
    if isinstance(value, (list, tuple)) and any(one.framework == "tf" for one in arrays_in(value)):
        raise Refused("tf.constant takes numbers, not tensors.", "Write tf.stack([a, b]).")
    made = tensor(reader, value, dtype)
    if isinstance(value, Array) and value.framework == "tf":
        return made
    made = Array(made.held, "tf", made.dtype)
    if shape is None:
        return made
    if shape_of(reader, made) == ():
        return full(reader, shape, np.array(made.held), made.dtype)
    return _reshaped(reader, made, sizes_of(reader, shape))


@tf("convert_to_tensor")
def convert_to_tensor(reader: Reader, value: Any, dtype: Any = None, dtype_hint: Any = None) -> Array:
    """Read a conversion; it may contain tensors."""
    return tensor(reader, value, dtype)


def _filled(name: str, number: float) -> None:
    def of_shape(reader: Reader, shape: Any, dtype: Any = "float32") -> Array:
        return tensor(reader, full(reader, shape, number, kind_named(reader, dtype)))

    def like(reader: Reader, input: Any, dtype: Any = None) -> Array:
        x = tensor(reader, input)
        return reader.make(f"{name}_like", [x], dtype=kind_named(reader, dtype) or x.dtype)

    tf(name)(of_shape)
    tf(f"{name}_like")(like)


_filled("zeros", 0.0)
_filled("ones", 1.0)


@tf("fill")
def fill(reader: Reader, dims: Any, value: Any) -> Array:
    """Read a tensor of one number."""
    one = tensor(reader, value)
    if one.is_node:
        return TF["tensorflow.broadcast_to"](reader, one, dims)
    return full(reader, dims, one.held, one.dtype)


@tf("eye", "linalg.eye")
def eye(reader: Reader, num_rows: Any, num_columns: Any = None, dtype: Any = "float32") -> Array:
    """Read an identity matrix."""
    sizes = arrays.shape_argument((num_rows, num_columns or num_rows))
    return constant(reader, np.eye(*sized(sizes)), "tf", kind_named(reader, dtype))


@tf("range")
def range_(
    reader: Reader, *args: Any, dtype: Any = None, start: Any = None, limit: Any = None, delta: Any = None
) -> Array:
    """Read a range of numbers."""
    named = [one for one in (start, limit, delta) if one is not None]
    numbers = [
        float(reader.numbers(one))
        if isinstance(one, Array) and one.dtype in FLOATS
        else int(whole_numbers(reader, one))
        if isinstance(one, Array)
        else one
        for one in (*args, *named)
    ]
    made = arrays._arange(reader, "jax", tuple(numbers), dtype)
    return tensor(reader, Array(made.held, "tf", made.dtype))


@tf("linspace")
def linspace(reader: Reader, start: Any, stop: Any, num: Any, axis: Any = 0) -> Array:
    """Read equal steps between two numbers."""
    if not all(isinstance(one, (int, float)) for one in (start, stop)):
        raise Refused("linspace is read between two numbers that are written out.")
    kind = "float64" if type(start) is int else "float32"
    steps = np.linspace(start, stop, *sized(arrays.shape_argument(num)), dtype=kind).astype(float)
    return tensor(reader, constant(reader, steps, "tf", kind))


@tf("cast", "compat.v1.to_float")
def cast(reader: Reader, x: Any, dtype: Any = "float32") -> Array:
    """Read another dtype; whole numbers lose the fraction and the gradient."""
    x, kind = tensor(reader, x), kind_named(reader, dtype)
    if kind == x.dtype:
        return x
    if kind in FLOATS:
        reader.state(Dtypes).floats.add(kind)
    if kind == BOOL:
        return reader.make("not_equal", [x, 0.0], dtype=BOOL)
    if kind == INT and x.dtype in FLOATS:
        reader.say(reader.line, "a cast to whole numbers has no gradient")
        size = reader.make("floor", [reader.make("abs", [x])])
        return reader.make("mul", [reader.make("sign", [x]), size], dtype=INT)
    if x.is_node and x.dtype not in FLOATS:
        return reader.make(
            IDENTITY, [x], dtype=kind, rule=Rule(STOP) if isinstance(reader.builder, Builder) else None
        )
    if x.is_node:
        return reader.make(IDENTITY, [x], dtype=kind)
    return Array(x.held, "tf", kind or x.dtype)


@tf("stop_gradient")
def stop_gradient(reader: Reader, input: Any) -> Any:
    """Read a stop: the same value, and no gradient."""
    x = tensor(reader, input)
    if not x.is_node:
        return x
    return reader.make(IDENTITY, [x], dtype=x.dtype, rule=Rule(STOP))


@tf("shape")
def shape(reader: Reader, input: Any, out_type: Any = None) -> Array:
    """Read a shape as a tensor of whole numbers."""
    sizes = shape_of(reader, tensor(reader, input))
    if not sizes:
        raise Refused("The shape of a number has no elements, and a tensor has at least one here.")
    return constant(reader, list(sizes), "tf", INT)


@tf("size", "compat.v1.size")
def size(reader: Reader, input: Any, out_type: Any = None) -> Array:
    """Read how many elements a tensor has."""
    return constant(reader, math.prod(shape_of(reader, tensor(reader, input))), "tf", INT)


@tf("rank")
def rank(reader: Reader, input: Any) -> Array:
    """Read how many axes a tensor has."""
    return constant(reader, len(shape_of(reader, tensor(reader, input))), "tf", INT)


# Draws.


def drawn(reader: Reader, op: str, what: str, shape: Any, dtype: Any, **params: Any) -> Array:
    """Return numbers that TensorFlow draws: here others of the same distribution, as an example."""
    sizes = arrays.shape_argument(sizes_of(reader, shape)) if shape not in ([], ()) else ()
    kind = kind_named(reader, dtype) or "float32"
    if kind not in FLOATS:
        raise Refused(f"{what} of whole numbers is not read.", "Write the numbers that it drew.")
    return tensor(
        reader, Array(reader.state(Draws).draw(reader, op, what, shape=sizes, **params), "tf", kind)
    )


@tf("random.uniform", "random_uniform", "compat.v1.random_uniform", "compat.v1.random.uniform")
def random_uniform(
    reader: Reader, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", seed: Any = None
) -> Array:
    """Read a uniform draw."""
    ends = {"low": float(minval), "high": 1.0 if maxval is None else float(maxval)}
    return drawn(reader, "uniform", "tf.random.uniform", shape, dtype, **ends)


@tf(
    "random.normal", "random_normal", "compat.v1.random_normal", "random.truncated_normal", "truncated_normal"
)
def random_normal(
    reader: Reader, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None
) -> Array:
    """Read a normal draw."""
    return drawn(reader, "normal", "tf.random.normal", shape, dtype, mean=float(mean), scale=float(stddev))


@tf("nn.dropout")
def dropout(reader: Reader, x: Any, rate: Any = None, noise_shape: Any = None, seed: Any = None) -> Array:
    """Read dropout as a product with a drawn mask."""
    x = floating(reader, x, "nn.dropout")
    if noise_shape is not None:
        raise Refused("dropout is read without noise_shape.")
    if isinstance(rate, (int, float)) and not 0 <= rate < 1:
        raise LibraryError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: {rate}")
    if not rate:
        return x
    mask = reader.make(
        "greater_equal",
        [drawn(reader, "uniform", "tf.nn.dropout", list(shape_of(reader, x)), None), float(rate)],
        dtype=BOOL,
    )
    return reader.make("mul", [reader.make("div", [x, 1.0 - float(rate)]), mask], dtype=x.dtype)


# Layers and losses.


def _check_images(name: str, data_format: Any, padding: Any, dilations: Any = None) -> None:
    if data_format != "NHWC" or dilations not in (None, 1, [1, 1], (1, 1), [1, 1, 1, 1]):
        raise Refused(f"{name} is read of NHWC, without dilations.")
    if padding not in ("SAME", "VALID"):
        raise Refused(f"{name} is read with padding SAME or VALID.")


def _inner(sizes: Any) -> Any:
    """Return two of four numbers, where those for the batch and the channels are 1."""
    four = isinstance(sizes, (list, tuple)) and len(sizes) == 4 and list(sizes[::3]) == [1, 1]
    return sizes[1:3] if four else sizes


def one_side(sizes: Any, name: str) -> int:
    """Return the number that stands for both directions of an image."""
    sizes = [sizes] if type(sizes) is int else list(sizes)
    if any(type(one) is not int or one != sizes[0] for one in sizes):
        raise Refused(f"{name} is read with one number for both directions.")
    return sizes[0]


def convolved(
    reader: Reader, x: Array, kernel: Array, bias: Any, strides: Any, padding: Any, name: str
) -> Array:
    """Return a convolution of images."""
    if bias is None:
        bias = tensor(reader, [0.0] * shape_of(reader, kernel)[-1], x.dtype)
    stride = one_side(strides, name)
    return reader.make("conv2d", [x, kernel, bias], dtype=x.dtype, stride=stride, padding=padding)


@tf("nn.conv2d")
def conv2d(
    reader: Reader,
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = None,
) -> Array:
    """Read a convolution of images."""
    _check_images("conv2d", data_format, padding, dilations)
    x, kernel = alike(reader, [input, filters], "conv2d")
    return convolved(reader, x, kernel, None, _inner(strides), padding, "conv2d")


def _pool(x, name, window, stride, padding):
    sizes = {"window": window, "stride": stride, "padding": padding}
    made = op(name, x, **sizes)
    # The op divides by all places of a window, TensorFlow by those within the image.
    plain = name == "max_pool" or padding == "VALID"
    return made if plain else made / op(name, jnp.ones_like(x), **sizes)


def pool(reader: Reader, op: str, x: Any, window: Any, strides: Any, padding: Any, name: str) -> Array:
    """Return a pooling of images; a mean at the margin is that of the pixels that there are."""
    x, sides = floating(reader, x, name), (one_side(window, name), one_side(strides, name))
    return call_jax(reader, _pool, x, op, *sides, padding)


for _op in ("max_pool", "avg_pool"):

    @tf(f"nn.{_op}2d", f"nn.{_op}")
    def _pooled(
        reader: Reader,
        input: Any,
        ksize: Any,
        strides: Any,
        padding: Any,
        data_format: Any = "NHWC",
        _op: str = _op,
    ) -> Array:
        _check_images(_op, data_format, padding)
        return pool(reader, _op, input, _inner(ksize), _inner(strides), padding, _op)


@tf("nn.batch_normalization")
@of_floats
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon):
    """Return a normalisation in TensorFlow's own steps."""
    inverse = rsqrt(variance + variance_epsilon)
    inverse = inverse if scale is None else inverse * scale
    return x * inverse + (-mean * inverse if offset is None else offset - mean * inverse)


@tf("nn.softmax_cross_entropy_with_logits", "nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy(reader: Reader, labels: Any, logits: Any, axis: Any = -1) -> Array:
    """Read the cross-entropy of logits and probabilities, whose gradient is softmax(logits) - labels."""
    labels, logits = alike(reader, [labels, logits], "SoftmaxCrossEntropyWithLogits")
    if axis not in (-1, len(shape_of(reader, logits)) - 1):
        raise Refused("Cross-entropy is read along the last axis.")
    logs = reader.make("log_softmax", [logits], axis=-1)
    losses = reader.make("neg", [fold(reader, "sum", reader.make("mul", [labels, logs]), -1, False)])
    if not isinstance(reader.builder, Builder) or not logits.is_node:
        return losses
    # The registered gradient is softmax - labels also where labels do not sum to 1; the true one is not.
    reads = [Array(reader.builder.stopped(losses.held), "tf", losses.dtype), logits]
    pull = "expand_dims(v, -1) * (softmax(x, axis=-1) - {})"
    if not labels.is_node:
        rule = f"lambda v, y, x, out: (zeros_like(y), {pull.format(written(labels.held))})"
        return reader.make("first", reads, rule=rule_of(rule), dtype=losses.dtype)
    # The gradient by the logits is an output of the same op, whose own gradient by the labels is 0, not None.
    own = reader.make("identity", [labels], rule=rule_of("lambda v, l, out: zeros_like(l)"))
    by_labels = "expand_dims(v, -1) * -log_softmax(x, axis=-1)"
    rule = f"lambda v, y, x, l, m, out: (zeros_like(y), {pull.format('m')}, {by_labels}, zeros_like(m))"
    return reader.make("first", [*reads, labels, own], rule=rule_of(rule), dtype=losses.dtype)


@tf("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy(reader: Reader, labels: Any, logits: Any) -> Array:
    """Read the cross-entropy of logits and classes."""
    logits = floating(reader, logits, "nn.sparse_softmax_cross_entropy_with_logits")
    classes = tensor(reader, labels)
    if classes.dtype != INT:
        raise Refused("Classes are whole numbers.", "Write tf.cast(labels, tf.int32).", "dtype")
    return reader.make("softmax_cross_entropy_with_integer_labels", [logits, classes], dtype=logits.dtype)


@tf("nn.sigmoid_cross_entropy_with_logits")
@of_alike
def sigmoid_cross_entropy(labels, logits):
    """Return the cross-entropy of logits and one probability each."""
    return op("sigmoid_binary_cross_entropy", logits, labels)


@tf("nn.weighted_cross_entropy_with_logits")
@of_alike
def weighted_cross_entropy_with_logits(labels, logits, pos_weight):
    """Return a cross-entropy with a weight for what is true, in TensorFlow's own steps."""
    weight = 1.0 + (pos_weight - 1.0) * labels
    below_0 = jnp.log1p(jnp.exp(-elements.absolute(logits))) + jax.nn.relu(-logits)
    return (1.0 - labels) * logits + weight * below_0


# Functions of functions.


@tf("cond", "compat.v1.cond")
def cond(reader: Reader, pred: Any, true_fn: Any = None, false_fn: Any = None) -> Any:
    """Read the branch that is taken for these numbers."""
    taken = reader.truth(pred)
    if isinstance(pred, Array):
        reader.say(
            reader.line, f"tf.cond takes its {'first' if taken else 'second'} branch for these numbers"
        )
    return reader.call(true_fn if taken else false_fn, [], {})


@tf("while_loop")
def while_loop(
    reader: Reader,
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: Any = None,
    back_prop: Any = True,
    swap_memory: Any = False,
    maximum_iterations: Any = None,
) -> Any:
    """Read a loop unrolled, as often as these numbers say."""
    if back_prop is not True:
        raise Refused("while_loop is read with its gradient.", "Write tf.stop_gradient around it.")
    values = [tensor(reader, one) if isinstance(one, (int, float)) else one for one in loop_vars]
    steps = 0
    while maximum_iterations is None or steps < maximum_iterations:
        if not reader.truth(reader.call(cond, list(values), {})):
            break
        if steps >= UNROLLED:
            raise Refused(f"A loop of more than {UNROLLED} steps is not unrolled.", "", "too-large")
        made = reader.call(body, list(values), {})
        values = list(made) if isinstance(made, (list, tuple)) else [made]
        steps += 1
    reader.say(reader.line, f"tf.while_loop is unrolled: {steps} steps for these numbers")
    return type(loop_vars)(values) if isinstance(loop_vars, (list, tuple)) else values


@tf("map_fn", "vectorized_map")
def map_fn(reader: Reader, fn: Any, elems: Any, **options: Any) -> Any:
    """Read a function of each row, unrolled."""
    known = ("dtype", "fn_output_signature", "parallel_iterations")
    if unread := [key for key, value in options.items() if value is not None and key not in known]:
        raise Refused(f"map_fn is not read with {', '.join(unread)}.")
    return _stacked(reader, [reader.call(fn, [row], {}) for row in _rows(reader, elems)])


def _stacked(reader: Reader, rows: list[Any]) -> Any:
    if isinstance(rows[0], (list, tuple)):
        return type(rows[0])(_stacked(reader, list(column)) for column in zip(*rows, strict=True))
    return stack(reader, rows)


def _totals(reader: Reader, fn: Any, elems: Any, initializer: Any, options: dict[str, Any]) -> list[Any]:
    """Return what a running fold of the rows has after each; options that change that are refused."""
    usual = {"reverse": False, "back_prop": True}
    speed = ("parallel_iterations", "swap_memory", "infer_shape")
    if wrong := [
        key for key, one in options.items() if key not in speed and one not in (usual.get(key), None)
    ]:
        raise Refused(f"This fold is not read with {', '.join(wrong)}.")
    rows = list(_rows(reader, elems))
    made = [rows.pop(0) if initializer is None else mapped(lambda x: tensor(reader, x), initializer)]
    for row in rows:
        made.append(reader.call(fn, [made[-1], row], {}))
    return made


@tf("scan")
def scan(reader: Reader, fn: Any, elems: Any, initializer: Any = None, **options: Any) -> Any:
    """Read a running fold of the rows, unrolled."""
    made = _totals(reader, fn, elems, initializer, options)
    return _stacked(reader, made if initializer is None else made[1:])


@tf("foldl")
def foldl(reader: Reader, fn: Any, elems: Any, initializer: Any = None, **options: Any) -> Any:
    """Read a fold of the rows, unrolled."""
    return _totals(reader, fn, elems, initializer, options)[-1]


def _rows(reader: Reader, elems: Any) -> list[Any]:
    first = tensor(reader, leaves(elems)[0][1])
    count = shape_of(reader, first)[0]
    if count > UNROLLED:
        raise Refused(f"This is unrolled for at most {UNROLLED} rows.", "", "too-large")
    return [mapped(lambda x, i=i: arrays.getitem(reader, tensor(reader, x), i), elems) for i in range(count)]


def transparent(reader: Reader, func: Any = None, **options: Any) -> Any:
    """Read what changes no number: `tf.function`, with or without arguments."""
    return Native(lambda _, args, kw: args[0], "function") if func is None else func


TF["tensorflow.function"] = transparent
TF["tensorflow.autograph.experimental.do_not_convert"] = transparent


@tf("recompute_grad")
def recompute_grad(reader: Reader, f: Any) -> Native:
    """Read a function that is run again for its gradient: its nodes are a region."""

    def call(_: Reader, args: list, keywords: dict) -> Any:
        with reader.frame(Frame(getattr(f, "name", "block"), POLICIES[0])):
            return reader.call(f, args, keywords)

    return Native(call, "recompute_grad", f)


@tf("nest.map_structure")
def map_structure(reader: Reader, func: Any, *structures: Any, **options: Any) -> Any:
    """Read a function of each leaf of nested lists."""
    others = [[leaf for _, leaf in leaves(one)] for one in structures[1:]]
    places = iter(range(len(leaves(structures[0]))))

    def one(leaf: Any) -> Any:
        i = next(places)
        return reader.call(func, [leaf, *[other[i] for other in others]], {})

    return mapped(one, structures[0])


@tf("nest.flatten")
def flatten(reader: Reader, structure: Any) -> list[Any]:
    """Read the leaves of nested lists."""
    return [leaf for _, leaf in leaves(structure)]


def _nothing(reader: Reader, *args: Any, **keywords: Any) -> None:
    return None


COMPUTE_NOTHING = (
    "print random.set_seed compat.v1.set_random_seed set_random_seed disable_v2_behavior "
    "compat.v1.disable_v2_behavior compat.v1.disable_eager_execution compat.v1.enable_eager_execution "
    "enable_eager_execution disable_eager_execution compat.v1.reset_default_graph reset_default_graph "
    "compat.v1.logging.set_verbosity config.run_functions_eagerly keras.utils.set_random_seed "
    "keras.backend.clear_session debugging.assert_near debugging.assert_equal "
    "debugging.enable_check_numerics"
)
for _name in COMPUTE_NOTHING.split():
    TF[f"tensorflow.{_name}"] = _nothing


@tf("debugging.check_numerics")
def check_numerics(reader: Reader, tensor: Any, message: Any = "") -> Array:
    """Read a check, which changes no number."""
    return identity(reader, tensor)


# What tensors are asked for.


def numpy_of(reader: Reader, x: Array) -> Array:
    """Return the numbers of a tensor as NumPy's array, which no gradient passes."""
    held = reader.builder.stopped(x.held) if isinstance(x.held, Ref) else x.held
    return Array(held, "numpy", x.dtype)


METHODS["numpy"] = numpy_of
METHODS["get_shape"] = lambda reader, x: shape_of(reader, x)
METHODS["set_shape"] = lambda reader, x, shape: None


def item(reader: Reader, x: Array, index: Any, node: ast.AST) -> Array:
    """Return elements of a tensor; a place may be a tensor of one whole number."""
    if isinstance(index, Array) and index.dtype == BOOL:
        return boolean_mask(reader, x, index)
    parts = index if isinstance(index, tuple) else (index,)

    def plain(part: Any) -> Any:
        if isinstance(part, Array):
            place = whole_numbers(reader, part)
            if place.ndim:
                raise Refused("A place is one whole number.", "Write tf.gather(x, i).", at=node)
            return int(place)
        if isinstance(part, slice):
            return slice(*(plain(one) for one in (part.start, part.stop, part.step)))
        return None if isinstance(part, Path) and part.name == "tensorflow.newaxis" else part

    return reader.make("getitem", [x], dtype=x.dtype, index=arrays.index_of(reader, tuple(map(plain, parts))))


def shape_attribute(reader: Reader, owner: tuple, name: str, node: ast.AST) -> Any:
    """Return what a tensor's shape is asked for: `as_list()`, `rank`."""
    if name == "as_list":
        return Native(lambda _, args, kw: list(owner), name)
    if name in ("rank", "ndims"):
        return len(owner)
    return plain_method(reader, owner, name, node)
