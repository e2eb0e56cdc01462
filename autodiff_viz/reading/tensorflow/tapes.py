"""Read TensorFlow's derivatives: tapes and what they record, variables, `tf.gradients`, sessions that feed.

A tape records what its block computes from what it watches: variables by themselves, other tensors if it is
told. What a tape has not recorded has no gradient, and TensorFlow answers None. A graph of ours is
differentiated along all its wires, so a wire that a tape has not recorded is stopped before.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import GRAD, IDENTITY, INPUT, Call, Rule, Term
from autodiff_viz.graph.rule_kinds import FOLLOW, PULLBACK, STOP
from autodiff_viz.graph.text import numbered
from autodiff_viz.reading.functions import arrays
from autodiff_viz.reading.functions.arrays import as_literal, shape_of
from autodiff_viz.reading.functions.draws import Draws
from autodiff_viz.reading.language.reader import Reader, Request
from autodiff_viz.reading.language.values import (
    FLOATS,
    Array,
    Function,
    Native,
    Path,
    Refused,
    arrays_in,
    leaves,
    mapped,
    method_of,
)
from autodiff_viz.reading.nodes.builder import Builder, Ref
from autodiff_viz.reading.nodes.costs import pay_values, sized
from autodiff_viz.reading.tensorflow.functions import (
    add,
    compare,
    full,
    item,
    operator,
    shape_attribute,
    subtract,
)
from autodiff_viz.reading.tensorflow.tensors import METHODS, TF, Connected, Overrides, kind_named, tensor

ROWS = 512  # outputs of a Jacobian
SYMBOLIC_ROWS = 8  # outputs of a Jacobian that stands in the graph as derivatives, and not as numbers
UPDATES = 4  # derivatives inside one value before its numbers stand for it


# Variables.


@dataclass(eq=False)
class Variable:
    """A variable: the nodes that have held its value, and what it is called.

    Attributes:
      array: what the text calls by its name.
      held: the nodes, the present one last.
      trainable: whether tapes watch it by themselves.
      name: what its library calls it, or what `name=` says; "" if nothing does.
    """

    array: Array
    held: list[Ref]
    trainable: bool
    name: str = ""
    library_named: bool = False


@dataclass(eq=False)
class Variables:
    """The variables of a text, and the labels of what has been differentiated by."""

    by_id: dict[int, Variable] = field(default_factory=dict)
    labels: dict[str, Array] = field(default_factory=dict)
    frozen: dict[int, set[int]] = field(default_factory=dict)  # nodes of numbers, with what they were made of
    left_out: set[int] = field(default_factory=set)  # steps whose numbers stand in the graph in their place
    barred: dict[int, set[int]] = field(default_factory=dict)  # slots that a declared gradient does not reach


def variable_of(reader: Reader, value: Any) -> Variable | None:
    """Return the record of a variable; None for anything else."""
    return reader.state(Variables).by_id.get(id(value))


def make_variable(
    reader: Reader,
    value: Any,
    trainable: bool = True,
    dtype: Any = None,
    name: str = "",
    library_named: bool = False,
) -> Array:
    """Return a variable with an initial value."""
    first = tensor(reader, value, dtype)
    if isinstance(first.held, Ref):
        held = reader.builder.add(IDENTITY, [first.held], Rule(STOP))
    else:
        held = reader.builder.input(first.held, "", trainable and first.dtype in FLOATS)
    made = Array(held, "tf", first.dtype)
    reader.state(Variables).by_id[id(made)] = Variable(made, [held], bool(trainable), name, library_named)
    return made


def variable(
    reader: Reader,
    initial_value: Any = None,
    trainable: Any = None,
    validate_shape: Any = True,
    caching_device: Any = None,
    name: Any = None,
    variable_def: Any = None,
    dtype: Any = None,
    **options: Any,
) -> Array:
    """Read a variable."""
    if isinstance(initial_value, (Native, Function)):
        initial_value = reader.call(initial_value, [], {})
    return make_variable(reader, initial_value, trainable is not False, dtype, name or "")


TF["tensorflow.Variable"] = TF["tensorflow.compat.v1.Variable"] = variable


def get_variable(
    reader: Reader,
    name: Any,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    trainable: Any = True,
    **options: Any,
) -> Array:
    """Read `tf.get_variable` of the first version."""
    if initializer is None:
        raise Refused(
            "get_variable without an initializer draws its numbers.", "Write initializer=tf.constant(...)."
        )
    value = initializer
    if not isinstance(initializer, (Array, int, float, list, tuple)):
        value = reader.call(initializer, [[] if shape is None else shape], {})
    elif shape is not None and isinstance(initializer, (int, float)):
        value = full(reader, shape, initializer)
    return make_variable(reader, value, trainable is not False, dtype, name)


TF["tensorflow.get_variable"] = TF["tensorflow.compat.v1.get_variable"] = get_variable


def assign(reader: Reader, x: Array, value: Any, change: Callable[..., Array] | None = None) -> Array:
    """Read that a variable gets another value; what the value was computed from is not differentiated by."""
    record = variable_of(reader, x)
    if record is None:
        raise Refused(
            "Only a tf.Variable can be assigned to.", "Write x = ... for a new tensor.", "immutable"
        )
    old = Array(x.held, "tf", x.dtype)
    new = (
        change(reader, old, value)
        if change is not None
        else tensor(reader, value, None if isinstance(value, Array) else x.dtype)
    )
    if new.dtype != x.dtype:
        new = tensor(reader, new, x.dtype)
    if shape_of(reader, new) != shape_of(reader, old):
        raise Refused(
            "Cannot assign value to variable: shape mismatch. The variable shape "
            f"{list(shape_of(reader, old))}, and the assigned value shape {list(shape_of(reader, new))} are "
            "incompatible.",
            code="shape-mismatch",
        )
    hint = reader.builder.drafts[record.held[0].number].hint
    if (
        isinstance(new.held, Ref)
        and _derivatives(reader, new.held) > UPDATES
        and not _drawn(reader, new.held)
    ):
        steps = reader.builder.ancestors(new.held)
        numbers = reader.numbers(new)
        reader.state(Variables).left_out |= steps
        x.held = reader.builder.input(as_literal(numbers), hint, record.trainable)
        reader.say(
            reader.line,
            f"the steps before stand in the graph as the numbers that they gave {hint or 'the variable'}",
        )
    elif isinstance(new.held, Ref):
        x.held = reader.builder.add(IDENTITY, [new.held], Rule(STOP))
    else:
        x.held = reader.builder.input(new.held, hint, record.trainable)
    reader.builder.drafts[x.held.number].hint = hint
    record.held.append(x.held)
    return x


def _derivatives(reader: Reader, ref: Ref) -> int:
    return sum(reader.builder.drafts[number].op == GRAD for number in reader.builder.ancestors(ref))


def _drawn(reader: Reader, ref: Ref) -> bool:
    return any(number in reader.state(Draws).named for number in reader.builder.ancestors(ref))


def _assigned(change: Callable[..., Array] | None) -> Callable[..., Array]:
    def method(
        reader: Reader,
        x: Array,
        value: Any,
        use_locking: Any = None,
        name: Any = None,
        read_value: Any = True,
    ) -> Array:
        return assign(reader, x, value, change)

    return method


METHODS |= {"assign": _assigned(None), "assign_add": _assigned(add), "assign_sub": _assigned(subtract)}
for _name in ("value", "read_value", "initialized_value"):
    METHODS[_name] = lambda reader, x: reader.make(IDENTITY, [x], dtype=x.dtype)
for _name in ("assign", "assign_add", "assign_sub"):
    TF[f"tensorflow.{_name}"] = TF[f"tensorflow.compat.v1.{_name}"] = METHODS[_name]


# Tapes.


@dataclass(eq=False)
class Tape:
    """A `tf.GradientTape`: what it watches, and from which node on, until which, it records.

    Attributes:
      watched: the number of a node, and from which on it is watched.
      last: the first node after the block; None while it is open.
      pauses: nodes that `stop_recording` leaves out, as ranges.
    """

    persistent: bool = False
    watches_variables: bool = True
    watched: dict[int, int] = field(default_factory=dict)
    first: int = 0
    last: int | None = None
    used: bool = False
    pauses: list[tuple[int, int]] = field(default_factory=list)

    def records(self, number: int, asked: int) -> bool:
        """Return whether a node was made while the tape recorded; those from `asked` on seed its output."""
        inside = self.first <= number and (self.last is None or number < self.last)
        return number >= asked or (inside and not any(a <= number < b for a, b in self.pauses))


@dataclass(eq=False)
class Open:
    """How many tapes record now."""

    count: int = 0


def gradient_tape(reader: Reader, persistent: Any = False, watch_accessed_variables: Any = True) -> Tape:
    """Read `tf.GradientTape(...)`."""
    return Tape(bool(persistent), bool(watch_accessed_variables))


TF["tensorflow.GradientTape"] = gradient_tape


def enter_tape(reader: Reader, tape: Tape) -> tuple[Tape, Callable[[], None]]:
    """Enter the block of a tape."""
    tape.first, tape.last = len(reader.builder.drafts), None
    state = reader.state(Open)
    state.count += 1

    def leave() -> None:
        tape.last = len(reader.builder.drafts)
        state.count -= 1

    return tape, leave


@dataclass(eq=False)
class Pause:
    """What `tape.stop_recording()` is."""

    tape: Tape


def enter_pause(reader: Reader, pause: Pause) -> tuple[None, Callable[[], None]]:
    """Enter a block that the tape does not record."""
    begin = len(reader.builder.drafts)
    return None, lambda: pause.tape.pauses.append((begin, len(reader.builder.drafts)))


def tape_attribute(reader: Reader, tape: Tape, name: str, node: ast.AST) -> Native:
    """Return what a tape does: watch, gradient, jacobian, stop_recording, reset."""

    def use() -> None:
        if tape.used and not tape.persistent:
            raise Refused(
                "A non-persistent GradientTape can only be used to compute one set of gradients.",
                "Write tf.GradientTape(persistent=True).",
                "tape-used",
                node,
            )
        tape.used = True

    def watch(tensor: Any) -> None:
        for leaf in arrays_in(tensor):
            if leaf.dtype not in FLOATS:
                reader.say(node, "the dtype of a watched tensor must be floating: this one is not watched")
                continue
            if not leaf.is_node:
                leaf.held = reader.builder.input(leaf.held, "")
            tape.watched[leaf.held.number] = len(reader.builder.drafts)

    def gradient(
        target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: Any = "none"
    ) -> Any:
        use()
        seeds = None
        if output_gradients is not None:
            seeds = [leaf for _path, leaf in leaves(output_gradients)]
            if not isinstance(target, (list, tuple, dict)):
                seeds = [output_gradients]
        targets = [None] if target is None else [leaf for _path, leaf in leaves(target)]
        return gradients(reader, targets, sources, seeds, tape, _is_zero(unconnected_gradients))

    def jacobian(
        target: Any,
        sources: Any,
        unconnected_gradients: Any = "none",
        parallel_iterations: Any = None,
        experimental_use_pfor: Any = True,
    ) -> Any:
        use()
        target = tensor(reader, target)
        zero = _is_zero(unconnected_gradients)
        return labelled(sources, lambda source, path: jacobian_of(reader, target, source, path, tape, zero))

    def batch_jacobian(
        target: Any,
        source: Any,
        unconnected_gradients: Any = "none",
        parallel_iterations: Any = None,
        experimental_use_pfor: Any = True,
    ) -> Any:
        use()
        return batch_jacobian_of(reader, target, source, tape, _is_zero(unconnected_gradients))

    def reset() -> None:
        tape.watched.clear()
        tape.pauses.clear()
        tape.first = len(reader.builder.drafts)

    known: dict[str, Callable[..., Any]] = {
        "watch": watch,
        "gradient": gradient,
        "jacobian": jacobian,
        "batch_jacobian": batch_jacobian,
        "stop_recording": lambda: Pause(tape),
        "reset": reset,
        "watched_variables": lambda: [
            one.array
            for one in reader.state(Variables).by_id.values()
            if one.trainable and one.array.dtype in FLOATS
        ],
    }
    return method_of("A tape", known, name, node)


def _is_zero(unconnected: Any) -> bool:
    name = unconnected.name if isinstance(unconnected, Path) else str(unconnected)
    last = name.rpartition(".")[2].lower()
    if last not in ("none", "zero"):
        raise Refused("unconnected_gradients is 'none' or 'zero'.")
    return last == "zero"


def labelled(sources: Any, function: Callable[[Any, str], Any]) -> Any:
    """Return nested sources with the function of each and of its path."""
    paths = iter([path for path, _ in leaves(sources)])
    if isinstance(sources, dict):  # `leaves` sorts the keys, and `mapped` does not
        return {
            key: labelled(value, lambda one, path, key=key: function(one, str(key)))
            for key, value in sources.items()
        }
    return mapped(lambda leaf: function(leaf, next(paths)), sources)


# What a derivative reads.

UNRECORDED = (
    *("greater", "less", "greater_equal", "less_equal", "equal", "not_equal"),
    *("argmax", "one_hot", "zeros_like", "ones_like", "floor", "round", "uniform", "normal"),
)
"""Ops that TensorFlow has no gradient for: what they return is connected to nothing."""

LINEAR = (
    *("add", "sub", "neg", "sum", "mean", "reshape", "transpose", "concatenate", "stack", "getitem"),
    *("broadcast_to", "expand_dims", "identity", "cumsum", "at_set", "where", "flatten", "avg_pool"),
    *("max", "min", "max_pool", "sort", "dropout", "sign"),
)
"""Ops whose pullback reads none of their values, or only which is the largest."""

PRODUCTS = {
    "mul": {0: (1,), 1: (0,)},
    "matmul": {0: (1,), 1: (0,)},
    "dot": {0: (1,), 1: (0,)},
    "div": {0: (1,), 1: (0, 1)},
}
for _layer in ("conv2d", "dense"):
    PRODUCTS[_layer] = {0: (1,), 1: (0,), 2: ()}
"""By op and slot, the slots that the slot's pullback reads."""


