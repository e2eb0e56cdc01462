"""Read PyTorch's modules: layers, classes of the text that are made of them, losses, and plain descent."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.graph.model import IDENTITY, INPUT, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading import arrays, torch_autograd
from autodiff_viz.reading.builder import Frame, Ref
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.torch_autograd import TORCH
from autodiff_viz.reading.values import Array, Class, Function, Instance, Native, Path, Refused

MODULE = "torch.nn.Module"


def random_parameter(r: Interpreter, shape: tuple[int, ...], label: str) -> Array:
    """Return a parameter whose numbers the library draws; which ones it draws is not known here."""
    seed = r.extra["draws"] = r.extra.get("draws", -1) + 1
    ref = r.builder.add(INPUT, (), shape=shape, seed=seed, trainable=True)
    r.builder.drafts[ref.number].hint = label
    r.extra.setdefault("drawn", set()).add(ref.number)
    made = Array(ref, "torch", requires_grad=True)
    r.extra.setdefault("tensors", []).append(made)
    r.extra["label", id(made)] = label
    return made


def layer(r: Interpreter, kind: str, **fields: Any) -> Instance:
    """Return a layer of the library."""
    return Instance(f"torch.nn.{kind}", fields)


def _linear(r: Interpreter, in_features: int, out_features: int, bias: bool = True, **_: Any) -> Instance:
    weight = random_parameter(r, (out_features, in_features), "weight")
    made = layer(r, "Linear", weight=weight)
    made.fields["bias"] = random_parameter(r, (out_features,), "bias") if bias else None
    return made


def _sequential(r: Interpreter, *layers: Any) -> Instance:
    made = layer(r, "Sequential")
    for i, one in enumerate(layers):
        made.fields[str(i)] = one
        _prefix(r, one, str(i))
    return made


TORCH["torch.nn.Linear"], TORCH["torch.nn.Sequential"] = _linear, _sequential
for _name, _function in {
    "ReLU": "relu",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "GELU": "gelu",
    "LeakyReLU": "leaky_relu",
    "Softplus": "softplus",
    "SiLU": "silu",
    "Softmax": "softmax",
    "LogSoftmax": "log_softmax",
    "MSELoss": "mse_loss",
    "CrossEntropyLoss": "cross_entropy",
    "L1Loss": "l1_loss",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "BCELoss": "binary_cross_entropy",
    "NLLLoss": "nll_loss",
}.items():
    TORCH[f"torch.nn.{_name}"] = lambda r, *args, _function=_function, **kw: Native(
        lambda _, given, more: r.call(
            Path(f"torch.nn.functional.{_function}"), [*given, *args], {**more, **kw}
        ),
        _function,
    )
TORCH["torch.nn.Flatten"] = lambda r: Native(
    lambda _, args, kw: torch_autograd.flatten(r, args[0], 1), "flatten"
)
TORCH["torch.nn.Identity"] = lambda r: Native(lambda _, args, kw: args[0], "identity")
TORCH["super.__init__"] = lambda r, *_, **__: None


def _functional(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return arrays.known(f"torch.nn.functional.{name}", table=TORCH)


@_functional("linear")
def linear(r: Interpreter, x: Any, weight: Any, bias: Any = None) -> Array:
    """Read a linear layer: x times the transposed weight, plus the bias."""
    product = arrays.product(r, x, arrays.transpose(r, weight))
    return product if bias is None else r.make("add", [product, bias])


@_functional("leaky_relu")
def leaky_relu(r: Interpreter, x: Any, negative_slope: float = 0.01) -> Array:
    """Read a leaky ReLU, whose slope at 0 is the small one in PyTorch."""
    r.say(r.line, "the slope of leaky_relu at 0 is the small one here; JAX's is 1")
    return r.make("where", [r.make("greater", [x, 0.0]), x, r.make("mul", [x, negative_slope])])


@_functional("cross_entropy")
def cross_entropy(r: Interpreter, input: Any, target: Any, reduction: str = "mean") -> Array:
    """Read the cross-entropy of logits and classes."""
    if isinstance(target, Array) and target.dtype != "int":
        losses = r.make(
            "neg",
            [
                arrays.fold(
                    r, "sum", r.make("mul", [target, r.make("log_softmax", [input], axis=-1)]), -1, False
                )
            ],
        )
    else:
        losses = r.make("softmax_cross_entropy_with_integer_labels", [input, target])
    return torch_autograd._mean_of(r, losses, reduction)


@_functional("l1_loss")
def l1_loss(r: Interpreter, input: Any, target: Any, reduction: str = "mean") -> Array:
    """Read the mean absolute error."""
    return torch_autograd._mean_of(r, torch_autograd.absolute(r, r.make("sub", [input, target])), reduction)


@_functional("binary_cross_entropy_with_logits")
def bce_with_logits(r: Interpreter, input: Any, target: Any, reduction: str = "mean") -> Array:
    """Read the binary cross-entropy of logits."""
    return torch_autograd._mean_of(r, r.make("sigmoid_binary_cross_entropy", [input, target]), reduction)


# Modules.


def _prefix(r: Interpreter, value: Any, name: str) -> None:
    """Put a module's name before the names of its parameters."""
    for parameter in parameters(value):
        label = f"{name}.{r.extra['label', id(parameter)]}"
        r.extra["label", id(parameter)] = label
        if isinstance(parameter.held, Ref):
            r.builder.drafts[parameter.held.number].hint = label.replace(".", "_")


