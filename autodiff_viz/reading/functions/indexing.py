"""Read indices: whole numbers and slices, arrays of places, conditions, and `x.at[...]` of JAX.

An array of places along one axis is read as the op that picks by it, or adds to it. Beside other arrays,
under vmap and in rules it picks by a comparison with each place: a row that is not picked passes nothing on,
whatever it holds.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import IDENTITY, INPUT, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading.functions.arrays import (
    METHODS,
    as_literal,
    attribute,
    cast,
    fold,
    getitem,
    index_of,
    is_differentiated,
    items,
    known,
    moved,
    r_array,
    reshape,
    shape_of,
    simple_index,
    untraced,
)
from autodiff_viz.reading.functions.library_calls import nodes_of
from autodiff_viz.reading.functions.rows import make_rows
from autodiff_viz.reading.language.operators import as_written
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, INT, Array, Native, Refused
from autodiff_viz.reading.nodes.builder import Builder
from autodiff_viz.reading.nodes.costs import LibraryError
from autodiff_viz.reading.nodes.evaluation import Evaluation

Index = tuple[Any, ...]


def _filled(reader: Reader, x: Array, index: Any, node: ast.AST | None) -> list[Any]:
    """Return the parts of an index, one for each axis of x, without `...` and without new axes."""
    parts = list(index) if isinstance(index, tuple) else [index]
    rank = len(shape_of(reader, x))
    named = sum(part is not None and part is not Ellipsis for part in parts)
    if named > rank:
        raise Refused(f"An index of {named} parts is too long for {rank} axes.", at=node)
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
    at = next(i for i, part in enumerate(parts) if part is Ellipsis)
    parts[at : at + 1] = [slice(None)] * (rank - named)
    if any(part is None for part in parts):
        raise Refused(
            "A new axis beside an array of places is not read.", "Index first: x[i][:, None].", at=node
        )
    return [_part(reader, x, part, node) for part in parts]


def _part(reader: Reader, x: Array, part: Any, node: ast.AST | None) -> Any:
    if isinstance(part, (bool, float, str, dict)):
        raise Refused("An index is made of whole numbers and slices.", "", "index", node)
    if isinstance(part, (list, tuple)):
        part = replace(r_array(reader, part), framework=x.framework)
    if isinstance(part, slice) and not simple_index(part):
        raise Refused("The ends of a slice are whole numbers that are written out.", "", "index", node)
    if not isinstance(part, (int, slice, Array)):
        raise Refused("This is no index.", "", "index", node)
    if isinstance(part, Array) and part.dtype not in (INT, BOOL):
        raise Refused("An index is made of whole numbers, and this array holds floats.", "", "index", node)
    if isinstance(part, Array) and part.dtype == BOOL:
        raise Refused(
            "How many elements a condition picks depends on numbers.",
            "Write where(condition, x, 0).",
            "data-dependent",
            node,
        )
    return part


@dataclass
class Places:
    """What an index with arrays means: what is left of x, and which places of its first axis are picked.

    Attributes:
      x: with the picked axes joined to one, which comes first.
      spots: 1 where a pick meets a place, [*picks, places].
      picks: the shape of the arrays of the index.
      rest: the shape of what is picked each time.
      at: the axis of the result at which the picks stand.
      order: the axes of the whole array as x has them, the joined ones first; None if x is a part of it.
      inside: of each pick whether it lies in the array; None if all do.
    """

    x: Array
    spots: Any
    picks: tuple[int, ...]
    rest: tuple[int, ...]
    at: int
    order: tuple[int, ...] | None
    inside: Array | None


def places(reader: Reader, x: Array, index: Any, node: ast.AST | None, clipped: bool = True) -> Places:
    """Return the places that an index with arrays names.

    Args:
      clipped: whether a pick outside is the nearest place; otherwise it meets none.
    """
    parts = _filled(reader, x, index, node)
    arrays = [i for i, part in enumerate(parts) if isinstance(part, Array)]
    # A whole number beside an array is broadcast with it, as in x[0, places].
    chosen = [i for i, part in enumerate(parts) if isinstance(part, Array) or type(part) is int]
    together = chosen == list(range(chosen[0], chosen[-1] + 1))
    sliced = tuple(part if isinstance(part, slice) else slice(None) for part in parts)
    is_cut = any(part != slice(None) for part in sliced)
    if is_cut:
        x = getitem(reader, x, sliced)
    shape = shape_of(reader, x)
    others = [i for i in range(len(shape)) if i not in chosen]
    flat: Any = None
    inside: Array | None = None
    for i in chosen:
        part, size = parts[i], shape[i]
        if isinstance(part, Array):
            part, lies = _counted(reader, x, part, size, node)
            if lies is not None:
                part = reader.make("clip", [part, 0.0, float(size - 1)], dtype=INT)
                inside = lies if inside is None else reader.make("mul", [inside, lies], dtype=BOOL)
        else:
            if not -size <= part < size:
                raise Refused(f"There is no place {part} in an axis of length {size}.", at=node)
            part = float(part % size)
        flat = part if flat is None else reader.make("add", [reader.make("mul", [flat, float(size)]), part])
    if isinstance(flat, Array):
        flat = replace(flat, dtype=INT)
    count = prod(shape[i] for i in chosen)
    order = (*chosen, *others)
    if order != tuple(range(len(shape))):
        x = reader.make("transpose", [x], dtype=x.dtype, axes=order)
    rest = tuple(shape[i] for i in others)
    if len(chosen) > 1 or order != tuple(range(len(shape))):
        x = reshape(reader, x, (count, *rest))
    if inside is not None and not clipped:
        flat = reader.make("where", [inside, flat, -1.0], dtype=INT)
    picks = shape_of(reader, flat)
    spots = reader.make("one_hot", [flat], num_classes=count, dtype=INT)
    at = sum(i < chosen[0] for i in others) if together else 0
    if len(arrays) and prod(picks) * count * prod(rest) > limits.ELEMENTS:
        raise Refused("This pick compares too many places.", "Use fewer rows.", "too-large", node)
    return Places(x, spots, picks, rest, at, None if is_cut else order, inside)


def _counted(
    reader: Reader, x: Array, index: Array, size: int, node: ast.AST | None = None
) -> tuple[Array, Array | None]:
    """Return places counted from the beginning of an axis of x, and of each whether it lies there.

    That is None where all do.
    """
    inside = _is_inside(reader, x, index, size, node)
    low = reader.make("less", [index, 0.0], dtype=BOOL)
    index = reader.make("where", [low, reader.make("add", [index, float(size)]), index], dtype=INT)
    if inside:
        return index, None
    from_begin = reader.make("greater_equal", [index, 0.0], dtype=BOOL)
    to_end = reader.make("less", [index, float(size)], dtype=BOOL)
    return index, reader.make("mul", [from_begin, to_end], dtype=BOOL)


@dataclass(eq=False)
class Outside:
    """The nodes of picks that may lie outside, with what says of each pick whether it lies inside."""

    inside: dict[int, Any] = field(default_factory=dict)


def lies_outside(reader: Reader, number: int) -> bool:
    """Return whether a node picks something outside, from which JAX passes a tangent, and no cotangent."""
    inside = reader.state(Outside).inside.get(number)
    return inside is not None and not Evaluation(reader.builder, "float32").value(inside).all()


def _outside(
    reader: Reader, result: Array, inside: Array | None, rest: int = 0, fill: float | None = None
) -> Array:
    """Return what is picked, which passes nothing back where the place lies outside, as JAX has it.

    Args:
      rest: the axes behind those of the picks.
      fill: what it is there, in place of the nearest one.
    """
    if inside is None:
        return result
    inside = reshape(reader, inside, (*shape_of(reader, inside), *[1] * rest))
    if fill is not None:
        return reader.make("where", [inside, result, fill], dtype=result.dtype)
    if not isinstance(reader.builder, Builder):  # of a rule the values are needed
        reader.builder.stopped = True
        return result
    stopped = replace(reader.make(IDENTITY, [result], rule=Rule(STOP)), rows=result.rows)
    made = reader.make("where", [inside, result, stopped], dtype=result.dtype)
    reader.state(Outside).inside[made.held.number] = inside.held
    return made


def picked(reader: Reader, where: Places, fill: float | None = None) -> Array:
    """Return the elements at places: a sum over all places of what is picked; `fill` as of `_outside`."""
    spots = reshape(reader, where.spots, (*shape_of(reader, where.spots), *[1] * len(where.rest)))
    kept = reader.make("where", [spots, where.x, 0.0], dtype=where.x.dtype)
    result = fold(reader, "sum", kept, len(where.picks), False)
    result.dtype = where.x.dtype
    return _settled(reader, _outside(reader, result, where.inside, len(where.rest), fill), where)


def _settled(reader: Reader, result: Array, where: Places) -> Array:
    """Return a result with the axes of the picks where NumPy puts them."""
    if not where.at:
        return result
    count = len(where.picks)
    order = [count + i for i in range(where.at)]
    order += [*range(count), *(count + i for i in range(where.at, len(where.rest)))]
    return reader.make("transpose", [result], dtype=result.dtype, axes=tuple(order))


def _unsettled(reader: Reader, change: Any, where: Places) -> Array:
    """Return what is set or added at places, with the axes of the picks first."""
    shape = (*where.rest[: where.at], *where.picks, *where.rest[where.at :])
    change = reader.make("broadcast_to", [change], shape=shape)
    if not where.at:
        return change
    count = len(where.picks)
    order = (*range(where.at, where.at + count), *range(where.at), *range(where.at + count, len(shape)))
    return reader.make("transpose", [change], dtype=change.dtype, axes=order)


def item(reader: Reader, x: Array, index: Any, node: ast.AST) -> Array:
    """Return elements of an array."""
    special = reader.handlers.item.get(x.framework)
    if special is not None:
        return special(reader, x, index, node)
    if simple_index(index):
        return reader.make("getitem", [x], dtype=x.dtype, index=index_of(reader, index))
    if isinstance(index, list) and x.framework == "jax":
        raise Refused("JAX takes no list as an index.", "Write x[jnp.array([0, 2])].", "list", node)
    taken = _taken(reader, x, index, node)
    if taken is not None:
        return taken
    where = places(reader, x, index, node)
    return picked(reader, replace(where, inside=None) if _is_slice(reader, x, index, node) else where)


def _is_slice(reader: Reader, x: Array, index: Any, node: ast.AST | None) -> bool:
    """Return whether JAX reads an index as one slice, which it moves into the array: of numbers alone."""
    return all(
        part.step in (None, 1, -1)
        if isinstance(part, slice)
        else type(part) is int or not shape_of(reader, part)
        for part in _filled(reader, x, index, node)
    )


def is_plain(reader: Reader, *given: Array) -> bool:
    """Return whether an op of places is read as one: rows of vmap and terms of a rule have masks."""
    return isinstance(reader.builder, Builder) and not any(one.rows for one in given)


def _taken(reader: Reader, x: Array, index: Any, node: ast.AST) -> Array | None:
    """Return slices of one axis at the places of one array; None for another index."""
    parts = _filled(reader, x, index, node)
    chosen = [i for i, part in enumerate(parts) if not isinstance(part, slice)]
    if (
        len(chosen) != 1
        or not isinstance(parts[chosen[0]], Array)
        or not is_plain(reader, x, parts[chosen[0]])
    ):
        return None
    axis, others = chosen[0], tuple(part if isinstance(part, slice) else slice(None) for part in parts)
    if any(part != slice(None) for part in others):
        x = getitem(reader, x, others)
    size, index, inside = shape_of(reader, x)[axis], parts[axis], None
    if not _is_inside(reader, x, index, size, node):
        index, inside = _counted(reader, x, index, size, node)
        index = reader.make("clip", [index, 0.0, float(size - 1)], dtype=INT)
    along = {"axis": axis} if len(parts) > 1 else {}
    made = reader.make("take", [x, index], dtype=x.dtype, **along)
    if _is_slice(reader, x, tuple(parts), node):
        return made
    return _outside(reader, made, inside, len(parts) - axis - 1)


def _is_inside(reader: Reader, x: Array, index: Array, size: int, node: ast.AST | None = None) -> bool:
    """Return whether places are written out and all lie on an axis of this size.

    Raises:
      Refused: one does not, and NumPy refuses it.
    """
    in_graph = isinstance(reader.builder, Builder)
    if not index.is_constant and not (
        index.is_node
        and in_graph
        and (x.framework == "numpy" or reader.builder.drafts[index.held.number].op == INPUT)
    ):
        return False
    found = Evaluation(reader.builder, "float64").value(index.held) if index.is_node else index.held
    found = np.rint(np.array(found, float)).ravel()
    outside = found[(found < -size) | (found >= size)]
    if outside.size and x.framework == "numpy":
        raise Refused(f"There is no place {int(outside[0])} in an axis of length {size}.", at=node)
    return not outside.size


@known("numpy.take")
def take(reader: Reader, x: Array, indices: Any, axis: Any = None) -> Array:
    """Read elements by their places along an axis."""
    if x.framework == "jax" and isinstance(indices, (list, tuple)):
        raise Refused("JAX's take() takes an array of places, not a list.", "Write jnp.array([...]).", "list")
    if axis is None:
        x, axis = reshape(reader, x, -1), 0
    rank, indices = len(shape_of(reader, x)), r_array(reader, indices)
    _check_take(reader, x, indices, axis)
    if x.framework == "jax" and is_plain(reader, x, indices):
        along = {"axis": axis % rank} if rank > 1 else {}
        return reader.make("take", [x, indices], dtype=x.dtype, **along)
    index = (*[slice(None)] * (axis % rank), indices)
    if x.framework != "jax":
        return item(reader, x, index, ast.Constant(0))
    return picked(reader, places(reader, x, index, None), math.nan)


def _check_take(reader: Reader, x: Array, indices: Any, axis: int) -> None:
    """Check the places of take() and take_along_axis().

    Raises:
      LibraryError: they are no whole numbers.
      Refused: one lies outside of an array of whole numbers, where JAX gives the smallest one there is.
    """
    if isinstance(indices, float) or (isinstance(indices, Array) and indices.dtype not in (INT, BOOL)):
        raise LibraryError("take requires indices of whole numbers.", "Write .astype(int).", "index")
    whole = x.framework == "jax" and x.dtype in (INT, BOOL) and isinstance(indices, Array)
    if whole and not _is_inside(reader, x, indices, shape_of(reader, x)[axis]):
        raise Refused("A place outside of an array of whole numbers is not read.", "Write jnp.clip().")


@known("numpy.take_along_axis")
def take_along_axis(reader: Reader, x: Array, indices: Any, axis: int) -> Array:
    """Read elements by places of their own along an axis."""
    indices = r_array(reader, indices)
    rank = len(shape_of(reader, x))
    count = shape_of(reader, x)[axis]
    if rank != len(shape_of(reader, indices)):
        raise Refused("take_along_axis() needs places with as many axes as the array.")
    _check_take(reader, x, indices, axis)
    if is_plain(reader, x, indices):
        _is_inside(reader, x, indices, count)
        return reader.make("take_along_axis", [x, indices], dtype=x.dtype, axis=axis)
    x, indices = moved(reader, x, axis, -1), moved(reader, indices, axis, -1)
    indices, inside = _counted(reader, x, indices, count)
    spots = reader.make("one_hot", [indices], num_classes=count, dtype=INT)
    kept = reader.make("where", [spots, reader.make("expand_dims", [x], axis=-2), 0.0])
    made = _outside(reader, reader.make("sum", [kept], dtype=x.dtype, axis=-1), inside, fill=math.nan)
    return moved(reader, made, -1, axis)


# `x.at[index].set(...)`.


class At:
    """What `x.at` is: a place to update, and the index once it is there."""

    def __init__(self, array: Array, index: Any = None) -> None:
        self.array, self.index = array, index


UPDATES = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "mul": "mul",
    "divide": "div",
    "max": "maximum",
    "min": "minimum",
    "power": "pow",
}


def array_attribute(reader: Reader, x: Array, name: str, node: ast.AST) -> Any:
    """Return an attribute of an array, or the place to update of one of JAX's."""
    return At(x) if name == "at" and x.framework == "jax" else attribute(reader, x, name, node)