def differentiable(reader: Reader, number: int) -> list[tuple[int, Ref]]:
    """Return the slots of a node that TensorFlow's gradient passes, with the nodes that they read."""
    draft = reader.builder.drafts[number]
    if draft.rule.kind == STOP or draft.op in UNRECORDED:
        return []
    if draft.op == GRAD:
        return [(-1, ref) for ref in derivative_reads(reader, number)]
    barred = reader.state(Variables).barred.get(number, set()) | ({0} if draft.op == "where" else set())
    return [(i, slot) for i, slot in enumerate(draft.slots) if isinstance(slot, Ref) and i not in barred]


def pullback_reads(reader: Reader, number: int, slot: int) -> list[Ref]:
    """Return what the pullback of a node along one slot reads, beside what arrives."""
    draft = reader.builder.drafts[number]
    if number in reader.state(Connected).numbers:
        return [Ref(number)]
    wires = [i for i, one in enumerate(draft.slots) if isinstance(one, Ref)]
    if draft.rule.kind == PULLBACK and draft.rule.function is not None:
        function = draft.rule.function
        names = set(_names(function.body[wires.index(slot)]))
        by_name = dict(zip(function.args[1:-1], (draft.slots[i] for i in wires), strict=True))
        by_name[function.args[-1]] = Ref(number)
        return [ref for name, ref in by_name.items() if name in names]
    if draft.rule.kind != FOLLOW or draft.op in LINEAR:
        return []
    if draft.op in PRODUCTS:
        reads = [draft.slots[i] for i in PRODUCTS[draft.op].get(slot, ())]
        return [one for one in reads if isinstance(one, Ref)]
    if draft.op == GRAD:
        return derivative_reads(reader, number)
    return [Ref(number)]


