"""Read what changes the shape of a tensor of PyTorch; what shares its memory is a view."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph.model import IDENTITY
from autodiff_viz.reading import arrays
from autodiff_viz.reading.arrays import named_dtype, shape_of
from autodiff_viz.reading.costs import LibraryError, sized
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.torch_memory import PERHAPS, is_contiguous, view
from autodiff_viz.reading.torch_tensors import (
    TENSOR,
    TORCH,
    both,
    dims,
    in_rows,
    last,
    same_dtype,
    tensor,
    whole,
)
from autodiff_viz.reading.values import BOOL, FLOATS, Array, Native, Path, Refused
from autodiff_viz.reading.views import along, in_order, parts, reshaped, spread, with_shape


def _sizes(r: Interpreter, x: Array, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape with the size that stands as -1."""
    old = shape_of(r, x)
    if -1 in shape:
        known = prod(size for size in shape if size != -1)
        shape = tuple(prod(old) // max(known, 1) if size == -1 else size for size in shape)
    if prod(shape) != prod(old) or shape.count(-1):
        raise LibraryError(f"shape {list(shape)} is invalid for input of size {prod(old)}.")
    return shape


def _shaped(r: Interpreter, x: Any, shape: tuple[int, ...]) -> Array:
    """Return a tensor of another shape: a view, or a copy where its strides allow none."""
    x = tensor(r, x)
    return reshaped(r, x, _sizes(r, x, shape))


def _viewed(r: Interpreter, x: Any, shape: tuple[int, ...]) -> Array:
    """Return a view of another shape.

    Raises:
      LibraryError: there is none.
    """
    x = tensor(r, x)
    made = with_shape(r, x, _sizes(r, x, shape))
    if made is None:
        raise LibraryError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans "
            "across two contiguous subspaces). Use .reshape(...) instead.",
            "Write .reshape(...).",
            "view",
        )
    return made


def _given_sizes(r: Interpreter, given: tuple) -> tuple[int, ...]:
    one = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    return tuple(whole(r, part) for part in one)


@both("reshape")
def reshape(r: Interpreter, input: Array, *sizes: Any, shape: Any = None) -> Array:
    """Read a new shape."""
    return _shaped(r, input, _given_sizes(r, sizes or (shape,)))


@arrays.known("view", table=TENSOR)
def viewed(r: Interpreter, x: Array, *shape: Any, size: Any = None, dtype: Any = None) -> Array:
    """Read a view of another shape."""
    given = shape or (size if dtype is None else dtype,)
    if len(given) == 1 and isinstance(given[0], (Path, Native)):
        if not same_dtype(named_dtype(r, given[0]), x):
            raise Refused("view() of another dtype reads the bits of numbers anew.", "Write to(dtype).")
        return x
    return _viewed(r, x, _given_sizes(r, given))


TENSOR["view_as"] = lambda r, x, other: _viewed(r, x, shape_of(r, other))
TENSOR["reshape_as"] = lambda r, x, other: _shaped(r, x, shape_of(r, other))
both("ravel")(lambda r, input: contiguous(r, _shaped(r, input, (prod(shape_of(r, input)),))))


@arrays.known("contiguous", table=TENSOR)
def contiguous(r: Interpreter, x: Array, memory_format: Any = None) -> Array:
    """Read a copy with the elements in order; a tensor that has them so stays itself."""
    if memory_format is not None and last(memory_format) != "contiguous_format":
        raise Refused("contiguous() is read without another order of memory.", "Leave it out.")
    found = is_contiguous(r, x)
    if found is None:
        return view(r, x, lambda r, parent: r.make(IDENTITY, [parent], dtype=parent.dtype), None, PERHAPS)
    return x if found else in_rows(r, x)


@both("flatten")
def flatten(r: Interpreter, input: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    """Read a flattening of some dimensions."""
    shape = shape_of(r, input)
    if len(shape) == 1:
        return input
    if not shape:
        return _shaped(r, input, (1,))
    first, last = start_dim % len(shape), end_dim % len(shape)
    return _shaped(r, input, (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :]))