def at_item(reader: Reader, at: At, index: Any, node: ast.AST) -> At:
    """Return the place that `x.at[index]` names."""
    return At(at.array, (index,))


def at_attribute(reader: Reader, at: At, name: str, node: ast.AST) -> Native:
    """Return the update of a place: set, add, multiply and others."""
    if at.index is None or name not in ("set", "get", "apply", *UPDATES):
        raise Refused(
            f"x.at[...] has no {name!r} that is read.", f"There are set, {', '.join(UPDATES)}.", at=node
        )
    (index,) = at.index

    def call(_: Reader, args: list, keywords: dict) -> Array:
        unread = {*keywords} - {"unique_indices", "indices_are_sorted", "mode"}
        if name == "get":
            unread -= {"fill_value"}
        if unread:
            raise Refused(f"x.at[...].{name}() is not read with {', '.join(sorted(unread))}.", at=node)
        mode = keywords.get("mode")
        if name == "get":
            return _get(reader, at.array, index, mode, keywords.get("fill_value"), node)
        if mode not in (None, "drop", "fill"):
            raise Refused(f"x.at[...].{name}() is not read with mode={mode!r}.", "Leave it out.", at=node)
        change = r_array(reader, args[0])
        if name == "apply" and is_differentiated(reader, at.array):
            raise LibraryError("scatter_apply JVP not implemented", "Write set(f(x[...])).", at=node)
        if isinstance(index, Array) and index.dtype == BOOL:
            return _where_holds(reader, at.array, index, name, change, node)
        if not simple_index(index):
            added = _added(reader, at.array, index, change, node) if name == "add" else None
            if added is not None:
                return added
            where = places(reader, at.array, index, node, clipped=False)
            unique = bool(keywords.get("unique_indices"))
            return _updated(reader, at.array, where, name, change, node, unique)
        if name == "apply":
            change = reader.call(
                change, [reader.make("getitem", [at.array], index=index_of(reader, index))], {}, node
            )
        elif name != "set":
            old = reader.make("getitem", [at.array], index=index_of(reader, index))
            change = reader.make(UPDATES[name], [old, change])
        return reader.make("at_set", [at.array, change], dtype=at.array.dtype, index=index_of(reader, index))

    return Native(call, name)


