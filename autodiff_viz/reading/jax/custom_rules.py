"""Read JAX's declared derivatives: `custom_vjp`, `custom_jvp` and `custom_gradient`, of trees of arrays.

A rule of forward mode says what becomes of a tangent. It is linear in it, and its transpose, worked out op by
op, is the pullback.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from autodiff_viz.graph.model import Call
from autodiff_viz.reading.functions.arrays import known, parameter_names, r_array, reshape, shape_of
from autodiff_viz.reading.functions.declared import OwnRule, OwnRules, declare, pair
from autodiff_viz.reading.functions.rows import only, spread
from autodiff_viz.reading.functions.terms import Terms
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, INT, Array, Native, Refused, leaves, mapped

TANGENT = "t"


@dataclass(eq=False)
class Custom:
    """A function of JAX with a declared derivative, forward or backward.

    Attributes:
      inner: the function.
      backward: whether its rule is of reverse mode.
      nondiff: the arguments that its rule gets as they are.
      fwd, bwd, jvp, jvps: its rules, as far as they are declared.
      inside: how many of its own rules are being read, where it is a plain function.
      own: what it has returned to these.
      present: the arguments of the call whose rule of forward mode is being read, and its value.
    """

    inner: Any
    backward: bool
    nondiff: tuple[int, ...] = ()
    fwd: Any = None
    bwd: Any = None
    jvp: Any = None
    jvps: list[Any] = field(default_factory=list)
    inside: int = 0
    own: list[Any] = field(default_factory=list)
    present: tuple[Any, Any] | None = None

    @property
    def name(self) -> str:
        """The function's name, for messages."""
        return getattr(self.inner, "name", "This function")


@known("jax.custom_vjp", "jax.custom_derivatives.custom_vjp")
def custom_vjp(reader: Reader, fun: Any = None, nondiff_argnums: Any = (), nondiff_argnames: Any = ()) -> Any:
    """Read `jax.custom_vjp`."""
    if fun is None:
        return Native(
            lambda _, args, kw: custom_vjp(reader, args[0], nondiff_argnums, nondiff_argnames), "custom_vjp"
        )
    return Custom(fun, True, _numbers(fun, nondiff_argnums, nondiff_argnames))


@known("jax.custom_jvp", "jax.custom_derivatives.custom_jvp")
def custom_jvp(reader: Reader, fun: Any = None, nondiff_argnums: Any = (), nondiff_argnames: Any = ()) -> Any:
    """Read `jax.custom_jvp`."""
    if fun is None:
        return Native(
            lambda _, args, kw: custom_jvp(reader, args[0], nondiff_argnums, nondiff_argnames), "custom_jvp"
        )
    return Custom(fun, False, _numbers(fun, nondiff_argnums, nondiff_argnames))


def _numbers(function: Any, argnums: Any, argnames: Any) -> tuple[int, ...]:
    numbers = (argnums,) if type(argnums) is int else tuple(argnums or ())
    names = (argnames,) if isinstance(argnames, str) else tuple(argnames or ())
    known_names = parameter_names(function)
    if not all(type(one) is int for one in numbers) or not set(names) <= set(known_names):
        raise Refused("nondiff_argnums are whole numbers.")
    return (*numbers, *(known_names.index(name) for name in names))


def custom_attribute(reader: Reader, custom: Custom, name: str, node: ast.AST) -> Native:
    """Return how a function with a declared derivative is told it: `defvjp`, `defjvp`, `defjvps`."""

    def define(_: Reader, args: list, keywords: dict) -> Any:
        # A rule of forward mode gets the same tangents, some of them as zeros of a type of their own.
        unread = keywords.get("symbolic_zeros") and custom.backward
        if unread or keywords.get("optimize_remat"):
            raise Refused("This option of a declared derivative is not read.", at=node)
        if name == "defvjp" and custom.backward:
            rules = [*args, *(keywords[key] for key in ("fwd", "bwd") if key in keywords)]
            if len(rules) < 2:
                raise Refused("defvjp() takes the forward and the backward function.", at=node)
            custom.fwd, custom.bwd = rules[:2]
            return None
        if name == "defjvp" and not custom.backward and args:
            custom.jvp = args[0]
            return args[0]
        if name == "defjvps" and not custom.backward:
            custom.jvps = args
            return None
        raise Refused(f"This function has no {name!r}.", at=node)

    return Native(define, name)


