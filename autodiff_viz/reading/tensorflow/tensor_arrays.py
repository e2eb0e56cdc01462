"""Read `tf.TensorArray`: tensors that a loop writes one by one, and that are stacked after it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.reading.functions.arrays import shape_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Refused, method_of
from autodiff_viz.reading.tensorflow.functions import concat, stack, unstack
from autodiff_viz.reading.tensorflow.tensors import TF, kind_named, tensor, whole_numbers


@dataclass(eq=False)
class TensorArray:
    """What `tf.TensorArray(...)` is.

    Attributes:
      dtype: of its elements.
      size: how many it has room for; a dynamic one grows.
      clears: whether an element that was read is gone.
      elements: what was written, by place.
      gone: places that were read.
    """

    dtype: str
    size: int
    dynamic: bool = False
    clears: bool = True
    elements: dict[int, Array] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)


def tensor_array(
    reader: Reader,
    dtype: Any,
    size: Any = 0,
    dynamic_size: Any = False,
    clear_after_read: Any = None,
    tensor_array_name: Any = None,
    infer_shape: Any = True,
    element_shape: Any = None,
    name: Any = None,
) -> TensorArray:
    """Read the making of a TensorArray."""
    kind = kind_named(reader, dtype) or "float32"
    return TensorArray(kind, _place(reader, size), bool(dynamic_size), clear_after_read is not False)


TF["tensorflow.TensorArray"] = tensor_array


def _place(reader: Reader, value: Any) -> int:
    return int(whole_numbers(reader, value))


def write(reader: Reader, own: TensorArray, index: Any, value: Any) -> TensorArray:
    """Read `write`, which returns the array itself."""
    place, made = (
        _place(reader, index),
        tensor(reader, value, None if isinstance(value, Array) else own.dtype),
    )
    if place < 0 or (place >= own.size and not own.dynamic):
        raise Refused(
            f"Tried to write to index {place} but array is not resizeable and size is: {own.size}",
            "Give size, or dynamic_size=True.",
        )
    if made.dtype != own.dtype:
        raise Refused(f"This TensorArray holds {own.dtype}, and a value of {made.dtype} is written.")
    if any(shape_of(reader, made) != shape_of(reader, one) for one in own.elements.values()):
        raise Refused("Tensors of different shapes are not read in one TensorArray.")
    own.elements[place], own.size = made, max(own.size, place + 1)
    own.gone.discard(place)
    return own


def read(reader: Reader, own: TensorArray, index: Any) -> Array:
    """Read `read`, after which the element is gone unless clear_after_read is False."""
    place = _place(reader, index)
    if place in own.gone:
        raise Refused(
            f"Could not read index {place} twice because it was cleared after a previous read.",
            "Write clear_after_read=False.",
        )
    if place not in own.elements:
        raise Refused(f"Nothing has been written to index {place}.")
    if own.clears:
        own.gone.add(place)
    return own.elements[place]


def _all(own: TensorArray) -> list[Array]:
    if own.gone or any(i not in own.elements for i in range(own.size)) or not own.size:
        raise Refused("A TensorArray is stacked once all its elements are written, and none has been read.")
    return [own.elements[i] for i in range(own.size)]


def attribute(reader: Reader, own: TensorArray, name: str, node: ast.AST) -> Any:
    """Return an attribute of a TensorArray."""
    if name == "dtype":
        return own.dtype
    methods = {
        "write": lambda index, value, name=None: write(reader, own, index, value),
        "read": lambda index, name=None: read(reader, own, index),
        "stack": lambda name=None: stack(reader, _all(own)),
        "concat": lambda name=None: concat(reader, _all(own), 0),
        "size": lambda name=None: own.size,
        "gather": lambda indices, name=None: stack(
            reader, [_all(own)[int(i)] for i in whole_numbers(reader, indices)]
        ),
        "unstack": lambda value, name=None: _unstacked(reader, own, value),
    }
    return method_of("A TensorArray", methods, name, node)


def _unstacked(reader: Reader, own: TensorArray, value: Any) -> TensorArray:
    for i, row in enumerate(unstack(reader, value)):
        write(reader, own, i, row)
    return own


def install(reader: Reader) -> None:
    """Teach a reader TensorArrays."""
    reader.handlers.attribute[TensorArray] = attribute
