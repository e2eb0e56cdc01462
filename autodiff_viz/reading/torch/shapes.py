"""Read what changes the shape of a tensor of PyTorch; what shares its memory is a view."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph.model import IDENTITY
from autodiff_viz.reading.functions import arrays
from autodiff_viz.reading.functions.arrays import constant, named_dtype, shape_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, INT, Array, Native, Path, Refused
from autodiff_viz.reading.nodes.costs import LibraryError, sized
from autodiff_viz.reading.tensors.torch_memory import PERHAPS, is_contiguous, view
from autodiff_viz.reading.tensors.torch_tensors import (
    TENSOR,
    TORCH,
    both,
    check_dims,
    dims,
    in_rows,
    last,
    same_dtype,
    several,
    tensor,
    whole,
)
from autodiff_viz.reading.tensors.views import along, in_order, parts, reshaped, spread, with_shape


def _sizes(reader: Reader, x: Array, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape with the size that stands as -1."""
    old = shape_of(reader, x)
    if -1 in shape:
        known = prod(size for size in shape if size != -1)
        shape = tuple(prod(old) // max(known, 1) if size == -1 else size for size in shape)
    if prod(shape) != prod(old) or shape.count(-1):
        raise LibraryError(f"shape {list(shape)} is invalid for input of size {prod(old)}.")
    return shape


def _shaped(reader: Reader, x: Any, shape: tuple[int, ...]) -> Array:
    """Return a tensor of another shape: a view, or a copy where its strides allow none."""
    x = tensor(reader, x)
    return reshaped(reader, x, _sizes(reader, x, shape))


def _viewed(reader: Reader, x: Any, shape: tuple[int, ...]) -> Array:
    """Return a view of another shape.

    Raises:
      LibraryError: there is none.
    """
    x = tensor(reader, x)
    made = with_shape(reader, x, _sizes(reader, x, shape))
    if made is None:
        raise LibraryError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans "
            "across two contiguous subspaces). Use .reshape(...) instead.",
            "Write .reshape(...).",
            "view",
        )
    return made


@both("reshape")
def reshape(reader: Reader, input: Array, *shape: Any) -> Array:
    """Read a new shape."""
    return _shaped(reader, input, several(reader, shape))


@arrays.known("view", table=TENSOR)
def viewed(reader: Reader, x: Array, *shape: Any, size: Any = None, dtype: Any = None) -> Array:
    """Read a view of another shape."""
    given = shape or (size if dtype is None else dtype,)
    if len(given) == 1 and isinstance(given[0], (Path, Native)):
        if not same_dtype(named_dtype(reader, given[0]), x):
            raise Refused("view() of another dtype reads the bits of numbers anew.", "Write to(dtype).")
        return x
    return _viewed(reader, x, several(reader, given))


TENSOR["view_as"] = lambda reader, x, other: _viewed(reader, x, shape_of(reader, other))
TENSOR["reshape_as"] = lambda reader, x, other: _shaped(reader, x, shape_of(reader, other))
both("ravel")(
    lambda reader, input: contiguous(reader, _shaped(reader, input, (prod(shape_of(reader, input)),)))
)


@arrays.known("contiguous", table=TENSOR)
def contiguous(reader: Reader, x: Array, memory_format: Any = None) -> Array:
    """Read a copy with the elements in order; a tensor that has them so stays itself."""
    if memory_format is not None and last(memory_format) != "contiguous_format":
        raise Refused("contiguous() is read without another order of memory.", "Leave it out.")
    found = is_contiguous(reader, x)
    if found is None:
        return view(
            reader,
            x,
            lambda reader, parent: reader.make(IDENTITY, [parent], dtype=parent.dtype),
            None,
            PERHAPS,
        )
    return x if found else in_rows(reader, x)


@both("flatten")
def flatten(reader: Reader, input: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    """Read a flattening of some dimensions."""
    shape = shape_of(reader, input)
    if len(shape) == 1:
        return input
    if not shape:
        return _shaped(reader, input, (1,))
    first, last = start_dim % len(shape), end_dim % len(shape)
    return _shaped(reader, input, (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :]))


@both("unflatten")
def unflatten(reader: Reader, input: Array, dim: int, sizes: Any) -> Array:
    """Read that a dimension becomes several."""
    shape = shape_of(reader, input)
    at = dim % len(shape)
    inner_sizes = tuple(sizes)
    if -1 in inner_sizes:
        rest = shape[at] // prod(size for size in inner_sizes if size != -1)
        inner_sizes = tuple(rest if size == -1 else size for size in inner_sizes)
    return _shaped(reader, input, (*shape[:at], *inner_sizes, *shape[at + 1 :]))


