"""Read JAX's transformations: derivatives become grad nodes, checkpoints regions, custom rules rules."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from autodiff_viz.graph.model import IDENTITY, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading.arrays import FUNCTIONS, constant, known, r_array, shape_of
from autodiff_viz.reading.builder import Frame, Ref
from autodiff_viz.reading.interpreter import Interpreter, Request
from autodiff_viz.reading.values import (
    BOOL,
    INT,
    Array,
    Native,
    Refused,
    arrays_in,
    leaves,
    mapped,
    parameter_names,
)

ROWS = 64  # of a Jacobian


@known("lax.stop_gradient")
def stop_gradient(r: Interpreter, x: Any) -> Any:
    """Read a stop: the same value, and no gradient."""

    def stopped(leaf: Any) -> Any:
        return r.make(IDENTITY, [leaf], rule=Rule(STOP)) if isinstance(leaf, Array) and leaf.is_node else leaf

    return mapped(stopped, x)


@known("jax.jit")
def jit(r: Interpreter, function: Any = None, **options: Any) -> Any:
    """Read `jax.jit`, which changes no number; inside it no branch can depend on the numbers of an array."""
    if function is None:
        return Native(lambda _, args, kw: jit(r, args[0], **options), "jit")

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        outside, r.compiled = r.compiled, "jit"
        try:
            return r.call(function, args, keywords)
        finally:
            r.compiled = outside

    return Native(call, "jit", function)


@known("jax.named_call", "functools.wraps")
def same(r: Interpreter, function: Any = None, **options: Any) -> Any:
    """Read what changes no number: the function itself."""
    if function is None:
        return Native(lambda _, args, kw: args[0], "jit")
    return function


@known("functools.partial")
def partial(r: Interpreter, function: Any, *given: Any, **keywords: Any) -> Native:
    """Read a function with some arguments given."""

    def call(_: Interpreter, args: list, more: dict) -> Any:
        return r.call(function, [*given, *args], {**keywords, **more})

    return Native(call, "partial")


def argument(r: Interpreter, value: Any, name: str) -> tuple[Any, list[tuple[str, Array, Array]]]:
    """Return an argument that is differentiated by, and (name, what is given, its own node) of each array in it.

    What is given may also reach the function through its scope, and only the way through the argument counts.
    So the argument gets a node of its own, which `merged` removes again where there is no other way.
    """
    owns: list[tuple[str, Array, Array]] = []
    paths = iter(leaves(value))

    def own(leaf: Any) -> Any:
        path, _ = next(paths)
        label = ".".join(part for part in (name, path) if part)
        if isinstance(leaf, bool) or not isinstance(leaf, (int, float, Array)):
            raise Refused(f"It cannot be differentiated by {label}, which is no array.")
        if isinstance(leaf, int) or (isinstance(leaf, Array) and leaf.dtype in (INT, BOOL)):
            raise Refused(
                f"JAX differentiates by floats only, and {label} is an integer.",
                "Write a point: 2.0.",
                "integer",
            )
        if isinstance(leaf, Array) and leaf.is_node:
            node = r.copied(leaf)
        else:
            held = r.held(leaf)
            node = Array(
                r.builder.input(held, label.rpartition(".")[2]), "jax", getattr(leaf, "dtype", "float32")
            )
            leaf = node
        owns.append((label, leaf, node))
        return node

    return mapped(own, value), owns


def merged(r: Interpreter, owns: list[tuple[str, Array, Array]], first: int) -> None:
    """Let the nodes made since `first` read what was given where nothing else leads to it."""
    for _, given, own in owns:
        if own is given or not isinstance(own.held, Ref):
            continue
        later = r.builder.drafts[first:]
        old, new = given.held, own.held
        copy = r.builder.drafts[new.number]
        if any(old in draft.slots for draft in later if draft is not copy):
            continue
        for draft in later:
            if draft is not copy:
                draft.slots = tuple(old if slot == new else slot for slot in draft.slots)
        own.held = old
        r.builder.merged.add(new.number)


@dataclass
class Differentiated:
    """A call of a function whose arguments have nodes of their own."""

    value: Any
    owns: list[tuple[str, Array, Array]]
    arguments: list[Any]


def call_at(r: Interpreter, function: Any, args: list, keywords: dict, argnums: list[int]) -> Differentiated:
    """Call a function with the chosen arguments as nodes that it is differentiated by."""
    names = parameter_names(function)
    args, owns, chosen = list(args), [], []
    first = len(r.builder.drafts)
    for i in argnums:
        if not -len(args) <= i < len(args):
            raise Refused(f"argnums names argument {i}, and {len(args)} are given.")
        i %= len(args)
        args[i], mine = argument(r, args[i], names[i] if i < len(names) else f"arg{i}")
        owns += mine
        chosen.append(args[i])
    value = r.call(function, args, keywords)
    merged(r, owns, first)
    return Differentiated(value, owns, chosen)


def _argnums(argnums: Any) -> tuple[list[int], bool]:
    if type(argnums) is int:
        return [argnums], True
    if isinstance(argnums, (tuple, list)) and all(type(one) is int for one in argnums):
        return list(argnums), False
    raise Refused("argnums is a whole number, or a tuple of them.")


def scalar_root(r: Interpreter, value: Any) -> Array:
    """Return the output of a function that `grad` differentiates, which is one number."""
    if isinstance(value, (int, float)):
        return constant(r, value, "jax", "float32")
    if not isinstance(value, Array):
        raise Refused(
            "grad() needs a function that returns one number.", "With more than that, add has_aux=True."
        )
    if shape_of(r, value) != ():
        raise Refused(
            f"grad() needs a function that returns one number, and this returns shape {list(shape_of(r, value))}.",
            "Sum it up, or use jacrev or vjp.",
            "not-scalar",
        )
    return value


def gradients(r: Interpreter, root: Array, done: Differentiated, asked: bool = True) -> Any:
    """Return the derivatives of a number by each argument, and note that they were asked for."""
    by_own = {}
    for label, _, own in done.owns:
        if root.is_node and isinstance(own.held, Ref) and own.held.number in r.builder.ancestors(root.held):
            by_own[id(own)] = r.gradient(root, own)
        else:
            by_own[id(own)] = r.make("zeros_like", [own])
        if asked:
            r.requests.append(
                Request(label, root.held if root.is_node else None, own.held, r.line, by_own[id(own)].held)
            )
    if root.is_node:
        r.roots.append(root.held)
    return [mapped(lambda leaf: by_own[id(leaf)], one) for one in done.arguments]


def _grad(
    r: Interpreter, function: Any, argnums: Any = 0, has_aux: bool = False, with_value: bool = False
) -> Native:
    chosen, one = _argnums(argnums)

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        done = call_at(r, function, args, keywords, chosen)
        value, aux = done.value if has_aux else (done.value, None)
        root = scalar_root(r, value)
        found = gradients(r, root, done)
        result = found[0] if one else tuple(found)
        if with_value:
            return ((root, aux) if has_aux else root), result
        return (result, aux) if has_aux else result

    return Native(call, "grad", function)


@known("jax.grad")
def grad(r: Interpreter, fun: Any, argnums: Any = 0, has_aux: bool = False, **_: Any) -> Native:
    """Read `jax.grad`."""
    return _grad(r, fun, argnums, has_aux)


@known("jax.value_and_grad")
def value_and_grad(r: Interpreter, fun: Any, argnums: Any = 0, has_aux: bool = False, **_: Any) -> Native:
    """Read `jax.value_and_grad`."""
    return _grad(r, fun, argnums, has_aux, with_value=True)


def pulled(r: Interpreter, value: Array, cotangent: Any) -> Array:
    """Return the number whose gradient is the cotangent pulled back: the sum of their product."""
    seed = stop_gradient(r, r_array(r, cotangent))
    if shape_of(r, value) == () and seed == 1.0:
        return value
    product = r.make("mul", [value, seed])
    return product if shape_of(r, value) == () else r.make("sum", [product])


@known("jax.vjp")
def vjp(r: Interpreter, fun: Any, *primals: Any, has_aux: bool = False) -> tuple:
    """Read `jax.vjp`: the value, and a function that pulls a cotangent back."""
    done = call_at(r, fun, list(primals), {}, list(range(len(primals))))
    value, aux = done.value if has_aux else (done.value, None)

    def pull(_: Interpreter, args: list, keywords: dict) -> tuple:
        outputs, seeds = leaves(value), leaves(args[0])
        if len(outputs) != len(seeds):
            raise Refused("The pullback takes a cotangent of the same form as the value.")
        total: Any = None
        for (_, output), (_, seed) in zip(outputs, seeds, strict=True):
            part = pulled(r, output, seed)
            total = part if total is None else r.make("add", [total, part])
        return tuple(gradients(r, total, done))

    back = Native(pull, "pullback")
    return (value, back, aux) if has_aux else (value, back)


@known("jax.jvp")
def jvp(r: Interpreter, fun: Any, primals: Any, tangents: Any) -> tuple:
    """Read `jax.jvp` as two pullbacks: the first is linear in its cotangent, so its own pullback is the tangent."""
    primals, tangents = list(r.items(primals, ast.Constant(0))), list(r.items(tangents, ast.Constant(0)))
    done = call_at(r, fun, primals, {}, list(range(len(primals))))
    value = done.value
    if not isinstance(value, Array):
        raise Refused("jvp() is read of functions that return one array.")
    seed = r.copied(Array(r.make("zeros_like", [value]).held, "jax", value.dtype))
    product = r.make("mul", [value, seed])
    total = product if shape_of(r, value) == () else r.make("sum", [product])
    sums: Any = None
    own_arrays = [own for _, _, own in done.owns]
    for own, (_, tangent) in zip(own_arrays, leaves(tangents), strict=True):
        if own.held.number not in r.builder.ancestors(total.held):
            continue
        part = r.make("mul", [r.gradient(total, own), r_array(r, tangent)])
        part = part if shape_of(r, own) == () else r.make("sum", [part])
        sums = part if sums is None else r.make("add", [sums, part])
    tangent = r.make("zeros_like", [value]) if sums is None else r.gradient(sums, seed)
    return value, tangent


def _jacobian(r: Interpreter, function: Any, argnums: Any = 0) -> Native:
    chosen, one = _argnums(argnums)

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        done = call_at(r, function, args, keywords, chosen)
        found = rows(r, done.value, done)
        return found[0] if one else tuple(found)

    return Native(call, "jacobian", function)


def rows(r: Interpreter, value: Array, done: Differentiated) -> list[Any]:
    """Return the derivative of every element of a value by each argument, stacked to the value's shape."""
    shape = shape_of(r, value)
    if shape == ():
        return gradients(r, value, done)
    if len(shape) > 1 or shape[0] > ROWS:
        raise Refused(
            f"A Jacobian is read of at most {ROWS} outputs in a row.", "Reshape the output.", "too-large"
        )
    each = [gradients(r, r.make("getitem", [value], index=(i,)), done, asked=False) for i in range(shape[0])]
    stacked = []
    for column in zip(*each, strict=True):
        if not isinstance(column[0], Array):
            raise Refused("A Jacobian is read by arrays, not by lists of them.")
        stacked.append(r.make("stack", list(column), axis=0))
    for (label, _, own), whole in zip(done.owns, stacked, strict=False):
        r.requests.append(Request(label, None, own.held, r.line, whole.held))
    return stacked


