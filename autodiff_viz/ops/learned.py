"""Give the shapes of the parameters that a new layer gets, by what it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from autodiff_viz.ops.misfits import Shape

UNITS, CHANNELS, SIDE = 8, 4, 3
"""Outputs of a new dense layer and of a new convolution, and the side of its window."""

Wanted = Mapping[str, tuple[Shape, str | None]]
"""By slot name, (shape of the parameter, initializer); None for the usual initializer."""


def _dense(x: Shape, outputs: int | None) -> Wanted:
    units = outputs or UNITS
    return {"w": ((x[-1], units), None), "b": ((units,), None)} if x else {}


def _conv2d(x: Shape, outputs: int | None) -> Wanted:
    if len(x) != 4:
        return {}
    channels, side = outputs or CHANNELS, min(SIDE, x[1], x[2])  # no window larger than the image
    return {"w": ((side, side, x[3], channels), None), "b": ((channels,), None)}


def _norm(x: Shape, outputs: int | None) -> Wanted:
    return {"scale": ((x[-1],), "ones"), "bias": ((x[-1],), None)} if x else {}


LEARNED: Mapping[str, Callable[[Shape, int | None], Wanted]] = {
    "dense": _dense,
    "conv2d": _conv2d,
    "layer_norm": _norm,
    "batch_norm": _norm,
}
"""By op, the function from (shape of x, present number of outputs, if any) to the layer's parameters."""