def _get(reader: Reader, x: Array, index: Any, mode: Any, fill: Any, node: ast.AST) -> Array:
    """Return `x.at[index].get(mode=, fill_value=)`: the mode says what a place outside gives."""
    if mode in (None, "promise_in_bounds"):
        return item(reader, x, index, node)
    if mode in ("fill", "drop"):
        if isinstance(index, (tuple, slice)):
            parts = _filled(reader, x, index, node)
            if all(isinstance(part, slice) for part in parts):
                return item(reader, x, index, node)
        elif type(index) is int:
            index = r_array(reader, index)
        if fill is None and x.dtype in (INT, BOOL):
            raise Refused("The number that JAX fills whole numbers with is not read.", "Write fill_value=0.")
        return picked(reader, places(reader, x, index, node), math.nan if fill is None else fill)
    if mode == "clip" and isinstance(index, Array) and index.dtype == INT:
        size = shape_of(reader, x)[0]
        index, _ = _counted(reader, x, index, size, node)
        return item(reader, x, reader.make("clip", [index, 0.0, float(size - 1)], dtype=INT), node)
    raise Refused(
        f"x.at[...].get() is not read with mode={mode!r} here.", "Write jnp.clip() around the index."
    )


def _added(reader: Reader, x: Array, index: Any, change: Any, node: ast.AST) -> Array | None:
    """Return an array with slices of one axis added to, which JAX drops outside; None for another index."""
    parts = _filled(reader, x, index, node)
    chosen = [i for i, part in enumerate(parts) if part != slice(None)]
    if len(chosen) != 1 or not isinstance(parts[chosen[0]], Array):
        return None
    (axis,) = chosen
    if not is_plain(reader, x, parts[axis], *([change] if isinstance(change, Array) else [])):
        return None
    along = {"axis": axis} if axis else {}
    return reader.make("at_add", [x, parts[axis], change], dtype=x.dtype, **along)


