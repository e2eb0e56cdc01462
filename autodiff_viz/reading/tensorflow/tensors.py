"""Represent TensorFlow's tensors: conversion, dtypes that must agree, and nodes with TensorFlow's own slopes.

TensorFlow converts Python's numbers, lists and NumPy's arrays to the dtype of the tensor beside them, and
refuses two tensors of different dtypes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autodiff_viz.reading.functions import arrays
from autodiff_viz.reading.functions.arrays import constant, dtype_of
from autodiff_viz.reading.functions.library_calls import arguments_of, call_jax
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, INT, Array, Refused, leaves, mapped

TF: arrays.Table = {}
"""TensorFlow's functions by full name."""

METHODS: arrays.Table = {}
"""Methods of its tensors and variables."""


Read = Callable[..., Any]


@dataclass(eq=False)
class Overrides:
    """What `gradient_override_map` says inside its block.

    Attributes:
      active: for each type of op, the name of the gradient that its ops have here.
      registered: the gradients by name.
      apply: calls a function whose op has another gradient.
    """

    active: dict[str, str] = field(default_factory=dict)
    registered: dict[str, Any] = field(default_factory=dict)
    apply: Any = None


OP_TYPES = {"multiply": "Mul", "add": "AddV2", "subtract": "Sub", "negative": "Neg", "matmul": "MatMul"}


def op_types(names: Sequence[str]) -> list[str]:
    """Return the types of ops that functions of these names make: "nn.relu" makes "Relu"."""
    last = [name.rpartition(".")[2] for name in names]
    return [OP_TYPES.get(one, "".join(part.capitalize() for part in one.split("_"))) for one in last]


def tf(*names: str) -> Callable[[Read], Read]:
    """Register a function under its names in `tensorflow`; `name=` is an argument of all of them."""

    def register(function: Read) -> Read:
        def read(reader: Reader, *args: Any, name: Any = None, **keywords: Any) -> Any:
            overrides = reader.state(Overrides)
            for one in overrides.active and op_types(names):
                if one in overrides.active:
                    return overrides.apply(reader, function, args, keywords, overrides.active[one])
            return function(reader, *args, **keywords)

        for one in names:
            TF[f"tensorflow.{one}"] = read
        return function

    return register


# Tensors and their dtypes.


@dataclass(eq=False)
class Dtypes:
    """The dtypes of the tensors that a text makes."""

    floats: set[str] = field(default_factory=set)


def kind_named(reader: Reader, dtype: Any) -> str | None:
    """Return our name of a dtype argument; that of a tensor's `dtype` is read too."""
    return arrays.named_dtype(reader, dtype)


def tensor(reader: Reader, value: Any, dtype: Any = None) -> Array:
    """Return a value as a tensor, of a dtype or of that which TensorFlow gives it.

    Raises:
      Refused: the value is a tensor of another dtype, which TensorFlow does not convert by itself.
    """
    wanted = kind_named(reader, dtype)
    if isinstance(value, Array):
        if wanted and wanted != value.dtype and value.framework != "numpy":
            raise Refused(
                f"Tensor conversion requested dtype {wanted} for Tensor with dtype {value.dtype}.",
                f"Write tf.cast(x, tf.{wanted}).",
                "dtype",
            )
        made = value if value.framework == "tf" else Array(value.held, "tf", wanted or value.dtype)
    elif _has_arrays(value):
        rows = [tensor(reader, one, dtype) if isinstance(one, (Array, list, tuple)) else one for one in value]
        kind = wanted or next(one.dtype for one in rows if isinstance(one, Array))
        rows = [tensor(reader, one, kind) for one in rows]
        made = reader.make("stack", list(rows), dtype=kind, axis=0)
    else:
        kind = dtype_of(value)
        kind = "float32" if kind == "float" else kind
        if wanted == INT and kind not in (INT, BOOL):
            raise Refused(f"Cannot convert {value} to EagerTensor of dtype int32.", "Write tf.cast.", "dtype")
        made = constant(reader, value, "tf", wanted or kind)
    if made.dtype in FLOATS:
        reader.state(Dtypes).floats.add(made.dtype)
    reader.frameworks.add("tf")
    return made


def written_dtype(kind: str) -> str:
    """Return what TensorFlow calls a dtype."""
    return {INT: "int32"}.get(kind, kind)


def _has_arrays(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(leaf, Array) for _, leaf in leaves(value))


def floating(reader: Reader, value: Any, name: str) -> Array:
    """Return a value as a tensor of floats.

    Raises:
      Refused: it is one of whole numbers or truth values, of which TensorFlow does not compute this.
    """
    made = tensor(reader, value)
    if made.dtype not in FLOATS:
        raise Refused(
            f"Value for attr 'T' of {written_dtype(made.dtype)} is not in the list of allowed values: "
            f"tf.{name} takes floats.",
            "Write 2.0, or tf.cast(x, tf.float32).",
            "dtype",
        )
    return made


