"""Map primitives of JAX to ops: one function for each, of the equation; the shapes decide.

Each returns the results of the equation, or None where no op of ours has both its value and its derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Protocol

import jax
import numpy as np
from jax import lax

from autodiff_viz.functions.equations import Equation, Shape, Value, constant, numbers
from autodiff_viz.functions.nodes import Held
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import IDENTITY, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.ops.layers import LAYOUT


class Writer(Protocol):
    """What a primitive's function is given beside its equation."""

    def held(self, value: Value) -> Held:
        """Return what stands for a value."""

    def emit(
        self, op: str, slots: Sequence[Held], like: Any, rule: Rule | None = None, **given: Any
    ) -> Value:
        """Add a node whose value is of the shape and dtype of `like`."""

    def elementwise(self, op: str, operands: Sequence[Value], like: Any) -> Value:
        """Add a node of an op that broadcasts."""

    def is_in_graph(self, value: Value) -> bool:
        """Return whether a value is a constant, or something in the graph stands for it."""


Results = list[Value] | None

EVERY = (None, None, None)  # the slice of a whole axis

Made = Callable[[Writer, Equation], Results]

PRIMITIVES: dict[str, Made] = {}
"""By name of a primitive."""


def primitive(*names: str) -> Callable[[Made], Made]:
    """Register what maps these primitives."""

    def register(made: Made) -> Made:
        PRIMITIVES.update(dict.fromkeys(names, made))
        return made

    return register


# Elementwise primitives.


SAME = {
    **{name: name for name in (
        "abs", "add", "cbrt", "cos", "cosh", "div", "erf", "erfc", "exp", "exp2", "expm1", "floor", "log",
        "log1p", "log2", "mul", "neg", "rsqrt", "sign", "sin", "sinh", "sqrt", "square", "sub", "tan",
        "tanh",
    )},
    "acos": "arccos", "acosh": "arccosh", "add_any": "add", "asin": "arcsin", "asinh": "arcsinh",
    "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "logistic": "sigmoid", "max": "maximum",
    "min": "minimum",
}  # fmt: skip
"""Primitives that an op calls, so that value and derivative are the same."""

COMPARED = {
    "eq": "equal", "ge": "greater_equal", "gt": "greater", "le": "less_equal", "lt": "less",
    "ne": "not_equal",
}  # fmt: skip


@primitive(*SAME)
def _same(writer: Writer, equation: Equation) -> Results:
    if any(each.is_int and not each.constant for each in equation.operands):
        return None  # JAX passes nothing to whole numbers, as in a power
    return [writer.elementwise(SAME[equation.name], equation.operands, equation.avals[0])]


@primitive(*COMPARED)
def _compared(writer: Writer, equation: Equation) -> Results:
    if not all(map(writer.is_in_graph, equation.operands)):
        return None
    op, operands, aval = COMPARED[equation.name], equation.operands, equation.avals[0]
    if not any(each.is_int for each in operands):
        return [writer.elementwise(op, operands, aval)]
    return [Value(tuple(aval.shape), aval.dtype, later=lambda: writer.elementwise(op, operands, aval).held)]


@primitive("and", "or", "not", "xor")
def _logic(writer: Writer, equation: Equation) -> Results:
    if not all(each.is_bool for each in equation.operands):
        return None
    aval, operands = equation.avals[0], equation.operands
    if equation.name == "not":
        return [writer.elementwise("sub", (number(1.0), *operands), aval)]
    op = {"and": "mul", "or": "maximum", "xor": "not_equal"}[equation.name]
    return [writer.elementwise(op, operands, aval)]


def number(value: float) -> Value:
    """Return the value of a number."""
    return constant(np.float32(value))


@primitive("integer_pow")
def _integer_pow(writer: Writer, equation: Equation) -> Results:
    (x,), aval, y = equation.operands, equation.avals[0], equation.params["y"]
    if y == 0:  # without a slope, also where x is 0
        return [writer.elementwise("ones_like", (x,), aval)]
    if y == 1:
        return [x]
    if y in (2, 3, 4):  # with the multiplications of JAX
        squared = writer.elementwise("square", (x,), aval)
        if y == 2:
            return [squared]
        return [
            writer.elementwise("mul", (squared, x), aval)
            if y == 3
            else writer.elementwise("square", (squared,), aval)
        ]
    if y == -1:
        return [writer.elementwise("div", (number(1.0), x), aval)]
    return [writer.elementwise("pow", (x, number(float(y))), aval)]


