"""Explain shape errors, by op, with hints.

Only called after JAX has refused the shapes: an explanation never decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, zip_longest
from math import prod
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.ops import indexing
from autodiff_viz.ops.op import Op

# Explain shapes that do not broadcast or contract; the explanations of all ops share these parts.


Shape = tuple[int, ...]


class Misfit(NamedTuple):
    """Explanation of a shape error.

    Attributes:
      needed: the requirement, as a sentence.
      hint: how to meet it.
    """

    needed: str
    hint: str


Explain = Callable[[Sequence[str], Sequence[Shape], Mapping[str, Any]], Misfit | None]
"""Function of the slots' names, their shapes and all parameters: explains why they do not fit; None if
unknown."""


def describe_shape(shape: Shape) -> str:
    """Write a shape for a sentence."""
    return str(list(shape)) if shape else "a number"


def broadcast(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    """Explain shapes that cannot be broadcast."""
    for (a, one), (b, other) in combinations(zip(names, shapes, strict=True), 2):
        if sizes := clash(one, other):
            m, n = sizes
            needed = f"Counted from the last axis, sizes must be equal or 1; {a} has {m} where {b} has {n}."
            return Misfit(needed, to_fit((a, one), (b, other)))
    return None


def clash(one: Shape, other: Shape) -> tuple[int, int] | None:
    """Return the first pair of sizes, counted from the last axis, that cannot be broadcast, or None."""
    pairs = zip_longest(reversed(one), reversed(other), fillvalue=1)
    return next(((m, n) for m, n in pairs if m != n and 1 not in (m, n)), None)


def to_fit(*two: tuple[str, Shape]) -> str:
    """Hint at a shape that makes the two named shapes broadcast."""
    (few, small), (many, large) = sorted(two, key=lambda pair: len(pair[1]))
    if prod(small) == prod(large):
        return f"{few} has as many elements as {many}: reshape({few}, {written(large)}) fits."
    if len(small) == 1 < len(large) and small[0] == large[0]:
        column = written((*small, *(1,) * (len(large) - 1)))
        return f"If {few} has one number for each row of {many}, make it a column: reshape({few}, {column})."
    return f"Give {few} and {many} one shape, or a size of 1 where they differ."


def written(shape: Shape) -> str:
    """Write a shape as in a formula: (4,), (4, 1)."""
    return str(tuple(shape))


def inner(a: str, one: Shape, b: str, other: Shape) -> Misfit | None:
    """Explain sizes of a contracted axis that differ."""
    at = max(len(other) - 2, 0)  # of a vector its only axis is contracted
    if not one or not other or one[-1] == other[at]:
        return None
    which = "first" if at == 0 else "second last"
    needed = f"The last axis of {a}, {one[-1]}, must be as long as the {which} of {b}, {other[at]}."
    if len(other) == 2 and other[1] == one[-1]:
        return Misfit(needed, f"transpose({b}) fits, {list(reversed(other))}.")
    return Misfit(needed, f"Give {b} the shape {describe_shape((*other[:at], one[-1], *other[at + 1 :]))}.")


def leading(a: str, one: Shape, b: str, other: Shape) -> Misfit | None:
    """Explain leading axes (batch axes of a matrix product) that cannot be broadcast."""
    if not clash(one, other):
        return None
    shapes = f"{a} has {describe_shape(one)}, {b} has {describe_shape(other)}"
    needed = f"The axes before the last two must be equal or 1: {shapes}."
    return Misfit(needed, f"Give {a} and {b} the same leading axes.")


# Explain shape errors of layers and losses.


def _dense(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    x, w, b = shapes
    if not x or not w:
        return Misfit(
            "x needs at least one axis, the features, and w two: [features in, features out].",
            "Give x the shape [batch, features] and w the shape [features, units].",
        )
    # x @ w first, in the order in which it is computed; if that fits, it is the bias that does not.
    if product := inner("x", x, "w", w) or leading("x", x[:-2], "w", w[:-2]):
        return product
    return _bias(b, w[-1] if len(w) > 1 else None, "w")


def _bias(b: Shape, wanted: int | None, kernel: str) -> Misfit:
    if wanted is None:
        return Misfit("x @ w and b do not go together.", "Give b as many elements as w has columns.")
    return Misfit(
        f"b must have one number for each of the {wanted} outputs of {kernel}; it is {describe_shape(b)}.",
        f"Give b the shape [{wanted}].",
    )


def _conv2d(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    x, w, b = shapes
    if no_image := _image(x):
        return no_image
    if len(w) != 4:
        return Misfit(
            f"w must have 4 axes, [height, width, channels in, channels out]; it has {len(w)}.",
            f"Give w the shape [3, 3, {x[3]}, 1], say.",
        )
    if too_large := _window(x, w[:2], given):
        return too_large
    if x[3] != w[2]:
        return Misfit(
            f"The channels of x, {x[3]}, must be those that w takes in, {w[2]}.",
            f"Give w the shape {[*w[:2], x[3], w[3]]}.",
        )
    return _bias(b, w[3], "w")


def _image(x: Shape) -> Misfit | None:
    if len(x) == 4:
        return None
    needed = f"x must be images, with 4 axes: [batch, height, width, channels]; it has {len(x)}."
    if len(x) == 3:
        return Misfit(needed, f"One image: reshape(x, {written((1, *x))}). Grey ones: {written((*x, 1))}.")
    return Misfit(needed, "Reshape x.")


def _window(x: Shape, sides: Sequence[int], given: Mapping[str, Any]) -> Misfit | None:
    stride = given["stride"]
    if min(sides) < 1 or stride < 1:
        return Misfit(
            f"The window is {list(sides)}, the stride {stride}; both must be at least 1.", "Change them."
        )
    if given["padding"] == "VALID" and (sides[0] > x[1] or sides[1] > x[2]):
        return Misfit(
            f"The window {list(sides)} must not be larger than an image, {list(x[1:3])}.",
            'Use a smaller window, or padding="SAME".',
        )
    return None


def _pool(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    return _image(shapes[0]) or _window(shapes[0], (given["window"],) * 2, given)


def _norm(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    x = shapes[0]
    if not x:
        return Misfit(
            "x must have an axis along which to take mean and variance.", "Give it a vector or more."
        )
    for name, shape in zip(names[1:], shapes[1:], strict=True):
        if clash(x, shape):
            return Misfit(
                f"{name} must have one number for each of the {x[-1]} elements of the last axis of x.",
                f"Give {name} the shape [{x[-1]}].",
            )
    return None


def _batch_norm(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    if len(shapes[0]) < 2:
        return Misfit(
            "x must be a batch: [batch, channels] or more axes, channels last.",
            "Give it a matrix, with a row for each example.",
        )
    return _norm(names, shapes, given)


def _labels(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    logits, labels = shapes
    if not logits:
        return Misfit("logits must have an axis of classes, the last one.", "Give logits [batch, classes].")
    wanted = logits[:-1]
    needed = f"labels must hold one class for each row of logits: {describe_shape(wanted)}."
    if labels == logits:
        return Misfit(needed, "Labels are whole numbers here, such as 2, and not rows of 0 and 1.")
    if prod(labels) == prod(wanted):
        return Misfit(needed, f"reshape(labels, {written(wanted)}) fits.")
    return Misfit(needed, f"Give labels the shape {describe_shape(wanted)}.")


LAYERS: Mapping[str, Explain] = {
    "dense": _dense,
    "conv2d": _conv2d,
    "max_pool": _pool,
    "avg_pool": _pool,
    "flatten": lambda names, shapes, given: Misfit(
        "A number has no axes to flatten.", "Give it a tensor whose first axis is the batch."
    ),
    "layer_norm": _norm,
    "batch_norm": _batch_norm,
    "softmax_cross_entropy_with_integer_labels": _labels,
}


def misfit(op: Op, shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    """Explain why `op` refuses these shapes with the parameters `given`.

    Returns:
      None if there is no explanation, or the number of inputs is wrong.
    """
    if not shapes if op.variadic else len(shapes) != len(op.slots):
        return None
    explain = MISFITS.get(op.name) or (broadcast if op.elementwise or op.broadcasts else None)
    settings = {**{param.name: param.default for param in op.params}, **given}
    explained = explain(slot_names(op, len(shapes)), shapes, settings) if explain else None
    return explained or _axis(op, shapes, settings)


def slot_names(op: Op, count: int) -> list[str]:
    """Return the names of the slots; those of a variadic op are numbered."""
    if op.variadic or count != len(op.slots):
        return [f"{op.slots[0] if op.variadic else 'input'} {i}" for i in range(count)]
    return list(op.slots)


def _matmul(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    (a, b), (one, other) = names[:2], shapes[:2]
    for name, shape in ((a, one), (b, other)):
        if not shape:
            return Misfit(f"{name} is a number; a product of matrices needs vectors or matrices.", "Use *.")
    return inner(a, one, b, other) or leading(a, one[:-2], b, other[:-2])


def _reshape(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    x, shape = shapes[0], given["shape"]
    known = prod(size for size in shape if size != -1)
    if shape.count(-1) > 1:
        return Misfit("At most one size may be -1, for what is left over.", "Write the others out.")
    if -1 in shape and known and prod(x) % known:
        needed = f"x has {prod(x)} elements, which cannot be divided in parts of {known}."
        return Misfit(needed, "Choose sizes whose product divides it.")
    needed = f"x has {prod(x)} elements, and the shape {list(shape)} takes {known}."
    return Misfit(needed, "Choose sizes whose product is the same; -1 stands for what is left over.")


def _broadcast_to(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    x, shape = shapes[0], given["shape"]
    if len(x) > len(shape):
        return Misfit(
            f"x has {len(x)} axes, and {list(shape)} has only {len(shape)}.", "Sum over some, or reshape x."
        )
    pairs = zip(reversed(x), reversed(shape), strict=False)
    m, n = next(((m, n) for m, n in pairs if m not in (1, n)), (0, 0))
    needed = f"Counted from the last axis, each size of x must be 1 or that of {list(shape)}; {m} meets {n}."
    return Misfit(needed, "Reshape x so that it has a 1 where it is to be repeated.")


def _concatenate(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    axis, ranks = given["axis"], {len(shape) for shape in shapes}
    if ranks == {0}:
        return Misfit("Numbers have no axis to be joined along.", "Use stack.")
    if len(ranks) > 1:
        return Misfit("All must have the same number of axes.", "Use expand_dims or reshape on some.")
    rank = ranks.pop()
    if not -rank <= axis < rank:
        return None
    for (a, one), (b, other) in combinations(zip(names, shapes, strict=True), 2):
        for i, (m, n) in enumerate(zip(one, other, strict=True)):
            if m != n and i != axis % rank:
                needed = (
                    f"All but axis {axis % rank} must be equal: on axis {i}, {a} has {m} and {b} has {n}."
                )
                return Misfit(needed, f"Join along axis {i}, or make them equal there.")
    return None


def _stack(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    if len(set(shapes)) == 1:
        return None
    i = next(i for i, shape in enumerate(shapes) if shape != shapes[0])
    first, other = describe_shape(shapes[0]), describe_shape(shapes[i])
    needed = f"All must have one shape; {names[0]} is {first} and {names[i]} is {other}."
    return Misfit(needed, "Use concatenate to join along an axis that they have, or reshape.")


def _getitem(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    counts = ", ".join(f"axis {i}: 0 to {size - 1}" for i, size in enumerate(shapes[0]))
    needed = f"The index must lie inside x, which has {counts or 'no axes'}."
    return Misfit(needed, "Negative numbers count from the end: -1 is the last one.")


def _at_set(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    index = indexing.to_python(given["index"])
    try:
        place = np.broadcast_to(np.float32(0), shapes[0])[index].shape  # NumPy finds it without memory
    except IndexError:
        return _getitem(names, shapes, given)
    needed = f"v must fill x[{indexing.to_text(given['index'])}], which is {describe_shape(place)}."
    return Misfit(needed, f"Give v the shape {describe_shape(place)}." if place else "Make v a number.")


def _take_along_axis(
    names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]
) -> Misfit | None:
    (x, indices), axis = shapes, given["axis"]
    if not x or axis is None or not -len(x) <= axis < len(x):
        return None
    if len(x) != len(indices):
        needed = f"indices must have as many axes as x, {len(x)}; it has {len(indices)}."
        return Misfit(needed, "take(x, indices, axis=0) takes the same places of all lines.")
    for i, (m, n) in enumerate(zip(x, indices, strict=True)):
        if i != axis % len(x) and m != n and 1 not in (m, n):
            needed = f"All but axis {axis % len(x)} must be equal or 1: on axis {i}, x has {m}, indices {n}."
            return Misfit(needed, "Give indices the shape of x there.")
    return None


def _at_add(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    (x, indices, _), axis = shapes, given["axis"]
    if not 0 <= axis < len(x):
        return None
    place = (*x[:axis], *indices, *x[axis + 1 :])
    needed = f"updates must fill the places of x, which are {describe_shape(place)}."
    return Misfit(
        needed, f"Give updates the shape {describe_shape(place)}." if place else "Make it a number."
    )


def _axis(op: Op, shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    """Explain a parameter `axis` that is out of range."""
    axis = given.get("axis")
    if not isinstance(axis, int) or not shapes:
        return None
    rank = len(shapes[0]) + (op.name in ("stack", "expand_dims"))  # of the result, for what makes an axis
    if -rank <= axis < rank:
        return None
    name, has = slot_names(op, len(shapes))[0], f"{rank} axes" if rank != 1 else "1 axis"
    if not rank:
        return Misfit(f"There is no axis {axis}: {name} is a number.", "Give it a vector or more.")
    return Misfit(
        f"There is no axis {axis}: of {has}, the first is 0 and the last {rank - 1}.", "Change axis."
    )


MISFITS: Mapping[str, Explain] = {
    **LAYERS,
    "matmul": _matmul,
    "dot": lambda names, shapes, given: inner(names[0], shapes[0], names[1], shapes[1]),
    "reshape": _reshape,
    "broadcast_to": _broadcast_to,
    "concatenate": _concatenate,
    "stack": _stack,
    "transpose": lambda names, shapes, given: Misfit(
        f"axes must name each of the axes 0 to {len(shapes[0]) - 1} of x once.",
        "Leave axes out to reverse them.",
    ),
    "getitem": _getitem,
    "at_set": _at_set,
    "take_along_axis": _take_along_axis,
    "at_add": _at_add,
}
"""Explanations by op; elementwise ops are explained by the rules of broadcasting."""
