"""Read functions of NumPy's and JAX's arrays: as JAX's own, or as JAX code with what is read of them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autodiff_viz.reading.functions.arrays import FUNCTIONS, METHODS, known, r_array, shape_of
from autodiff_viz.reading.functions.library_calls import call_jax, jax_function
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, INT, Array, Path, Refused
from autodiff_viz.reading.nodes.costs import LibraryError
from autodiff_viz.reading.numpy.own_functions import own, own_function, own_method, own_methods
from autodiff_viz.reading.tensors.own_dtypes import check_divisor

OWN = {
    "numpy": (
        "all any append argmin around array_split atleast_1d atleast_2d average bitwise_and bitwise_not "
        "bitwise_or ceil column_stack conj conjugate count_nonzero cross cumprod cumsum deg2rad degrees "
        "diag diagonal diff flip fliplr flipud float_power full_like heaviside hstack inner invert "
        "isfinite isinf isnan kron logical_and logical_not logical_or logical_xor matrix_transpose median "
        "meshgrid moveaxis nan_to_num nanmax nanmean nanmin nanprod nansum outer pad percentile "
        "permute_dims polyval positive ptp quantile rad2deg radians real reciprocal repeat rint roll "
        "round sort split std swapaxes tensordot tile trace transpose tri tril triu trunc var vdot vstack"
    ),
    "numpy.linalg": "norm trace",
    "lax": (
        "abs acos acosh add argmax argmin asin asinh atan atan2 atanh cbrt ceil clamp collapse "
        "concatenate conv conv_general_dilated conv_with_general_padding cos cosh cummax cummin cumprod "
        "cumsum div dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_update_index_in_dim "
        "dot_general dynamic_update_slice dynamic_update_slice_in_dim eq erf erfc exp exp2 expand_dims expm1 "
        "floor full_like ge gt index_in_dim is_finite le log log1p logistic lt max min mul ne neg "
        "optimization_barrier pow reciprocal reshape rev rsqrt select select_n sign sin sinh slice_in_dim "
        "sort sqrt square squeeze sub tan tanh top_k transpose"
    ),
    "nn": (
        "celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh identity leaky_relu log_sigmoid "
        "log_softmax logsumexp mish one_hot relu6 selu soft_sign softmax standardize"
    ),
    "scipy.special": "entr log_softmax logit logsumexp ndtr softmax xlogy",
}
"""Functions that are read as JAX's own, by the module."""

own(*(f"{module}.{name}" for module, names in OWN.items() for name in names.split()))
own_methods(
    "all any argmin clip conj cumprod cumsum diagonal ptp repeat round std swapaxes trace transpose var"
)
FUNCTIONS["numpy.fix"] = own_function("numpy.fix", jnp.trunc)


def _with_options(plain: Callable[..., Any], whole: Callable[..., Any]) -> Callable[..., Any]:
    """Return a fold that is one op, and JAX's own function where it is called with more."""

    def read(reader: Reader, x: Any, axis: Any = None, *more: Any, **options: Any) -> Any:
        simple = not more and set(options) <= {"keepdims", "dtype"} and type(axis) in (int, type(None))
        return (plain if simple else whole)(reader, x, axis, *more, **options)

    return read


for _name in ("sum", "mean", "prod", "max", "min", "amax", "amin"):
    FUNCTIONS[f"numpy.{_name}"] = _with_options(FUNCTIONS[f"numpy.{_name}"], own_function(f"numpy.{_name}"))
    if _name in METHODS:
        _whole = own_method(_name), own_function(f"numpy.{_name}")
        METHODS[_name] = _with_options(
            METHODS[_name],
            lambda reader, x, *a, _two=_whole, **k: _two[x.framework == "numpy"](reader, x, *a, **k),
        )

_clip = own_function("numpy.clip")


@known("numpy.clip")
def clip(reader: Reader, *args: Any, **ends: Any) -> Array:
    """Read limits to a value, which NumPy calls by these names too."""
    names = {"a_min": "min", "a_max": "max"} if reader.library == "numpy" else {}
    return _clip(reader, *args, **{names.get(name, name): end for name, end in ends.items()})


@known("numpy.shape")
def shape(reader: Reader, a: Any) -> tuple[int, ...]:
    """Read the shape of an array, or of a number."""
    return shape_of(reader, r_array(reader, a))


@known("numpy.ndim")
def ndim(reader: Reader, a: Any) -> int:
    """Read how many axes an array has."""
    return len(shape(reader, a))


@known("numpy.size")
def size(reader: Reader, a: Any) -> int:
    """Read how many elements an array has."""
    return math.prod(shape(reader, a))


flip, split = FUNCTIONS["numpy.flip"], FUNCTIONS["numpy.split"]


def _select(condlist, choicelist, default=0):
    """Return the first choice whose condition holds."""
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        default = jnp.where(condition, choice, default)
    return default


FUNCTIONS["numpy.select"] = own_function("numpy.select", _select)


LONGEST = 64  # of what is compared with each place or interval of an axis


