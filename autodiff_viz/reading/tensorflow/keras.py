"""Read Keras: layers and their weights, models, losses, descent.

A weight is called as Keras calls it, by its path such as "sequential/dense/kernel". Initial weights are drawn
unless an initializer or `set_weights` gives them, so what depends on drawn ones is no answer.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from autodiff_viz.functions.known_functions import op
from autodiff_viz.graph.model import IDENTITY, INPUT, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.ops.params import INITIALIZERS
from autodiff_viz.reading.functions import arrays, elements
from autodiff_viz.reading.functions.arrays import FUNCTIONS, as_literal, constant, shape_of
from autodiff_viz.reading.functions.draws import Draws
from autodiff_viz.reading.functions.library_calls import call_jax, jax_function, nodes_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import (
    FLOATS,
    Array,
    Class,
    Function,
    Instance,
    Native,
    Path,
    Refused,
    leaves,
    method_of,
)
from autodiff_viz.reading.nodes.builder import Frame, Ref
from autodiff_viz.reading.nodes.costs import WALKED, LibraryError, pay_values, sized
from autodiff_viz.reading.tensorflow import functions
from autodiff_viz.reading.tensorflow.functions import (
    add,
    clip_by_value,
    fold,
    multiply,
    softmax_cross_entropy,
    subtract,
)
from autodiff_viz.reading.tensorflow.tapes import (
    UPDATES,
    Tape,
    Variable,
    Variables,
    _derivatives,
    _drawn,
    assign,
    enter_tape,
    gradients,
    make_variable,
    variable_of,
)
from autodiff_viz.reading.tensorflow.tensors import TF, floating, tensor

KERAS: arrays.Table = {}
EPSILON = 1e-7


@dataclass(eq=False)
class Names:
    """The names that Keras has given, and the layers that are being called."""

    counts: dict[str, int] = field(default_factory=dict)
    scope: list[str] = field(default_factory=list)

    def name(self, kind: str, given: Any = None) -> str:
        """Return the name that a layer is given, or the next automatic one of its kind."""
        if isinstance(given, str) and given:
            return given
        count = self.counts.get(kind, 0)
        self.counts[kind] = count + 1
        return f"{kind}_{count}" if count else kind


def snake(name: str) -> str:
    """Return the name of a class as Keras writes it in names: "MyModel" is "my_model"."""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


@dataclass(eq=False)
class Layer:
    """A layer of Keras.

    Attributes:
      kind: its class, such as "Dense".
      name: its own or automatic name.
      options: its arguments.
      weights: its variables by attribute.
      layers: those inside a Sequential or a functional model.
    """

    kind: str
    name: str
    options: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, Array] = field(default_factory=dict)
    layers: list[Any] = field(default_factory=list)
    built: bool = False
    inputs: Any = None
    outputs: Any = None


@dataclass(eq=False)
class Symbolic:
    """A tensor of the functional way of writing: a layer's value for others, which is computed in a call."""

    shape: tuple[Any, ...] | None = None
    layer: Any = None
    args: list[Any] = field(default_factory=list)
    keywords: dict[str, Any] = field(default_factory=dict)


# Initial weights.


@dataclass(eq=False)
class Initializer:
    """What gives a weight its first numbers: a value, or a draw."""

    value: Any = None
    draws: str = ""


FIXED = {"zeros": 0.0, "ones": 1.0}
DRAWN = (
    *("glorot_uniform", "glorot_normal", "he_normal", "he_uniform", "lecun_normal", "lecun_uniform"),
    *("random_normal", "random_uniform", "truncated_normal", "orthogonal", "uniform", "normal"),
)


def _initializer(value: Any = None, draws: str = "") -> Callable[..., Initializer]:
    def make(reader: Reader, *args: Any, **options: Any) -> Initializer:
        if draws:
            return Initializer(draws=draws)
        if value is None:
            return Initializer(args[0] if args else options.get("value", 0.0))
        return Initializer(value)

    return make


DRAWN_CLASSES = (
    "GlorotUniform GlorotNormal HeNormal HeUniform LecunNormal RandomNormal RandomUniform "
    "TruncatedNormal Orthogonal"
)
for _name, _value in {"Zeros": 0.0, "Ones": 1.0, "Constant": None}.items():
    for _begin in ("tensorflow.keras.initializers.", "tensorflow.initializers."):
        KERAS[_begin + _name] = KERAS[_begin + _name.lower()] = _initializer(_value)
    for _begin in ("tensorflow.", "tensorflow.compat.v1."):
        KERAS[f"{_begin}{_name.lower()}_initializer"] = _initializer(_value)
for _name in DRAWN_CLASSES.split():
    for _begin in ("tensorflow.keras.initializers.", "tensorflow.initializers."):
        KERAS[_begin + _name] = _initializer(draws=_name)
for _name in ("random_normal_initializer", "random_uniform_initializer", "glorot_uniform_initializer"):
    for _begin in ("tensorflow.", "tensorflow.compat.v1."):
        KERAS[_begin + _name] = _initializer(draws=_name)


def first_value(reader: Reader, initializer: Any, shape: tuple[int, ...], what: str, label: str) -> Array:
    """Return the first numbers of a weight."""
    if isinstance(initializer, Path):  # the class itself
        initializer = reader.call(initializer, [], {})
    if isinstance(initializer, str):
        if initializer not in (*FIXED, *DRAWN):
            raise Refused(
                f"The initializer {initializer!r} is not read.", "There are 'zeros', 'ones' and Constant."
            )
        is_drawn = initializer in DRAWN
        initializer = Initializer(draws=initializer) if is_drawn else Initializer(FIXED[initializer])
    if isinstance(initializer, (Function, Native)):
        return tensor(reader, reader.call(initializer, [list(shape)], {}))
    if not isinstance(initializer, Initializer):
        raise Refused("This initializer is not read.", "There are 'zeros', 'ones' and Constant.")
    sizes = arrays.shape_argument(shape) if shape else ()
    if initializer.draws:
        known = {"init": initializer.draws} if initializer.draws in INITIALIZERS and len(sizes) >= 2 else {}
        named = f"{what} ({initializer.draws})"
        drawn = reader.state(Draws).draw(reader, INPUT, named, shape=sizes, trainable=True, **known)
        return Array(drawn, "tf")
    value = initializer.value
    numbers = np.array(reader.numbers(value) if isinstance(value, Array) else value, float)
    try:
        same = numbers.size == math.prod(sizes)
        numbers = numbers.reshape(sizes) if same else np.broadcast_to(numbers, sized(sizes))
    except ValueError as error:
        raise Refused(f"{error}.".capitalize(), code="shape-mismatch") from None
    return constant(reader, numbers.copy(), "tf", "float32")


