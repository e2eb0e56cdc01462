"""Read indices: whole numbers and slices, arrays of places, conditions, and `x.at[...]` of JAX.

An array of places along one axis is read as the op that picks by it, or adds to it. Beside other arrays,
under vmap and in rules it picks by a comparison with each place: a row that is not picked passes nothing on,
whatever it holds.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT
from autodiff_viz.reading.arrays import (
    METHODS,
    as_literal,
    attribute,
    cast,
    fold,
    getitem,
    index_of,
    items,
    known,
    moved,
    r_array,
    reshape,
    shape_of,
    simple_index,
    untraced,
)
from autodiff_viz.reading.builder import Builder
from autodiff_viz.reading.evaluation import Evaluation
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.python_values import as_written
from autodiff_viz.reading.rows import make_rows
from autodiff_viz.reading.values import BOOL, INT, Array, Native, Refused

Index = tuple[Any, ...]


def _filled(r: Interpreter, x: Array, index: Any, node: ast.AST | None) -> list[Any]:
    """Return the parts of an index, one for each axis of x, without `...` and without new axes."""
    parts = list(index) if isinstance(index, tuple) else [index]
    rank = len(shape_of(r, x))
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
    return [_part(r, x, part, node) for part in parts]


def _part(r: Interpreter, x: Array, part: Any, node: ast.AST | None) -> Any:
    if isinstance(part, (bool, float, str, dict)):
        raise Refused("An index is made of whole numbers and slices.", "", "index", node)
    if isinstance(part, (list, tuple)):
        part = replace(r_array(r, part), framework=x.framework)
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
      leading: whether x has the elements in the order of the whole array.
    """

    x: Array
    spots: Any
    picks: tuple[int, ...]
    rest: tuple[int, ...]
    at: int
    leading: bool


def places(r: Interpreter, x: Array, index: Any, node: ast.AST | None) -> Places:
    """Return the places that an index with arrays names."""
    parts = _filled(r, x, index, node)
    arrays = [i for i, part in enumerate(parts) if isinstance(part, Array)]
    # A whole number beside an array is broadcast with it, as in x[0, places].
    chosen = [i for i, part in enumerate(parts) if isinstance(part, Array) or type(part) is int]
    together = chosen == list(range(chosen[0], chosen[-1] + 1))
    sliced = tuple(part if isinstance(part, slice) else slice(None) for part in parts)
    is_cut = any(part != slice(None) for part in sliced)
    if is_cut:
        x = getitem(r, x, sliced)
    shape = shape_of(r, x)
    others = [i for i in range(len(shape)) if i not in chosen]
    flat: Any = None
    for i in chosen:
        part, size = parts[i], shape[i]
        if isinstance(part, Array):
            low = r.make("less", [part, 0.0], dtype=BOOL)
            part = r.make("where", [low, r.make("add", [part, float(size)]), part], dtype=INT)
            part = r.make("clip", [part, 0.0, float(size - 1)], dtype=INT)
        else:
            if not -size <= part < size:
                raise Refused(f"There is no place {part} in an axis of length {size}.", at=node)
            part = float(part % size)
        flat = part if flat is None else r.make("add", [r.make("mul", [flat, float(size)]), part])
    if isinstance(flat, Array):
        flat = replace(flat, dtype=INT)
    count = prod(shape[i] for i in chosen)
    order = (*chosen, *others)
    if order != tuple(range(len(shape))):
        x = r.make("transpose", [x], dtype=x.dtype, axes=order)
    rest = tuple(shape[i] for i in others)
    if len(chosen) > 1 or order != tuple(range(len(shape))):
        x = reshape(r, x, (count, *rest))
    picks = shape_of(r, flat)
    spots = r.make("one_hot", [flat], num_classes=count, dtype=INT)
    at = sum(i < chosen[0] for i in others) if together else 0
    if len(arrays) and prod(picks) * count * prod(rest) > limits.ELEMENTS:
        raise Refused("This pick compares too many places.", "Use fewer rows.", "too-large", node)
    leading = not is_cut and order == tuple(range(len(shape)))
    return Places(x, spots, picks, rest, at, leading)