def _interp(x: jax.Array, xp: jax.Array, fp: jax.Array, left=None, right=None, period=None):
    """Return the values at points of a function that is linear between known points, in rising order."""
    if period is not None or isinstance(left, str) or isinstance(right, str) or not 1 < xp.size <= LONGEST:
        raise TypeError(f"it is read without a period, of 2 to {LONGEST} known points")
    if xp.ndim != 1 or xp.shape != fp.shape:
        raise ValueError("xp and fp must be one-dimensional arrays of equal size")
    x, xp, fp = (jnp.asarray(one, float) for one in (x, xp, fp))
    run, rise, gone = xp[1:] - xp[:-1], fp[1:] - fp[:-1], x[..., None] - xp[:-1]
    still = jnp.abs(run) <= np.spacing(np.finfo(xp.dtype).eps)
    values = jnp.where(still, fp[:-1], fp[:-1] + gone / jnp.where(still, 1.0, run) * rise)
    # The first interval goes on to the left, and the last to the right; NaN is in the last.
    first, last = jnp.arange(xp.size - 1) == 0, jnp.arange(xp.size - 1) == xp.size - 2
    here = (first | ~(x[..., None] < xp[:-1])) & (last | (x[..., None] < xp[1:]))
    made = jnp.sum(jnp.where(here, values, 0.0), -1)
    made = jnp.where(x < xp[0], fp[0] if left is None else left, made)
    return jnp.where(x > xp[-1], fp[-1] if right is None else right, made)


FUNCTIONS["numpy.interp"] = own_function("numpy.interp", _interp)


def _roll(a: jax.Array, shift: jax.Array, axis=None):
    """Return elements moved along an axis; a shift that is not known is compared with each that there is."""
    if not isinstance(shift, jax.core.Tracer) or shift.ndim or not (axis is None or isinstance(axis, int)):
        return jnp.roll(a, shift, axis)
    a = jnp.asarray(a)
    count = a.size if axis is None else a.shape[axis]
    if count > LONGEST:
        raise TypeError(f"a shift that is not known is read along at most {LONGEST} elements")
    shift = shift.astype(float)
    turned = shift - count * jnp.floor(shift / count)
    rolls = [jnp.roll(a, k, axis) if k else a for k in range(count)]
    return sum(jnp.where(turned == float(k), one, 0.0) for k, one in enumerate(rolls))


FUNCTIONS["numpy.roll"] = own_function("numpy.roll", _roll)


def _argsort(a: jax.Array, axis=-1, *, stable=True, descending=False):
    """Return the places of elements in their order; without an axis, of all in a row."""
    a, axis = (a.ravel(), 0) if axis is None else (a, axis)
    return jnp.argsort(a, axis, stable=stable, descending=descending)


_ordered = own_function("numpy.argsort", _argsort)


@known("argsort", table=METHODS)
@known("numpy.argsort")
def argsort(reader: Reader, x: Any, *args: Any, **options: Any) -> Array:
    """Read the order of elements. Of equal ones NumPy says nothing unless it sorts them stably."""
    x = r_array(reader, x)
    made = _ordered(reader, x, *args, **options)
    if x.framework == "numpy" and not options.get("stable"):
        axis, numbers = args[0] if args else options.get("axis", -1), reader.numbers(x)
        rows = numbers.ravel() if axis is None else np.moveaxis(numbers, axis, -1)
        if any(len(np.unique(row)) < row.size for row in rows.reshape(-1, rows.shape[-1])):
            raise Refused("Which of equal elements comes first is not fixed.", "Write stable=True.")
    return made


# Elementwise.

for _op in ("greater", "less", "greater_equal", "less_equal", "equal", "not_equal"):
    FUNCTIONS[f"numpy.{_op}"] = lambda reader, a, b, _op=_op: reader.make(_op, [a, b], dtype=BOOL)


@known("numpy.mod", "numpy.remainder")
def remainder(reader: Reader, x: Any, y: Any) -> Array:
    """Read what a quotient leaves, with the sign of the second number."""
    x, y = r_array(reader, x), r_array(reader, y)
    check_divisor(reader, x, y)
    return reader.make("remainder", [x, y])


def floor_divide(x, y):
    """Return a quotient rounded down, exactly: that of floats may round up to the next whole number."""
    exact = jnp.round((x - jnp.remainder(x, y)) / y)
    if isinstance(y, float) and y and math.isfinite(y):
        return exact
    # What is left of a division by an infinity is that infinity, or the number itself.
    beyond = jnp.where(x * jnp.sign(y) < 0, -1.0, 0.0) + (x - x)
    return jnp.where(y == 0, jnp.floor(x / y), jnp.where(jnp.isinf(y), beyond, exact))


@known("numpy.floor_divide")
def floored_quotient(reader: Reader, x: Any, y: Any) -> Array:
    """Read a quotient rounded down."""
    x, y = r_array(reader, x), r_array(reader, y)
    check_divisor(reader, x, y)
    if not any(isinstance(one, float) or getattr(one, "dtype", "") in FLOATS for one in (x, y)):
        return reader.make("floor", [reader.make("div", [x, y])], dtype=INT)
    return call_jax(reader, floor_divide, x, float(y) if type(y) is int else y)