def weight(
    reader: Reader, owner: str, name: str, shape: tuple[int, ...], initializer: Any, trainable: bool = True
) -> Array:
    """Return a new weight of a layer, called by its path."""
    path = "/".join([*reader.state(Names).scope, name])
    first = first_value(reader, initializer, shape, owner, path)
    if isinstance(first.held, Ref):  # a draw is the variable's own node
        made = Array(first.held, "tf", first.dtype)
        reader.state(Variables).by_id[id(made)] = Variable(made, [first.held], trainable, path, True)
    else:
        made = make_variable(reader, first, trainable, None, path, True)
    hint = path.replace("/", "_")
    reader.builder.drafts[made.held.number].hint = hint if hint.isidentifier() else ""
    return made


# Layers.

OPTIONS: dict[str, tuple[str, ...]] = {
    kind: tuple(names.split())
    for kind, names in {
        "Dense": "units activation use_bias kernel_initializer bias_initializer",
        "Conv2D": (
            "filters kernel_size strides padding data_format dilation_rate groups activation "
            "use_bias kernel_initializer bias_initializer"
        ),
        "Flatten": "",
        "Activation": "activation",
        "ReLU": "max_value negative_slope threshold",
        "LeakyReLU": "negative_slope alpha",
        "ELU": "alpha",
        "Softmax": "axis",
        "Dropout": "rate noise_shape seed",
        "MaxPooling2D": "pool_size strides padding",
        "AveragePooling2D": "pool_size strides padding",
        "GlobalAveragePooling2D": "",
        "GlobalAveragePooling1D": "",
        "Reshape": "target_shape",
        "Lambda": "function",
        "LayerNormalization": "axis epsilon center scale beta_initializer gamma_initializer",
        "BatchNormalization": "axis momentum epsilon center scale",
        "Embedding": "input_dim output_dim embeddings_initializer",
        "Add": "",
        "Subtract": "",
        "Multiply": "",
        "Concatenate": "axis",
        "Identity": "",
    }.items()
}
"""Layers that are read, with the arguments that are, in their order."""

_HARMLESS = "name dtype input_shape input_dim trainable batch_input_shape data_format seed noise_shape"
HARMLESS = _HARMLESS.split()
ALIASES = {"Convolution2D": "Conv2D", "MaxPool2D": "MaxPooling2D", "AvgPool2D": "AveragePooling2D"}


def _maker(kind: str) -> Callable[..., Layer]:
    def make(reader: Reader, *args: Any, **keywords: Any) -> Layer:
        known = OPTIONS[kind]
        if len(args) > len(known):
            raise Refused(f"{kind}() takes {len(known)} values, and {len(args)} are given.")
        options = {**dict(zip(known, args, strict=False)), **keywords}
        unread = [
            name
            for name, value in options.items()
            if name not in known and name not in HARMLESS and value is not None
        ]
        if unread:
            raise Refused(f"{kind} is not read with {', '.join(unread)}.")
        for name, usual in (
            ("data_format", "channels_last"),
            ("dilation_rate", 1),
            ("groups", 1),
            ("noise_shape", None),
        ):
            if options.get(name) not in (None, usual, (usual, usual), [usual, usual]):
                raise Refused(f"{kind} is not read with {name}={options[name]!r}.")
        if kind == "AveragePooling2D" and options.get("pool_size") is None:
            raise LibraryError(f"{kind}.__init__() missing 1 required positional argument: 'pool_size'")
        reader.frameworks.add("tf")
        return Layer(kind, reader.state(Names).name(snake(kind), options.get("name")), options)

    return make


for _begin in ("tensorflow.keras.layers.", "tensorflow.compat.v1.keras.layers."):
    for _kind in OPTIONS:
        KERAS[_begin + _kind] = _maker(_kind)
    for _alias, _kind in ALIASES.items():
        KERAS[_begin + _alias] = _maker(_kind)


def sequential(reader: Reader, layers: Any = None, trainable: Any = True, name: Any = None) -> Layer:
    """Read `tf.keras.Sequential`."""
    kept = [one for one in layers or [] if not isinstance(one, Symbolic)]
    return Layer("Sequential", reader.state(Names).name("sequential", name), layers=kept)


def symbolic_input(
    reader: Reader, shape: Any = None, batch_size: Any = None, dtype: Any = None, **options: Any
) -> Symbolic:
    """Read `tf.keras.Input`."""
    return Symbolic(tuple(shape) if isinstance(shape, (tuple, list)) else None)


def model(reader: Reader, inputs: Any = None, outputs: Any = None, name: Any = None, **options: Any) -> Layer:
    """Read `tf.keras.Model(inputs, outputs)`."""
    name = reader.state(Names).name("functional", name)
    waiting, seen = [leaf for _, leaf in leaves(outputs)], set()
    order: list[Any] = []
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, Symbolic) and id(one) not in seen:
            seen.add(id(one))
            if one.layer is not None and one.layer not in order:
                order.insert(0, one.layer)
            waiting += [leaf for _, leaf in leaves(one.args)]
    return Layer("Functional", name, layers=order, inputs=inputs, outputs=outputs)


for _begin in ("tensorflow.keras.", "tensorflow.keras.models."):
    KERAS[f"{_begin}Sequential"], KERAS[f"{_begin}Model"] = sequential, model
KERAS["tensorflow.keras.Input"] = KERAS["tensorflow.keras.layers.Input"] = symbolic_input
KERAS["tensorflow.keras.layers.InputLayer"] = KERAS["tensorflow.keras.InputLayer"] = symbolic_input


def activation_of(reader: Reader, activation: Any, x: Array) -> Array:
    """Return the activation of a layer's value."""
    if activation is None or activation == "linear":
        return x
    if isinstance(activation, str):
        path = f"tensorflow.keras.activations.{activation}"
        if path not in reader.tables:
            raise Refused(f"The activation {activation!r} is not read.", reader.nearest(path))
        return reader.call(Path(path), [x], {})
    return reader.call(activation, [x], {})


def activation_named(reader: Reader, identifier: Any) -> Any:
    """Read `tf.keras.activations.get`."""
    if identifier is None:
        return Path("tensorflow.keras.activations.linear")
    return Path(f"tensorflow.keras.activations.{identifier}") if isinstance(identifier, str) else identifier


KERAS["tensorflow.keras.activations.get"] = activation_named


def _build_kernel(reader: Reader, layer: Layer, sizes: tuple[Any, ...]) -> None:
    options = layer.options
    first = options.get("kernel_initializer", "glorot_uniform")
    layer.weights["kernel"] = weight(reader, layer.name, "kernel", sizes, first)
    if options.get("use_bias", True):
        first = options.get("bias_initializer", "zeros")
        layer.weights["bias"] = weight(reader, layer.name, "bias", sizes[-1:], first)