@both("unflatten")
def unflatten(r: Interpreter, input: Array, dim: int, sizes: Any) -> Array:
    """Read that a dimension becomes several."""
    shape = shape_of(r, input)
    at = dim % len(shape)
    inner_sizes = tuple(sizes)
    if -1 in inner_sizes:
        rest = shape[at] // prod(size for size in inner_sizes if size != -1)
        inner_sizes = tuple(rest if size == -1 else size for size in inner_sizes)
    return _shaped(r, input, (*shape[:at], *inner_sizes, *shape[at + 1 :]))


@both("unsqueeze")
def unsqueeze(r: Interpreter, input: Array, dim: int) -> Array:
    """Read a new dimension."""
    shape, at = shape_of(r, input), whole(r, dim)
    at = at if at >= 0 else at + len(shape) + 1
    return _shaped(r, input, (*shape[:at], 1, *shape[at:]))


@both("squeeze")
def squeeze(r: Interpreter, input: Array, dim: Any = None) -> Array:
    """Read that dimensions of length 1 go."""
    shape, axis = shape_of(r, input), dims(r, dim)
    chosen = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {one % max(len(shape), 1) for one in chosen}
    kept_sizes = tuple(size for i, size in enumerate(shape) if size != 1 or i not in gone)
    return input if kept_sizes == shape else _shaped(r, input, kept_sizes)


def squeeze_plain(r: Interpreter, x: Array, axis: int) -> Array:
    """Return a tensor without a dimension of length 1."""
    shape = shape_of(r, x)
    at = axis % len(shape)
    return r.make("reshape", [x], shape=(*shape[:at], *shape[at + 1 :]))


TORCH["torch.atleast_1d"] = lambda r, input: input if shape_of(r, input) else _shaped(r, input, (1,))
TORCH["torch.atleast_2d"] = lambda r, input: (
    input if len(shape_of(r, input)) > 1 else _shaped(r, input, (1, prod(shape_of(r, input))))
)


def _ordered(r: Interpreter, x: Any, order: tuple[int, ...]) -> Array:
    """Return a view with its dimensions in another order."""
    return in_order(r, tensor(r, x), order)


@both("adjoint")
def adjoint(r: Interpreter, input: Array) -> Array:
    """Read a transposition of the last two dimensions."""
    return transpose(r, input, -2, -1)


@both("t")
def t(r: Interpreter, input: Array) -> Array:
    """Read a transposition of a matrix."""
    return _ordered(r, input, tuple(reversed(range(len(shape_of(r, input))))))


@both("transpose", "swapaxes", "swapdims")
def transpose(r: Interpreter, input: Array, dim0: int, dim1: int) -> Array:
    """Read that two dimensions change places."""
    order = list(range(len(shape_of(r, input))))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return _ordered(r, input, tuple(order))


@both("permute")
def permute(r: Interpreter, input: Array, *dims: Any) -> Array:
    """Read an order of the dimensions."""
    order = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    return _ordered(r, input, tuple(order))


@both("movedim", "moveaxis")
def movedim(r: Interpreter, input: Array, source: Any, destination: Any) -> Array:
    """Read that dimensions move."""
    rank = len(shape_of(r, input))
    order = np.moveaxis(np.empty(sized(range(1, rank + 1))), source, destination).shape
    return _ordered(r, input, tuple(size - 1 for size in order))


def broadcast_to(r: Interpreter, x: Any, shape: tuple[int, ...]) -> Array:
    """Return a tensor repeated to a shape."""
    x = tensor(r, x)
    if shape_of(r, x) == tuple(shape):
        return x
    return r.make("broadcast_to", [x], dtype=x.dtype, shape=tuple(shape))


@both("expand", "broadcast_to")
def expand(r: Interpreter, input: Array, *sizes: Any) -> Array:
    """Read a broadcast; -1 keeps a size."""
    wanted = [
        whole(r, one)
        for one in (sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes)
    ]
    shape = (1,) * (len(wanted) - len(shape_of(r, input))) + shape_of(r, input)
    full_shape = tuple(old if new == -1 else new for new, old in zip(wanted, shape, strict=True))
    return spread(r, input, full_shape, lambda r, parent: broadcast_to(r, parent, full_shape))