@primitive("pow")
def _pow(writer: Writer, equation: Equation) -> Results:
    (x, y), aval = equation.operands, equation.avals[0]
    if not y.is_int:
        return [writer.elementwise("pow", (x, y), aval)]
    # JAX passes nothing to whole exponents, and nothing through a power 0.
    exponents = np.asarray(numbers(y)) if y.constant else np.empty(0)
    if not exponents.size or (exponents != exponents.flat[0]).any():
        return None
    exponent = int(exponents.flat[0])
    if exponent in (0, 1):
        return [x if exponent else writer.elementwise("ones_like", (x,), aval)]
    return [writer.elementwise("pow", (x, number(float(exponent))), aval)]


@primitive("round")
def _round(writer: Writer, equation: Equation) -> Results:
    (x,), aval = equation.operands, equation.avals[0]
    if equation.params["rounding_method"] == lax.RoundingMethod.TO_NEAREST_EVEN:
        return [writer.elementwise("round", (x,), aval)]
    # Halves go away from 0.
    size = writer.elementwise("abs", (x,), aval)
    down = writer.elementwise("floor", (size,), aval)
    left = writer.elementwise("sub", (size, down), aval)
    up = writer.elementwise("greater_equal", (left, number(0.5)), aval)
    return [
        writer.elementwise(
            "mul",
            (writer.elementwise("sign", (x,), aval), writer.elementwise("add", (down, up), aval)),
            aval,
        )
    ]


@primitive("ceil")
def _ceil(writer: Writer, equation: Equation) -> Results:
    aval = equation.avals[0]
    down = writer.elementwise("floor", (writer.elementwise("neg", equation.operands, aval),), aval)
    return [writer.elementwise("neg", (down,), aval)]


@primitive("is_finite")
def _is_finite(writer: Writer, equation: Equation) -> Results:
    (x,), aval = equation.operands, equation.avals[0]
    return [writer.elementwise("equal", (writer.elementwise("sub", (x, x), aval), number(0.0)), aval)]


@primitive("select_n")
def _select_n(writer: Writer, equation: Equation) -> Results:
    which, *cases = equation.operands
    if which.constant and (picked := np.asarray(numbers(which))).size and (picked == picked.flat[0]).all():
        return [cases[int(picked.flat[0])]]
    if not all(map(writer.is_in_graph, cases)):
        return None
    if which.is_bool:
        return [writer.elementwise("where", (which, cases[1], cases[0]), equation.avals[0])]
    if not writer.is_in_graph(which) or not all(each.is_float for each in cases):
        return None
    # Outside of its cases it has the value of the nearest, and passes nothing.
    aval = equation.avals[0]
    low, made = (_fixed(writer, cases[at], aval) for at in (0, -1))
    made = writer.elementwise("where", (_is(writer, "less", which, 0.0), low, made), aval)
    for i, case in enumerate(cases):
        made = writer.elementwise("where", (_is(writer, "equal", which, float(i)), case, made), aval)
    return [made]


def _is(writer: Writer, op: str, x: Value, value: float) -> Value:
    return writer.elementwise(op, (x, number(value)), jax.ShapeDtypeStruct(x.shape, np.dtype(bool)))


def _fixed(writer: Writer, x: Value, like: Any) -> Value:
    """Return a value that passes no cotangent."""
    return writer.emit(IDENTITY, (writer.held(x),), like, Rule(STOP))


@primitive("clamp")
def _clamp(writer: Writer, equation: Equation) -> Results:
    low, x, high = equation.operands
    if not all(map(writer.is_in_graph, equation.operands)):
        return None
    aval = equation.avals[0]
    # At its ends a clamp passes nothing, where clip passes half; beyond them each end gets what arrives.
    inside = _both(writer, (x, low), (high, x))
    end = writer.emit("clip", [writer.held(each) for each in (x, low, high)], aval, Rule(STOP))
    made = writer.elementwise("where", (inside, x, end), aval)
    if not low.constant:
        made = writer.elementwise("where", (_both(writer, (low, x), (high, low)), low, made), aval)
    if not high.constant:
        made = writer.elementwise("where", (_greater(writer, x, high), high, made), aval)
    return [made]


