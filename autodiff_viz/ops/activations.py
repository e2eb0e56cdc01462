"""Define newer activations (leaky_relu, elu, silu, gelu); derivatives at kinks are JAX's."""

from __future__ import annotations

from functools import partial

import jax

from autodiff_viz.ops.examples import ONE
from autodiff_viz.ops.record import Op
from autodiff_viz.ops.smooth import ACTIVATION

OPS = (
    Op(
        name="leaky_relu",
        group=ACTIVATION,
        symbol="lrelu",
        doc="<x> where it is positive, else a hundredth of it: no unit dies.",
        aliases=("rectifier",),
        apply=jax.nn.leaky_relu,
        source="jax.nn.leaky_relu(x)",
        slots=("x",),
        latex=r"\begin{cases} <x> & <x> \ge 0 \\ \frac{<x>}{100} & \text{otherwise} \end{cases}",
        derivative=(r"\begin{cases} 1 & <x> \ge 0 \\ \frac{1}{100} & \text{otherwise} \end{cases}",),
        domain=((-3.0, 3.0),),
        examples=ONE,
        kinks=(0.0,),
    ),
    Op(
        name="elu",
        group=ACTIVATION,
        symbol="elu",
        doc="<x> where it is positive, else e to the <x> minus 1.",
        apply=jax.nn.elu,
        source="jax.nn.elu(x)",
        slots=("x",),
        latex=r"\begin{cases} <x> & <x> \gt 0 \\ e^{<x>} - 1 & \text{otherwise} \end{cases}",
        derivative=(r"\begin{cases} 1 & <x> \gt 0 \\ e^{<x>} & \text{otherwise} \end{cases}",),
        domain=((-3.0, 3.0),),
        examples=ONE,
        kinks=(0.0,),
    ),
    Op(
        name="silu",
        group=ACTIVATION,
        symbol="silu",
        doc="<x> times its sigmoid, also called swish.",
        aliases=("swish",),
        apply=jax.nn.silu,
        source="jax.nn.silu(x)",
        slots=("x",),
        latex=r"<x> \cdot \sigma(<x>)",
        derivative=(r"\sigma(<x>) \cdot (1 + <x> - y)",),
        domain=((-3.0, 3.0),),
        examples=ONE,
    ),
    Op(
        name="gelu",
        group=ACTIVATION,
        symbol="gelu",
        doc="<x> times the share of the bell curve below it (exact, not the tanh approximation).",
        apply=partial(jax.nn.gelu, approximate=False),
        source="jax.nn.gelu(x, approximate=False)",
        slots=("x",),
        latex=r"<x> \cdot \Phi(<x>)",
        derivative=(r"\Phi(<x>) + <x> \cdot \varphi(<x>)",),
        domain=((-3.0, 3.0),),
        examples=ONE,
    ),
)
