"""Read HIPS autograd: `from autograd import grad` and its kin, of functions of `autograd.numpy`.

Its slopes differ from JAX's at some corners: of a size at 0, of `clip` at its ends, of a power of 0, of a
product with a factor 0. What is read here has those of autograd; of some functions it has no derivative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.reading.functions.arrays import FUNCTIONS, METHODS, fold, known, r_array, shape_of
from autodiff_viz.reading.functions.library_calls import call_jax
from autodiff_viz.reading.jax.transforms import call_at, dry_run, gradients, rows
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Native, Refused, arrays_of
from autodiff_viz.reading.nodes.costs import LibraryError
from autodiff_viz.reading.numpy.linear_algebra import det, slogdet
from autodiff_viz.reading.numpy.own_functions import without_name

WITHOUT_DERIVATIVE = (
    *("ascontiguousarray", "asarray", "float32", "float64", "linalg.matrix_power"),
    *("average", "cbrt", "convolve", "copy", "cumprod", "diagonal", "flip", "float_power", "heaviside"),
    *("interp", "linalg.trace", "matrix_transpose", "median", "meshgrid", "nanmax", "nanmean", "nanmin"),
    *("nanprod", "nansum", "percentile", "polyval", "positive", "ptp", "quantile", "take"),
    *("take_along_axis", "vdot"),
)
"""Functions of `autograd.numpy` for which autograd 1.9 has no derivative."""


def _called(reader: Reader, function: Any, args: list, keywords: dict, argnum: Any) -> Any:
    chosen = list(argnum) if isinstance(argnum, (tuple, list)) else [argnum]
    if not all(type(one) is int for one in chosen):
        raise Refused("argnum is a whole number.")
    return call_at(reader, function, args, keywords, chosen, hips=True)


def _without_derivative(name: str) -> Callable[..., Any]:
    def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
        if any(array.traced for array in arrays_of([*args, *keywords.values()])):
            raise Refused(
                f"autograd has no derivative of {name}().", "Use JAX, or write it with other functions."
            )
        return FUNCTIONS[f"numpy.{name}"](reader, *args, **keywords)

    return read


for _name in WITHOUT_DERIVATIVE:
    FUNCTIONS[f"autograd.numpy.{_name}"] = _without_derivative(_name)


def with_slopes(
    value: Callable[..., jax.Array], *tangents: Callable[..., jax.Array]
) -> Callable[..., jax.Array]:
    """Return a function as HIPS autograd differentiates it.

    Args:
      tangents: of each argument, from its tangent, the value and all arguments.
    """
    ruled = jax.custom_jvp(lambda *given: value(*given))  # a function of JAX itself would be an op of ours
    ruled.defjvps(*tangents)

    def call(*given: Any) -> jax.Array:
        return ruled(*[jnp.asarray(one, float) for one in given])

    call.__name__ = value.__name__
    return call


def _power(x: jax.Array, y: float) -> jax.Array:
    """Return a power as autograd differentiates it. NumPy takes roots, also of a slope's powers."""

    def raised(x: jax.Array, y: float) -> jax.Array:
        return jnp.sqrt(x) if y == 0.5 else x**y

    return with_slopes(lambda x: raised(x, y), lambda t, out, x: t * y * raised(x, y - 1.0 if y else 1.0))(x)


def _clip(x: jax.Array, low: float | None, high: float | None) -> jax.Array:
    """Return limits to a value, at which the slope is 0."""
    return with_slopes(
        lambda x: jnp.clip(x, low, high),
        lambda t, out, x: t * jnp.logical_and(*[True if end is None else out != end for end in (low, high)]),
    )(x)


SLOPES = {
    "abs": with_slopes(jnp.abs, lambda t, out, x: t * x / jnp.where(out == 0, 1.0, out)),
    "fabs": with_slopes(jnp.fabs, lambda t, out, x: t * jnp.sign(x)),
    "sqrt": with_slopes(jnp.sqrt, lambda t, out, x: t * 0.5 * x**-0.5),
    "tanh": with_slopes(jnp.tanh, lambda t, out, x: t / jnp.cosh(x) ** 2),
    "power": with_slopes(
        jnp.power,
        lambda t, out, x, y: t * y * x ** jnp.where(y == 0, 1.0, y - 1.0),
        lambda t, out, x, y: t * jnp.log(jnp.where(x == 0, 1.0, x)) * out,
    ),
    "hypot": with_slopes(jnp.hypot, lambda t, out, x, y: t * x / out, lambda t, out, x, y: t * y / out),
    "mod": with_slopes(
        jnp.remainder,
        lambda t, out, x, y: jnp.broadcast_to(t, out.shape),
        lambda t, out, x, y: -t * jnp.floor(x / y),
    ),
    "logaddexp": with_slopes(
        jnp.logaddexp,
        lambda t, out, x, y: t * jnp.exp(x - out),
        lambda t, out, x, y: t * jnp.exp(y - out),
    ),
    "clip": _clip,
}
"""Functions whose slopes autograd writes otherwise than JAX."""

