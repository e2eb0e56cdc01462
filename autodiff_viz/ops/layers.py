"""Define neural-network layers; images are [batch, height, width, channels] (NHWC).

Parameters (a matrix, a kernel, a bias) are inputs in slots, like any other value, so that they can be
stopped, rewritten and looked at.
"""

from __future__ import annotations

from math import prod

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from autodiff_viz.graph import limits
from autodiff_viz.ops.op import Op, Param, Refusal

GROUP = "Layers"

LAYOUT = ("NHWC", "HWIO", "NHWC")
PADDINGS = ("VALID", "SAME")

STRIDE = Param("stride", "int", 1, "Pixels from one place of the window to the next.")
PADDING = Param(
    "padding",
    "choice",
    "VALID",
    "VALID: only where the window fits. SAME: zeros around the image keep its size.",
    choices=PADDINGS,
)
WINDOW = Param("window", "int", 2, "Side of the square window, in pixels.")
POOL_STRIDE = Param("stride", "int", 2, "Pixels from one window to the next.")
EPSILON = Param("epsilon", "float", 1e-5, "Added to the variance, so that nothing is divided by 0.")


def _check(x: Array, sides: tuple[int, ...], stride: int, padding: str) -> None:
    """Check images and a window for a convolution or a pool.

    Raises:
      Refusal: `x` is no batch of images, or a window of these sides cannot be slid over it.
    """
    if x.ndim != 4:
        raise Refusal(f"Images have 4 axes, [batch, height, width, channels]; these have {x.ndim}.")
    if min(sides) < 1 or stride < 1:
        raise Refusal(f"A window of {list(sides)} with stride {stride}: both must be at least 1.")
    # With "SAME" no image bounds the window of a pool, which is a parameter.
    if prod(sides) > limits.ELEMENTS:
        raise Refusal(f"A window of {list(sides)} has more than {limits.ELEMENTS:,} places.")
    if padding == "VALID" and any(side > size for side, size in zip(sides, x.shape[1:3], strict=True)):
        raise Refusal(f"A window of {list(sides)} is larger than the image, {list(x.shape[1:3])}.")


def dense(x: Array, w: Array, b: Array) -> Array:
    """Return x [..., n] @ w [n, m] + b [m], of shape [..., m]: a fully connected layer."""
    return x @ w + b


def conv2d(x: Array, w: Array, b: Array, stride: int = 1, padding: str = "VALID") -> Array:
    """Convolve x [batch, h, w, in] with the kernels w [kh, kw, in, out], and add a bias b [out].

    As in `jax.lax.conv_general_dilated`, kernels are not flipped (a cross-correlation).

    Raises:
      Refusal: shapes or window do not fit.
    """
    if w.ndim != 4:
        raise Refusal(f"Kernels have 4 axes, [height, width, in, out]; these have {w.ndim}.")
    _check(x, w.shape[:2], stride, padding)
    return jax.lax.conv_general_dilated(x, w, (stride,) * 2, padding, dimension_numbers=LAYOUT) + b


def max_pool(x: Array, window: int = 2, stride: int = 2, padding: str = "VALID") -> Array:
    """Return the maximum of each window of x [batch, h, w, channels]."""
    _check(x, (window, window), stride, padding)
    sides, steps = (1, window, window, 1), (1, stride, stride, 1)  # batch and channels are not slid over
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, sides, steps, padding)


def avg_pool(x: Array, window: int = 2, stride: int = 2, padding: str = "VALID") -> Array:
    """Return the mean of each window of x [batch, h, w, channels]; zeros of the padding count, as in Flax."""
    _check(x, (window, window), stride, padding)
    sides, steps = (1, window, window, 1), (1, stride, stride, 1)
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, sides, steps, padding) / window**2


def flatten(x: Array) -> Array:
    """Reshape x [batch, ...] to [batch, n]."""
    if x.ndim == 0:
        raise Refusal("A number has no axes to flatten.")
    return jax.lax.collapse(x, 1)


def layer_norm(x: Array, scale: Array, bias: Array, epsilon: float = 1e-5) -> Array:
    """Normalize x to mean 0 and variance 1 along its last axis, then scale and shift it.

    Source: Ba, Kiros and Hinton, Layer Normalization, arXiv:1607.06450.
    """
    return _standardized(x, -1, epsilon) * scale + bias


def batch_norm(x: Array, scale: Array, bias: Array, epsilon: float = 1e-5) -> Array:
    """Normalize x to mean 0 and variance 1 in each channel (the last axis), then scale and shift it.

    The statistics are those of this batch, as in training; there are no running averages.

    Raises:
      Refusal: x has fewer than 2 axes.
    Source: Ioffe and Szegedy, Batch Normalization, arXiv:1502.03167.
    """
    if x.ndim < 2:
        raise Refusal("A batch has 2 axes or more, the last one for channels.")
    axes = tuple(range(x.ndim - 1))
    return _standardized(x, axes, epsilon) * scale + bias