def _names(term: Term) -> Iterator[str]:
    if isinstance(term, str):
        yield term
    elif isinstance(term, Call) and term.op not in UNRECORDED:
        for one in term.args:
            yield from _names(one)


def derivative_reads(reader: Reader, number: int) -> list[Ref]:
    """Return what the value of a grad node is computed from in TensorFlow's backward pass."""
    z, x = reader.builder.drafts[number].slots[:2]
    below: dict[int, list[tuple[int, Ref]]] = {}
    waiting = [z.number]
    while waiting:
        one = waiting.pop()
        if one not in below and one != x.number:
            below[one] = differentiable(reader, one)
            waiting += [ref.number for _, ref in below[one]]
    leads = {x.number}
    for one in sorted(below):
        if any(ref.number in leads for _, ref in below[one]):
            leads.add(one)
    reads: dict[Ref, None] = {}
    for one in sorted(set(below) & leads):
        for slot, ref in below[one]:
            if ref.number in leads:
                reads |= dict.fromkeys(pullback_reads(reader, one, slot) if slot >= 0 else [ref])
    return list(reads)


@dataclass
class Record:
    """What a tape has recorded, or all of the graph where there is no tape.

    Attributes:
      edges: by number of a node, the nodes that its recorded operation was recorded to read.
    """

    edges: dict[int, set[int]]
    active: set[int]