def _greater(writer: Writer, a: Value, b: Value) -> Value:
    shape = np.broadcast_shapes(a.shape, b.shape)
    return writer.elementwise("greater", (a, b), jax.ShapeDtypeStruct(shape, np.dtype(bool)))


def _both(writer: Writer, *pairs: tuple[Value, Value]) -> Value:
    """Return where of each pair the first is greater."""
    a, b = (_greater(writer, *pair) for pair in pairs)
    shape = np.broadcast_shapes(a.shape, b.shape)
    return writer.elementwise("mul", (a, b), jax.ShapeDtypeStruct(shape, np.dtype(bool)))


@primitive("convert_element_type")
def _convert(writer: Writer, equation: Equation) -> Results:
    (x,), aval = equation.operands, equation.avals[0]
    if aval.dtype == np.bool_:
        return None if x.is_int else [writer.elementwise("not_equal", (x, number(0.0)), aval)]
    if jax.dtypes.issubdtype(aval.dtype, np.floating) and (x.held is not None or x.thin or x.later):
        return [Value(x.shape, aval.dtype, held=x.held, thin=x.thin, later=x.later)]
    if x.is_bool and jax.dtypes.issubdtype(aval.dtype, np.integer) and writer.is_in_graph(x):
        return [Value(x.shape, aval.dtype, later=lambda: writer.held(x))]
    return [Value(x.shape, aval.dtype, later=x.later)] if x.later and _truths(x) is not None else None


@primitive("stop_gradient")
def _stop_gradient(writer: Writer, equation: Equation) -> Results:
    (x,) = equation.operands
    return [writer.emit(IDENTITY, (writer.held(x),), x, Rule(STOP))]


@primitive("copy", "copy_p", "sharding_constraint", "optimization_barrier", "device_put")
def _copied(writer: Writer, equation: Equation) -> Results:
    return [*equation.operands]


# Shapes.


@primitive("reshape")
def _reshape(writer: Writer, equation: Equation) -> Results:
    (x,), order = equation.operands, equation.params.get("dimensions")
    return [reshaped(writer, transposed(writer, x, order) if order else x, equation.avals[0])]


@primitive("squeeze", "expand_dims")
def _squeeze(writer: Writer, equation: Equation) -> Results:
    return [reshaped(writer, equation.operands[0], equation.avals[0])]


def reshaped(writer: Writer, x: Value, like: Any) -> Value:
    """Return a value in the shape of `like`."""
    if x.shape == tuple(like.shape):
        return x
    return writer.emit("reshape", (writer.held(x),), like, shape=tuple(map(int, like.shape)))


@primitive("broadcast_in_dim")
def _broadcast(writer: Writer, equation: Equation) -> Results:
    if len(equation.operands) != 1:
        return None
    (x,), aval = equation.operands, equation.avals[0]
    shape, places = tuple(aval.shape), equation.params["broadcast_dimensions"]
    trailing = tuple(range(len(shape) - len(x.shape), len(shape)))
    if tuple(places) == trailing:
        held, thin = x.thin or (writer.held(x), x.shape)
    else:
        sides = [1] * len(shape)
        for place, side in zip(places, x.shape, strict=True):
            sides[place] = side
        thin = tuple(sides)
        held = writer.held(reshaped(writer, x, jax.ShapeDtypeStruct(thin, aval.dtype)))
    return [Value(shape, aval.dtype, held=held if thin == shape else None, thin=(held, thin))]


@primitive("transpose")
def _transpose(writer: Writer, equation: Equation) -> Results:
    return [transposed(writer, equation.operands[0], equation.params["permutation"])]


def transposed(writer: Writer, x: Value, order: Sequence[int]) -> Value:
    """Return a value with its axes in this order."""
    order = tuple(map(int, order))
    if order == tuple(range(len(order))):
        return x
    like = jax.ShapeDtypeStruct(tuple(x.shape[i] for i in order), x.dtype)
    turned = order == tuple(reversed(range(len(order))))
    return writer.emit("transpose", (writer.held(x),), like, **({} if turned else {"axes": order}))


