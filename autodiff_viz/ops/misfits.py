"""Explain shape errors, by op, with hints.

Only called after JAX has refused the shapes: an explanation never decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.ops import indexing
from autodiff_viz.ops.misfit import Explain, Misfit, Shape, broadcast, inner, leading, said
from autodiff_viz.ops.misfits_of_layers import LAYERS
from autodiff_viz.ops.record import Op


def misfit(op: Op, shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    """Explain why `op` refuses these shapes with the parameters `given`.

    Returns:
      None if there is no explanation, or the number of inputs is wrong.
    """
    if not shapes if op.variadic else len(shapes) != len(op.slots):
        return None
    explain = MISFITS.get(op.name) or (broadcast if op.elementwise or op.broadcasts else None)
    settings = {**{param.name: param.default for param in op.params}, **given}
    found = explain(slot_names(op, len(shapes)), shapes, settings) if explain else None
    return found or _axis(op, shapes, settings)


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


def _dot(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    return inner(names[0], shapes[0], names[1], shapes[1])


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
    needed = f"All must have one shape; {names[0]} is {said(shapes[0])} and {names[i]} is {said(shapes[i])}."
    return Misfit(needed, "Use concatenate to join along an axis that they have, or reshape.")


def _transpose(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    rank = len(shapes[0])
    return Misfit(
        f"axes must name each of the axes 0 to {rank - 1} of x once.", "Leave axes out to reverse them."
    )


def _getitem(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    counts = ", ".join(f"axis {i}: 0 to {size - 1}" for i, size in enumerate(shapes[0]))
    needed = f"The index must lie inside x, which has {counts or 'no axes'}."
    return Misfit(needed, "Negative numbers count from the end: -1 is the last one.")


def _at_set(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    index = indexing.to_python(given["index"])
    try:
        place = np.broadcast_to(np.float32(0), shapes[0])[index].shape
    except IndexError:
        return _getitem(names, shapes, given)
    needed = f"v must fill x[{indexing.to_text(given['index'])}], which is {said(place)}."
    return Misfit(needed, f"Give v the shape {said(place)}." if place else "Make v a number.")


def _axis(op: Op, shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    """Explain a parameter `axis` that is out of range."""
    axis = given.get("axis")
    if not isinstance(axis, int) or not shapes:
        return None
    rank = len(shapes[0]) + (op.name in ("stack", "expand_dims"))
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
    "dot": _dot,
    "reshape": _reshape,
    "broadcast_to": _broadcast_to,
    "concatenate": _concatenate,
    "stack": _stack,
    "transpose": _transpose,
    "getitem": _getitem,
    "at_set": _at_set,
}
"""Explanations by op; elementwise ops are explained by the rules of broadcasting."""
