"""Make views of tensors and arrays: of another shape, in another order, of a part.

Whether another shape is a view or a copy is asked of NumPy, by the places of the elements; PyTorch decides by
strides in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autodiff_viz.graph.model import IDENTITY
from autodiff_viz.reading import arrays
from autodiff_viz.reading.arrays import constant, shape_of
from autodiff_viz.reading.builder import Builder
from autodiff_viz.reading.costs import LibraryError, sized
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.torch_memory import PERHAPS, VIEW, Derive, places, view
from autodiff_viz.reading.values import BOOL, Array

READ_ONLY = "assignment destination is read-only"


def _same(r: Interpreter, parent: Array) -> Array:
    return r.make(IDENTITY, [parent], dtype=parent.dtype) if parent.is_node else parent


def whole(r: Interpreter, x: Array) -> Array:
    """Return a view of all of an array."""
    return view(r, x, _same, lambda r, parent, new: new, shown=_shown(r, x))


def _shown(r: Interpreter, x: Array) -> np.ndarray | None:
    return places(r, x) if isinstance(r.builder, Builder) else None


def with_shape(r: Interpreter, x: Array, shape: tuple[int, ...]) -> Array | None:
    """Return an array with another shape: a view where its strides allow one; None where they do not."""
    old, shown = shape_of(r, x), _shown(r, x)

    def derive(r: Interpreter, parent: Array) -> Array:
        if not parent.is_node:
            return arrays.reshape(r, parent, tuple(shape))
        return r.make("reshape", [parent], dtype=parent.dtype, shape=tuple(shape))

    def push(r: Interpreter, parent: Array, new: Array) -> Array:
        return r.make("reshape", [new], dtype=parent.dtype, shape=old)

    if shown is None:
        return view(r, x, derive, push, PERHAPS)
    new = shown.reshape(sized(shape))
    # A copy is in memory of its own.
    return view(r, x, derive, push, VIEW, new) if np.may_share_memory(new, shown) else None


def reshaped(r: Interpreter, x: Array, shape: tuple[int, ...]) -> Array:
    """Return an array with another shape: a view where its strides allow one, else a copy in order."""
    made = with_shape(r, x, shape)
    return r.make("reshape", [x], dtype=x.dtype, shape=tuple(shape)) if made is None else made


def in_order(r: Interpreter, x: Array, order: Sequence[int]) -> Array:
    """Return a view with the axes in another order."""
    rank, shown = len(shape_of(r, x)), _shown(r, x)
    order = tuple(one % rank for one in order) if rank else ()
    if order == tuple(range(rank)):
        return whole(r, x)
    back = tuple(int(i) for i in np.argsort(order))
    return view(
        r,
        x,
        lambda r, parent: arrays.transpose(r, parent, order),
        lambda r, parent, new: arrays.transpose(r, new, back),
        shown=None if shown is None else shown.transpose(order),
    )


def part(r: Interpreter, x: Array, index: tuple, several: bool = False) -> Array:
    """Return the view that an index of whole numbers and slices shows, in the form of the op `getitem`."""
    shown = _shown(r, x)
    plain = tuple(
        Ellipsis if one == "..." else slice(*one) if isinstance(one, tuple) else one for one in index
    )
    try:
        shown = None if shown is None else shown[plain][...]
    except IndexError as error:
        raise LibraryError(f"{error}.".capitalize(), "", "index") from None
    return view(
        r,
        x,
        lambda r, parent: r.make("getitem", [parent], dtype=parent.dtype, index=index),
        lambda r, parent, new: r.make("at_set", [parent, new], dtype=parent.dtype, index=index),
        shown=shown,
        several=several,
    )


def along(r: Interpreter, x: Array, axis: int, one: int | tuple, several: bool = False) -> Array:
    """Return the view of a place or a slice of one axis."""
    axis %= max(len(shape_of(r, x)), 1)
    return part(r, x, (*((None, None, None),) * axis, one), several)


def parts(r: Interpreter, x: Array, axis: int = 0) -> list[Array]:
    """Return the views along an axis, one for each place."""
    return [along(r, x, axis, i, True) for i in range(shape_of(r, x)[axis])]


def spread(r: Interpreter, x: Array, shape: tuple[int, ...], derive: Derive) -> Array:
    """Return a view that shows elements many times."""
    shown = _shown(r, x)
    return view(r, x, derive, None, shown=None if shown is None else np.broadcast_to(shown, sized(shape)))


def picked(r: Interpreter, x: Array, derive: Derive, axes: tuple[int, int], offset: int) -> Array:
    """Return a view of a diagonal, which is computed as `derive` says."""
    shown = _shown(r, x)

    def push(r: Interpreter, parent: Array, new: Array) -> Array:
        shape = shape_of(r, parent)
        first, second = (axis % len(shape) for axis in axes)
        mask = np.zeros(sized(shape))
        order = [i for i in range(len(shape)) if i not in (first, second)] + [first, second]
        turned = mask.transpose(order)
        turned[...] = np.eye(*sized(turned.shape[-2:]), offset)
        # A row of the matrix has at most one element of the diagonal, so the row is filled with that one.
        rows, start = turned.shape[-2], max(-offset, 0)
        count = shape_of(r, new)[-1]
        if count < rows:
            wide = (*shape_of(r, new)[:-1], rows)
            index = (*((None, None, None),) * (len(wide) - 1), (start, start + count, None))
            zeros = constant(r, np.zeros(sized(wide)), parent.framework, parent.dtype)
            new = r.make("at_set", [zeros, new], dtype=parent.dtype, index=index)
        filled = r.make("broadcast_to", [arrays.expand(r, new, -1)], dtype=parent.dtype, shape=turned.shape)
        back = tuple(int(i) for i in np.argsort(order))
        if back != tuple(range(len(back))):
            filled = arrays.transpose(r, filled, back)
        held = constant(r, mask, parent.framework, BOOL)
        return r.make("where", [held, filled, parent], dtype=parent.dtype)

    new = None if shown is None else shown.diagonal(offset, *axes)
    return view(r, x, derive, push, shown=new)
