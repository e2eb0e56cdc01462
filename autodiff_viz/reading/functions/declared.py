"""Declare derivatives: a value with a pullback of its own, of which the text gives the backward function.

The forward function is read as nodes, the backward function as a lambda. Both meet in one node `first`: its
value is that of the forward function, and its pullback passes to each argument what the backward function
says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_viz.graph.model import GRAD, IDENTITY, Call, Lambda, Rule, Term, params
from autodiff_viz.graph.rule_kinds import PULLBACK, STOP, passing
from autodiff_viz.language.parse import parse_lambda
from autodiff_viz.reading.functions.arrays import shape_of
from autodiff_viz.reading.functions.terms import Terms
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Refused
from autodiff_viz.reading.nodes.builder import Builder, Draft, Ref
from autodiff_viz.reading.nodes.costs import pay_values

ARRIVING = "v"


@dataclass(eq=False)
class Detached:
    """Numbers of the nodes whose backward function detaches something: its own derivative is not read."""

    numbers: set[int] = field(default_factory=set)


@dataclass(eq=False)
class Transforms:
    """The names of the functions of `torch.func` inside which the text is read, outer ones first."""

    active: list[str] = field(default_factory=list)


@dataclass(eq=False)
class OwnRule:
    """A value of JAX with a declared derivative, and what is known beside its rule.

    Attributes:
      made, value: it, and the same without the rule.
      wires: what it was computed from.
      itself: whether the rule calls the function itself, with this rule.
      reverse: whether the rule is of reverse mode.
      checked: whether the rule passes what the value's own derivative does.
      loops: in how many loops of JAX, one in the other, it was made.
      pulled: the calls that are differentiated in reverse and in which it was made: they take its rule, and
        what is outside sees its forward function.
    """

    made: Array
    value: Array
    wires: Sequence[Array]
    itself: bool
    reverse: bool
    loops: int
    checked: bool = False
    pulled: list[Any] = field(default_factory=list)


@dataclass(eq=False)
class OwnRules:
    """The values of JAX with a declared derivative, by node, and in how many loops what is read stands."""

    made: dict[int, OwnRule] = field(default_factory=dict)
    loops: int = 0


def pair(value: Any, needed: str) -> tuple[Any, Any]:
    """Return the two values that a function of the text must return; `needed` says so."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise Refused(needed)
    return value[0], value[1]


@contextmanager
def body(reader: Reader, shape: tuple[int, ...], wires: Sequence[Any], value: Any = None) -> Iterator[Terms]:
    """Read what follows as terms, of an arriving cotangent of this shape and the values on the wires.

    The value of the forward function may be among them, so that a second derivative goes through it too.
    """
    names = {
        wire.held.number: f"x{i}" for i, wire in enumerate(wires) if isinstance(wire, Array) and wire.is_node
    }
    if isinstance(value, Ref) and value.number not in names:
        names[value.number] = "out"
    given = {name: reader.builder.shape(Ref(number)) for number, name in names.items()}
    outer, reader.builder = reader.builder, Terms(reader.builder, {ARRIVING: shape, **given}, names)
    try:
        yield reader.builder
    finally:
        reader.builder = outer


class Waits(Exception):
    """Raised where a rule reads an output whose own rule is declared later."""


