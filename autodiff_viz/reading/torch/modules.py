"""Read PyTorch's modules: layers, containers, classes of the text that are made of them, initial numbers."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.graph.model import IDENTITY, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading.functions.arrays import constant, named_dtype, shape_of
from autodiff_viz.reading.functions.library_calls import call_jax, jax_function
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import (
    FLOATS,
    Array,
    Class,
    ClassMethod,
    Function,
    Instance,
    Native,
    Path,
    Property,
    Refused,
    Super,
)
from autodiff_viz.reading.nodes.builder import Frame, Ref
from autodiff_viz.reading.nodes.costs import LibraryError, pay_values, sized
from autodiff_viz.reading.tensors.torch_memory import info
from autodiff_viz.reading.tensors.torch_tensors import (
    TORCH,
    Draws,
    fill_drawn,
    generator,
    kept,
    leaf,
    requires_grad_,
    tensor,
)
from autodiff_viz.reading.torch.autograd import called, recorded
from autodiff_viz.reading.torch.functional import WITH_INPLACE
from autodiff_viz.reading.torch.hooks import handle, standing, watched
from autodiff_viz.reading.torch.places import in_place_method
from autodiff_viz.reading.torch.structure import (
    Modules,
    children,
    named_modules,
    named_parameters,
    named_tensors,
)

NN = "torch.nn."


# Parameters.


def parameter(reader: Reader, data: Any = None, requires_grad: bool = True) -> Array:
    """Read `nn.Parameter`: a leaf with the numbers of a tensor."""
    data = tensor(reader, data)
    made = Array(data.held, "torch", data.dtype)
    if data.is_node:
        # A parameter shares its memory with the tensor, whose numbers are those of a literal in most texts.
        made.held = reader.builder.add(IDENTITY, [data.held], Rule(STOP))
        draft = reader.builder.drafts[data.held.number]
        if (
            draft.op == "input"
            and "value" in draft.params
            and data.held.number not in reader.state(Draws).drawn
        ):
            reader.builder.drafts.pop()
            made.held = draft.params["value"]
    reader.state(Modules).parameters[made] = None
    if not requires_grad:
        made.held = made.held if isinstance(made.held, Ref) else reader.builder.input(made.held, "")
        return made
    made = leaf(reader, made)
    if isinstance(made.held, Ref) and reader.builder.drafts[made.held.number].op == "input":
        reader.builder.drafts[made.held.number].params["trainable"] = True
    return made


TORCH["torch.nn.Parameter"] = TORCH["torch.nn.parameter.Parameter"] = parameter


def uniform(reader: Reader, shape: tuple[int, ...], bound: float) -> Array:
    """Return a parameter that is drawn between -bound and bound, as PyTorch's layers begin."""
    drawn = generator(reader).uniform(shape, -bound, bound)
    return _drawn(reader, drawn)


def _drawn(reader: Reader, drawn: np.ndarray) -> Array:
    kind = reader.state(Draws).default
    made = kept(reader, constant(reader, drawn.astype(float), "torch", kind), kind, False, "a layer")
    made = leaf(reader, made)
    reader.builder.drafts[made.held.number].params["trainable"] = True  # type: ignore[union-attr]
    reader.state(Modules).parameters[made] = None
    return made


def filled(reader: Reader, shape: tuple[int, ...], value: float) -> Array:
    """Return a parameter of one number."""
    return parameter(
        reader, constant(reader, np.full(sized(shape), value), "torch", reader.state(Draws).default)
    )


def buffer(reader: Reader, shape: tuple[int, ...], value: float) -> Array:
    """Return a tensor of a module that is no parameter."""
    made = constant(reader, np.full(sized(shape), value), "torch", reader.state(Draws).default)
    made.held = reader.builder.input(made.held, "")
    reader.builder.replaced.add(made.held.number)
    return made


# Layers.

BUILD: dict[str, Callable[..., dict[str, Any]]] = {}
"""What makes the fields of a layer, by its name."""

FORWARD: dict[str, Callable[..., Any]] = {}
"""What a layer computes, of the reader, its fields and the arguments."""