def picked(r: Interpreter, where: Places) -> Array:
    """Return the elements at places: a sum over all places of what is picked there."""
    spots = reshape(r, where.spots, (*shape_of(r, where.spots), *[1] * len(where.rest)))
    kept = r.make("where", [spots, where.x, 0.0], dtype=where.x.dtype)
    result = fold(r, "sum", kept, len(where.picks), False)
    result.dtype = where.x.dtype
    return _settled(r, result, where)


def _settled(r: Interpreter, result: Array, where: Places) -> Array:
    """Return a result with the axes of the picks where NumPy puts them."""
    if not where.at:
        return result
    count = len(where.picks)
    order = [count + i for i in range(where.at)]
    order += [*range(count), *(count + i for i in range(where.at, len(where.rest)))]
    return r.make("transpose", [result], dtype=result.dtype, axes=tuple(order))


def item(r: Interpreter, x: Array, index: Any, node: ast.AST) -> Array:
    """Return elements of an array."""
    special = r.handlers.item.get(x.framework)
    if special is not None:
        return special(r, x, index, node)
    if simple_index(index):
        return r.make("getitem", [x], dtype=x.dtype, index=index_of(r, index))
    if isinstance(index, list) and x.framework == "jax":
        raise Refused("JAX takes no list as an index.", "Write x[jnp.array([0, 2])].", "list", node)
    taken = _taken(r, x, index, node)
    return picked(r, places(r, x, index, node)) if taken is None else taken


def _is_plain(r: Interpreter, *given: Array) -> bool:
    """Return whether an op of places is read as one: rows of vmap and terms of a rule have masks."""
    return isinstance(r.builder, Builder) and not any(one.rows for one in given)


def _taken(r: Interpreter, x: Array, index: Any, node: ast.AST) -> Array | None:
    """Return slices of one axis at the places of one array; None for another index."""
    parts = _filled(r, x, index, node)
    chosen = [i for i, part in enumerate(parts) if not isinstance(part, slice)]
    if len(chosen) != 1 or not isinstance(parts[chosen[0]], Array) or not _is_plain(r, x, parts[chosen[0]]):
        return None
    axis, others = chosen[0], tuple(part if isinstance(part, slice) else slice(None) for part in parts)
    if any(part != slice(None) for part in others):
        x = getitem(r, x, others)
    size = shape_of(r, x)[axis]
    if not _is_inside(r, x, parts[axis], size, node):
        low = r.make("less", [parts[axis], 0.0], dtype=BOOL)
        turned = r.make("where", [low, r.make("add", [parts[axis], float(size)]), parts[axis]], dtype=INT)
        parts[axis] = r.make("clip", [turned, 0.0, float(size - 1)], dtype=INT)
    along = {"axis": axis} if len(parts) > 1 else {}
    return r.make("take", [x, parts[axis]], dtype=x.dtype, **along)


def _is_inside(r: Interpreter, x: Array, index: Array, size: int, node: ast.AST | None = None) -> bool:
    """Return whether places are written out and all lie on an axis of this size.

    Raises:
      Refused: one does not, and NumPy refuses it.
    """
    if index.is_node and r.builder.drafts[index.held.number].op != INPUT:
        return False
    found = Evaluation(r.builder, "float64").value(index.held) if index.is_node else index.held
    found = np.rint(np.array(found, float)).ravel()
    outside = found[(found < -size) | (found >= size)]
    if outside.size and x.framework == "numpy":
        raise Refused(f"There is no place {int(outside[0])} in an axis of length {size}.", at=node)
    return not outside.size


@known("numpy.take")
def take(r: Interpreter, x: Array, indices: Any, axis: Any = None) -> Array:
    """Read elements by their places along an axis."""
    if x.framework == "jax" and isinstance(indices, (list, tuple)):
        raise Refused("JAX's take() takes an array of places, not a list.", "Write jnp.array([...]).", "list")
    if axis is None:
        x, axis = reshape(r, x, -1), 0
    rank = len(shape_of(r, x))
    if x.framework == "jax" and _is_plain(r, x, r_array(r, indices)):
        along = {"axis": axis % rank} if rank > 1 else {}
        return r.make("take", [x, r_array(r, indices)], dtype=x.dtype, **along)
    return item(r, x, (*[slice(None)] * (axis % rank), r_array(r, indices)), ast.Constant(0))