def _build_conv(reader: Reader, layer: Layer, shape: tuple[Any, ...]) -> None:
    sizes = layer.options["kernel_size"]
    sizes = (sizes, sizes) if type(sizes) is int else tuple(sizes)
    _build_kernel(reader, layer, (*sizes, shape[-1], layer.options["filters"]))


def _build_norm(reader: Reader, layer: Layer, shape: tuple[Any, ...]) -> None:
    options = layer.options
    if options.get("axis", -1) not in (-1, len(shape) - 1, [-1], (-1,)):
        raise Refused(f"{layer.kind} is read along the last axis.")
    for name, first, option in (("gamma", "ones", "scale"), ("beta", "zeros", "center")):
        if options.get(option, True):
            given = options.get(f"{name}_initializer", first)
            layer.weights[name] = weight(reader, layer.name, name, shape[-1:], given)
    if layer.kind == "BatchNormalization":
        for name, first in (("moving_mean", "zeros"), ("moving_variance", "ones")):
            layer.weights[name] = weight(reader, layer.name, name, shape[-1:], first, False)


def _build_embedding(reader: Reader, layer: Layer, shape: tuple[Any, ...]) -> None:
    options = layer.options
    sizes = (options["input_dim"], options["output_dim"])
    first = options.get("embeddings_initializer", "uniform")
    layer.weights["embeddings"] = weight(reader, layer.name, "embeddings", sizes, first)


BUILDS: dict[str, Callable[[Reader, Layer, tuple[Any, ...]], None]] = {
    "Dense": lambda reader, layer, shape: _build_kernel(reader, layer, (shape[-1], layer.options["units"])),
    "Conv2D": _build_conv,
    "LayerNormalization": _build_norm,
    "BatchNormalization": _build_norm,
    "Embedding": _build_embedding,
}
"""How a layer makes its weights, of the shape that it is called with."""


def build(reader: Reader, layer: Layer, shape: tuple[Any, ...]) -> None:
    """Make the weights of a layer, once."""
    if not layer.built and layer.kind in BUILDS:
        if len(shape) < 2 and layer.kind != "Embedding":
            raise Refused(
                f"{layer.kind} is called with a batch: shape (batch, features).",
                "Write x[None, :].",
                "shape-mismatch",
            )
        for name in ("units", "filters", "kernel_size", "input_dim", "output_dim"):
            if name in OPTIONS[layer.kind] and name not in layer.options:
                raise Refused(f"{layer.kind}() also needs {name}.")
        BUILDS[layer.kind](reader, layer, shape)
        for one in layer.weights.values():
            if layer.options.get("trainable") is False:
                variable_of(reader, one).trainable = False
    layer.built = True


def _dense(reader: Reader, layer: Layer, x: Array, training: Any) -> Array:
    if len(shape_of(reader, x)) < 2:
        raise Refused("A Dense layer is called with rows: shape (batch, features).", "Write x[None, :].")
    value = reader.make("matmul", [x, layer.weights["kernel"]], dtype=x.dtype)
    if "bias" in layer.weights:
        value = add(reader, value, layer.weights["bias"])
    return activation_of(reader, layer.options.get("activation"), value)


def _padding(layer: Layer) -> str:
    padding = str(layer.options.get("padding", "valid")).upper()
    if padding not in ("SAME", "VALID"):
        raise Refused(f"{layer.kind} is read with padding 'same' or 'valid'.")
    return padding


def _conv(reader: Reader, layer: Layer, x: Array, training: Any) -> Array:
    options, kernel, bias = layer.options, layer.weights["kernel"], layer.weights.get("bias")
    strides = options.get("strides", 1)
    value = functions.convolved(reader, x, kernel, bias, strides, _padding(layer), layer.kind)
    return activation_of(reader, options.get("activation"), value)


def _pool(op: str) -> Callable[[Reader, Layer, Array, Any], Array]:
    def run(reader: Reader, layer: Layer, x: Array, training: Any) -> Array:
        window = layer.options.get("pool_size", 2)
        strides = layer.options.get("strides")
        strides = window if strides is None else strides
        return functions.pool(reader, op, x, window, strides, _padding(layer), layer.kind)

    return run


def _flat(reader: Reader, layer: Layer, x: Array, training: Any) -> Array:
    shape = shape_of(reader, x)
    return functions._reshaped(reader, x, (shape[0], math.prod(shape[1:])))


def _relu_layer(reader: Reader, layer: Layer, x: Array, training: Any) -> Array:
    options = layer.options
    if options.get("max_value") == 6 and not options.get("negative_slope") and not options.get("threshold"):
        return functions.relu6(reader, x)
    if options.get("max_value") is not None or options.get("threshold"):
        raise Refused("ReLU is read without max_value and threshold.")
    if options.get("negative_slope"):
        return functions.leaky_relu(reader, x, options["negative_slope"])
    return TF["tensorflow.nn.relu"](reader, x)


def _leaky_layer(reader: Reader, layer: Layer, x: Array, training: Any) -> Array:
    return functions.leaky_relu(
        reader, x, layer.options.get("negative_slope", layer.options.get("alpha", 0.3))
    )


def _elu_layer(reader: Reader, layer: Layer, x: Array, training: Any) -> Array:
    if layer.options.get("alpha", 1.0) != 1.0:
        raise Refused("ELU is read with alpha=1.")
    return TF["tensorflow.nn.elu"](reader, x)


def _dropout(reader: Reader, layer: Layer, x: Array, training: Any) -> Array:
    return functions.dropout(reader, x, layer.options.get("rate", 0.0)) if training else x


def _scaled(x, mean, variance, gamma, beta, epsilon):
    value = (x - mean) * functions.rsqrt(variance + epsilon)
    value = value if gamma is None else value * gamma
    return value if beta is None else value + beta


def layer_norm(x, gamma, beta, epsilon):
    """Return rows with mean 0 and variance 1, times gamma, plus beta."""
    mean = x.mean(-1, keepdims=True)
    return _scaled(x, mean, jnp.square(x - mean).mean(-1, keepdims=True), gamma, beta, epsilon)


def batch_norm(x, mean, variance, gamma, beta, epsilon):
    """Return columns less a mean over a variance: those of the batch, unless others are given."""
    if mean is None:
        axes = tuple(range(x.ndim - 1))
        mean = x.mean(axes)
        variance = jnp.square(x - mean).mean(axes)
    return _scaled(x, mean, variance, gamma, beta, epsilon)


