"""Define ops that pick elements at places which are values themselves, or add to them.

Places are floats that hold whole numbers, as `argmax` gives them. They are rounded, count from 0, or from the
end where they are negative, and pass nothing.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from autodiff_viz.ops import shaping
from autodiff_viz.ops.op import Op, Param, Refusal

AT_PLACES = frozenset({"take", "take_along_axis", "at_add"})
"""Ops whose slot `PLACES` has places of what their first slot has."""

PLACES = 1


def whole(indices: Array) -> Array:
    """Return places as whole numbers."""
    return jnp.round(indices).astype(int)


def take(x: Array, indices: Array, axis: int | None = None) -> Array:
    """Return the slices of x at these places of an axis; a place outside gives NaN."""
    return jnp.take(x, whole(indices), axis=axis)


def take_along_axis(x: Array, indices: Array, axis: int = -1) -> Array:
    """Return along an axis the elements of x that each line of places names; a place outside gives NaN."""
    return jnp.take_along_axis(x, whole(indices), axis=axis)


def at_add(x: Array, indices: Array, updates: Array, axis: int = 0) -> Array:
    """Return x with the updates added at these places of an axis; what is added outside is dropped.

    Raises:
      Refusal: `axis` is negative.
    """
    if axis < 0:
        raise Refusal(f"axis is {axis}; it is counted from the first, which is 0.")
    return x.at[(jnp.s_[:],) * axis + (whole(indices),)].add(updates)


_BORDERS = tuple(n + 0.5 for n in range(-4, 4))  # where rounding goes to the next place

OPS = (
    Op(
        name="take",
        group=shaping.GROUP,
        symbol="take",
        doc="Slices of <x> at places from 0, as often as named; cotangents of repeated ones add up.",
        aliases=("gather", "embedding", "lookup", "index_select", "embed"),
        apply=take,
        source="jnp.take(x, jnp.round(indices).astype(int), axis=axis)",
        slots=("x", "indices"),
        latex=r"\operatorname{take}_{<axis>}(<x>, <indices>)",
        derivative=(r"\bar y \text{ added up at the places } <indices> \text{, 0 elsewhere}", "0"),
        elementwise=False,
        domain=((-3.0, 3.0), (-3.4, 2.4)),
        examples=(
            (((3,), ()), {}),
            (((2, 3), (4,)), {}),
            (((3, 2), (4,)), {"axis": 0}),
            (((2, 4), (2, 2)), {"axis": -1}),
            (((2, 3, 2), ()), {"axis": 1}),
        ),
        params=(Param("axis", "axis", None, "Axis that the places count along; all in a row if none."),),
        kinks=_BORDERS,
    ),
    Op(
        name="take_along_axis",
        group=shaping.GROUP,
        symbol="along",
        doc="Of each line of <x> along an axis, the elements at the places in that line of <indices>.",
        aliases=("gather", "take_along_dim", "pick", "batch_gather"),
        apply=take_along_axis,
        source="jnp.take_along_axis(x, jnp.round(indices).astype(int), axis=axis)",
        slots=("x", "indices"),
        latex=r"\operatorname{take\_along}_{<axis>}(<x>, <indices>)",
        derivative=(r"\bar y \text{ added up at the places } <indices> \text{, 0 elsewhere}", "0"),
        elementwise=False,
        domain=((-3.0, 3.0), (-3.4, 2.4)),
        examples=(
            (((3,), (2,)), {}),
            (((2, 3), (2, 1)), {}),
            (((3, 2), (4, 2)), {"axis": 0}),
            (((3, 4), (1, 2)), {"axis": 1}),
        ),
        params=(Param("axis", "axis", -1, "Axis that the places count along."),),
        kinks=_BORDERS,
    ),
    Op(
        name="at_add",
        group=shaping.GROUP,
        symbol="x[i]+=v",
        doc="<x> with <updates> added at places of an axis, where repeated ones add up.",
        aliases=("scatter_add", "index_add", "segment_sum", "add.at", "bincount", "scatter_nd", "add_at"),
        apply=at_add,
        source="x.at[(jnp.s_[:],) * axis + (jnp.round(indices).astype(int),)].add(updates)",
        slots=("x", "indices", "updates"),
        latex=r"<x>[<indices>] \mathrel{+}= <updates>",
        derivative=(
            r"\bar y",
            "0",
            r"\bar y \text{ at the places } <indices> \text{, summed over the copies of } <updates>",
        ),
        elementwise=False,
        domain=((-3.0, 3.0), (-3.4, 2.4), (-3.0, 3.0)),
        examples=(
            (((3,), (), ()), {}),
            (((3,), (4,), (4,)), {}),
            (((3, 2), (2,), (2, 2)), {}),
            (((2, 4), (2, 2), (2, 1, 1)), {"axis": 1}),
        ),
        params=(Param("axis", "int", 0, "Axis that the places count along."),),
        kinks=_BORDERS,
    ),
)