def parameters(value: Any) -> Iterator[Array]:
    """Yield the parameters of a module, or of a list of modules."""
    if isinstance(value, Array) and value.requires_grad and value.leaf:
        yield value
    elif isinstance(value, Instance):
        for one in value.fields.values():
            yield from parameters(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from parameters(one)


def instantiate(r: Interpreter, owner: Class, args: list, keywords: dict, node: ast.AST | None) -> Instance:
    """Make an object of a class of the text."""
    made = Instance(owner)
    init = owner.members.get("__init__")
    if isinstance(init, Function):
        r.call(init, [made, *args], keywords, node)
    return made


def call_instance(
    r: Interpreter, instance: Instance, args: list, keywords: dict, node: ast.AST | None
) -> Any:
    """Call a module: its layers are a group."""
    with r.frame(Frame(instance.name or _kind(instance), None)):
        if instance.of == "torch.nn.Linear":
            return linear(r, args[0], instance.fields["weight"], instance.fields["bias"])
        if instance.of == "torch.nn.Sequential":
            value = args[0]
            for one in instance.fields.values():
                value = r.call(one, [value], {}, node)
            return value
        forward = (
            instance.of.members.get("forward", instance.of.members.get("__call__"))
            if isinstance(instance.of, Class)
            else None
        )
        if forward is None:
            raise Refused("This object cannot be called.", at=node)
        return r.call(forward, [instance, *args], keywords, node)


def _kind(instance: Instance) -> str:
    return (instance.of.name if isinstance(instance.of, Class) else instance.of.rpartition(".")[2]).lower()


def instance_attribute(r: Interpreter, instance: Instance, name: str, node: ast.AST) -> Any:
    """Return an attribute of a module, or a method of its class."""
    if name in instance.fields:
        return instance.fields[name]
    if isinstance(instance.of, Class) and name in instance.of.members:
        member = instance.of.members[name]
        if isinstance(member, Function):
            return Native(lambda _, args, kw: r.call(member, [instance, *args], kw, node), name, member)
        return member
    if name in ("parameters", "named_parameters"):
        found = list(parameters(instance))
        pairs = [(r.extra["label", id(one)], one) for one in found]
        return Native(lambda _, args, kw: found if name == "parameters" else pairs, name)
    if name in ("train", "eval", "to", "cpu", "double", "requires_grad_"):
        return Native(lambda _, args, kw: instance, name)
    if name == "zero_grad":
        return Native(
            lambda _, args, kw: (
                [torch_autograd._autograd(r).grads.pop(id(one), None) for one in parameters(instance)]
                and None
            ),
            name,
        )
    raise Refused(f"This object has no {name!r} that is read.", at=node)


def instance_item(r: Interpreter, instance: Instance, index: Any, node: ast.AST) -> Any:
    """Return a layer of a Sequential."""
    layers = list(instance.fields.values())
    if (
        instance.of != "torch.nn.Sequential"
        or type(index) is not int
        or not -len(layers) <= index < len(layers)
    ):
        raise Refused("This object has no such element.", at=node)
    return layers[index]


def field_set(r: Interpreter, instance: Instance, name: str, value: Any) -> None:
    """Name the parameters of what becomes an attribute of a module."""
    if isinstance(value, Instance):
        value.name = name
        _prefix(r, value, name)


# Descent.


@dataclass(eq=False)
class Descent:
    """What `torch.optim.SGD` is."""

    parameters: list[Array]
    rate: float
    extra: dict[str, Any] = field(default_factory=dict)


def _sgd(r: Interpreter, params: Any, lr: float = 1e-3, **more: Any) -> Descent:
    if any(more.values()):
        raise Refused(f"SGD is read without {', '.join(more)}.", "Write the update out.")
    return Descent(list(params), lr)


TORCH["torch.optim.SGD"] = _sgd


def descent_attribute(r: Interpreter, descent: Descent, name: str, node: ast.AST) -> Native:
    """Return what an optimiser does: zero_grad, step."""

    def zero(_: Interpreter, args: list, keywords: dict) -> None:
        for one in descent.parameters:
            torch_autograd._autograd(r).grads.pop(id(one), None)

    def step(_: Interpreter, args: list, keywords: dict) -> None:
        for one in descent.parameters:
            grad = torch_autograd.grad_of(r, one)
            if grad is not None:
                change = r.make("mul", [descent.rate, grad])
                new = r.builder.add("sub", [one.held, change.held])
                one.held = r.builder.add(IDENTITY, [new], Rule(STOP))
                r.builder.drafts[one.held.number].hint = r.extra["label", id(one)].replace(".", "_")

    known = {"zero_grad": zero, "step": step}
    if name not in known:
        raise Refused(f"An optimiser has no {name!r} that is read.", at=node)
    return Native(known[name], name)


def call_class(r: Interpreter, owner: Class, args: list, keywords: dict, node: ast.AST | None) -> Any:
    """Call a class of the text."""
    return instantiate(r, owner, args, keywords, node)


def install(r: Interpreter) -> None:
    """Teach an interpreter modules."""
    r.tables |= TORCH
    r.handlers.call[Class] = call_class
    r.handlers.call[Instance] = call_instance
    r.handlers.attribute[Instance] = instance_attribute
    r.handlers.item[Instance] = instance_item
    r.handlers.attribute[Descent] = descent_attribute
    r.handlers.field_set = field_set
