"""Read `torch.nn.functional`: activations, layers and losses, with PyTorch's defaults and slopes."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.reading import arrays
from autodiff_viz.reading.arrays import constant, shape_of
from autodiff_viz.reading.costs import LibraryError, sized
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.torch_elements import absolute, clamp
from autodiff_viz.reading.torch_folds import fold, matmul, norm, variance
from autodiff_viz.reading.torch_memory import change
from autodiff_viz.reading.torch_places import pick
from autodiff_viz.reading.torch_shapes import broadcast_to, split, squeeze_plain
from autodiff_viz.reading.torch_tensors import (
    TENSOR,
    TORCH,
    Ops,
    can_have_rule,
    declared,
    detach,
    functional,
    numbers,
    whole,
    with_pullback,
)
from autodiff_viz.reading.values import BOOL, INT, Array, Refused

# Activations.


def activation(*names: str, methods: bool = False) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Register an activation, which may be asked to change its argument in place."""

    def register(function: Callable[..., Array]) -> Callable[..., Array]:
        def read(r: Interpreter, input: Array, *args: Any, inplace: bool = False, **keywords: Any) -> Array:
            made = function(r, input, *args, **keywords)
            return change(r, input, made) if inplace else made

        for name in names:
            TORCH[f"torch.nn.functional.{name}"] = read
            TORCH[f"torch.nn.functional.{name}_"] = lambda r, input, *args, **kw: read(
                r, input, *args, inplace=True, **kw
            )
            if methods:
                TORCH[f"torch.{name}"] = TENSOR[name] = function
        return function

    return register


def _op(op: str) -> Callable[..., Array]:
    return lambda r, input: r.make(op, [input])


activation("relu", methods=True)(_op("relu"))
activation("sigmoid")(_op("sigmoid"))
activation("tanh")(_op("tanh"))
activation("silu", methods=True)(_op("silu"))
activation("logsigmoid")(lambda r, input: r.make("neg", [r.make("softplus", [r.make("neg", [input])])]))
activation("softsign")(lambda r, input: r.make("div", [input, r.make("add", [1.0, absolute(r, input)])]))
activation("tanhshrink")(lambda r, input: r.make("sub", [input, r.make("tanh", [input])]))
activation("mish")(lambda r, input: r.make("mul", [input, r.make("tanh", [r.make("softplus", [input])])]))


@activation("elu")
def elu(r: Interpreter, input: Array, alpha: float = 1.0) -> Array:
    """Read ELU."""
    return _exponential(r, input, alpha, 1.0, 1.0)


def _exponential(r: Interpreter, x: Array, alpha: float, scale: float, inside: float) -> Array:
    """Return scale * (x above 0, alpha * (exp(x / inside) - 1) below)."""
    o = Ops(r)
    below = o.mul(alpha, o.expm1(o.div(o.minimum(x, 0.0), inside)))
    made = o.where(o.greater(x, 0.0), x, below)
    inner = f"where(x < 0.0, exp(where(x < 0.0, x, zeros_like(x)) / {float(inside)}), ones_like(x))"
    text = f"lambda v, x, out: v * where(x > 0.0, ones_like(x), {alpha / inside} * {inner})"
    made = with_pullback(r, made, [x], text)
    return made if scale == 1 else o.mul(scale, made)


activation("celu", methods=True)(lambda r, input, alpha=1.0: _exponential(r, input, alpha, 1.0, alpha))
activation("selu", methods=True)(
    lambda r, input: _exponential(r, input, 1.6732632423543772, 1.0507009873554805, 1.0)
)


@activation("leaky_relu")
def leaky_relu(r: Interpreter, input: Any, negative_slope: float = 0.01) -> Array:
    """Read a leaky ReLU, whose slope at 0 is the small one in PyTorch."""
    r.say(r.line, "the slope of leaky_relu at 0 is the small one here; JAX's is 1")
    return r.make(
        "where", [r.make("greater", [input, 0.0], dtype=BOOL), input, r.make("mul", [input, negative_slope])]
    )