def declare(
    reader: Reader,
    value: Any,
    wires: Sequence[Any],
    pull: Callable[[Array], Sequence[Any]],
    name: str,
    others: Mapping[int, Ref | None] | None = None,
) -> Array:
    """Return a value whose pullback passes what `pull` says of the arriving cotangent along each wire.

    Args:
      value: what the forward function returns.
      wires: the arguments that are differentiated by; those that are no nodes get nothing.
      pull: reads the backward function, of the cotangent that arrives.
      others: what the rule reads in the place of other outputs, by their nodes; None if that has no rule yet.
    Raises:
      Waits: it reads such a one.
      Refused: the backward function returns another number of cotangents than there are arguments.
    """
    if not isinstance(value, Array):
        raise Refused(f"{name} is read if it returns one array.")
    framework, dtype = value.framework, value.dtype
    # The zero that the pullback passes along the value's own wire would still be multiplied by slopes, and 0
    # times infinity is NaN.
    inner = value.held
    value = Array(reader.builder.add(IDENTITY, [value.held], Rule(STOP)), framework, dtype)
    with body(reader, shape_of(reader, value), wires, inner) as terms:
        passed = list(pull(Array(ARRIVING, framework, dtype)))
        if len(passed) != len(wires):
            raise Refused(
                f"{name} gets {len(wires)} arguments, and its backward function returns "
                f"{len(passed)} cotangents."
            )
        cotangents = [None if one is None else terms.term(reader.held(one)) for one in passed]
    written_out = {
        name: term
        for number, name in terms.used(one for one in cotangents if one is not None).items()
        if (term := _written_out(reader, terms, number)) is not None
    }
    cotangents = [None if one is None else _with_terms(one, written_out) for one in cotangents]
    captured = terms.used(one for one in cotangents if one is not None)
    instead = {number: (others or {}).get(number, Ref(number)) for number in captured}
    if None in instead.values():
        raise Waits
    reads = [value.held, *instead.values()]
    args = [ARRIVING, "y", *captured.values()]
    out: list[Term] = [zeros_of("y"), *(zeros_of(arg) for arg in captured.values())]
    for i, (wire, cotangent) in enumerate(zip(wires, cotangents, strict=True)):
        if isinstance(wire, Array) and wire.is_node:
            arg = f"x{i}"
            reads.append(wire.held)
            args.append(arg)
            out.append(zeros_of(arg) if cotangent is None else cotangent)
    rule = Rule(PULLBACK, Lambda((*args, "out"), tuple(out)))
    made = reader.make("first", [Array(held, framework, dtype) for held in reads], rule=rule)
    made.dtype = dtype
    if terms.stopped:
        reader.state(Detached).numbers.add(made.held.number)
    return made


STEEP = frozenset(
    {"sqrt", "log", "log1p", "div", "pow", "norm", "arccos", "arcsin", "arccosh", "arctanh", "exp", "expm1"}
)
"""Ops whose slope may be infinite, which makes NaN of the 0 that a rule passes to what it reads."""

WRITTEN_OUT = 40  # terms


def passes_to(draft: Draft) -> list[Ref]:
    """Return the values that a node passes a cotangent to; one whose rule passes zeros gets none."""
    slots = passing(draft.rule.kind, draft.slots)
    if draft.rule.kind == PULLBACK and draft.rule.function is not None:
        names, passed = draft.rule.function.args[1:-1], draft.rule.function.body
        wired = [slot for slot in slots if isinstance(slot, Ref)]
        if len(wired) == len(names):
            slots = [s for s, n, t in zip(wired, names, passed, strict=True) if t not in (zeros_of(n), 0.0)]
    return [slot for slot in slots if isinstance(slot, Ref)]


def read_by_rule(draft: Draft) -> dict[Ref, tuple[Ref, ...]]:
    """Return, by what a node with a declared pullback reads, the values that its cotangent depends on."""
    function = draft.rule.function
    wired = [slot for slot in draft.slots if isinstance(slot, Ref)]
    if draft.rule.kind != PULLBACK or function is None or len(wired) != len(function.args) - 2:
        return {}
    names = function.args[1:-1]
    read: dict[Ref, tuple[Ref, ...]] = {}
    for by, term in zip(wired, function.body, strict=True):
        found = _numbers_in(term)
        own = [ref for ref, name in zip(wired, names, strict=True) if name in found]
        if function.args[-1] in found:  # what its own value is computed from
            own += wired
        read[by] = (*read.get(by, ()), *own)
    return read


def _numbers_in(term: Term) -> set[str]:
    """Return the arguments whose numbers a term reads, and not their shapes alone."""
    names, waiting = set(), [term]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            names.add(one)
        elif isinstance(one, Call) and one.op not in ("zeros_like", "ones_like"):
            waiting += one.args
    return names