def _standardized(x: Array, axes: int | tuple[int, ...], epsilon: float) -> Array:
    """Normalize x to mean 0 and variance 1.

    The default variance of `jax.nn.standardize`, E[x^2] - E[x]^2, has no correct digit in float32 where the
    mean is some thousand times the standard deviation.
    """
    variance = jnp.var(x, axes, keepdims=True)
    return jax.nn.standardize(x, axes, variance=variance, epsilon=epsilon)


_WINDOW_EXAMPLES = (
    (((1, 4, 4, 2),), {}),
    (((1, 5, 4, 1),), {"window": 3, "stride": 1, "padding": "SAME"}),
)

_POOL = r"\operatorname{%s}_{<window>,\,<stride>,\,\text{<padding>}}(<x>)"

_NORM = r"<scale> \odot \frac{<x> - \mu_{%s}}{\sqrt{\sigma_{%s}^{2} + <epsilon>}} + <bias>"

_NORM_DERIVATIVE = (
    r"\text{the part of } \bar y \odot <scale> / \sigma \text{ that moves neither mean nor variance}",
    r"\textstyle\sum \bar y \odot \frac{y - <bias>}{<scale>}",
    r"\textstyle\sum \bar y",
)


# Define dropout.


def dropout(x: Array, rate: ArrayLike = 0.5, seed: ArrayLike = 0, keep: ArrayLike | None = None) -> Array:
    """Set each element to 0 with probability `rate` and divide the others by 1 - rate.

    `keep` is 1 - rate where it is known: float32 has lost its digits for a rate near 1. The mask is drawn in
    float32 whatever the dtype is, so that every dtype has the same draw.

    Source: Srivastava et al., Dropout, JMLR 15 (2014).
    """
    keep = 1.0 - rate if keep is None else keep
    kept = jax.random.bernoulli(jax.random.key(seed), jnp.asarray(keep, jnp.float32), x.shape)
    keep = jnp.asarray(keep, x.dtype)
    # At a rate of 1 nothing is kept: 0 / 1 in place of 0 / 0.
    return jnp.where(kept, x, 0.0) / jnp.where(keep > 0, keep, 1.0)


