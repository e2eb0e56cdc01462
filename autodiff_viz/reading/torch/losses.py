"""Compute the losses of `torch.nn.functional`, in JAX, with PyTorch's defaults and slopes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.functions.known_functions import op
from autodiff_viz.reading.functions import elements
from autodiff_viz.reading.functions.arrays import constant
from autodiff_viz.reading.functions.corners import CLAMP_ENDS
from autodiff_viz.reading.functions.library_calls import call_jax, jax_function, say
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import FLOATS, INT, Array, Refused
from autodiff_viz.reading.nodes.costs import LibraryError
from autodiff_viz.reading.tensors.torch_tensors import functional, numbers
from autodiff_viz.reading.torch.functional import apart


def above_0(x: jax.Array) -> jax.Array:
    """Return x where it is above 0, else 0; at 0 PyTorch's clamp passes all of the gradient, and JAX half."""
    say(CLAMP_ENDS)
    return elements.at_least(x, 0.0)


def reduced(losses: jax.Array, reduction: str, size_average: Any = None, reduce: Any = None) -> jax.Array:
    """Return the mean or the sum of losses, or the losses."""
    if size_average is not None or reduce is not None:
        raise Refused("size_average and reduce are not read.", "Write reduction='sum'.")
    if reduction not in ("mean", "sum", "none"):
        raise LibraryError(
            f"{reduction} is not a valid value for reduction.", "There are mean, sum and none."
        )
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def _no_weight(name: str, weight: Any) -> None:
    if weight is not None:
        raise Refused(f"{name}() is read without weights.")


def _note_broadcast(input: jax.Array, target: jax.Array) -> None:
    sizes = [list(jnp.shape(one)) for one in (input, target)]
    if sizes[0] != sizes[1]:
        say(
            f"PyTorch warns: a target size {sizes[1]} that is different to the input size {sizes[0]} is "
            "broadcast"
        )


def _same_sizes(input: jax.Array, target: jax.Array) -> None:
    if input.shape != target.shape:
        raise LibraryError(
            f"Target size {list(target.shape)} must be the same as input size {list(input.shape)}."
        )


@functional("mse_loss")
@jax_function
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """Return squares of differences."""
    _no_weight("mse_loss", weight)
    _note_broadcast(input, target)
    return reduced(jnp.square(input - target), reduction, size_average, reduce)


@functional("l1_loss")
@jax_function
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """Return sizes of differences."""
    _no_weight("l1_loss", weight)
    _note_broadcast(input, target)
    return reduced(elements.absolute(input - target), reduction, size_average, reduce)


@functional("huber_loss")
@jax_function
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Return half of the square near 0, and delta times the size beyond delta."""
    _no_weight("huber_loss", weight)
    if delta <= 0:
        raise LibraryError("huber_loss does not support non-positive values for delta.")
    apart = input - target
    size = elements.absolute(apart)
    losses = jnp.where(size < delta, 0.5 * jnp.square(apart), delta * (size - 0.5 * delta))
    return reduced(losses, reduction)


@functional("smooth_l1_loss")
@jax_function
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """Return Huber's loss over beta."""
    apart = input - target
    size = elements.absolute(apart)
    if beta:
        near = 0.5 * jnp.square(apart)
        size = jnp.where(size < beta, near if beta == 1 else near / beta, size - 0.5 * beta)
    return reduced(size, reduction, size_average, reduce)


@functional("binary_cross_entropy_with_logits")
@partial(jax_function, without_slope=("weight", "pos_weight"))
def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    """Return minus the logarithms of the chances of what is true."""
    _same_sizes(input, target)
    if pos_weight is None:
        losses = op("sigmoid_binary_cross_entropy", input, target)
    else:
        losses = pos_weight * target * jax.nn.softplus(-input) + (1.0 - target) * jax.nn.softplus(input)
    return reduced(losses if weight is None else losses * weight, reduction, size_average, reduce)


