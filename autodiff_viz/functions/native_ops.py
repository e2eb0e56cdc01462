"""Make the op of a native node: JAX's own function of what the node reads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from autodiff_viz.functions.equations import Equation, Value, needed, numbers
from autodiff_viz.graph.identity import identity
from autodiff_viz.ops.native import NativeOp
from autodiff_viz.ops.op import Op

GROUP = "JAX"

NO_REVERSE = frozenset({"while", "pure_callback", "io_callback"})
"""Primitives that JAX cannot differentiate in reverse mode; `from_function` takes them where nothing asks."""

_JAXPRS = (core.Jaxpr, core.ClosedJaxpr)
_numbers = count()


def leaves_of(values: Sequence[Value]) -> tuple[list[Value], list[Equation]]:
    """Return the values of the graph that `values` are computed from, and the equations between."""

    def is_within(value: Value) -> bool:
        return value.held is None and value.thin is None and not value.constant

    equations = needed(values, is_within)
    read = [operand for equation in equations for operand in equation.operands]
    leaves = {id(value): value for value in read if not value.constant and not is_within(value)}
    return [*leaves.values()], equations


def native_op(values: Sequence[Value], usual: Any) -> tuple[NativeOp, list[Value]]:
    """Return the op that computes `values`, and the values of the graph that it reads.

    Of several values it gives one row of all their elements.

    Args:
      values: that nothing in the graph stands for.
      usual: the dtype of the function's floats, in whose place a trace has its own.
    """
    leaves, equations = leaves_of(values)
    place = {id(leaf): i for i, leaf in enumerate(leaves)}
    number = {id(equation): i for i, equation in enumerate(equations)}
    kept = {
        id(operand): np.asarray(numbers(operand)) if _is_plain(operand) else numbers(operand)
        for equation in equations
        for operand in equation.operands
        if operand.constant
    }

    def apply(*arrays: jax.Array, dtype: Any = None) -> jax.Array:
        ours = arrays[0].dtype if arrays else jnp.dtype(dtype)
        made: list[list[Any]] = []

        def read(value: Value, wanted: Any) -> Any:
            if value.constant:
                return _cast(kept[id(value)], wanted) if _is_usual(value) else kept[id(value)]
            if id(value) not in place:
                return made[number[id(value.equation)]][value.index]
            array = arrays[place[id(value)]]
            if value.is_bool:
                return array != 0
            return array.astype(wanted if _is_usual(value) else value.dtype)

        def _is_usual(value: Value) -> bool:
            return value.dtype == usual

        for equation in equations:
            # A program inside the equation is one of the dtype that the function was traced with.
            own = usual if _holds_program(equation) else ours
            operands = [
                _cast(read(each, own), own) if _is_usual(each) else read(each, own)
                for each in equation.operands
            ]
            params = {
                key: own if isinstance(given, np.dtype) and given == usual else given
                for key, given in equation.params.items()
            }
            if equation.name in NO_REVERSE:
                operands = [jax.lax.stop_gradient(each) for each in operands]
            results = equation.run(operands, params)
            made.append(
                [
                    _cast(each, ours) if aval.dtype == usual else each
                    for each, aval in zip(results, equation.avals, strict=True)
                ]
            )
        results = [made[number[id(value.equation)]][value.index].astype(ours) for value in values]
        return results[0] if len(results) == 1 else jnp.concatenate([jnp.ravel(each) for each in results])

    label = values[0].equation.name
    parts = [
        (
            equation.name,
            _params_identity(equation),
            tuple(_read(each, place, number, kept) for each in equation.operands),
        )
        for equation in equations
    ]
    ends = tuple((number[id(value.equation)], value.index) for value in values)
    op = Op(
        name=label.replace("-", "_"),
        group=GROUP,
        symbol=label[:9],
        doc=f"JAX's own {label}, for which there is no op.",
        apply=apply,
        source="",
        slots=tuple(f"x{i}" for i in range(len(leaves))),
        latex=rf"\operatorname{{{label}}}".replace("_", r"\_"),
        derivative=(),
        elementwise=False,
    )
    return NativeOp(label, identity((tuple(parts), ends, str(usual))), op), leaves


def _cast(array: Any, dtype: Any) -> Any:
    return array if array.dtype == dtype else jnp.asarray(array).astype(dtype)


def _is_plain(value: Value) -> bool:
    return isinstance(value.dtype, np.dtype)


def _holds_program(equation: Equation) -> bool:
    return any(
        isinstance(each, _JAXPRS) or callable(each)
        for given in equation.params.values()
        for each in (given if isinstance(given, tuple | list) else (given,))
        if not isinstance(each, type | np.dtype)
    )


def _params_identity(equation: Equation) -> bytes:
    """Return an identity of an equation's parameters: that of their text where it says all."""
    if all(_is_said(given) for given in equation.params.values()):
        return identity(repr(sorted(equation.params.items())))
    # Functions and programs inside it cannot be compared: this one is like no other.
    return identity(("own", next(_numbers)))


def _is_said(given: Any) -> bool:
    """Return whether the text of a parameter distinguishes it from every other."""
    if isinstance(given, tuple | list | frozenset):
        return all(map(_is_said, given))
    plain = (int, float, str, bool, np.integer, np.dtype, type(None))
    named = type(given).__module__.startswith("jax.") and hasattr(given, "name")  # such as a precision
    return isinstance(given, plain) or named


def _read(value: Value, place: dict[int, int], number: dict[int, int], kept: dict[int, Any]) -> tuple:
    """Return what distinguishes an operand: the place of a leaf, a result, or the numbers of a constant."""
    if value.constant:
        array = kept[id(value)]
        return ("constant", identity(array) if isinstance(array, np.ndarray) else next(_numbers))
    if id(value) in place:
        return ("read", place[id(value)], str(value.dtype))
    return ("made", number[id(value.equation)], value.index)