@activation("prelu", methods=True)
def prelu(r: Interpreter, input: Array, weight: Array) -> Array:
    """Read a PReLU, whose slope at 0 is the weight."""
    rank = len(shape_of(r, input))
    if prod(shape_of(r, weight)) > 1 and rank > 1:
        weight = r.make("reshape", [weight], shape=(prod(shape_of(r, weight)), *(1,) * (rank - 2)))
    return r.make(
        "where", [r.make("greater", [input, 0.0], dtype=BOOL), input, r.make("mul", [weight, input])]
    )


@activation("rrelu")
def rrelu(
    r: Interpreter, input: Array, lower: float = 0.125, upper: float = 1 / 3, training: bool = False
) -> Array:
    """Read a randomized ReLU, where it is not in training."""
    if training:
        raise Refused("rrelu() in training draws its slope.", "Use leaky_relu().", "drawn")
    return leaky_relu(r, input, (lower + upper) / 2)


def _between(r: Interpreter, x: Array, low: float, high: float) -> Array:
    """Return x between two numbers, at which PyTorch passes nothing."""
    rule = declared(
        f"lambda v, x, out: where(x > {float(low)}, where(x < {float(high)}, v, "
        f"zeros_like(v)), zeros_like(v))"
    )
    return r.make("clip", [x, float(low), float(high)], rule=rule if can_have_rule(r, x) else None)