FUNCTIONS["jax.jacobian"] = FUNCTIONS["jax.jacrev"] = FUNCTIONS["jax.jacfwd"] = _jacobian


@known("jax.hessian")
def hessian(r: Interpreter, fun: Any, argnums: Any = 0) -> Native:
    """Read `jax.hessian`: the Jacobian of the gradient."""
    return _jacobian(r, _grad(r, fun, argnums), argnums)


@known("jax.vmap")
def vmap(r: Interpreter, fun: Any, in_axes: Any = 0, out_axes: Any = 0) -> Native:
    """Read `jax.vmap` as what it means: the function of each row, stacked."""

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        axes = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        if out_axes != 0 or not all(axis in (0, None) for axis in axes) or len(axes) != len(args):
            raise Refused("vmap is read along the first axis only.")
        sizes = {
            shape_of(r, array)[0]
            for arg, axis in zip(args, axes, strict=True)
            if axis == 0
            for array in arrays_in(arg)
        }
        if len(sizes) != 1:
            raise Refused("vmap needs arrays of one length.")
        (size,) = sizes
        if size > ROWS:
            raise Refused(f"vmap is unrolled for at most {ROWS} rows.", "Use fewer.", "too-large")

        def row(i: int) -> list:
            return [
                arg if axis is None else mapped(lambda a: r.make("getitem", [a], index=(i,)), arg)
                for arg, axis in zip(args, axes, strict=True)
            ]

        results = [r.call(fun, row(i), keywords) for i in range(size)]
        return _stacked(r, results)

    return Native(call, "vmap", fun)


