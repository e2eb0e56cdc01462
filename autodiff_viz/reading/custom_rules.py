"""Read declared derivatives of PyTorch and TensorFlow: `autograd.Function`, `custom_gradient`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.reading.arrays import FUNCTIONS
from autodiff_viz.reading.declared import declare
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.torch_autograd import TORCH
from autodiff_viz.reading.values import Array, Class, Function, Native, Refused


def _pair(value: Any, needed: str) -> tuple[Any, Any]:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise Refused(needed)
    return value[0], value[1]


# PyTorch.


@dataclass(eq=False)
class Context:
    """What `ctx` is: the tensors that `forward` saves for `backward`, and whatever it keeps."""

    saved: tuple[Any, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)


def is_function(r: Interpreter, value: Any) -> bool:
    """Return whether a class of the text is an `autograd.Function`."""
    return isinstance(value, Class) and any(base.endswith("autograd.Function") for base in value.bases)


def class_attribute(r: Interpreter, owner: Class, name: str, node: ast.AST) -> Any:
    """Return an attribute of a class; `apply` of an `autograd.Function` calls it."""
    if name == "apply" and is_function(r, owner):
        return Native(lambda _, args, kw: apply_function(r, owner, args, node), f"{owner.name}.apply")
    if name in owner.members:
        return owner.members[name]
    raise Refused(f"{owner.name} has no {name!r}.", at=node)


def apply_function(r: Interpreter, owner: Class, args: list, node: ast.AST) -> Any:
    """Read a call of an `autograd.Function`."""
    for name in ("forward", "backward"):
        if not isinstance(owner.members.get(name), Function):
            raise Refused(f"{owner.name} has no {name}().", at=node)
    context = Context()
    r.no_grad += 1
    try:
        value = r.call(owner.members["forward"], [context, *args], {}, node)
    finally:
        r.no_grad -= 1

    def pull(v: Array) -> Sequence[Any]:
        passed = r.call(owner.members["backward"], [context, v], {}, node)
        return passed if isinstance(passed, (tuple, list)) else [passed]

    made = declare(r, value, args, pull, owner.name)
    made.requires_grad = any(isinstance(arg, Array) and arg.requires_grad for arg in args) and not r.no_grad
    made.leaf = not made.requires_grad
    return made


def context_attribute(r: Interpreter, context: Context, name: str, node: ast.AST) -> Any:
    """Return an attribute of `ctx`."""
    if name == "saved_tensors":
        return context.saved
    if name == "save_for_backward":

        def save(_: Interpreter, args: list, keywords: dict) -> None:
            context.saved = tuple(args)

        return Native(save, name)
    if name == "needs_input_grad":
        return [True] * 16
    if name in ("mark_non_differentiable", "set_materialize_grads"):
        return Native(lambda _, args, kw: None, name)
    if name in context.fields:
        return context.fields[name]
    raise Refused(f"ctx has no {name!r}.", at=node)


def set_context_attribute(r: Interpreter, context: Context, name: str, value: Any, target: ast.AST) -> None:
    """Keep a value at `ctx`."""
    context.fields[name] = value


# TensorFlow.


def custom_gradient(r: Interpreter, function: Any) -> Native:
    """Read `tf.custom_gradient`: a function that returns a value and a function of its gradient."""

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        value, back = _pair(
            r.call(function, args, keywords), "The function returns (value, gradient function)."
        )

        def pull(v: Array) -> Sequence[Any]:
            passed = r.call(back, [v], {})
            return passed if isinstance(passed, (tuple, list)) else [passed]

        return declare(r, value, args, pull, getattr(function, "name", "This function"))

    return Native(call, "custom_gradient", function)


FUNCTIONS["tensorflow.custom_gradient"] = custom_gradient
TORCH["torch.autograd.function.once_differentiable"] = lambda r, f: f
TORCH["staticmethod"] = FUNCTIONS["staticmethod"] = lambda r, f: f


def install(r: Interpreter) -> None:
    """Teach an interpreter declared derivatives."""
    r.handlers.attribute[Class] = class_attribute
    r.handlers.attribute[Context] = context_attribute
    r.handlers.set_attribute[Context] = set_context_attribute