def alike(reader: Reader, values: Sequence[Any], name: str = "this") -> list[Array]:
    """Return values as tensors of one dtype: that of the first tensor among them.

    Raises:
      Refused: two tensors have different dtypes, or a float stands beside a tensor of whole numbers.
    """
    first = next((value for value in values if isinstance(value, Array) and value.framework == "tf"), None)
    if first is None:
        made = [tensor(reader, value) for value in values]
        kinds = [one.dtype for one in made if one.dtype in FLOATS]
        return [Array(one.held, "tf", kinds[0]) if kinds else one for one in made]
    made = []
    for value in values:
        if isinstance(value, Array) and value.framework == "tf":
            if value.dtype != first.dtype:
                raise Refused(
                    f"cannot compute {name}: a tensor of {written_dtype(first.dtype)} was expected, "
                    f"and one is {written_dtype(value.dtype)}.",
                    f"Write tf.cast(x, tf.{first.dtype if first.dtype in FLOATS else 'float32'}).",
                    "dtype",
                )
            made.append(value)
        else:
            kind = value.dtype if isinstance(value, Array) else dtype_of(value)
            if first.dtype not in FLOATS and kind not in (INT, BOOL):
                raise Refused(
                    f"Cannot convert {value if isinstance(value, float) else 'this'}"
                    f" to EagerTensor of dtype {written_dtype(first.dtype)}.",
                    "Write tf.cast(x, tf.float32).",
                    "dtype",
                )
            made.append(tensor(reader, value, first.dtype))
    return made


def whole_numbers(reader: Reader, value: Any) -> np.ndarray:
    """Return places that a text writes out, or a tensor of whole numbers has."""
    if isinstance(value, Array):
        if value.dtype not in (INT, BOOL):
            raise Refused("Places are whole numbers.", "Write tf.cast(i, tf.int32).", "dtype")
        return np.round(reader.numbers(value)).astype(int)
    made = np.array(value)
    if made.dtype.kind not in "iu":
        raise Refused("Places are whole numbers that are written out.")
    return made


def written_out(reader: Reader, value: Any) -> Any:
    """Return an option, in which the numbers of tensors of whole numbers stand for them."""
    if isinstance(value, (list, tuple)):
        return tuple(written_out(reader, one) for one in value)
    if not isinstance(value, Array) or value.dtype != INT:
        return value
    return written_out(reader, whole_numbers(reader, value).tolist())


# Functions that are written in JAX.


def _of(count: int | None, floats: bool = False, listed: bool = False) -> Callable[..., Read]:
    """Return the decorator of a function of JAX arrays that makes it the reading of one of tensors.

    What stands beside the tensors is an option, which is known: of a tensor of whole numbers these are.

    Args:
      count: how many of the arguments that are needed, the first, are tensors of one dtype; None for all.
      floats: whether these are floats. Otherwise they may be whole numbers, which the graph has as floats.
      listed: whether the first argument is a list of tensors of one dtype.
    """

    def decorate(call: Callable[..., Any]) -> Read:
        parameters = inspect.signature(call).parameters.values()
        needed = [one.name for one in parameters if one.default is one.empty][:count]

        def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
            bound = arguments_of(call, args, keywords)
            given = bound.arguments
            values = reader.items(given[needed[0]]) if listed else [given[one] for one in needed]
            tensors = alike(reader, values, call.__name__)
            dtype = tensors[0].dtype if tensors else "float32"
            if floats:
                tensors = [floating(reader, one, call.__qualname__) for one in tensors]
            tensors = [one if dtype in FLOATS else replace(one, dtype="float32") for one in tensors]
            given |= {name: written_out(reader, given[name]) for name in given.keys() - {*needed}}
            given |= {needed[0]: tensors} if listed else zip(needed, tensors, strict=True)
            made = call_jax(reader, call, *bound.args, **bound.kwargs)
            return mapped(lambda one: replace(one, dtype=dtype) if one.dtype in FLOATS else one, made)

        return read

    return decorate


of_floats, of_alike = _of(1, floats=True), _of(None, floats=True)
of_tensor, of_pair, of_list = _of(1), _of(2), _of(1, listed=True)


def in_jax(of: Callable[..., Read], calls: dict[str, Callable[..., Any]]) -> None:
    """Register functions of JAX arrays by their names in `tensorflow`, as `of` reads them."""
    for names, call in calls.items():
        call.__qualname__ = names.split()[0]
        call.__name__ = call.__qualname__.rpartition(".")[2]
        tf(*names.split())(of(call))


# Slopes of TensorFlow's own.


@dataclass(eq=False)
class Connected:
    """Nodes whose pullback reads their own value in TensorFlow: a second derivative is 0, and not None."""

    numbers: set[int] = field(default_factory=set)


def connected(function: Read) -> Read:
    """Return a function of which is noted that TensorFlow's gradient of it reads its value."""

    def read(reader: Reader, *args: Any, **keywords: Any) -> Array:
        made = function(reader, *args, **keywords)
        if made.is_node:
            reader.state(Connected).numbers.add(made.held.number)
        return made

    return read