def layer(
    name: str, forward: Callable[..., Any]
) -> Callable[[Callable[..., dict[str, Any]]], Callable[..., dict[str, Any]]]:
    """Register a layer: what makes its fields, and what it computes."""

    def register(build: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        BUILD[name], FORWARD[name] = build, forward

        def make(
            reader: Reader, *args: Any, device: Any = None, dtype: Any = None, **keywords: Any
        ) -> Instance:
            made = Instance(NN + name, {"training": True, **build(reader, *args, **keywords)})
            for key, value in made.fields.items():
                if isinstance(value, Array):
                    _hint(reader, value, key)
                    if dtype is not None:
                        _cast_field(reader, made, key, value, dtype)
            return made

        TORCH[NN + name] = make
        return build

    return register


def _hint(reader: Reader, value: Array, name: str) -> None:
    if isinstance(value.held, Ref):
        reader.builder.drafts[value.held.number].hint = name.replace(".", "_")


def _cast_field(reader: Reader, instance: Instance, key: str, value: Array, dtype: Any) -> None:
    kind = named_dtype(reader, dtype)
    if kind is not None and value.dtype in FLOATS:
        value.dtype = kind
        reader.state(Draws).wide |= kind == "float64"


def _fan(fan_in: int) -> float:
    return 1.0 / math.sqrt(fan_in) if fan_in else 0.0


def call_functional(reader: Reader, name: str, *args: Any, **keywords: Any) -> Any:
    """Call a function of `torch.nn.functional`, and note what it saves."""
    return recorded(name, TORCH[f"torch.nn.functional.{name}"])(reader, *args, **keywords)


def with_fields(name: str, *fields: str) -> Callable[..., Any]:
    """Return what a layer computes: a function of what it is called with and of some of its fields."""
    return lambda reader, f, *args: call_functional(reader, name, *args, *(f[one] for one in fields))


@layer("Linear", with_fields("linear", "weight", "bias"))
def linear(reader: Reader, in_features: int, out_features: int, bias: bool = True) -> dict[str, Any]:
    """Make a linear layer."""
    return {
        "in_features": in_features,
        "out_features": out_features,
        "weight": uniform(reader, (out_features, in_features), _fan(in_features)),
        "bias": uniform(reader, (out_features,), _fan(in_features)) if bias else None,
    }


@layer("Bilinear", with_fields("bilinear", "weight", "bias"))
def bilinear(
    reader: Reader, in1_features: int, in2_features: int, out_features: int, bias: bool = True
) -> dict[str, Any]:
    """Make a bilinear layer."""
    bound = _fan(in1_features)
    weight = uniform(reader, (out_features, in1_features, in2_features), bound)
    return {"weight": weight, "bias": uniform(reader, (out_features,), bound) if bias else None}


def _kernel(reader: Reader, channels: tuple[int, int], size: Any, sides: int, biased: int) -> dict[str, Any]:
    """Draw the weights of a convolution, and as many biases; none for 0."""
    sizes = tuple(size) if isinstance(size, (tuple, list)) else (size,) * sides
    bound = _fan(prod((channels[1], *sizes)))
    weight = uniform(reader, (*channels, *sizes), bound)
    return {"weight": weight, "bias": uniform(reader, (biased,), bound) if biased else None}


def _convolution(name: str, sides: int) -> None:
    def build(
        reader: Reader,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
    ) -> dict[str, Any]:
        if padding_mode != "zeros":
            raise Refused("A convolution is read with padding_mode='zeros'.")
        return {
            **_kernel(
                reader, (out_channels, in_channels // groups), kernel_size, sides, bias and out_channels
            ),
            "stride": stride,
            "padding": padding,
            "dilation": dilation,
            "groups": groups,
        }

    fields = ("weight", "bias", "stride", "padding", "dilation", "groups")
    layer(name, with_fields(name.lower(), *fields))(build)


_convolution("Conv1d", 1)
_convolution("Conv2d", 2)


def _transposed(name: str, function: str, sides: int) -> None:
    def build(
        reader: Reader,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
    ) -> dict[str, Any]:
        if padding_mode != "zeros":
            raise LibraryError(f'Only "zeros" padding mode is supported for {name}')
        return {
            **_kernel(
                reader, (in_channels, out_channels // groups), kernel_size, sides, bias and out_channels
            ),
            "stride": stride,
            "padding": padding,
            "output_padding": output_padding,
            "groups": groups,
            "dilation": dilation,
        }

    fields = ("weight", "bias", "stride", "padding", "output_padding", "groups", "dilation")
    layer(name, with_fields(function, *fields))(build)


_transposed("ConvTranspose1d", "conv_transpose1d", 1)
_transposed("ConvTranspose2d", "conv_transpose2d", 2)


@layer("Embedding", with_fields("embedding", "weight", "padding_idx"))
def embedding(
    reader: Reader, num_embeddings: int, embedding_dim: int, padding_idx: Any = None, _weight: Any = None
) -> dict[str, Any]:
    """Make a table of vectors."""
    if _weight is not None:
        return {"weight": parameter(reader, _weight), "padding_idx": padding_idx}
    drawn = generator(reader).normal((num_embeddings, embedding_dim))
    if padding_idx is not None:
        drawn[padding_idx] = 0.0
    return {"weight": _drawn(reader, drawn), "padding_idx": padding_idx}


def _from_pretrained(
    reader: Reader, embeddings: Any, freeze: bool = True, padding_idx: Any = None
) -> Instance:
    made = Instance(NN + "Embedding", {"training": True, "weight": parameter(reader, embeddings, not freeze)})
    made.fields["padding_idx"] = padding_idx
    return made


TORCH["torch.nn.Embedding.from_pretrained"] = _from_pretrained


@layer("LayerNorm", with_fields("layer_norm", "normalized_shape", "weight", "bias", "eps"))
def layer_norm(
    reader: Reader,
    normalized_shape: Any,
    eps: float = 1e-5,
    elementwise_affine: bool = True,
    bias: bool = True,
) -> dict[str, Any]:
    """Make a normalization of rows."""
    shape = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    return {
        "normalized_shape": shape,
        "eps": eps,
        "weight": filled(reader, shape, 1.0) if elementwise_affine else None,
        "bias": filled(reader, shape, 0.0) if elementwise_affine and bias else None,
    }


@layer("RMSNorm", with_fields("rms_norm", "normalized_shape", "weight", "eps"))
def rms_norm(
    reader: Reader, normalized_shape: Any, eps: Any = None, elementwise_affine: bool = True
) -> dict[str, Any]:
    """Make a division by the root of the mean square."""
    shape = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    return {
        "normalized_shape": shape,
        "eps": eps,
        "weight": filled(reader, shape, 1.0) if elementwise_affine else None,
    }


@layer("GroupNorm", with_fields("group_norm", "num_groups", "weight", "bias", "eps"))
def group_norm(
    reader: Reader, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True
) -> dict[str, Any]:
    """Make a normalization of groups of channels."""
    return {
        "num_groups": num_groups,
        "eps": eps,
        "weight": filled(reader, (num_channels,), 1.0) if affine else None,
        "bias": filled(reader, (num_channels,), 0.0) if affine else None,
    }


def _batch_norm(reader: Reader, f: dict[str, Any], x: Array) -> Array:
    f = {**f, "training": f["training"] or f["running_mean"] is None}
    fields = ("running_mean", "running_var", "weight", "bias", "training", "momentum", "eps")
    return with_fields("batch_norm", *fields)(reader, f, x)


for _name in ("BatchNorm1d", "BatchNorm2d"):

    @layer(_name, _batch_norm)
    def batch_norm(
        reader: Reader,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ) -> dict[str, Any]:
        """Make a normalization of channels."""
        if momentum is None:
            raise Refused("BatchNorm is read with a number as momentum.")
        return {
            "eps": eps,
            "momentum": momentum,
            "weight": filled(reader, (num_features,), 1.0) if affine else None,
            "bias": filled(reader, (num_features,), 0.0) if affine else None,
            "running_mean": buffer(reader, (num_features,), 0.0) if track_running_stats else None,
            "running_var": buffer(reader, (num_features,), 1.0) if track_running_stats else None,
            "_buffers": ("running_mean", "running_var") if track_running_stats else (),
        }


@layer("PReLU", with_fields("prelu", "weight"))
def prelu(reader: Reader, num_parameters: int = 1, init: float = 0.25) -> dict[str, Any]:
    """Make a PReLU."""
    return {"weight": filled(reader, (num_parameters,), init)}


for _name, _function in {
    "Dropout": "dropout",
    "Dropout1d": "dropout1d",
    "Dropout2d": "dropout2d",
    "AlphaDropout": "alpha_dropout",
}.items():
    layer(_name, with_fields(_function, "p", "training"))(lambda reader, p=0.5, inplace=False: {"p": p})


OPTIONS: dict[str, tuple[str, ...]] = {}
"""What the constructor of a layer takes that is a function with some options."""


def _with_options(name: str, function: str, options: tuple[str, ...]) -> None:
    """Register a layer that is a function with some options."""
    OPTIONS[name] = options = (*options, "inplace") if function in WITH_INPLACE else options

    def build(reader: Reader, *args: Any, **keywords: Any) -> dict[str, Any]:
        if len(args) > len(options):
            raise Refused(f"nn.{name} is read with {', '.join(options) or 'no arguments'}.")
        given = {**dict(zip(options, args, strict=False)), **keywords}
        if unknown := set(given) - set(options):
            raise Refused(f"nn.{name} is not read with {', '.join(unknown)}.")
        return {"options": given}

    layer(name, lambda reader, f, *args: call_functional(reader, function, *args, **f["options"]))(build)


LOSS = ("size_average", "reduce", "reduction")
for _name, (_function, _options) in {
    "ReLU": ("relu", ()),
    "ReLU6": ("relu6", ()),
    "Tanh": ("tanh", ()),
    "Sigmoid": ("sigmoid", ()),
    "SiLU": ("silu", ()),
    "Mish": ("mish", ()),
    "GELU": ("gelu", ("approximate",)),
    "ELU": ("elu", ("alpha",)),
    "CELU": ("celu", ("alpha",)),
    "SELU": ("selu", ()),
    "LeakyReLU": ("leaky_relu", ("negative_slope",)),
    "Softplus": ("softplus", ("beta", "threshold")),
    "Softsign": ("softsign", ()),
    "Tanhshrink": ("tanhshrink", ()),
    "Hardshrink": ("hardshrink", ("lambd",)),
    "Softshrink": ("softshrink", ("lambd",)),
    "Hardtanh": ("hardtanh", ("min_val", "max_val")),
    "Hardsigmoid": ("hardsigmoid", ()),
    "Hardswish": ("hardswish", ()),
    "Threshold": ("threshold", ("threshold", "value")),
    "LogSigmoid": ("logsigmoid", ()),
    "Softmax": ("softmax", ("dim",)),
    "LogSoftmax": ("log_softmax", ("dim",)),
    "Softmin": ("softmin", ("dim",)),
    "GLU": ("glu", ("dim",)),
    "CosineSimilarity": ("cosine_similarity", ("dim", "eps")),
    "PairwiseDistance": ("pairwise_distance", ("p", "eps", "keepdim")),
    "MaxPool2d": ("max_pool2d", ("kernel_size", "stride", "padding")),
    "AvgPool2d": ("avg_pool2d", ("kernel_size", "stride", "padding")),
    "MaxPool1d": ("max_pool1d", ("kernel_size", "stride", "padding")),
    "AvgPool1d": ("avg_pool1d", ("kernel_size", "stride", "padding")),
    "AdaptiveAvgPool2d": ("adaptive_avg_pool2d", ("output_size",)),
    "MSELoss": ("mse_loss", LOSS),
    "L1Loss": ("l1_loss", LOSS),
    "SmoothL1Loss": ("smooth_l1_loss", (*LOSS, "beta")),
    "HuberLoss": ("huber_loss", ("reduction", "delta")),
    "CrossEntropyLoss": (
        "cross_entropy",
        ("weight", "size_average", "ignore_index", "reduce", "reduction", "label_smoothing"),
    ),
    "NLLLoss": ("nll_loss", ("weight", "size_average", "ignore_index", "reduce", "reduction")),
    "BCELoss": ("binary_cross_entropy", ("weight", *LOSS)),
    "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", ("weight", *LOSS, "pos_weight")),
    "KLDivLoss": ("kl_div", (*LOSS, "log_target")),
    "GaussianNLLLoss": ("gaussian_nll_loss", ("full", "eps", "reduction")),
    "PoissonNLLLoss": ("poisson_nll_loss", ("log_input", "full", "eps", "reduction")),
    "MarginRankingLoss": ("margin_ranking_loss", ("margin", "reduction")),
    "HingeEmbeddingLoss": ("hinge_embedding_loss", ("margin", "reduction")),
    "TripletMarginLoss": ("triplet_margin_loss", ("margin", "p", "eps", "swap", "reduction")),
    "CosineEmbeddingLoss": ("cosine_embedding_loss", ("margin", "reduction")),
    "SoftMarginLoss": ("soft_margin_loss", ("reduction",)),
}.items():
    _with_options(_name, _function, _options)


@layer("Flatten", lambda reader, f, x: called(reader, "flatten", x, f["start_dim"], f["end_dim"]))
def flatten(reader: Reader, start_dim: int = 1, end_dim: int = -1) -> dict[str, Any]:
    """Make a flattening layer."""
    return {"start_dim": start_dim, "end_dim": end_dim}


layer("Unflatten", lambda reader, f, x: called(reader, "unflatten", x, f["dim"], f["sizes"]))(
    lambda reader, dim, unflattened_size: {"dim": dim, "sizes": unflattened_size}
)
layer("Identity", lambda reader, f, x: x)(lambda reader, *_, **__: {})


# Recurrent layers.

GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}


def _cell_fields(reader: Reader, kind: str, into: int, hidden: int, bias: bool, end: str) -> dict[str, Any]:
    bound, rows = _fan(hidden), GATES[kind] * hidden
    fields: dict[str, Any] = {f"weight_ih{end}": uniform(reader, (rows, into), bound)}
    fields[f"weight_hh{end}"] = uniform(reader, (rows, hidden), bound)
    for name in ("bias_ih", "bias_hh"):
        fields[name + end] = uniform(reader, (rows,), bound) if bias else None
    return fields


def _affine(x, weight, bias):
    return x @ weight.T if bias is None else x @ weight.T + bias


def _rnn_cell(x, h, weight_ih, weight_hh, bias_ih, bias_hh, nonlinearity):
    total = _affine(x, weight_ih, bias_ih) + _affine(h, weight_hh, bias_hh)
    return jnp.tanh(total) if nonlinearity == "tanh" else jax.nn.relu(total)


def _lstm_cell(x, state, weight_ih, weight_hh, bias_ih, bias_hh, nonlinearity):
    gates = _affine(x, weight_ih, bias_ih) + _affine(state[0], weight_hh, bias_hh)
    i, forget, cell, out = jnp.split(gates, 4, -1)
    c = jax.nn.sigmoid(forget) * state[1] + jax.nn.sigmoid(i) * jnp.tanh(cell)
    return jax.nn.sigmoid(out) * jnp.tanh(c), c


def _gru_cell(x, h, weight_ih, weight_hh, bias_ih, bias_hh, nonlinearity):
    given = jnp.split(_affine(x, weight_ih, bias_ih), 3, -1)
    before = jnp.split(_affine(h, weight_hh, bias_hh), 3, -1)
    reset, update = (jax.nn.sigmoid(given[i] + before[i]) for i in range(2))
    return (1.0 - update) * jnp.tanh(given[2] + reset * before[2]) + update * h


CELLS = {"RNN": _rnn_cell, "LSTM": _lstm_cell, "GRU": _gru_cell}


def _cell(reader: Reader, kind: str, f: dict[str, Any], end: str, x: Array, state: Any) -> Any:
    """Return the state after a step."""
    weights = (f[name + end] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
    step = recorded(f"{kind}Cell", jax_function(CELLS[kind]))
    return step(reader, x, state, *weights, f.get("nonlinearity", "tanh"))


def _zeros(reader: Reader, x: Array, hidden: int, kind: str) -> Any:
    shape = (*shape_of(reader, x)[:-1], hidden)
    zero = constant(reader, np.zeros(sized(shape)), "torch", x.dtype)
    return (zero, zero) if kind == "LSTM" else zero


def _recurrent(kind: str) -> None:
    def cell(
        reader: Reader, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh"
    ) -> dict[str, Any]:
        return {
            "hidden_size": hidden_size,
            "nonlinearity": nonlinearity,
            **_cell_fields(reader, kind, input_size, hidden_size, bias, ""),
        }

    def step(reader: Reader, f: dict[str, Any], x: Array, state: Any = None) -> Any:
        return _cell(
            reader, kind, f, "", x, _zeros(reader, x, f["hidden_size"], kind) if state is None else state
        )

    layer(f"{kind}Cell", step)(cell)

    def whole(
        reader: Reader,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        nonlinearity: str = "tanh",
    ) -> dict[str, Any]:
        if bidirectional or dropout:
            raise Refused(f"nn.{kind} is read in one direction, without dropout.")
        fields: dict[str, Any] = {
            "hidden_size": hidden_size,
            "layers": num_layers,
            "batch_first": batch_first,
            "nonlinearity": nonlinearity,
        }
        for i in range(num_layers):
            fields |= _cell_fields(
                reader, kind, hidden_size if i else input_size, hidden_size, bias, f"_l{i}"
            )
        return fields

    def run(reader: Reader, f: dict[str, Any], x: Array, state: Any = None) -> Any:
        time = 1 if f["batch_first"] and len(shape_of(reader, x)) == 3 else 0
        begin = ((None, None, None),) * time
        steps = [reader.make("getitem", [x], index=(*begin, i)) for i in range(shape_of(reader, x)[time])]
        ends: list[Any] = []
        for k in range(f["layers"]):
            now = (
                _zeros(reader, steps[0], f["hidden_size"], kind)
                if state is None
                else mapped_first(reader, state, k)
            )
            outs = []
            for one in steps:
                now = _cell(reader, kind, f, f"_l{k}", one, now)
                outs.append(now[0] if kind == "LSTM" else now)
            steps = outs
            ends.append(now)
        output = reader.make("stack", steps, axis=time)
        if kind == "LSTM":
            return output, tuple(reader.make("stack", [end[i] for end in ends], axis=0) for i in range(2))
        return output, reader.make("stack", ends, axis=0)

    layer(kind, run)(whole)


def mapped_first(reader: Reader, state: Any, k: int) -> Any:
    """Return the state of a layer among those of all."""
    if isinstance(state, (tuple, list)):
        return tuple(mapped_first(reader, one, k) for one in state)
    return reader.make("getitem", [state], index=(k,))


for _kind in GATES:
    _recurrent(_kind)


def _attend(
    reader: Reader,
    f: dict[str, Any],
    query: Array,
    key: Array,
    value: Array,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple:
    if key_padding_mask is not None or (f["dropout"] and f["training"]) or is_causal:
        raise Refused("nn.MultiheadAttention is read without padding masks and dropout.")
    out = f["out_proj"].fields
    weights = (f["in_proj_weight"], f["in_proj_bias"], out["weight"], out["bias"])
    options = (attn_mask, f["num_heads"], f["batch_first"], average_attn_weights)
    made, shown = call_jax(reader, _attention, query, key, value, *weights, *options)
    return made, (shown if need_weights else None)


def _attention(query, key, value, in_weight, in_bias, out_weight, out_bias, mask, heads, batch_first, mean):
    lone, size = query.ndim == 2, query.shape[-1]
    biases = [None] * 3 if in_bias is None else jnp.split(in_bias, 3)
    parts = []
    for x, weight, bias in zip((query, key, value), jnp.split(in_weight, 3), biases, strict=True):
        made = _affine(x, weight, bias)
        made = made[None] if lone else made if batch_first else made.transpose(1, 0, 2)
        parts.append(made.reshape(*made.shape[:2], heads, size // heads).transpose(0, 2, 1, 3))
    q, k, v = parts
    scores = (q * (size // heads) ** -0.5) @ jnp.swapaxes(k, -1, -2)
    if mask is not None:
        scores = jnp.where(mask, -jnp.inf, scores) if mask.dtype == bool else scores + mask
    weights = jax.nn.softmax(scores, -1)
    made = (weights @ v).transpose(0, 2, 1, 3)
    made = _affine(made.reshape(*made.shape[:2], size), out_weight, out_bias)
    shown = weights.mean(1) if mean else weights
    if lone:
        return made[0], shown[0]
    return (made if batch_first else made.transpose(1, 0, 2)), shown


@layer("MultiheadAttention", _attend)
def multihead_attention(
    reader: Reader,
    embed_dim: int,
    num_heads: int,
    dropout: float = 0.0,
    bias: bool = True,
    batch_first: bool = False,
) -> dict[str, Any]:
    """Make an attention of several heads."""
    out = Instance(NN + "Linear", {"training": True, **linear(reader, embed_dim, embed_dim, bias)})
    bound = math.sqrt(6.0 / (embed_dim + 3 * embed_dim))
    fields = {
        "embed_dim": embed_dim,
        "num_heads": num_heads,
        "dropout": dropout,
        "batch_first": batch_first,
        "in_proj_weight": uniform(reader, (3 * embed_dim, embed_dim), bound),
        "in_proj_bias": filled(reader, (3 * embed_dim,), 0.0) if bias else None,
    }
    if bias:
        out.fields["bias"] = filled(reader, (embed_dim,), 0.0)
    return {**fields, "out_proj": out}


# Containers.


def _run_in_order(reader: Reader, f: dict[str, Any], x: Any) -> Any:
    for one in f.values():
        if isinstance(one, (Instance, Native, Function)):
            x = reader.call(one, [x], {})
    return x


def _sequential(reader: Reader, *layers: Any) -> Instance:
    made = Instance(NN + "Sequential", {"training": True})
    given = layers[0].items() if len(layers) == 1 and isinstance(layers[0], dict) else enumerate(layers)
    for key, one in given:
        attach(reader, made, str(key), one)
    return made


TORCH[NN + "Sequential"] = _sequential
FORWARD["Sequential"] = _run_in_order


def _list_of(name: str) -> Callable[..., Instance]:
    def make(reader: Reader, items: Any = ()) -> Instance:
        made = Instance(NN + name, {"training": True})
        pairs = items.items() if isinstance(items, dict) else enumerate(reader.items(items))
        for key, one in pairs:
            if (
                name.startswith("Parameter")
                and isinstance(one, Array)
                and one not in reader.state(Modules).parameters
            ):
                one = parameter(reader, one)
            attach(reader, made, str(key), one)
        return made

    return make


for _name in ("ModuleList", "ParameterList", "ModuleDict", "ParameterDict"):
    TORCH[NN + _name] = _list_of(_name)


def ordered(reader: Reader, pairs: Any = ()) -> dict:
    """Read a dictionary whose order counts, which one of Python's has as well."""
    if "jax" in reader.frameworks:
        raise Refused("An OrderedDict is not read beside JAX, whose trees have its leaves in its own order.")
    return dict(pairs if isinstance(pairs, dict) else reader.items(pairs))


TORCH["collections.OrderedDict"] = ordered


def attach(reader: Reader, instance: Instance, name: str, value: Any) -> None:
    """Make something an attribute of a module, and put its name before those of the parameters in it."""
    instance.fields[name] = value
    if isinstance(value, Instance):
        value.name = value.name or (name if not name.isdigit() else "")
        for _, one in named_parameters(reader, value):
            if isinstance(one.held, Ref):
                draft = reader.builder.drafts[one.held.number]
                draft.hint = f"{name}_{draft.hint}" if draft.hint else name
    elif isinstance(value, Array):
        _hint(reader, value, name)


def _is_registered(name: str) -> bool:
    return name not in ("training", "_buffers")


def elements(instance: Instance) -> list[Any]:
    """Return the elements of a container."""
    return [value for key, value in instance.fields.items() if _is_registered(key)]


# What modules are asked for.


def instantiate(reader: Reader, owner: Class, args: list, keywords: dict, node: ast.AST | None) -> Instance:
    """Make an object of a class of the text."""
    made = Instance(owner)
    if is_module(owner):
        made.fields["training"] = True
    init = owner.members.get("__init__")
    if isinstance(init, Function):
        reader.call(init, [made, *args], keywords, node)
    return made


def is_module(owner: Class) -> bool:
    """Return whether a class of the text is a module."""
    return any(base.endswith("nn.Module") or base.startswith(NN) for base in owner.bases)


def call_instance(
    reader: Reader, instance: Instance, args: list, keywords: dict, node: ast.AST | None
) -> Any:
    """Call a module: its layers are a group."""
    for hook in _hooks(reader, instance, "forward_pre_hook"):
        changed = reader.call(hook, [instance, tuple(args)], {}, node)
        if changed is not None:
            args = list(changed) if isinstance(changed, tuple) else [changed]
    # Those that stand now get the gradients of this call, whatever becomes of them until then.
    backward, before = (
        _hooks(reader, instance, name) for name in ("full_backward_hook", "full_backward_pre_hook")
    )
    leave = None
    if backward or before:
        args, leave = watched(reader, instance, args, backward, before)
    with reader.frame(Frame(instance.name or _kind(instance), None)):
        if isinstance(instance.of, Class):
            forward = instance.of.members.get("forward") or instance.of.members.get("__call__")
            if forward is None:
                raise Refused("This object cannot be called.", at=node)
            value = reader.call(forward, [instance, *args], keywords, node)
        else:
            forward = FORWARD.get(instance.of.removeprefix(NN))
            if forward is None:
                raise Refused(f"`{instance.of}` is not read yet.", reader.nearest(instance.of), at=node)
            value = forward(reader, instance.fields, *args, **keywords)
    for hook in _hooks(reader, instance, "forward_hook"):
        changed = reader.call(hook, [instance, tuple(args), value], {}, node)
        value = value if changed is None else changed
    return value if leave is None else leave(value)


def _hooks(reader: Reader, instance: Instance, name: str) -> list[Any]:
    """Return the functions that are registered now for all modules, and those for this one."""
    hooks = reader.state(Modules).hooks
    return [one for owner in (None, instance) for one in standing(hooks.get((owner, name), ()))]


def _register_hook(name: str, of_all: bool) -> Callable[..., Native]:
    def register(reader: Reader, *args: Any, prepend: bool = False, **options: Any) -> Native:
        owner, hook = (None, *args) if of_all else args
        if any(options.values()):
            raise Refused(f"register_{name}() is read with a function only.")
        functions = reader.state(Modules).hooks.setdefault((owner, name), [])
        made = handle(functions, hook)
        if prepend:
            functions.insert(0, functions.pop())
        return made

    return register


def _kind(instance: Instance) -> str:
    return (instance.of.name if isinstance(instance.of, Class) else instance.of.rpartition(".")[2]).lower()


def instance_attribute(reader: Reader, instance: Instance, name: str, node: ast.AST) -> Any:
    """Return an attribute of a module, or a method."""
    if name in instance.fields:
        value = instance.fields[name]
        return reader.fresh(value) if isinstance(value, Array) else value
    if isinstance(instance.of, Class) and name in instance.of.members:
        member = instance.of.members[name]
        if isinstance(member, Property):
            return reader.call(member.function, [instance], {}, node)
        if isinstance(member, ClassMethod):
            return reader.attribute(instance.of, name, node)
        if _is_method(member):
            return Native(lambda _, args, kw: reader.call(member, [instance, *args], kw, node), name, member)
        return member
    if name == "__class__":
        return instance.of
    method = METHODS.get(name)
    if method is None and name == "forward":
        return Native(lambda _, args, kw: call_instance(reader, instance, args, kw, node), name)
    if method is None or (isinstance(instance.of, Class) and not is_module(instance.of)):
        raise Refused(f"This object has no {name!r} that is read.", at=node)
    return Native(lambda _, args, kw: method(reader, instance, *args, **kw), name)


def _is_method(member: Any) -> bool:
    """Return whether a member of a class gets the object: a function of the text, also a decorated one."""
    while isinstance(member, Native) and member.name != "partial":
        member = member.inner
    return isinstance(member, Function) and not member.static


def super_attribute(reader: Reader, one: Super, name: str, node: ast.AST) -> Any:
    """Return a method of the class above, of the text or of the library."""
    for owner in one.owner.above:
        member = owner.members.get(name)
        if isinstance(member, Function):
            return Native(
                lambda _, args, kw, member=member: reader.call(member, [one.instance, *args], kw, node),
                name,
                member,
            )
    if name == "__init__":
        return Native(lambda *_: None, name)
    if name in METHODS:
        return Native(lambda _, args, kw: METHODS[name](reader, one.instance, *args, **kw), name)
    layers = [base.removeprefix(NN) for base in one.owner.bases if base.startswith(NN)]
    if name == "forward" and layers and layers[0] in FORWARD:
        return Native(lambda _, args, kw: FORWARD[layers[0]](reader, one.instance.fields, *args, **kw), name)
    raise Refused(f"The class above has no {name!r} that is read.", at=node)


def _train(reader: Reader, instance: Instance, mode: bool = True) -> Instance:
    for _, one in named_modules(instance):
        one.fields["training"] = bool(mode)
    return instance


def _require(reader: Reader, instance: Instance, requires_grad: bool = True) -> Instance:
    for _, one in named_parameters(reader, instance):
        requires_grad_(reader, one, requires_grad)
    return instance


def _to(reader: Reader, instance: Instance, *args: Any, **keywords: Any) -> Instance:
    for one in (*args, keywords.get("dtype")):
        if isinstance(one, Path):
            for _, parameter_ in named_tensors(reader, instance):
                _cast_field(reader, instance, "", parameter_, one)
    return instance


def _zero_grad(reader: Reader, instance: Instance, set_to_none: bool = True) -> None:
    zero_gradients(reader, [one for _, one in named_parameters(reader, instance)], set_to_none)


def zero_gradients(reader: Reader, parameters: list[Array], set_to_none: bool = True) -> None:
    """Read `zero_grad`: gradients become None, or zeros if the text wants it."""
    pay_values(4 * len(parameters))
    for one in parameters:
        about = info(reader, one)
        if set_to_none:
            about.grad = None
        elif about.grad is not None:
            with reader.grad_enabled(False):
                zero = in_place_method("zero_")
                assert zero is not None
                zero(reader, about.grad)


def _state_dict(reader: Reader, instance: Instance, **_: Any) -> dict[str, Array]:
    return {name: TORCH["torch.detach"](reader, one) for name, one in named_tensors(reader, instance)}


def _load_state_dict(reader: Reader, instance: Instance, state_dict: dict, strict: bool = True) -> None:
    known = dict(named_tensors(reader, instance))
    if strict and (set(known) ^ set(state_dict)) - {
        key for key in state_dict if key.endswith("num_batches_tracked")
    }:
        raise LibraryError(
            f"Error(s) in loading state_dict: {', '.join(sorted(set(known) ^ set(state_dict)))}."
        )
    for name, value in state_dict.items():
        if name in known:
            copy_to(reader, known[name], value)


def copy_to(reader: Reader, x: Array, value: Any) -> Array:
    """Copy numbers to a tensor, without a gradient."""
    with reader.grad_enabled(False):
        copy = in_place_method("copy_")
        assert copy is not None
        return copy(reader, x, tensor(reader, value))


def _apply(reader: Reader, instance: Instance, fn: Any) -> Instance:
    for _, one in children(instance):
        _apply(reader, one, fn)
    reader.call(fn, [instance], {})
    return instance


def _register_buffer(
    reader: Reader, instance: Instance, name: str, value: Any, persistent: bool = True
) -> None:
    if isinstance(value, Array):
        reader.named(value, name)
    instance.fields[name] = value
    instance.fields["_buffers"] = (*instance.fields.get("_buffers", ()), name)


def _register_parameter(reader: Reader, instance: Instance, name: str, value: Any) -> None:
    attach(reader, instance, name, value)


def _append(reader: Reader, instance: Instance, value: Any) -> Instance:
    attach(reader, instance, str(len(elements(instance))), value)
    return instance


HOOKS = ("forward_pre_hook", "forward_hook", "full_backward_pre_hook", "full_backward_hook")
for _name in HOOKS:
    TORCH[f"torch.nn.modules.module.register_module_{_name}"] = _register_hook(_name, True)

METHODS: dict[str, Callable[..., Any]] = {
    "parameters": lambda reader, m, recurse=True: [one for _, one in named_parameters(reader, m)],
    "named_parameters": lambda reader, m, prefix="", recurse=True: named_parameters(reader, m),
    "buffers": lambda reader, m: [one for _, one in named_tensors(reader, m)][
        len(named_parameters(reader, m)) :
    ],
    "named_buffers": lambda reader, m: named_tensors(reader, m)[len(named_parameters(reader, m)) :],
    "children": lambda reader, m: [one for _, one in children(m)],
    "named_children": lambda reader, m: list(children(m)),
    "modules": lambda reader, m: [one for _, one in named_modules(m)],
    "named_modules": lambda reader, m: list(named_modules(m)),
    "train": _train,
    "eval": lambda reader, m: _train(reader, m, False),
    "to": _to,
    "cpu": lambda reader, m: m,
    "cuda": lambda reader, m: m,
    "double": lambda reader, m: _to(reader, m, Path("torch.float64")),
    "float": lambda reader, m: _to(reader, m, Path("torch.float32")),
    "requires_grad_": _require,
    "zero_grad": _zero_grad,
    "state_dict": _state_dict,
    "load_state_dict": _load_state_dict,
    "apply": _apply,
    "register_buffer": _register_buffer,
    "register_parameter": _register_parameter,
    "add_module": _register_parameter,
    "register_module": _register_parameter,
    **{f"register_{name}": _register_hook(name, False) for name in HOOKS},
    "get_parameter": lambda reader, m, target: dict(named_parameters(reader, m))[target],
    "append": _append,
    "items": lambda reader, m: [(key, value) for key, value in m.fields.items() if _is_registered(key)],
    "keys": lambda reader, m: [key for key in m.fields if _is_registered(key)],
    "values": lambda reader, m: elements(m),
}


def instance_item(reader: Reader, instance: Instance, index: Any, node: ast.AST) -> Any:
    """Return an element of a container."""
    if isinstance(instance.of, Class) and "__getitem__" in instance.of.members:
        return reader.call(reader.attribute(instance, "__getitem__", node), [index], {}, node)
    parts = elements(instance)
    if isinstance(index, str) and index in instance.fields:
        return instance.fields[index]
    if isinstance(index, slice) and not isinstance(instance.of, Class):
        made = Instance(instance.of, {"training": instance.fields["training"]})
        made.fields |= {str(i): one for i, one in enumerate(parts[index])}
        return made
    if type(index) is not int or not -len(parts) <= index < len(parts) or isinstance(instance.of, Class):
        raise Refused("This object has no such element.", at=node)
    return parts[index]


def instance_items(reader: Reader, instance: Instance, node: ast.AST) -> list[Any]:
    """Return what a loop over a container yields."""
    if isinstance(instance.of, Class):
        raise Refused("This object cannot be iterated over.", at=node)
    if instance.of.endswith("Dict"):
        return [key for key in instance.fields if _is_registered(key)]
    return elements(instance)


def set_instance_item(reader: Reader, instance: Instance, index: Any, value: Any, target: ast.AST) -> None:
    """Put something into a container."""
    attach(reader, instance, str(index), value)


def field_set(reader: Reader, instance: Instance, name: str, value: Any) -> None:
    """Name the parameters of what becomes an attribute of a module."""
    attach(reader, instance, name, value)


def named(reader: Reader, value: Any, name: str) -> None:
    """Note the name of a module, or of the modules in a list."""
    if isinstance(value, Instance):
        reader.state(Modules).tops.append((name, value))
    elif type(value) in (list, tuple):
        for i, one in enumerate(value[:64]):
            if isinstance(one, Instance):
                reader.state(Modules).tops.append((f"{name}.{i}", one))


def call_class(reader: Reader, owner: Class, args: list, keywords: dict, node: ast.AST | None) -> Any:
    """Call a class of the text."""
    return instantiate(reader, owner, args, keywords, node)


TORCH["super.__init__"] = lambda reader, *_, **__: None


# Initial numbers.


def _fans(reader: Reader, x: Array) -> tuple[int, int]:
    shape = shape_of(reader, x)
    if len(shape) < 2:
        raise LibraryError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions.")
    field_size = prod(shape[2:])
    return shape[1] * field_size, shape[0] * field_size


def _gain(nonlinearity: str, a: Any = None) -> float:
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if a is None else a) ** 2))
    known = {"relu": math.sqrt(2.0), "tanh": 5.0 / 3, "selu": 0.75}
    return known.get(nonlinearity, 1.0)


TORCH["torch.nn.init.calculate_gain"] = lambda reader, nonlinearity, param=None: _gain(nonlinearity, param)


def initial(name: str) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Register a function of `nn.init`, which changes a tensor without a gradient."""

    def register(function: Callable[..., Array]) -> Callable[..., Array]:
        def read(reader: Reader, tensor: Array, *args: Any, **keywords: Any) -> Array:
            with reader.grad_enabled(False):
                return function(reader, tensor, *args, **keywords)

        TORCH[f"torch.nn.init.{name}"] = read
        return read

    return register


def _filling(reader: Reader, x: Array, value: float) -> Array:
    fill = in_place_method("fill_")
    assert fill is not None
    return fill(reader, x, value)


initial("constant_")(lambda reader, x, val: _filling(reader, x, val))
initial("ones_")(lambda reader, x: _filling(reader, x, 1.0))
initial("zeros_")(lambda reader, x: _filling(reader, x, 0.0))
initial("eye_")(
    lambda reader, x: copy_to(
        reader, x, constant(reader, np.eye(*sized(shape_of(reader, x))), "torch", x.dtype)
    )
)
initial("uniform_")(
    lambda reader, x, a=0.0, b=1.0: fill_drawn(
        reader, x, generator(reader).uniform(shape_of(reader, x), a, b, x.dtype), "uniform_"
    )
)
initial("normal_")(
    lambda reader, x, mean=0.0, std=1.0: fill_drawn(
        reader, x, generator(reader).normal(shape_of(reader, x), mean, std, x.dtype), "normal_"
    )
)


def _drawn_within(reader: Reader, x: Array, std: float, uniformly: bool) -> Array:
    shape = shape_of(reader, x)
    if uniformly:
        bound = math.sqrt(3.0) * std
        return fill_drawn(
            reader, x, generator(reader).uniform(shape, -bound, bound, x.dtype), "an initializer"
        )
    return fill_drawn(reader, x, generator(reader).normal(shape, 0.0, std, x.dtype), "an initializer")


def _xavier(uniformly: bool) -> Callable[..., Array]:
    return lambda reader, x, gain=1.0: _drawn_within(
        reader, x, gain * math.sqrt(2.0 / sum(_fans(reader, x))), uniformly
    )


def _kaiming(uniformly: bool) -> Callable[..., Array]:
    return lambda reader, x, a=0, mode="fan_in", nonlinearity="leaky_relu": _drawn_within(
        reader, x, _gain(nonlinearity, a) / math.sqrt(_fans(reader, x)[mode == "fan_out"]), uniformly
    )


initial("xavier_uniform_")(_xavier(True))
initial("xavier_normal_")(_xavier(False))
initial("kaiming_uniform_")(_kaiming(True))
initial("kaiming_normal_")(_kaiming(False))


def install(reader: Reader) -> None:
    """Teach a reader modules."""
    reader.handlers.call[Class] = call_class
    reader.handlers.call[Instance] = call_instance
    reader.handlers.attribute[Super] = super_attribute
    reader.handlers.attribute[Instance] = instance_attribute
    reader.handlers.item[Instance] = instance_item
    reader.handlers.items[Instance] = instance_items
    reader.handlers.set_item[Instance] = set_instance_item
    reader.handlers.field_set = field_set
    reader.handlers.named["torch.nn"] = named
