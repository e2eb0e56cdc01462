"""Define functions with kinks or jumps: absolute value, extrema, rounding, comparisons, choice."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from autodiff_viz.ops.op import ONE, THREE, TWO, Op

GROUP = "Steps and choices"

COMPARISONS = frozenset({"greater", "less", "greater_equal", "less_equal", "equal", "not_equal"})
"""Ops of two values that are 1.0 where something holds of them, and 0.0 elsewhere."""


def greater(a: Array, b: Array) -> Array:
    """Return 1.0 where a > b, else 0.0."""
    return jnp.greater(a, b).astype(a.dtype)


def less(a: Array, b: Array) -> Array:
    """Return 1.0 where a < b, else 0.0."""
    return jnp.less(a, b).astype(a.dtype)


def greater_equal(a: Array, b: Array) -> Array:
    """Return 1.0 where a >= b, else 0.0; a NaN on either side gives 0.0."""
    return jnp.greater_equal(a, b).astype(a.dtype)


def less_equal(a: Array, b: Array) -> Array:
    """Return 1.0 where a <= b, else 0.0; a NaN on either side gives 0.0."""
    return jnp.less_equal(a, b).astype(a.dtype)


def equal(a: Array, b: Array) -> Array:
    """Return 1.0 where a = b, else 0.0; a NaN equals nothing, not even itself."""
    return jnp.equal(a, b).astype(a.dtype)


def not_equal(a: Array, b: Array) -> Array:
    """Return 1.0 where a and b differ, else 0.0; a NaN differs from everything."""
    return jnp.not_equal(a, b).astype(a.dtype)


def where(condition: Array, a: Array, b: Array) -> Array:
    """Return `a` where `condition` is not 0, else `b`."""
    return jnp.where(condition != 0, a, b)


def _cases(*rows: tuple[str, str]) -> str:
    """Return LaTeX of the (value, condition) cases in `rows`, and 0 otherwise."""
    body = "".join(rf"{value} & {when} \\ " for value, when in rows)
    return rf"\begin{{cases}} {body}0 & \text{{otherwise}} \end{{cases}}"


HALF = r"\frac{1}{2}"

OPS = (
    Op(
        name="abs",
        group=GROUP,
        symbol="|x|",
        doc="Absolute value; JAX takes 1 for the slope at 0.",
        aliases=("absolute", "modulus", "|x|", "fabs"),
        apply=jnp.abs,
        source="jnp.abs(x)",
        slots=("x",),
        latex=r"\left|<x>\right|",
        derivative=(r"\begin{cases} 1 & <x> \ge 0 \\ -1 & \text{otherwise} \end{cases}",),
        domain=((-3.0, 3.0),),
        examples=ONE,
        kinks=(0.0,),
    ),
    Op(
        name="sign",
        group=GROUP,
        symbol="sign",
        doc="-1, 0 or 1; flat everywhere, so it passes nothing.",
        aliases=("signum", "sgn"),
        apply=jnp.sign,
        source="jnp.sign(x)",
        slots=("x",),
        latex=r"\operatorname{sign}(<x>)",
        derivative=("0",),
        domain=((-3.0, 3.0),),
        examples=ONE,
        kinks=(0.0,),
    ),
    Op(
        name="maximum",
        group=GROUP,
        symbol="max",
        doc="The larger of <a> and <b>, element by element; equal ones share the cotangent.",
        aliases=("larger", "fmax"),
        apply=jnp.maximum,
        source="jnp.maximum(a, b)",
        slots=("a", "b"),
        latex=r"\max(<a>, <b>)",
        derivative=(
            _cases(("1", r"<a> \gt <b>"), (HALF, "<a> = <b>")),
            _cases(("1", r"<b> \gt <a>"), (HALF, "<a> = <b>")),
        ),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
    ),
    Op(
        name="minimum",
        group=GROUP,
        symbol="min",
        doc="The smaller of <a> and <b>, element by element; equal ones share the cotangent.",
        aliases=("smaller", "fmin"),
        apply=jnp.minimum,
        source="jnp.minimum(a, b)",
        slots=("a", "b"),
        latex=r"\min(<a>, <b>)",
        derivative=(
            _cases(("1", r"<a> \lt <b>"), (HALF, "<a> = <b>")),
            _cases(("1", r"<b> \lt <a>"), (HALF, "<a> = <b>")),
        ),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
    ),
    Op(
        name="clip",
        group=GROUP,
        symbol="clip",
        doc="<x> kept between <low> and <high>; outside, the cotangent goes to the bound.",
        aliases=("clamp", "bound", "clip_by_value"),
        apply=jnp.clip,
        source="jnp.clip(x, low, high)",
        slots=("x", "low", "high"),
        latex=r"\operatorname{clip}(<x>, <low>, <high>)",
        derivative=(
            _cases(("1", r"<low> \lt <x> \lt <high>"), (HALF, r"<x> = <low> \text{ or } <x> = <high>")),
            _cases(("1", r"<x> \lt <low>"), (HALF, "<x> = <low>")),
            _cases(("1", r"<x> \gt <high>"), (HALF, "<x> = <high>")),
        ),
        domain=((-3.0, 3.0), (-2.0, -0.5), (0.5, 2.0)),
        examples=THREE,
    ),
    Op(
        name="round",
        group=GROUP,
        symbol="round",
        doc="Nearest whole number, halves to the even one; flat, so it passes nothing.",
        aliases=("rint",),
        apply=jnp.round,
        source="jnp.round(x)",
        slots=("x",),
        latex=r"\operatorname{round}(<x>)",
        derivative=("0",),
        domain=((-2.9, 2.9),),
        examples=ONE,
        kinks=(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5),
    ),
    Op(
        name="floor",
        group=GROUP,
        symbol="⌊x⌋",
        doc="Largest whole number not above <x>; flat, so it passes nothing.",
        aliases=("round down",),
        apply=jnp.floor,
        source="jnp.floor(x)",
        slots=("x",),
        latex=r"\lfloor <x> \rfloor",
        derivative=("0",),
        domain=((-2.9, 2.9),),
        examples=ONE,
        kinks=(-2.0, -1.0, 0.0, 1.0, 2.0),
    ),
    Op(
        name="remainder",
        group=GROUP,
        symbol="mod",
        doc="What is left of <a> after whole multiples of <b>, with the sign of <b>; exact.",
        aliases=("%", "mod", "modulo", "fmod", "rest"),
        apply=jnp.remainder,
        source="jnp.remainder(a, b)",
        slots=("a", "b"),
        latex=r"<a> - <b> \cdot \lfloor \frac{<a>}{<b>} \rfloor",
        derivative=("1", r"-\lfloor \frac{<a>}{<b>} \rfloor"),
        domain=((2.3, 2.6), (0.95, 1.1)),
        examples=TWO,
    ),
    Op(
        name="where",
        group=GROUP,
        symbol="where",
        doc="<a> where the condition is not 0, else <b>; the condition itself receives nothing.",
        aliases=("if", "select", "choose", "cond", "ifelse"),
        apply=where,
        source="jnp.where(condition != 0, a, b)",
        slots=("condition", "a", "b"),
        latex=r"\begin{cases} <a> & <condition> \ne 0 \\ <b> & \text{otherwise} \end{cases}",
        derivative=(
            "0",
            _cases(("1", r"<condition> \ne 0")),
            _cases(("1", r"<condition> = 0")),
        ),
        domain=((0.5, 2.0), (-3.0, 3.0), (-3.0, 3.0)),
        examples=THREE,
        kinks=(0.0,),
    ),
    Op(
        name="greater",
        group=GROUP,
        symbol=">",
        doc="1.0 where <a> > <b>, else 0.0; flat, so it passes nothing.",
        aliases=(">", "gt"),
        apply=greater,
        source="jnp.where(a > b, 1.0, 0.0)",
        slots=("a", "b"),
        latex=r"[<a> \gt <b>]",
        derivative=("0", "0"),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
        infix=">",
    ),
    Op(
        name="less",
        group=GROUP,
        symbol="<",
        doc="1.0 where <a> < <b>, else 0.0; flat, so it passes nothing.",
        aliases=("<", "lt"),
        apply=less,
        source="jnp.where(a < b, 1.0, 0.0)",
        slots=("a", "b"),
        latex=r"[<a> \lt <b>]",
        derivative=("0", "0"),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
        infix="<",
    ),
    Op(
        name="greater_equal",
        group=GROUP,
        symbol="≥",
        doc="1.0 where <a> >= <b>, else 0.0; flat, so it passes nothing.",
        aliases=(">=", "ge"),
        apply=greater_equal,
        source="jnp.where(a >= b, 1.0, 0.0)",
        slots=("a", "b"),
        latex=r"[<a> \ge <b>]",
        derivative=("0", "0"),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
    ),
    Op(
        name="less_equal",
        group=GROUP,
        symbol="≤",
        doc="1.0 where <a> <= <b>, else 0.0; flat, so it passes nothing.",
        aliases=("<=", "le"),
        apply=less_equal,
        source="jnp.where(a <= b, 1.0, 0.0)",
        slots=("a", "b"),
        latex=r"[<a> \le <b>]",
        derivative=("0", "0"),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
    ),
    Op(
        name="equal",
        group=GROUP,
        symbol="=",
        doc="1.0 where <a> and <b> are equal, else 0.0; flat, so it passes nothing.",
        aliases=("==", "eq"),
        apply=equal,
        source="jnp.where(a == b, 1.0, 0.0)",
        slots=("a", "b"),
        latex=r"[<a> = <b>]",
        derivative=("0", "0"),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
    ),
    Op(
        name="not_equal",
        group=GROUP,
        symbol="≠",
        doc="1.0 where <a> and <b> differ, else 0.0; flat, so it passes nothing.",
        aliases=("!=", "ne"),
        apply=not_equal,
        source="jnp.where(a != b, 1.0, 0.0)",
        slots=("a", "b"),
        latex=r"[<a> \ne <b>]",
        derivative=("0", "0"),
        domain=((-3.0, 3.0), (-3.0, 3.0)),
        examples=TWO,
    ),
)
