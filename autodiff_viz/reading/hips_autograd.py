"""Read HIPS autograd: `from autograd import grad` and its kin, of functions of `autograd.numpy`.

Its conventions differ from JAX's at some corners; these are refused where numbers stand at them.
"""

from __future__ import annotations

from typing import Any

from autodiff_viz.reading.arrays import known, shape_of
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.jax_transforms import call_at, dry_run, gradients, rows
from autodiff_viz.reading.values import Array, Native, Refused, mapped


def _floats(value: Any) -> Any:
    """Return an argument as autograd takes it, by which whole numbers are differentiated too."""

    def one(leaf: Any) -> Any:
        return float(leaf) if isinstance(leaf, int) else leaf

    return mapped(one, value)


def _called(r: Interpreter, function: Any, args: list, keywords: dict, argnum: Any) -> Any:
    chosen = list(argnum) if isinstance(argnum, (tuple, list)) else [argnum]
    if not all(type(one) is int for one in chosen):
        raise Refused("argnum is a whole number.")
    return call_at(r, function, [_floats(one) for one in args], keywords, chosen, hips=True)


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
        args = [_floats(one) for one in args]
        value, _ = dry_run(r, fun, args, keywords, [argnum], False, hips=True)
        shape = shape_of(r, value) if isinstance(value, Array) else ()
        return rows(r, fun, args, keywords, [argnum], False, "", shape, hips=True)[0]

    return Native(call, "jacobian", fun)


@known("autograd.hessian")
def hessian(r: Interpreter, fun: Any, argnum: int = 0) -> Native:
    """Read `autograd.hessian`."""
    return jacobian(r, grad(r, fun, argnum), argnum)
