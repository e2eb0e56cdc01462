"""Write a derivative out at the tensors on its way that have hooks, as nodes that are differentiated again.

A derivative is one node of the graph, and what stands between its ends is not seen from outside. So it is
made of parts, each of which ends at such a tensor: the derivative by a copy of that tensor, and further down
the derivative of the product with what goes on from there. Between the ends of a part nothing has a hook. The
copy at its lower end is the only thing that it is differentiated by; all else is read from outside, and has a
derivative of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autodiff_viz.graph.model import GRAD, IDENTITY
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Refused
from autodiff_viz.reading.nodes.builder import Held, Ref, refs
from autodiff_viz.reading.tensors.torch_memory import Memory, Recorded
from autodiff_viz.reading.torch.passes import Autograd, gradient_node


@dataclass(eq=False)
class Parts:
    """A derivative in parts, from the output on.

    Attributes:
      stops: the nodes at which parts end, beside what is differentiated by.
      ends: where the next part begins, with what passes on there; None for ones.
      way: what the derivative goes through, among which copies stand for the nodes that they are copies of;
        None for all that the ends read.
    """

    stops: set[int]
    ends: dict[int, Held | None] = field(default_factory=dict)
    way: set[int] | None = None

    def by_all(self, reader: Reader, nodes: Sequence[Ref], dtype: str) -> Array:
        """Return the sum of the derivatives by some nodes, as a tensor that can be differentiated again."""
        found = [self.by(reader, node, dtype) for node in nodes]
        made = [one for one in found if one is not None]
        if not made:
            return Array(reader.builder.add("zeros_like", (nodes[0],)), "torch", dtype)
        total = made[0].held
        for one in made[1:]:
            total = reader.builder.add("add", (total, one.held))
        needs = any(one.requires_grad for one in made)
        return Array(total, "torch", dtype, needs, not needs)

    def by(self, reader: Reader, node: Ref, dtype: str) -> Array | None:
        """Return the derivative by a node; None if nothing passes there."""
        copy = reader.builder.add(IDENTITY, (node,))
        total = self._product(reader, node, copy)
        if total is None:
            return None
        return gradient_node(reader, Array(total, "torch", dtype), [copy], dtype, True)

    def _product(self, reader: Reader, node: Ref, copy: Ref) -> Ref | None:
        """Return what has that derivative, computed from a copy of the node."""
        builder, state = reader.builder, reader.state(Autograd)
        above: dict[int, Held] = {}
        copies = Copies(reader)
        total: Ref | None = None
        way = builder.ancestors(*map(Ref, self.ends)) if self.way is None else self.way
        for number in sorted(way):
            original = number if self.way is None else state.original(number)
            itself = original == node.number
            made = copy if itself else copies.of(number, above)
            if number in self.ends and made != Ref(number):
                if not itself:
                    state.rebuilt.add(made.number)
                part, passed = made, self.ends[number]
                if passed is not None:
                    part = builder.add("mul", (part, passed))
                if builder.shape(part):
                    part = builder.add("sum", (part,))
                total = part if total is None else builder.add("add", (total, part))
            if original in self.stops and not itself:
                made = Ref(original)
            if made != Ref(number):
                above[number] = made
        return total


@dataclass(eq=False)
class Copies:
    """Copies of nodes that read others, and know what PyTorch saves for them."""

    reader: Reader
    calls: dict[Recorded, Recorded] = field(default_factory=dict)

    def of(self, number: int, above: dict[int, Any]) -> Ref:
        """Return a copy of a node that reads what is above; itself if it reads none of that."""
        builder, state = self.reader.builder, self.reader.state(Autograd)
        draft = builder.drafts[number]
        slots = tuple(above.get(slot.number, slot) if isinstance(slot, Ref) else slot for slot in draft.slots)
        if slots == draft.slots or draft.rule.kind == STOP:
            return Ref(number)
        made = builder.add(draft.op, slots, draft.rule, **draft.params)
        new = builder.drafts[made.number]
        new.hint, new.lines, new.framework = draft.hint, draft.lines, draft.framework
        builder.replaced.add(made.number)
        state.originals[made.number] = state.originals.get(number, number)
        if number in state.rebuilt:
            state.rebuilt.add(made.number)
        calls = self.reader.state(Memory).calls
        if number in calls:
            call = calls[number]
            if call not in self.calls:
                known = {**above, number: made}
                self.calls[call] = replace(
                    call,
                    again={
                        known.get(by.number, by): tuple(known.get(one.number, one) for one in read)
                        for by, read in call.again.items()
                    },
                )
            calls[made.number] = self.calls[call]
        return made


def written_out(reader: Reader, root: Array, stops: Iterable[int]) -> Array:
    """Return an output that reads no derivative between whose ends one of these nodes stands.

    Raises:
      Refused: it reads a derivative of such a derivative.
    """
    builder, state, those = reader.builder, reader.state(Autograd), set(stops)
    grads = {
        number: way_of(reader, number)
        for number in builder.ancestors(root.held)
        if builder.drafts[number].op == GRAD and builder.drafts[number].rule.kind != STOP
    }
    # What stands in a derivative of a derivative is read as it was computed at first, not from copies there.
    inside = {
        number: way | {next(refs(builder.drafts[number].slots)).number} for number, way in grads.items()
    }
    nested = set().union(*inside.values()) & grads.keys()
    for number, way in grads.items():
        if {state.original(one) for one in way} & those and (number in nested or inside[number] & nested):
            raise Refused(
                "A hook of a computed tensor, or a derivative by one, is not read in a third derivative.",
                "Differentiate by an input, and register hooks there.",
            )
    above: dict[int, Any] = {}
    copies = Copies(reader)
    for number in sorted(builder.ancestors(root.held)):
        made = copies.of(number, above)
        if number in grads:
            z, x = refs(builder.drafts[made.number].slots)
            way = way_of(reader, made.number)
            found = {state.original(one): one for one in sorted(way) if state.original(one) in those}
            if found:
                made = _in_parts(reader, z, x, way | {z.number, x.number}, found)
        if made != Ref(number):
            above[number] = made
    return replace(root, held=above.get(root.held.number, root.held))


def way_of(reader: Reader, number: int) -> set[int]:
    """Return the nodes between the ends of a derivative."""
    z, x = refs(reader.builder.drafts[number].slots)
    return reader.builder.between(z.number, x.number) - {z.number}


def _in_parts(reader: Reader, z: Ref, x: Ref, way: set[int], nodes: Mapping[int, int]) -> Ref:
    """Return a derivative in parts that end at some nodes; of each, the one that stands for it here."""
    parts = Parts(set(nodes), {z.number: None}, way)
    for original, number in sorted(nodes.items(), key=lambda one: one[1], reverse=True):
        made = parts.by(reader, Ref(original), "float32")
        if made is not None:
            parts.ends[number] = made.held
    made = parts.by(reader, x, "float32")
    assert made is not None
    return made.held


def reads_itself(reader: Reader, node: Ref) -> str:
    """Return the function whose derivative reads its own result, which a second pass comes by; or ""."""
    call = reader.state(Memory).calls.get(node.number)
    own = call is not None and any(node in read for read in call.again.values())
    return call.name if call is not None and own else ""


def below_derivatives(reader: Reader, root: Ref) -> set[int]:
    """Return the numbers of what the derivatives read that an output reads."""
    drafts = reader.builder.drafts
    ends: list[Ref] = []
    for number in reader.builder.ancestors(root):
        if drafts[number].op == GRAD and drafts[number].rule.kind != STOP:
            ends += refs(drafts[number].slots)
    return reader.builder.ancestors(*ends)