@functional("binary_cross_entropy")
@partial(jax_function, without_slope=("weight",))
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Return minus the logarithms of the chances, which are at least -100 in PyTorch."""
    _same_sizes(input, target)
    losses = chances_lost(input, target)
    return reduced(losses if weight is None else losses * weight, reduction, size_average, reduce)


@jax.custom_jvp
def chances_lost(x: jax.Array, t: jax.Array) -> jax.Array:
    """Return -(t log x + (1 - t) log(1 - x)); PyTorch divides its slope by at least 1e-12."""
    return -(t * jnp.maximum(jnp.log(x), -100.0) + (1.0 - t) * jnp.maximum(jnp.log1p(-x), -100.0))


def _slope_of_chances(given: tuple, moved: tuple) -> tuple:
    x, t = given
    by_target = jnp.log1p(-x) - jnp.log(x)
    slope = (x - t) / jnp.maximum(x * (1.0 - x), 1e-12)
    return chances_lost(x, t), moved[0] * slope + moved[1] * by_target


chances_lost.defjvp(_slope_of_chances)


@functional("kl_div")
@jax_function
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """Return how far a target is from log-chances; a target of 0 counts nothing."""
    if log_target:
        losses = jnp.exp(target) * (target - input)
    else:
        losses = elements.xlogy(target, target) - target * input
    if reduction == "batchmean":
        return losses.sum() / input.shape[0]
    return reduced(losses, reduction, size_average, reduce)


@functional("gaussian_nll_loss")
@jax_function
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """Return minus the logarithm of the density of normal distributions."""
    if jnp.ndim(var) and var.shape != input.shape:
        if var.shape == input.shape[:-1]:
            var = var[..., None]  # one for each row
        elif var.shape != (*input.shape[:-1], 1):
            raise LibraryError("var is of incorrect size")
    spread = elements.lifted(jnp.asarray(var, input.dtype), eps)
    losses = 0.5 * (jnp.log(spread) + jnp.square(input - target) / spread)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


@functional("poisson_nll_loss")
@jax_function
def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
):
    """Return minus the logarithm of the chance of counts."""
    if full:
        raise Refused("poisson_nll_loss() is read without full.")
    losses = jnp.exp(input) - target * input if log_input else input - target * jnp.log(input + eps)
    return reduced(losses, reduction, size_average, reduce)


@functional("margin_ranking_loss")
@jax_function
def margin_ranking_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"):
    """Return how far two numbers are from the order that they should have."""
    if not input1.ndim == input2.ndim == target.ndim:
        raise LibraryError("margin_ranking_loss : All input tensors should have same dimension")
    return reduced(above_0(-target * (input1 - input2) + margin), reduction, size_average, reduce)


@functional("hinge_embedding_loss")
@jax_function
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """Return a distance where two are alike (1), and what it lacks to the margin where not (-1)."""
    apart = jnp.where(target == 1.0, 0.0, above_0(margin - input))
    return reduced(apart + jnp.where(target == -1.0, 0.0, input), reduction, size_average, reduce)


@functional("soft_margin_loss")
@jax_function
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """Return log(1 + exp(-t x))."""
    return reduced(jnp.log1p(jnp.exp(-target * input)), reduction, size_average, reduce)


@functional("triplet_margin_loss")
@jax_function
def triplet_margin_loss(
    anchor,
    positive,
    negative,
    margin=1.0,
    p=2,
    eps=1e-6,
    swap=False,
    size_average=None,
    reduce=None,
    reduction="mean",
):
    """Return how much nearer than a margin what is unlike is, compared with what is alike."""
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise LibraryError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions"
        )
    near, far = apart(anchor, positive, p, eps), apart(anchor, negative, p, eps)
    if swap:
        far = jnp.minimum(far, apart(positive, negative, p, eps))
    return reduced(above_0(near - far + margin), reduction, size_average, reduce)


@functional("cosine_embedding_loss")
@jax_function
def cosine_embedding_loss(
    input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"
):
    """Return 1 less the cosine of what is alike (1), and what is over the margin of what is not (-1)."""
    eps = 1e-12  # PyTorch's own small number
    squares = [jnp.sum(one * one, -1) + eps for one in (input1, input2)]
    cosine = jnp.sum(input1 * input2, -1) / jnp.sqrt(squares[0] * squares[1])
    losses = jnp.where(target == 1.0, 1.0 - cosine, above_0(cosine - margin))
    return reduced(losses, reduction, size_average, reduce)


# Classes. Which of them a target ignores depends on its numbers, at which PyTorch looks too.


def _with_numbers(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loss of classes as the reading of a library's function: it gets the numbers of the target."""

    def read(
        reader: Reader,
        input: Array,
        target: Array,
        weight: Any = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
        **options: Any,
    ) -> Array:
        reduced(jnp.zeros(()), reduction, size_average, reduce)  # refuses what it does not know
        known = None
        if target.dtype not in FLOATS:
            known = constant(reader, numbers(reader, target).astype(float), "torch", INT)
        return call_jax(reader, call, input, target, known, weight, ignore_index, reduction, **options)

    return read