OPS = (
    Op(
        name="dense",
        group=GROUP,
        symbol="dense",
        doc="<x> @ <w> + <b>: every output is a weighted sum of all inputs.",
        aliases=("linear", "fully connected", "layer", "addmm"),
        apply=dense,
        source="x @ w + b",
        slots=("x", "w", "b"),
        words=("input", "weights", "bias"),
        latex=r"<x> \, <w> + <b>",
        derivative=(
            r"\bar y \, <w>^{\top}",
            r"<x>^{\top} \, \bar y",
            r"\textstyle\sum_{\text{batch}} \bar y \text{ for } <b>",
        ),
        elementwise=False,
        domain=((-2.0, 2.0),) * 3,
        examples=(
            (((3,), (3, 2), (2,)), {}),
            (((4, 3), (3, 2), (2,)), {}),
        ),
    ),
    Op(
        name="conv2d",
        group=GROUP,
        symbol="conv",
        doc="Small kernels <w> slid over images <x>, plus a bias <b>.",
        aliases=("convolution", "filter", "layer", "conv"),
        apply=conv2d,
        source=(
            "jax.lax.conv_general_dilated(x, w, (stride,) * 2, padding, "
            'dimension_numbers=("NHWC", "HWIO", "NHWC")) + b'
        ),
        slots=("x", "w", "b"),
        words=("input", "weights", "bias"),
        latex=r"<x> \star_{<stride>,\,\text{<padding>}} <w> + <b>",
        derivative=(
            r"\bar y \text{ slid under } \allowbreak <w> \allowbreak \text{ turned round}",
            r"<x> \star \bar y",
            r"\textstyle\sum_{\text{batch, places}} \bar y \text{ for } <b>",
        ),
        elementwise=False,
        domain=((-2.0, 2.0),) * 3,
        examples=(
            (((1, 4, 4, 2), (3, 3, 2, 1), (1,)), {}),
            (((2, 5, 4, 1), (2, 2, 1, 2), (2,)), {"stride": 2, "padding": "SAME"}),
        ),
        params=(STRIDE, PADDING),
    ),
    Op(
        name="max_pool",
        group=GROUP,
        symbol="maxpool",
        doc="The largest element of each window of an image.",
        aliases=("subsample", "max_pool2d"),
        apply=max_pool,
        source=(
            "jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, "
            "(1, *(window,) * 2, 1), (1, *(stride,) * 2, 1), padding)"
        ),
        slots=("x",),
        latex=_POOL % "maxpool",
        derivative=(r"\bar y \text{ to the largest element of each window}",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=_WINDOW_EXAMPLES,
        params=(WINDOW, POOL_STRIDE, PADDING),
    ),
    Op(
        name="avg_pool",
        group=GROUP,
        symbol="avgpool",
        doc="The mean of each window of an image.",
        aliases=("average pool", "mean pool", "subsample", "avg_pool2d"),
        apply=avg_pool,
        source=(
            "(lambda n: jax.lax.reduce_window(x, 0.0, jax.lax.add, "
            "(1, n, n, 1), (1, *(stride,) * 2, 1), padding) / n**2)(window)"
        ),
        slots=("x",),
        latex=_POOL % "avgpool",
        derivative=(r"\bar y / <window>^{2} \text{ to every element of each window}",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=_WINDOW_EXAMPLES,
        params=(WINDOW, POOL_STRIDE, PADDING),
    ),
    Op(
        name="flatten",
        group=GROUP,
        symbol="flatten",
        doc="Each image, or whatever stands behind the first axis, as one row.",
        aliases=("ravel", "collapse"),
        apply=flatten,
        source="jax.lax.collapse(x, 1)",
        slots=("x",),
        latex=r"\operatorname{flatten}(<x>)",
        derivative=(r"\bar y \text{ in the shape of } <x>",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((2, 3),), {}),
            (((2, 3, 2, 2),), {}),
        ),
    ),
    Op(
        name="layer_norm",
        group=GROUP,
        symbol="LN",
        doc="Mean 0 and variance 1 along the last axis, then scale and bias.",
        aliases=("normalize",),
        apply=layer_norm,
        source=(
            "(lambda a: jax.nn.standardize(a, variance=jnp.var(a, -1, keepdims=True), epsilon=epsilon))(x) "
            "* scale + bias"
        ),
        slots=("x", "scale", "bias"),
        latex=_NORM % ("x", "x"),
        derivative=_NORM_DERIVATIVE,
        elementwise=False,
        domain=((-2.0, 2.0),) * 3,
        examples=(
            (((4,), (4,), (4,)), {}),
            (((2, 4), (4,), (4,)), {"epsilon": 0.1}),
        ),
        params=(EPSILON,),
    ),
    Op(
        name="batch_norm",
        group=GROUP,
        symbol="BN",
        doc="Mean 0 and variance 1 in each channel over the batch, then scale and bias.",
        aliases=("normalize",),
        apply=batch_norm,
        source=(
            "jax.vmap(lambda a: jax.nn.standardize(a, None, variance=jnp.var(a), epsilon=epsilon), -1, -1)"
            "(x) * scale + bias"
        ),
        slots=("x", "scale", "bias"),
        latex=_NORM % (r"\text{batch}", r"\text{batch}"),
        derivative=_NORM_DERIVATIVE,
        elementwise=False,
        domain=((-2.0, 2.0),) * 3,
        examples=(
            (((4, 3), (3,), (3,)), {}),
            (((2, 2, 2, 2), (2,), (2,)), {"epsilon": 0.1}),
        ),
        params=(EPSILON,),
    ),
    Op(
        name="dropout",
        group=GROUP,
        symbol="drop",
        doc="Some elements set to 0 by chance, the others made larger to make up for it.",
        aliases=("noise", "regularize"),
        apply=dropout,
        source=(
            "(lambda a, keep: jnp.where(jax.random.bernoulli("
            "jax.random.key(seed), jnp.float32(keep), a.shape), a, 0.0) / (keep or 1.0))(x, 1.0 - rate)"
        ),
        slots=("x",),
        latex=r"\operatorname{dropout}_{<rate>,\,<seed>}(<x>)",
        derivative=(r"\frac{\bar y}{1 - <rate>} \text{ where } <x> \text{ was kept, else } 0",),
        elementwise=False,
        domain=((-3.0, 3.0),),
        examples=(
            (((2, 3),), {}),
            (((3, 4),), {"rate": 0.25, "seed": 7}),
        ),
        params=(
            Param("rate", "float", 0.5, "Share of the elements that are set to 0.", static=False),
            Param("seed", "seed", 0, "Whole number that decides which.", static=False),
        ),
        # In Python's float64, which still has the digits of 1 - rate for a rate near 1.
        prepared=lambda given: {"keep": 1.0 - given["rate"], "seed": given["seed"]},
    ),
)
