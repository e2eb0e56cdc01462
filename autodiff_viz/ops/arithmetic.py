"""Define arithmetic: the four operations, powers, negation and the identity."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from autodiff_viz.ops.op import ONE, TWO, Op

GROUP = "Arithmetic"


def identity(x: Array) -> Array:
    """Return x itself; carries the rule of a wire."""
    return x


def first(*arrays: Array) -> Array:
    """Return the first of several arrays."""
    return arrays[0]


OPS = (
    Op(
        name="add",
        group=GROUP,
        symbol="+",
        doc="Sum of <a> and <b>.",
        aliases=("plus",),
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
        doc="Difference, <a> minus <b>.",
        aliases=("minus", "subtract", "-", "difference"),
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
        doc="Product of <a> and <b>, element by element.",
        aliases=("times", "multiply", "product", "*", "prod"),
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
        doc="Quotient, <a> divided by <b>.",
        aliases=("divide", "over", "/", "quotient", "true_divide", "truediv"),
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
        doc="The negative of <x>.",
        aliases=("negative", "minus", "-", "negate"),
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
        doc="<a> to the power <b>; a negative number has only whole powers.",
        aliases=("power", "**", "^", "exponent", "float_power"),
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
        doc="<x> times itself.",
        aliases=("x2", "^2", "**2", "sqr", "squared"),
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
        doc="Square root; its slope grows without bound as <x> nears 0.",
        aliases=("root",),
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
        doc="<x> unchanged: a place on a wire for a rule.",
        aliases=("id", "pass", "copy"),
        apply=identity,
        source="x",
        slots=("x",),
        latex=r"<x>",
        derivative=("1",),
        domain=((-3.0, 3.0),),
        examples=ONE,
    ),
    Op(
        name="first",
        group=GROUP,
        symbol="1st",
        doc="The first of <arrays>: the others take part in its declared pullback alone.",
        aliases=("select_first",),
        apply=first,
        source="[*arrays][0]",
        slots=("arrays",),
        latex=r"\operatorname{first}(<arrays>)",
        derivative=(r"\bar y \text{ for the first, else } 0",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((), ()), {}),
            (((2, 3), (3,)), {}),
        ),
        variadic=True,
    ),
)