@both("unsqueeze")
def unsqueeze(reader: Reader, input: Array, dim: int) -> Array:
    """Read a new dimension."""
    shape, at = shape_of(reader, input), whole(reader, dim)
    at = at if at >= 0 else at + len(shape) + 1
    return _shaped(reader, input, (*shape[:at], 1, *shape[at:]))


@both("squeeze")
def squeeze(reader: Reader, input: Array, dim: Any = None) -> Array:
    """Read that dimensions of length 1 go."""
    shape, axis = shape_of(reader, input), dims(reader, dim)
    chosen = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {one % max(len(shape), 1) for one in chosen}
    kept_sizes = tuple(size for i, size in enumerate(shape) if size != 1 or i not in gone)
    return input if kept_sizes == shape else _shaped(reader, input, kept_sizes)


def squeeze_plain(reader: Reader, x: Array, axis: int) -> Array:
    """Return a tensor without a dimension of length 1."""
    shape = shape_of(reader, x)
    at = axis % len(shape)
    return reader.make("reshape", [x], shape=(*shape[:at], *shape[at + 1 :]))


TORCH["torch.atleast_1d"] = lambda reader, input: (
    input if shape_of(reader, input) else _shaped(reader, input, (1,))
)
TORCH["torch.atleast_2d"] = lambda reader, input: (
    input if len(shape_of(reader, input)) > 1 else _shaped(reader, input, (1, prod(shape_of(reader, input))))
)


def _ordered(reader: Reader, x: Any, order: tuple[int, ...]) -> Array:
    """Return a view with its dimensions in another order."""
    return in_order(reader, tensor(reader, x), order)


@both("adjoint")
def adjoint(reader: Reader, input: Array) -> Array:
    """Read a transposition of the last two dimensions."""
    return transpose(reader, input, -2, -1)


@both("t")
def t(reader: Reader, input: Array) -> Array:
    """Read a transposition of a matrix."""
    return _ordered(reader, input, tuple(reversed(range(len(shape_of(reader, input))))))


@both("transpose", "swapaxes", "swapdims")
def transpose(reader: Reader, input: Array, dim0: int, dim1: int) -> Array:
    """Read that two dimensions change places."""
    order = list(range(len(shape_of(reader, input))))
    dim0, dim1 = whole(reader, dim0), whole(reader, dim1)
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return _ordered(reader, input, tuple(order))


@both("permute")
def permute(reader: Reader, input: Array, *dims: Any) -> Array:
    """Read an order of the dimensions."""
    return _ordered(reader, input, several(reader, dims))


@both("movedim", "moveaxis")
def movedim(reader: Reader, input: Array, source: Any, destination: Any) -> Array:
    """Read that dimensions move."""
    rank = len(shape_of(reader, input))
    order = np.moveaxis(np.empty(sized(range(1, rank + 1))), source, destination).shape
    return _ordered(reader, input, tuple(size - 1 for size in order))


def broadcast_to(reader: Reader, x: Any, shape: tuple[int, ...]) -> Array:
    """Return a tensor repeated to a shape."""
    x = tensor(reader, x)
    if shape_of(reader, x) == tuple(shape):
        return x
    return reader.make("broadcast_to", [x], dtype=x.dtype, shape=tuple(shape))


@both("expand", "broadcast_to")
def expand(reader: Reader, input: Array, *size: Any) -> Array:
    """Read a broadcast; -1 keeps a size."""
    wanted = several(reader, size)
    shape = (1,) * (len(wanted) - len(shape_of(reader, input))) + shape_of(reader, input)
    full_shape = tuple(old if new == -1 else new for new, old in zip(wanted, shape, strict=True))
    return spread(reader, input, full_shape, lambda reader, parent: broadcast_to(reader, parent, full_shape))


TENSOR["expand_as"] = lambda reader, x, other: expand(reader, x, shape_of(reader, other))


