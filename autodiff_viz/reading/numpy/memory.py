"""Read which functions of NumPy return views, and changes of arrays in place.

Whether a reshape is a view is NumPy's own answer for the places of the elements
(`tensors.torch_memory.places`). What is no view is a copy, also where our reading returns what it was given.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from autodiff_viz.reading.functions import arrays
from autodiff_viz.reading.functions.arrays import shape_of
from autodiff_viz.reading.functions.indexing import item, placed_values
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, Array, Refused
from autodiff_viz.reading.nodes.builder import Builder
from autodiff_viz.reading.nodes.costs import LibraryError, sized
from autodiff_viz.reading.numpy.linear_algebra import diagonal as diagonal_plain
from autodiff_viz.reading.tensors.own_dtypes import numpy_dtype, remember
from autodiff_viz.reading.tensors.torch_memory import change, info, is_contiguous, lay_out
from autodiff_viz.reading.tensors.torch_tensors import same_dtype, to_numpy
from autodiff_viz.reading.tensors.views import along, in_order, part, picked, reshaped, spread, whole

READ_ONLY = "NumPy's view is read-only: assignment destination is read-only."


def shares(reader: Reader, x: Any) -> bool:
    """Return whether an array can be changed in place: one of NumPy that nothing differentiates by."""
    plain = isinstance(x, Array) and x.framework == "numpy" and not x.rows and not x.traced
    return plain and isinstance(reader.builder, Builder)


def immutable(reader: Reader, x: Array) -> bool:
    """Return whether an operator such as `+=` makes another value: a scalar, or an array that is traced."""
    return not shares(reader, x) or (shape_of(reader, x) == () and not info(reader, x).array)


def _asked(reader: Reader, x: Array, function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Return what NumPy makes of an array of the same shape, which takes no memory."""
    try:
        return function(np.broadcast_to(np.int8(0), sized(shape_of(reader, x))), *args, **keywords)
    except (ValueError, IndexError) as error:
        raise LibraryError(f"{error}.".capitalize()) from None


def _with_shape_of(function: Callable[..., Any]) -> Callable[..., Array]:
    """Return the reading of a function that changes the shape, as NumPy's function says."""

    def read(reader: Reader, x: Array, *args: Any, order: str = "C", **keywords: Any) -> Array:
        if order != "C":
            raise Refused("A new shape is read in the order of rows.")
        return _array(reader, reshaped(reader, x, _asked(reader, x, function, *args, **keywords).shape))

    return read


def _in_order_of(function: Callable[..., Any]) -> Callable[..., Array]:
    """Return the reading of a function that moves axes, as NumPy's function does."""

    def read(reader: Reader, x: Array, *args: Any, **keywords: Any) -> Array:
        rank = len(shape_of(reader, x))
        try:
            moved = function(np.broadcast_to(np.int8(0), sized(range(1, rank + 1))), *args, **keywords)
        except (ValueError, IndexError) as error:
            raise LibraryError(f"{error}.".capitalize()) from None
        return in_order(reader, x, tuple(size - 1 for size in moved.shape))

    return read


def _array(reader: Reader, x: Array) -> Array:
    """Return an array that stays one, also without axes."""
    info(reader, x).array = True
    return x


def _reshape(x: np.ndarray, *shape: Any, newshape: Any = None) -> np.ndarray:
    given = shape or (newshape,)
    return x.reshape(*given)


def ravel(reader: Reader, x: Array, order: str = "C") -> Array:
    """Read a flattening: a view if the elements stand in order, else a copy."""
    if order != "C":
        raise Refused("A new shape is read in the order of rows.")
    made = reshaped(reader, x, (int(np.prod(shape_of(reader, x))),))
    return (
        made
        if is_contiguous(reader, x) is not False or info(reader, made).parent is None
        else copied(reader, made)
    )


def copied(reader: Reader, x: Array, order: str = "C") -> Array:
    """Return a copy, with the elements in order or as they stand."""
    made = Array(x.held, "numpy", x.dtype)
    if order not in ("C", "K", "A"):
        raise Refused("A copy in the order of columns is not read.")
    if order != "C":
        lay_out(reader, "identity", [x], made)
    return _array(reader, made) if info(reader, x).array else made