def recorded(reader: Reader, tape: Tape | None, asked: int) -> Record:
    """Return what a tape has recorded of the nodes so far."""
    drafts = reader.builder.drafts
    pay_values(4 * len(drafts) + len(reader.state(Variables).by_id))
    if tape is None:
        edges = {n: {ref.number for _, ref in differentiable(reader, n)} for n in range(len(drafts))}
        return Record(edges, set(range(len(drafts))))
    since = dict(tape.watched)
    if tape.watches_variables:
        for one in reader.state(Variables).by_id.values():
            if one.trainable and one.array.dtype in FLOATS:
                since |= {ref.number: 0 for ref in one.held}
    for one in reader.state(
        Variables
    ).by_id.values():  # a variable that is watched is watched whatever it holds
        if any(ref.number in tape.watched for ref in one.held):
            since |= {ref.number: 0 for ref in one.held}
    edges, active = {}, set()
    for number in range(len(drafts)):
        if tape.records(number, asked):
            reads = {
                ref.number
                for _, ref in differentiable(reader, number)
                if ref.number in active or since.get(ref.number, number + 1) <= number
            }
            if reads:
                edges[number] = reads
                active.add(number)
    return Record(edges, active | set(since))


def reached(edges: dict[int, set[int]], root: int, source: int) -> set[int]:
    """Return the nodes on recorded ways from a root to a source, the source among them."""
    above, waiting = set(), [root]
    while waiting:
        number = waiting.pop()
        if number not in above:
            above.add(number)
            waiting += edges.get(number, ()) if number != source else ()
    pay_values(2 * len(above))
    leads = {source} if source in above else set()
    for number in sorted(above):
        if number != source and edges.get(number, set()) & leads:
            leads.add(number)
    return leads


def severed(reader: Reader, root: Ref, source: Ref, on_way: set[int], edges: dict[int, set[int]]) -> Ref:
    """Return the root computed again, with a stop on each wire that leads to the source and is not recorded.

    The same root is returned where there is none.
    """
    drafts = reader.builder.drafts
    pay_values(4 * (len(drafts) - source.number))
    depends = {source.number}  # nodes that a graph of ours would differentiate by the source
    for number in range(source.number + 1, len(drafts)):
        draft = drafts[number]
        if draft.rule.kind != STOP and draft.op not in UNRECORDED:
            slots = derivative_reads(reader, number) if draft.op == GRAD else draft.slots
            if any(isinstance(slot, Ref) and slot.number in depends for slot in slots):
                depends.add(number)
    leaks = {
        (number, i)
        for number in on_way
        if number != source.number
        for i, slot in enumerate(drafts[number].slots)
        if isinstance(slot, Ref)
        and slot.number in depends
        and slot.number not in edges.get(number, ())
        and not (drafts[number].op == "where" and i == 0)
        and i not in reader.state(Variables).barred.get(number, ())
        and drafts[number].op != GRAD
    }
    for number in on_way:
        partly = drafts[number].op == GRAD and any(
            ref.number in depends and ref.number not in edges.get(number, ())
            for ref in derivative_reads(reader, number)
        )
        if partly and number != source.number:
            raise Refused(
                "A derivative is differentiated here of which the tape has recorded a part only.",
                "Compute what both tapes differentiate inside both.",
            )
    if not leaks:
        return root
    stopped: dict[int, Ref] = {}
    again: dict[int, Ref] = {}
    for number in sorted(on_way - {source.number}):
        draft, slots = drafts[number], []
        for i, slot in enumerate(draft.slots):
            if (number, i) in leaks:
                stopped.setdefault(slot.number, reader.builder.add(IDENTITY, [slot], Rule(STOP)))
                slots.append(stopped[slot.number])
            else:
                slots.append(again.get(slot.number, slot) if isinstance(slot, Ref) else slot)
        again[number] = reader.builder.add(draft.op, slots, draft.rule, **draft.params)
        if number in reader.state(Variables).barred:
            reader.state(Variables).barred[again[number].number] = reader.state(Variables).barred[number]
    reader.say(reader.line, "what the tape has not recorded is stopped")
    return again[root.number]