@arrays.known("unfold", table=TENSOR)
def unfold(reader: Reader, x: Array, dimension: int, size: int, step: int) -> Array:
    """Read the windows along a dimension: their elements are a last dimension of the view."""
    shape = shape_of(reader, x)
    axis, side, stride = whole(reader, dimension), whole(reader, size), whole(reader, step)
    if not -len(shape) <= axis < len(shape):
        raise LibraryError(f"Dimension out of range (got {axis} of {len(shape)} dimensions).")
    axis %= len(shape)
    if side > shape[axis]:
        raise LibraryError(f"maximum size for tensor at dimension {axis} is {shape[axis]} but size is {side}")
    if side < 0:
        raise LibraryError(f"size is {side} but must be >= 0")
    if stride < 1:
        raise LibraryError(f"step is {stride} but must be > 0")
    count = (shape[axis] - side) // stride + 1
    windows = sized((*shape[:axis], count, *shape[axis + 1 :], side))
    places = np.arange(count)[:, None] * stride + np.arange(sized((count, side))[1])
    last_of_all = (*range(axis + 1), *range(axis + 2, len(shape) + 1), axis + 1)

    def derive(reader: Reader, parent: Array) -> Array:
        if count * side == shape[axis] and side == stride:
            split = (*shape[:axis], count, side, *shape[axis + 1 :])
            made = reader.make("reshape", [parent], dtype=parent.dtype, shape=split)
        else:
            index = constant(reader, places.astype(float), "torch", INT)
            made = reader.make("take", [parent, index], dtype=parent.dtype, axis=axis)
        in_their_order = last_of_all == (*range(len(shape) + 1),)
        return made if in_their_order else arrays.transpose(reader, made, last_of_all)

    def shown(of: np.ndarray) -> np.ndarray:
        every = np.lib.stride_tricks.sliding_window_view(of, side, axis)
        return every[(*(slice(None),) * axis, slice(None, None, stride))]

    return spread(reader, x, windows, derive, shown)


def select_plain(reader: Reader, x: Array, axis: int, i: Any) -> Array:
    """Return a part of a tensor along a dimension: a number, or a slice."""
    return reader.make(
        "getitem", [x], dtype=x.dtype, index=(*((None, None, None),) * (axis % len(shape_of(reader, x))), i)
    )


both("select")(
    lambda reader, input, dim, index: along(reader, input, whole(reader, dim), whole(reader, index))
)
both("narrow")(
    lambda reader, input, dim, start, length: along(
        reader,
        input,
        whole(reader, dim),
        (whole(reader, start), whole(reader, start) + whole(reader, length), None),
    )
)


@both("unbind")
def unbind(reader: Reader, input: Array, dim: int = 0) -> tuple:
    """Read the parts along a dimension."""
    return tuple(parts(reader, input, whole(reader, dim)))


@both("split")
def split(reader: Reader, tensor: Array, split_size_or_sections: Any, dim: int = 0) -> tuple:
    """Read a division into parts of given lengths."""
    length, given = shape_of(reader, tensor)[dim], split_size_or_sections
    if isinstance(given, (list, tuple)):
        lengths = [whole(reader, one) for one in given]
    else:
        lengths = [
            min(whole(reader, given), length - start) for start in range(0, length, whole(reader, given))
        ]
    if sum(lengths) != length:
        raise LibraryError(f"split_with_sizes expects split_sizes to sum exactly to {length}.")
    ends = np.cumsum([0, *lengths]).tolist()
    return tuple(along(reader, tensor, whole(reader, dim), (a, b, None), True) for a, b in pairwise(ends))


