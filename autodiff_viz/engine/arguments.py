"""Check the arguments of public functions: a mistake raises `GraphError` with a hint."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES, FLOAT64
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError, Problem, kind_of, whole_number
from autodiff_viz.graph.text import listed, quoted

NUMERIC = "biufV"  # kinds of NumPy's dtypes (V: JAX's bfloat16), without text, objects and complex


def known_dtype(dtype: Any) -> str:
    """Return the name of a dtype, which may also be given as NumPy or JAX write it, such as `numpy.float64`.

    Raises:
      GraphError: the dtype is none of `DTYPES`.
    """
    try:
        # NumPy also takes the dtype of an array, or of a number such as `numpy.float32(2)`, for one
        name = np.dtype(dtype).name if isinstance(dtype, str | type | np.dtype) else ""
    except TypeError:
        name = ""
    if name in DTYPES:
        return name
    message = (
        f"The dtype is {quoted(dtype)}; it must be {listed([repr(each) for each in DTYPES], last='or')}."
    )
    raise GraphError(Problem("bad-dtype", message, f"Write dtype={FLOAT64!r}, or leave it out."))


def input_arrays(graph: Graph, inputs: Any, dtype: str) -> dict[str, np.ndarray]:
    """Return values by input name, as arrays of the dtype.

    Raises:
      GraphError: `inputs` is no mapping, a name is not an input, or a value is not numeric or too large.
    """
    if inputs is None:
        return {}
    if not isinstance(inputs, Mapping):
        message = f"The inputs must be a mapping from names to values; found {kind_of(inputs)}."
        raise GraphError(Problem("bad-input", message, 'Write inputs={"x": 2.0}.'))
    arrays = {}
    for name, value in inputs.items():
        check_input(graph, name)
        try:
            array = arrays[name] = numbers(value, dtype)
        except ValueError as error:
            message = f"The value of input {name!r} {error}."
            raise GraphError(Problem("bad-input", message, node=name)) from error
        if array.size > limits.ELEMENTS or array.ndim > limits.RANK:
            message = f"The value of input {name!r} has {array.size} elements on {array.ndim} axes."
            hint = f"At most {limits.ELEMENTS} elements and {limits.RANK} axes."
            raise GraphError(Problem("too-large", message, hint, node=name))
    return arrays


def numbers(value: Any, dtype: str) -> np.ndarray:
    """Convert a number, nested lists of numbers or an array to an array of the dtype.

    Raises:
      ValueError: the message is the end of a sentence that begins with the value's purpose.
    """
    none = "is not a number or an array of numbers"
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of unequal length
        raise ValueError(none) from error
    mixed = array.dtype.kind == "O" and all(isinstance(item, Real) for item in array.flat)
    if array.dtype.kind not in NUMERIC and not mixed:
        raise ValueError(none)
    little = f"holds a number that {dtype} has no room for"
    with np.errstate(over="ignore"):
        try:
            converted, wide = array.astype(dtype, copy=False), array.astype(FLOAT64, copy=False)
        except OverflowError as error:
            raise ValueError(little) from error
        except TypeError as error:
            raise ValueError(none) from error
    # An infinity of the user's own is passed on; one that the conversion has made is refused.
    if np.any(np.isinf(converted) & ~np.isinf(wide)):
        raise ValueError(little)
    return converted


def input_shapes(graph: Graph, inputs: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return shapes by input name.

    Raises:
      GraphError: `inputs` is no mapping, a name is not an input, or a shape is not a tuple of lengths.
    """
    if not isinstance(inputs, Mapping):
        message = f"The shapes of inputs must be a mapping from names; found {kind_of(inputs)}."
        raise GraphError(Problem("bad-shape", message, 'Write {"x": (2, 3)}.'))
    shapes = {}
    for name, shape in inputs.items():
        check_input(graph, name)
        try:
            shapes[name] = tuple(whole_number("length", side, 0, limits.ELEMENTS) for side in shape)
        except (TypeError, GraphError) as error:
            message = f"The shape of input {name!r} is {quoted(shape)}; lengths are needed."
            raise GraphError(Problem("bad-shape", message, "Write (2, 3), or array.shape.", name)) from error
    return shapes


def check_input(graph: Graph, name: Any) -> None:
    """Check that the graph has an input of that name.

    Raises:
      GraphError: no input has that name.
    """
    if name not in graph or graph[name].op != INPUT:
        known = ", ".join(node.name for node in graph.nodes if node.op == INPUT) or "none"
        hint = f"The inputs of this graph: {known}."
        raise GraphError(Problem("unknown-input", f"There is no input {quoted(name)}.", hint))