# Gradients.


def gradients(
    reader: Reader, targets: list[Any], sources: Any, seeds: list[Any] | None, tape: Tape | None, zero: bool
) -> Any:
    """Return the gradient of the sum of targets by each source: None where nothing recorded leads to it."""
    if not isinstance(reader.builder, Builder):
        raise Refused("A derivative inside a declared derivative is not read.", "Write out its formula.")
    asked = len(reader.builder.drafts)
    total: Array | None = None
    wanted = [_refs(reader, leaf) for _, leaf in leaves(sources)]
    for i, target in enumerate(targets):
        if target is None:
            raise TypeRefused()
        if not isinstance(target, Array):
            raise Refused("The target of a gradient is a tensor.")
        if target.framework == "numpy":
            raise Refused(
                "The target of a gradient is NumPy's array, of which nothing is recorded.",
                "Leave numpy() and np functions out of what is differentiated.",
                "numpy-target",
            )
        if target.dtype not in FLOATS:
            continue  # no gradient: TensorFlow answers None
        part = seeded(reader, target, seeds[i] if seeds else None, wanted)
        total = part if total is None else reader.make("add", [total, part], dtype=part.dtype)
    if total is not None and not total.is_node:
        total = None
    if total is not None and any(total.held == ref for refs in wanted for ref in refs):
        total = reader.copied(total)
    if total is not None:
        reader.roots.append(total.held)
    record = recorded(reader, tape, asked)
    return labelled(sources, lambda source, path: one_gradient(reader, total, source, path, record, zero))


class TypeRefused(Refused):
    """Refuses None as the target of a gradient."""

    def __init__(self) -> None:
        super().__init__(
            "Argument `target` is None, which has no gradient.", "Return the loss from the function."
        )


def _refs(reader: Reader, source: Any) -> list[Ref]:
    record = variable_of(reader, source)
    if record is not None:
        return list(record.held)
    return [source.held] if isinstance(source, Array) and isinstance(source.held, Ref) else []


def seeded(reader: Reader, target: Array, seed: Any, wanted: list[list[Ref]]) -> Array:
    """Return the number whose gradient is that of a target for a cotangent, ones if none is given."""
    if seed is None:
        return target if shape_of(reader, target) == () else reader.make("sum", [target], dtype=target.dtype)
    seed = tensor(reader, seed, None if isinstance(seed, Array) else target.dtype)
    if shape_of(reader, seed) != shape_of(reader, target):
        raise Refused(
            f"The cotangent has shape {list(shape_of(reader, seed))}, and the target "
            f"{list(shape_of(reader, target))}.",
            code="shape-mismatch",
        )
    if seed.is_node and any(
        ref.number in reader.builder.ancestors(seed.held) for refs in wanted for ref in refs
    ):
        if reader.state(Open).count:  # it would record a way that a gradient of ours has not
            raise Refused("A cotangent that depends on a source is not read where a tape records.")
        seed = Array(reader.builder.stopped(seed.held), "tf", seed.dtype)
    product = reader.make("mul", [target, seed], dtype=target.dtype)
    return product if shape_of(reader, target) == () else reader.make("sum", [product], dtype=target.dtype)


def label_of(reader: Reader, source: Array, path: str) -> str:
    """Return what an answer calls a source: as the text does, or else as its library does."""
    state, record = reader.state(Variables), variable_of(reader, source)
    pay_values(len(state.labels))
    for label, known in state.labels.items():
        if known is source:
            return label
    first = record.held[0] if record else source.held
    hint = reader.builder.drafts[first.number].hint if isinstance(first, Ref) else ""
    name = record.name if record else ""
    wanted = (name if record and record.library_named else hint or name) or path or "x"
    label = numbered(wanted, set(state.labels)) if wanted in state.labels and record is not None else wanted
    if record is not None:
        state.labels[label] = source
    return label


