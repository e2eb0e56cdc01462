"""Compute `torch.nn.functional` in JAX: activations, layers and distances, with PyTorch's slopes."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autodiff_viz.functions.known_functions import op
from autodiff_viz.reading.functions import arrays, elements
from autodiff_viz.reading.functions.arrays import constant, shape_of
from autodiff_viz.reading.functions.library_calls import call_jax, jax_function, say
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, INT, Array, Refused
from autodiff_viz.reading.nodes.costs import LibraryError, sized
from autodiff_viz.reading.tensors.torch_memory import NO_GRAD, VIEW, change, change_as, info, record
from autodiff_viz.reading.tensors.torch_tensors import (
    TENSOR,
    TORCH,
    check_index,
    detach,
    functional,
    numbers,
    whole,
)
from autodiff_viz.reading.torch.folds import matmul
from autodiff_viz.reading.torch.places import pick

# Activations.

IN_PLACE = ("celu", "elu", "hardtanh", "leaky_relu", "relu", "rrelu", "selu", "threshold")
"""Activations that have a function which changes its argument, such as `relu_`."""

WITH_INPLACE = frozenset([*IN_PLACE, "hardsigmoid", "hardswish", "mish", "relu6", "silu"])
"""Activations whose last argument, `inplace`, says whether they do."""

IN_TORCH, METHODS = ("celu", "hardshrink", "prelu", "relu", "selu"), ("hardshrink", "prelu", "relu")
"""Activations that are functions of `torch` too, and methods of tensors."""


def activation(name: str, function: Callable[..., Array]) -> None:
    """Register an activation, which may be asked to change its argument in place."""

    options = len(inspect.signature(function).parameters) - 2  # without the reader and its input

    def read(reader: Reader, input: Array, *args: Any, **keywords: Any) -> Array:
        inplace = keywords.pop("inplace", False) if name in WITH_INPLACE else False
        if len(args) == options + 1 and name in WITH_INPLACE:
            *args, inplace = args
        made = function(reader, input, *args, **keywords)
        if not inplace:
            return made
        record(reader, name, [input], made)
        return change_as(reader, input, made)

    TORCH[f"torch.nn.functional.{name}"] = read
    if name in IN_PLACE:
        TORCH[f"torch.nn.functional.{name}_"] = lambda reader, *args, **kw: read(
            reader, *args, inplace=True, **kw
        )
    if name in IN_TORCH:
        TORCH[f"torch.{name}"] = function
    if name in METHODS:
        TENSOR[name] = function


def curve(call: Callable[..., jax.Array]) -> Callable[..., jax.Array]:
    """Register an activation that is written in JAX."""
    activation(call.__name__, jax_function(call))
    return call


for _name in ("relu", "sigmoid", "tanh", "silu"):
    activation(_name, partial(lambda op, reader, input: reader.make(op, [input]), _name))


for _name, _call in {
    "logsigmoid": lambda input: -jax.nn.softplus(-input),
    "mish": lambda input: input * jnp.tanh(jax.nn.softplus(input)),
    "elu": lambda input, alpha=1.0: elements.elu(input, alpha),
    "celu": lambda input, alpha=1.0: elements.elu(input, alpha, alpha),
    "selu": lambda input: elements.SCALE * elements.elu(input, elements.ALPHA),
    "relu6": lambda input: elements.between(input, 0.0, 6.0),
    "hardshrink": lambda input, lambd=0.5: jnp.where(jnp.abs(input) <= lambd, 0.0, input),
    "threshold": lambda input, threshold, value: jnp.where(input <= threshold, value, input),
}.items():
    _call.__name__ = _name
    curve(_call)


@curve
def softsign(input):
    """Return x / (1 + |x|)."""

    def slope(x):
        size = 1.0 + jnp.abs(x)
        return (1.0 - jnp.abs(x) / size) / size

    return elements.with_slopes(lambda x: x / (1.0 + jnp.abs(x)), slope, input)


@curve
def tanhshrink(input):
    """Return x - tanh(x)."""
    return elements.with_slopes(
        lambda x: x - jnp.tanh(x), lambda x: 1.0 - (1.0 - jnp.square(jnp.tanh(x))), input
    )


@curve
def leaky_relu(input, negative_slope=0.01):
    """Return x above 0 and less of it below."""
    say("the slope of leaky_relu at 0 is the small one here; JAX's is 1")
    return elements.leaky_relu(input, negative_slope)


@curve
def prelu(input, weight):
    """Return x above 0, and below it times a weight, or one for each channel."""
    if weight.ndim > 1:
        raise LibraryError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
        )
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.size not in (1, channels):
        raise LibraryError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.size} "
            f"and channel size = {channels}."
        )
    if weight.size == 1:
        weight = weight.reshape(())
    if weight.size > 1 and input.ndim > 1:
        weight = weight.reshape(-1, *[1] * (input.ndim - 2))
    return elements.leaky_relu(input, weight)


@curve
def rrelu(input, lower=0.125, upper=1 / 3, training=False):
    """Return x above 0, and below it times the middle of two numbers; in training it draws."""
    if training:
        raise Refused("rrelu() in training draws its slope.", "Use leaky_relu().", "drawn")
    return elements.leaky_relu(input, (lower + upper) / 2)


@curve
def hardtanh(input, min_val=-1.0, max_val=1.0):
    """Return x between two numbers."""
    if min_val > max_val:
        raise LibraryError("min_val cannot be greater than max_val")
    say("hardtanh passes nothing at its ends here; JAX all")
    return elements.between(input, min_val, max_val)


@curve
def hardsigmoid(input):
    """Return relu6(x + 3) / 6."""
    return elements.with_slopes(
        lambda x: jnp.clip(x + 3.0, 0.0, 6.0) / 6.0,
        lambda x: jnp.where((x > -3.0) & (x < 3.0), 1 / 6, 0.0),
        input,
    )


@curve
def hardswish(input):
    """Return x relu6(x + 3) / 6."""
    return elements.with_slopes(
        lambda x: x * jnp.clip(x + 3.0, 0.0, 6.0) / 6.0,
        lambda x: jnp.where(x <= -3.0, 0.0, jnp.where(x < 3.0, x / 3.0 + 0.5, 1.0)),
        input,
    )


@curve
def softshrink(input, lambd=0.5):
    """Return 0 near 0, and what x has over that elsewhere."""
    beyond = jnp.where(input > 0.0, input - lambd, input + lambd)
    return jnp.where(jnp.abs(input) <= lambd, 0.0, beyond)


@curve
def softplus(input, beta=1, threshold=20):
    """Return log(1 + exp(x)), or x above a threshold."""
    scaled = input if beta == 1 else input * beta
    soft = jax.nn.softplus(scaled)
    return jnp.where(scaled > threshold, input, soft if beta == 1 else soft / beta)


@curve
def gelu(input, approximate="none"):
    """Return GELU, by erf unless it is to be approximate."""
    if approximate not in ("none", "tanh"):
        raise LibraryError("approximate argument must be either none or tanh.")
    if approximate == "tanh":
        return jax.nn.gelu(input, approximate=True)
    say("PyTorch's gelu is the exact one, by erf; JAX's usual one is by tanh")
    return op("gelu", input)


@functional("glu")
@jax_function
def glu(input, dim=-1):
    """Return half of an array, times the sigmoid of the other half."""
    a, b = jnp.split(input, 2, dim)
    return a * jax.nn.sigmoid(b)


def dropout(reader: Reader, input: Array, p: float = 0.5, training: bool = True) -> Array:
    """Read dropout, where it drops nothing or everything."""
    if not 0 <= p <= 1:
        raise LibraryError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return reader.make("mul", [input, 0.0])
    raise Refused(
        "Which elements dropout sets to 0 is drawn by PyTorch's machine.",
        "Call eval(), or write the mask.",
        "drawn",
    )


def _not_in_training(reader: Reader, input: Array, p: float = 0.5, training: bool = False) -> Array:
    return dropout(reader, input, p, training)


def _of_channels(reader: Reader, input: Array, p: float = 0.5, training: bool = True) -> Array:
    if len(shape_of(reader, input)) not in (2, 3):
        raise LibraryError(f"dropout1d: Expected 2D or 3D input, but received {shape_of(reader, input)}.")
    return dropout(reader, input, p, training)


activation("dropout", dropout)
activation("dropout1d", _of_channels)
activation("dropout2d", dropout)
activation("alpha_dropout", _not_in_training)
TORCH["torch.dropout"] = lambda reader, input, p, train: dropout(reader, input, p, train)


# Distances.


@functional("normalize")
@jax_function
def normalize(input, p=2.0, dim=1, eps=1e-12):
    """Return an array over its norm, which is at least eps."""
    return input / elements.at_least(elements.norm(input, p, dim, True), eps)


@jax_function
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """Return the cosine of an angle, each length being at least eps; first both get one shape."""
    x1, x2 = jnp.broadcast_arrays(x1, x2)
    # PyTorch's own lower end is set on the numbers, behind autograd's back.
    one, other = (x / elements.lifted(elements.norm(x, 2, dim, True), eps) for x in (x1, x2))
    return (one * other).sum(dim)


def apart(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """Return the distance of rows; PyTorch adds eps to every difference."""
    return elements.norm(x1 - x2 + eps, p, -1, keepdim)


@jax_function
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """Return the distance of rows."""
    return apart(x1, x2, p, eps, keepdim)


for _begin in ("torch", "torch.nn.functional"):
    TORCH[f"{_begin}.cosine_similarity"] = cosine_similarity
    TORCH[f"{_begin}.pairwise_distance"] = pairwise_distance


@functional("one_hot")
def one_hot(reader: Reader, tensor: Array, num_classes: int = -1) -> Array:
    """Read classes as rows with one 1."""
    check_index(tensor, "one_hot is only applicable to index tensor of type LongTensor.", ("int64",))
    last = int(numbers(reader, tensor).max())
    count = last + 1 if num_classes == -1 else whole(reader, num_classes)
    if last >= count:
        raise LibraryError("Class values must be smaller than num_classes.")
    return reader.make("one_hot", [tensor], dtype=INT, num_classes=count)


# Layers.


@functional("linear")
def linear(reader: Reader, input: Any, weight: Any, bias: Any = None) -> Array:
    """Read a linear layer: x times the transposed weight, plus the bias."""
    turned = arrays.transpose(reader, weight) if len(shape_of(reader, weight)) > 1 else weight
    product = matmul(reader, input, turned)
    if bias is None:
        return product
    made = reader.make("add", [product, bias])
    if (
        reader.no_grad and len(shape_of(reader, made)) != 2
    ):  # PyTorch computes a matrix, and returns a view of it
        info(reader, made).kind, info(reader, made).made = VIEW, NO_GRAD
    return made


@functional("bilinear")
def bilinear(reader: Reader, input1: Array, input2: Array, weight: Array, bias: Any = None) -> Array:
    """Read a bilinear layer."""
    made = TORCH["torch.einsum"](reader, "bi,oij,bj->bo", input1, weight, input2)
    return made if bias is None else reader.make("add", [made, bias])


@functional("embedding")
def embedding(reader: Reader, input: Array, weight: Array, padding_idx: Any = None, **options: Any) -> Array:
    """Read rows of a table; the gradient of the padding's row is 0."""
    if any(options.values()):
        raise Refused(f"embedding() is not read with {', '.join(options)}.")
    check_index(input, "Expected tensor for argument #1 'indices' to have scalar types Long, Int")
    made = pick(reader, weight, 0, input)
    if padding_idx is not None:
        mask = numbers(reader, input) != padding_idx % shape_of(reader, weight)[0]
        shown = constant(
            reader,
            np.broadcast_to(mask[..., None], sized(shape_of(reader, made))).astype(float),
            "torch",
            BOOL,
        )
        made = reader.make("where", [shown, made, detach(reader, made)])
    return made


