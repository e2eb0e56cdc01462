"""Define ops that move, copy, join, pick or replace elements and compute none; and constants of a shape."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array

from autodiff_viz.ops import indexing
from autodiff_viz.ops.op import ONE, Op, Param

GROUP = "Shape"


def reshape(x: Array, shape: tuple[int, ...] = (-1,)) -> Array:
    """Reshape x; one length may be -1, for the rest of the elements."""
    return jnp.reshape(x, shape)


def broadcast_to(x: Array, shape: tuple[int, ...] = ()) -> Array:
    """Broadcast x to `shape`, by NumPy's rules."""
    return jnp.broadcast_to(x, shape)


def concatenate(*arrays: Array, axis: int = 0) -> Array:
    """Join the arrays along an existing axis."""
    return jnp.concatenate(arrays, axis=axis)


def stack(*arrays: Array, axis: int = 0) -> Array:
    """Join the arrays, all of one shape, along a new axis."""
    return jnp.stack(arrays, axis=axis)


def expand_dims(x: Array, axis: int = 0) -> Array:
    """Insert an axis of length 1 into the shape of x."""
    return jnp.expand_dims(x, axis)


def getitem(x: Array, index: indexing.Index = (0,)) -> Array:
    """Return x[index]; the index is data as in `ops.indexing`.

    Raises:
      IndexError: an index is out of bounds. JAX would clamp it silently.
    """
    return x[_within(x, index)]


def at_set(x: Array, v: Array, index: indexing.Index = (0,)) -> Array:
    """Return a copy of x with v at the index, as x.at[index].set(v); v is broadcast to fill the place.

    Raises:
      IndexError: an index is out of bounds. JAX would drop the update silently.
    """
    return x.at[_within(x, index)].set(v)


def _within(x: Array, index: indexing.Index) -> tuple:
    """Return the index as Python's own, if it lies inside x.

    Raises:
      IndexError: it does not.
    """
    parts = indexing.to_python(index)
    np.broadcast_to(np.float32(0), x.shape)[parts]  # NumPy checks the bounds; this takes no memory
    return parts


