"""Find what a backward pass of PyTorch goes through, and note that it has gone there.

The derivative itself is a node of the graph; beside it is known which values it was computed from, what it
frees, and what the text has asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.graph.model import GRAD, IDENTITY, Rule
from autodiff_viz.graph.rule_kinds import STOP, passing
from autodiff_viz.ops.places import AT_PLACES, PLACES
from autodiff_viz.reading.functions.declared import Detached, read_by_rule
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.several import Site
from autodiff_viz.reading.language.values import Array, Refused
from autodiff_viz.reading.nodes.builder import Draft, Ref
from autodiff_viz.reading.nodes.costs import LibraryError, pay_values
from autodiff_viz.reading.tensors.torch_facts import facts_of
from autodiff_viz.reading.tensors.torch_memory import Memory, Recorded, passed


@dataclass(eq=False)
class Autograd:
    """What derivatives the text has taken.

    Attributes:
      asked: (name, what was returned or None, where) of `autograd.grad` and its kin.
      roots: the outputs whose backward passes are summed in `.grad`.
      ran: whether `backward` was called.
      reentrant: nodes of checkpoints that `autograd.grad` cannot go through.
      anomaly: whether a NaN in a backward pass is an error.
      aliases: other names of answers.
      read: tensors whose `.grad` the text reads, also those that have none.
      seeds: products with cotangents that are themselves differentiated by, with these.
    """

    asked: list[tuple[str, Any, Site]] = field(default_factory=list)
    total: Ref | None = None
    ran: bool = False
    reentrant: set[int] = field(default_factory=set)
    anomaly: bool = False
    aliases: dict[str, str] = field(default_factory=dict)
    seeds: dict[int, list[Ref]] = field(default_factory=dict)
    read: dict[Array, None] = field(default_factory=dict)


UNRECORDED = frozenset(
    (
        "greater", "less", "greater_equal", "less_equal", "equal", "not_equal", "argmax",
        "zeros_like", "ones_like", "one_hot",
    )
)  # fmt: skip
"""Ops whose value has no `grad_fn`."""


def reached(reader: Reader, root: Ref) -> set[int]:
    """Return the numbers of the nodes that the backward pass of PyTorch may go through."""
    numbers, waiting = set(), [root.number]
    while waiting:
        number = waiting.pop()
        if number in numbers:
            continue
        numbers.add(number)
        draft = reader.builder.drafts[number]
        waiting += (
            [ref.number for ref in read_by_derivative(reader, *draft.slots)]  # type: ignore[arg-type]
            if draft.op == GRAD and draft.rule.kind != STOP
            else _slots(reader, number)
        )
    pay_values(8 * len(numbers))  # again for each derivative of a derivative
    return numbers


def read_by_derivative(reader: Reader, root: Ref, wrt: Ref) -> list[Ref]:
    """Return the values that a derivative was computed from: what the calls on its way have saved.

    Raises:
      LibraryError: one of these calls is differentiated only once.
    """
    read: list[Ref] = []
    calls, seeds = reader.state(Memory).calls, reader.state(Autograd).seeds
    way = between(reader, root, [wrt])
    for number in way:
        call = calls.get(number)
        if number in seeds:
            read += seeds[number]
        elif call is not None:
            if call.once:
                raise LibraryError(
                    f"the derivative for '{call.name}_backward' is not implemented", "", "once"
                )
            read += [ref for by, refs in call.again.items() if by.number in way for ref in refs]
        elif number != wrt.number and (draft := reader.builder.drafts[number]).op not in LINEAR:
            read += [ref for by, refs in _read_by_op(draft).items() if by.number in way for ref in refs]
    return read


def _read_by_op(draft: Draft) -> Mapping[Ref, Iterable[Ref]]:
    """Return, by what a node reads, the values that the derivative by it depends on."""
    if by_rule := read_by_rule(draft):
        return by_rule
    slots = [slot for slot in draft.slots if isinstance(slot, Ref)]
    facts, read = facts_of(draft.op, len(slots)), defaultdict(list)
    for i, by in enumerate(slots):
        places = facts.differentiated([i], len(slots))
        read[by] += [slots[j] for j in places if isinstance(j, int)]
    return read


LINEAR = frozenset(
    (
        "add", "sub", "neg", "sum", "mean", "reshape", "transpose", "expand_dims", "getitem",
        "at_set", "broadcast_to", "stack", "concatenate", "identity", "cumsum", "where",
        *AT_PLACES,
    )
)  # fmt: skip
"""Ops whose derivative depends on nothing that has one."""


def between(reader: Reader, root: Ref, sources: Iterable[Ref]) -> set[int]:
    """Return the numbers of the nodes on the ways from an output to what it is differentiated by."""
    below = reached(reader, root)
    ends = {ref.number for ref in sources} & below
    on_the_way = set(ends)
    for number in sorted(below):
        if number not in on_the_way and any(slot in on_the_way for slot in _slots(reader, number)):
            on_the_way.add(number)
    return on_the_way - {n for n in ends if not any(n in _slots(reader, m) for m in on_the_way)} | ends


def pass_through(reader: Reader, root: Ref, sources: Sequence[Ref], retain: bool, create: bool) -> None:
    """Note a backward pass through the nodes on the ways from an output.

    Raises:
      Refused: the derivative can be differentiated again, and a backward function on the way detaches.
    """
    numbers = between(reader, root, sources)
    if create and numbers & reader.state(Detached).numbers:
        raise Refused(
            "A backward() that detaches is not read where create_graph=True asks for its derivative.",
            "Save the detached tensor in forward(): ctx.save_for_backward(x.detach()).",
        )
    if changed := reader.unread.numbers:
        above = reader.builder.ancestors(root)
        # A derivative of a derivative depends on all that the first one has saved.
        again = any(reader.builder.drafts[number].op == GRAD for number in above)
        for number in above if again else numbers:
            for each in (number, *_slots(reader, number)):
                if each in changed:
                    reader.check_known(changed[each])
    passed(reader, numbers, retain)


def _slots(reader: Reader, number: int) -> list[int]:
    """Return the nodes that a backward pass comes to from one, with what a change in place has replaced."""
    draft, bases = reader.builder.drafts[number], reader.state(Memory).bases
    if draft.op in UNRECORDED:
        return []
    slots = passing(draft.rule.kind, draft.slots)
    if draft.op in AT_PLACES:
        slots = tuple(slot for i, slot in enumerate(slots) if i != PLACES)
    passed = [slot.number for slot in slots if isinstance(slot, Ref)]
    return [*passed, bases[number].number] if number in bases else passed


def known_leaves(reader: Reader) -> list[Array]:
    """Return the tensors that `backward` may leave a gradient at."""
    return [x for x in list(reader.state(Memory).of) if x.requires_grad and (x.leaf or x.retains)]


def gradient_node(reader: Reader, root: Array, wrt: Sequence[Ref], dtype: str, create: bool) -> Array:
    """Return a derivative as a tensor: with a graph of its own, or without."""
    parts = [reader.builder.add(GRAD, [root.held, ref]) for ref in wrt]
    calls = reader.state(Memory).calls
    if create and any(n in calls and calls[n].saves for n in between(reader, root.held, wrt)):
        for part, ref in zip(parts, wrt, strict=True):  # its own graph has saved what it multiplied with
            calls[part.number] = Recorded("grad", [], True, again={part: (root.held, ref)})
    total = parts[0]
    for part in parts[1:]:
        total = reader.builder.add("add", [total, part])
    if not create:
        total = reader.builder.add(IDENTITY, [total], Rule(STOP))
        reader.builder.replaced.add(total.number)  # which the graph shows only where something reads it
    again = create and _requires_grad(reader, reached(reader, total))
    return Array(total, "torch", dtype, again, not again)


def _requires_grad(reader: Reader, numbers: set[int]) -> bool:
    """Return whether one of these nodes is a tensor's that requires a gradient."""
    known = list(reader.state(Memory).of.items())
    return any(ref.number in numbers for x, about in known if x.requires_grad for ref in about.sources)
