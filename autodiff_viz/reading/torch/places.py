"""Read what picks elements of a tensor of PyTorch by their places, and what changes it in place."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph.model import IDENTITY, INPUT
from autodiff_viz.reading.functions import arrays
from autodiff_viz.reading.functions.arrays import constant, shape_of
from autodiff_viz.reading.functions.indexing import is_plain
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, INT, Array, Refused
from autodiff_viz.reading.nodes.builder import Builder
from autodiff_viz.reading.nodes.costs import LibraryError, sized
from autodiff_viz.reading.nodes.evaluation import Evaluation
from autodiff_viz.reading.tensors.own_dtypes import remember
from autodiff_viz.reading.tensors.torch_memory import change, change_as, check_overlap, info, places, record
from autodiff_viz.reading.tensors.torch_tensors import (
    TENSOR,
    both,
    check_index,
    dtype_in_use,
    fitting,
    full,
    integers,
    numbers,
    tensor,
    whole,
)
from autodiff_viz.reading.tensors.views import part
from autodiff_viz.reading.torch.shapes import broadcast_to, squeeze_plain

# Pick by places.


def _check_places(reader: Reader, index: Array, size: int, words: str, from_end: bool = False) -> None:
    """Check places that the text writes out.

    Raises:
      LibraryError: PyTorch refuses one.
    """
    if index.is_node and (
        not isinstance(reader.builder, Builder) or reader.builder.drafts[index.held.number].op != INPUT
    ):
        return
    places = (
        Evaluation(reader.builder, dtype_in_use(reader)).value(index.held) if index.is_node else index.held
    )
    found = np.rint(np.array(places)).ravel()
    outside = found[(found < (-size if from_end else 0)) | (found >= size)]
    if outside.size:
        raise LibraryError(words.format(place=int(outside[0]), size=size))


BOUNDS = "index {place} is out of bounds for dimension {dim} with size {size}."


def _hot(reader: Reader, index: Array, count: int) -> Array:
    """Return rows with a 1 at the places, which may be counted from the end."""
    if not index.is_node:
        found = np.array(index.held, float)
        index = constant(reader, np.where(found < 0, found + count, found), "torch", INT)
    return reader.make("one_hot", [index], dtype=BOOL, num_classes=count)


def _picked(reader: Reader, hot: Array, x: Array) -> Array:
    """Return the one element of the last dimension where a mask holds, whatever the others are."""
    return reader.make("sum", [reader.make("where", [hot, x, 0.0], dtype=x.dtype)], dtype=x.dtype, axis=-1)


@both("gather")
def gather(reader: Reader, input: Array, dim: int, index: Array) -> Array:
    """Read elements that another tensor names along a dimension."""
    check_index(index, "gather(): Expected dtype int32/int64 for index")
    axis = whole(reader, dim) % max(len(shape_of(reader, input)), 1)
    _check_places(reader, index, (*shape_of(reader, input), 1)[axis], BOUNDS.replace("{dim}", str(axis)))
    return along(reader, input, dim, index)


def along(reader: Reader, input: Array, dim: int, index: Array) -> Array:
    """Return elements that another tensor names along a dimension, also from the end."""
    rank = len(shape_of(reader, input))
    axis = whole(reader, dim) % max(rank, 1)
    sizes = shape_of(reader, index)
    cut = tuple((None, None, None) if i == axis else (0, size, None) for i, size in enumerate(sizes))
    if any(
        size != whole_size
        for i, (size, whole_size) in enumerate(zip(sizes, shape_of(reader, input), strict=True))
        if i != axis
    ):
        input = reader.make("getitem", [input], dtype=input.dtype, index=cut)
    order = (*(i for i in range(rank) if i != axis), axis)
    back = tuple(int(i) for i in np.argsort(order))
    plain_order = order == tuple(range(rank))
    if is_plain(reader, input, index):
        return reader.make("take_along_axis", [input, index], dtype=input.dtype, axis=axis)
    x = input if plain_order else arrays.transpose(reader, input, order)
    places = index if plain_order else arrays.transpose(reader, index, order)
    made = _picked(
        reader,
        _hot(reader, places, shape_of(reader, x)[-1]),
        reader.make("expand_dims", [x], dtype=x.dtype, axis=-2),
    )
    return made if plain_order else arrays.transpose(reader, made, back)


@both("take_along_dim")
def take_along_dim(reader: Reader, input: Array, indices: Array, dim: int) -> Array:
    """Read elements that another tensor names along a dimension; both are broadcast along the others."""
    check_index(indices, "torch.take_along_dim(): dtype of indices should be Long", ("int64",))
    axis = whole(reader, dim) % max(len(shape_of(reader, input)), 1)

    def beside(shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(1 if i == axis else side for i, side in enumerate(shape))

    sides = np.broadcast_shapes(beside(shape_of(reader, input)), beside(shape_of(reader, indices)))
    input, indices = (
        broadcast_to(
            reader, one, tuple(shape_of(reader, one)[i] if i == axis else n for i, n in enumerate(sides))
        )
        for one in (input, indices)
    )
    return along(reader, input, axis, indices)


@both("index_select")
def index_select(reader: Reader, input: Array, dim: int, index: Array) -> Array:
    """Read slices that another tensor names along a dimension."""
    check_index(index, "index_select(): Expected dtype int32 or int64 for index")
    axis = whole(reader, dim) % max(len(shape_of(reader, input)), 1)
    return pick(reader, input, axis, index)


def pick(reader: Reader, x: Array, dim: int, index: Array, from_end: bool = False) -> Array:
    """Return slices along a dimension; the dimensions of the index take its place."""
    shape, places = shape_of(reader, x), shape_of(reader, index)
    axis = dim % len(shape)
    words = BOUNDS.replace("{dim}", str(axis)) if from_end else "index out of range in self."
    _check_places(reader, index, shape[axis], words, from_end)
    if is_plain(reader, x, index):
        return reader.make("take", [x, index], dtype=x.dtype, **({"axis": axis} if len(shape) > 1 else {}))
    rest = (*shape[:axis], *shape[axis + 1 :])
    order = (*(i for i in range(len(shape)) if i != axis), axis)
    last = x if order == tuple(range(len(shape))) else arrays.transpose(reader, x, order)
    flat = reader.make("reshape", [last], dtype=x.dtype, shape=(1, prod(rest), shape[axis]))
    hot = reader.make(
        "reshape", [_hot(reader, index, shape[axis])], dtype=BOOL, shape=(prod(places), 1, shape[axis])
    )
    made = reader.make("reshape", [_picked(reader, hot, flat)], dtype=x.dtype, shape=(*places, *rest))
    moved = (
        *range(len(places), len(places) + axis),
        *range(len(places)),
        *range(len(places) + axis, len(places) + len(rest)),
    )
    return made if moved == tuple(range(len(moved))) else arrays.transpose(reader, made, moved)


def take(reader: Reader, x: Array, positions: np.ndarray) -> Array:
    """Return elements by their places in the flat tensor."""
    flat = reader.make("reshape", [x], dtype=x.dtype, shape=(prod(shape_of(reader, x)),))
    return pick(reader, flat, 0, integers(reader, positions), from_end=True)


@both("take")
def take_flat(reader: Reader, input: Array, index: Array) -> Array:
    """Read elements by their places in the flat tensor."""
    check_index(index, "take(): Expected a long tensor for index", ("int64",))
    return take(reader, input, numbers(reader, index))


@both("masked_select")
def masked_select(reader: Reader, input: Array, mask: Array) -> Array:
    """Read elements where a mask holds."""
    if mask.dtype != BOOL:
        raise LibraryError("masked_select: expected BoolTensor for mask", "Write mask.bool().", "index")
    return item(reader, input, mask, ast.Constant(0))


@both("nonzero")
def nonzero(reader: Reader, input: Array, as_tuple: bool = False) -> Any:
    """Read the places of elements that are not 0."""
    found = np.nonzero(numbers(reader, input, "A mask"))
    return (
        tuple(integers(reader, one) for one in found) if as_tuple else integers(reader, np.stack(found, -1))
    )


def _scattered(reader: Reader, x: Array, dim: Any, index: Array, src: Any) -> tuple[Array, Array]:
    """Return (sums of what arrives at each place, whether anything arrives)."""
    check_index(index, "scatter(): Expected dtype int32/int64 for index")
    rank = len(shape_of(reader, x))
    axis = whole(reader, dim) % rank
    sizes = shape_of(reader, index)
    source_tensor = tensor(reader, src)
    if shape_of(reader, source_tensor) != sizes:
        if shape_of(reader, source_tensor):
            cut = tuple((0, size, None) for size in sizes)
            source_tensor = reader.make("getitem", [source_tensor], dtype=source_tensor.dtype, index=cut)
        else:
            source_tensor = broadcast_to(reader, source_tensor, sizes)
    if any(a != b for i, (a, b) in enumerate(zip(sizes, shape_of(reader, x), strict=True)) if i != axis):
        raise Refused("scatter is read with as many rows of places as there are rows.")
    order = (*(i for i in range(rank) if i != axis), axis)
    back = tuple(int(i) for i in np.argsort(order))

    def turned(one: Array, to: tuple[int, ...]) -> Array:
        return one if to == tuple(range(rank)) else arrays.transpose(reader, one, to)

    hot = _hot(reader, turned(index, order), shape_of(reader, x)[axis])
    spread = reader.make("expand_dims", [turned(source_tensor, order)], dtype=source_tensor.dtype, axis=-1)
    arriving = reader.make(
        "sum", [reader.make("where", [hot, spread, 0.0])], dtype=source_tensor.dtype, axis=-2
    )
    taken = reader.make("max", [hot], dtype=BOOL, axis=-2)
    return turned(arriving, back), turned(taken, back)


@both("scatter")
def scatter(
    reader: Reader,
    input: Array,
    dim: int,
    index: Array,
    src: Any = None,
    *,
    value: Any = None,
    reduce: Any = None,
) -> Array:
    """Read values that are written to places along a dimension."""
    src = value if src is None else src
    if reduce is not None:
        raise Refused("scatter() is not read with reduce.", "There is scatter_add().")
    arriving, taken = _scattered(reader, input, dim, index, src)
    if isinstance(src, Array):
        axis = whole(reader, dim)
        found = np.moveaxis(numbers(reader, index), axis, -1)
        if any(len(set(row)) < len(row) for row in found.reshape(-1, found.shape[-1]).tolist()):
            raise Refused(
                "Which of two values PyTorch writes to one place nobody can foretell.", "Use scatter_add()."
            )
        return reader.make("where", [taken, arriving, input], dtype=input.dtype)
    return reader.make("where", [taken, src, input], dtype=input.dtype)


@both("scatter_add")
def scatter_add(reader: Reader, input: Array, dim: int, index: Array, src: Array) -> Array:
    """Read values that are added at places along a dimension."""
    return reader.make("add", [input, _scattered(reader, input, dim, index, src)[0]], dtype=input.dtype)


@both("index_add")
def index_add(
    reader: Reader, input: Array, dim: int, index: Array, source: Array, *, alpha: Any = 1
) -> Array:
    """Read slices that are added at places along a dimension."""
    check_index(index, "index_add_(): Expected dtype int32/int64 for index")
    axis, shape = whole(reader, dim) % len(shape_of(reader, input)), shape_of(reader, source)
    _check_places(reader, index, shape_of(reader, input)[axis], "index out of range in self.")
    if is_plain(reader, input, index, source):
        scaled = source if alpha == 1 else reader.make("mul", [alpha, source])
        return reader.make(
            "at_add", [input, index, scaled], dtype=input.dtype, **({"axis": axis} if axis else {})
        )
    spread = tuple(shape[axis] if i == axis else 1 for i in range(len(shape)))
    places = broadcast_to(reader, reader.make("reshape", [index], dtype=INT, shape=spread), shape)
    arriving = _scattered(reader, input, axis, places, source)[0]
    return reader.make(
        "add", [input, arriving if alpha == 1 else reader.make("mul", [alpha, arriving])], dtype=input.dtype
    )


@both("index_fill")
def index_fill(reader: Reader, input: Array, dim: int, index: Array, value: Any) -> Array:
    """Read slices that are filled with a number."""
    check_index(index, "index_fill_(): Expected dtype int64 for index.", ("int64",))
    shape, axis = shape_of(reader, input), whole(reader, dim) % len(shape_of(reader, input))
    mask = np.zeros(sized((shape[axis],)))
    mask[numbers(reader, index)] = 1
    spread = mask.reshape(tuple(-1 if i == axis else 1 for i in range(len(shape))))
    return reader.make(
        "where",
        [constant(reader, np.broadcast_to(spread, sized(shape)), "torch", BOOL), value, input],
        dtype=input.dtype,
    )


def _positions(reader: Reader, x: Array, index: Any) -> np.ndarray | None:
    """Return the places in the flat tensor that an index with arrays names; None for a plain index."""
    parts = index if isinstance(index, tuple) else (index,)
    if not any(isinstance(part, (Array, list)) for part in parts):
        return None
    read = []
    for each in parts:
        if isinstance(each, Array):
            found = numbers(reader, each, "A mask" if each.dtype == BOOL else "An index")
            read.append(found.astype(bool) if each.dtype == BOOL else found.astype(int))
        elif isinstance(each, list):
            read.append(np.array([whole(reader, one) if isinstance(one, Array) else one for one in each]))
            if read[-1].dtype.kind not in "ib":
                raise Refused("An index is made of whole numbers.", "Write them without a point.", "index")
        else:
            read.append(each)
    shape = shape_of(reader, x)
    try:
        return np.arange(prod(sized(shape))).reshape(shape)[tuple(read)]
    except IndexError as error:
        raise LibraryError(f"{error}.".capitalize()) from None


def _plain_index(reader: Reader, index: Any) -> tuple:
    parts = index if isinstance(index, tuple) else (index,)
    return arrays.index_of(reader, tuple(_whole_part(reader, one) for one in parts))


def _whole_part(reader: Reader, part: Any) -> Any:
    if isinstance(part, slice):
        ends = [
            whole(reader, one) if isinstance(one, (Array, float)) else one
            for one in (part.start, part.stop, part.step)
        ]
        if type(ends[2]) is int and ends[2] < 1:
            raise LibraryError("step must be greater than zero", "Write x.flip(0).")
        return slice(*ends)
    return part


def _parts(reader: Reader, index: Any) -> tuple:
    """Return the parts of an index, with numbers for tensors of one whole number.

    Raises:
      LibraryError: a part is a tensor that PyTorch takes for no index.
    """

    def plain(part: Any) -> Any:
        if isinstance(part, Array) and getattr(part.dtype, "width", "") == "uint8":
            raise Refused(
                "An index of uint8 is a mask in PyTorch, which advises against it.",
                "Write .bool() for a mask, or .long() for places.",
                "index",
            )
        if isinstance(part, Array) and part.dtype != BOOL:
            check_index(part)
        one = isinstance(part, Array) and part.dtype == INT and not shape_of(reader, part)
        return whole(reader, part) if one else part

    return tuple(map(plain, index if isinstance(index, tuple) else (index,)))


def item(reader: Reader, x: Array, index: Any, node: ast.AST) -> Array:
    """Read `x[index]`."""
    parts = _parts(reader, index)
    if isinstance(index, Array) and index.dtype == INT and shape_of(reader, index):
        return pick(reader, x, 0, index, from_end=True)
    if (
        len(parts) == 2
        and len(shape_of(reader, x)) == 2
        and _is_rows(reader, parts[0], shape_of(reader, x)[0])
    ):
        column = parts[1] if isinstance(parts[1], Array) else None
        if column is not None and column.dtype == INT and shape_of(reader, column) == shape_of(reader, x)[:1]:
            return squeeze_plain(
                reader, along(reader, x, 1, reader.make("expand_dims", [column], dtype=INT, axis=1)), 1
            )
    positions = _positions(reader, x, parts)
    if positions is not None:
        if positions.size == 0:
            raise Refused("This picks no element, and a tensor here has at least one.", "", "empty")
        made = take(reader, x, positions)
        remember(reader, made, lambda own: own.ravel()[positions], x)
        return made
    return part(reader, x, _plain_index(reader, parts))


def _is_rows(reader: Reader, part: Any, count: int) -> bool:
    """Whether an index counts the rows one by one."""
    if isinstance(part, list):
        return part == list(range(count))
    if isinstance(part, Array) and not part.is_node:
        return np.array_equal(np.array(part.held), np.arange(*sized((count,))))
    return (
        isinstance(part, Array)
        and part.dtype == INT
        and np.array_equal(numbers(reader, part), np.arange(*sized((count,))))
    )


def set_item(reader: Reader, x: Array, index: Any, value: Any, target: ast.AST) -> None:
    """Read `x[index] = value`, a change in place."""
    if isinstance(value, (list, tuple)):
        value = tensor(reader, value)
    value = fitting(reader, x, value)
    if isinstance(value, float) and not math.isfinite(value):
        value = Array(reader.held(value), "torch", x.dtype)
    if (
        isinstance(index, Array)
        and index.dtype == BOOL
        and (not isinstance(value, Array) or not shape_of(reader, value))
    ):
        mask = index
        while len(shape_of(reader, mask)) < len(shape_of(reader, x)):
            mask = reader.make("expand_dims", [mask], dtype=BOOL, axis=-1)
        change(reader, x, reader.make("where", [mask, value, x], dtype=x.dtype), target)
        return
    parts = _parts(reader, index)
    positions = _positions(reader, x, parts)
    if positions is None:
        if isinstance(value, Array) and info(reader, value).storage is info(reader, x).storage:
            check_overlap(reader, places(reader, part(reader, x, _plain_index(reader, parts))), x, value)
        change(
            reader,
            x,
            reader.make("at_set", [x, value], dtype=x.dtype, index=_plain_index(reader, parts)),
            target,
        )
        return
    if (
        len(set(positions.ravel().tolist())) < positions.size
        and isinstance(value, Array)
        and shape_of(reader, value)
    ):
        raise Refused("One place is written twice here.", "Use index_add_().", at=target)
    mask = np.zeros(prod(sized(shape_of(reader, x))))
    mask[positions.ravel()] = 1
    shaped = constant(reader, mask.reshape(shape_of(reader, x)), "torch", BOOL)
    if isinstance(value, Array) and shape_of(reader, value):
        order = np.zeros(prod(sized(shape_of(reader, x))), int)
        order[positions.ravel()] = np.arange(*sized((positions.size,)))
        spread = take(
            reader, broadcast_to(reader, value, positions.shape), order.reshape(shape_of(reader, x))
        )
    else:
        spread = value
    made = reader.make("where", [shaped, spread, x], dtype=x.dtype)
    remember(reader, made, lambda own, new: _with(own, positions, new), x, value)
    change(reader, x, made, target)


def _with(x: np.ndarray, positions: np.ndarray, value: Any) -> np.ndarray:
    flat = x.flatten()
    flat[positions] = value
    return flat.reshape(x.shape)


# Change in place.


def in_place_method(name: str) -> Callable[..., Any] | None:
    """Return the method that changes a tensor in place as another one computes; None if there is none."""
    if name in TENSOR:
        return TENSOR[name]
    fills: dict[str, Callable[..., Any]] = {
        "zero_": lambda reader, x: _fill(reader, x, 0.0),
        "fill_": lambda reader, x, value: _fill(reader, x, value),
        "copy_": lambda reader, x, src, non_blocking=False: _fill(reader, x, src),
        "set_": _set,
    }
    if name in fills:
        return fills[name]
    plain = TENSOR.get(name.removesuffix("_")) if name.endswith("_") and not name.endswith("__") else None
    if plain is None:
        return None

    def changed(reader: Reader, x: Array, *args: Any, **keywords: Any) -> Array:
        given = [x, *(one for one in args if isinstance(one, Array))]
        for one in given[1:]:
            check_overlap(reader, places(reader, x), x, one)
        made = plain(reader, x, *args, **keywords)
        if isinstance(made, Array):
            record(reader, name, given, made)
        return change_as(reader, x, made)

    return changed


@arrays.known("fill_diagonal_", table=TENSOR)
def fill_diagonal_(reader: Reader, x: Array, fill_value: float) -> Array:
    """Read a diagonal that is filled with a number, in place."""
    mask = constant(reader, np.eye(*sized(shape_of(reader, x))), "torch", BOOL)
    return change(reader, x, reader.make("where", [mask, fill_value, x], dtype=x.dtype))


def _set(reader: Reader, x: Array, source: Any) -> Array:
    if x.requires_grad and not reader.no_grad:
        raise LibraryError("derivative for set_ is not implemented", "Write copy_().")
    return _fill(reader, x, source)


def _fill(reader: Reader, x: Array, value: Any) -> Array:
    shape, value = shape_of(reader, x), fitting(reader, x, value)
    check_overlap(reader, places(reader, x) if isinstance(value, Array) else None, x, value)
    if isinstance(value, Array):
        kind = value.dtype
        new = value if shape_of(reader, value) == shape else broadcast_to(reader, value, shape)
        if new.is_node and isinstance(reader.builder, Builder):
            new = reader.make(IDENTITY, [new], dtype=x.dtype)
        elif kind != x.dtype:
            new = Array(new.held, "torch", x.dtype)
    elif not isinstance(reader.builder, Builder):
        new = reader.make("add", [reader.make("zeros_like", [x]), value])
    elif isinstance(value, (list, tuple)):
        raise Refused("A tensor is filled with a number or a tensor.")
    else:
        new = full(reader, shape, value, x.dtype)
    if x.requires_grad and not (x.leaf or reader.no_grad) and isinstance(reader.builder, Builder):
        new = reader.make(
            "where", [0.0, x, new], dtype=x.dtype
        )  # the gradient of what was there is 0, and not None
    return change(reader, x, new)
