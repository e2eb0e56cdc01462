"""Read HIPS autograd: `from autograd import grad` and its kin, of functions of `autograd.numpy`.

Its slopes differ from JAX's at some corners: of a size at 0, of `clip` at its ends, of a power of 0, of a
product with a factor 0. What is read here has those of autograd; of some functions it has no derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_viz.reading.array_functions import between
from autodiff_viz.reading.arrays import FUNCTIONS, fold, known, r_array, shape_of
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.jax_transforms import call_at, dry_run, gradients, rows
from autodiff_viz.reading.values import Array, Native, Refused, arrays_of

WITHOUT_DERIVATIVE = (
    *("average", "cbrt", "convolve", "copy", "cumprod", "diagonal", "flip", "float_power", "heaviside"),
    *("linalg.trace", "matrix_transpose", "median", "meshgrid", "percentile", "polyval", "positive", "ptp"),
    *("quantile", "take", "take_along_axis", "vdot"),
)
"""Functions of `autograd.numpy` for which autograd 1.9 has no derivative."""


def _called(r: Interpreter, function: Any, args: list, keywords: dict, argnum: Any) -> Any:
    chosen = list(argnum) if isinstance(argnum, (tuple, list)) else [argnum]
    if not all(type(one) is int for one in chosen):
        raise Refused("argnum is a whole number.")
    return call_at(r, function, args, keywords, chosen, hips=True)


def _without_derivative(name: str) -> Callable[..., Any]:
    def read(r: Interpreter, *args: Any, **keywords: Any) -> Any:
        if any(array.traced for array in arrays_of([*args, *keywords.values()])):
            raise Refused(
                f"autograd has no derivative of {name}().", "Use JAX, or write it with other functions."
            )
        return FUNCTIONS[f"numpy.{name}"](r, *args, **keywords)

    return read


for _name in WITHOUT_DERIVATIVE:
    FUNCTIONS[f"autograd.numpy.{_name}"] = _without_derivative(_name)


@known("autograd.numpy.abs", "autograd.numpy.absolute", "autograd.numpy.fabs")
def absolute(r: Interpreter, x: Any) -> Array:
    """Read a size, whose slope at 0 is 0: the number times its sign, which passes nothing."""
    return r.make("mul", [x, r.make("sign", [x])])


@known("autograd.numpy.clip")
def clip(r: Interpreter, x: Any, a_min: Any, a_max: Any) -> Array:
    """Read limits to a value, with the slope 0 at both ends."""
    return between(r, x, a_min, a_max)


@known("autograd.numpy.prod")
def product(r: Interpreter, x: Any, axis: Any = None, keepdims: bool = False) -> Array:
    """Read a product of numbers that are not 0: by a factor 0 autograd divides, and its slope is NaN."""
    x = r_array(r, x)
    if isinstance(x, Array) and not r.numbers(x).all():
        raise Refused("autograd's slope of a product with a factor 0 is NaN, which is not read.", "Use JAX.")
    return fold(r, "prod", x, axis, keepdims)


@known("autograd.grad")
def grad(r: Interpreter, fun: Any, argnum: Any = 0) -> Native:
    """Read `autograd.grad`."""

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        done = _called(r, fun, args, keywords, argnum)
        return _result(r, done, done.value, argnum, "grad")

    return Native(call, "grad", fun)


def _result(r: Interpreter, done: Any, value: Any, argnum: Any, name: str) -> Any:
    if not isinstance(value, Array) or shape_of(r, value) != ():
        raise Refused(
            f"{name}() needs a function that returns one number.", "Sum it up, or use jacobian.", "not-scalar"
        )
    slopes = gradients(r, value, done)
    return tuple(slopes) if isinstance(argnum, (tuple, list)) else slopes[0]


@known("autograd.value_and_grad")
def value_and_grad(r: Interpreter, fun: Any, argnum: Any = 0) -> Native:
    """Read `autograd.value_and_grad`."""

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        done = _called(r, fun, args, keywords, argnum)
        return done.value, _result(r, done, done.value, argnum, "value_and_grad")

    return Native(call, "value_and_grad", fun)


@known("autograd.elementwise_grad")
def elementwise_grad(r: Interpreter, fun: Any, argnum: Any = 0) -> Native:
    """Read `autograd.elementwise_grad`: the gradient of the sum of all elements."""

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        done = _called(r, fun, args, keywords, argnum)
        value = done.value
        total = r.make("sum", [value]) if isinstance(value, Array) and shape_of(r, value) else value
        return _result(r, done, total, argnum, "elementwise_grad")

    return Native(call, "elementwise_grad", fun)


@known("autograd.jacobian")
def jacobian(r: Interpreter, fun: Any, argnum: int = 0) -> Native:
    """Read `autograd.jacobian`."""

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        if type(argnum) is not int:
            raise Refused("argnum is a whole number.")
        value, _ = dry_run(r, fun, args, keywords, [argnum], False, hips=True)
        shape = shape_of(r, value) if isinstance(value, Array) else ()
        return rows(r, fun, args, keywords, [argnum], False, "", shape, hips=True)[0]

    return Native(call, "jacobian", fun)


@known("autograd.hessian")
def hessian(r: Interpreter, fun: Any, argnum: int = 0) -> Native:
    """Read `autograd.hessian`."""
    return jacobian(r, grad(r, fun, argnum), argnum)