def _where_holds(reader: Reader, x: Array, condition: Array, name: str, change: Any, node: ast.AST) -> Array:
    if shape_of(reader, condition) != shape_of(reader, x) or (
        isinstance(change, Array) and shape_of(reader, change)
    ):
        raise Refused(
            "A condition of another shape is not read here.", "Write where(condition, a, x).", at=node
        )
    if name == "apply":
        change = reader.call(change, [x], {}, node)
    elif name != "set":
        change = reader.make(UPDATES[name], [x, change])
    return reader.make("where", [condition, change, x], dtype=x.dtype)


def _updated(
    reader: Reader,
    x: Array,
    where: Places,
    name: str,
    change: Any,
    node: ast.AST,
    unique: bool = False,
) -> Array:
    if where.order is None:
        raise Refused("A slice beside an array of places is read if it is a whole axis.", at=node)
    if name not in ("add", "set", "subtract", *SCATTERED):
        raise Refused(
            f"x.at[...].{name}() is not read at an array of places.", "Write set() or add().", at=node
        )
    shape = shape_of(reader, x)
    if (name == "set" or unique) and where.picks:
        most = reader.make("max", [reader.make("sum", [where.spots], axis=0)])
        if np.max(reader.numbers(replace(most, traced=0), node)) > 1:  # in compiled code too
            raise Refused("Two of these places are the same; which is set last is not fixed.", at=node)
    if name in ("multiply", "mul", "divide") and not unique and _has_slope(reader, change):
        raise LibraryError(
            "scatter_mul gradients are only implemented if `unique_indices=True`",
            f"Write x.at[...].{name}(..., unique_indices=True).",
            at=node,
        )
    x = where.x
    change = _unsettled(reader, change, where)
    count = len(where.picks)
    spots = reshape(reader, where.spots, (*shape_of(reader, where.spots), *[1] * len(where.rest)))
    each = reader.make("expand_dims", [change], axis=count)
    if name in SCATTERED:
        made = nodes_of(reader, SCATTERED[name], x, replace(spots, dtype=BOOL), each)
    else:
        total = reader.make("where", [spots, each, 0.0])
        for _ in range(count):
            total = reader.make("sum", [total], axis=0)
        if name == "set":
            taken = spots
            for _ in range(count):
                taken = reader.make("max", [taken], axis=0)
            made = reader.make("where", [taken, total, x], dtype=x.dtype)
        else:
            made = reader.make("add" if name == "add" else "sub", [x, total], dtype=x.dtype)
    ordered = tuple(shape[i] for i in where.order)
    made = made if shape_of(reader, made) == ordered else reshape(reader, made, ordered)
    if where.order == tuple(range(len(shape))):
        return made
    axes = tuple(where.order.index(i) for i in range(len(shape)))
    return reader.make("transpose", [made], dtype=x.dtype, axes=axes)