TENSOR["expand_as"] = lambda r, x, other: expand(r, x, shape_of(r, other))


def select_plain(r: Interpreter, x: Array, axis: int, i: Any) -> Array:
    """Return a part of a tensor along a dimension: a number, or a slice."""
    return r.make(
        "getitem", [x], dtype=x.dtype, index=(*((None, None, None),) * (axis % len(shape_of(r, x))), i)
    )


both("select")(lambda r, input, dim, index: along(r, input, whole(r, dim), whole(r, index)))
both("narrow")(
    lambda r, input, dim, start, length: along(
        r, input, whole(r, dim), (whole(r, start), whole(r, start) + whole(r, length), None)
    )
)


@both("unbind")
def unbind(r: Interpreter, input: Array, dim: int = 0) -> tuple:
    """Read the parts along a dimension."""
    return tuple(parts(r, input, whole(r, dim)))


@both("split")
def split(r: Interpreter, tensor: Array, split_size_or_sections: Any, dim: int = 0) -> tuple:
    """Read a division into parts of given lengths."""
    length, given = shape_of(r, tensor)[dim], split_size_or_sections
    if isinstance(given, (list, tuple)):
        lengths = [whole(r, one) for one in given]
    else:
        lengths = [min(whole(r, given), length - start) for start in range(0, length, whole(r, given))]
    if sum(lengths) != length:
        raise LibraryError(f"split_with_sizes expects split_sizes to sum exactly to {length}.")
    ends = np.cumsum([0, *lengths]).tolist()
    return tuple(along(r, tensor, whole(r, dim), (a, b, None), True) for a, b in pairwise(ends))


