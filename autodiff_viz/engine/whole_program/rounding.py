"""Bound the rounding error of each number of a program: a running error analysis of its equations.

An equation passes on the errors of its operands, scaled by its derivatives, and adds an error of its own,
scaled by the size of its operands. The error of an array thus follows from the arrays that it was computed
from: large where large numbers cancel, a few units of the last digit elsewhere. To first order, in float64.

Source: N. Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from autodiff_viz.engine.tolerance import ROOM, equal_within
from autodiff_viz.engine.whole_program.jaxprs import NAMES, SAVED, called, interpret, opened, primitive_of
from autodiff_viz.graph.dtypes import DTYPES, FLOAT16

CHOOSE = frozenset((
    *NAMES,
    "abs", "bitcast_convert_type", "broadcast_in_dim", "ceil", "clamp", "concatenate", "convert_element_type",
    "copy", "dynamic_slice", "expand_dims", "floor", "gather", "max", "min", "neg",
    "optimization_barrier", "pad", "reduce_max", "reduce_min", "reduce_precision", "reduce_window_max",
    "reduce_window_min", "reshape", "rev", "round", "scatter", "select_and_gather_add", "select_n", "sign",
    "slice", "sort", "split", "squeeze", "stack", "stop_gradient", "transpose", "unstack",
))  # fmt: skip
"""Primitives that return numbers that they read, or whole numbers, and round nothing."""

ADD_UP = frozenset((
    "add_any", "cumsum", "reduce_sum", "reduce_window_sum", "scatter-add", "select_and_scatter_add",
))  # fmt: skip
"""Sums, which another program may compute in another order.

Their error scales with the sizes of the terms, not with that of the sum.
"""

MULTIPLY_AND_ADD = frozenset(("conv_general_dilated", "dot_general"))

ARITHMETIC = frozenset(("add", "div", "mul", "square", "sqrt", "sub"))
"""Primitives that are correct to half a unit of the last digit; all others are taken to be to one unit."""

LARGEST = 1e300  # bound of an error: an infinite slope would make it infinite

PLACES = {"select_and_gather_add": 1, "select_and_scatter_add": 1}
"""By primitive, the operand that only selects elements."""


class Rounded(NamedTuple):
    """A number of the program, and how far rounding may have moved it; None for not at all."""

    value: Any
    error: np.ndarray | None = None


Inherited = Callable[[np.ndarray, Any], np.ndarray]
"""Given the error that a result might have and its value, the error that is passed on to what is computed
from it."""


def errors(
    program: Any,
    arguments: Sequence[Any],
    gaps: Sequence[np.ndarray | None] | None = None,
    other_function: bool = False,
) -> list[np.ndarray]:
    """Return, for each result of a closed jaxpr, how far rounding may move it.

    With `gaps`, return how far rounding may move it from the result of another program whose results differ
    by `gaps`. A value computed from such a result then inherits the result's gap, not the error that it might
    have had, so errors do not pile up from result to result.

    Args:
      gaps: by result; None of a result that the other program does not have.
      other_function: whether the other program may compute something else. Of a gap that rounding does not
        explain no more is then inherited than it does explain: a true difference explains no other one. What
        underflows is then no rounding either.
    """
    results = program.jaxpr.outvars
    pairs = () if gaps is None else zip(results, gaps, strict=True)
    known = {
        result: _explained(gap) if other_function else _whole(gap)
        for result, gap in pairs
        if _is_variable(result) and gap is not None
    }
    own_errors: dict[Any, np.ndarray] = {}  # of the results with a gap, before they inherit it
    constants = [Rounded(constant) for constant in program.consts]
    given = [Rounded(argument) for argument in arguments]
    ends = _run(program.jaxpr, constants, given, known, own_errors, not other_function)
    nothing = np.zeros(())
    left = [nothing if end.error is None else end.error for end in ends]
    pairs = zip(results, left, strict=True)
    return [own_errors.get(result, error) if _is_variable(result) else error for result, error in pairs]


def _whole(gap: np.ndarray) -> Inherited:
    gap = np.where(np.isfinite(gap), gap, 0.0)
    return lambda error, value: gap


def _explained(gap: np.ndarray) -> Inherited:
    return lambda error, value: np.minimum(gap, equal_within(value.dtype.name) * _size(value) + ROOM * error)


def _run(
    jaxpr: Any,
    constants: Sequence[Rounded],
    given: Sequence[Rounded],
    known: dict[Any, Inherited],
    own_errors: dict[Any, np.ndarray],
    underflow: bool,
) -> list[Rounded]:
    """Return the results; for variables that `known` has, write the error to `own_errors`."""

    def apply(equation: Any, operands: list[Rounded]) -> Iterator[Rounded]:
        results = _results(equation, operands, known, own_errors, underflow)
        for variable, result in zip(equation.outvars, results, strict=True):
            if variable in known:
                error = np.zeros(()) if result.error is None else result.error
                own_errors.setdefault(variable, error)
                result = Rounded(result.value, _known(known[variable](error, result.value), result.value))
            yield result

    def literal(atom: Any) -> Rounded:
        return Rounded(np.asarray(atom.val, atom.aval.dtype))

    return interpret(jaxpr, constants, given, literal, apply)


def _results(
    equation: Any, operands: list[Rounded], known: dict, own_errors: dict, underflow: bool
) -> list[Rounded]:
    name = primitive_of(equation)[0]
    if (body := called(equation)) is not None:
        return _called(equation, body, operands, known, own_errors, underflow)
    if name == SAVED:
        return operands[:1]
    values = [operand.value for operand in operands]
    results = _bind(equation, values)
    errors = [_own(equation, values, result, underflow) for result in results]
    for i, operand in enumerate(operands):
        if operand.error is not None and i != PLACES.get(name):
            more = _propagated(equation, values, i, operand.error)
            errors = [a + b for a, b in zip(errors, more, strict=True)]
    return [Rounded(value, _known(error, value)) for value, error in zip(results, errors, strict=True)]


def _called(
    equation: Any, body: Any, operands: list[Rounded], known: dict, own_errors: dict, underflow: bool
) -> list[Rounded]:
    """Run the equations of a call one by one; gaps of the call's results are gaps of the inner results."""
    constants = [Rounded(constant) for constant in getattr(body, "consts", ())]
    body = opened(body)
    pairs = list(zip(body.outvars, equation.outvars, strict=True))
    within = {inner: known[outer] for inner, outer in pairs if outer in known and _is_variable(inner)}
    inside: dict[Any, np.ndarray] = {}
    results = _run(body, constants, operands, within, inside, underflow)
    own_errors.update(
        {outer: inside[inner] for inner, outer in pairs if _is_variable(inner) and inner in inside}
    )
    return results