SAME = {"absolute": "abs", "pow": "power", "remainder": "mod"}


def is_differentiated(values: Iterable[Any]) -> bool:
    """Return whether HIPS autograd differentiates by an array among these."""
    return any(one.traced and one.framework == "numpy" for one in arrays_of(values))


def _sloped(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
    def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
        exponent = args[1] if name == "power" else None
        if not is_differentiated(args) or (type(exponent) in (int, float) and exponent in (1, 2)):
            return plain(reader, *args, **keywords)
        if type(exponent) in (int, float):
            return call_jax(reader, _power, args[0], float(exponent))
        return call_jax(reader, SLOPES[name], *[r_array(reader, one) for one in args], *keywords.values())

    return read


for _name in (*SLOPES, *SAME):
    FUNCTIONS[f"numpy.{_name}"] = _sloped(SAME.get(_name, _name), FUNCTIONS[f"numpy.{_name}"])


def _others(*names: str) -> Callable[..., bool]:
    """Return a test whether a function is called with other options than these."""
    return lambda reader, *args, **options: bool(set(options) - set(names))


def _sorted(reader: Reader, x: Array, *args: Any, **options: Any) -> bool:
    if args or options or len(shape_of(reader, x)) != 1:
        return True
    numbers = reader.numbers(x)
    return len(np.unique(numbers)) < numbers.size  # which of equal ones gets the slope is not fixed


def _shapes_differ(reader: Reader, *args: Any, **options: Any) -> bool:
    return len({shape_of(reader, one) for one in args if isinstance(one, Array)}) > 1


def _norm(reader: Reader, x: Array, ord: Any = None, axis: Any = None, **options: Any) -> bool:
    power = ord is None or ord == "fro" or (isinstance(ord, (int, float)) and 1 < ord < math.inf)
    return bool(options) or not power


REFUSED: dict[str, Callable[..., bool]] = {
    **{
        f"numpy.{name}": _others("axis", "keepdims", "dtype")
        for name in ("sum", "mean", "max", "min", "amax", "amin")
    },
    **{
        f"numpy.{name}": lambda reader, x, axis=None, **options: (
            axis == () or bool(set(options) - {"ddof", "keepdims"})
        )
        for name in ("std", "var")
    },
    **{
        f"numpy.{name}": lambda reader, x, axes=None: axes is not None and any(one < 0 for one in axes)
        for name in ("transpose", "permute_dims")
    },
    "numpy.broadcast_to": lambda reader, x, shape: (
        not isinstance(shape, tuple) or len(shape_of(reader, x)) != len(shape)
    ),
    "numpy.clip": lambda reader, *args, **ends: (
        len(args) + len(ends) != 3
        or list(ends) not in ([], ["a_max"], ["a_min", "a_max"])
        or bool(arrays_of([*args[1:], *ends.values()]))
    ),
    "numpy.concatenate": lambda reader, arrays, axis=0: axis is None,
    "numpy.cross": lambda reader, a, b, **options: (
        _shapes_differ(reader, a, b) or (not options and shape_of(reader, a)[-1:] != (3,))
    ),
    "numpy.diag": lambda reader, x, k=0: len(set(shape_of(reader, x))) > 1,
    "numpy.diff": _others("n", "axis"),
    "numpy.einsum": lambda reader, text, *arrays, **options: any(
        len({*one}) < len(one) for one in text.partition("->")[0].replace(".", "").split(",")
    ),
    "numpy.full": lambda reader, shape, fill_value, **options: bool(shape_of(reader, fill_value)),
    "numpy.full_like": lambda reader, x, fill_value, **options: is_differentiated([fill_value]),
    "numpy.nan_to_num": lambda reader, x, *args, **options: bool(args or options),
    "numpy.outer": lambda reader, a, b: any(len(shape_of(reader, one)) != 1 for one in (a, b)),
    "numpy.pad": lambda reader, x, pad_width, mode=None, **options: mode != "constant",
    "numpy.repeat": lambda reader, x, repeats, axis=None: type(repeats) is not int,
    "numpy.roll": lambda reader, x, shift, axis=None: type(shift) is not int,
    "numpy.sort": _sorted,
    "numpy.tile": lambda reader, x, reps: len(shape_of(reader, x)) != (1 if type(reps) is int else len(reps)),
    "numpy.trace": lambda reader, x, offset=0, **options: bool(options),
    "numpy.where": lambda reader, condition, a, b: _shapes_differ(reader, condition, a, b),
    "numpy.linalg.norm": _norm,
    "scipy.special.logsumexp": lambda reader, x, axis=None, b=None, keepdims=False, **options: (
        b is not None or bool(options)
    ),
}
"""When autograd 1.9 cannot differentiate a call: it raises an error, or its slope is wrong."""


def _guarded(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
    def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
        if is_differentiated([*args, *keywords.values()]) and REFUSED[name](reader, *args, **keywords):
            raise Refused(
                f"autograd's derivative of {name.rpartition('.')[2]}() called like this is none, or wrong.",
                "Use JAX, or write it with other functions.",
            )
        return plain(reader, *args, **keywords)

    return read


for _name in REFUSED:
    FUNCTIONS[_name] = _guarded(_name, FUNCTIONS[_name])

_transpose = METHODS["transpose"]


@known("transpose", table=METHODS)
def transpose(reader: Reader, x: Array, *axes: Any, **options: Any) -> Array:
    """Read a transposition; autograd's takes its axes as one tuple."""
    if len(axes) > 1 and is_differentiated([x]):
        raise LibraryError(
            "transpose() takes from 1 to 2 positional arguments", "Write transpose((0, 2, 1))."
        )
    return _transpose(reader, x, *axes, **options)


for _name in ("entr", "log_softmax", "ndtr", "softmax", "xlogy"):
    FUNCTIONS[f"autograd.scipy.special.{_name}"] = without_name(f"scipy.special.{_name}", "autograd")
FUNCTIONS["autograd.scipy.linalg.solve"] = without_name("scipy.linalg.solve", "autograd")


@known("autograd.numpy.linalg.det")
def determinant(reader: Reader, x: Array) -> Array:
    """Read a determinant, by whose inverse matrix autograd differentiates."""
    made = det(reader, x)
    if is_differentiated([x]) and not np.all(reader.numbers(made)):
        raise LibraryError("Singular matrix", "Use another one.")
    return made


@known("autograd.numpy.linalg.slogdet")
def sign_and_logarithm(reader: Reader, a: Array) -> tuple[Any, Any]:
    """Read the sign and logarithm of a determinant, which autograd gives as a pair without names."""
    made = slogdet(reader, a)
    return tuple(made) if is_differentiated([a]) else made


@known("autograd.numpy.prod")
def product(reader: Reader, x: Any, axis: Any = None, keepdims: bool = False) -> Array:
    """Read a product of numbers that are not 0: by a factor 0 autograd divides, and its slope is NaN."""
    x = r_array(reader, x)
    if isinstance(x, Array) and not reader.numbers(x).all():
        raise Refused("autograd's slope of a product with a factor 0 is NaN, which is not read.", "Use JAX.")
    return fold(reader, "prod", x, axis, keepdims)


@known("autograd.grad")
def grad(reader: Reader, fun: Any, argnum: Any = 0) -> Native:
    """Read `autograd.grad`."""

    def call(_: Reader, args: list, keywords: dict) -> Any:
        done = _called(reader, fun, args, keywords, argnum)
        return _result(reader, done, done.value, argnum, "grad")

    return Native(call, "grad", fun)


def _result(reader: Reader, done: Any, value: Any, argnum: Any, name: str) -> Any:
    if not isinstance(value, Array) or shape_of(reader, value) != ():
        raise Refused(
            f"{name}() needs a function that returns one number.", "Sum it up, or use jacobian.", "not-scalar"
        )
    slopes = gradients(reader, value, done)
    return tuple(slopes) if isinstance(argnum, (tuple, list)) else slopes[0]


@known("autograd.value_and_grad")
def value_and_grad(reader: Reader, fun: Any, argnum: Any = 0) -> Native:
    """Read `autograd.value_and_grad`."""

    def call(_: Reader, args: list, keywords: dict) -> Any:
        done = _called(reader, fun, args, keywords, argnum)
        return done.value, _result(reader, done, done.value, argnum, "value_and_grad")

    return Native(call, "value_and_grad", fun)


@known("autograd.elementwise_grad")
def elementwise_grad(reader: Reader, fun: Any, argnum: Any = 0) -> Native:
    """Read `autograd.elementwise_grad`: the gradient of the sum of all elements."""

    def call(_: Reader, args: list, keywords: dict) -> Any:
        done = _called(reader, fun, args, keywords, argnum)
        value = done.value
        total = reader.make("sum", [value]) if isinstance(value, Array) and shape_of(reader, value) else value
        return _result(reader, done, total, argnum, "elementwise_grad")

    return Native(call, "elementwise_grad", fun)


@known("autograd.jacobian")
def jacobian(reader: Reader, fun: Any, argnum: int = 0) -> Native:
    """Read `autograd.jacobian`."""

    def call(_: Reader, args: list, keywords: dict) -> Any:
        if type(argnum) is not int:
            raise Refused("argnum is a whole number.")
        value, _ = dry_run(reader, fun, args, keywords, [argnum], False, hips=True)
        shape = shape_of(reader, value) if isinstance(value, Array) else ()
        return rows(reader, fun, args, keywords, [argnum], False, "", shape, hips=True)[0]

    return Native(call, "jacobian", fun)


@known("autograd.hessian")
def hessian(reader: Reader, fun: Any, argnum: int = 0) -> Native:
    """Read `autograd.hessian`."""
    return jacobian(reader, grad(reader, fun, argnum), argnum)