@known("numpy.take_along_axis")
def take_along_axis(r: Interpreter, x: Array, indices: Any, axis: int) -> Array:
    """Read elements by places of their own along an axis."""
    indices = r_array(r, indices)
    rank = len(shape_of(r, x))
    count = shape_of(r, x)[axis]
    if rank != len(shape_of(r, indices)):
        raise Refused("take_along_axis() needs places with as many axes as the array.")
    if _is_plain(r, x, indices):
        _is_inside(r, x, indices, count)
        return r.make("take_along_axis", [x, indices], dtype=x.dtype, axis=axis)
    x, indices = moved(r, x, axis, -1), moved(r, indices, axis, -1)
    low = r.make("less", [indices, 0.0], dtype=BOOL)
    indices = r.make("where", [low, r.make("add", [indices, float(count)]), indices], dtype=INT)
    spots = r.make("one_hot", [indices], num_classes=count, dtype=INT)
    kept = r.make("where", [spots, r.make("expand_dims", [x], axis=-2), 0.0])
    return moved(r, r.make("sum", [kept], dtype=x.dtype, axis=-1), -1, axis)


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


def array_attribute(r: Interpreter, x: Array, name: str, node: ast.AST) -> Any:
    """Return an attribute of an array, or the place to update of one of JAX's."""
    return At(x) if name == "at" and x.framework == "jax" else attribute(r, x, name, node)


def at_item(r: Interpreter, at: At, index: Any, node: ast.AST) -> At:
    """Return the place that `x.at[index]` names."""
    return At(at.array, (index,))


def at_attribute(r: Interpreter, at: At, name: str, node: ast.AST) -> Native:
    """Return the update of a place: set, add, multiply and others."""
    if at.index is None or name not in ("set", "get", "apply", *UPDATES):
        raise Refused(
            f"x.at[...] has no {name!r} that is read.", f"There are set, {', '.join(UPDATES)}.", at=node
        )
    (index,) = at.index

    def call(_: Interpreter, args: list, keywords: dict) -> Array:
        if keywords:
            raise Refused(f"x.at[...].{name}() is not read with {', '.join(keywords)}.", at=node)
        if name == "get":
            return item(r, at.array, index, node)
        change = r_array(r, args[0])
        if isinstance(index, Array) and index.dtype == BOOL:
            return _where_holds(r, at.array, index, name, change, node)
        if not simple_index(index):
            added = _added(r, at.array, index, change, node) if name == "add" else None
            if added is not None:
                return added
            return _updated(r, at.array, places(r, at.array, index, node), name, change, node)
        if name == "apply":
            change = r.call(change, [r.make("getitem", [at.array], index=index_of(r, index))], {}, node)
        elif name != "set":
            old = r.make("getitem", [at.array], index=index_of(r, index))
            change = r.make(UPDATES[name], [old, change])
        return r.make("at_set", [at.array, change], dtype=at.array.dtype, index=index_of(r, index))

    return Native(call, name)


def _added(r: Interpreter, x: Array, index: Any, change: Any, node: ast.AST) -> Array | None:
    """Return an array with slices of one axis added to, which JAX drops outside; None for another index."""
    parts = _filled(r, x, index, node)
    chosen = [i for i, part in enumerate(parts) if part != slice(None)]
    if len(chosen) != 1 or not isinstance(parts[chosen[0]], Array):
        return None
    (axis,) = chosen
    if not _is_plain(r, x, parts[axis], *([change] if isinstance(change, Array) else [])):
        return None
    along = {"axis": axis} if axis else {}
    return r.make("at_add", [x, parts[axis], change], dtype=x.dtype, **along)