@activation("hardtanh")
def hardtanh(r: Interpreter, input: Array, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    """Read hardtanh, which passes nothing at its ends in PyTorch."""
    r.say(r.line, "hardtanh passes nothing at its ends here; JAX all")
    return _between(r, input, min_val, max_val)


activation("relu6")(lambda r, input: _between(r, input, 0.0, 6.0))
activation("hardsigmoid")(
    lambda r, input: r.make("div", [_between(r, r.make("add", [input, 3.0]), 0.0, 6.0), 6.0])
)


@activation("hardswish")
def hardswish(r: Interpreter, input: Array) -> Array:
    """Read hardswish: x * relu6(x + 3) / 6."""
    o = Ops(r)
    value = o.div(o.mul(input, o.clip(o.add(input, 3.0), 0.0, 6.0)), 6.0)
    text = "lambda v, x, out: v * where(x > -3.0, where(x < 3.0, x / 3.0 + 0.5, ones_like(x)), zeros_like(x))"
    return with_pullback(r, value, [input], text)


@activation("hardshrink", methods=True)
def hardshrink(r: Interpreter, input: Array, lambd: float = 0.5) -> Array:
    """Read hardshrink."""
    return r.make("where", [r.make("less_equal", [absolute(r, input), lambd], dtype=BOOL), 0.0, input])


@activation("softshrink")
def softshrink(r: Interpreter, input: Array, lambd: float = 0.5) -> Array:
    """Read softshrink."""
    o = Ops(r)
    inside = r.make("less_equal", [absolute(r, input), lambd], dtype=BOOL)
    return o.where(inside, 0.0, o.sub(input, o.mul(lambd, o.sign(input))))


@activation("threshold")
def threshold(r: Interpreter, input: Array, threshold: float, value: float) -> Array:
    """Read a threshold."""
    return r.make("where", [r.make("less_equal", [input, threshold], dtype=BOOL), value, input])


@activation("softplus")
def softplus(r: Interpreter, input: Any, beta: float = 1, threshold: float = 20) -> Array:
    """Read softplus, which PyTorch replaces by x above a threshold."""
    scaled = input if beta == 1 else r.make("mul", [input, beta])
    soft = r.make("softplus", [scaled])
    soft = soft if beta == 1 else r.make("div", [soft, beta])
    return r.make("where", [r.make("greater", [scaled, float(threshold)], dtype=BOOL), input, soft])


@activation("gelu")
def gelu(r: Interpreter, input: Any, approximate: str = "none") -> Array:
    """Read GELU, by erf in PyTorch unless it is to be approximate."""
    if approximate == "none":
        r.say(r.line, "PyTorch's gelu is the exact one, by erf; JAX's usual one is by tanh")
    elif approximate != "tanh":
        raise LibraryError("approximate argument must be either none or tanh.")
    return arrays.gelu(r, input, approximate == "tanh")


@functional("glu")
def glu(r: Interpreter, input: Array, dim: int = -1) -> Array:
    """Read a gated linear unit."""
    a, b = split(r, input, shape_of(r, input)[dim] // 2, dim)
    return r.make("mul", [a, r.make("sigmoid", [b])])


@activation("dropout", "dropout1d", "dropout2d", "alpha_dropout")
def dropout(r: Interpreter, input: Array, p: float = 0.5, training: bool = True) -> Array:
    """Read dropout, where it drops nothing or everything."""
    if not training or p == 0:
        return input
    if p == 1:
        return r.make("mul", [input, 0.0])
    raise Refused(
        "Which elements dropout sets to 0 is drawn by PyTorch's machine.",
        "Call eval(), or write the mask.",
        "drawn",
    )


TORCH["torch.dropout"] = lambda r, input, p, train: dropout(r, input, p, train)


@functional("normalize")
def normalize(r: Interpreter, input: Array, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Array:
    """Read a division by the norm, which is at least eps."""
    length = norm(r, input, p, dim, True)
    return r.make("div", [input, clamp(r, length, eps)])


@functional("cosine_similarity")
def cosine_similarity(r: Interpreter, x1: Array, x2: Array, dim: int = 1, eps: float = 1e-8) -> Array:
    """Read the cosine of an angle, each length being at least eps; first both get one shape."""
    shape = np.broadcast_shapes(shape_of(r, x1), shape_of(r, x2))
    x1, x2 = (broadcast_to(r, one, shape) for one in (x1, x2))
    return fold(r, "sum", r.make("mul", [_unit(r, x1, dim, eps), _unit(r, x2, dim, eps)]), dim)


def _unit(r: Interpreter, x: Array, dim: int, eps: float) -> Array:
    length = norm(r, x, 2, dim, True)
    # PyTorch's own lower end is set on the numbers, behind autograd's back.
    at_least = r.make("maximum", [length, eps]) if not length.requires_grad else _lifted(r, length, eps)
    return r.make("div", [x, at_least])


def _lifted(r: Interpreter, length: Array, eps: float) -> Array:
    return with_pullback(r, r.make("maximum", [length, eps]), [length], "lambda v, x, out: v")


TORCH["torch.cosine_similarity"] = cosine_similarity


@functional("pairwise_distance")
def pairwise_distance(
    r: Interpreter, x1: Array, x2: Array, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Array:
    """Read the distance of rows; PyTorch adds eps to every difference."""
    return norm(r, r.make("add", [r.make("sub", [x1, x2]), eps]), p, -1, keepdim)


TORCH["torch.pairwise_distance"] = pairwise_distance


@functional("one_hot")
def one_hot(r: Interpreter, tensor: Array, num_classes: int = -1) -> Array:
    """Read classes as rows with one 1."""
    count = int(numbers(r, tensor).max()) + 1 if num_classes == -1 else whole(r, num_classes)
    return r.make("one_hot", [tensor], dtype=INT, num_classes=count)


# Layers.


@functional("linear")
def linear(r: Interpreter, input: Any, weight: Any, bias: Any = None) -> Array:
    """Read a linear layer: x times the transposed weight, plus the bias."""
    turned = arrays.transpose(r, weight) if len(shape_of(r, weight)) > 1 else weight
    product = matmul(r, input, turned)
    return product if bias is None else r.make("add", [product, bias])


@functional("bilinear")
def bilinear(r: Interpreter, input1: Array, input2: Array, weight: Array, bias: Any = None) -> Array:
    """Read a bilinear layer."""
    made = TORCH["torch.einsum"](r, "bi,oij,bj->bo", input1, weight, input2)
    return made if bias is None else r.make("add", [made, bias])


@functional("embedding")
def embedding(r: Interpreter, input: Array, weight: Array, padding_idx: Any = None, **options: Any) -> Array:
    """Read rows of a table; the gradient of the padding's row is 0."""
    if any(options.values()):
        raise Refused(f"embedding() is not read with {', '.join(options)}.")
    made = pick(r, weight, 0, input)
    if padding_idx is not None:
        mask = numbers(r, input) != padding_idx % shape_of(r, weight)[0]
        shown = constant(
            r, np.broadcast_to(mask[..., None], sized(shape_of(r, made))).astype(float), "torch", BOOL
        )
        made = r.make("where", [shown, made, detach(r, made)])
    return made


@functional("pad")
def pad(r: Interpreter, input: Array, pad: Any, mode: str = "constant", value: Any = None) -> Array:
    """Read a padding with a number, of the last dimensions."""
    if mode != "constant":
        raise Refused(f"pad() is read with mode='constant', not {mode!r}.")
    shape, sides = list(shape_of(r, input)), [whole(r, one) for one in pad]
    index: list[Any] = [(None, None, None)] * len(shape)
    for i in range(len(sides) // 2):
        axis, before, after = len(shape) - 1 - i, sides[2 * i], sides[2 * i + 1]
        if before < 0 or after < 0:
            raise Refused("A negative padding is not read.", "Write a slice.")
        index[axis] = (before, before + shape[axis], None)
        shape[axis] += before + after
    around = constant(r, np.full(sized(shape), float(value or 0.0)), "torch", input.dtype)
    return r.make("at_set", [around, input], dtype=input.dtype, index=tuple(index))


def _two(value: Any) -> tuple[int, int]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)  # type: ignore[return-value]


@functional("conv2d")
def conv2d(
    r: Interpreter,
    input: Array,
    weight: Array,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """Read a convolution of images [batch, channels, height, width]."""
    lone = len(shape_of(r, input)) == 3
    if lone:
        input = arrays.expand(r, input, 0)
    steps, holes = _two(stride), _two(dilation)
    rows, columns = shape_of(r, weight)[2:]
    if padding == "same":
        if steps != (1, 1) or not rows % 2 or not columns % 2:
            raise Refused("padding='same' is read with odd kernels and stride 1.")
        padding = (holes[0] * (rows // 2), holes[1] * (columns // 2))
    elif padding == "valid":
        padding = 0
    down, right = _two(padding)
    if down or right:
        input = TORCH["torch.nn.functional.pad"](r, input, (right, right, down, down))
    if holes != (1, 1):
        out, into = shape_of(r, weight)[:2]
        wide = ((rows - 1) * holes[0] + 1, (columns - 1) * holes[1] + 1)
        empty = constant(r, np.zeros(sized((out, into, *wide))), "torch", weight.dtype)
        every = (None, None, None)
        index = (every, every, (None, None, holes[0]), (None, None, holes[1]))
        weight = r.make("at_set", [empty, weight], index=index)
    if steps[0] != steps[1] and (shape_of(r, input)[2] != 1 or shape_of(r, weight)[2] != 1):
        raise Refused("A convolution is read with one stride for both directions.")
    parts = []
    into, out = shape_of(r, weight)[1], shape_of(r, weight)[0] // groups
    if shape_of(r, input)[1] != into * groups:
        raise LibraryError(
            f"expected input to have {into * groups} channels, but got {shape_of(r, input)[1]} "
            f"channels instead."
        )
    images, kernels = arrays.transpose(r, input, (0, 2, 3, 1)), arrays.transpose(r, weight, (2, 3, 1, 0))
    for i in range(groups):
        x, w = images, kernels
        if groups > 1:
            x = r.make("getitem", [images], index=("...", (i * into, (i + 1) * into, None)))
            w = r.make("getitem", [kernels], index=("...", (i * out, (i + 1) * out, None)))
        parts.append(r.make("conv2d", [x, w, 0.0], stride=steps[1]))
    made = parts[0] if groups == 1 else r.make("concatenate", parts, axis=-1)
    if bias is not None:
        made = r.make("add", [made, bias])
    made = arrays.transpose(r, made, (0, 3, 1, 2))
    return squeeze_plain(r, made, 0) if lone else made


@functional("conv1d")
def conv1d(
    r: Interpreter,
    input: Array,
    weight: Array,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """Read a convolution of rows [batch, channels, length], as one of images of height 1."""
    one = [value[0] if isinstance(value, (tuple, list)) else value for value in (stride, padding, dilation)]
    sides = one[1] if isinstance(one[1], str) else (0, one[1])
    x, w = arrays.expand(r, input, -2), arrays.expand(r, weight, -2)
    return squeeze_plain(r, conv2d(r, x, w, bias, (1, one[0]), sides, (1, one[2]), groups), -2)


def _pool(op: str) -> Callable[..., Any]:
    def read(
        r: Interpreter,
        input: Array,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        return_indices: bool = False,
    ) -> Array:
        (a, b), (c, d) = _two(kernel_size), _two(stride or kernel_size)
        if (
            a != b
            or c != d
            or _two(padding) != (0, 0)
            or ceil_mode
            or return_indices
            or _two(dilation) != (1, 1)
        ):
            raise Refused("A pool is read with a square window and without padding.")
        lone = len(shape_of(r, input)) == 3
        x = arrays.expand(r, input, 0) if lone else input
        made = r.make(op, [arrays.transpose(r, x, (0, 2, 3, 1))], window=a, stride=c)
        made = arrays.transpose(r, made, (0, 3, 1, 2))
        return squeeze_plain(r, made, 0) if lone else made

    return read


TORCH["torch.nn.functional.max_pool2d"] = TORCH["torch.max_pool2d"] = _pool("max_pool")
TORCH["torch.nn.functional.avg_pool2d"] = _pool("avg_pool")


def _pool1d(reduce: str) -> Callable[..., Any]:
    def read(r: Interpreter, input: Array, kernel_size: int, stride: Any = None, padding: int = 0) -> Array:
        length, step = shape_of(r, input)[-1], stride or kernel_size
        if padding or not isinstance(kernel_size, int):
            raise Refused("A pool is read without padding.")
        parts = [
            r.make("getitem", [input], index=("...", (i, i + kernel_size, None)))
            for i in range(0, length - kernel_size + 1, step)
        ]
        folded = [
            tuple.__getitem__(TORCH["torch.max"](r, part, -1), 0)
            if reduce == "max"
            else fold(r, "mean", part, -1)
            for part in parts
        ]
        return r.make("stack", folded, axis=-1)

    return read


TORCH["torch.nn.functional.max_pool1d"], TORCH["torch.nn.functional.avg_pool1d"] = (
    _pool1d("max"),
    _pool1d("mean"),
)


@functional("adaptive_avg_pool2d")
def adaptive_avg_pool2d(r: Interpreter, input: Array, output_size: Any) -> Array:
    """Read the mean of whole images."""
    if _two(output_size) != (1, 1):
        raise Refused("adaptive_avg_pool2d() is read with output size 1.")
    return arrays.fold(r, "mean", input, (-1, -2), True)


@functional("layer_norm")
def layer_norm(
    r: Interpreter,
    input: Array,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
) -> Array:
    """Read a normalization over the last dimensions."""
    count = len(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else 1
    return scaled(r, standardized(r, input, tuple(range(-count, 0)), eps), weight, bias)


def standardized(r: Interpreter, x: Array, axes: tuple[int, ...], eps: float) -> Array:
    """Return x with mean 0 and variance 1 over some dimensions."""
    centred = r.make("sub", [x, arrays.fold(r, "mean", x, axes, True)])
    spread = arrays.fold(r, "mean", r.make("square", [centred]), axes, True)
    return r.make("div", [centred, r.make("sqrt", [r.make("add", [spread, eps])])])


def scaled(r: Interpreter, x: Array, weight: Any, bias: Any) -> Array:
    """Return x times a weight plus a bias, if there are any."""
    if weight is not None:
        x = r.make("mul", [x, weight])
    return x if bias is None else r.make("add", [x, bias])


def per_channel(r: Interpreter, x: Any, rank: int) -> Any:
    """Return a value for each channel in the shape that fits [batch, channels, ...]."""
    if x is None or rank <= 2:
        return x
    return r.make("reshape", [x], shape=(prod(shape_of(r, x)), *(1,) * (rank - 2)))


@functional("batch_norm")
def batch_norm(
    r: Interpreter,
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
    rank = len(shape_of(r, input))
    axes = tuple(i for i in range(rank) if i != 1)
    if training:
        count = prod(shape_of(r, input)[i] for i in axes)
        if count < 2:
            raise LibraryError("Expected more than 1 value per channel when training.")
        if running_mean is not None:
            _follow(r, running_mean, arrays.fold(r, "mean", input, axes, False), momentum)
            _follow(r, running_var, variance(r, input, axes), momentum)
        normal = standardized(r, input, axes, eps)
    else:
        o = Ops(r)
        spread = o.sqrt(o.add(per_channel(r, running_var, rank), eps))
        normal = o.div(o.sub(input, per_channel(r, running_mean, rank)), spread)
    return scaled(r, normal, per_channel(r, weight, rank), per_channel(r, bias, rank))


def _follow(r: Interpreter, running: Array, now: Array, momentum: float) -> None:
    """Move running numbers a step towards those of a batch, without a gradient."""
    outside, r.no_grad = r.no_grad, 1
    try:
        o = Ops(r)
        change(r, running, o.add(o.mul(1.0 - momentum, running), o.mul(momentum, now)))
    finally:
        r.no_grad = outside


@functional("group_norm")
def group_norm(
    r: Interpreter, input: Array, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Array:
    """Read a normalization of groups of channels."""
    shape = shape_of(r, input)
    grouped = r.make("reshape", [input], shape=(shape[0], num_groups, prod(shape[1:]) // num_groups))
    normal = r.make("reshape", [standardized(r, grouped, (-1,), eps)], shape=shape)
    return scaled(r, normal, per_channel(r, weight, len(shape)), per_channel(r, bias, len(shape)))


@functional("rms_norm")
def rms_norm(
    r: Interpreter, input: Array, normalized_shape: Any, weight: Any = None, eps: Any = None
) -> Array:
    """Read a division by the root of the mean square."""
    count = len(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else 1
    small = 1.1920928955078125e-07 if eps is None else eps
    mean = arrays.fold(r, "mean", r.make("square", [input]), tuple(range(-count, 0)), True)
    return scaled(
        r, r.make("mul", [input, r.make("pow", [r.make("add", [mean, small]), -0.5])]), weight, None
    )


@functional("scaled_dot_product_attention")
def attention(
    r: Interpreter,
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
) -> Array:
    """Read attention: softmax(q k' / sqrt(d)) v."""
    if dropout_p:
        raise Refused("Attention is read without dropout.")
    rank = len(shape_of(r, key))
    turned = arrays.transpose(r, key, (*range(rank - 2), rank - 1, rank - 2))
    scores = r.make(
        "mul", [matmul(r, query, turned), shape_of(r, query)[-1] ** -0.5 if scale is None else scale]
    )
    if is_causal and attn_mask is not None:
        raise LibraryError("Explicit attn_mask should not be set when is_causal=True.")
    if is_causal:
        allowed = np.tril(np.ones(sized(shape_of(r, scores)[-2:])))
        attn_mask = constant(r, allowed, "torch", BOOL)
    if isinstance(attn_mask, Array):
        scores = (
            r.make("where", [attn_mask, scores, -math.inf])
            if attn_mask.dtype == BOOL
            else r.make("add", [scores, attn_mask])
        )
    return matmul(r, r.make("softmax", [scores], axis=-1), value)


# Losses.


def reduced(
    r: Interpreter, value: Array, reduction: Any, size_average: Any = None, reduce: Any = None
) -> Array:
    """Return the mean or the sum of losses, or the losses."""
    if size_average is not None or reduce is not None:
        raise Refused("size_average and reduce are not read.", "Write reduction='sum'.")
    if reduction not in ("mean", "sum", "none"):
        raise LibraryError(
            f"{reduction} is not a valid value for reduction.", "There are mean, sum and none."
        )
    return value if reduction == "none" else r.make(reduction, [value])


def _hinge(r: Interpreter, x: Array) -> Array:
    """Return what is above 0; at 0 PyTorch's clamp_min passes the gradient on."""
    return clamp(r, x, 0.0)


@functional("triplet_margin_loss")
def triplet_margin_loss(
    r: Interpreter,
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Array:
    """Read the triplet loss."""
    if swap:
        raise Refused("triplet_margin_loss() is read without swap.")
    near, far = pairwise_distance(r, anchor, positive, p, eps), pairwise_distance(r, anchor, negative, p, eps)
    return reduced(r, _hinge(r, r.make("add", [r.make("sub", [near, far]), margin])), reduction)


@functional(
    "unfold",
    "fold",
    "interpolate",
    "grid_sample",
    "ctc_loss",
    "conv_transpose2d",
    "multi_head_attention_forward",
)
def not_read(r: Interpreter, *_: Any, **__: Any) -> Array:
    """Refuse layers for which there is no op."""
    raise Refused(f"There is no op for `{r.called}`.", "", "unknown-function")