@both("chunk")
def chunk(r: Interpreter, input: Array, chunks: int, dim: int = 0) -> tuple:
    """Read a division into equal parts."""
    return split(r, input, -(-shape_of(r, input)[dim] // whole(r, chunks)), dim)


@both("flip")
def flip(r: Interpreter, input: Array, *dims: Any) -> Array:
    """Read a turn of the order along dimensions."""
    axes = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    rank = len(shape_of(r, input))
    turned = {one % rank for one in axes}
    index = tuple((None, None, -1) if i in turned else (None, None, None) for i in range(rank))
    return r.make("getitem", [input], dtype=input.dtype, index=index)


both("fliplr")(lambda r, input: flip(r, input, 1))
both("flipud")(lambda r, input: flip(r, input, 0))


@both("roll")
def roll(r: Interpreter, input: Array, shifts: Any, dims: Any = None) -> Array:
    """Read a shift round the ends."""
    if dims is None:
        flat = r.make("reshape", [input], shape=(prod(shape_of(r, input)),))
        return r.make("reshape", [roll(r, flat, shifts, 0)], shape=shape_of(r, input))
    pairs = zip(shifts, dims, strict=True) if isinstance(dims, (tuple, list)) else [(shifts, dims)]
    for shift, dim in pairs:
        axis = whole(r, dim) % len(shape_of(r, input))
        size = shape_of(r, input)[axis]
        cut = -shift % size
        if cut:
            parts = [
                select_plain(r, input, axis, (cut, None, None)),
                select_plain(r, input, axis, (0, cut, None)),
            ]
            input = r.make("concatenate", parts, dtype=input.dtype, axis=axis)
    return input


@both("repeat")
def repeat(r: Interpreter, input: Array, *sizes: Any) -> Array:
    """Read copies side by side."""
    times = [
        whole(r, one)
        for one in (sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes)
    ]
    shape = (1,) * (len(times) - len(shape_of(r, input))) + shape_of(r, input)
    spread = tuple(size for pair in zip([1] * len(shape), shape, strict=True) for size in pair)
    wide = tuple(size for pair in zip(times, shape, strict=True) for size in pair)
    made = broadcast_to(r, r.make("reshape", [input], dtype=input.dtype, shape=spread), wide)
    return r.make(
        "reshape", [made], dtype=input.dtype, shape=tuple(a * b for a, b in zip(times, shape, strict=True))
    )


@both("tile")
def tile(r: Interpreter, input: Array, *dims: Any) -> Array:
    """Read copies side by side, missing numbers being 1."""
    times = list(dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims)
    return repeat(r, input, [1] * (len(shape_of(r, input)) - len(times)) + times)


@both("repeat_interleave")
def repeat_interleave(r: Interpreter, input: Array, repeats: Any, dim: Any = None) -> Array:
    """Read copies of every element in a row."""
    count = whole(r, repeats) if not isinstance(repeats, Array) or not shape_of(r, repeats) else None
    if count is None:
        raise Refused("repeat_interleave() is read with one number.")
    if dim is None:
        input, dim = r.make("reshape", [input], shape=(prod(shape_of(r, input)),)), 0
    shape = shape_of(r, input)
    axis = dim % len(shape)
    wide = broadcast_to(r, arrays.expand(r, input, axis + 1), (*shape[: axis + 1], count, *shape[axis + 1 :]))
    return r.make(
        "reshape", [wide], dtype=input.dtype, shape=(*shape[:axis], shape[axis] * count, *shape[axis + 1 :])
    )


def _joined(op: str) -> Callable[..., Any]:
    def read(r: Interpreter, tensors: Any, dim: Any = 0, *, axis: Any = None, out: Any = None) -> Array:
        given = [tensor(r, one) for one in r.items(tensors, ast.Constant(0))]
        if not given:
            raise LibraryError("expected a non-empty list of Tensors.")
        floats = [one.dtype for one in given if one.dtype in FLOATS]
        whole_numbers = None if any(one.dtype != BOOL for one in given) else BOOL
        kind = max(floats, key=FLOATS.index) if floats else whole_numbers
        return r.make(op, given, dtype=kind, axis=whole(r, dim if axis is None else axis))

    return read


for _name in ("cat", "concat", "concatenate"):
    TORCH[f"torch.{_name}"] = _joined("concatenate")
TORCH["torch.stack"] = _joined("stack")


@arrays.known("torch.hstack", table=TORCH)
def hstack(r: Interpreter, tensors: Any) -> Array:
    """Read tensors side by side."""
    flat = len(shape_of(r, tensors[0])) < 2
    return r.make(
        "concatenate", [TORCH["torch.atleast_1d"](r, one) for one in tensors], axis=0 if flat else 1
    )


@arrays.known("torch.column_stack", table=TORCH)
def column_stack(r: Interpreter, tensors: Any) -> Array:
    """Read columns side by side; a vector is one."""
    columns = [
        one if len(shape_of(r, one)) > 1 else arrays.reshape(r, one, prod(shape_of(r, one)), 1)
        for one in (tensor(r, one) for one in tensors)
    ]
    return r.make("concatenate", columns, axis=1)


@arrays.known("torch.vstack", "torch.row_stack", table=TORCH)
def vstack(r: Interpreter, tensors: Any) -> Array:
    """Read tensors one below the other."""
    return r.make("concatenate", [TORCH["torch.atleast_2d"](r, one) for one in tensors], axis=0)


TORCH["torch.meshgrid"] = lambda r, *tensors, indexing="ij": _meshgrid(r, tensors, indexing)


def _meshgrid(r: Interpreter, tensors: tuple, indexing: str) -> tuple:
    given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
    if indexing != "ij":
        raise Refused("meshgrid() is read with indexing='ij'.")
    shape = tuple(shape_of(r, one)[0] for one in given)
    return tuple(
        expand(r, _shaped(r, one, tuple(n if k == i else 1 for k, n in enumerate(shape))), shape)
        for i, one in enumerate(given)
    )


@both("diff")
def diff(r: Interpreter, input: Array, n: int = 1, dim: int = -1) -> Array:
    """Read differences of neighbours."""
    for _ in range(whole(r, n)):
        later = select_plain(r, input, dim, (1, None, None))
        input = r.make("sub", [later, select_plain(r, input, dim, (None, -1, None))])
    return input