def call_custom(reader: Reader, custom: Custom, args: list, keywords: dict, node: ast.AST | None) -> Any:
    """Call a function with a declared derivative."""
    names = parameter_names(custom.inner)
    args = [*args, *(keywords[name] for name in names[len(args) :] if name in keywords)]
    defaults = getattr(custom.inner, "defaults", [])
    while defaults and len(args) < len(names) and len(names) - len(args) <= len(defaults):
        args.append(defaults[len(args) - len(names)])
    if isinstance(reader.builder, Terms) or custom.inside:  # inside its own rule, where only its value counts
        if custom.present is not None and _same(args, custom.present[0]):
            custom.own.append(custom.present[1])
            return custom.own[-1]
        if isinstance(reader.builder, Terms):  # where that is differentiated JAX goes through its rule
            reader.builder.stopped = True
        custom.own.append(reader.call(custom.inner, args, {}, node))
        return custom.own[-1]
    nondiff = {i % max(len(args), 1) for i in custom.nondiff}
    differ = [i for i in range(len(args)) if i not in nondiff]
    fixed = [args[i] for i in sorted(nondiff) if i < len(args)]
    if custom.backward:
        if custom.bwd is None:
            raise Refused(
                "This function has no backward function yet.", "Call its defvjp(fwd, bwd) first.", at=node
            )
        custom.inside += 1
        custom.own.clear()
        try:
            result = reader.call(custom.fwd, args, {}, node)
        finally:
            custom.inside -= 1
        value, residuals = pair(result, "The forward function returns (value, residuals).")

        def pull(v: Any) -> Any:
            return reader.call(custom.bwd, [*fixed, residuals, v], {}, node)

        made = declare_tree(reader, value, [args[i] for i in differ], pull, custom.name)
        _note(
            reader, made, value, [args[i] for i in differ], any(_same(value, one) for one in custom.own), True
        )
        return made
    if custom.jvp is None and not custom.jvps:
        raise Refused("This function has no derivative yet.", "Call its defjvp(function) first.", at=node)
    value = reader.call(custom.inner, args, {}, node)
    given = [args[i] for i in differ]

    def push(i: int, tangent: Any) -> Any:
        """Return what the rule makes of a tangent of one leaf of the arguments."""
        count = iter(range(len(leaves(given))))
        tangents = [mapped(lambda leaf: tangent if next(count) == i else 0.0, one) for one in given]
        if custom.jvps:
            total: Any = 0.0
            for rule, one in zip(custom.jvps, tangents, strict=False):
                if rule is not None and tangent in [leaf for _, leaf in leaves(one)]:
                    total = reader.call(rule, [one, value, *args], {}, node)
            return total
        result = reader.call(custom.jvp, [*fixed, tuple(given), tuple(tangents)], {}, node)
        primal, tangent_out = pair(result, "The rule returns (value, tangent).")
        itself.append(any(_same(primal, one) for one in custom.own))
        return tangent_out

    itself: list[bool] = []
    made = _by_transpose(reader, custom, value, args, given, push)
    _note(reader, made, value, given, all(itself), False)
    return made