def passed_by(builder: Builder, root: Ref) -> dict[int, bool]:
    """Return the numbers of the nodes that cotangents pass on their way from an output.

    On the way through a derivative they also pass what rules read: of each node, whether they do so there.
    """
    found: dict[int, bool] = {}
    waiting = [(root.number, False)]
    while waiting:
        number, again = waiting.pop()
        if found.get(number, False) or (number in found and not again):
            continue
        found[number] = again
        draft = builder.drafts[number]
        again |= draft.op == GRAD
        passed = passes_to(draft)
        if again and draft.rule.kind == PULLBACK:
            passed = [slot for slot in draft.slots if isinstance(slot, Ref)]
        waiting += [(ref.number, again) for ref in passed]
    pay_values(len(found))
    return found


def _written_out(reader: Reader, terms: Terms, number: int) -> Term | None:
    """Return what a rule reads in terms of its wires; None where it may read the node itself."""
    drafts, depends, steep = terms.outer.drafts, set(terms.wires), False
    if number in depends:
        return None
    for one in sorted(terms.outer.ancestors(Ref(number))):
        if one not in depends and any(slot.number in depends for slot in passes_to(drafts[one])):
            depends.add(one)
            steep |= drafts[one].op in STEEP
    count = 0

    def term(slot: Any) -> Term:
        nonlocal count
        if not isinstance(slot, Ref) or slot.number in terms.wires or slot.number not in depends:
            return terms.term(slot)
        draft, count = drafts[slot.number], count + 1
        if draft.rule != Rule() or draft.op == GRAD or count > WRITTEN_OUT:
            raise OverflowError
        return Call(draft.op, tuple(map(term, draft.slots)), params(**draft.params))

    try:
        return term(Ref(number)) if steep and number in depends else None
    except OverflowError:
        return None


def _with_terms(term: Term, instead: Mapping[str, Term]) -> Term:
    """Return a term with others in the place of names."""
    if isinstance(term, Call):
        return Call(term.op, tuple(_with_terms(one, instead) for one in term.args), term.params)
    return instead.get(term, term) if isinstance(term, str) else term


def zeros_of(arg: str) -> Term:
    """Return the term of zeros in the shape of an argument."""
    return Call("zeros_like", (arg,))


# An op with a pullback of its own.


def rule_of(text: str) -> Rule:
    """Return the rule of a pullback that is written as a lambda."""
    return Rule(PULLBACK, parse_lambda(text))


def ruled(
    reader: Reader,
    op: str,
    args: Sequence[Array],
    pulls: dict[str, str],
    dtype: str | None = None,
    **params: Any,
) -> Array:
    """Return a node whose pullback is declared.

    Args:
      pulls: for each slot, by the name that stands for it, what is passed along it, of v, the slots and out.
    """
    made = list(args)
    if not isinstance(reader.builder, Builder) or not any(one.is_node for one in made):
        return reader.make(op, made, dtype=dtype, **params)
    if len(made) > 1:
        # What is passed along a wire has the wire's shape, so the wires get the shape of the value.
        shape = np.broadcast_shapes(*[shape_of(reader, one) for one in made])
        for i, one in enumerate(made):
            if one.is_node and shape_of(reader, one) != shape:
                made[i] = reader.make("broadcast_to", [one], dtype=one.dtype, shape=shape)
    names = {slot: "" if one.is_node else written(one.held) for slot, one in zip(pulls, made, strict=True)}
    wires = [slot for slot, number in names.items() if not number]
    passed = []
    for slot in wires:
        text = pulls[slot]
        for other, number in names.items():
            if number:
                text = re.sub(rf"\b{other}\b", number, text)
        passed.append(text)
    body = passed[0] if len(passed) == 1 else f"({', '.join(passed)})"
    return reader.make(
        op, made, dtype=dtype, rule=rule_of(f"lambda v, {', '.join(wires)}, out: {body}"), **params
    )


def written(held: Any) -> str:
    """Return a constant as it is written in a formula."""
    if isinstance(held, tuple):
        return f"[{', '.join(map(written, held))}]"
    return f"({held!r})" if held < 0 else repr(held)