def flip(reader: Reader, x: Array, axis: Any = None) -> Array:
    """Read elements in reverse order, which are a view."""
    rank = len(shape_of(reader, x))
    axes = range(rank) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if not all(type(one) is int and -rank <= one < rank for one in axes):
        raise Refused("Axes are whole numbers that are written out.")
    turned = {one % rank for one in axes}
    return part(reader, x, tuple((None, None, -1 if i in turned else None) for i in range(rank)))


def _split(function: Callable[..., Any]) -> Callable[..., list[Array]]:
    def read(reader: Reader, x: Array, indices_or_sections: Any, axis: int = 0) -> list[Array]:
        cut = _asked(reader, x, function, indices_or_sections, axis)
        ends = [0, *accumulate(one.shape[axis] for one in cut)]
        if 0 in (one.size for one in cut):
            raise Refused("A part of this split is empty, and an array here has at least one element.")
        return [along(reader, x, axis, (a, b, None)) for a, b in pairwise(ends)]

    return read


def _unwritable(reader: Reader, x: Array) -> Array:
    info(reader, x).readonly = READ_ONLY
    return x


def diagonal(reader: Reader, x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Read a diagonal, a view that cannot be written to."""

    def derive(reader: Reader, parent: Array) -> Array:
        return diagonal_plain(reader, parent, offset, axis1, axis2)

    return _unwritable(reader, picked(reader, x, derive, (axis1, axis2), offset))


def _broadcast_to(reader: Reader, x: Array, shape: Any) -> Array:
    wanted = _asked(reader, x, np.broadcast_to, shape).shape

    def derive(reader: Reader, parent: Array) -> Array:
        return reader.make("broadcast_to", [parent], dtype=parent.dtype, shape=wanted)

    return _unwritable(reader, spread(reader, x, wanted, derive))


def viewed(reader: Reader, x: Array, *dtype: Any) -> Array:
    """Read a view of all of an array."""
    if dtype:
        raise Refused("view() of another dtype reads the bits of numbers anew.", "Write astype(dtype).")
    return _array(reader, whole(reader, x))


VIEWS: dict[str, Callable[..., Any]] = {
    "reshape": _with_shape_of(_reshape),
    "ravel": ravel,
    "squeeze": _with_shape_of(np.squeeze),
    "expand_dims": _with_shape_of(np.expand_dims),
    "atleast_1d": _with_shape_of(np.atleast_1d),
    "atleast_2d": _with_shape_of(np.atleast_2d),
    "transpose": _in_order_of(np.transpose),
    "permute_dims": _in_order_of(np.transpose),
    "matrix_transpose": _in_order_of(np.matrix_transpose),
    "swapaxes": _in_order_of(np.swapaxes),
    "moveaxis": _in_order_of(np.moveaxis),
    "flip": flip,
    "fliplr": lambda reader, x: flip(reader, x, 1),
    "flipud": lambda reader, x: flip(reader, x, 0),
    "split": _split(np.split),
    "array_split": _split(np.array_split),
    "diagonal": diagonal,
    "broadcast_to": _broadcast_to,
    "real": lambda reader, x: _array(reader, whole(reader, x)),
    "view": viewed,
}
"""Functions and methods that return views of an array of NumPy."""

COPIES: dict[str, Callable[..., Any]] = {
    "copy": copied,
    "flatten": lambda reader, x, order="C": copied(
        reader, reshaped(reader, x, (int(np.prod(shape_of(reader, x))),)), order
    ),
}
"""Functions and methods that return copies and are read here."""

ITSELF = frozenset(["asarray", "ascontiguousarray", "block_until_ready", "tolist", "item"])
"""What may return the array that it gets."""

MAKES = frozenset(
    ["array", "zeros", "empty", "ones", "full", "zeros_like", "ones_like", "full_like", "asarray", "copy"]
)
"""What makes arrays also of one number without an axis, where other functions make a scalar."""


def read_here(name: str, function: Callable[..., Any], views: Any = VIEWS) -> Callable[..., Any]:
    """Return the reading of a function or a method for arrays of NumPy; others are read as before."""
    here = views.get(name) or COPIES.get(name)

    def call(reader: Reader, *args: Any, **keywords: Any) -> Any:
        if any(isinstance(one, Array) and one.requires_grad for one in args):
            raise LibraryError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
                "Write x.detach().numpy(), or the function of torch.",
                "requires-grad",
            )
        if (
            name in ("positive", "negative")
            and getattr(args[0], "dtype", "") == BOOL
            and shares(reader, args[0])
        ):
            raise LibraryError(f"The numpy boolean {name} is not supported.", "Use ~ or logical_not().")
        if here is not None and args and shares(reader, args[0]):
            if immutable(reader, args[0]):
                return here(reader, Array(args[0].held, "numpy", args[0].dtype), *args[1:], **keywords)
            return here(reader, *args, **keywords)
        outside, reader.library = (
            reader.library,
            args[0].framework if args and shares(reader, args[0]) else reader.library,
        )
        try:
            made = function(reader, *args, **keywords)
        finally:
            reader.library = outside
        if not isinstance(made, Array) or made.framework != "numpy" or not shares(reader, made):
            return made
        if name not in ITSELF and any(made is one for one in args):
            made = copied(reader, made)
        return _array(reader, made) if name in MAKES else made

    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call


def as_array(reader: Reader, a: Any, dtype: Any = None, copy: Any = None) -> Array:
    """Read `asarray`: an array stays itself, and a tensor of PyTorch shares its memory."""
    if isinstance(a, Array) and a.framework == "torch":
        a = to_numpy(reader, a)
    wanted = arrays.named_dtype(reader, dtype) if dtype is not None else None
    if shares(reader, a) and not copy and same_dtype(wanted, a):
        return _array(reader, copied(reader, a)) if immutable(reader, a) else a
    return arrays._array(reader, reader.library, a, dtype, copy)


def contiguous(reader: Reader, a: Any, dtype: Any = None) -> Array:
    """Read `ascontiguousarray`: a copy if the elements do not stand in order, of one axis at least."""
    made = as_array(reader, a, dtype)
    if not shares(reader, made):
        return made
    if shape_of(reader, made) == ():
        return VIEWS["reshape"](reader, made if info(reader, made).array else copied(reader, made), 1)
    if is_contiguous(reader, made) is None:
        raise Refused("Whether this is a copy depends on the order of its elements.", "Write copy().")
    return made if is_contiguous(reader, made) else copied(reader, made)


def array_of(reader: Reader, object: Any, dtype: Any = None, copy: Any = None) -> Array:
    """Read `array`, which copies, also the numbers of a tensor of PyTorch."""
    if isinstance(object, Array) and object.framework == "torch":
        object = to_numpy(reader, object)
    made = arrays._array(reader, reader.library, object, dtype, copy)
    if shares(reader, object):
        lay_out(reader, "identity", [object], made)
    return made


def attribute(reader: Reader, x: Array, name: str, node: ast.AST) -> tuple[bool, Any]:
    """Return (whether it is an attribute that shows an array's memory, its value)."""
    if not shares(reader, x):
        return False, None
    if name in ("T", "real") and immutable(reader, x):
        return True, x
    if name in ("T", "mT"):
        return True, VIEWS["transpose" if name == "T" else "matrix_transpose"](reader, x)
    if name == "real":
        return True, VIEWS["real"](reader, x)
    return False, None


def get_item(reader: Reader, x: Array, index: Any, node: ast.AST) -> Array:
    """Read `x[index]`: a view, but a copy if an array picks, and a scalar if there is no axis left."""
    if not shares(reader, x) or not arrays.simple_index(index):
        made = item(reader, x, index, node)
        remember(reader, made, lambda own, *parts: own[parts], x, *_parts(index))
        if shares(reader, made) and len(shape_of(reader, made)) > 1:
            info(reader, made).unknown = True  # the axes that are picked stand first in memory
        return made
    made = part(reader, x, arrays.index_of(reader, index))
    ends = index if isinstance(index, tuple) else (index,)
    if shape_of(reader, made) == () and not any(one is Ellipsis for one in ends):
        return Array(made.held, "numpy", made.dtype)
    return _array(reader, made)


def _parts(index: Any) -> tuple:
    """Return the parts of an index, whose arrays are those of numbers."""
    return index if isinstance(index, tuple) else (index,)


def _placed(x: np.ndarray, value: Any, *parts: Any) -> np.ndarray:
    made = x.copy()
    made[parts] = value
    return made


def items(reader: Reader, x: Array, node: ast.AST) -> list[Array]:
    """Return what a loop over an array yields: views of rows, or scalars."""
    made = arrays.items(reader, x, node)
    if not shares(reader, x) or len(shape_of(reader, x)) < 2:
        return made
    return [along(reader, x, 0, i) for i in range(len(made))]


def set_item(reader: Reader, x: Array, index: Any, value: Any, target: ast.Subscript) -> None:
    """Read `x[index] = value`, a change in place."""
    if not shares(reader, x):
        if x.framework == "numpy" and x.traced:
            raise LibraryError(
                "'ArrayBox' object does not support item assignment",
                "Write a new value in place of the change.",
                "immutable",
                target,
            )
        raise Refused("This is not changed in place.", at=target)
    if immutable(reader, x):
        raise LibraryError(
            "a scalar of NumPy does not support item assignment", "Write np.array(...).", "immutable", target
        )
    if isinstance(value, Array) and value.requires_grad:
        raise LibraryError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            "Write x.detach().",
            "requires-grad",
            target,
        )
    if isinstance(value, Array) and value.framework == "numpy" and value.traced:
        raise LibraryError(
            "setting an array element with a sequence.",
            "Autograd does not see a change in place: build the array with np.stack or np.concatenate.",
            "immutable",
            target,
        )
    made = placed_values(reader, x, index, value, target)
    if not isinstance(value, (list, tuple)):
        remember(reader, made, _placed, x, value, *_parts(index))
    change(reader, x, made, target)


def in_place(reader: Reader, x: Array, result: Array, node: ast.AST) -> bool:
    """Change an array in place; return whether it shows a part of another one, which has changed too."""
    kinds = [numpy_dtype(reader, one.dtype, "numpy") for one in (result, x)]
    if not np.can_cast(*kinds, "same_kind"):
        raise LibraryError(
            f"Cannot cast the output of this operator from {kinds[0]} to {kinds[1]} with casting rule "
            "'same_kind'.",
            "Write a new value in place of the change.",
            "integer",
            node,
        )
    change(reader, x, result if same_dtype(x.dtype, result) else arrays.cast(reader, result, x.dtype), node)
    return info(reader, x).parent is not None


def install(reader: Reader) -> None:
    """Teach a reader which arrays of NumPy share memory."""
    own = {"numpy.asarray": as_array, "numpy.ascontiguousarray": contiguous, "numpy.array": array_of}
    own["numpy.copy"] = lambda reader, a, order="K": copied(reader, array_of(reader, a), order)
    for path, function in (reader.tables | own).items():
        if path.startswith("numpy.") and path.count(".") == 1:
            reader.tables[path] = read_here(path.removeprefix("numpy."), function)
    views = {**VIEWS, "transpose": _in_order_of(np.ndarray.transpose)}
    reader.methods["numpy"] = {name: read_here(name, one, views) for name, one in arrays.METHODS.items()}
    reader.handlers.attribute["numpy"] = attribute
    reader.handlers.in_place["numpy"] = in_place
    reader.handlers.immutable["numpy"] = immutable
    others = reader.handlers.item[Array], reader.handlers.items[Array], reader.handlers.set_item[Array]
    reader.handlers.item[Array] = lambda reader, x, index, node: (
        get_item if x.framework == "numpy" else others[0]
    )(reader, x, index, node)
    reader.handlers.items[Array] = lambda reader, x, node: (items if x.framework == "numpy" else others[1])(
        reader, x, node
    )
    reader.handlers.set_item[Array] = lambda reader, x, index, value, target: (
        set_item if x.framework == "numpy" else others[2]
    )(reader, x, index, value, target)