@known("jax.custom_gradient")
def custom_gradient(reader: Reader, fun: Any) -> Native:
    """Read `jax.custom_gradient`: a function that returns a value and a function of its gradient."""

    def call(_: Reader, args: list, keywords: dict) -> Any:
        value, back = pair(
            reader.call(fun, args, keywords), "The function returns (value, gradient function)."
        )
        if isinstance(reader.builder, Terms):
            return value

        def pull(v: Any) -> Any:
            passed = reader.call(back, [v] if len(leaves(value)) == 1 else list(v), {})
            return passed if len(args) != 1 or isinstance(passed, (tuple, list)) else (passed,)

        made = declare_tree(reader, value, list(args), pull, getattr(fun, "name", "This function"))
        _note(reader, made, value, list(args), False, True)
        return made

    return Native(call, "custom_gradient", fun)


def _note(reader: Reader, made: Any, value: Any, args: list, itself: bool, reverse: bool) -> None:
    """Note what JAX does with a function with a rule of its own where a derivative is differentiated.

    Args:
      made, value: its value with the rule, and without.
      itself: whether its rule calls the function itself; else JAX differentiates what the rule computes.
      reverse: whether its rule is of reverse mode.
    """
    rules = reader.state(OwnRules)
    for one, plain in zip(leaves(made), leaves(value), strict=True):
        if isinstance(one[1], Array) and one[1].is_node and isinstance(plain[1], Array) and plain[1].is_node:
            wires = [leaf for _, leaf in leaves(args) if isinstance(leaf, Array) and leaf.is_node]
            rules.made[one[1].held.number] = OwnRule(one[1], plain[1], wires, itself, reverse, rules.loops)


# Trees of arguments and of outputs.


def declare_tree(reader: Reader, value: Any, args: list, pull: Callable[[Any], Any], name: str) -> Any:
    """Return a value with a declared pullback to arguments, where both may be nested.

    Args:
      pull: reads the backward function, of a cotangent of the value's form.
    """
    outputs = [leaf for _, leaf in leaves(value)]
    arrays = [leaf for leaf in outputs if isinstance(leaf, Array) and leaf.dtype not in (INT, BOOL)]
    wires = [leaf for _, leaf in leaves(args)]
    if not arrays:
        return value
    rows = tuple(sorted({level for one in (*arrays, *wires) if isinstance(one, Array) for level in one.rows}))
    wires = [_wire(reader, one, rows) for one in wires]
    shapes = [shape_of(reader, one) for one in arrays]
    whole = spread(reader, _packed(reader, arrays), rows)

    def passed(v: Array) -> list[Any]:
        v = replace(v, rows=rows)
        parts = iter(_unpacked(reader, v, shapes))
        cotangent = mapped(lambda leaf: next(parts) if any(leaf is one for one in arrays) else 0.0, value)
        with only(reader, rows):  # where nothing is mapped over, JAX calls the rule once for all rows
            result = pull(cotangent)
        if not isinstance(result, (tuple, list)) or hasattr(result, "_fields") or len(result) != len(args):
            count = len(result) if isinstance(result, (tuple, list)) else "no tuple of"
            raise Refused(
                f"The backward function of {name} returns {count} cotangents, and JAX needs a tuple of "
                f"{len(args)}.",
                "Return one for each argument; None where there is none.",
                "cotangents",
            )
        flat: list[Any] = []
        for given, one in zip(args, result, strict=True):
            flat += _cotangents(reader, given, one, name)
        return [
            None if one is None or not isinstance(wire, Array) else _bare(reader, one, wire, rows, name)
            for one, wire in zip(flat, wires, strict=True)
        ]

    made = declare(reader, replace(whole, rows=()), [_unrowed(one) for one in wires], passed, name)
    made = replace(made, rows=rows, traced=whole.traced)
    results = iter(_unpacked(reader, made, shapes))
    return mapped(lambda leaf: next(results) if any(leaf is one for one in arrays) else leaf, value)


def _wire(reader: Reader, x: Any, rows: Sequence[int]) -> Any:
    return spread(reader, x, rows) if isinstance(x, Array) and x.is_node and rows else x


def _unrowed(x: Any) -> Any:
    return replace(x, rows=()) if isinstance(x, Array) else x


