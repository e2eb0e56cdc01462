"""Explain shape errors of layers and losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from autodiff_viz.ops.misfit import Explain, Misfit, Shape, clash, inner, leading, said, written


def _dense(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    x, w, b = shapes
    if not x or not w:
        return Misfit(
            "x needs at least one axis, the features, and w two: [features in, features out].",
            "Give x the shape [batch, features] and w the shape [features, units].",
        )
    if found := inner("x", x, "w", w):
        return found
    if (batch := leading("x", x[:-2], "w", w[:-2])) is not None:
        return batch
    return _bias(b, w[-1] if len(w) > 1 else None, "w")


def _bias(b: Shape, wanted: int | None, kernel: str) -> Misfit:
    if wanted is None:
        return Misfit("x @ w and b do not go together.", "Give b as many elements as w has columns.")
    return Misfit(
        f"b must have one number for each of the {wanted} outputs of {kernel}; it is {said(b)}.",
        f"Give b the shape [{wanted}].",
    )


def _conv2d(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    x, w, b = shapes
    if found := _image(x):
        return found
    if len(w) != 4:
        return Misfit(
            f"w must have 4 axes, [height, width, channels in, channels out]; it has {len(w)}.",
            f"Give w the shape [3, 3, {x[3]}, 1], say.",
        )
    if found := _window(x, w[:2], given):
        return found
    if x[3] != w[2]:
        return Misfit(
            f"The channels of x, {x[3]}, must be those that w takes in, {w[2]}.",
            f"Give w the shape {[*w[:2], x[3], w[3]]}.",
        )
    return _bias(b, w[3], "w")


def _image(x: Shape) -> Misfit | None:
    if len(x) == 4:
        return None
    needed = f"x must be images, with 4 axes: [batch, height, width, channels]; it has {len(x)}."
    if len(x) == 3:
        return Misfit(needed, f"One image: reshape(x, {written((1, *x))}). Grey ones: {written((*x, 1))}.")
    return Misfit(needed, "Reshape x.")


def _window(x: Shape, sides: Sequence[int], given: Mapping[str, Any]) -> Misfit | None:
    stride = given["stride"]
    if min(sides) < 1 or stride < 1:
        return Misfit(
            f"The window is {list(sides)}, the stride {stride}; both must be at least 1.", "Change them."
        )
    if given["padding"] == "VALID" and (sides[0] > x[1] or sides[1] > x[2]):
        return Misfit(
            f"The window {list(sides)} must not be larger than an image, {list(x[1:3])}.",
            'Use a smaller window, or padding="SAME".',
        )
    return None


def _pool(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    return _image(shapes[0]) or _window(shapes[0], (given["window"],) * 2, given)


def _norm(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    x = shapes[0]
    if not x:
        return Misfit(
            "x must have an axis along which to take mean and variance.", "Give it a vector or more."
        )
    for name, shape in zip(names[1:], shapes[1:], strict=True):
        if clash(x, shape):
            return Misfit(
                f"{name} must have one number for each of the {x[-1]} elements of the last axis of x.",
                f"Give {name} the shape [{x[-1]}].",
            )
    return None


def _batch_norm(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    if len(shapes[0]) < 2:
        return Misfit(
            "x must be a batch: [batch, channels] or more axes, channels last.",
            "Give it a matrix, with a row for each example.",
        )
    return _norm(names, shapes, given)


def _flatten(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    return Misfit("A number has no axes to flatten.", "Give it a tensor whose first axis is the batch.")


def _labels(names: Sequence[str], shapes: Sequence[Shape], given: Mapping[str, Any]) -> Misfit | None:
    logits, labels = shapes
    if not logits:
        return Misfit("logits must have an axis of classes, the last one.", "Give logits [batch, classes].")
    wanted = logits[:-1]
    needed = f"labels must hold one class for each row of logits: {said(wanted)}."
    if labels == logits:
        return Misfit(needed, "Labels are whole numbers here, such as 2, and not rows of 0 and 1.")
    if prod(labels) == prod(wanted):
        return Misfit(needed, f"reshape(labels, {written(wanted)}) fits.")
    return Misfit(needed, f"Give labels the shape {said(wanted)}.")


LAYERS: Mapping[str, Explain] = {
    "dense": _dense,
    "conv2d": _conv2d,
    "max_pool": _pool,
    "avg_pool": _pool,
    "flatten": _flatten,
    "layer_norm": _norm,
    "batch_norm": _batch_norm,
    "softmax_cross_entropy_with_integer_labels": _labels,
}
