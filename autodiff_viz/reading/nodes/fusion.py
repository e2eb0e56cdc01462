"""Fold the nodes of a text that are one node in the lab: an op with the rule that stands around it.

A text stops or rewrites a gradient by a function of its own around an expression, and declares a derivative
by a forward and a backward function. Read word by word, each is several nodes. The values and gradients of
all other nodes are the same after as before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.model import GRAD, IDENTITY, INPUT, Call, Lambda, Rule, Term, names_in
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, PULLBACK, REWRITE, SCALE, STOP
from autodiff_viz.graph.text import COTANGENT, OUT
from autodiff_viz.reading.nodes.builder import Builder, Draft, Ref, named_node, refs

AROUND = (STOP, REWRITE, SCALE, BACKWARD_AS)
"""Rules that a node has in addition to the derivative of its op, or in place of it."""

OWN: Mapping[str, Callable[[str], Term]] = {
    "relu": lambda x: Call("where", (Call("greater", (x, 0.0)), COTANGENT, Call("zeros_like", (COTANGENT,)))),
    "abs": lambda x: Call("where", (Call("greater_equal", (x, 0.0)), COTANGENT, Call("neg", (COTANGENT,)))),
}
"""By op, the pullback that JAX has, as a text may declare it."""

WHOLE, COPY = "first", (IDENTITY, "reshape", "broadcast_to")
"""The op of a value with a declared pullback, and ops that may change nothing."""


@dataclass
class Fusion:
    """The drafts of a graph while some of them are fused.

    Attributes:
      builder: has the nodes as they were read.
      drafts: by number, copies of its own; those that are part of another are taken out.
      kept: nodes that the text asks for.
      again: the nodes that calls of differentiated functions have made, inner calls first.
      same: by number, the node that computes the same, in place of one that was taken out.
    """

    builder: Builder
    drafts: dict[int, Draft]
    kept: set[int]
    again: Sequence[range] = ()
    same: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._repeated()
        self.kept = {self.same.get(number, number) for number in self.kept}
        self.readers: dict[int, list[int]] = defaultdict(list)
        for number, draft in self.drafts.items():
            for slot in refs(draft.slots):
                self.readers[slot.number].append(number)

    def _repeated(self) -> None:
        """Take out what a derivative computes once more: the same of the same, of which a value is known.

        No derivative changes by it, but one by a node that is itself one of two: these stay apart.
        """
        if not self.again:
            return
        variables = {draft.slots[BY] for draft in self.drafts.values() if draft.op == GRAD}
        begins = {number: call.start for call in reversed(self.again) for number in call}
        first: dict[Any, int] = {}
        for number in sorted(self.drafts):
            draft = self.drafts[number]
            slots = tuple(
                Ref(self.same.get(slot.number, slot.number)) if isinstance(slot, Ref) else slot
                for slot in draft.slots
            )
            if slots != draft.slots:
                draft = self.drafts[number] = replace(draft, slots=slots)
            copy = draft.op == IDENTITY and draft.rule.kind == FOLLOW  # of an argument, to differentiate by
            if draft.op == INPUT or copy or Ref(number) in variables:
                continue
            names = {slot.number: f"n{slot.number}" for slot in refs(slots)}
            around = [(frame.policy, frame.saved) for frame in self.builder.frames if number in frame.numbers]
            key = named_node(draft, "", names).content, tuple(around)
            known = first.setdefault(key, number)
            if known < begins.get(number, 0) and draft.hint in ("", self.drafts[known].hint):
                self.same[number] = known
                del self.drafts[number]

    def fuse(self) -> None:
        """Fuse what can be: declared derivatives first, which may then have a wrapper around them."""
        for number in sorted(self.drafts):
            draft = self.drafts.get(number)
            if draft is not None and draft.op == WHOLE and draft.rule.kind == PULLBACK:
                self._declared(number, draft)
        for number in sorted(self.drafts):
            draft = self.drafts[number]  # only what is read is taken out, which comes before
            if draft.op == IDENTITY and draft.rule.kind in AROUND and isinstance(draft.slots[0], Ref):
                self._wrapped(number, draft, draft.slots[0].number)

    def _together(self, one: int, other: int) -> bool:
        return all((one in frame.numbers) is (other in frame.numbers) for frame in self.builder.frames)

    def _only_for(self, number: int, reader: int) -> bool:
        """Whether a node is there for one reader alone, in the same regions and groups."""
        alone = self.readers[number] == [reader] and number not in self.kept
        return alone and self._together(number, reader)

    def _set(self, number: int, draft: Draft, gone: Iterable[int]) -> None:
        """Put a draft in the place of some."""
        for one in (number, *gone):
            for slot in refs(self.drafts[one].slots):
                self.readers[slot.number].remove(one)
        for one in gone:
            del self.drafts[one]
        self.drafts[number] = draft
        for slot in refs(draft.slots):
            self.readers[slot.number].append(number)

    def _wrapped(self, number: int, draft: Draft, inner: int) -> None:
        """Give the node inside a wrapper the wrapper's rule: `stop_gradient(sin(x))`."""
        node = self.drafts[inner]
        if node.op == GRAD or node.rule.kind != FOLLOW:
            return
        if node.op == INPUT:  # x = stop_gradient(x): an input with a rule, which keeps its name
            again = node.hint == draft.hint and draft.rule.kind != BACKWARD_AS
            fits = again and self.readers[inner] == [number] and self._together(inner, number)
        else:
            fits = not node.hint and self._only_for(inner, number)
        if fits:
            alternative = draft.slots[1:]
            made = replace(draft, op=node.op, slots=(*node.slots, *alternative), params=node.params)
            self._set(number, made, [inner])

    def _declared(self, number: int, draft: Draft) -> None:
        """Write a declared pullback at the op that makes the value, or as the rule that it is."""
        stop = draft.slots[0]
        copy = self.drafts[stop.number] if isinstance(stop, Ref) else None
        if copy is None or copy.op != IDENTITY or copy.rule.kind != STOP:
            return
        if not self._only_for(stop.number, number) or not isinstance(copy.slots[0], Ref):
            return
        _, _, *args, out = draft.rule.function.args
        slots = draft.slots[1:]
        terms = [
            self._short(term, slot) for term, slot in zip(draft.rule.function.body[1:], slots, strict=True)
        ]
        parts = list(zip(slots, args, terms, strict=True))
        gone = [stop.number]
        value = copy.slots[0].number
        while True:  # a copy of what comes in, such as x.view_as(x)
            inner = self.drafts[value]
            same = inner.op in COPY and isinstance(inner.slots[0], Ref) and inner.rule.kind in (FOLLOW, STOP)
            if not same or self.builder.shape(Ref(value)) != self.builder.shape(inner.slots[0]):
                break
            if not self._only_for(value, gone[-1]):
                break
            gone.append(value)
            value = inner.slots[0].number
        copied = any(slot.number == value for slot, _, _ in parts)
        inner = None if copied else self.drafts[value]
        made = None
        if inner is not None and inner.op not in (INPUT, GRAD) and self._only_for(value, gone[-1]):
            made = self._at_op(draft, inner, parts, out)
            gone += [value] if made else []
        made = made or self._rule(draft, value, parts, out)
        if made is not None:
            self._set(number, made, gone)

    def _short(self, term: Term, slot: Any) -> Term:
        """Return a cotangent without what fits it to its value: the lab does so."""
        fits = isinstance(term, Call) and term.op == "broadcast_to"
        if fits and dict(term.params)["shape"] == self.builder.shape(slot):
            term = term.args[0]
        if isinstance(term, Call) and term.op == "zeros_like":
            return 0.0
        return term

    def _at_op(
        self, draft: Draft, inner: Draft, parts: Sequence[tuple[Any, str, Term]], out: str
    ) -> Draft | None:
        """Return the op itself with the pullback; None if the pullback is of other values than it reads."""
        if inner.rule.kind not in (FOLLOW, STOP):
            return None
        waiting = list(parts)
        args: list[str | None] = []
        terms: list[Term] = []
        wires = list(refs(inner.slots))
        for wire in wires:
            found = next((part for part in waiting if part[0] == wire), None)
            if found is not None:
                waiting.remove(found)
            args.append(found[1] if found else None)
            terms.append(found[2] if found else 0.0)
        if waiting:
            return None
        if len(wires) == 1 and args[0] and terms[0] == OWN.get(inner.op, lambda x: None)(args[0]):
            return replace(draft, op=inner.op, slots=inner.slots, params=inner.params, rule=Rule())
        names = self._names(wires, inner.hint)
        known = {COTANGENT: COTANGENT, out: names[-1]}
        known |= {arg: name for arg, name in zip(args, names[1:-1], strict=True) if arg}
        function = Lambda(names, tuple(renamed(term, known) for term in terms))
        return replace(
            draft, op=inner.op, slots=inner.slots, params=inner.params, rule=Rule(PULLBACK, function)
        )

    def _names(self, wires: Sequence[Any], out: str) -> tuple[str, ...]:
        """Return names for the arguments of a pullback: those that the text has, if they differ."""
        hints = [self.drafts[wire.number].hint for wire in wires]
        names = (COTANGENT, *hints, out or OUT)
        if all(name.isidentifier() for name in names) and len({*names}) == len(names):
            return names
        return (COTANGENT, *(f"x{i}" for i in range(len(wires))), OUT)

    def _rule(
        self, draft: Draft, value: int, parts: Sequence[tuple[Any, str, Term]], out: str
    ) -> Draft | None:
        """Return a copy of a value with the rule that its pullback is; None if it is none of these."""
        passed = [(slot, term) for slot, _, term in parts if term != 0.0]
        if len(passed) != 1:
            return None
        ((wire, term),) = passed
        if wire.number == value and len(parts) == 1 and names_in([term]) <= {COTANGENT}:
            rule = Rule(REWRITE, Lambda((COTANGENT,), (term,)))
            if isinstance(term, Call) and term.op == "mul" and term.args[0] == COTANGENT:
                factor = term.args[1]
                rule = Rule(SCALE, number=factor) if isinstance(factor, float) else rule
            return replace(draft, op=IDENTITY, slots=(wire,), params={}, rule=rule)
        if (
            wire.number != value
            and term == COTANGENT
            and self.builder.shape(wire) == self.builder.shape(Ref(value))
        ):
            return replace(draft, op=IDENTITY, slots=(Ref(value), wire), params={}, rule=Rule(BACKWARD_AS))
        return None


def fused(
    builder: Builder, numbers: Iterable[int], kept: set[int], again: Sequence[range]
) -> tuple[dict[int, Draft], dict[int, int]]:
    """Return the nodes of these numbers, fused, and what stands for a node that computes the same."""
    fusion = Fusion(builder, {number: builder.drafts[number] for number in numbers}, kept, again)
    fusion.fuse()
    return fusion.drafts, fusion.same


def renamed(term: Term, names: Mapping[str, str]) -> Term:
    """Return a term with other names of its arguments."""
    if isinstance(term, Call):
        return replace(term, args=tuple(renamed(one, names) for one in term.args))
    return names[term] if isinstance(term, str) else term
