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
from autodiff_viz.reading.nodes.builder import Draft, Ref, refs
from autodiff_viz.reading.nodes.costs import LibraryError, pay_values
from autodiff_viz.reading.tensors.torch_facts import facts_of
from autodiff_viz.reading.tensors.torch_memory import Memory, Recorded, ends_of, passed


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
      originals: of nodes that a backward pass with hooks has copied, by the copies.
      rebuilt: copies whose derivative alone is read, and not their value.
    """

    asked: list[tuple[str, Any, Site]] = field(default_factory=list)
    total: Ref | None = None
    ran: bool = False
    reentrant: set[int] = field(default_factory=set)
    anomaly: bool = False
    aliases: dict[str, str] = field(default_factory=dict)
    seeds: dict[int, list[Ref]] = field(default_factory=dict)
    originals: dict[int, int] = field(default_factory=dict)
    rebuilt: set[int] = field(default_factory=set)
    read: dict[Array, None] = field(default_factory=dict)

    def original(self, number: int) -> int:
        """Return the node whose value another one is."""
        return number if number in self.rebuilt else self.originals.get(number, number)

    def with_originals(self, numbers: set[int]) -> set[int]:
        """Return nodes, and those that they are copies of."""
        return numbers | {self.originals[number] for number in numbers if number in self.originals}


UNRECORDED = frozenset(
    (
        "greater", "less", "greater_equal", "less_equal", "equal", "not_equal", "argmax",
        "zeros_like", "ones_like", "one_hot",
    )
)  # fmt: skip
"""Ops whose value has no `grad_fn`."""


@dataclass(eq=False)
class Step:
    """A value as autograd has recorded it.

    Attributes:
      number: of its node; None of what a backward pass has computed on its way.
      edges: what its own backward pass goes to, and what it multiplies by there; None for a constant.
      order: steps that were made later go to it, and not the other way round.
    """

    number: int | None
    order: int
    edges: list[tuple[Step, Step | None]] = field(default_factory=list)


NOTHING = Step(None, 0)
"""What a derivative multiplies by where it is 0 and depends on nothing, not even on what arrives."""


class Recording:
    """What autograd has recorded of values: a derivative is made of steps too, of what it multiplies by.

    Attributes:
      steps: by the numbers of nodes.
    """

    def __init__(self, reader: Reader):
        self.reader, self.steps, self.count = reader, dict[int, Step](), 0

    def at(self, number: int) -> Step:
        """Return the step of a node."""
        waiting = [number]
        while waiting:
            one = waiting[-1]
            missing = [n for n in self._reads(one) if n != one and n not in self.steps]
            waiting += missing
            if not missing:
                waiting.pop()
                if one not in self.steps:
                    self._record(one)
        return self.steps[number]

    def _new(self, number: int | None = None, edges: Iterable[tuple[Step, Step | None]] = ()) -> Step:
        pay_values(10)  # again for each derivative of a derivative
        self.count += 1
        return Step(number, self.count, list(edges))

    def _edges(self, number: int) -> Mapping[Ref, Iterable[Ref]]:
        """Return what the backward pass goes to from a node but a derivative, and what it reads for that."""
        draft, calls = self.reader.builder.drafts[number], self.reader.state(Memory).calls
        slots, seeds = _slots(self.reader, number), self.reader.state(Autograd).seeds
        if number in seeds:
            return {Ref(slot): seeds[number] for slot in slots}
        call = calls.get(number)
        if call is not None and call.again and not any(calls.get(slot) is call for slot in slots):
            return call.again
        read = {} if draft.op in LINEAR else _read_by_op(draft)
        return {Ref(slot): read.get(Ref(slot), ()) for slot in slots}

    def _reads(self, number: int) -> set[int]:
        draft = self.reader.builder.drafts[number]
        if draft.op == GRAD:
            return {slot.number for slot in refs(draft.slots)} if draft.rule.kind != STOP else set()
        return {ref.number for by, read in self._edges(number).items() for ref in (by, *read)}

    def _record(self, number: int) -> None:
        draft, call = self.reader.builder.drafts[number], self.reader.state(Memory).calls.get(number)
        if draft.op == GRAD:
            stopped = draft.rule.kind == STOP
            found = (
                None if stopped else self._derivative(*(self.steps[ref.number] for ref in refs(draft.slots)))
            )
            self.steps[number] = self._new(number, () if found is None else [(found, None)])
            return
        made = self.steps[number] = self._new(number)
        ends, flat = call.ends if call is not None else ends_of(draft)
        for by, read in self._edges(number).items():
            slope: Step | None = None
            if reads := [self.steps[ref.number] for ref in read]:
                slope = NOTHING if flat else None
                for _ in range(ends or not flat):
                    slope = self._new(None, [(one, slope) for one in reads])
                if not (ends or flat):  # its derivative reads the same, and so do all that follow
                    slope.edges = [(one, slope) for one in reads]
            made.edges.append((self.steps[by.number], slope))

    def _derivative(self, z: Step, x: Step) -> Step | None:
        """Return what a backward pass computes; None for a constant.

        Raises:
          LibraryError: a call on its way is differentiated only once.
        """
        calls = self.reader.state(Memory).calls
        way = self.way(z, [x])
        arriving: dict[Step, list[Step]] = {step: [] for step in way}
        for step in sorted(way, key=lambda one: -one.order):
            call = calls.get(step.number) if step.number is not None else None
            if call is not None and call.once and step is not x:
                raise LibraryError(
                    f"the derivative for '{call.name}_backward' is not implemented", "", "once"
                )
            given = arriving[step]
            total = given[0] if len(given) == 1 else self._new(None, [(one, None) for one in given])
            if step is x:
                return total if given else None
            for to, slope in step.edges:
                if to not in arriving or slope is NOTHING:
                    continue
                if given and slope is not None:
                    arriving[to].append(self._new(None, [(total, slope), (slope, total)]))
                elif given or slope is not None:
                    arriving[to].append(slope or total)
        return None

    def way(self, root: Step, sources: Sequence[Step]) -> set[Step]:
        """Return the steps on the ways from a root to others, with these as far as it comes to them."""
        found = set(sources)
        for step in sorted(self.below(root), key=lambda one: one.order):
            if any(to in found for to, _ in step.edges):
                found.add(step)
        return found & self.below(root)

    def below(self, root: Step) -> set[Step]:
        """Return the steps that the backward pass from one may come to."""
        found, waiting = set(), [root]
        while waiting:
            step = waiting.pop()
            if step not in found:
                found.add(step)
                waiting += [to for to, _ in step.edges]
        return found


def reached(reader: Reader, root: Ref) -> set[int]:
    """Return the numbers of the nodes that the backward pass of PyTorch may go through."""
    recording = Recording(reader)
    found = {step.number for step in recording.below(recording.at(root.number)) if step.number is not None}
    return reader.state(Autograd).with_originals(found)


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


LINEAR = frozenset(["expand_dims", "at_set", *AT_PLACES])
"""Ops that are no functions of PyTorch, and whose derivative depends on nothing that has one."""


def between(reader: Reader, root: Ref, sources: Iterable[Ref]) -> set[int]:
    """Return the numbers of the nodes on the ways from an output to what it is differentiated by."""
    recording = Recording(reader)
    top = recording.at(root.number)
    state, those = reader.state(Autograd), {ref.number for ref in sources}
    ends = [step for number, step in recording.steps.items() if those & {number, state.original(number)}]
    return {step.number for step in recording.way(top, ends) if step.number is not None}


def pass_through(reader: Reader, root: Ref, sources: Sequence[Ref], retain: bool, create: bool) -> None:
    """Note a backward pass through the nodes on the ways from an output.

    Raises:
      Refused: the derivative can be differentiated again, and a backward function on the way detaches.
    """
    numbers = between(reader, root, sources)
    if create and numbers & reader.state(Detached).numbers:
        raise Refused(
            "A backward() that detaches, or applies another Function, is not read where create_graph=True "
            "asks for its derivative.",
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
    passed(reader, reader.state(Autograd).with_originals(numbers), retain)


def _slots(reader: Reader, number: int) -> list[int]:
    """Return the nodes that a backward pass comes to from one."""
    draft = reader.builder.drafts[number]
    if draft.op in UNRECORDED:
        return []
    slots = passing(draft.rule.kind, draft.slots)
    if draft.op in AT_PLACES:
        slots = tuple(slot for i, slot in enumerate(slots) if i != PLACES)
    return [slot.number for slot in refs(slots)]


def known_leaves(reader: Reader) -> list[Array]:
    """Return the tensors that `backward` may leave a gradient at."""
    return [x for x in list(reader.state(Memory).of) if x.requires_grad and (x.leaf or x.retains)]


def gradient_node(reader: Reader, root: Array, wrt: Sequence[Ref], dtype: str, create: bool) -> Array:
    """Return a derivative as a tensor: with a graph of its own, or without."""
    parts = [reader.builder.add(GRAD, [root.held, ref]) for ref in wrt]
    calls = reader.state(Memory).calls
    if create and any(n in calls and calls[n].saves for n in between(reader, root.held, wrt)):
        for part in parts:  # its own graph has saved what it multiplied with
            calls[part.number] = Recorded("grad", [], True)
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