@primitive("concatenate")
def _concatenate(writer: Writer, equation: Equation) -> Results:
    if len(equation.operands) > limits.SLOTS or not all(map(writer.is_in_graph, equation.operands)):
        return None
    slots = [writer.held(each) for each in equation.operands]
    return [writer.emit("concatenate", slots, equation.avals[0], axis=int(equation.params["dimension"]))]


@primitive("stack")
def _stack(writer: Writer, equation: Equation) -> Results:
    if len(equation.operands) > limits.SLOTS or not all(map(writer.is_in_graph, equation.operands)):
        return None
    slots = [writer.held(each) for each in equation.operands]
    return [writer.emit("stack", slots, equation.avals[0], axis=int(equation.params["axis"]))]


@primitive("tile")
def _tile(writer: Writer, equation: Equation) -> Results:
    (x,), reps = equation.operands, tuple(map(int, equation.params["reps"]))
    if 2 * len(reps) > limits.RANK or len(reps) != len(x.shape):
        return None
    apart = reshaped(writer, x, shaped(tuple(side for each in x.shape for side in (1, each)), x))
    shape = tuple(side for pair in zip(reps, x.shape, strict=True) for side in pair)
    copies = writer.emit("broadcast_to", (writer.held(apart),), shaped(shape, x), shape=shape)
    return [reshaped(writer, copies, equation.avals[0])]


@primitive("split")
def _split(writer: Writer, equation: Equation) -> Results:
    (x,), axis, start, pieces = equation.operands, int(equation.params["axis"]), 0, []
    for aval in equation.avals:
        stop = start + int(aval.shape[axis])
        index = (*[(None, None, None)] * axis, (start, stop, None))
        pieces.append(writer.emit("getitem", (writer.held(x),), aval, index=index))
        start = stop
    return pieces


@primitive("pad")
def _pad(writer: Writer, equation: Equation) -> Results:
    x, filled = equation.operands
    sides, aval = equation.params["padding_config"], equation.avals[0]
    if prod(filled.shape) != 1 or not filled.constant or not prod(x.shape):
        return None
    if any(low < 0 or high < 0 for low, high, _ in sides):
        return None
    around = writer.held(Value(tuple(aval.shape), aval.dtype, thin=(writer.held(filled), ())))
    index = tuple(
        (int(low), int(side - high), int(between) + 1 if between else None)
        for (low, high, between), side in zip(sides, aval.shape, strict=True)
    )
    return [writer.emit("at_set", (around, writer.held(x)), aval, index=index)]


# Reductions.


@primitive("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_and", "reduce_or")
def _reduced(writer: Writer, equation: Equation) -> Results:
    (x,), aval, axes = equation.operands, equation.avals[0], equation.params["axes"]
    op = {"and": "min", "or": "max"}.get(name := equation.name.removeprefix("reduce_"), name)
    if op == "sum" and x.is_int and (held := _truths(x)) is not None:
        return [
            Value(tuple(aval.shape), aval.dtype, later=lambda: reduced(writer, op, held, axes, aval).held)
        ]
    return [reduced(writer, op, x, axes, aval)] if x.is_float or x.is_bool else None


def _truths(x: Value) -> Value | None:
    """Return the truth values whose whole numbers 0 and 1 a value has: an op counts them exactly."""
    while x.is_int and x.equation is not None and x.equation.name == "convert_element_type":
        (x,) = x.equation.operands
    return x if x.is_bool else None


def reduced(writer: Writer, op: str, x: Value, axes: Sequence[int], like: Any) -> Value:
    """Return a reduction along axes, by the op that reduces along one or all."""
    axes = tuple(sorted(map(int, axes)))
    if not axes:
        return x
    if len(axes) not in (1, len(x.shape)):
        # Several of them become one: elements that are equal share a cotangent once.
        kept = tuple(i for i in range(len(x.shape)) if i not in axes)
        x = transposed(writer, x, (*kept, *axes))
        x = reshaped(writer, x, shaped((*x.shape[: len(kept)], prod(x.shape[len(kept) :])), x))
        axes = (len(kept),)
    along = {} if len(axes) == len(x.shape) else {"axis": axes[0]}
    return writer.emit(op, (writer.held(x),), like, **along)