PADS = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@functional("pad")
@jax_function
def pad(input, pad, mode="constant", value=None):
    """Return an array with more around its last dimensions, which come from the last on."""
    if mode not in PADS:
        raise LibraryError(f"Unrecognised padding mode {mode}")
    if any(type(one) is not int for one in pad):
        raise LibraryError("pad(): argument 'pad' must be tuple of ints", "Write whole numbers.")
    if len(pad) > 2 * input.ndim:
        raise LibraryError("Padding length should be less than or equal to two times the input dimension")
    if mode != "constant" and input.ndim not in (len(pad) // 2 + 1, len(pad) // 2 + 2):
        raise LibraryError(f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.")
    if min(pad) < 0:
        raise Refused("A negative padding is not read.", "Write a slice.")
    sides = [*zip(pad[::2], pad[1::2], strict=True), *[(0, 0)] * (input.ndim - len(pad) // 2)][::-1]
    filled = {"constant_values": value or 0.0} if mode == "constant" else {}
    return jnp.pad(input, sides, PADS[mode], **filled)


def _sizes(value: Any, count: int, none: bool = False) -> tuple[int, ...]:
    """Return an option that has a whole number for each axis, or one for all.

    Raises:
      LibraryError: it holds something else, or as many as there are no axes; None, unless `none`.
    """
    found = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    for one in found:
        if type(one) is not int and not (none and one is None):
            raise LibraryError(
                f"A stride, padding or size must be a tuple of ints, not {type(one).__name__}.",
                "Write whole numbers.",
            )
    if len(found) not in (1, count):
        raise LibraryError(f"expected a single integer value or a list of {count} values, got {len(found)}.")
    return found * count if len(found) == 1 else found


def _two(value: Any, none: bool = False) -> tuple[int, int]:
    return _sizes(value, 2, none)  # type: ignore[return-value]


def _one(value: Any) -> int:
    return _sizes(value, 1)[0]


@functional("conv2d")
@jax_function
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Return a convolution of images [batch, channels, height, width]."""
    return _convolved(input, weight, bias, _two(stride), padding, _two(dilation), groups)


def _convolved(input, weight, bias, steps, padding, holes, groups):
    if input.ndim == 3:
        return _convolved(input[None], weight, bias, steps, padding, holes, groups)[0]
    into = weight.shape[1]
    if input.shape[1] != into * groups:
        raise LibraryError(
            f"expected input to have {into * groups} channels, but got {input.shape[1]} channels instead."
        )
    if padding == "same":
        if steps != (1, 1):
            raise LibraryError("padding='same' is not supported for strided convolutions")
        both = [hole * (side - 1) for hole, side in zip(holes, weight.shape[2:], strict=True)]
        sides = [(one // 2, one - one // 2) for one in both]
    else:
        sides = [(one, one) for one in _two(0 if padding == "valid" else padding)]
    if holes != (1, 1):
        weight = lax.pad(
            weight, jnp.zeros((), weight.dtype), [(0, 0, 0)] * 2 + [(0, 0, hole - 1) for hole in holes]
        )
    flat = input.shape[2] == 1 == weight.shape[2]
    one = steps[1] if flat or steps[0] == steps[1] else 1
    parts = [
        lax.conv_general_dilated(x, w, (one, one), sides, dimension_numbers=("NCHW", "OIHW", "NCHW"))
        for x, w in zip(jnp.split(input, groups, 1), jnp.split(weight, groups, 0), strict=True)
    ]
    made = parts[0] if groups == 1 else jnp.concatenate(parts, 1)
    if one != steps[1] or (one != steps[0] and not flat):
        made = made[:, :, :: steps[0], :: steps[1]]
    return made if bias is None else made + bias[:, None, None]


@functional("conv1d")
@jax_function
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Return a convolution of rows [batch, channels, length], as one of images of height 1."""
    sides = padding if isinstance(padding, str) else (0, _one(padding))
    x, w = jnp.expand_dims(input, -2), jnp.expand_dims(weight, -2)
    return _convolved(x, w, bias, (1, _one(stride)), sides, (1, _one(dilation)), groups)[..., 0, :]


@functional("conv_transpose2d")
@jax_function
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Return what a convolution of images passes back to what it reads."""
    sizes = (_two(one) for one in (stride, padding, output_padding, dilation))
    return _spread(input, weight, bias, *sizes, groups)


@functional("conv_transpose1d")
@jax_function
def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Return what a convolution of rows passes back to what it reads."""
    sizes = ((stride, 1), (padding, 0), (output_padding, 0), (dilation, 1))
    pairs = ((usual, _one(one)) for one, usual in sizes)
    x, w = jnp.expand_dims(input, -2), jnp.expand_dims(weight, -2)
    return _spread(x, w, bias, *pairs, groups)[..., 0, :]


def _spread(input, weight, bias, steps, sides, more, holes, groups):
    """Return a transposed convolution: one of the elements with zeros between them, by the turned weights."""
    if input.ndim == 3:
        return _spread(input[None], weight, bias, steps, sides, more, holes, groups)[0]
    if input.shape[1] != weight.shape[0]:
        raise LibraryError(
            f"expected input to have {weight.shape[0]} channels, but got {input.shape[1]} channels instead."
        )
    if any(one >= max(step, hole) for one, step, hole in zip(more, steps, holes, strict=True)):
        raise LibraryError("output padding must be smaller than either stride or dilation")
    reach = [hole * (side - 1) for hole, side in zip(holes, weight.shape[2:], strict=True)]
    if any(side > far for side, far in zip(sides, reach, strict=True)):
        raise Refused("A padding that is larger than the kernel is not read.", "Slice the result.")
    apart = [(0, after, step - 1) for after, step in zip(more, steps, strict=True)]
    between = lax.pad(input, jnp.zeros((), input.dtype), [(0, 0, 0)] * 2 + apart)
    into, out = weight.shape[0] // groups, weight.shape[1]
    turned = jnp.flip(weight, (2, 3)).reshape(groups, into, out, *weight.shape[2:])
    turned = jnp.swapaxes(turned, 1, 2).reshape(groups * out, into, *weight.shape[2:])
    around = [far - side for far, side in zip(reach, sides, strict=True)]
    return _convolved(between, turned, bias, (1, 1), around, holes, groups)


def _pooled(name, input, kernel_size, stride, padding, ceil_mode, *others):
    (side, height), (step, down) = _two(kernel_size), _two(stride or kernel_size)
    if side != height or step != down or _two(padding) != (0, 0) or ceil_mode or any(others):
        raise Refused("A pool is read with a square window and without padding.")
    x = input[None] if input.ndim == 3 else input
    made = op(name, x.transpose(0, 2, 3, 1), window=side, stride=step).transpose(0, 3, 1, 2)
    return made[0] if input.ndim == 3 else made


@functional("max_pool2d")
@jax_function
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Return the largest of each window."""
    return _pooled(
        "max_pool", input, kernel_size, stride, padding, ceil_mode, _two(dilation) != (1, 1), return_indices
    )


TORCH["torch.max_pool2d"] = max_pool2d


@functional("avg_pool2d")
@jax_function
def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """Return the mean of each window."""
    return _pooled("avg_pool", input, kernel_size, stride, padding, ceil_mode, divisor_override)


def _windows(input, kernel_size, stride, padding, ceil_mode, *others):
    """Return the windows of rows, along a new last axis."""
    side, step = _one(kernel_size), _one(stride or kernel_size)
    if padding or ceil_mode or any(others):
        raise Refused("A pool is read without padding.")
    if side < 1:
        raise LibraryError(f"kernel size should be greater than zero, but got {side}")
    if input.ndim not in (2, 3):
        raise LibraryError(f"A pool of rows expects 2D or 3D input, but got {input.ndim}D.")
    starts = jnp.arange(0, input.shape[-1] - side + 1, step)
    return input[..., starts[:, None] + jnp.arange(side)]


@functional("max_pool1d")
@jax_function
def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Return the largest of each window, of equal ones the first."""
    windows = _windows(input, kernel_size, stride, padding, ceil_mode, dilation != 1, return_indices)
    return jnp.take_along_axis(windows, jnp.argmax(windows, -1)[..., None], -1)[..., 0]


@functional("avg_pool1d")
@jax_function
def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """Return the mean of each window."""
    return _windows(input, kernel_size, stride, padding, ceil_mode).mean(-1)


UNROLLED = 64  # parts of an axis, each a piece of the program


@functional("adaptive_avg_pool2d")
@jax_function
def adaptive_avg_pool2d(input, output_size):
    """Return the means of as many parts as are wanted."""
    if _two(output_size, none=True) == (1, 1):
        return input.mean((-2, -1), keepdims=True)
    for axis, wanted in zip((-2, -1), _two(output_size, none=True), strict=True):
        size = input.shape[axis]
        count = size if wanted is None else wanted
        if count > UNROLLED:
            raise Refused(f"This is read with at most {UNROLLED} parts.", "", "too-large")
        ends = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
        parts = [lax.slice_in_dim(input, low, high, axis=axis).mean(axis) for low, high in ends]
        input = jnp.stack(parts, axis)
    return input


# Normalizations.


def standardized(x, axes, eps):
    """Return an array with mean 0 and variance 1 over some axes."""
    centred = x - x.mean(axes, keepdims=True)
    return centred / jnp.sqrt(jnp.square(centred).mean(axes, keepdims=True) + eps)


def scaled(x, weight, bias):
    """Return an array times a weight plus a bias, if there are any."""
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def last_axes(x: Any, normalized_shape: Any) -> tuple[int, ...]:
    """Return the last axes of an array, of this shape.

    Raises:
      LibraryError: they have another.
    """
    sides = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    if any(type(one) is not int for one in sides) or not sides or x.shape[-len(sides) :] != sides:
        raise LibraryError(
            f"Given normalized_shape={list(sides)}, expected input with shape "
            f"[*, {', '.join(map(str, sides))}], but got input of size{list(x.shape)}"
        )
    return tuple(range(-len(sides), 0))


def _check_like(x: Any, axes: tuple[int, ...], **parameters: Any) -> None:
    """Check that parameters have the shape of the axes that are normalized.

    Raises:
      LibraryError: one has another.
    """
    for name, one in parameters.items():
        if one is not None and one.shape != x.shape[-len(axes) :]:
            raise LibraryError(
                f"Expected {name} to be of same shape as normalized_shape, but got {one.shape}"
            )


@functional("layer_norm")
@jax_function
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Return rows with mean 0 and variance 1."""
    axes = last_axes(input, normalized_shape)
    _check_like(input, axes, weight=weight, bias=bias)
    return scaled(standardized(input, axes, eps), weight, bias)


@functional("rms_norm")
@jax_function
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Return rows over the root of their mean square."""
    axes = last_axes(input, normalized_shape)
    _check_like(input, axes, weight=weight)
    mean = jnp.square(input).mean(axes, keepdims=True)
    small = 1.1920928955078125e-07 if eps is None else eps
    return scaled(input * (mean + small) ** -0.5, weight, None)


def per_channel(x, rank):
    """Return a value for each channel in the shape that fits [batch, channels, ...]."""
    return x if x is None or rank <= 2 else x.reshape(-1, *[1] * (rank - 2))


@functional("group_norm")
@jax_function
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Return groups of channels with mean 0 and variance 1."""
    grouped = input.reshape(input.shape[0], num_groups, -1)
    normal = standardized(grouped, -1, eps).reshape(input.shape)
    return scaled(normal, per_channel(weight, input.ndim), per_channel(bias, input.ndim))


def _batch_norm(input, running_mean, running_var, weight, bias, eps):
    rank = input.ndim
    if running_mean is None:
        normal = standardized(input, tuple(i for i in range(rank) if i != 1), eps)
    else:
        normal = input - per_channel(running_mean, rank)
        normal = normal / jnp.sqrt(per_channel(running_var, rank) + eps)
    return scaled(normal, per_channel(weight, rank), per_channel(bias, rank))


def _running_numbers(input, running_mean, running_var, momentum):
    """Return running numbers after a step towards those of a batch."""
    axes = tuple(i for i in range(input.ndim) if i != 1)
    now = input.mean(axes), input.var(axes, ddof=1)
    return tuple(
        (1.0 - momentum) * one + momentum * new
        for one, new in zip((running_mean, running_var), now, strict=True)
    )


@functional("batch_norm")
def batch_norm(
    reader: Reader,
    input: Array,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Array:
    """Read a normalization of every channel: by this batch in training, else by the running numbers."""
    shape = shape_of(reader, input)
    for one, name in (
        (running_mean, "running_mean"),
        (running_var, "running_var"),
        (weight, "weight"),
        (bias, "bias"),
    ):
        if one is None and name.startswith("running") and not training:
            raise LibraryError(f"{name} must be defined in evaluation mode", "Write training=True.")
        if one is not None and shape_of(reader, one) != shape[1:2]:
            raise LibraryError(f"{name} should contain {shape[1]} elements not {prod(shape_of(reader, one))}")
    if training and prod(shape) == shape[1]:
        raise LibraryError("Expected more than 1 value per channel when training.")
    if training and running_mean is not None:
        with reader.grad_enabled(False):
            found = call_jax(reader, _running_numbers, input, running_mean, running_var, momentum)
            for running, now in zip((running_mean, running_var), found, strict=True):
                change(reader, running, now)
    known = (None, None) if training else (running_mean, running_var)
    return call_jax(reader, _batch_norm, input, *known, weight, bias, eps)


@functional("scaled_dot_product_attention")
@jax_function
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None
):
    """Return softmax(q k' / sqrt(d)) v."""
    if dropout_p:
        raise Refused("Attention is read without dropout.")
    scores = query @ jnp.swapaxes(key, -1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        if attn_mask is not None:
            raise LibraryError("Explicit attn_mask should not be set when is_causal=True.")
        attn_mask = jnp.tri(*scores.shape[-2:], dtype=bool)
    if attn_mask is not None:
        allowed = attn_mask.dtype == bool
        scores = jnp.where(attn_mask, scores, -math.inf) if allowed else scores + attn_mask
    return jax.nn.softmax(scores, -1) @ value


@functional(
    "unfold",
    "fold",
    "interpolate",
    "grid_sample",
    "ctc_loss",
    "multi_head_attention_forward",
)
def not_read(reader: Reader, *_: Any, **__: Any) -> Array:
    """Refuse layers for which there is no op."""
    raise Refused(f"There is no op for `{reader.called}`.", "", "unknown-function")