def _packed(reader: Reader, arrays: list[Array]) -> Array:
    """Return arrays as one vector, since a rule has one value; one array is that value itself."""
    if len(arrays) == 1:
        return arrays[0]
    return reader.make("concatenate", [reshape(reader, one, -1) for one in arrays], axis=0)


def _unpacked(reader: Reader, whole: Array, shapes: list[tuple[int, ...]]) -> list[Array]:
    if len(shapes) == 1:
        return [whole]
    parts, start = [], 0
    for shape in shapes:
        part = reader.make("getitem", [whole], index=((start, start + prod(shape), None),))
        parts.append(reshape(reader, part, shape))
        start += prod(shape)
    return parts


def _cotangents(reader: Reader, given: Any, passed: Any, name: str) -> list[Any]:
    """Return the cotangent of each leaf of an argument; None for all of them is short for a None each."""
    count = len(leaves(given))
    if passed is None:
        return [None] * count
    flat = [leaf for _, leaf in leaves(passed)]
    if len(flat) != count:
        raise Refused(f"A cotangent of {name} has {len(flat)} arrays, and its argument {count}.")
    return flat


def _bare(reader: Reader, passed: Any, wire: Array, rows: tuple[int, ...], name: str) -> Any:
    passed = r_array(reader, passed)
    shape = shape_of(reader, passed)
    if shape != shape_of(reader, wire):
        raise Refused(
            f"The backward function of {name} returns a cotangent of shape {list(shape)} for an argument of "
            f"shape {list(shape_of(reader, wire))}, which JAX refuses.",
            "Sum over what was broadcast.",
            "shape",
        )
    return replace(_in_rows(reader, passed, rows, name), rows=())


def _in_rows(reader: Reader, x: Array, rows: Sequence[int], name: str) -> Array:
    """Return what a rule gives, with the rows of the function that it belongs to.

    Raises:
      Refused: it has others: the rule reads from outside what `vmap` maps over, and the function does not.
    """
    if not {*x.rows} <= {*rows}:
        raise Refused(
            f"The rule of {name} reads an array that vmap maps over, and {name} itself does not get it.",
            f"Give it to {name} as an argument.",
        )
    return spread(reader, x, rows) if rows else x


# The transpose of a rule of forward mode.


def _same(some: Any, others: Any) -> bool:
    """Return whether arguments are those of another call: the same arrays, and equal numbers."""
    first, second = leaves(some), leaves(others)
    return len(first) == len(second) and all(
        one is other or (type(one) is type(other) and isinstance(one, (int, float, str)) and one == other)
        for (_, one), (_, other) in zip(first, second, strict=True)
    )