def _layer_norm(reader: Reader, layer: Layer, x: Array, training: Any) -> Array:
    weights, epsilon = layer.weights, layer.options.get("epsilon", 1e-3)
    return nodes_of(reader, layer_norm, x, weights.get("gamma"), weights.get("beta"), epsilon)


def _batch_norm(reader: Reader, layer: Layer, x: Array, training: Any) -> Array:
    weights, epsilon = layer.weights, layer.options.get("epsilon", 1e-3)
    known = (weights["moving_mean"], weights["moving_variance"])
    if training:
        known = (None, None)
        reader.say(reader.line, "the moving mean and variance of BatchNormalization are left as they are")
    return nodes_of(reader, batch_norm, x, *known, weights.get("gamma"), weights.get("beta"), epsilon)


def _joined(op: Callable[..., Array]) -> Callable[[Reader, Layer, Any, Any], Array]:
    def run(reader: Reader, layer: Layer, x: Any, training: Any) -> Array:
        total = x[0]
        for one in x[1:]:
            total = op(reader, total, one)
        return total

    return run


RUNS: dict[str, Callable[[Reader, Layer, Any, Any], Any]] = {
    "Dense": _dense,
    "Conv2D": _conv,
    "Flatten": _flat,
    "Activation": lambda reader, layer, x, training: activation_of(reader, layer.options["activation"], x),
    "ReLU": _relu_layer,
    "LeakyReLU": _leaky_layer,
    "ELU": _elu_layer,
    "Softmax": lambda reader, layer, x, training: TF["tensorflow.nn.softmax"](
        reader, x, layer.options.get("axis", -1)
    ),
    "Dropout": _dropout,
    "MaxPooling2D": _pool("max_pool"),
    "AveragePooling2D": _pool("avg_pool"),
    "GlobalAveragePooling2D": lambda reader, layer, x, training: fold(reader, "mean", x, [1, 2], False),
    "GlobalAveragePooling1D": lambda reader, layer, x, training: fold(reader, "mean", x, 1, False),
    "Reshape": lambda reader, layer, x, training: functions.reshape(
        reader, x, (shape_of(reader, x)[0], *layer.options["target_shape"])
    ),
    "Lambda": lambda reader, layer, x, training: reader.call(layer.options["function"], [x], {}),
    "LayerNormalization": _layer_norm,
    "BatchNormalization": _batch_norm,
    "Embedding": lambda reader, layer, x, training: functions.gather(reader, layer.weights["embeddings"], x),
    "Add": _joined(add),
    "Subtract": _joined(subtract),
    "Multiply": _joined(multiply),
    "Concatenate": lambda reader, layer, x, training: functions.concat(
        reader, x, layer.options.get("axis", -1)
    ),
    "Identity": lambda reader, layer, x, training: x,
}
"""What a layer computes, of its weights, its input and whether it trains."""


@contextmanager
def _inside(reader: Reader, name: str) -> Iterator[None]:
    """Collect what is made meanwhile in a group, and put the name before those of weights."""
    scope = reader.state(Names).scope
    scope.append(name)
    try:
        with reader.frame(Frame(name, None)):
            yield
    finally:
        scope.pop()


def call_layer(reader: Reader, layer: Layer, args: list, keywords: dict, node: ast.AST | None) -> Any:
    """Call a layer or a model of layers: its nodes are a group."""
    training = keywords.pop("training", args[1] if len(args) > 1 else None)
    if keywords.keys() - {"mask"} or len(args) > 2 or not args:
        raise Refused("A layer is called with its input, and training=.", at=node)
    if any(isinstance(leaf, Symbolic) for _, leaf in leaves(args[0])):
        return Symbolic(None, layer, [args[0]], {"training": training})
    if layer.kind == "Functional":
        return _functional(reader, layer, args[0], training)
    with _inside(reader, layer.name):
        if layer.kind == "Sequential":
            value = _input(reader, args[0])
            for one in layer.layers:
                trains = isinstance(one, Layer) or "training" in _parameters(one)
                options = {"training": training} if training is not None and trains else {}
                value = reader.call(one, [value], options, node)
            return value
        x = _input(reader, args[0]) if layer.kind != "Embedding" else tensor(reader, args[0])
        build(reader, layer, shape_of(reader, x) if isinstance(x, Array) else ())
        return RUNS[layer.kind](reader, layer, x, training)


def _parameters(one: Any) -> list[str]:
    """Return the parameters of an object's `call`; none of anything else."""
    of = one.of if isinstance(one, Instance) else None
    member = of.members.get("call") if isinstance(of, Class) else None
    if not isinstance(member, Function):
        return []
    return [*member.parameters(), *(a.arg for a in member.args.kwonlyargs)]


def _input(reader: Reader, value: Any) -> Any:
    """Return a layer's input as tensors of floats, as Keras casts it."""
    if isinstance(value, (list, tuple)) and any(isinstance(one, Array) for one in value):
        return [_input(reader, one) for one in value]
    x = tensor(reader, value)
    return x if x.dtype == "float32" else functions.cast(reader, x, "float32")


def _functional(reader: Reader, layer: Layer, given: Any, training: Any) -> Any:
    inputs = [leaf for _, leaf in leaves(layer.inputs)]
    values = [given] if len(inputs) == 1 and not isinstance(given, (list, tuple)) else list(given)
    known = {id(one): _input(reader, value) for one, value in zip(inputs, values, strict=True)}

    def value_of(one: Any) -> Any:
        if isinstance(one, (list, tuple)):
            return [value_of(each) for each in one]
        if not isinstance(one, Symbolic):
            return one
        if id(one) not in known:
            if one.layer is None:
                raise Refused("This model reads an input that it is not given.")
            options = {"training": training} if training is not None and isinstance(one.layer, Layer) else {}
            known[id(one)] = reader.call(one.layer, [value_of(arg) for arg in one.args], options)
        return known[id(one)]

    return value_of(layer.outputs)


def _parts(instance: Instance) -> list[Any]:
    """Return the layers, models and modules among the fields of an object."""
    fields = sorted(instance.fields.items()) if _module(instance) else list(instance.fields.items())
    return [one for _, each in fields for _, one in leaves(each) if isinstance(one, (Layer, Instance))]


def weights_of(reader: Reader, value: Any, only: bool | None = True) -> Iterator[Array]:
    """Yield the weights of a layer, a model or an object of the text; `only` those trained, or not."""
    if isinstance(value, Layer):
        owns = list(value.weights.values())
        inside = list(value.layers)
    elif isinstance(value, Instance):
        owns, inside = list(value.fields.get("\0weights", [])), _parts(value)
        if _module(value):
            fields = sorted(value.fields.items())
            owns = [one for _, each in fields for _, one in leaves(each) if variable_of(reader, one)]
    else:
        return
    pay_values(WALKED + len(owns) + len(inside))  # a layer that is in two places is walked twice
    for one in owns:
        if only is None or variable_of(reader, one).trainable is only:
            yield one
    for one in inside:
        yield from weights_of(reader, one, only)