def _stacked(r: Interpreter, results: list[Any]) -> Any:
    first = results[0]
    if isinstance(first, (tuple, list)):
        return type(first)(_stacked(r, list(column)) for column in zip(*results, strict=True))
    if isinstance(first, dict):
        return {key: _stacked(r, [one[key] for one in results]) for key in first}
    return r.make("stack", results, axis=0)


@known("jax.checkpoint", "jax.remat", "jax.ad_checkpoint.checkpoint")
def checkpoint(r: Interpreter, fun: Any = None, policy: Any = None, **_: Any) -> Native:
    """Read a checkpoint: the nodes of a call are a region."""
    if fun is None:
        return Native(lambda _, args, kw: checkpoint(r, args[0], policy), "checkpoint")
    name, saved = _policy(policy)

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        args = [
            Array(r.builder.input(r.held(a), n), "jax") if isinstance(a, (int, float)) else a
            for a, n in zip(args, [*parameter_names(fun), *["x"] * len(args)], strict=False)
        ]
        with r.frame(Frame(getattr(fun, "name", "block"), name, saved)):
            return r.call(fun, args, keywords)

    return Native(call, "checkpoint", fun)


def _policy(policy: Any) -> tuple[str, tuple[str, ...]]:
    from autodiff_viz.graph.policies import POLICIES

    if policy is None:
        return POLICIES[0], ()
    name = getattr(policy, "name", "").rpartition(".")[2]
    if name in POLICIES:
        return name, tuple(getattr(policy, "attributes", {}).get("saved", ()))
    raise Refused("This policy is not read.", f"There are {', '.join(POLICIES)}.")
