"""The four operations, powers, and the identity."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from autodiff_viz.ops.examples import ONE, TWO
from autodiff_viz.ops.record import Op

GROUP = "Arithmetic"


def identity(x: Array) -> Array:
    """Return x itself: a place on a wire for a rule to live."""
    return x


OPS = (
    Op(
        name="add",
        group=GROUP,
        symbol="+",
        doc="Sum of a and b.",
        apply=jnp.add,
        source="a + b",
        slots=("a", "b"),
        latex=r"<a> + <b>",
        derivative=("1", "1"),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
        infix="+",
    ),
    Op(
        name="sub",
        group=GROUP,
        symbol="−",
        doc="Difference, a minus b.",
        apply=jnp.subtract,
        source="a - b",
        slots=("a", "b"),
        latex=r"<a> - <b>",
        derivative=("1", "-1"),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
        infix="-",
    ),
    Op(
        name="mul",
        group=GROUP,
        symbol="×",
        doc="Product of a and b, element by element.",
        apply=jnp.multiply,
        source="a * b",
        slots=("a", "b"),
        latex=r"<a> \cdot <b>",
        derivative=("<b>", "<a>"),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
        infix="*",
    ),
    Op(
        name="div",
        group=GROUP,
        symbol="÷",
        doc="Quotient, a divided by b.",
        apply=jnp.divide,
        source="a / b",
        slots=("a", "b"),
        latex=r"\frac{<a>}{<b>}",
        derivative=(r"\frac{1}{<b>}", r"-\frac{<a>}{<b>^{2}}"),
        domain=((-3.0, 3.0), (0.5, 3.0)),
        examples=TWO,
        infix="/",
    ),
    Op(
        name="neg",
        group=GROUP,
        symbol="±",
        doc="The negative of x.",
        apply=jnp.negative,
        source="-x",
        slots=("x",),
        latex=r"-<x>",
        derivative=("-1",),
        domain=((-3.0, 3.0),),
        examples=ONE,
    ),
    Op(
        name="pow",
        group=GROUP,
        symbol="aᵇ",
        doc="a to the power b; a negative a needs a whole b.",
        apply=jnp.power,
        source="a ** b",
        slots=("a", "b"),
        latex=r"<a>^{<b>}",
        derivative=(r"<b> \cdot <a>^{<b> - 1}", r"y \cdot \ln(<a>)"),
        domain=((0.3, 3.0), (-2.0, 3.0)),
        examples=TWO,
        infix="**",
    ),
    Op(
        name="square",
        group=GROUP,
        symbol="x²",
        doc="x times itself.",
        apply=jnp.square,
        source="jnp.square(x)",
        slots=("x",),
        latex=r"<x>^{2}",
        derivative=(r"2 \cdot <x>",),
        domain=((-3.0, 3.0),),
        examples=ONE,
    ),
    Op(
        name="sqrt",
        group=GROUP,
        symbol="√",
        doc="Square root; its slope grows without bound as x nears 0.",
        apply=jnp.sqrt,
        source="jnp.sqrt(x)",
        slots=("x",),
        latex=r"\sqrt{<x>}",
        derivative=(r"\frac{1}{2 \cdot y}",),
        domain=((0.2, 4.0),),
        examples=ONE,
    ),
    Op(
        name="identity",
        group=GROUP,
        symbol="x",
        doc="x unchanged: a place on a wire for a rule.",
        apply=identity,
        source="x",
        slots=("x",),
        latex=r"<x>",
        derivative=("1",),
        domain=((-3.0, 3.0),),
        examples=ONE,
    ),
)