def shared_attribute(reader: Reader, owner: Any, name: str, node: ast.AST) -> tuple[bool, Any]:
    """Return (whether it is an attribute that layers and models share, its value)."""
    if name in ("trainable_weights", "trainable_variables"):
        return True, list(weights_of(reader, owner))
    if name in ("weights", "variables"):
        return True, list(weights_of(reader, owner, None))
    if name in ("non_trainable_weights", "non_trainable_variables"):
        return True, list(weights_of(reader, owner, False))
    if name in ("get_weights", "set_weights", "summary"):
        known = {
            "get_weights": lambda: [functions.numpy_of(reader, x) for x in weights_of(reader, owner, None)],
            "set_weights": lambda weights: set_weights(reader, owner, weights),
            "summary": lambda **options: None,
        }
        return True, method_of("A layer", known, name, node)
    if name in ("compile", "fit", "evaluate", "predict", "train_on_batch"):
        raise Refused(f"{name}() is not read.", "Write the step out with tf.GradientTape.", at=node)
    return False, None


def set_weights(reader: Reader, owner: Any, values: Any) -> None:
    """Give a layer or a model its weights."""
    owned = list(weights_of(reader, owner, None))
    if len(owned) != len(list(values)):
        raise Refused(
            f"set_weights() gets {len(list(values))} arrays, and there are {len(owned)} weights.",
            "Call the layer or build() first.",
        )
    for one, value in zip(owned, values, strict=True):
        set_first(reader, one, value)


def set_first(reader: Reader, one: Array, value: Any) -> None:
    """Give a weight its numbers; where nothing has read it yet, its first node gets them."""
    record = variable_of(reader, one)
    new = tensor(reader, value, one.dtype if not isinstance(value, Array) else None)
    if new.dtype != one.dtype:
        new = functions.cast(reader, new, one.dtype)
    number = one.held.number
    unread = all(one.held not in draft.slots for draft in reader.builder.drafts)
    if (
        unread
        and not isinstance(new.held, Ref)
        and shape_of(reader, new) == shape_of(reader, one)
        and len(record.held) == 1
    ):
        reader.builder.drafts[number].params = {"value": new.held, "trainable": True}
        reader.builder.forget_numbers()
        reader.state(Draws).named.pop(number, None)
        return
    assign(reader, one, new)


def layer_attribute(reader: Reader, layer: Layer, name: str, node: ast.AST) -> Any:
    """Return an attribute of a layer or a model of layers."""
    done, value = shared_attribute(reader, layer, name, node)
    if done:
        return value
    if name in layer.weights:
        return layer.weights[name]
    if name == "layers":
        return list(layer.layers)
    if name == "name":
        return layer.name
    if name in ("units", "filters", "rate", "activation") and name in layer.options:
        return layer.options[name]
    if name == "trainable":
        return layer.options.get("trainable", True)
    if name == "built":
        return layer.built
    if name in ("input", "output", "inputs", "outputs"):
        return getattr(layer, name if name.endswith("s") else f"{name}s")

    def add(one: Any) -> None:
        if not isinstance(one, Symbolic):
            layer.layers.append(one)

    def get_layer(name: Any = None, index: Any = None) -> Any:
        for i, one in enumerate(layer.layers):
            if i == index or getattr(one, "name", "") == name:
                return one
        raise Refused("There is no such layer.", at=node)

    known = {
        "get_layer": get_layer,
        "call": lambda *args, **keywords: call_layer(reader, layer, list(args), keywords, node),
        "build": lambda input_shape=None: _build(reader, layer, input_shape),
    }
    if layer.kind == "Sequential":
        known |= {"add": add, "pop": lambda: layer.layers.pop() and None}
    if name not in known:
        hint = "Its weights are there once it is called or built."
        raise Refused(f"A layer has no {name!r} that is read.", hint, at=node)
    return method_of("A layer", known, name, node)


def _build(reader: Reader, layer: Layer, shape: Any) -> None:
    if layer.built:
        return
    if not isinstance(shape, (tuple, list)):
        raise Refused("build() needs a shape, such as (None, 3).")
    if layer.kind in ("Sequential", "Functional"):
        # Each layer is built by what the one before returns, so the model is called once; what it computed is
        # left out.
        first = len(reader.builder.drafts)
        example = constant(
            reader, np.zeros(sized(1 if one is None else one for one in shape)), "tf", "float32"
        )
        call_layer(reader, layer, [Array(reader.builder.input(example.held, ""), "tf", "float32")], {}, None)
        kept = {one.held.number for one in weights_of(reader, layer, None)}
        reader.builder.left_out |= {n for n in range(first, len(reader.builder.drafts)) if n not in kept}
        for frame in reader.builder.frames:
            frame.numbers -= reader.builder.left_out
        return
    names = reader.state(Names)
    names.scope.append(layer.name)
    try:
        build(reader, layer, tuple(shape))
    finally:
        names.scope.pop()


def set_layer_attribute(reader: Reader, layer: Layer, name: str, value: Any, target: ast.AST) -> None:
    """Set an attribute of a layer: whether it is trained."""
    if name != "trainable" or not isinstance(value, bool):
        raise Refused(f"{name!r} of a layer cannot be set here.", at=target)
    layer.options["trainable"] = value
    for one in weights_of(reader, layer, None):
        if "moving" not in variable_of(reader, one).name:
            variable_of(reader, one).trainable = value
    for one in layer.layers:
        if isinstance(one, Layer):
            set_layer_attribute(reader, one, name, value, target)


# Classes of the text.


def _bases(instance: Instance) -> tuple[str, ...]:
    return instance.of.bases if isinstance(instance.of, Class) else ()


def _keras(instance: Instance) -> bool:
    known = (
        "keras.Model",
        "keras.models.Model",
        "keras.layers.Layer",
        "keras.Layer",
        "keras.losses.Loss",
        "keras.Sequential",
    )
    return any(
        base.startswith("tensorflow.") and base.removeprefix("tensorflow.").removeprefix("python.") in known
        for base in _bases(instance)
    )


def _module(instance: Instance) -> bool:
    return "tensorflow.Module" in _bases(instance)