def _by_transpose(
    reader: Reader, custom: Custom, value: Any, args: list, given: list, push: Callable[[int, Any], Any]
) -> Any:
    """Return a value with the pullback that a rule of forward mode has, where both may be nested.

    Args:
      args, given: the arguments of the call, and those that are differentiated by.
      push: returns what the rule makes of a tangent of one leaf of the arguments, as the value is nested.
    """
    flat, outputs = ([leaf for _, leaf in leaves(one)] for one in (given, value))
    places = [i for i, one in enumerate(outputs) if isinstance(one, Array) and one.dtype not in (INT, BOOL)]
    arrays = [outputs[i] for i in places]
    if not arrays:
        return value
    rows = tuple(sorted({level for one in (*arrays, *flat) if isinstance(one, Array) for level in one.rows}))
    wires = [_wire(reader, one, rows) for one in flat]
    shapes = [shape_of(reader, one) for one in arrays]
    whole = spread(reader, _packed(reader, arrays), rows)
    if any(isinstance(wire, Array) and wire.held == whole.held for wire in wires):
        whole = reader.copied(whole)  # a second derivative goes through the rule, and not along the wire

    def filled(parts: list[Array]) -> Any:
        items = iter(parts)
        return mapped(lambda leaf: next(items) if any(leaf is one for one in arrays) else leaf, value)

    def passed(v_of_all: Array) -> list[Any]:
        terms = reader.builder
        assert isinstance(terms, Terms)
        custom.present = args, filled(_unpacked(reader, replace(whole, rows=rows), shapes))
        try:
            return pulled_back(terms, v_of_all)
        finally:
            custom.present = None

    def pulled_back(terms: Terms, v_of_all: Array) -> list[Any]:
        arriving = _unpacked(reader, replace(v_of_all, rows=rows), shapes)
        cotangents: list[Any] = []
        for i, wire in enumerate(wires):
            if not isinstance(wire, Array) or not wire.is_node:
                cotangents.append(None)
                continue
            terms.shapes[TANGENT] = terms.outer.shape(wire.held)
            tangent = Array(TANGENT, "jax", wire.dtype, rows=rows)
            with only(reader, rows):
                made = [leaf for _, leaf in leaves(push(i, tangent))]
            if len(made) != len(outputs) and made != [0.0]:
                raise Refused(f"The rule of {custom.name} returns a tangent of another form than its value.")
            pulled = []
            for place, output, v in zip(places, arrays, arriving, strict=True):
                out = made[place] if len(made) == len(outputs) else 0.0
                if not isinstance(out, Array):
                    continue
                shape = shape_of(reader, out)
                if shape != shape_of(reader, output):
                    raise Refused(
                        f"The rule of {custom.name} returns a tangent of shape {list(shape)}, and the value "
                        f"has {list(shape_of(reader, output))}.",
                        "",
                        "shape",
                    )
                out = _in_rows(reader, out, rows, custom.name)
                pulled.append(transposed(terms, out.held, v.held))
            back = _total(terms, pulled)
            cotangents.append(None if back is None else Array(back, "jax", wire.dtype))
        return cotangents

    made = declare(reader, replace(whole, rows=()), [_unrowed(one) for one in wires], passed, custom.name)
    return filled(_unpacked(reader, replace(made, rows=rows, traced=whole.traced), shapes))


def _depends(term: Any) -> bool:
    return term == TANGENT or (isinstance(term, Call) and any(_depends(one) for one in term.args))


def transposed(terms: Terms, term: Any, v: Any) -> Any:
    """Return what a linear term of the tangent makes of a cotangent, pulled back; None if it does not depend.

    Raises:
      Refused: the term is not linear in the tangent, or has an op whose transpose is not known here.
    """
    if isinstance(term, str) and term == TANGENT:
        return v
    if not _depends(term):
        return None
    op, args, params = term.op, term.args, dict(term.params)
    live = [i for i, one in enumerate(args) if _depends(one)]
    shapes = [terms.shape(one) for one in args]

    def back(i: int, cotangent: Any) -> Any:
        return transposed(terms, args[i], _summed(terms, cotangent, shapes[i]))

    if op in ("add", "sub", "where"):
        parts = []
        for i in live:
            if op == "where":
                if i == 0:
                    break
                sides = (args[0], v, 0.0) if i == 1 else (args[0], 0.0, v)
                parts.append(back(i, terms.add("where", sides)))
            else:
                parts.append(back(i, terms.add("neg", [v]) if op == "sub" and i else v))
        else:
            return _total(terms, parts)
    if len(live) == 1:
        (i,) = live
        other = args[1 - i] if len(args) == 2 else None
        if op == "neg":
            return back(0, terms.add("neg", [v]))
        if op == "identity":
            return back(0, v)
        if op == "mul":
            return back(i, terms.add("mul", [v, other]))
        if op == "div" and i == 0:
            return back(0, terms.add("div", [v, other]))
        if op in ("sum", "mean"):
            return transposed(terms, args[0], _spread(terms, op, v, shapes[0], params))
        if op in ("reshape", "expand_dims", "flatten"):
            return transposed(terms, args[0], terms.add("reshape", [v], shape=shapes[0]))
        if op == "broadcast_to":
            return back(0, v)
        if op == "transpose":
            axes = params.get("axes") or tuple(reversed(range(len(shapes[0]))))
            order = tuple(axes.index(k) for k in range(len(axes)))
            return transposed(terms, args[0], terms.add("transpose", [v], axes=order))
        if op == "getitem":
            empty = terms.add("broadcast_to", [0.0], shape=shapes[0])
            return transposed(terms, args[0], terms.add("at_set", [empty, v], index=params["index"]))
        if op in ("dot", "matmul") and max(len(one) for one in shapes) <= 2:
            return transposed(terms, args[i], _product(terms, v, args, shapes, i))
    if op == "stack":
        axis = params.get("axis", 0)
        parts = []
        for i in live:
            index = (*[(None, None, None)] * (axis % (len(shapes[i]) + 1)), i)
            parts.append(transposed(terms, args[i], terms.add("getitem", [v], index=index)))
        return _total(terms, parts)
    raise Refused(
        f"The rule of a custom_jvp is read if it is linear in the tangents, and {op}() here is not, or "
        "cannot be turned round.",
        "Declare it by custom_vjp.",
    )


