"""Read declared derivatives: `custom_vjp`, `custom_jvp`, `autograd.Function`, `custom_gradient`.

The forward function is read as nodes, the backward function as a lambda. Both meet in one node `first`: its
value is that of the forward function, and its pullback passes to each argument what the backward function says.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.graph.model import IDENTITY, Call, Lambda, Rule, Term
from autodiff_viz.graph.rule_kinds import PULLBACK, STOP
from autodiff_viz.reading.arrays import FUNCTIONS, known, shape_of
from autodiff_viz.reading.builder import Ref
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.terms import Terms
from autodiff_viz.reading.torch_autograd import TORCH
from autodiff_viz.reading.values import Array, Class, Function, Native, Refused, parameter_names

ARRIVING = "v"


@contextmanager
def body(r: Interpreter, shape: tuple[int, ...], wires: Sequence[Any]) -> Iterator[Terms]:
    """Read what follows as terms, of an arriving cotangent of this shape and the values on the wires."""
    names = {
        wire.held.number: f"x{i}" for i, wire in enumerate(wires) if isinstance(wire, Array) and wire.is_node
    }
    given = {name: r.builder.shape(Ref(number)) for number, name in names.items()}
    outer, r.builder = r.builder, Terms(r.builder, {ARRIVING: shape, **given}, names)
    try:
        yield r.builder
    finally:
        r.builder = outer


def declare(
    r: Interpreter, value: Any, wires: Sequence[Any], pull: Callable[[Array], Sequence[Any]], name: str
) -> Array:
    """Return a value whose pullback passes what `pull` says of the arriving cotangent along each wire.

    Args:
      value: what the forward function returns.
      wires: the arguments that are differentiated by; those that are no nodes get nothing.
      pull: reads the backward function, of the cotangent that arrives.
    Raises:
      Refused: the backward function returns another number of cotangents than there are arguments.
    """
    if not isinstance(value, Array):
        raise Refused(f"{name} is read if it returns one array.")
    framework, dtype = value.framework, value.dtype
    # The zero that the pullback passes along the value's own wire would still be multiplied by slopes: 0 times
    # infinity is NaN.
    value = Array(r.builder.add(IDENTITY, [value.held], Rule(STOP)), framework, dtype)
    with body(r, shape_of(r, value), wires) as terms:
        passed = list(pull(Array(ARRIVING, framework, dtype)))
        if len(passed) != len(wires):
            raise Refused(
                f"{name} gets {len(wires)} arguments, and its backward function returns {len(passed)} cotangents."
            )
        cotangents = [None if one is None else terms.term(r.held(one)) for one in passed]
    captured = terms.used(one for one in cotangents if one is not None)
    reads = [value.held, *(Ref(number) for number in captured)]
    args = [ARRIVING, "y", *captured.values()]
    out: list[Term] = [_zeros("y"), *(_zeros(arg) for arg in captured.values())]
    for i, (wire, cotangent) in enumerate(zip(wires, cotangents, strict=True)):
        if isinstance(wire, Array) and wire.is_node:
            arg = f"x{i}"
            reads.append(wire.held)
            args.append(arg)
            out.append(_zeros(arg) if cotangent is None else cotangent)
    rule = Rule(PULLBACK, Lambda((*args, "out"), tuple(out)))
    made = r.make("first", [Array(held, framework, dtype) for held in reads], rule=rule)
    made.dtype = dtype
    return made


def _zeros(arg: str) -> Term:
    return Call("zeros_like", (arg,))


# JAX.


@dataclass(eq=False)
class Custom:
    """A function of JAX with a declared derivative, forward or backward."""

    inner: Any
    backward: bool
    nondiff: tuple[int, ...] = ()
    fwd: Any = None
    bwd: Any = None
    jvp: Any = None
    jvps: list[Any] = field(default_factory=list)
    inside: int = 0  # how many of its own rules are being read, where it is a plain function


@known("jax.custom_vjp")
def custom_vjp(r: Interpreter, fun: Any, nondiff_argnums: Any = ()) -> Custom:
    """Read `jax.custom_vjp`."""
    return Custom(fun, True, _numbers(nondiff_argnums))


@known("jax.custom_jvp")
def custom_jvp(r: Interpreter, fun: Any, nondiff_argnums: Any = ()) -> Custom:
    """Read `jax.custom_jvp`."""
    return Custom(fun, False, _numbers(nondiff_argnums))


def _numbers(argnums: Any) -> tuple[int, ...]:
    return (argnums,) if type(argnums) is int else tuple(argnums)


def custom_attribute(r: Interpreter, custom: Custom, name: str, node: ast.AST) -> Native:
    """Return how a function with a declared derivative is told it: `defvjp`, `defjvp`, `defjvps`."""

    def define(_: Interpreter, args: list, keywords: dict) -> Any:
        if name == "defvjp" and custom.backward:
            custom.fwd, custom.bwd = (*args, *(keywords[key] for key in ("fwd", "bwd") if key in keywords))[
                :2
            ]
            return None
        if name == "defjvp" and not custom.backward:
            custom.jvp = args[0]
            return args[0]
        if name == "defjvps" and not custom.backward:
            custom.jvps = args
            return None
        raise Refused(f"This function has no {name!r}.", at=node)

    return Native(define, name)


def call_custom(r: Interpreter, custom: Custom, args: list, keywords: dict, node: ast.AST | None) -> Any:
    """Call a function with a declared derivative."""
    names = parameter_names(custom.inner)
    args = [*args, *(keywords[name] for name in names[len(args) :] if name in keywords)]
    if isinstance(r.builder, Terms) or custom.inside:  # inside its own rule, where only its value counts
        return r.call(custom.inner, args, {}, node)
    differ = [i for i in range(len(args)) if i not in custom.nondiff]
    if custom.backward and custom.bwd is None:
        raise Refused(
            "This function has no backward function yet.", "Call its defvjp(fwd, bwd) first.", at=node
        )
    if custom.backward:
        custom.inside += 1
        try:
            result = r.call(custom.fwd, args, {}, node)
        finally:
            custom.inside -= 1
        value, residuals = _pair(result, "The forward function returns (value, residuals).")
        fixed = [args[i] for i in custom.nondiff]

        def pull(v: Array) -> Sequence[Any]:
            passed = r.call(custom.bwd, [*fixed, residuals, v], {}, node)
            return passed if isinstance(passed, (tuple, list)) else [passed]

        return declare(
            r, value, [args[i] for i in differ], pull, getattr(custom.inner, "name", "This function")
        )
    value = r.call(custom.inner, args, {}, node)
    if custom.jvp is None and not custom.jvps:
        raise Refused("This function has no derivative yet.", "Call its defjvp(function) first.", at=node)

    def along(v: Array) -> Sequence[Any]:
        return [_along(r, custom, args, i, v, value, node) for i in differ]

    return declare(r, value, [args[i] for i in differ], along, getattr(custom.inner, "name", "This function"))


def _along(
    r: Interpreter, custom: Custom, args: list, i: int, v: Array, value: Any, node: ast.AST | None
) -> Any:
    """Return what the rule of forward mode makes of a tangent of one argument, which is also its pullback.

    A map that multiplies every element by a number of its own is its own transpose; of others the pullback
    would have to be worked out.
    """
    if not isinstance(args[i], Array) or not args[i].is_node:
        return None
    if shape_of(r, args[i]) != shape_of(r, value):
        raise Refused(
            "A custom_jvp is read where arguments and value have one shape.",
            "Declare it by custom_vjp.",
            at=node,
        )
    if custom.jvps:
        rule = custom.jvps[i] if i < len(custom.jvps) else None
        tangent = None if rule is None else r.call(rule, [v, value, *args], {}, node)
    else:
        tangents = tuple(v if k == i else 0.0 for k in range(len(args)))
        _, tangent = _pair(
            r.call(custom.jvp, [tuple(args), tangents], {}, node), "The rule returns (value, tangent)."
        )
    if not r.builder.elementwise:
        raise Refused(
            "A custom_jvp is read where its rule works element by element.",
            "Declare it by custom_vjp.",
            at=node,
        )
    return tangent


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


FUNCTIONS["jax.custom_gradient"] = FUNCTIONS["tensorflow.custom_gradient"] = custom_gradient
TORCH["torch.autograd.function.once_differentiable"] = lambda r, f: f
TORCH["staticmethod"] = FUNCTIONS["staticmethod"] = lambda r, f: f


def install(r: Interpreter) -> None:
    """Teach an interpreter declared derivatives."""
    r.handlers.attribute[Custom] = custom_attribute
    r.handlers.call[Custom] = call_custom
    r.handlers.attribute[Class] = class_attribute
    r.handlers.attribute[Context] = context_attribute
    r.handlers.set_attribute[Context] = set_context_attribute
