"""Hold the values of a jaxpr while it becomes a graph: what each is in the graph, and what computes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.graph.problem import GraphError, Problem

Shape = tuple[int, ...]


@dataclass(slots=True, eq=False)
class Equation:
    """One equation of a jaxpr, with the values that it reads.

    Attributes:
      name: of its primitive.
      source: the equation of JAX.
      operands: what it reads.
      avals: shapes and dtypes of its results.
      results: the numbers that it gives for the arguments of this call, once they have been asked for.
    """

    name: str
    source: Any
    operands: tuple[Value, ...]
    avals: tuple[Any, ...]
    results: list[Any] | None = None

    @property
    def params(self) -> dict[str, Any]:
        """The primitive's parameters."""
        return self.source.params

    def run(self, arrays: Sequence[Any], params: dict[str, Any] | None = None) -> list[Any]:
        """Compute the results of arrays, by JAX's own function."""
        primitive = self.source.primitive
        # The rules in a function are its author's, who may index an array by what JAX traces.
        arrays = [jnp.asarray(each) if isinstance(each, np.ndarray) else each for each in arrays]
        with self.source.ctx.manager:
            given = primitive.get_bind_params(self.params if params is None else params)
            results = primitive.bind(*arrays, **given)
        return list(results) if primitive.multiple_results else [results]


@dataclass(slots=True, eq=False)
class Value:
    """A value of the jaxpr.

    Attributes:
      shape, dtype: of the array.
      equation, index: what computes it, as one of its results; None for an argument or a constant.
      numbers: those of an argument or a constant.
      constant: whether it is the same for all arguments.
      held: what stands for it in the graph; None as long as nothing does.
      thin: what it is a copy of by NumPy's rules of broadcasting, with that array's shape. An op that
        broadcasts reads this in its place.
      later: makes what stands for it, where an op of the graph reads it; what only JAX's own functions read
        stays in their form.
    """

    shape: Shape
    dtype: Any
    equation: Equation | None = None
    index: int = 0
    numbers: Any = None
    constant: bool = False
    held: Any = None
    thin: tuple[Any, Shape] | None = None
    later: Callable[[], Any] | None = None

    @property
    def is_float(self) -> bool:
        """Whether it has a derivative at all."""
        return jax.dtypes.issubdtype(self.dtype, np.floating)

    @property
    def is_bool(self) -> bool:
        """Whether it is true or false."""
        return self.dtype == np.bool_

    @property
    def is_int(self) -> bool:
        """Whether it holds whole numbers."""
        return jax.dtypes.issubdtype(self.dtype, np.integer)


def constant(array: Any) -> Value:
    """Return the value of an array that no argument changes."""
    array = array if hasattr(array, "dtype") else np.asarray(array)
    return Value(tuple(array.shape), array.dtype, numbers=array, constant=True)


def numbers(value: Value) -> Any:
    """Return the numbers that a value has for the arguments of this call."""
    for equation in needed([value], lambda each: each.equation.results is None):
        arrays = [_known(each) for each in equation.operands]
        equation.results = _quick(equation, arrays) or equation.run(arrays)
    return _known(value)


def needed(values: Iterable[Value], wanted: Callable[[Value], bool]) -> list[Equation]:
    """Return the equations that values are computed by, in the order in which they run.

    Args:
      wanted: whether the equation of a value, which has one, is needed.
    """
    ordered: dict[int, Equation] = {}
    waiting = [(value, False) for value in values]
    while waiting:  # an explicit stack: thousands of equations may follow each other
        value, ready = waiting.pop()
        equation = value.equation
        if equation is None or id(equation) in ordered or not wanted(value):
            continue
        if ready:
            ordered[id(equation)] = equation
        else:
            waiting.append((value, True))
            waiting += [(operand, False) for operand in equation.operands]
    return [*ordered.values()]


def is_fixed(value: Value) -> bool:
    """Return whether a value is computed from no floats among the arguments, which may change.

    Those that have no numbers are some that nobody knows.
    """
    read = [operand for equation in needed([value], lambda each: True) for operand in equation.operands]
    arguments = [each for each in (value, *read) if each.equation is None and not each.constant]
    return not any(each.is_float or each.numbers is None for each in arguments)


def _known(value: Value) -> Any:
    if value.equation is not None:
        return value.equation.results[value.index]
    if value.numbers is None:
        message = "Which elements it picks depends on numbers that are not known here."
        raise GraphError(Problem("data-dependent", message, "Write the places out."))
    return value.numbers


_NUMPY: dict[str, Callable] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
}
"""Primitives for which NumPy has the same bits. To run one alone, JAX would compile a program."""


def _quick(equation: Equation, arrays: list[Any]) -> list[Any] | None:
    """Compute a simple equation by NumPy; None for any other."""
    name, (aval, *_) = equation.name, equation.avals
    plain = all(isinstance(array, np.ndarray | np.generic) for array in arrays)
    if not plain or not isinstance(aval.dtype, np.dtype) or aval.dtype.kind not in "biuf":
        return None
    with np.errstate(all="ignore"):
        if name in _NUMPY:
            return [_NUMPY[name](*arrays)]
        if name == "div" and aval.dtype.kind == "f":
            return [np.divide(*arrays)]
        if name == "convert_element_type" and aval.dtype.kind in "bf" and arrays[0].dtype.kind in "biu":
            return [np.asarray(arrays[0]).astype(aval.dtype)]
        if name == "reshape":
            return [np.reshape(arrays[0], aval.shape)]
        if name == "iota":
            along = [-1 if i == equation.params["dimension"] else 1 for i in range(len(aval.shape))]
            counted = np.arange(aval.shape[equation.params["dimension"]], dtype=aval.dtype)
            return [np.broadcast_to(counted.reshape(along), aval.shape)]
        if name == "broadcast_in_dim" and len(arrays) == 1:
            places = equation.params["broadcast_dimensions"]
            sides = [1] * len(aval.shape)
            for place, side in zip(places, arrays[0].shape, strict=True):
                sides[place] = side
            return [np.broadcast_to(np.reshape(arrays[0], sides), aval.shape)]
        if name == "select_n" and len(arrays) == 3 and arrays[0].dtype == np.bool_:
            return [np.where(arrays[0], arrays[2], arrays[1])]
    return None