@primitive("argmax", "argmin")
def _argmax(writer: Writer, equation: Equation) -> Results:
    (x,), aval = equation.operands, equation.avals[0]
    if not x.is_float or len(equation.params["axes"]) != 1:
        return None
    if equation.name == "argmin":
        x = writer.elementwise("neg", (x,), jax.ShapeDtypeStruct(x.shape, x.dtype))
    return [writer.emit("argmax", (writer.held(x),), aval, axis=int(equation.params["axes"][0]))]


@primitive("cumsum")
def _cumsum(writer: Writer, equation: Equation) -> Results:
    (x,), aval = equation.operands, equation.avals[0]
    axis, reverse = int(equation.params["axis"]), equation.params["reverse"]
    if x.is_int and (truths := _truths(x)) is not None:
        counts = Equation(equation.name, equation.source, (truths,), equation.avals)
        return [Value(tuple(aval.shape), aval.dtype, later=lambda: _cumsum(writer, counts)[0].held)]
    if not x.is_float and not x.is_bool:
        return None
    turned = (*[(None, None, None)] * axis, (None, None, -1))
    held = writer.held(x)
    if reverse:
        held = writer.emit("getitem", (held,), aval, index=turned).held
    sums = writer.emit("cumsum", (held,), aval, axis=axis)
    return [writer.emit("getitem", (sums.held,), aval, index=turned) if reverse else sums]


LONGEST_RUN = 64  # elements along an axis


