"""Define products of vectors and matrices."""

from __future__ import annotations

import jax.numpy as jnp

from autodiff_viz.ops.op import Op

GROUP = "Linear algebra"

PULLBACK = (r"\bar y \, <b>^{\top}", r"<a>^{\top} \, \bar y")

OPS = (
    Op(
        name="dot",
        group=GROUP,
        symbol="a·b",
        doc="Inner product of two vectors; takes scalars and matrices too.",
        aliases=("inner product", "inner", "vdot"),
        apply=jnp.dot,
        source="jnp.dot(a, b)",
        slots=("a", "b"),
        latex=r"<a> \cdot <b>",
        derivative=PULLBACK,
        elementwise=False,
        domain=((-2.0, 2.0), (-2.0, 2.0)),
        examples=(
            (((), ()), {}),
            (((3,), (3,)), {}),
            (((2, 3), (3,)), {}),
            (((2, 3), (3, 4)), {}),
        ),
    ),
    Op(
        name="matmul",
        group=GROUP,
        symbol="@",
        doc="Matrix product; with more than two axes, one product per leading index.",
        aliases=("matrix product", "linear", "mm", "bmm", "mv"),
        apply=jnp.matmul,
        source="a @ b",
        slots=("a", "b"),
        latex=r"<a> \, <b>",
        derivative=PULLBACK,
        elementwise=False,
        domain=((-2.0, 2.0), (-2.0, 2.0)),
        examples=(
            (((3,), (3,)), {}),
            (((2, 3), (3,)), {}),
            (((3,), (3, 4)), {}),
            (((2, 3), (3, 4)), {}),
            (((2, 2, 3), (3, 4)), {}),
        ),
        infix="@",
    ),
)