def one_gradient(
    reader: Reader,
    total: Array | None,
    source: Any,
    path: str,
    record: Record,
    zero: bool,
    asked: bool = True,
) -> Any:
    """Return the gradient of a number by one source, and note that the text asks for it."""
    if not isinstance(source, Array):
        raise Refused(
            "A gradient is taken by tensors and variables.", "Write tf.Variable(2.0), or tape.watch(x)."
        )
    if source.framework != "tf":
        raise Refused(
            "A gradient is taken by tensors and variables; this is NumPy's array.", "Write tf.constant(x)."
        )
    label = label_of(reader, source, path)
    parts: list[Array] = []
    roots: list[tuple[Ref, Ref]] = []
    if total is not None and source.dtype in FLOATS:
        for ref in _refs(reader, source):
            on_way = (
                reached(record.edges, total.held.number, ref.number) if ref.number in record.active else set()
            )
            if ref.number in on_way:
                _check_frozen(reader, total.held, ref)
                root = severed(reader, total.held, ref, on_way, record.edges)
                roots.append((root, ref))
                parts.append(Array(reader.builder.add(GRAD, [root, ref]), "tf", source.dtype))
    if not parts:
        if asked:
            reader.requests.append(
                Request(label, total.held if total is not None else None, None, reader.site)
            )
            if zero:
                zeros = reader.make(
                    "zeros_like", [Array(source.held, "tf", source.dtype)], dtype=source.dtype
                )
                reader.requests[-1] = Request(label, None, _refs(reader, source)[0], reader.site, zeros.held)
                return zeros
        elif zero:
            return reader.make("zeros_like", [Array(source.held, "tf", source.dtype)], dtype=source.dtype)
        return None
    result = parts[0]
    for part in parts[1:]:
        result = reader.make("add", [result, part], dtype=source.dtype)
    if asked:
        root, ref = roots[0]
        reader.requests.append(
            Request(label, root if len(parts) == 1 else None, ref, reader.site, result.held)
        )
        if root != total.held:
            reader.roots.append(root)
    return result


def _check_frozen(reader: Reader, root: Ref, source: Ref) -> None:
    """Refuse a derivative of numbers that stand for a derivative."""
    above = reader.builder.ancestors(root)
    for number, made_of in reader.state(Variables).frozen.items():
        if number in above and source.number in made_of:
            raise Refused("A large Jacobian stands here as numbers, and is not differentiated once more.")


def jacobian_of(reader: Reader, target: Array, source: Any, path: str, tape: Tape, zero: bool) -> Any:
    """Return the derivative of each element of a target by a source."""
    shape = shape_of(reader, target)
    return _rows(reader, target, source, path, tape, zero, shape, [None] * math.prod(shape))


def batch_jacobian_of(reader: Reader, target: Any, source: Any, tape: Tape, zero: bool) -> Any:
    """Return the derivative of each element of a row by the same row of the source.

    TensorFlow sums over the rows of the target, which gives the same unless rows depend on each other.
    """
    shape, wrt = shape_of(reader, target), shape_of(reader, source)
    if not shape or not wrt or shape[0] != wrt[0]:
        raise Refused(
            "batch_jacobian needs a target and a source with the same first axis.", code="shape-mismatch"
        )
    inner = shape[1:]
    whole = _rows(reader, target, source, "", tape, zero, inner, [True] * math.prod(inner), batch=True)
    if whole is None:
        return None
    # [out..., batch, in...] becomes [batch, out..., in...].
    rank = len(inner)
    order = (rank, *range(rank), *range(rank + 1, rank + len(wrt)))
    made = whole if rank == 0 else reader.make("transpose", [whole], dtype=source.dtype, axes=order)
    reader.requests[-1] = Request(
        reader.requests[-1].name, None, reader.requests[-1].wrt, reader.site, made.held
    )
    return made


def _rows(
    reader: Reader,
    target: Array,
    source: Any,
    path: str,
    tape: Tape,
    zero: bool,
    shape: tuple[int, ...],
    each: Sequence[Any],
    batch: bool = False,
) -> Any:
    """Return the gradients of the elements of a target, in the target's shape and the source's."""
    asked, size = len(reader.builder.drafts), len(each)
    if not isinstance(source, Array):
        raise Refused("A Jacobian is taken by tensors and variables.")
    if size > ROWS:
        raise Refused(f"A Jacobian is read of at most {ROWS} outputs, and this has {size}.", "", "too-large")
    elements = size * math.prod(shape_of(reader, source))
    if elements > limits.ELEMENTS:
        raise Refused(
            f"This Jacobian has {elements:,} elements; a tensor has at most {limits.ELEMENTS:,}.",
            "",
            "too-large",
        )
    weights = np.eye(*sized((size, size))).reshape(size, *shape)
    total_shape = (*shape, *shape_of(reader, source))
    if size <= SYMBOLIC_ROWS:
        rows = []
        for i in range(size):
            index = tuple(np.unravel_index(i, shape)) if shape else ()
            place = tuple(int(one) for one in index)
            if batch:
                place = ((None, None, None), *place)
            row = reader.make("getitem", [target], dtype=target.dtype, index=place) if place else target
            total = row if shape_of(reader, row) == () else reader.make("sum", [row], dtype=target.dtype)
            if total.held in _refs(reader, source):
                total = reader.copied(total)
            rows.append(
                one_gradient(reader, total, source, path, recorded(reader, tape, asked), zero, asked=False)
            )
            reader.roots.append(total.held)
        if rows[0] is None:
            reader.requests.append(Request(label_of(reader, source, path), target.held, None, reader.site))
            return None
        stacked = reader.make("stack", rows, dtype=source.dtype, axis=0)
        whole = (
            arrays.reshape(reader, stacked, total_shape)
            if shape_of(reader, stacked) != total_shape
            else stacked
        )
    else:
        seed = reader.builder.input(as_literal(np.zeros(sized(shape_of(reader, target)))), "")
        product = reader.make(
            "sum", [reader.make("mul", [target, Array(seed, "tf", target.dtype)])], dtype=target.dtype
        )
        row = one_gradient(reader, product, source, path, recorded(reader, tape, asked), zero, asked=False)
        if row is None:
            reader.requests.append(Request(label_of(reader, source, path), target.held, None, reader.site))
            return None
        if _drawn(reader, row.held):
            raise Refused(
                "A Jacobian of drawn numbers is not read.", "Write the numbers that were drawn.", "drawn"
            )
        numbers = []
        for i in range(size):
            chosen = np.broadcast_to(weights[i], sized(shape_of(reader, target))) if batch else weights[i]
            reader.builder.drafts[seed.number].params["value"] = as_literal(np.ascontiguousarray(chosen))
            reader.builder.forget_numbers()
            numbers.append(reader.builder.numbers(row.held, target.dtype))
        made = np.stack(numbers).reshape(total_shape)
        before = reader.builder.ancestors(row.held)
        whole = Array(reader.builder.input(as_literal(made.astype(float)), ""), "tf", source.dtype)
        reader.state(Variables).frozen[whole.held.number] = before
        reader.state(Variables).left_out |= {n for n in before if n >= asked}
        reader.say(reader.line, f"a Jacobian of {size} rows stands in the graph as numbers")
    whole.dtype = source.dtype
    reader.requests.append(
        Request(label_of(reader, source, path), None, source.held, reader.site, whole.held)
    )
    return whole