def _total(terms: Terms, parts: list[Any]) -> Any:
    total: Any = None
    for part in parts:
        if part is not None:
            total = part if total is None else terms.add("add", [total, part])
    return total


def _summed(terms: Terms, v: Any, shape: Any) -> Any:
    """Return a cotangent summed over what was broadcast."""
    have = terms.shape(v)
    while len(have) > len(shape):
        v = terms.add("sum", [v], axis=0)
        have = have[1:]
    for axis, (size, wanted) in enumerate(zip(have, shape, strict=True)):
        if wanted == 1 and size != 1:
            v = terms.add("sum", [v], axis=axis, keepdims=True)
    if terms.shape(v) != tuple(shape):
        v = terms.add("broadcast_to", [v], shape=tuple(shape))
    return v


def _spread(terms: Terms, op: str, v: Any, shape: tuple[int, ...], params: dict[str, Any]) -> Any:
    """Return a cotangent of a sum or mean at each element that was folded."""
    axis = params.get("axis")
    if axis is None:
        v = terms.add("reshape", [v], shape=(1,) * len(shape)) if shape else v
        count = prod(shape)
    else:
        count = shape[axis]
        kept = tuple(1 if i == axis % len(shape) else size for i, size in enumerate(shape))
        v = terms.add("reshape", [v], shape=kept)
    v = terms.add("broadcast_to", [v], shape=shape) if shape else v
    return terms.add("div", [v, float(count)]) if op == "mean" else v


def _product(terms: Terms, v: Any, args: Sequence[Any], shapes: Sequence[Any], i: int) -> Any:
    """Return the cotangent of one factor of a product of vectors or matrices."""
    other = args[1 - i]
    ranks = tuple(len(one) for one in shapes)

    def turned(x: Any) -> Any:
        return terms.add("transpose", [x])

    def column(x: Any, size: int) -> Any:
        return terms.add("reshape", [x], shape=(size, 1))

    if ranks == (1, 1):
        return terms.add("mul", [v, other])
    if ranks == (2, 2):
        return terms.add("matmul", [v, turned(other)] if i == 0 else [turned(other), v])
    if ranks == (2, 1):
        if i == 0:
            return terms.add("mul", [column(v, shapes[0][0]), other])
        return terms.add("matmul", [turned(other), v])
    if i == 0:
        return terms.add("matmul", [other, v])
    return terms.add("mul", [column(other, shapes[0][0]), v])


def install(reader: Reader) -> None:
    """Teach a reader JAX's declared derivatives."""
    reader.handlers.attribute[Custom] = custom_attribute
    reader.handlers.call[Custom] = call_custom