@primitive("cumprod", "cummax", "cummin")
def _running(writer: Writer, equation: Equation) -> Results:
    (x,), aval, given = equation.operands, equation.avals[0], equation.params
    axis, op = int(given["axis"]), {"cumprod": "mul", "cummax": "maximum", "cummin": "minimum"}[equation.name]
    count, row = x.shape[axis], jax.ShapeDtypeStruct((*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype)
    if not x.is_float or not 0 < count <= min(LONGEST_RUN, limits.SLOTS):
        return None
    before, made, order = [EVERY] * axis, [], range(count)
    for i in reversed(order) if given["reverse"] else order:
        one = writer.emit("getitem", (writer.held(x),), row, index=(*before, i))
        made.append(writer.elementwise(op, (made[-1], one), row) if made else one)
    made = made[::-1] if given["reverse"] else made
    return [writer.emit("stack", [each.held for each in made], aval, axis=axis)]


@primitive("sort")
def _sort(writer: Writer, equation: Equation) -> Results:
    if len(equation.operands) != 1:
        return None
    (x,), axis = equation.operands, int(equation.params["dimension"])
    last = axis == len(x.shape) - 1
    return [writer.emit("sort", (writer.held(x),), equation.avals[0], **({} if last else {"axis": axis}))]


# Products and layers.


@primitive("dot_general")
def _dot_general(writer: Writer, equation: Equation) -> Results:
    (a, b), aval = equation.operands, equation.avals[0]
    (of_a, of_b), (batch_a, batch_b) = equation.params["dimension_numbers"]
    free_a = [i for i in range(len(a.shape)) if i not in (*of_a, *batch_a)]
    free_b = [i for i in range(len(b.shape)) if i not in (*of_b, *batch_b)]
    batch = tuple(a.shape[i] for i in batch_a)
    summed = prod(a.shape[i] for i in of_a)
    # Axes that are summed over become one, and so do those of b that stay; those of a may be several.
    left = transposed(writer, a, (*batch_a, *free_a, *of_a))
    right = transposed(writer, b, (*batch_b, *of_b, *free_b))
    rows = [a.shape[i] for i in free_a]
    columns = [b.shape[i] for i in free_b]
    if batch and len(rows) != 1:
        rows = [prod(rows)]
    left = reshaped(writer, left, shaped((*batch, *rows, summed), a))
    right = reshaped(
        writer, right, shaped((*batch, summed, *([prod(columns)] if columns or batch else [])), b)
    )
    shape = (*batch, *rows, *([prod(columns)] if columns or batch else []))
    product = writer.emit(
        "matmul", (writer.held(left), writer.held(right)), jax.ShapeDtypeStruct(shape, aval.dtype)
    )
    return [reshaped(writer, product, aval)]


def shaped(shape: Shape, x: Value) -> Any:
    """Return the shape, with the dtype of a value."""
    return jax.ShapeDtypeStruct(tuple(shape), x.dtype)


@primitive("conv_general_dilated")
def _conv(writer: Writer, equation: Equation) -> Results:
    (x, w), given, aval = equation.operands, equation.params, equation.avals[0]
    plain = (
        len(x.shape) == 4
        and len(set(given["window_strides"])) == 1
        and {*given["lhs_dilation"], *given["rhs_dilation"]} == {1}
        and given["feature_group_count"] == given["batch_group_count"] == 1
    )
    if not plain:
        return None
    numbers = given["dimension_numbers"]
    ours = lax.conv_dimension_numbers((1,) * 4, (1,) * 4, LAYOUT)
    x = transposed(writer, x, _order(numbers.lhs_spec, ours.lhs_spec))
    w = transposed(writer, w, _order(numbers.rhs_spec, ours.rhs_spec))
    stride, pads = given["window_strides"][0], [tuple(pair) for pair in given["padding"]]
    padding = next(
        (
            name
            for name in ("VALID", "SAME")
            if pads == [tuple(p) for p in lax.padtype_to_pads(x.shape[1:3], w.shape[:2], (stride,) * 2, name)]
        ),
        None,
    )
    if padding is None:
        if any(side < 0 for pair in pads for side in pair):
            return None
        sides = (x.shape[0], x.shape[1] + sum(pads[0]), x.shape[2] + sum(pads[1]), x.shape[3])
        around = writer.held(Value(sides, x.dtype, thin=(0.0, ())))
        index = (
            (None, None, None),
            *[(low, low + side, None) for (low, _), side in zip(pads, x.shape[1:3], strict=True)],
        )
        x, padding = writer.emit("at_set", (around, writer.held(x)), shaped(sides, x), index=index), "VALID"
    turned = _order(ours.out_spec, numbers.out_spec)
    shape = [0] * 4
    for theirs, own in zip(turned, range(4), strict=True):
        shape[theirs] = aval.shape[own]
    options = {
        **({"stride": int(stride)} if stride != 1 else {}),
        **({"padding": padding} if padding != "VALID" else {}),
    }
    made = writer.emit(
        "conv2d",
        (writer.held(x), writer.held(w), 0.0),
        jax.ShapeDtypeStruct(tuple(shape), aval.dtype),
        **options,
    )
    return [transposed(writer, made, turned)]


def _order(theirs: Sequence[int], ours: Sequence[int]) -> tuple[int, ...]:
    """Return the order of axes that turns an array from one layout into another.

    A specification has, for each kind of axis, its place.
    """
    kind_at = {place: kind for kind, place in enumerate(ours)}
    return tuple(theirs[kind_at[place]] for place in range(len(ours)))


@primitive("reduce_window_max", "reduce_window_sum")
def _pooled(writer: Writer, equation: Equation) -> Results:
    (x,), given, aval = equation.operands, equation.params, equation.avals[0]
    window, steps = tuple(given["window_dimensions"]), tuple(given["window_strides"])
    pads = [tuple(pair) for pair in given["padding"]]
    dilated = {*given.get("base_dilation", (1,)), *given.get("window_dilation", (1,))} != {1}
    square = (
        len(window) == 4 and window == (1, window[1], window[1], 1) and steps == (1, steps[1], steps[1], 1)
    )
    if dilated or not square:
        return None
    padding = next(
        (
            name
            for name in ("VALID", "SAME")
            if pads == [tuple(p) for p in lax.padtype_to_pads(x.shape, window, steps, name)]
        ),
        None,
    )
    if padding is None:
        return None
    options = {
        "window": int(window[1]),
        "stride": int(steps[1]),
        **({"padding": padding} if padding != "VALID" else {}),
    }
    op = "max_pool" if equation.name == "reduce_window_max" else "avg_pool"
    pooled = writer.emit(op, (writer.held(x),), aval, **options)
    if op == "max_pool":
        return [pooled]
    return [writer.elementwise("mul", (pooled, number(float(window[1] ** 2))), aval)]