def instance_attribute(reader: Reader, instance: Instance, name: str, node: ast.AST) -> tuple[bool, Any]:
    """Return (whether it is an attribute that Keras or `tf.Module` gives an object, its value)."""
    if name in instance.fields or (isinstance(instance.of, Class) and name in instance.of.members):
        return False, None
    if name == "add_weight" and _keras(instance):

        def add_weight(
            shape: Any = (),
            initializer: Any = None,
            dtype: Any = None,
            trainable: Any = True,
            name: Any = None,
        ) -> Array:
            shape = (shape,) if type(shape) is int else tuple(shape or ())
            own = instance.fields.setdefault("\0weights", [])
            label = name or ("variable_" if own else "variable")
            first = initializer or "glorot_uniform"
            owner = _name_of(reader, instance)
            own.append(weight(reader, owner, label, shape, first, trainable is not False))
            return own[-1]

        return True, method_of("A layer", {name: add_weight}, name, node)
    if name in ("layers", "submodules"):
        return True, _parts(instance)
    if name == "name":
        return True, _name_of(reader, instance)
    if name == "build" and _keras(instance):
        return True, Native(lambda _, args, kw: None, name)
    return shared_attribute(reader, instance, name, node)


def _name_of(reader: Reader, instance: Instance) -> str:
    if "\0name" not in instance.fields:
        instance.fields["\0name"] = reader.state(Names).name(snake(instance.of.name))
    return instance.fields["\0name"]


def call_instance(
    reader: Reader, instance: Instance, args: list, keywords: dict, node: ast.AST | None
) -> Any:
    """Call an object of a class of the text that is a layer, a model or a module."""
    members = instance.of.members
    name = "call" if "call" in members and _keras(instance) else "__call__"
    if any(base.endswith("losses.Loss") for base in _bases(instance)):
        return reduced(
            reader, reader.call(members["call"], [instance, *args], keywords, node), "sum_over_batch_size"
        )
    if not isinstance(members.get(name), Function):
        raise Refused(f"{instance.of.name} has no {name}().", at=node)
    if any(isinstance(leaf, Symbolic) for _, leaf in leaves(args)):
        return Symbolic(None, instance, list(args), dict(keywords))
    with _inside(reader, _name_of(reader, instance)):
        if _keras(instance):
            if args and isinstance(args[0], (Array, list, tuple)):
                args = [_input(reader, args[0]), *args[1:]]
            if "build" in members and not instance.fields.get("\0built"):
                instance.fields["\0built"] = True
                reader.call(members["build"], [instance, shape_of(reader, args[0])], {}, node)
            if "training" not in _parameters(instance) and members[name].args.kwarg is None:
                keywords = {key: value for key, value in keywords.items() if key != "training"}
        return reader.call(members[name], [instance, *args], keywords, node)


# Losses.


def _in_floats(reader: Reader, name: str, given: dict[str, Any]) -> None:
    """Turn predictions and targets into tensors of one dtype of floats, as Keras casts them."""
    predicted, true = tensor(reader, given["y_pred"]), tensor(reader, given["y_true"])
    if predicted.dtype not in FLOATS:
        predicted = functions.cast(reader, predicted, "float32")
    given["y_pred"] = predicted
    given["y_true"] = true if true.dtype == predicted.dtype else functions.cast(reader, true, predicted.dtype)
    if given.get("axis", -1) not in (-1, None):
        raise Refused("Losses are read along the last axis.")


loss = partial(jax_function, prepare=_in_floats)


def _matched(y_true, y_pred):
    """Return targets and predictions of one rank."""
    if y_true.ndim == y_pred.ndim + 1 and y_true.shape[-1] == 1:
        return (y_true, y_pred[:, None]) if y_pred.ndim == 1 else (y_true.squeeze(-1), y_pred)
    if y_pred.ndim == y_true.ndim + 1 and y_pred.shape[-1] == 1:
        return (y_true[:, None], y_pred) if y_true.ndim == 1 else (y_true, y_pred.squeeze(-1))
    return y_true, y_pred


def _mean(losses):
    if not losses.ndim:
        raise Refused(
            "Keras takes the mean along the last axis, and a number has none.",
            "Write y[None], or tf.square(a - b).",
        )
    return losses.mean(-1)


@loss
def mean_squared_error(y_true, y_pred):
    """Return the mean of squared differences along the last axis."""
    true, predicted = _matched(y_true, y_pred)
    return _mean(jnp.square(true - predicted))


@loss
def mean_absolute_error(y_true, y_pred):
    """Return the mean of sizes of differences along the last axis."""
    true, predicted = _matched(y_true, y_pred)
    return _mean(elements.absolute(true - predicted))


def _smooth(true, label_smoothing, classes):
    return true * (1.0 - label_smoothing) + label_smoothing / classes if label_smoothing else true


def _of_one_rank(true, predicted):
    if true.ndim != predicted.ndim:
        raise ValueError("Arguments `target` and `output` must have the same rank (ndim).")
    return true, predicted


def _kept(chances, high=1.0 - EPSILON):
    return elements.clip_by_value(chances, EPSILON, high)


@loss
def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """Return the binary cross-entropy: of probabilities it keeps 1e-7 from 0 and 1, of logits it is exact."""
    true, predicted = _of_one_rank(*_matched(y_true, y_pred))
    true = _smooth(true, label_smoothing, 2)
    if from_logits:
        return _mean(op("sigmoid_binary_cross_entropy", predicted, true))
    kept = _kept(predicted)
    return _mean(-(true * jnp.log(kept) + (1.0 - true) * jnp.log(1.0 - kept)))


@loss
def _of_chances(y_true, y_pred, label_smoothing, axis):
    true, predicted = _of_one_rank(*_matched(y_true, y_pred))
    kept = _kept(predicted / predicted.sum(-1, keepdims=True))
    return -(_smooth(true, label_smoothing, true.shape[-1]) * jnp.log(kept)).sum(-1)


def categorical_crossentropy(
    reader: Reader,
    y_true: Any,
    y_pred: Any,
    from_logits: Any = False,
    label_smoothing: Any = 0.0,
    axis: Any = -1,
) -> Array:
    """Read the cross-entropy of probabilities, which are made to sum to 1, or of logits."""
    if not from_logits:
        return _of_chances(reader, y_true, y_pred, label_smoothing, axis)
    given = {"y_true": y_true, "y_pred": y_pred, "axis": axis}
    _in_floats(reader, "categorical_crossentropy", given)
    true = given["y_true"]
    if label_smoothing:
        true = call_jax(reader, _smooth, true, label_smoothing, shape_of(reader, true)[-1])
    return softmax_cross_entropy(reader, true, given["y_pred"])


