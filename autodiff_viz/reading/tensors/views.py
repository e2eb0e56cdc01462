"""Make views of tensors and arrays: of another shape, in another order, of a part.

Whether another shape is a view or a copy is asked of NumPy, by the places of the elements; PyTorch decides by
strides in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from autodiff_viz.graph.model import IDENTITY
from autodiff_viz.reading.functions import arrays
from autodiff_viz.reading.functions.arrays import constant, shape_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, Array
from autodiff_viz.reading.nodes.builder import Builder
from autodiff_viz.reading.nodes.costs import LibraryError, sized
from autodiff_viz.reading.tensors.torch_memory import PERHAPS, VIEW, Derive, places, view


def _same(reader: Reader, parent: Array) -> Array:
    return reader.make(IDENTITY, [parent], dtype=parent.dtype) if parent.is_node else parent


def whole(reader: Reader, x: Array) -> Array:
    """Return a view of all of an array."""
    return view(reader, x, _same, lambda reader, parent, new: new, shown=_shown(reader, x))


def _shown(reader: Reader, x: Array) -> np.ndarray | None:
    return places(reader, x) if isinstance(reader.builder, Builder) else None


def with_shape(reader: Reader, x: Array, shape: tuple[int, ...]) -> Array | None:
    """Return an array with another shape: a view where its strides allow one; None where they do not."""
    old, shown = shape_of(reader, x), _shown(reader, x)

    def derive(reader: Reader, parent: Array) -> Array:
        if not parent.is_node:
            return arrays.reshape(reader, parent, tuple(shape))
        return reader.make("reshape", [parent], dtype=parent.dtype, shape=tuple(shape))

    def push(reader: Reader, parent: Array, new: Array) -> Array:
        return reader.make("reshape", [new], dtype=parent.dtype, shape=old)

    if shown is None:
        return view(reader, x, derive, push, PERHAPS)
    new = shown.reshape(sized(shape))
    # A copy is in memory of its own.
    return view(reader, x, derive, push, VIEW, new) if np.may_share_memory(new, shown) else None


def reshaped(reader: Reader, x: Array, shape: tuple[int, ...]) -> Array:
    """Return an array with another shape: a view where its strides allow one, else a copy in order."""
    made = with_shape(reader, x, shape)
    return reader.make("reshape", [x], dtype=x.dtype, shape=tuple(shape)) if made is None else made


def in_order(reader: Reader, x: Array, order: Sequence[int]) -> Array:
    """Return a view with the axes in another order."""
    rank, shown = len(shape_of(reader, x)), _shown(reader, x)
    order = tuple(one % rank for one in order) if rank else ()
    if order == tuple(range(rank)):
        return whole(reader, x)
    back = tuple(int(i) for i in np.argsort(order))
    return view(
        reader,
        x,
        lambda reader, parent: arrays.transpose(reader, parent, order),
        lambda reader, parent, new: arrays.transpose(reader, new, back),
        shown=None if shown is None else shown.transpose(order),
    )


def part(reader: Reader, x: Array, index: tuple, several: bool = False) -> Array:
    """Return the view that an index of whole numbers and slices shows, in the form of the op `getitem`."""
    shown = _shown(reader, x)
    plain = tuple(
        Ellipsis if one == "..." else slice(*one) if isinstance(one, tuple) else one for one in index
    )
    try:
        shown = None if shown is None else shown[plain][...]
    except IndexError as error:
        raise LibraryError(f"{error}.".capitalize(), "", "index") from None
    return view(
        reader,
        x,
        lambda reader, parent: reader.make("getitem", [parent], dtype=parent.dtype, index=index),
        lambda reader, parent, new: reader.make("at_set", [parent, new], dtype=parent.dtype, index=index),
        shown=shown,
        several=several,
    )


def along(reader: Reader, x: Array, axis: int, one: int | tuple, several: bool = False) -> Array:
    """Return the view of a place or a slice of one axis."""
    axis %= max(len(shape_of(reader, x)), 1)
    return part(reader, x, (*((None, None, None),) * axis, one), several)


def parts(reader: Reader, x: Array, axis: int = 0) -> list[Array]:
    """Return the views along an axis, one for each place."""
    return [along(reader, x, axis, i, True) for i in range(shape_of(reader, x)[axis])]


def spread(
    reader: Reader,
    x: Array,
    shape: tuple[int, ...],
    derive: Derive,
    show: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Array:
    """Return a view that shows elements many times.

    Args:
      shape: its shape.
      show: returns the places that it shows, of those of the tensor; by default they are broadcast.
    """
    shown = _shown(reader, x)
    if shown is not None:
        shown = show(shown) if show else np.broadcast_to(shown, sized(shape))
    return view(reader, x, derive, None, shown=shown)


def picked(reader: Reader, x: Array, derive: Derive, axes: tuple[int, int], offset: int) -> Array:
    """Return a view of a diagonal, which is computed as `derive` says."""
    shown = _shown(reader, x)

    def push(reader: Reader, parent: Array, new: Array) -> Array:
        shape = shape_of(reader, parent)
        first, second = (axis % len(shape) for axis in axes)
        mask = np.zeros(sized(shape))
        order = [i for i in range(len(shape)) if i not in (first, second)] + [first, second]
        turned = mask.transpose(order)
        turned[...] = np.eye(*sized(turned.shape[-2:]), offset)
        # A row of the matrix has at most one element of the diagonal, so the row is filled with that one.
        rows, start = turned.shape[-2], max(-offset, 0)
        count = shape_of(reader, new)[-1]
        if count < rows:
            wide = (*shape_of(reader, new)[:-1], rows)
            index = (*((None, None, None),) * (len(wide) - 1), (start, start + count, None))
            zeros = constant(reader, np.zeros(sized(wide)), parent.framework, parent.dtype)
            new = reader.make("at_set", [zeros, new], dtype=parent.dtype, index=index)
        filled = reader.make(
            "broadcast_to", [arrays.expand(reader, new, -1)], dtype=parent.dtype, shape=turned.shape
        )
        back = tuple(int(i) for i in np.argsort(order))
        if back != tuple(range(len(back))):
            filled = arrays.transpose(reader, filled, back)
        held = constant(reader, mask, parent.framework, BOOL)
        return reader.make("where", [held, filled, parent], dtype=parent.dtype)

    new = None if shown is None else shown.diagonal(offset, *axes)
    return view(reader, x, derive, push, shown=new)