CLASSES = "expected target dtype to be Long or Byte"


@functional("nll_loss")
@_with_numbers
def nll_loss(input, target, known, weight, ignore_index, reduction):
    """Return minus the logarithms of chances of the right classes; their mean is one by weight."""
    if known is None:
        raise LibraryError(CLASSES, "Write target.long().")
    losses, shares = _of_right_class(input, target, known, weight, ignore_index)
    return _by_share(losses, shares, reduction)


def _of_right_class(input, target, known, weight, ignore_index):
    """Return minus the input at the right classes times their shares, and these; None: each has share 1."""
    if input.ndim > 2:  # [batch, classes, ...]
        input = jnp.moveaxis(input, 1, -1)
    classes = input.shape[-1]
    if known.shape != input.shape[:-1]:
        raise LibraryError(
            f"Expected input batch_size ({(*input.shape, 0)[0]}) to match target batch_size "
            f"({(*known.shape, 0)[0]})."
        )
    seen = known != ignore_index
    if ((known < 0) | (known >= classes))[seen].any():
        raise LibraryError("Target is out of bounds.")
    at = target if seen.all() and target.ndim else np.where(seen, known, 0)
    losses = -jnp.take_along_axis(input, at[..., None], -1)[..., 0]
    if seen.all() and weight is None:
        return losses, None
    share = seen.astype(input.dtype) if weight is None else jnp.where(seen, weight[at], 0.0)
    return jnp.where(seen, losses, 0.0) * share, share


def _by_share(losses, shares, reduction):
    if reduction == "mean" and shares is not None:
        return losses.sum() / shares.sum()
    return reduced(losses, reduction)


@functional("cross_entropy")
@_with_numbers
def cross_entropy(input, target, known, weight, ignore_index, reduction, label_smoothing=0.0):
    """Return minus the logarithms of the softmax at the right classes, or weighted by chances."""
    axis = 0 if input.ndim == 1 else 1
    chances, classes = jax.nn.log_softmax(input, axis), input.shape[axis]
    weighted = chances
    if weight is not None:
        weighted = chances * weight.reshape(-1, *[1] * (input.ndim - axis - 1))
    if known is None:
        if target.shape != input.shape:
            raise LibraryError(CLASSES, "Write target.long(); chances have the shape of the input.")
        if label_smoothing:
            target = (1.0 - label_smoothing) * target + label_smoothing / classes
        losses = -(target * weighted).sum(axis)
        return losses.sum() / losses.size if reduction == "mean" else reduced(losses, reduction)
    losses, shares = _of_right_class(chances, target, known, weight, ignore_index)
    plain = _by_share(losses, shares, reduction)
    if not label_smoothing:
        return plain
    # The other share goes to all classes alike, each by its weight, and by no class that is ignored.
    even = jnp.where(known != ignore_index, -weighted.sum(axis) / classes, 0.0)
    return (1.0 - label_smoothing) * plain + label_smoothing * _by_share(even, shares, reduction)