def _is_variable(atom: Any) -> bool:
    return not isinstance(atom, core.Literal)


def _bind(equation: Any, values: Sequence[Any]) -> list[Any]:
    with equation.ctx.manager:
        results = equation.primitive.bind(*values, **equation.primitive.get_bind_params(equation.params))
    return list(results) if equation.primitive.multiple_results else [results]


def _known(error: np.ndarray, value: Any) -> np.ndarray | None:
    """Return the error where there is any; None for none.

    Infinities and NaN are exact: they cannot be off by a little.
    """
    if not _is_float(value):
        return None
    error = np.where(np.isfinite(np.asarray(value)) & ~np.isnan(error), np.minimum(error, LARGEST), 0.0)
    return error if error.any() else None


def _own(equation: Any, values: Sequence[Any], result: Any, underflow: bool) -> np.ndarray:
    """Return the error of the equation's own arithmetic; with `underflow` that of small results too."""
    name = primitive_of(equation)[0]
    # A conversion chooses too, but for one that leaves fewer digits, which rounds.
    narrows = name == "convert_element_type" and _is_float(values[0]) and _is_float(result)
    narrows = narrows and DTYPES[values[0].dtype.name].bits > DTYPES[result.dtype.name].bits
    if (name in CHOOSE and not narrows) or not _is_float(result):
        return np.zeros(np.shape(result))
    limits = DTYPES[result.dtype.name]
    # JAX on the CPU replaces subnormal results by 0, but for float16, which it computes in float32.
    unit, least = limits.eps / 2, limits.least if limits.name == FLOAT16 else limits.tiny
    least = least if underflow else 0.0
    if name in ADD_UP or name in MULTIPLY_AND_ADD:
        sizes = [_sized(value) if i != PLACES.get(name) else value for i, value in enumerate(values)]
        terms = np.size(values[0]) / max(1, np.size(result))
        return np.sqrt(max(1.0, terms)) * unit * _size(_bind(equation, sizes)[0]) + least
    if name == "reduce_prod":  # each of its multiplications rounds
        factors = np.size(values[0]) / max(1, np.size(result))
        return max(1.0, factors) * unit * _size(result) + least
    return (1 if name in ARITHMETIC or name in CHOOSE else 2) * unit * _size(result) + least


def _propagated(equation: Any, values: list[Any], i: int, error: np.ndarray) -> list[np.ndarray]:
    """Return the error in each result that an error of operand `i` causes."""
    if equation.primitive.name in ("abs", "neg", "stop_gradient"):
        return [error]
    scale = float(error.max())  # so that the smallest errors do not vanish in float32
    # Slopes overflow float16 sooner than values, so they are taken in float32, unless a dtype is a parameter
    # of the equation, which then cannot take operands of another.
    kinds = np.dtype, core.Jaxpr, core.ClosedJaxpr
    if not any(isinstance(value, kinds) for value in equation.params.values()):
        half = [_is_float(value) and DTYPES[value.dtype.name].half for value in values]
        values = [
            jnp.asarray(value, jnp.float32) if is_half else value
            for value, is_half in zip(values, half, strict=True)
        ]
    dot = jnp.asarray(error / scale, values[i].dtype)
    if equation.primitive.name in MULTIPLY_AND_ADD:
        sizes = [dot if j == i else _sized(value) for j, value in enumerate(values)]
        return [_times(scale, _bind(equation, sizes)[0])]

    def of_operand(value: Any) -> list[Any]:
        return _bind(equation, [*values[:i], value, *values[i + 1 :]])

    _, dots = jax.jvp(of_operand, (jnp.asarray(values[i]),), (dot,))
    return [_times(scale, d) if _is_float(d) else np.zeros(np.shape(d)) for d in dots]


def _times(scale: float, array: Any) -> np.ndarray:
    """Return sizes times a scale, which may be infinite: `LARGEST` bounds them."""
    with np.errstate(over="ignore"):
        return scale * _size(array)


def _is_float(value: Any) -> bool:
    return jnp.issubdtype(value.dtype, jnp.floating)


def _sized(value: Any) -> Any:
    return abs(value) if _is_float(value) else value


def _size(array: Any) -> np.ndarray:
    return np.abs(np.asarray(array, np.float64))