def _where_holds(r: Interpreter, x: Array, condition: Array, name: str, change: Any, node: ast.AST) -> Array:
    if shape_of(r, condition) != shape_of(r, x) or (isinstance(change, Array) and shape_of(r, change)):
        raise Refused(
            "A condition of another shape is not read here.", "Write where(condition, a, x).", at=node
        )
    if name == "apply":
        change = r.call(change, [x], {}, node)
    elif name != "set":
        change = r.make(UPDATES[name], [x, change])
    return r.make("where", [condition, change, x], dtype=x.dtype)


def _updated(r: Interpreter, x: Array, where: Places, name: str, change: Any, node: ast.AST) -> Array:
    if not where.leading or name not in ("add", "set", "subtract"):
        raise Refused(f"x.at[...].{name}() is read by places along the first axes.", at=node)
    shape = shape_of(r, x)
    x = where.x
    if name == "set":
        given = r.numbers(r.make("max", [r.make("sum", [where.spots], axis=0)]), node) if where.picks else 1
        if np.max(given) > 1:
            raise Refused("Two of these places are the same; which is set last is not fixed.", at=node)
    change = r.make("broadcast_to", [change], shape=(*where.picks, *where.rest))
    count = len(where.picks)
    spots = reshape(r, where.spots, (*shape_of(r, where.spots), *[1] * len(where.rest)))
    spread = r.make("where", [spots, r.make("expand_dims", [change], axis=count), 0.0])
    total = spread
    for _ in range(count):
        total = r.make("sum", [total], axis=0)
    if name == "set":
        taken = spots
        for _ in range(count):
            taken = r.make("max", [taken], axis=0)
        made = r.make("where", [taken, total, x], dtype=x.dtype)
    else:
        made = r.make("add" if name == "add" else "sub", [x, total], dtype=x.dtype)
    return made if shape_of(r, made) == shape else reshape(r, made, shape)


def set_item(r: Interpreter, x: Array, index: Any, value: Any, target: ast.Subscript) -> None:
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


def placed_values(r: Interpreter, x: Array, index: Any, value: Any, target: ast.Subscript) -> Array:
    """Return what an array of NumPy becomes by `x[index] = value`."""
    value = r_array(r, value)
    if isinstance(value, Array) and value.framework == "jax" and value.traced:
        raise untraced("numpy.array")
    if (isinstance(value, Array) and value.dtype != x.dtype) or (x.dtype == INT and isinstance(value, Array)):
        value = cast(r, value, x.dtype)
    elif x.dtype in (INT, BOOL) and not isinstance(value, Array):
        value = bool(value) if x.dtype == BOOL else int(value)
    if isinstance(index, Array) and index.dtype == BOOL:
        if isinstance(value, Array) and shape_of(r, value):
            raise Refused(
                "Several values at the places of a condition are not read.",
                "Write x[:] = np.where(condition, a, x).",
                at=target,
            )
        return r.make("where", [_beside(r, index, x), value, x], dtype=x.dtype)
    if x.is_constant and isinstance(value, (int, float)) and simple_index(index) and math.isfinite(value):
        changed = np.array(x.held, float)
        try:
            changed[index] = value
        except (IndexError, ValueError) as error:
            raise Refused(f"{error}.".capitalize(), at=target) from None
        return Array(as_literal(changed), "numpy", x.dtype)
    if not simple_index(index):
        made = _updated(r, x, places(r, x, index, target), "set", value, target)
        return replace(made, dtype=x.dtype)
    return r.make("at_set", [x, value], dtype=x.dtype, index=index_of(r, index))


def _beside(r: Interpreter, mask: Array, x: Array) -> Array:
    """Return a mask of the first axes of an array with an axis of length 1 for each of the others."""
    for _ in range(len(shape_of(r, x)) - len(shape_of(r, mask))):
        mask = r.make("expand_dims", [mask], dtype=BOOL, axis=-1)
    return mask


METHODS["take"] = take


def install(r: Interpreter) -> None:
    """Teach an interpreter what arrays do."""
    r.library = "numpy"
    r.handlers.attribute[Array] = array_attribute
    r.handlers.item[Array] = item
    r.handlers.items[Array] = items
    r.handlers.item[At] = at_item
    r.handlers.attribute[At] = at_attribute
    r.handlers.set_item[Array] = set_item
    r.handlers.make_rows = make_rows