def _has_slope(reader: Reader, x: Any) -> bool:
    return isinstance(x, Array) and is_differentiated(reader, x)


def _picks(x: jax.Array, spots: jax.Array) -> tuple[int, ...]:
    """Return the axes of the picks, which are the first ones of what is changed."""
    return tuple(range(spots.ndim - x.ndim))


def _factor(x: jax.Array, spots: jax.Array, change: jax.Array) -> jax.Array:
    """Return at each place the product of the numbers that are picked for it."""
    return jnp.prod(jnp.where(spots, change, 1.0), axis=_picks(x, spots))


def _extreme(fold: Callable[..., jax.Array], both: Callable[..., jax.Array]) -> Callable[..., jax.Array]:
    """Return the update by a maximum or a minimum; equal numbers share what arrives, as in JAX."""

    def update(x: jax.Array, spots: jax.Array, change: jax.Array) -> jax.Array:
        axes = _picks(x, spots)
        best = lax.stop_gradient(both(x, fold(jnp.where(spots, change, x), axis=axes)))
        hits, stays = spots & (change == best), x == best
        count = jnp.sum(jnp.where(hits, 1.0, 0.0), axis=axes) + jnp.where(stays, 1.0, 0.0)
        total = jnp.sum(jnp.where(hits, change, 0.0), axis=axes) + jnp.where(stays, x, 0.0)
        # The mean of equal numbers may be rounded, and a difference of infinities is none.
        mean, passing = total / count, (total - lax.stop_gradient(total)) / count
        made = jnp.where(jnp.isfinite(best), best + passing, mean)
        return jnp.where(jnp.any(spots, axis=axes), made, x)

    update.__name__ = fold.__name__
    return update