def sparse_categorical_crossentropy(
    reader: Reader,
    y_true: Any,
    y_pred: Any,
    from_logits: Any = False,
    ignore_class: Any = None,
    axis: Any = -1,
) -> Array:
    """Read the cross-entropy of classes."""
    if ignore_class is not None or axis not in (-1, None):
        raise Refused("Cross-entropy is read along the last axis, without ignore_class.")
    predicted = floating(reader, y_pred, "keras.losses")
    classes = functions.cast(reader, tensor(reader, y_true), "int32")
    shape = shape_of(reader, classes)
    if len(shape) == len(shape_of(reader, predicted)) and shape[-1] == 1:
        classes = functions.squeeze(reader, classes, -1)
    if not from_logits:
        kept = clip_by_value(reader, predicted, EPSILON, 1.0 - EPSILON)
        predicted = TF["tensorflow.math.log"](reader, kept)
    return functions.sparse_softmax_cross_entropy(reader, classes, predicted)


@loss
def huber(y_true, y_pred, delta=1.0):
    """Return squares up to delta, sizes beyond."""
    true, predicted = _matched(y_true, y_pred)
    error = predicted - true
    size = elements.absolute(error)
    return _mean(jnp.where(size <= delta, 0.5 * jnp.square(error), delta * size - 0.5 * delta**2))


@loss
def kl_divergence(y_true, y_pred):
    """Return how far a distribution is from another."""
    true, predicted = (_kept(one, 1.0) for one in _matched(y_true, y_pred))
    return (true * jnp.log(true / predicted)).sum(-1)


LOSSES: dict[str, tuple[Callable[..., Array], tuple[str, ...]]] = {
    "MeanSquaredError": (mean_squared_error, ("mean_squared_error", "mse", "MSE")),
    "MeanAbsoluteError": (mean_absolute_error, ("mean_absolute_error", "mae", "MAE")),
    "BinaryCrossentropy": (binary_crossentropy, ("binary_crossentropy",)),
    "CategoricalCrossentropy": (categorical_crossentropy, ("categorical_crossentropy",)),
    "SparseCategoricalCrossentropy": (sparse_categorical_crossentropy, ("sparse_categorical_crossentropy",)),
    "Huber": (huber, ("huber",)),
    "KLDivergence": (kl_divergence, ("kl_divergence", "kld", "KLD")),
}
"""Losses by the name of their class, with the function of each sample and its names."""


def reduced(reader: Reader, losses: Array, reduction: Any) -> Array:
    """Return the losses of the samples as one number, or as they are."""
    name = reduction.name.rpartition(".")[2].lower() if isinstance(reduction, Path) else reduction
    folds = {"sum_over_batch_size": "mean", "mean": "mean", "auto": "mean", "sum": "sum"}
    if name in folds:
        return fold(reader, folds[name], losses, None, False) if shape_of(reader, losses) else losses
    if name in (None, "none"):
        return losses
    raise Refused(f"reduction={name!r} is not read.", "There are sum_over_batch_size, sum and none.")