@both("chunk")
def chunk(reader: Reader, input: Array, chunks: int, dim: int = 0) -> tuple:
    """Read a division into equal parts."""
    return split(reader, input, -(-shape_of(reader, input)[dim] // whole(reader, chunks)), dim)


@both("flip")
def flip(reader: Reader, input: Array, *dims: Any) -> Array:
    """Read a turn of the order along dimensions."""
    if not dims:
        raise LibraryError('flip() missing 1 required positional arguments: "dims"')
    rank = len(shape_of(reader, input))
    check_dims(rank, several(reader, dims))
    turned = {one % rank for one in several(reader, dims)}
    index = tuple((None, None, -1) if i in turned else (None, None, None) for i in range(rank))
    return reader.make("getitem", [input], dtype=input.dtype, index=index)


both("fliplr")(lambda reader, input: flip(reader, input, 1))
both("flipud")(lambda reader, input: flip(reader, input, 0))


@both("roll")
def roll(reader: Reader, input: Array, shifts: Any, dims: Any = None) -> Array:
    """Read a shift round the ends."""
    if dims is None:
        flat = reader.make("reshape", [input], shape=(prod(shape_of(reader, input)),))
        return reader.make("reshape", [roll(reader, flat, shifts, 0)], shape=shape_of(reader, input))
    pairs = zip(shifts, dims, strict=True) if isinstance(dims, (tuple, list)) else [(shifts, dims)]
    for shift, dim in pairs:
        axis = whole(reader, dim) % len(shape_of(reader, input))
        size = shape_of(reader, input)[axis]
        cut = -whole(reader, shift) % size
        if cut:
            parts = [
                select_plain(reader, input, axis, (cut, None, None)),
                select_plain(reader, input, axis, (0, cut, None)),
            ]
            input = reader.make("concatenate", parts, dtype=input.dtype, axis=axis)
    return input


@both("repeat")
def repeat(reader: Reader, input: Array, *repeats: Any) -> Array:
    """Read copies side by side."""
    times = several(reader, repeats)
    shape = (1,) * (len(times) - len(shape_of(reader, input))) + shape_of(reader, input)
    spread = tuple(size for pair in zip([1] * len(shape), shape, strict=True) for size in pair)
    wide = tuple(size for pair in zip(times, shape, strict=True) for size in pair)
    made = broadcast_to(reader, reader.make("reshape", [input], dtype=input.dtype, shape=spread), wide)
    return reader.make(
        "reshape", [made], dtype=input.dtype, shape=tuple(a * b for a, b in zip(times, shape, strict=True))
    )


@both("tile")
def tile(reader: Reader, input: Array, *dims: Any) -> Array:
    """Read copies side by side, missing numbers being 1."""
    times = several(reader, dims)
    return repeat(reader, input, (1,) * (len(shape_of(reader, input)) - len(times)) + times)


@both("repeat_interleave")
def repeat_interleave(reader: Reader, input: Array, repeats: Any, dim: Any = None) -> Array:
    """Read copies of every element in a row."""
    count = (
        whole(reader, repeats) if not isinstance(repeats, Array) or not shape_of(reader, repeats) else None
    )
    if count is None:
        raise Refused("repeat_interleave() is read with one number.")
    if dim is None:
        input, dim = reader.make("reshape", [input], shape=(prod(shape_of(reader, input)),)), 0
    shape = shape_of(reader, input)
    axis = dim % len(shape)
    wide = broadcast_to(
        reader, arrays.expand(reader, input, axis + 1), (*shape[: axis + 1], count, *shape[axis + 1 :])
    )
    return reader.make(
        "reshape", [wide], dtype=input.dtype, shape=(*shape[:axis], shape[axis] * count, *shape[axis + 1 :])
    )


def _joined(op: str) -> Callable[..., Any]:
    def read(reader: Reader, tensors: Any, dim: Any = 0, *, axis: Any = None, out: Any = None) -> Array:
        given = [tensor(reader, one) for one in reader.items(tensors)]
        if not given:
            raise LibraryError("expected a non-empty list of Tensors.")
        floats = [one.dtype for one in given if one.dtype in FLOATS]
        whole_numbers = None if any(one.dtype != BOOL for one in given) else BOOL
        kind = max(floats, key=FLOATS.index) if floats else whole_numbers
        return reader.make(op, given, dtype=kind, axis=whole(reader, dim if axis is None else axis))

    return read


for _name in ("cat", "concat", "concatenate"):
    TORCH[f"torch.{_name}"] = _joined("concatenate")
TORCH["torch.stack"] = _joined("stack")


@arrays.known("torch.hstack", table=TORCH)
def hstack(reader: Reader, tensors: Any) -> Array:
    """Read tensors side by side."""
    flat = len(shape_of(reader, tensors[0])) < 2
    return reader.make(
        "concatenate", [TORCH["torch.atleast_1d"](reader, one) for one in tensors], axis=0 if flat else 1
    )


@arrays.known("torch.column_stack", table=TORCH)
def column_stack(reader: Reader, tensors: Any) -> Array:
    """Read columns side by side; a vector is one."""
    columns = [
        one if len(shape_of(reader, one)) > 1 else arrays.reshape(reader, one, prod(shape_of(reader, one)), 1)
        for one in (tensor(reader, one) for one in tensors)
    ]
    return reader.make("concatenate", columns, axis=1)


@arrays.known("torch.vstack", "torch.row_stack", table=TORCH)
def vstack(reader: Reader, tensors: Any) -> Array:
    """Read tensors one below the other."""
    return reader.make("concatenate", [TORCH["torch.atleast_2d"](reader, one) for one in tensors], axis=0)


TORCH["torch.meshgrid"] = lambda reader, *tensors, indexing="ij": _meshgrid(reader, tensors, indexing)


def _meshgrid(reader: Reader, tensors: tuple, indexing: str) -> tuple:
    given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
    if indexing != "ij":
        raise Refused("meshgrid() is read with indexing='ij'.")
    shape = tuple(shape_of(reader, one)[0] for one in given)
    return tuple(
        expand(reader, _shaped(reader, one, tuple(n if k == i else 1 for k, n in enumerate(shape))), shape)
        for i, one in enumerate(given)
    )


@both("diff")
def diff(reader: Reader, input: Array, n: int = 1, dim: int = -1) -> Array:
    """Read differences of neighbours."""
    if whole(reader, n) < 0:
        raise LibraryError(f"order must be non-negative but got {n}")
    for _ in range(whole(reader, n)):
        later = select_plain(reader, input, dim, (1, None, None))
        input = reader.make("sub", [later, select_plain(reader, input, dim, (None, -1, None))])
    return input