SCATTERED: dict[str, Callable[..., jax.Array]] = {
    "multiply": lambda x, spots, change: x * _factor(x, spots, change),
    "divide": lambda x, spots, change: x / _factor(x, spots, change),
    "max": _extreme(jnp.max, jnp.maximum),
    "min": _extreme(jnp.min, jnp.minimum),
}
"""Updates at places, of which each may be picked several times.

The functions get an array, where each pick meets a place of it, and what is picked.
"""
SCATTERED["mul"] = SCATTERED["multiply"]


def set_item(reader: Reader, x: Array, index: Any, value: Any, target: ast.Subscript) -> None:
    """Refuse a change of elements in place, which neither TensorFlow nor JAX reads."""
    if x.framework == "tf":
        raise Refused(
            "A tensor of TensorFlow does not support item assignment.",
            "Write tf.tensor_scatter_nd_update(x, [[i]], [value]), or tf.where(mask, a, b).",
            "immutable",
            target,
        )
    owner, at = as_written(target.value), as_written(target.slice)
    raise Refused(
        "JAX's arrays do not change in place.",
        f"Write {owner} = {owner}.at[{at}].set(...).",
        "immutable",
        target,
    )


def placed_values(reader: Reader, x: Array, index: Any, value: Any, target: ast.Subscript) -> Array:
    """Return what an array of NumPy becomes by `x[index] = value`."""
    value = r_array(reader, value)
    if isinstance(value, Array) and value.framework == "jax" and value.traced:
        raise untraced("numpy.array")
    if (isinstance(value, Array) and value.dtype != x.dtype) or (x.dtype == INT and isinstance(value, Array)):
        value = cast(reader, value, x.dtype)
    elif x.dtype in (INT, BOOL) and not isinstance(value, Array):
        value = bool(value) if x.dtype == BOOL else int(value)
    if isinstance(index, Array) and index.dtype == BOOL:
        if isinstance(value, Array) and shape_of(reader, value):
            raise Refused(
                "Several values at the places of a condition are not read.",
                "Write x[:] = np.where(condition, a, x).",
                at=target,
            )
        return reader.make("where", [_beside(reader, index, x), value, x], dtype=x.dtype)
    if x.is_constant and isinstance(value, (int, float)) and simple_index(index) and math.isfinite(value):
        changed = np.array(x.held, float)
        try:
            changed[index] = value
        except (IndexError, ValueError) as error:
            raise Refused(f"{error}.".capitalize(), at=target) from None
        return Array(as_literal(changed), "numpy", x.dtype)
    if not simple_index(index):
        made = _updated(reader, x, places(reader, x, index, target), "set", value, target)
        return replace(made, dtype=x.dtype)
    return reader.make("at_set", [x, value], dtype=x.dtype, index=index_of(reader, index))


def _beside(reader: Reader, mask: Array, x: Array) -> Array:
    """Return a mask of the first axes of an array with an axis of length 1 for each of the others."""
    for _ in range(len(shape_of(reader, x)) - len(shape_of(reader, mask))):
        mask = reader.make("expand_dims", [mask], dtype=BOOL, axis=-1)
    return mask


METHODS["take"] = take


def install(reader: Reader) -> None:
    """Teach a reader what arrays do."""
    reader.library = "numpy"
    reader.handlers.attribute[Array] = array_attribute
    reader.handlers.item[Array] = item
    reader.handlers.items[Array] = items
    reader.handlers.item[At] = at_item
    reader.handlers.attribute[At] = at_attribute
    reader.handlers.set_item[Array] = set_item
    reader.handlers.make_rows = make_rows
