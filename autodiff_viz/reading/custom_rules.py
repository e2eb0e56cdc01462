"""Read declared derivatives of PyTorch and TensorFlow: `autograd.Function`, `custom_gradient`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autodiff_viz.graph.model import IDENTITY, Call, Rule
from autodiff_viz.graph.rule_kinds import BACKWARD_AS
from autodiff_viz.reading.functions.arrays import FUNCTIONS, shape_of
from autodiff_viz.reading.functions.declared import (
    ARRIVING,
    Transforms,
    Waits,
    body,
    declare,
    pair,
    read_by_rule,
    zeros_of,
)
from autodiff_viz.reading.functions.terms import Terms
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import (
    Array,
    Class,
    ClassMethod,
    Function,
    Native,
    Refused,
    arrays_of,
)
from autodiff_viz.reading.nodes.builder import Builder, Ref
from autodiff_viz.reading.nodes.costs import LibraryError
from autodiff_viz.reading.tensorflow.tapes import Variables
from autodiff_viz.reading.tensorflow.tensors import Overrides, tensor
from autodiff_viz.reading.tensors.torch_memory import FUNCTION, Memory, Recorded, as_saved, info
from autodiff_viz.reading.tensors.torch_tensors import TENSOR, TORCH
from autodiff_viz.reading.tensors.views import whole

# PyTorch.


@dataclass(eq=False)
class Context:
    """What `ctx` is: the tensors that `forward` saves for `backward`, and whatever it keeps.

    Attributes:
      needs: which arguments are differentiated by.
      reads: whether `backward` reads what was saved.
      flat: outputs that are marked as not differentiable.
      dirty: whether an argument is changed in place.
      materialize: whether outputs that nothing arrives at get zeros, and not None.
    """

    saved: tuple[Any, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)
    needs: tuple[bool, ...] = ()
    reads: bool = False
    flat: list[Any] = field(default_factory=list)
    dirty: bool = False
    materialize: bool = True


def is_function(reader: Reader, value: Any) -> bool:
    """Return whether a class of the text is an `autograd.Function`."""
    return isinstance(value, Class) and any(base.endswith("autograd.Function") for base in value.bases)


def class_attribute(reader: Reader, owner: Class, name: str, node: ast.AST) -> Any:
    """Return an attribute of a class; `apply` of an `autograd.Function` calls it."""
    if name == "apply" and is_function(reader, owner):
        return Native(lambda _, args, kw: apply_function(reader, owner, args, node), f"{owner.name}.apply")
    member = owner.members.get(name)
    if isinstance(member, ClassMethod):
        function = member.function
        return Native(lambda _, args, kw: reader.call(function, [owner, *args], kw, node), name, function)
    if name in owner.members:
        return member
    if name == "__name__":
        return owner.name
    raise Refused(f"{owner.name} has no {name!r}.", at=node)


def apply_function(reader: Reader, owner: Class, args: list, node: ast.AST) -> Any:
    """Read a call of an `autograd.Function`."""
    for name in ("forward", "backward"):
        if not isinstance(owner.members.get(name), Function):
            raise Refused(f"{owner.name} has no {name}().", at=node)
    tensors = [isinstance(arg, Array) and arg.requires_grad for arg in args]
    recording = any(tensors) and not reader.no_grad and isinstance(reader.builder, Builder)
    context = Context(needs=tuple(flag and recording for flag in tensors))
    setup = owner.members.get("setup_context")
    _check_transforms(reader, owner, isinstance(setup, Function), recording, node)
    with reader.grad_enabled(not isinstance(reader.builder, Builder)):
        given = args if isinstance(setup, Function) else [context, *args]
        value = reader.call(owner.members["forward"], given, {}, node)
        if isinstance(setup, Function):
            reader.call(setup, [context, tuple(args), value], {}, node)
    if context.dirty:
        raise Refused("mark_dirty() is not read.", "Return a new tensor.", at=node)
    if not recording:
        if isinstance(reader.builder, Terms):
            reader.builder.stopped = True  # where that is differentiated PyTorch goes through its backward()
        return value
    outputs = list(value) if isinstance(value, (tuple, list)) else [value]
    outputs = [_itself(reader, one) if any(one is arg for arg in args) else one for one in outputs]
    context.reads = False
    made: list[Any] = [one if one in context.flat or not isinstance(one, Array) else None for one in outputs]
    # A saved output has the rule of that output, so one that another's rule reads comes first.
    waiting, order, mutual = [i for i, one in enumerate(made) if one is None], 0, False
    while waiting:
        i = waiting.pop(0)
        others = {
            one.held.number: None if made[k] is None else made[k].held
            for k, one in enumerate(outputs)
            if k != i and isinstance(one, Array) and one.is_node and one not in context.flat
        }
        try:
            made[i] = _output(reader, owner, context, args, outputs, i, node, others, mutual)
            order = 0
        except Waits:
            waiting.append(i)
            order += 1
        if order > len(waiting) and not mutual:
            mutual, order = True, 0
        elif order > len(waiting):
            raise Refused(
                f"{owner.name} saves outputs, and the gradients of these read each other.",
                "Make a function for each output.",
                at=node,
            )
    _save(reader, owner, context, dict(zip(outputs, made, strict=True)))
    return tuple(made) if isinstance(value, (tuple, list)) else made[0]


def _check_transforms(reader: Reader, owner: Class, setup: bool, recording: bool, node: ast.AST) -> None:
    """Refuse an `autograd.Function` inside functions of `torch.func` that do not take its backward()."""
    active = reader.state(Transforms).active
    if active and not setup:
        raise LibraryError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), "
            "it must override the setup_context staticmethod.",
            "Let forward() take no ctx, and save in setup_context(ctx, inputs, output).",
            at=node,
        )
    if "vmap" in active and owner.members.get("generate_vmap_rule") is not True:
        raise Refused(f"{owner.name} is read under vmap only with generate_vmap_rule = True.", at=node)
    if recording and {"jvp", "jacfwd", "hessian"}.intersection(active):
        raise Refused(
            f"{owner.name} is not read in forward mode, where PyTorch takes its jvp() or raises an error.",
            "Use torch.func.grad, vjp or jacrev.",
            "forward",
            node,
        )


def _itself(reader: Reader, x: Array) -> Array:
    """Return an argument that is returned as it is: PyTorch makes a view of it."""
    with reader.grad_enabled(False):
        return whole(reader, x)


def _save(reader: Reader, owner: Class, context: Context, made: Mapping[Any, Any]) -> None:
    """Note for the backward pass what a function has saved, and what else it keeps.

    Args:
      made: the outputs by what `forward` returned in their place.
    """
    saved = [made.get(one, one) for one in context.saved if isinstance(one, Array)] if context.reads else []
    kept = [info(reader, one) for one in arrays_of(context.fields.values())]
    call = Recorded(
        f"{owner.name}.apply",
        as_saved(reader, saved),
        context.reads,
        kept=[(about, about.storage.changes) for about in kept],
    )
    for one in made.values():
        if isinstance(one, Array) and one.is_node and one.requires_grad:
            again = read_by_rule(reader.builder.drafts[one.held.number])
            reader.state(Memory).calls[one.held.number] = replace(call, again=again)


def _output(
    reader: Reader,
    owner: Class,
    context: Context,
    args: list,
    outputs: list[Any],
    i: int,
    node: ast.AST,
    others: Mapping[int, Ref | None],
    mutual: bool,
) -> Any:
    """Return one of the outputs of a function, whose rule is what backward says of its cotangent.

    Args:
      others: the nodes of the other outputs, as far as they have their rules.
      mutual: whether the rules of outputs read each other, if only in products with 0.
    """
    value = outputs[i]
    like_it = [isinstance(one, Array) and shape_of(reader, one) == shape_of(reader, value) for one in outputs]

    def pull(v: Array) -> Sequence[Any]:
        # Zeros like what arrives where that has the shape: the rule of one output need not read another one.
        seeds: list[Any] = [
            v
            if k == i
            else reader.make("zeros_like", [v if like_it[k] else one])
            if context.materialize
            else None
            for k, one in enumerate(outputs)
        ]
        passed = reader.call(owner.members["backward"], [context, *seeds], {}, node)
        passed = list(passed) if isinstance(passed, (tuple, list)) else [passed]
        while len(passed) > len(args) and passed[-1] is None:
            passed.pop()
        if len(passed) != len(args):
            raise LibraryError(
                f"function {owner.name}Backward returned an incorrect number of gradients (expected "
                f"{len(args)}, "
                f"got {len(passed)}).",
                "Return one gradient for each argument of forward, None for what has none.",
                at=node,
            )
        return [
            _without_zeros(reader, _fitted(reader, owner, one, arg), len(outputs), mutual) if needed else None
            for one, arg, needed in zip(passed, args, context.needs, strict=True)
        ]

    if len(outputs) > 1:
        _additive(reader, owner, context, value, pull)
    wires = [arg if needed else None for arg, needed in zip(args, context.needs, strict=True)]
    made = declare(reader, value, wires, pull, owner.name, others)
    made.requires_grad, made.leaf = True, False
    shown = info(reader, value)
    if shown.parent is not None and shown.derive is not None:  # it shows the memory of an argument
        mine, first, derive = info(reader, made), made.held, shown.derive

        def again(reader: Reader, parent: Array) -> Array:
            held = reader.builder.add(IDENTITY, [derive(reader, parent).held, first], Rule(BACKWARD_AS))
            return Array(held, "torch", made.dtype, True, False)

        mine.storage, mine.counter, mine.places = shown.storage, shown.counter, shown.places
        mine.parent, mine.kind, mine.unknown = shown.parent, shown.kind, shown.unknown
        mine.derive, mine.push, mine.made = again, shown.push, FUNCTION
        mine.storage.views.append(made)
    return made


def _without_zeros(reader: Reader, passed: Any, outputs: int, mutual: bool) -> Any:
    """Return a gradient without what is 0 because nothing arrives at the other outputs.

    Args:
      mutual: whether what is left out may be read nowhere else, if the gradient still reads something.
    """
    if outputs == 1 or not isinstance(passed, Array) or not isinstance(passed.held, Call):
        return passed
    assert isinstance(reader.builder, Terms)
    shape = reader.builder.shape(passed.held)

    def plain(term: Any) -> Any:
        if not isinstance(term, Call) or _is_zero(term):
            return term
        args = tuple(map(plain, term.args))
        kept = [one for one in args if not _is_zero(one)]
        if (
            term.op in ("add", "sub")
            and len(kept) == 1
            and reader.builder.shape(kept[0]) == reader.builder.shape(term)
        ):
            return kept[0] if term.op == "add" or kept[0] is args[0] else Call("neg", (kept[0],), ())
        return Call(term.op, args, term.params)

    made = plain(passed.held)
    # What is left out must be read elsewhere: autograd goes through the product with 0, and passes a 0 on.
    same_reads = _read(made) >= _read(passed.held) or (mutual and _read(made) > {"v"})
    return replace(passed, held=made) if same_reads and reader.builder.shape(made) == shape else passed


def _read(term: Any) -> set[str]:
    """Return what a term reads: what arrives, and values of the graph."""
    if isinstance(term, Call):
        return set().union(*map(_read, term.args))
    return {term} if isinstance(term, str) else set()


def _fitted(reader: Reader, owner: Class, passed: Any, arg: Array) -> Any:
    """Return a gradient in the shape of its argument, over which PyTorch sums what was broadcast."""
    if not isinstance(passed, Array):
        if passed is None:
            return None
        raise LibraryError(f"{owner.name}: expected Variable or None, got a number.", "Return a tensor.")
    wanted = shape_of(reader, arg)
    passed = _summed(reader, passed, wanted)
    if shape_of(reader, passed) != wanted:
        raise LibraryError(
            f"Function {owner.name}Backward returned an invalid gradient: got "
            f"{list(shape_of(reader, passed))} but "
            f"expected shape "
            f"compatible with {list(wanted)}.",
            "Return a gradient of the argument's shape.",
        )
    return passed


def _summed(reader: Reader, x: Array, wanted: tuple[int, ...]) -> Array:
    """Return an array summed over the axes along which one of the wanted shape is broadcast to it."""
    shape = shape_of(reader, x)
    while len(shape) > len(wanted):
        x, shape = reader.make("sum", [x], axis=0), shape[1:]
    for i, (have, need) in enumerate(zip(shape, wanted, strict=False)):
        if need == 1 and have != 1:
            x = reader.make("sum", [x], axis=i, keepdims=True)
    return x


def sum_to_size(reader: Reader, x: Array, *size: Any) -> Array:
    """Read `sum_to_size`, which undoes a broadcast.

    Raises:
      LibraryError: no tensor of that size can be broadcast to this one.
    """
    wanted = tuple(size[0]) if size and isinstance(size[0], (tuple, list)) else size
    made = _summed(reader, x, wanted)
    if shape_of(reader, made) != wanted:
        raise LibraryError(
            f"size {list(wanted)} is not expandable to size {list(shape_of(reader, x))}.",
            "Give a size that can be broadcast to the tensor's.",
        )
    return made


LINEAR = frozenset(
    (
        "add", "sub", "neg", "identity", "sum", "mean", "reshape", "transpose", "expand_dims",
        "getitem", "broadcast_to", "zeros_like", "stack", "concatenate", "cumsum", "flatten",
        "first",
    )
)  # fmt: skip
"""Ops that are linear in all they get."""


def _additive(
    reader: Reader, owner: Class, context: Context, value: Array, pull: Callable[[Array], Any]
) -> None:
    """Check that a backward function of several outputs adds up what arrives at each.

    Its rules stand at the outputs, one each, so that what both make of their cotangents is added.

    Raises:
      Refused: it may do something else.
    """
    with body(reader, shape_of(reader, value), []) as terms:
        for one in pull(Array(ARRIVING, value.framework, value.dtype)):
            if isinstance(one, Array) and not _linear(terms.term(one.held)):
                raise Refused(
                    f"{owner.name} has several outputs, and its backward function is read only if it is "
                    f"linear.",
                    "Make a function for each output.",
                )


def _depends(term: Any) -> bool:
    return term == ARRIVING or (isinstance(term, Call) and any(map(_depends, term.args)))


def _is_zero(term: Any) -> bool:
    """Whether a term is 0 whatever arrives."""
    if not isinstance(term, Call):
        return term == 0
    if term.op in ("mul", "matmul", "dot"):
        return any(map(_is_zero, term.args))
    if term.op == "div":
        return _is_zero(term.args[0])
    return term.op == "zeros_like" or (term.op in LINEAR and all(map(_is_zero, term.args)))


def _linear(term: Any) -> bool:
    """Whether a term is linear in the arriving cotangent."""
    if term == ARRIVING or _is_zero(term):
        return True
    if not isinstance(term, Call):
        return False
    if term.op in ("mul", "matmul", "dot"):
        return sum(map(_depends, term.args)) == 1 and any(_linear(one) for one in term.args if _depends(one))
    if term.op == "div":
        return _linear(term.args[0]) and not _depends(term.args[1])
    if term.op == "where":
        return not _depends(term.args[0]) and all(map(_linear, term.args[1:]))
    return term.op in LINEAR and all(map(_linear, term.args))


def context_attribute(reader: Reader, context: Context, name: str, node: ast.AST) -> Any:
    """Return an attribute of `ctx`."""
    if name in ("saved_tensors", "saved_variables"):
        context.reads = True
        return context.saved
    if name == "needs_input_grad":
        return context.needs
    if name in ("save_for_backward", "mark_non_differentiable", "mark_dirty", "set_materialize_grads"):

        def keep(_: Reader, args: list, keywords: dict) -> None:
            if name == "save_for_backward":
                context.saved = tuple(args)
            elif name == "mark_non_differentiable":
                context.flat += list(args)
            elif name == "mark_dirty":
                context.dirty = True
            else:
                context.materialize = bool([*args, *keywords.values()][0])

        return Native(keep, name)
    if name in context.fields:
        return context.fields[name]
    raise Refused(f"ctx has no {name!r}.", "Set it in forward().", at=node)


def set_context_attribute(reader: Reader, context: Context, name: str, value: Any, target: ast.AST) -> None:
    """Keep a value at `ctx`."""
    context.fields[name] = value


# TensorFlow.


def tf_custom_gradient(reader: Reader, f: Any = None) -> Native:
    """Read `tf.custom_gradient`, whose gradient function also gets the variables that the function reads."""

    def call(_: Reader, args: list, keywords: dict) -> Any:
        args = [tensor(reader, one) if isinstance(one, (int, float)) else one for one in args]
        first = len(reader.builder.drafts)
        value, back = pair(reader.call(f, args, keywords), "The function returns (value, gradient function).")
        if isinstance(value, (tuple, list)) and len(value) == 1:
            value = value[0]
        if isinstance(value, Array) and not value.is_node:
            value = reader.copied(Array(reader.builder.input(value.held, ""), "tf", value.dtype))
        made_of = reader.builder.ancestors(value.held) if isinstance(value, Array) else set()
        reads = {
            slot
            for number in made_of
            if number >= first
            for slot in reader.builder.drafts[number].slots
            if isinstance(slot, Ref)
        }
        given = {one.held for one in args if isinstance(one, Array)}
        variables = [
            one.array
            for one in reader.state(Variables).by_id.values()
            if one.trainable and one.array.held in reads and one.array.held not in given
        ]
        if variables and "variables" not in _all_parameters(back):
            raise Refused(
                "TypeError: @tf.custom_gradient uses variables, but its gradient function has no "
                "argument 'variables'.",
                "Write def grad(upstream, variables=None): return gradients, variable_gradients.",
            )

        def pull(v: Array) -> Sequence[Any]:
            passed = reader.call(back, [v], {"variables": variables} if variables else {})
            if variables:
                passed, others = pair(
                    passed, "The gradient function returns (gradients, variable gradients)."
                )
                others = list(others) if isinstance(others, (tuple, list)) else [others]
            else:
                others = []
            return [*(passed if isinstance(passed, (tuple, list)) else [passed]), *others]

        wires = [*args, *variables]
        made = declare(reader, value, wires, pull, getattr(f, "name", "This function"))
        nodes = sum(isinstance(one, Array) and one.is_node for one in wires)
        draft = reader.builder.drafts[made.held.number]
        # The value and what the gradient function reads from outside are no arguments of the function.
        barred = set(range(len(draft.slots) - nodes))
        function = draft.rule.function
        for i, (name, term) in enumerate(zip(function.args[1:-1], function.body, strict=True)):
            if term == zeros_of(name):
                barred.add(i)
        reader.state(Variables).barred[made.held.number] = barred
        reader.say(reader.line, "tf.custom_gradient became a declared pullback")
        return made

    return Native(call, "custom_gradient", f)


def _all_parameters(function: Any) -> list[str]:
    if not isinstance(function, Function):
        return []
    names = [*function.parameters(), *(one.arg for one in function.args.kwonlyargs)]
    return [*names, "variables"] if function.args.kwarg is not None else names


@dataclass(eq=False)
class OpOf:
    """What the first argument of a registered gradient is: the op with its inputs and outputs."""

    inputs: list[Any]
    outputs: list[Any]


def register_gradient(reader: Reader, op_type: str) -> Native:
    """Read `@tf.RegisterGradient("Name")`."""

    def register(_: Reader, args: list, keywords: dict) -> Any:
        reader.state(Overrides).registered[op_type] = args[0]
        return args[0]

    return Native(register, "RegisterGradient")


def overridden(reader: Reader, function: Callable[..., Any], args: tuple, keywords: dict, name: str) -> Array:
    """Return an op's value with the gradient that `gradient_override_map` names for its type."""
    known = reader.state(Overrides).registered
    if name not in known:
        raise Refused(f"No gradient is registered as {name!r}.", f'Write @tf.RegisterGradient("{name}").')
    wires = [tensor(reader, one) for one in (*args, *keywords.values()) if isinstance(one, Array)]
    value = function(reader, *args, **keywords)

    def pull(v: Array) -> Sequence[Any]:
        passed = reader.call(known[name], [OpOf(wires, [value]), v], {})
        return passed if isinstance(passed, (tuple, list)) else [passed]

    return declare(reader, value, wires, pull, name)


def op_attribute(reader: Reader, op: OpOf, name: str, node: ast.AST) -> Any:
    """Return the inputs or the outputs of an op."""
    if name in ("inputs", "outputs"):
        return getattr(op, name)
    raise Refused(f"An op has no {name!r} that is read.", "There are inputs and outputs.", at=node)


for _begin in ("tensorflow.", "tensorflow.compat.v1."):
    FUNCTIONS[f"{_begin}custom_gradient"] = tf_custom_gradient
    FUNCTIONS[f"{_begin}RegisterGradient"] = register_gradient
TENSOR["sum_to_size"] = sum_to_size
TORCH["torch.autograd.function.once_differentiable"] = lambda reader, f: f
FUNCTIONS["staticmethod"] = FUNCTIONS["classmethod"] = lambda reader, f: f


def install(reader: Reader) -> None:
    """Teach a reader declared derivatives."""
    reader.handlers.attribute[OpOf] = op_attribute
    reader.state(Overrides).apply = overridden
    reader.handlers.attribute[Class] = class_attribute
    reader.handlers.attribute[Context] = context_attribute
    reader.handlers.set_attribute[Context] = set_context_attribute
