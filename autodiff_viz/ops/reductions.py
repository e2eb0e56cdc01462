"""Op records of reductions over one axis or all, and of softmax, which normalizes along one."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from autodiff_viz.ops.record import Op, Param

GROUP = "Reductions"

AXIS = Param("axis", "axis", None, "Axis to fold; all of them if none is named.")
KEEPDIMS = Param("keepdims", "bool", False, "Keep the folded axis, with length 1.")

EXAMPLES = (
    (((),), {}),
    (((3,),), {}),
    (((2, 3),), {"axis": 0}),
    (((2, 3),), {"axis": -1, "keepdims": True}),
)

LAST_AXIS = Param("axis", "axis", -1, "Axis along which the chances add up to 1.")
ALONG = (
    (((3,),), {}),
    (((2, 3),), {}),
    (((2, 3),), {"axis": 0}),
)

OPS = (
    Op(
        name="sum",
        group=GROUP,
        symbol="Σ",
        doc="Sum of the elements; every element receives the whole cotangent.",
        aliases=("total", "add up", "reduce", "reduce_sum"),
        apply=jnp.sum,
        source="jnp.sum(x, axis=axis, keepdims=keepdims)",
        slots=("x",),
        latex=r"\operatorname{sum}_{<axis>}(<x>)",
        derivative=(r"\bar y \text{ copied to every element}",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=EXAMPLES,
        params=(AXIS, KEEPDIMS),
    ),
    Op(
        name="mean",
        group=GROUP,
        symbol="mean",
        doc="Average of the n elements; each receives one n-th of the cotangent.",
        aliases=("average", "avg", "reduce_mean"),
        apply=jnp.mean,
        source="jnp.mean(x, axis=axis, keepdims=keepdims)",
        slots=("x",),
        latex=r"\operatorname{mean}_{<axis>}(<x>)",
        derivative=(r"\frac{1}{n} \, \bar y \text{ copied to every element}",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=EXAMPLES,
        params=(AXIS, KEEPDIMS),
    ),
    Op(
        name="max",
        group=GROUP,
        symbol="max[ ]",
        doc="Largest element; it alone receives the cotangent, and equal ones share it.",
        aliases=("largest", "amax", "reduce_max"),
        apply=jnp.max,
        source="jnp.max(x, axis=axis, keepdims=keepdims)",
        slots=("x",),
        latex=r"\operatorname{max}_{<axis>}(<x>)",
        derivative=(
            r"\begin{cases} \bar y / k & \text{at the } k \text{ largest elements} \\"
            r" 0 & \text{elsewhere} \end{cases}",
        ),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=EXAMPLES,
        params=(AXIS, KEEPDIMS),
    ),
    Op(
        name="logsumexp",
        group=GROUP,
        symbol="ln Σ eˣ",
        doc="Logarithm of the sum of exponentials, safe from overflow: a smooth max.",
        aliases=("lse", "smooth max"),
        apply=jax.nn.logsumexp,
        source="jax.nn.logsumexp(x, axis=axis, keepdims=keepdims)",
        slots=("x",),
        latex=r"\ln \textstyle\sum_{<axis>} e^{<x>}",
        derivative=(r"\bar y \cdot e^{<x> - y}",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=EXAMPLES,
        params=(AXIS, KEEPDIMS),
    ),
    Op(
        name="softmax",
        group=GROUP,
        symbol="softmax",
        doc="Exponentials scaled to add up to 1 along an axis.",
        apply=jax.nn.softmax,
        source="jax.nn.softmax(x, axis=axis)",
        slots=("x",),
        latex=r"\operatorname{softmax}_{<axis>}(<x>)",
        derivative=(r"y \odot \left(\bar y - \textstyle\sum_{<axis>} \bar y \odot y\right)",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=ALONG,
        params=(LAST_AXIS,),
    ),
    Op(
        name="log_softmax",
        group=GROUP,
        symbol="lnsoft",
        doc="Logarithm of softmax, safe from overflow.",
        aliases=("log chances",),
        apply=jax.nn.log_softmax,
        source="jax.nn.log_softmax(x, axis=axis)",
        slots=("x",),
        latex=r"\ln \operatorname{softmax}_{<axis>}(<x>)",
        derivative=(r"\bar y - e^{y} \odot \textstyle\sum_{<axis>} \bar y",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=ALONG,
        params=(LAST_AXIS,),
    ),
)