def tf_gradients(
    reader: Reader,
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: Any = None,
    colocate_gradients_with_ops: Any = None,
    gate_gradients: Any = None,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> list[Any]:
    """Read `tf.gradients`: the gradient of the sum of ys by each x, through all of the graph."""
    if stop_gradients is not None:
        raise Refused("tf.gradients is read without stop_gradients.", "Write tf.stop_gradient(x).")
    sources = list(xs) if isinstance(xs, (tuple, list)) else [xs]
    seeds = None if grad_ys is None else [leaf for _path, leaf in leaves(grad_ys)]
    targets = [None] if ys is None else [leaf for _path, leaf in leaves(ys)]
    return gradients(reader, targets, sources, seeds, None, _is_zero(unconnected_gradients))


TF["tensorflow.gradients"] = TF["tensorflow.compat.v1.gradients"] = tf_gradients


def hessians(reader: Reader, ys: Any, xs: Any, **options: Any) -> list[Any]:
    """Read `tf.hessians`: the gradient's Jacobian."""
    tape = Tape(True)
    made = []
    for x in xs if isinstance(xs, (tuple, list)) else [xs]:
        before = len(reader.requests)
        (grad,) = tf_gradients(reader, ys, x)
        del reader.requests[before:]
        tape.watched[x.held.number] = 0
        made.append(jacobian_of(reader, grad, x, "", tape, False))
    return made


TF["tensorflow.hessians"] = TF["tensorflow.compat.v1.hessians"] = hessians


# Graphs of the first version: placeholders, and a session that feeds them.


@dataclass(eq=False)
class Feeds:
    """What a text feeds to its placeholders, by name, as it is written there."""

    written: dict[str, ast.expr] = field(default_factory=dict)
    placed: dict[int, str] = field(default_factory=dict)
    placeholders: list[Array] = field(default_factory=list)

    def scan(self, tree: ast.AST) -> None:
        """Note in which line each placeholder gets its name, and what is fed under that name."""
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
            ):
                self.placed[node.lineno] = node.targets[0].id
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("run", "eval")
            ):
                fed = [one.value for one in node.keywords if one.arg == "feed_dict"] or node.args[1:2]
                for one in fed + (node.args[:1] if node.func.attr == "eval" else []):
                    if isinstance(one, ast.Dict):
                        for key, value in zip(one.keys, one.values, strict=True):
                            if isinstance(key, ast.Name):
                                self.written[key.id] = value


def placeholder(reader: Reader, dtype: Any = "float32", shape: Any = None, name: Any = None) -> Array:
    """Read a placeholder, whose value is what a session feeds to it."""
    feeds, value, kind = reader.state(Feeds), None, kind_named(reader, dtype) or "float32"
    fed = feeds.written.get(feeds.placed.get(reader.line, ""))
    if fed is not None:
        try:
            value = _fed(reader, reader.value(fed))
        except Refused:  # what is fed is defined further down
            value = None
    if value is None:
        sizes = [] if shape is None else [1 if size is None else size for size in shape]
        value = as_literal(np.ones(sized(arrays.shape_argument(tuple(sizes)) if sizes else ())))
    made = Array(reader.builder.input(value, ""), "tf", kind)
    feeds.placeholders.append(made)
    return made


def _fed(reader: Reader, value: Any) -> Any:
    return as_literal(reader.numbers(value).tolist()) if isinstance(value, Array) else as_literal(value)


def placeholder_with_default(reader: Reader, input: Any, shape: Any = None, name: Any = None) -> Array:
    """Read a placeholder with a value."""
    made = tensor(reader, input)
    return Array(reader.builder.input(made.held, "") if not made.is_node else made.held, "tf", made.dtype)


