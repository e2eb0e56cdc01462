"""Map primitives that pick elements, or put some, to ops: by an index, or by places that are values."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autodiff_viz.functions.equations import (
    Equation,
    Shape,
    Value,
    constant,
    is_fixed,
    needed,
    numbers,
)
from autodiff_viz.functions.primitives import (
    EVERY,
    Results,
    Writer,
    number,
    primitive,
    reshaped,
    shaped,
    transposed,
)
from autodiff_viz.ops.indexing import to_python

SAME_ELEMENTS = frozenset(
    {"broadcast_in_dim", "copy", "convert_element_type", "expand_dims", "reshape", "squeeze"}
)
"""Primitives that keep the elements in their order, where they keep their number."""

MOVED = frozenset({*SAME_ELEMENTS, "rev", "slice", "transpose"})
"""Primitives of one operand whose elements are some of its own."""

COMPUTED = {"add": "add", "sub": "sub", "max": "maximum", "min": "minimum"}
"""Arithmetic of places: floats hold these exactly, and none of them can exceed what an int holds."""

DROPPED, CLIPPED, PROMISED = (
    lax.GatherScatterMode.FILL_OR_DROP,
    lax.GatherScatterMode.CLIP,
    lax.GatherScatterMode.PROMISE_IN_BOUNDS,
)

PLACED = frozenset({"dynamic_slice", "dynamic_update_slice", "gather", "scatter", "scatter-add"})
"""Primitives whose last operands are places."""


# Constant places: where each element comes from is looked at in the numbers.


@primitive("slice", "rev", "gather", "dynamic_slice")
def _picked(writer: Writer, equation: Equation) -> Results:
    """Elements of the first operand."""
    x, *places = equation.operands
    if not all(map(_is_place, places)):
        return _sliced(writer, equation) if equation.name == "dynamic_slice" else _gathered(writer, equation)
    numbered = np.arange(prod(x.shape), dtype=np.int32).reshape(x.shape)
    sources = np.asarray(equation.run([numbered, *map(numbers, places)], _probe(equation))[0])
    index, aval = _index_of(sources, x.shape), equation.avals[0]
    if index is None:
        if not x.is_float or not (_is_nan(equation) or (sources >= 0).all()):
            return None
        axis, along = _axis_of(sources, x.shape)
        if not _is_exact(x, prod(x.shape) if axis is None else x.shape[axis]):
            return None
        if axis is None and (found := _along_of(sources, x.shape)) is not None:
            axis, along = found
            slots = writer.held(x), writer.held(constant(along))
            return [writer.emit("take_along_axis", slots, aval, axis=axis)]
        return [reshaped(writer, _take(writer, x, constant(along), axis), aval)]
    shape = np.empty(x.shape, bool)[to_python(index)].shape
    if shape == x.shape and all(part == EVERY for part in index):
        return [reshaped(writer, x, aval)]
    piece = writer.emit("getitem", (writer.held(x),), jax.ShapeDtypeStruct(shape, aval.dtype), index=index)
    return [reshaped(writer, piece, aval)]


def _is_place(value: Value) -> bool:
    """Return whether a value is a place that is taken as it is: a constant, or one that an argument names."""
    return value.constant or (value.is_int and prod(value.shape) <= 1 and is_fixed(value))


def _probe(equation: Equation) -> dict[str, Any]:
    params = dict(equation.params)
    if "fill_value" in params:
        params["fill_value"] = -1
    return params


def _is_nan(equation: Equation) -> bool:
    """Return whether a gather gives NaN for places outside, as the ops do."""
    filled = equation.params.get("fill_value")
    return filled is None or bool(np.isnan(filled))


def _is_exact(x: Value, size: int) -> bool:
    """Return whether floats of the dtype of x hold all whole numbers up to a size."""
    return size <= 2 / float(jnp.finfo(x.dtype).eps)


def _index_of(sources: np.ndarray, shape: Shape) -> tuple | None:
    """Return the index of whole numbers and slices that picks these places of an array, in their order.

    Args:
      sources: places in the flat array, in the order of the picked elements.
    """
    flat = sources.ravel()
    if not flat.size or flat.min() < 0 or flat.max() >= prod(shape):
        return None
    index = []
    for i, along in enumerate(np.unravel_index(flat, shape) if shape else ()):
        steps = list(dict.fromkeys(along.tolist()))
        if len(steps) == 1:
            index.append(steps[0])
        else:
            step = steps[1] - steps[0]
            stop = steps[-1] + step
            full = EVERY if step == 1 and steps[0] == 0 and stop == shape[i] else None
            whole = step == 1
            index.append(full or (steps[0], stop if stop >= 0 else None, None if whole else step))
    found = np.arange(prod(shape)).reshape(shape)[to_python(tuple(index))]
    return tuple(index) if np.array_equal(found.ravel(), flat) else None


def _axis_of(sources: np.ndarray, shape: Shape) -> tuple[int | None, np.ndarray]:
    """Return an axis, and the places whose slices are these elements; without an axis, flat places.

    Args:
      sources: places in the flat array, in the order of the picked elements; -1 for one outside.
    """
    for axis, side in enumerate(shape):
        before, after = prod(shape[:axis]), prod(shape[axis + 1 :])
        if not sources.size or not side or sources.size % (before * after):
            continue
        along = sources.reshape(before, -1, after)[0, :, 0]
        along = np.where(along < 0, side, along // after % side)
        behind = np.full((before, 1, after), -1)
        lines = np.concatenate([np.arange(prod(shape)).reshape(before, side, after), behind], axis=1)
        if np.array_equal(np.take(lines, along, 1).ravel(), sources.ravel()):
            return axis, along
    return None, np.where(sources < 0, prod(shape), sources)


def _along_of(sources: np.ndarray, shape: Shape) -> tuple[int, np.ndarray] | None:
    """Return an axis, and for each element of the result its place along it: a class for each row, say."""
    if sources.ndim != len(shape) or not sources.size or (sources < 0).any():
        return None
    places = np.unravel_index(sources, shape)
    grid = np.indices(sources.shape)
    apart = [axis for axis in range(len(shape)) if not np.array_equal(places[axis], grid[axis])]
    return (apart[0], places[apart[0]]) if len(apart) == 1 else None


def _take(writer: Writer, x: Value, places: Value, axis: int | None) -> Value:
    """Add a node that takes slices, or elements of the flat array."""
    if axis is None or len(x.shape) == 1:
        return writer.emit("take", (writer.held(x), writer.held(places)), shaped(places.shape, x))
    shape = (*x.shape[:axis], *places.shape, *x.shape[axis + 1 :])
    return writer.emit("take", (writer.held(x), writer.held(places)), shaped(shape, x), axis=axis)


def _add(writer: Writer, x: Value, places: Value, updates: Value, axis: int) -> Value:
    """Add a node that adds updates, which have the shape of what `_take` would take."""
    slots = writer.held(x), writer.held(places), writer.held(updates)
    return writer.emit("at_add", slots, x, **({"axis": axis} if axis else {}))


@primitive("dynamic_update_slice", "scatter", "scatter-add")
def _put(writer: Writer, equation: Equation) -> Results:
    """A copy of the first operand with a part replaced, or added to."""
    if equation.name == "dynamic_update_slice":
        x, update, *places = equation.operands
        arrays = [x, update, *places]
    else:
        x, at, update = equation.operands
        places, arrays = [at], [x, at, update]
    if not x.is_float or not prod(update.shape):
        return None
    if not all(map(_is_place, places)):
        return None if equation.name == "dynamic_update_slice" else _scattered(writer, equation)
    if x is update or not _is_exact(x, max(prod(update.shape), prod(x.shape))):
        return None
    if equation.name == "scatter-add":
        return [_added(writer, x, update, _targets(equation))]
    # Of several that meet at one place, JAX's own function says which remains.
    counted = (1 + np.arange(prod(update.shape))).reshape(update.shape).astype(x.dtype)
    filled = [
        np.zeros(x.shape, x.dtype) if each is x else counted if each is update else numbers(each)
        for each in arrays
    ]
    landed = np.asarray(equation.run(filled)[0], np.int64)
    spots = np.flatnonzero(landed)
    spots = spots[np.argsort(landed.ravel()[spots], kind="stable")]
    aval = equation.avals[0]
    index = _index_of(spots, x.shape) if len(spots) == prod(update.shape) else None
    if index is not None:
        shape = np.empty(x.shape, bool)[to_python(index)].shape
        piece = reshaped(writer, update, shaped(shape, update))
        return [writer.emit("at_set", (writer.held(x), writer.held(piece)), aval, index=index)]
    targets = np.full(update.shape, -1)
    targets.flat[landed.ravel()[spots] - 1] = spots
    nothing = writer.emit("zeros_like", (writer.held(x),), aval)
    hit = constant((landed != 0).astype(x.dtype))
    return [writer.elementwise("where", (hit, _added(writer, nothing, update, targets), x), aval)]


def _added(writer: Writer, x: Value, update: Value, targets: np.ndarray) -> Value:
    """Return x with updates added at places of the flat array; -1 for one that is dropped."""
    axis, along = _axis_of(targets, x.shape)
    if axis is None:
        flat = reshaped(writer, x, shaped((prod(x.shape),), x))
        return reshaped(writer, _add(writer, flat, constant(along), update, 0), x)
    slices = shaped((*x.shape[:axis], *along.shape, *x.shape[axis + 1 :]), x)
    return _add(writer, x, constant(along), reshaped(writer, update, slices), axis)


def _targets(equation: Equation) -> np.ndarray:
    """Return for each element of the updates of a scatter its place in the flat array; -1 for none.

    They are what a gather with the same places picks, as in JAX's rule of a scatter's derivative.
    """
    x, at, update = equation.operands
    given = equation.params["dimension_numbers"]
    single = {*given.inserted_window_dims, *given.operand_batching_dims}
    sides = iter([update.shape[i] for i in given.update_window_dims])
    mode = equation.params["mode"]
    found = lax.gather(
        np.arange(prod(x.shape), dtype=np.int32).reshape(x.shape),
        numbers(at),
        lax.GatherDimensionNumbers(
            offset_dims=given.update_window_dims,
            collapsed_slice_dims=given.inserted_window_dims,
            start_index_map=given.scatter_dims_to_operand_dims,
            operand_batching_dims=given.operand_batching_dims,
            start_indices_batching_dims=given.scatter_indices_batching_dims,
        ),
        tuple(1 if i in single else next(sides) for i in range(len(x.shape))),
        mode=CLIPPED if mode == CLIPPED else DROPPED,
        fill_value=-1,
    )
    return np.asarray(found)


# Places that arguments or other nodes give.


def _gathered(writer: Writer, equation: Equation) -> Results:
    """Slices of one axis, or elements along one axis of each line; None for a gather of another form."""
    x, at = equation.operands
    given, sizes, aval = (
        equation.params["dimension_numbers"],
        equation.params["slice_sizes"],
        equation.avals[0],
    )
    axis = _only(given.start_index_map)
    if axis is None:
        return _of_rows(writer, equation)
    batch = [int(i) for i in given.operand_batching_dims]
    rest = [i for i in range(len(x.shape)) if i != axis and i not in batch]
    if not x.is_float or not _is_nan(equation) or not prod(at.shape):
        return None
    if sizes[axis] != 1 or any(sizes[i] != x.shape[i] for i in rest):
        return None
    places = _placed(writer, at, x, axis, equation.params["mode"])
    if places is None:
        return None
    of_batch = dict(zip(batch, map(int, given.start_indices_batching_dims), strict=True))
    free = [i for i in range(len(places.shape)) if i not in of_batch.values()]
    # Each axis has a name: that of x, or of the places. A slice keeps its own axis, of length 1, or loses it.
    kept = iter([i for i in range(len(x.shape)) if i not in (*given.collapsed_slice_dims, *batch)])
    other = iter(range(len(places.shape)))
    theirs = [
        ("x", next(kept)) if i in given.offset_dims else ("place", next(other))
        for i in range(len(aval.shape))
    ]
    ours: list[tuple[str, int]] = []
    for i in range(len(x.shape)):
        if i == axis:
            ours += [("place", j) for j in free]
        else:
            ours.append(("place", of_batch[i]) if i in of_batch else ("x", i))
    if batch:
        places = transposed(writer, places, [j for name, j in ours if name == "place"])
        count = prod(equation.operands[1].shape[j] for j in free)
        lines = [count if i == axis else x.shape[i] if i in of_batch else 1 for i in range(len(x.shape))]
        places = reshaped(writer, places, shaped(tuple(lines), places))
        shape = shaped((*x.shape[:axis], count, *x.shape[axis + 1 :]), x)
        last = axis == len(x.shape) - 1
        slots = writer.held(x), writer.held(places)
        taken = writer.emit("take_along_axis", slots, shape, **({} if last else {"axis": axis}))
    else:
        taken = _take(writer, x, places, axis)
    sides = [x.shape[i] if name == "x" else at.shape[i] for name, i in ours]
    taken = reshaped(writer, taken, shaped(tuple(sides), x))
    order = [ours.index(each) for each in theirs if each != ("x", axis)]
    return [reshaped(writer, transposed(writer, taken, order), aval)]


def _of_rows(writer: Writer, equation: Equation) -> Results:
    """Of constant rows one element each, at places along another axis: `x[jnp.arange(n), places]`."""
    x, at = equation.operands
    given, made = equation.params["dimension_numbers"], at.equation
    axes, mode = [int(i) for i in given.start_index_map], equation.params["mode"]
    if made is None or made.name != "concatenate" or len(made.operands) != len(axes):
        return None
    of_axis = dict(zip(axes, made.operands, strict=True))
    axis = _only([i for i, each in of_axis.items() if not each.constant])
    rest = [i for i in range(len(x.shape)) if i not in axes]
    if axis is None or not x.is_float or not _is_nan(equation) or given.operand_batching_dims:
        return None
    if {*given.collapsed_slice_dims} != {*axes} or any(
        equation.params["slice_sizes"][i] != x.shape[i] for i in rest
    ):
        return None
    places = _placed(writer, of_axis[axis], x, axis, mode)
    fixed = [i for i in axes if i != axis]
    sides = tuple(x.shape[i] for i in fixed)
    named = [np.asarray(numbers(of_axis[i])).ravel() for i in fixed]
    outside = any(((each < 0) | (each >= side)).any() for each, side in zip(named, sides, strict=True))
    if places is None or outside or not _is_exact(x, prod(sides)):
        return None
    rows, after = np.ravel_multi_index(named, sides), tuple(x.shape[i] for i in rest)
    lines = transposed(writer, x, [*fixed, axis, *rest])
    lines = reshaped(writer, lines, shaped((prod(sides), x.shape[axis], *after), x))
    if not np.array_equal(rows, np.arange(prod(sides))):
        lines = _take(writer, lines, constant(rows), 0)
    count = len(rows)
    places = reshaped(writer, places, shaped((count, 1, *[1] * len(after)), places))
    picked = writer.emit(
        "take_along_axis", (writer.held(lines), writer.held(places)), shaped((count, 1, *after), x), axis=1
    )
    picked = reshaped(writer, picked, shaped((*at.shape[:-1], *after), x))
    # The places' own axes come first; in JAX's result they may stand between those of x.
    own, other = iter(range(len(at.shape) - 1)), iter(range(len(at.shape) - 1, len(picked.shape)))
    order = [next(other) if i in given.offset_dims else next(own) for i in range(len(picked.shape))]
    return [reshaped(writer, transposed(writer, picked, order), equation.avals[0])]


def _sliced(writer: Writer, equation: Equation) -> Results:
    """One slice along an axis, at a place that is computed."""
    (x, *starts), sizes = equation.operands, equation.params["slice_sizes"]
    axis = _only([i for i, each in enumerate(starts) if not _is_place(each)])
    if axis is None or not x.is_float or sizes[axis] != 1:
        return None
    place = _placed(writer, starts[axis], x, axis, CLIPPED, last=False)
    if place is None:
        return None
    index = []
    for i, (start, size, side) in enumerate(zip(starts, sizes, x.shape, strict=True)):
        first = 0 if i == axis else int(np.clip(np.asarray(numbers(start)), 0, side - size))
        index.append(EVERY if i == axis or size == side else (first, first + int(size), None))
    if any(part != EVERY for part in index):
        shape = tuple(side if i == axis else int(sizes[i]) for i, side in enumerate(x.shape))
        x = writer.emit("getitem", (writer.held(x),), shaped(shape, x), index=tuple(index))
    return [reshaped(writer, _take(writer, x, place, axis), equation.avals[0])]


def _scattered(writer: Writer, equation: Equation) -> Results:
    """Slices of one axis that are added to, or replaced where each is named once."""
    x, at, update = equation.operands
    given, aval = equation.params["dimension_numbers"], equation.avals[0]
    axis = _only(given.scatter_dims_to_operand_dims)
    if axis is None or given.operand_batching_dims or not prod(at.shape):
        return None
    window = [i for i in range(len(x.shape)) if i not in given.inserted_window_dims]
    sides = {i: update.shape[j] for i, j in zip(window, given.update_window_dims, strict=True)}
    if any(side != (1 if i == axis else x.shape[i]) for i, side in sides.items()):
        return None
    if equation.name == "scatter" and not _is_once(equation, at):
        return None
    places = _placed(writer, at, x, axis, equation.params["mode"])
    if places is None:
        return None
    own, other = iter(window), iter(range(len(places.shape)))
    theirs = [
        ("x", next(own)) if i in given.update_window_dims else ("place", next(other))
        for i in range(len(update.shape))
    ]
    named = [(name, side) for name, side in zip(theirs, update.shape, strict=True) if name != ("x", axis)]
    ours = [("x", i) for i in range(axis)]
    ours += [("place", i) for i in range(len(places.shape))]
    ours += [("x", i) for i in range(axis + 1, len(x.shape))]
    slices = reshaped(writer, update, shaped(tuple(side for _, side in named), update))
    slices = transposed(writer, slices, [[name for name, _ in named].index(each) for each in ours])
    if equation.name == "scatter-add":
        return [_add(writer, x, places, slices, axis)]
    nothing = writer.emit("zeros_like", (writer.held(x),), aval)
    hit, put = (_add(writer, nothing, places, each, axis) for each in (number(1.0), slices))
    return [writer.elementwise("where", (hit, put, x), aval)]


def _is_once(equation: Equation, at: Value) -> bool:
    """Return whether no two updates meet: there is one place, it is promised, or these arguments say so."""
    if prod(at.shape) == 1 or equation.params["unique_indices"]:
        return True
    if not is_fixed(at):
        return False
    named = np.asarray(numbers(at)).ravel()
    return len(np.unique(named)) == len(named)


def _only(axes: Sequence[int]) -> int | None:
    return int(axes[0]) if len(axes) == 1 else None


def _placed(
    writer: Writer, at: Value, x: Value, axis: int, mode: lax.GatherScatterMode, last: bool = True
) -> Value | None:
    """Return places along an axis of x as floats of the graph, so that an op reads them as JAX does.

    An op counts negative places from the end. So does JAX's indexing, before its primitive: what it adds for
    that is left out.

    Args:
      last: whether the places have a last axis of length 1, as those of a gather.
    Returns:
      None if nothing in the graph stands for them, or they may mean another place to the op.
    """
    shape, size = at.shape[:-1] if last else at.shape, x.shape[axis]
    if not _is_exact(x, size) or not size:
        return None
    places, from_end = _from_end(at, size)
    within = _largest(places) < size
    if not within and _is_known(at):
        now = np.asarray(numbers(at))  # not negative where the places are counted from the end
        outside = bool(((now < 0) | (now >= size)).any())
        if outside and mode == PROMISED:
            return None  # what JAX makes of it depends on the machine
        within = not outside and is_fixed(at)
        from_end = from_end or not (now < 0).any()
    if (found := _in_graph(writer, places)) is None or not (from_end or within or mode == CLIPPED):
        return None
    if mode == CLIPPED and not within:
        like = shaped(found.shape, x)
        if places is not _same(at):
            behind = writer.elementwise("add", (found, number(float(size))), like)
            before = writer.elementwise("less", (found, number(0.0)), like)
            found = writer.elementwise("where", (before, behind, found), like)
        found = writer.elementwise("clip", (found, number(0.0), number(float(size - 1))), like)
    return reshaped(writer, found, shaped(shape, found))


def _same(value: Value) -> Value:
    """Return the value that has the same elements in the same order, before its shape was changed."""
    while (made := value.equation) is not None and made.name in SAME_ELEMENTS:
        known = value.held is not None or value.constant
        if known or not made.operands[0].is_int or prod(made.operands[0].shape) != prod(value.shape):
            break
        value = made.operands[0]
    return value


def _from_end(value: Value, size: int) -> tuple[Value, bool]:
    """Return places before those from the end had the size added, and whether there was such a step."""
    value = _same(value)
    made = value.equation
    if made is None or made.name != "select_n" or len(made.operands) != 3:
        return value, False
    which, places, behind = made.operands
    tested, summed = which.equation, behind.equation
    if tested is None or summed is None or (tested.name, summed.name) != ("lt", "add"):
        return value, False
    if tested.operands[0] is not places or summed.operands[0] is not places:
        return value, False
    if not _is_number(tested.operands[1], 0) or not _is_number(summed.operands[1], size):
        return value, False
    return _same(places), True


def _is_number(value: Value, wanted: int) -> bool:
    return value.constant and bool((np.asarray(numbers(value)) == wanted).all())


def _largest(value: Value) -> float:
    """Return the largest place that a value can be, if a search or a sort along an axis found it."""
    while (made := value.equation) is not None:
        if made.name in ("argmax", "argmin"):
            return made.operands[0].shape[made.params["axes"][0]] - 1
        if made.name == "top_k" or made.params.get("name") == "argsort":
            return max(made.operands[0].shape) - 1
        if made.name not in MOVED:
            break
        value = made.operands[0]
    return float("inf")


def _is_known(value: Value) -> bool:
    """Return whether the arguments that a value comes from have numbers; within a rule they have none."""
    read = [operand for equation in needed([value], lambda each: True) for operand in equation.operands]
    return all(each.equation is not None or each.numbers is not None for each in (value, *read))


def _in_graph(writer: Writer, value: Value) -> Value | None:
    """Return what stands for whole numbers, or computes them as floats; None where nothing does."""
    value = _same(value)
    waiting = [value]
    while waiting:  # an explicit stack, and each value once: sums of sums may be long
        each = waiting[-1]
        if writer.is_in_graph(each):
            waiting.pop()
            continue
        made = each.equation
        if made is None or len(made.avals) > 1:
            return None
        from_bool = made.name == "convert_element_type" and made.operands[0].is_bool
        if made.name not in COMPUTED and not from_bool:
            return None
        operands = [_same(operand) for operand in made.operands]
        missing = [operand for operand in operands if not writer.is_in_graph(operand)]
        if missing:
            waiting += missing
            continue
        operands = [reshaped(writer, *pair) for pair in zip(operands, made.operands, strict=True)]
        result = operands[0] if from_bool else writer.elementwise(COMPUTED[made.name], operands, each)
        each.held = writer.held(result)
    return value


@primitive("top_k")
def _top_k(writer: Writer, equation: Equation) -> Results:
    """The largest elements and their places: those that a sort puts first."""
    (x,), (values, places) = equation.operands, equation.avals
    axis = equation.params.get("axis", -1) % len(x.shape)
    if not x.is_float or not _is_exact(x, x.shape[axis]) or not prod(values.shape):
        return None
    if _is_known(x) and (np.signbit(found := np.asarray(numbers(x))) & (found == 0)).any():
        return None  # for top_k 0 is larger than -0
    along = {} if axis == len(x.shape) - 1 else {"axis": axis}
    order = Value(x.shape, places.dtype)
    order = writer.emit("argsort", (writer.held(x),), order, descending=True, **along)
    if values.shape != x.shape:
        index = (*[EVERY] * axis, (0, values.shape[axis], None))
        order = writer.emit("getitem", (writer.held(order),), places, index=index)
    slots = writer.held(x), writer.held(order)
    return [writer.emit("take_along_axis", slots, values, **along), order]
