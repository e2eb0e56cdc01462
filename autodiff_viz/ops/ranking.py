"""Define ops that put elements in order, or turn a choice of one into a number and back."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from autodiff_viz.ops import piecewise, shaping
from autodiff_viz.ops.op import Op, Param, Refusal


def argmax(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the place of the largest element, the first of equal ones, as a float."""
    return jnp.argmax(x, axis=axis, keepdims=keepdims).astype(x.dtype)


def one_hot(x: Array, num_classes: int = 2) -> Array:
    """Return 1.0 at the class that each element of x names, rounded, along a new last axis, else 0.0.

    Raises:
      Refusal: `num_classes` is less than 1.
    """
    if num_classes < 1:
        raise Refusal(f"num_classes is {num_classes}; at least one class is needed.")
    return jax.nn.one_hot(jnp.round(x).astype(int), num_classes, dtype=x.dtype)


def sort(x: Array, axis: int = -1, descending: bool = False) -> Array:
    """Sort x along an axis; equal elements keep their order, or turn it if `descending`."""
    return jnp.sort(x, axis=axis, descending=descending)


def argsort(x: Array, axis: int = -1, descending: bool = False) -> Array:
    """Return the places of the elements in order, as floats; equal elements keep their order."""
    return jnp.argsort(x, axis=axis, descending=descending).astype(x.dtype)


OPS = (
    Op(
        name="argmax",
        group=piecewise.GROUP,
        symbol="argmax",
        doc="Place of the largest element, from 0, the first of equal ones; flat, so it passes nothing.",
        aliases=("index of the largest", "arg_max", "predicted class", "top1"),
        apply=argmax,
        source="jnp.argmax(x, axis=axis, keepdims=keepdims).astype(float)",
        slots=("x",),
        latex=r"\operatorname{argmax}_{<axis>}(<x>)",
        derivative=("0",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((),), {}),
            (((5,),), {}),
            (((2, 3),), {}),
            (((2, 3),), {"axis": 0}),
            (((2, 3),), {"axis": -1, "keepdims": True}),
        ),
        params=(
            Param("axis", "axis", None, "Axis to search; all elements in a row if none is named."),
            Param("keepdims", "bool", False, "Keep the searched axis, with length 1."),
        ),
    ),
    Op(
        name="argsort",
        group=piecewise.GROUP,
        symbol="argsort",
        doc="Places of the elements in order, smallest first, ties in turn; flat, so it passes nothing.",
        aliases=("rank", "order of", "topk", "top_k", "arg_sort"),
        apply=argsort,
        source="jnp.argsort(x, axis=axis, descending=descending).astype(float)",
        slots=("x",),
        latex=r"\operatorname{argsort}_{<axis>}(<x>)",
        derivative=("0",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((5,),), {}),
            (((3, 2),), {"axis": 0}),
            (((2, 4),), {"descending": True}),
        ),
        params=(
            Param("axis", "axis", -1, "Axis along which to sort."),
            Param("descending", "bool", False, "Largest first; equal elements keep their order."),
        ),
    ),
    Op(
        name="one_hot",
        group=piecewise.GROUP,
        symbol="one-hot",
        doc="1.0 at the class that <x> names, rounded, else 0.0; flat, so it passes nothing.",
        aliases=("onehot", "to_categorical", "indicator", "class vector"),
        apply=one_hot,
        source="jax.nn.one_hot(jnp.round(x).astype(int), num_classes)",
        slots=("x",),
        latex=r"\operatorname{onehot}_{<num_classes>}(<x>)",
        derivative=("0",),
        elementwise=False,
        domain=((0.0, 2.4),),
        examples=(
            (((),), {}),
            (((4,),), {"num_classes": 3}),
            (((2, 3),), {"num_classes": 2}),
        ),
        params=(Param("num_classes", "int", 2, "Length of the new last axis."),),
        kinks=(0.5, 1.5, 2.5),
    ),
    Op(
        name="sort",
        group=shaping.GROUP,
        symbol="sort",
        doc="Elements in order, smallest first; each receives the cotangent of its new place, ties in turn.",
        aliases=("order", "ascending", "sorted"),
        apply=sort,
        source="jnp.sort(x, axis=axis, descending=descending)",
        slots=("x",),
        latex=r"\operatorname{sort}_{<axis>}(<x>)",
        derivative=(r"\bar y \text{ put back in the order of } <x>",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((5,),), {}),
            (((2, 3),), {}),
            (((3, 2),), {"axis": 0}),
            (((2, 3),), {"descending": True}),
        ),
        params=(
            Param("axis", "axis", -1, "Axis along which to sort."),
            Param("descending", "bool", False, "Largest first; equal elements then come in reverse order."),
        ),
    ),
)