def _loss(function: Callable[..., Array]) -> Callable[..., Native]:
    def make(
        reader: Reader, reduction: Any = "sum_over_batch_size", name: Any = None, **options: Any
    ) -> Native:
        if isinstance(reduction, bool):
            options, reduction = {"from_logits": reduction, **options}, "sum_over_batch_size"
        options.pop("dtype", None)

        def call(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Array:
            if sample_weight is not None:
                raise Refused("A loss is read without sample_weight.")
            return reduced(reader, function(reader, y_true, y_pred, **options), reduction)

        return Native(lambda _, args, keywords: call(*args, **keywords), "loss")

    return make


def _logits_first(function: Callable[..., Array]) -> Callable[..., Native]:
    make = _loss(function)
    return lambda reader, from_logits=False, **options: make(reader, from_logits=from_logits, **options)


for _begin in ("tensorflow.keras.losses.", "tensorflow.losses."):
    for _name, (_function, _names) in LOSSES.items():
        KERAS[_begin + _name] = (_logits_first if "entropy" in _name else _loss)(_function)
        for _each in _names:
            KERAS[_begin + _each] = _function
for _each in ("mse", "mean_squared_error", "mae"):
    KERAS[f"tensorflow.keras.metrics.{_each}"] = KERAS[f"tensorflow.keras.losses.{_each}"]
KERAS["tensorflow.compat.v1.losses.mean_squared_error"] = lambda reader, labels, predictions: fold(
    reader, "mean", TF["tensorflow.math.squared_difference"](reader, predictions, labels), None, False
)


# Descent.


@dataclass(eq=False)
class Optimizer:
    """An optimizer: its kind, its numbers, and what it keeps for each variable."""

    kind: str
    options: dict[str, Any]
    kept: dict[int, list[Array]] = field(default_factory=dict)
    steps: int = 0


def _sgd(x, grad, speed, rate, momentum, nesterov):
    step = grad * rate
    if not momentum:
        return x - step, speed
    speed = speed * momentum - step
    return (x + (speed * momentum - step) if nesterov else x + speed), speed


def _adam(x, grad, mean, square, rate, beta_1, beta_2, epsilon):
    mean = mean + (grad - mean) * (1.0 - beta_1)
    square = square + (jnp.square(grad) - square) * (1.0 - beta_2)
    return x - mean * rate / (jnp.sqrt(square) + epsilon), mean, square


def _rmsprop(x, grad, square, rate, rho, momentum, epsilon):
    square = square * rho + jnp.square(grad) * (1.0 - rho)
    return x - grad * rate * functions.rsqrt(square + epsilon), square


def _adagrad(x, grad, total, rate, initial_accumulator_value, epsilon):
    total = total + jnp.square(grad)
    return x - grad * rate / jnp.sqrt(total + epsilon), total


STEPS = {"SGD": (_sgd, 1), "Adam": (_adam, 2), "RMSprop": (_rmsprop, 1), "Adagrad": (_adagrad, 1)}
"""The new value of a variable in Keras's own steps, with what is kept of it, and how much that is."""

RATES: dict[str, dict[str, Any]] = {
    "SGD": {"learning_rate": 0.01, "momentum": 0.0, "nesterov": False},
    "Adam": {"learning_rate": 0.001, "beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-7},
    "RMSprop": {"learning_rate": 0.001, "rho": 0.9, "momentum": 0.0, "epsilon": 1e-7},
    "Adagrad": {"learning_rate": 0.001, "initial_accumulator_value": 0.1, "epsilon": 1e-7},
}
"""Optimizers that are read, with their arguments and defaults."""


def _optimizer(kind: str) -> Callable[..., Optimizer]:
    def make(reader: Reader, *args: Any, name: Any = None, lr: Any = None, **keywords: Any) -> Optimizer:
        known = RATES[kind]
        given = {**dict(zip(known, args, strict=False)), **keywords}
        if lr is not None:
            raise Refused("Keras's optimizers take learning_rate, not lr.")
        if unread := [key for key in given if key not in known]:
            raise Refused(f"{kind} is not read with {', '.join(unread)}.", "Write the update out.")
        options = {**known, **given}
        for key, value in options.items():
            if not isinstance(value, (int, float)):
                raise Refused(f"{key} of an optimizer is a number that is written out.")
        if kind == "RMSprop" and options["momentum"]:
            raise Refused("RMSprop is read without momentum.")
        return Optimizer(kind, options)

    return make


for _begin in (
    "tensorflow.keras.optimizers.",
    "tensorflow.optimizers.",
    "tensorflow.keras.optimizers.legacy.",
):
    for _kind in RATES:
        KERAS[_begin + _kind] = _optimizer(_kind)


def _settled(reader: Reader, value: Array) -> Array:
    """Return a value that an optimizer keeps: its numbers where many derivatives lie behind it."""
    if not value.is_node:
        return value
    if _derivatives(reader, value.held) > UPDATES and not _drawn(reader, value.held):
        reader.state(Variables).left_out |= reader.builder.ancestors(value.held)
        return Array(reader.builder.input(as_literal(reader.numbers(value)), ""), "tf", value.dtype)
    return Array(reader.builder.add(IDENTITY, [value.held], Rule(STOP)), "tf", value.dtype)


def updated(reader: Reader, optimizer: Optimizer, grad: Array, x: Array) -> Array:
    """Return the new value of a variable."""
    rate, *others = map(float, optimizer.options.values())
    step, count = STEPS[optimizer.kind]
    if optimizer.kind == "Adam":
        rate *= math.sqrt(1.0 - others[1] ** optimizer.steps) / (1.0 - others[0] ** optimizer.steps)
    if id(x) not in optimizer.kept:
        first = optimizer.options.get("initial_accumulator_value", 0.0)
        zeros = constant(reader, np.full(sized(shape_of(reader, x)), first), "tf", x.dtype)
        optimizer.kept[id(x)] = [zeros] * count
    rate = Array(rate, "tf", x.dtype)  # no option, since it may change with each step
    new, *kept = nodes_of(reader, step, x, grad, *optimizer.kept[id(x)], rate, *others)
    optimizer.kept[id(x)] = [_settled(reader, one) for one in kept]
    return new


def optimizer_attribute(reader: Reader, optimizer: Optimizer, name: str, node: ast.AST) -> Any:
    """Return what an optimizer does: apply_gradients, minimize."""

    def apply(pairs: list[Any]) -> None:
        pairs = [tuple(pair) for pair in pairs]
        if all(grad is None for grad, _ in pairs):
            raise Refused("No gradients provided for any variable.", code="no-gradient", at=node)
        optimizer.steps += 1
        # All new values are computed before any is assigned, as the gradients were.
        changes = [(one, updated(reader, optimizer, grad, one)) for grad, one in pairs if grad is not None]
        for one, value in changes:
            assign(reader, one, value)

    def minimize(loss: Any, var_list: Any, tape: Any = None) -> None:
        sources = reader.call(var_list, [], {}) if isinstance(var_list, (Function, Native)) else var_list
        if tape is None:
            if isinstance(loss, Array):
                raise Refused(
                    "minimize() of a tensor needs tape=.",
                    "Pass a function: minimize(lambda: loss, [w]).",
                    at=node,
                )
            tape = Tape()
            _, leave = enter_tape(reader, tape)
            loss = reader.call(loss, [], {})
            leave()
        found = gradients(reader, [loss], list(sources), None, tape, False)
        apply(list(zip(found, sources, strict=True)))

    if name in ("learning_rate", "lr"):
        return optimizer.options["learning_rate"]
    known = {
        "apply_gradients": lambda grads_and_vars: apply(reader.items(grads_and_vars, node)),
        "apply": lambda grads, variables: apply(list(zip(grads, variables, strict=True))),
        "minimize": minimize,
        "build": lambda variables: None,
    }
    return method_of("An optimizer", known, name, node)


def _by_all_names() -> arrays.Table:
    """Return TensorFlow's and Keras's functions by all the names that packages give them."""
    ours = {**TF, **KERAS}
    begun = "tensorflow.keras."
    older = {
        f"tensorflow.compat.{v}.{name.partition('.')[2]}": one
        for v in ("v1", "v2")
        for name, one in ours.items()
    }
    alone = {
        f"keras.{name.removeprefix(begun)}": one
        for name, one in ours.items()
        if name.startswith(begun) and name.rpartition(".")[2].lower() not in ("mse", "mae", "kld")
    }
    inside = {
        f"tensorflow.python.{name.partition('.')[2]}": one
        for name, one in ours.items()
        if name.startswith(begun)
    }
    return {**older, **alone, **inside, **ours}


ALL = _by_all_names()


def install(reader: Reader) -> None:
    """Teach a reader Keras."""
    reader.tables |= {**ALL, **{name: one for name, one in reader.tables.items() if name in FUNCTIONS}}
    reader.tables["super.build"] = lambda reader, *args, **options: None
    reader.handlers.call[Layer] = call_layer
    reader.handlers.attribute[Layer] = layer_attribute
    reader.handlers.set_attribute[Layer] = set_layer_attribute
    reader.handlers.attribute[Optimizer] = optimizer_attribute
    reader.handlers.call[Initializer] = lambda reader, one, args, kw, node: first_value(
        reader, one, tuple(args[0]), "This", ""
    )
    reader.handlers.attribute[Symbolic] = lambda reader, one, name, node: _symbolic(reader, one, name, node)
    others_call, others_attribute = reader.handlers.call[Instance], reader.handlers.attribute[Instance]

    def call(reader: Reader, instance: Instance, args: list, keywords: dict, node: ast.AST | None) -> Any:
        ours = _keras(instance) or _module(instance)
        return (call_instance if ours else others_call)(reader, instance, args, keywords, node)

    def attribute(reader: Reader, instance: Instance, name: str, node: ast.AST) -> Any:
        if _keras(instance) or _module(instance):
            done, value = instance_attribute(reader, instance, name, node)
            if done:
                return value
        return others_attribute(reader, instance, name, node)

    reader.handlers.call[Instance], reader.handlers.attribute[Instance] = call, attribute


def _symbolic(reader: Reader, one: Symbolic, name: str, node: ast.AST) -> Any:
    if name == "shape" and one.shape is not None:
        return (None, *one.shape)
    raise Refused(f"A symbolic tensor has no {name!r} that is read.", at=node)
