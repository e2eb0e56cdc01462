"""Represent TensorFlow's tensors: conversion, dtypes that must agree, and nodes with TensorFlow's own slopes.

TensorFlow converts Python's numbers, lists and NumPy's arrays to the dtype of the tensor beside them, and
refuses two tensors of different dtypes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.reading.functions import arrays
from autodiff_viz.reading.functions.arrays import constant, dtype_of
from autodiff_viz.reading.functions.library_calls import jax_function
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, INT, Array, Refused, leaves

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


# Functions that are written in JAX.


def of_floats(call: Callable[..., Any]) -> Read:
    """Return a function of JAX arrays as the reading of one whose first argument is a tensor of floats."""

    def prepare(reader: Reader, name: str, given: dict[str, Any]) -> None:
        first = next(iter(given))
        given[first] = floating(reader, given[first], name)

    return jax_function(call, prepare=prepare)


def of_alike(call: Callable[..., Any]) -> Read:
    """Return a function of JAX arrays as the reading of one whose needed arguments are floats alike."""
    needed = [one.name for one in inspect.signature(call).parameters.values() if one.default is one.empty]

    def prepare(reader: Reader, name: str, given: dict[str, Any]) -> None:
        for one, value in zip(needed, alike(reader, [given[one] for one in needed], name), strict=True):
            given[one] = floating(reader, value, name)

    return jax_function(call, prepare=prepare)


# Slopes of TensorFlow's own.


@dataclass(eq=False)
class Connected:
    """Nodes whose pullback reads their own value in TensorFlow: a second derivative is 0, and not None."""

    numbers: set[int] = field(default_factory=set)


def connected(reader: Reader, made: Array) -> Array:
    """Note that TensorFlow's gradient of a node reads its value."""
    if made.is_node:
        reader.state(Connected).numbers.add(made.held.number)
    return made