OPS = (
    Op(
        name="transpose",
        group=GROUP,
        symbol="xᵀ",
        doc="<x> with its axes reversed, or in the order of `axes`.",
        aliases=(".t", "swap axes", "mt", "permute"),
        apply=jnp.transpose,
        source="jnp.transpose(x, axes=axes)",
        slots=("x",),
        latex=r"<x>^{\top}",
        derivative=(r"\bar y \text{ with its axes put back}",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((3,),), {}),
            (((2, 3),), {}),
            (((2, 3, 4),), {"axes": (1, 2, 0)}),
        ),
        params=(Param("axes", "axes", None, "New order of the axes; reversed if not given."),),
    ),
    Op(
        name="reshape",
        group=GROUP,
        symbol="reshape",
        doc="The same elements in another shape; -1 stands for what is left over.",
        aliases=("view", "flatten", "ravel"),
        apply=reshape,
        source="jnp.reshape(x, shape)",
        slots=("x",),
        latex=r"\operatorname{reshape}(<x>, <shape>)",
        derivative=(r"\bar y \text{ in the shape of } <x>",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((2, 3),), {}),
            (((2, 3),), {"shape": (3, 2)}),
            (((4,),), {"shape": (2, -1)}),
            (((),), {"shape": (1, 1)}),
        ),
        params=(Param("shape", "new_shape", (-1,), "Length of each axis."),),
    ),
    Op(
        name="broadcast_to",
        group=GROUP,
        symbol="copy to",
        doc="<x> repeated to fill a shape; the cotangents of the copies add up.",
        aliases=("expand", "repeat", "tile"),
        apply=broadcast_to,
        source="jnp.broadcast_to(x, shape)",
        slots=("x",),
        latex=r"\operatorname{broadcast}(<x>, <shape>)",
        derivative=(r"\textstyle\sum_{\text{copies}} \bar y",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((),), {}),
            (((),), {"shape": (2, 3)}),
            (((3,),), {"shape": (2, 3)}),
            (((2, 1),), {"shape": (2, 3)}),
        ),
        params=(Param("shape", "shape", (), "Shape to fill."),),
    ),
    Op(
        name="concatenate",
        group=GROUP,
        symbol="concat",
        doc="Arrays joined along an axis that they have.",
        aliases=("cat", "join", "concat", "hstack", "vstack"),
        apply=concatenate,
        source="jnp.concatenate(arrays, axis=axis)",
        slots=("arrays",),
        latex=r"\operatorname{concat}(<arrays>)",
        derivative=(r"\text{the part of } \bar y \text{ that came from } <arrays>",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((3,),), {}),
            (((3,), (2,)), {}),
            (((2, 1), (2, 3), (2, 2)), {"axis": 1}),
        ),
        params=(Param("axis", "int", 0, "Axis to join along."),),
        variadic=True,
    ),
    Op(
        name="stack",
        group=GROUP,
        symbol="stack",
        doc="Arrays of one shape joined along a new axis.",
        apply=stack,
        source="jnp.stack(arrays, axis=axis)",
        slots=("arrays",),
        latex=r"\operatorname{stack}(<arrays>)",
        derivative=(r"\text{the part of } \bar y \text{ that came from } <arrays>",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((),), {}),
            (((), (), ()), {}),
            (((3,), (3,)), {}),
            (((2, 3), (2, 3)), {"axis": -1}),
        ),
        params=(Param("axis", "int", 0, "Place of the new axis."),),
        variadic=True,
    ),
    Op(
        name="expand_dims",
        group=GROUP,
        symbol="+axis",
        doc="<x> with a new axis of length 1.",
        aliases=("unsqueeze", "newaxis"),
        apply=expand_dims,
        source="jnp.expand_dims(x, axis)",
        slots=("x",),
        latex=r"\operatorname{expand}_{\text{axis }<axis>}(<x>)",
        derivative=(r"\bar y \text{ without that axis}",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((),), {}),
            (((3,),), {"axis": -1}),
            (((2, 3),), {"axis": 1}),
        ),
        params=(Param("axis", "int", 0, "Place of the new axis."),),
    ),
    Op(
        name="getitem",
        group=GROUP,
        symbol="x[i]",
        doc="Elements of <x>, picked as in NumPy; the others receive 0.",
        aliases=("index", "slice", "[", "pick"),
        apply=getitem,
        source="x[index]",
        slots=("x",),
        latex=r"<x>[<index>]",
        derivative=(r"\bar y \text{ at } [<index>] \text{, 0 elsewhere}",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((3,),), {}),
            (((3,),), {"index": (-1,)}),
            (((4, 3),), {"index": ((3, None, -2), None, 1)}),
            (((2, 3, 4),), {"index": ("...", (1, 3, None))}),
        ),
        params=(Param("index", "index", (0,), "What to pick, such as 0, 1:3."),),
    ),
    Op(
        name="at_set",
        group=GROUP,
        symbol="x[i]←v",
        doc="A copy of <x> with <v> at an index: there the cotangent goes to <v>, elsewhere to <x>.",
        aliases=("at", "index_update", "scatter", "assign", "index_put", "put", "setitem", "[]="),
        apply=at_set,
        source="x.at[index].set(v)",
        slots=("x", "v"),
        latex=r"<x>[<index>] \leftarrow <v>",
        derivative=(
            r"\bar y \text{, but 0 at } [<index>]",
            r"\bar y \text{ at } [<index>] \text{, summed over the copies of } <v>",
        ),
        elementwise=False,
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=(
            (((3,), ()), {}),
            (((3,), ()), {"index": (-1,)}),
            (((4, 3), (2, 1)), {"index": ((3, None, -2), (None, None, 2))}),
            (((2, 3, 4), (2,)), {"index": ("...", (1, 3, None))}),
        ),
        params=(Param("index", "index", (0,), "Where v is put, such as 0, 1:3."),),
    ),
    Op(
        name="zeros_like",
        group=GROUP,
        symbol="0",
        doc="Zeros in the shape of <x>; passes nothing.",
        aliases=("zero", "zeros"),
        apply=jnp.zeros_like,
        source="jnp.zeros_like(x)",
        slots=("x",),
        latex=r"\operatorname{zeros}(<x>)",
        derivative=("0",),
        domain=((-3.0, 3.0),),
        examples=ONE,
    ),
    Op(
        name="ones_like",
        group=GROUP,
        symbol="1",
        doc="Ones in the shape of <x>; passes nothing.",
        aliases=("one", "ones"),
        apply=jnp.ones_like,
        source="jnp.ones_like(x)",
        slots=("x",),
        latex=r"\operatorname{ones}(<x>)",
        derivative=("0",),
        domain=((-3.0, 3.0),),
        examples=ONE,
    ),
)