_integer_pow = own_function("lax.integer_pow")


@known("lax.integer_pow")
def integer_pow(reader: Reader, x: Any, y: int) -> Any:
    """Read a power with a whole exponent."""
    if type(y) is not int:
        raise Refused("integer_pow() takes a whole exponent that is written out.", "Write lax.pow(x, y).")
    return _integer_pow(reader, x, y)


_power = own_function("numpy.power")


@known("numpy.power", "numpy.pow")
def power(reader: Reader, x: Any, y: Any) -> Any:
    """Read a power. One with a whole exponent has a slope at 0, as JAX's `integer_pow` has."""
    if not isinstance(x, Array) and not isinstance(y, Array):
        return reader.binary(ast.Pow(), x, y)
    if type(y) is int:
        if y < 0 and isinstance(x, Array) and x.dtype in (INT, BOOL):
            raise LibraryError("Integers to negative integer powers are not allowed.", "Write a float power.")
        if y == 0:
            return reader.make("ones_like", [x])
        if y == 1:
            return x
        return reader.make("square", [x]) if y == 2 else reader.make("pow", [x, float(y)])
    if isinstance(x, Array) and x.framework == "numpy" and y in (0.0, 0.5) and not isinstance(y, Array):
        # NumPy takes the root itself, and HIPS autograd gives a power 0 the slope 0 at 0, where JAX's is NaN.
        return reader.make("sqrt" if y else "ones_like", [x])
    if isinstance(y, Array) and y.dtype == INT:
        if not isinstance(x, float) and getattr(x, "dtype", INT) == INT:
            return _power(reader, x, y)
        zero = reader.make("equal", [y, 0.0], dtype=BOOL)
        exponent = reader.make("where", [zero, 1.0, y])
        return reader.make("where", [zero, 1.0, reader.make("pow", [x, exponent])])
    return reader.make("pow", [x, y])


@known("lax.round")
def rounded(reader: Reader, x: Any, rounding_method: Any = 0) -> Array:
    """Read `lax.round`, whose method is a number or its name."""
    if isinstance(rounding_method, Path):
        named = {f"jax.lax.RoundingMethod.{one.name}": int(one) for one in lax.RoundingMethod}
        rounding_method = named.get(rounding_method.name, rounding_method)
    return call_jax(reader, lax.round, x, rounding_method)


_squareplus = own_function("nn.squareplus")


@known("nn.squareplus")
def squareplus(reader: Reader, x: Any, b: Any = 4.0) -> Array:
    """Read (x + sqrt(x**2 + b)) / 2."""
    if not isinstance(b, Array) and not b:
        raise Refused(
            "squareplus() with b = 0 overflows or does not, as it is compiled.", "Write jax.nn.relu(x)."
        )
    return _squareplus(reader, x, b)


_segment_sum = own_function("jax.ops.segment_sum")


@known("jax.ops.segment_sum")
def segment_sum(
    reader: Reader, data: Any, segment_ids: Any, num_segments: Any = None, **options: Any
) -> Array:
    """Read sums of rows by the segment that each belongs to."""
    if num_segments is None:
        num_segments = int(reader.numbers(replace(segment_ids, traced=0)).max()) + 1
    return _segment_sum(reader, data, segment_ids, num_segments, **options)


# Distributions.


@known("scipy.stats.norm.cdf")
@jax_function
def cdf(x, loc=0.0, scale=1.0):
    """Return the distribution function of a normal distribution."""
    return jax.scipy.special.ndtr((x - loc) / scale)


@known("scipy.stats.norm.logpdf")
@jax_function
def logpdf(x, loc=0.0, scale=1.0):
    """Return the logarithm of a normal density."""
    squared = jnp.square(scale)
    return -(jnp.log(2 * math.pi * squared) + jnp.square(x - loc) / squared) / 2.0


@known("scipy.stats.norm.pdf")
@jax_function
def pdf(x, loc=0.0, scale=1.0):
    """Return a normal density."""
    squared = jnp.square(scale)
    return jnp.exp(-(jnp.log(2 * math.pi * squared) + jnp.square(x - loc) / squared) / 2.0)


# Pools.


def max_pool(operand, init_value, window_dimensions, window_strides, padding):
    """Return the largest number of each window."""
    return lax.reduce_window(operand, init_value, lax.max, window_dimensions, window_strides, padding)


def sum_pool(operand, init_value, window_dimensions, window_strides, padding):
    """Return the sum of each window."""
    return lax.reduce_window(operand, init_value, lax.add, window_dimensions, window_strides, padding)


@known("lax.reduce_window")
def reduce_window(
    reader: Reader, operand: Any, init_value: Any, computation: Any, window: Any, strides: Any, padding: Any
) -> Array:
    """Read a pool of images: the largest number of a window, or the sum."""
    pool = {"jax.lax.max": max_pool, "jax.lax.add": sum_pool}.get(getattr(computation, "name", ""))
    if pool is None:
        raise Refused(
            "reduce_window() is read as a pool of images: the maximum or the sum of a window.",
            'Write lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").',
        )
    return call_jax(reader, pool, operand, init_value, window, strides, padding)