for _begin in ("tensorflow.", "tensorflow.compat.v1."):
    TF[f"{_begin}placeholder"] = placeholder
    TF[f"{_begin}placeholder_with_default"] = placeholder_with_default


class Session:
    """What `tf.Session()` is."""


def feed(reader: Reader, given: Any) -> None:
    """Give placeholders their values."""
    for key, value in (given or {}).items():
        if not isinstance(key, Array) or not key.is_node:
            raise Refused("What is fed are placeholders.")
        draft = reader.builder.drafts[key.held.number]
        if draft.op != INPUT:
            raise Refused("What is fed are placeholders; this tensor is computed.")
        new = _fed(reader, value)
        if draft.params.get("value") != new:
            draft.params["value"] = new
            reader.builder.forget_shapes()


def session_attribute(reader: Reader, session: Session, name: str, node: ast.AST) -> Any:
    """Return what a session does: run, which feeds the placeholders."""
    if name == "graph":
        return GraphOfOps()

    def run(fetches: Any, feed_dict: Any = None) -> Any:
        feed(reader, feed_dict)
        return mapped(
            lambda one: Array(one.held, "numpy", one.dtype) if isinstance(one, Array) else one, fetches
        )

    known = {"run": run, **dict.fromkeys(("close", "as_default", "__enter__"), lambda: session)}
    return method_of("A session", known, name, node)


def evaluated(reader: Reader, x: Array, feed_dict: Any = None, session: Any = None) -> Array:
    """Read `x.eval(...)`, which feeds the placeholders."""
    feed(reader, feed_dict)
    return Array(x.held, "numpy", x.dtype)


METHODS["eval"] = evaluated


@dataclass(eq=False)
class GraphOfOps:
    """What `tf.Graph()` and `tf.get_default_graph()` are."""


@dataclass(eq=False)
class Overriding:
    """What `graph.gradient_override_map({...})` is: gradients by name for ops of a type."""

    names: dict[str, str]


@dataclass(eq=False)
class Block:
    """A `with` block that changes no number: a name scope, a device, a graph."""


def graph_attribute(reader: Reader, graph: GraphOfOps, name: str, node: ast.AST) -> Native:
    """Return what a graph does: `as_default`, `gradient_override_map`."""
    blocks = dict.fromkeys(("as_default", "device", "name_scope"), lambda *_, **__: Block())
    known = {"gradient_override_map": lambda names: Overriding(dict(names)), **blocks}
    return method_of("A graph", known, name, node)


def enter_overriding(reader: Reader, block: Overriding) -> tuple[None, Callable[[], None]]:
    """Enter a block whose ops of some types have gradients by name."""
    overrides = reader.state(Overrides)
    outside, overrides.active = overrides.active, {**overrides.active, **block.names}

    def leave() -> None:
        overrides.active = outside

    return None, leave


def _block(reader: Reader, *args: Any, **options: Any) -> Block:
    return Block()


for _begin in ("tensorflow.", "tensorflow.compat.v1."):
    TF[f"{_begin}Session"] = TF[f"{_begin}InteractiveSession"] = lambda reader, *args, **options: Session()
    TF[f"{_begin}Graph"] = TF[f"{_begin}get_default_graph"] = lambda reader: GraphOfOps()
    for _name in ("name_scope", "variable_scope", "device"):
        TF[f"{_begin}{_name}"] = _block
    for _name in ("global_variables_initializer", "local_variables_initializer", "initialize_all_variables"):
        TF[f"{_begin}{_name}"] = lambda reader: None
    TF[f"{_begin}ConfigProto"] = lambda reader, **options: None


def install(reader: Reader) -> None:
    """Teach a reader TensorFlow."""
    reader.tables |= TF
    reader.handlers.enter[Tape] = enter_tape
    reader.handlers.enter[Pause] = enter_pause
    reader.handlers.enter[Overriding] = enter_overriding
    reader.handlers.enter[Block] = lambda reader, block: (None, lambda: None)
    reader.handlers.enter[Session] = lambda reader, session: (session, lambda: None)
    reader.handlers.attribute[Tape] = tape_attribute
    reader.handlers.attribute[Session] = session_attribute
    reader.handlers.attribute[GraphOfOps] = graph_attribute
    reader.handlers.attribute[tuple] = shape_attribute
    reader.handlers.attribute["tf"] = tensor_attribute
    reader.handlers.operator["tf"] = operator
    reader.handlers.compare["tf"] = compare
    reader.handlers.item["tf"] = item
    reader.methods["tf"] = METHODS


def tensor_attribute(reader: Reader, x: Array, name: str, node: ast.AST) -> tuple[bool, Any]:
    """Return (whether it is one of a tensor's own attributes, its value)."""
    record = variable_of(reader, x)
    if name in ("T", "size"):
        raise Refused(
            f"'Tensor' object has no attribute {name!r}.", "Write tf.transpose(x) or tf.size(x).", at=node
        )
    if name == "name":
        return True, (record.name if record else "") or "Variable"
    if name == "trainable" and record:
        return True, record.trainable
    if name == "initializer" and record:
        return True, None
    if name == "device":
        return True, ""
    return False, None
