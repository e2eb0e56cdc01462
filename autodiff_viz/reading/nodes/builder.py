"""Build the graph of a text while it is read: nodes by number, which get their names at the end.

A node is known by its number until the text has been read, because its name depends on what comes later: of
all values that a text calls `x`, the last keeps the name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from math import prod
from typing import Any, Union

import numpy as np

from autodiff_viz.engine.live_path.arrays import own_shape
from autodiff_viz.engine.live_path.op_calls import known_op, program_key, result_shape, split
from autodiff_viz.engine.trace import trace_part
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.model import GRAD, IDENTITY, INPUT, Graph, Group, Literal, Node, Region, Rule
from autodiff_viz.graph.model import params as as_params
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP, passing
from autodiff_viz.graph.text import numbered, shape_of
from autodiff_viz.language.reader import WRAPPER
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.misfits import Shape
from autodiff_viz.reading.nodes.costs import ASKING, PRODUCTS, PROGRAM, RUN, UNSEEN, pay, pay_values, pay_work
from autodiff_viz.workers.bounds import computing_apart


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of a node, by the node's number."""

    number: int


Held = Union[Ref, Literal]
"""What a slot holds while a text is read: the value of a node, or a constant."""


@dataclass(slots=True)
class Draft:
    """A node that has no name yet.

    Attributes:
      op, slots, params, rule: as of `Node`.
      hint: what the text calls its value; "" if it has no name there.
      lines: the lines of the text that it comes from, innermost first.
      framework: whose conventions it follows.
    """

    op: str
    slots: tuple[Held, ...]
    params: dict[str, Any]
    rule: Rule
    hint: str = ""
    lines: tuple[int, ...] = ()
    framework: str = ""


@dataclass(slots=True)
class Frame:
    """A checkpoint region or a group that is being read."""

    name: str
    policy: str | None  # of a region; None for a group
    saved: tuple[str, ...] = ()
    numbers: set[int] = field(default_factory=set)


MANY = 50  # nodes of a graph from which on steps of loops and calls of functions are groups
FEWEST = 3  # nodes of such a group


class TooLarge(ValueError):
    """Raised where a text makes more nodes than a graph may have."""


class Builder:
    """Collects nodes, regions and groups."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.frames: list[Frame] = []
        self.open_frames: list[Frame] = []
        self.steps: list[tuple[int, Frame]] = []  # of loops, and calls of functions, by how deep they are
        self.open_steps: list[Frame] = []
        self.lines: tuple[int, ...] = ()
        self.left_out: set[int] = set()  # nodes of a library's own bookkeeping, which nothing reads
        self.elements = 0  # of all values
        self.merged: dict[int, Held] = {}  # copies whose readers read the original instead
        self.replaced: set[int] = (
            set()
        )  # inputs whose numbers were replaced; left out unless something reads them
        self.kinds: dict[int, str] = {}  # dtypes of inputs of the text
        self.forgotten = 0  # how often numbers were forgotten
        self._asked: set[Hashable] = set()  # ops with shapes that JAX was asked about
        self._compiled: set[Hashable] = set()  # the same, of which it has computed numbers
        self._shapes: dict[int, Shape | None] = {}
        self._numbers: dict[str, dict[int, tuple[np.ndarray, Any]]] = {}  # by dtype: arrays, and as constants

    def add(self, op: str, slots: Iterable[Held], rule: Rule | None = None, **params: Any) -> Ref:
        """Add a node and return its value.

        Raises:
          TooLarge: there would be more nodes, or more elements, than a graph may have.
          GraphError: the op does not take these shapes.
        """
        if len(self.drafts) >= limits.NODES:
            raise TooLarge(f"This makes more than {limits.NODES} nodes, which is all that a graph may have.")
        self.drafts.append(Draft(op, tuple(slots), params, rule or Rule(), lines=self.lines))
        number = len(self.drafts) - 1
        try:
            shape = self._shapes[number] = self.fitted_shape(number)
        except GraphError:
            self.drafts.pop()
            raise
        self.elements += prod(shape) if shape else 1
        if self.elements > limits.TOTAL_ELEMENTS:
            self.drafts.pop()
            raise TooLarge(f"The values have more than {limits.TOTAL_ELEMENTS:,} elements in all.")
        for frame in (*self.open_frames, *self.open_steps):
            frame.numbers.add(number)
        return Ref(number)

    def input(self, value: Literal, hint: str, trainable: bool = False) -> Ref:
        """Add an input with a value."""
        options = {"trainable": True} if trainable else {}
        ref = self.add(INPUT, (), value=value, **options)
        self.drafts[ref.number].hint = hint
        return ref

    def resolved(self, held: Held) -> Held:
        """Return a value, or the original if it is a copy that is left out."""
        while isinstance(held, Ref) and held.number in self.merged:
            held = self.merged[held.number]
        return held

    def stopped(self, held: Held) -> Held:
        """Return a value that passes no gradient on."""
        return held if not isinstance(held, Ref) else self.add(IDENTITY, (held,), Rule(STOP))

    def forget_shapes(self) -> None:
        """Forget the shapes, since an input has got another value."""
        self._shapes.clear()
        self.forget_numbers()

    def forget_numbers(self) -> None:
        """Forget the numbers of all nodes, since an input has got another value of the same shape."""
        self._numbers.clear()
        self.forgotten += 1

    def ancestors(self, *roots: Ref) -> set[int]:
        """Return the numbers of nodes and of all that they read."""
        reached, waiting = set(), [root.number for root in roots]
        while waiting:
            number = waiting.pop()
            if number not in reached:
                reached.add(number)
                waiting += [slot.number for slot in self.drafts[number].slots if isinstance(slot, Ref)]
        pay_values(len(reached))
        return reached

    def shape(self, held: Held) -> Shape | None:
        """Return the shape of a value; None if it is not known, since something in it does not fit."""
        if not isinstance(held, Ref):
            return shape_of(held)
        # A node reads nodes that were made before it, so their shapes come first; what is known stays known.
        reached, waiting = set(), [held.number]
        while waiting:
            number = waiting.pop()
            if number not in self._shapes and number not in reached:
                reached.add(number)
                waiting += [slot.number for slot in self.drafts[number].slots if isinstance(slot, Ref)]
        for number in sorted(reached):
            try:
                self._shapes[number] = self.fitted_shape(number)
            except GraphError:
                self._shapes[number] = None
        return self._shapes[held.number]

    def fitted_shape(self, number: int) -> Shape | None:
        """Return the shape of a node; None if one that it reads has none.

        Raises:
          GraphError: its op does not take the shapes that it reads.
        """
        draft = self.drafts[number]
        if draft.op == INPUT:
            return own_shape(self._node(number, {number: "x"}))
        below = [self.shape(slot) for slot in draft.slots]
        if None in below:
            return None
        if draft.op == GRAD:
            return below[1]
        names = {slot.number: "x" for slot in refs(draft.slots)}
        node = self._node(number, {**names, number: "y"})
        static, _ = split(known_op(node.op), node.params)
        shapes = tuple(below[: len(node.op_slots)])
        asked = program_key(node.op, static, shapes)
        if asked not in self._asked:
            self._asked.add(asked)
            pay(UNSEEN)
        return result_shape(node.op, static, shapes, FLOAT32)

    def numbers(self, ref: Ref, dtype: str) -> np.ndarray:
        """Return the numbers of a node's value; what is known of the nodes below is not computed again.

        Raises:
          GraphError: something that it reads cannot be computed.
        """
        known = self._numbers.setdefault(dtype, {})
        if ref.number not in known:
            computed, given = self._to_compute(ref.number, known)
            names = {number: f"n{number}" for number in computed | given}
            nodes = tuple(
                self._node(number, names)
                if number in computed
                else Node(names[number], INPUT, (), as_params(value=known[number][1]))
                for number in sorted(names)
            )
            self.pay_to_run(computed)
            with computing_apart():
                traced = trace_part(Graph(nodes), dtype=dtype)
                values = {number: np.asarray(traced.value[names[number]]) for number in computed}
            for number, array in values.items():
                literal = _literal(array) if array.size <= KNOWN and np.isfinite(array).all() else None
                known[number] = array, literal
        return known[ref.number][0]

    def pay_to_run(self, numbers: Iterable[int], passes: int = 1) -> None:
        """Pay for computing nodes.

        Raises:
          Refused: code "too-large", the text has asked for too much.
        """
        pay_work(passes * ASKING)
        for number in numbers:
            draft = self.drafts[number]
            shapes = [self.shape(slot) or () for slot in draft.slots]
            out = self.shape(Ref(number)) or ()
            work = passes * (RUN + _products(draft.op, shapes, out) // PRODUCTS)
            program = self._program(number)
            if program is not None and program not in self._compiled:
                self._compiled.add(program)
                work += min(passes, 2) * PROGRAM  # the backward pass of an op is one program
            pay_work(work)

    def programs(self, numbers: Iterable[int]) -> int:
        """Return how many programs of single ops compute nodes."""
        return len({self._program(number) for number in numbers} - {None})

    def _program(self, number: int) -> Hashable:
        """Return what the program of a node depends on; None of an input, and of numbers, which share one."""
        draft = self.drafts[number]
        shapes = tuple(self.shape(slot) or () for slot in draft.slots)
        if draft.op == INPUT or not (any(shapes) or self.shape(Ref(number))):
            return None
        return draft.op, repr(draft.params), shapes

    def _to_compute(self, root: int, known: Mapping[int, Any]) -> tuple[set[int], set[int]]:
        """Return the nodes to compute for one, and those below them whose numbers are known.

        A derivative needs the nodes between its two ends as they are; and a number that is not finite cannot
        stand in a graph.
        """
        computed: set[int] = set()
        given: set[int] = set()
        waiting = [(root, True)]
        while waiting:
            number, as_it_is = waiting.pop()
            if number in computed or (number in given and not as_it_is):
                continue
            if not as_it_is and known.get(number, (None, None))[1] is not None:
                given.add(number)
                continue
            computed.add(number)
            draft = self.drafts[number]
            if draft.op == GRAD:
                between = self.between(*(slot.number for slot in draft.slots[:2]))
                waiting += [(one, True) for one in between]
            waiting += [(slot.number, False) for slot in refs(draft.slots)]
        return computed, given - computed

    def between(self, z: int, x: int) -> set[int]:
        """Return the nodes that a derivative of z by x goes through (`grad_nodes.Between`)."""
        above, depends = self.ancestors(Ref(z)), {x}
        for number in sorted(above):
            draft = self.drafts[number]
            if any(slot.number in depends for slot in refs(passing(draft.rule.kind, draft.slots))):
                depends.add(number)
        return (depends & above) - {x}

    def within(self, output: Ref, within: Iterable[int]) -> tuple[Graph, dict[int, str]]:
        """Return the graph of some nodes with an output, and their names by number; without regions."""
        names = {number: f"n{number}" for number in within}
        nodes = tuple(self._node(number, names) for number in sorted(names))
        return Graph(nodes, (), names[output.number]), names

    def graph(
        self,
        output: Ref | None,
        keep: Iterable[Ref] = (),
        only_read: bool = False,
        fuse: Callable[[list[int]], tuple[dict[int, Draft], dict[int, int]]] | None = None,
    ) -> tuple[Graph, dict[int, str]]:
        """Return the graph, and the names of its nodes by number.

        A grad node that nothing reads is left out unless it is in `keep`: what it would show is the cotangent
        of another node.

        Args:
          only_read: leave out all that neither the output nor what is in `keep` reads.
          fuse: returns the nodes of some numbers, some of them fused, and which stand for others that compute
            the same; all as they are by default.
        """
        kept = {ref.number for ref in (*keep, *([output] if output is not None else []))}
        left_out = self._unread_grads(kept) | self.left_out | set(self.merged)
        numbers = [number for number in range(len(self.drafts)) if number not in left_out]
        if only_read:
            needed = set().union(*(self.ancestors(Ref(number)) for number in kept))
            numbers = [number for number in numbers if number in needed]
        drafts, same = fuse(numbers) if fuse else ({number: self.drafts[number] for number in numbers}, {})
        names = self._names(drafts)
        nodes = tuple(named_node(draft, names[number], names) for number, draft in drafts.items())
        regions, groups = [], []
        taken = set(names.values())
        for frame in self.frames:
            inside = frozenset(names[number] for number in frame.numbers if number in names)
            if not inside:
                continue
            name = numbered(frame.name, taken) if frame.name in taken else frame.name
            taken.add(name)
            if frame.policy is None:
                if len(groups) < limits.GROUPS:  # the page has no more; the nodes of the others stand alone
                    groups.append(Group(name, inside))
            else:
                saved = frozenset(node for node in inside if node in frame.saved)
                regions.append(Region(name, inside, frame.policy or POLICIES[0], saved))
        groups += self._step_groups(names, taken, [*groups, *regions])
        root = None if output is None else names.get(same.get(output.number, output.number))
        if root is None and nodes:
            root = nodes[-1].name
        return Graph(nodes, tuple(regions), root, tuple(groups)), names

    def _step_groups(
        self, names: Mapping[int, str], taken: set[str], frames: Sequence[Group | Region]
    ) -> list[Group]:
        """Return steps of loops and calls as groups, where a graph is too large to be read without.

        Outer ones first, as long as all of one depth fit: of a loop no step stands alone.
        """
        made: list[Group] = []
        room = limits.GROUPS - sum(isinstance(frame, Group) for frame in frames)
        if len(names) <= MANY or not self.steps:
            return made
        known = [frame.nodes for frame in frames]
        for depth in range(max(depth for depth, _ in self.steps) + 1):
            level: list[tuple[str, frozenset[str]]] = []
            for deep, frame in self.steps:
                if deep != depth:
                    continue
                inside = frozenset(names[number] for number in frame.numbers if number in names)
                # One that holds most of the graph does not make it easier to read.
                if FEWEST <= len(inside) <= len(names) // 2 and all(
                    inside != other and (inside <= other or other <= inside or inside.isdisjoint(other))
                    for other in known
                ):
                    level.append((frame.name, inside))
                    known.append(inside)
                if len(level) > room - len(made):
                    return made
            for name, inside in level:
                own = numbered(name, taken) if name in taken else name
                taken.add(own)
                made.append(Group(own, inside))
        return made

    def part(self, refs: Sequence[Ref], cut: Mapping[int, Literal]) -> tuple[Graph, dict[int, str]]:
        """Return the graph of some values and what they are computed from, with names by number.

        Its output is the first of them; a node in `cut` is an input with the number that stands there.
        """
        reached, waiting = set(), [ref.number for ref in refs]
        while waiting:
            number = waiting.pop()
            if number not in reached:
                reached.add(number)
                if number not in cut:
                    waiting += [slot.number for slot in self.drafts[number].slots if isinstance(slot, Ref)]
        # Numbered anew, so that the steps of a loop are one program.
        names = {number: f"n{place}" for place, number in enumerate(sorted(reached))}
        nodes = tuple(
            Node(name, INPUT, (), as_params(value=cut[number]))
            if number in cut
            else self._node(number, names)
            for number, name in names.items()
        )
        return Graph(nodes, (), names[refs[0].number]), names

    def _unread_grads(self, keep: set[int]) -> set[int]:
        read = defaultdict(int)
        for draft in self.drafts:
            for slot in draft.slots:
                if isinstance(slot, Ref):
                    read[slot.number] += 1
        gone: set[int] = set()
        for number in reversed(range(len(self.drafts))):
            draft = self.drafts[number]
            superfluous = draft.op == GRAD or draft.hint == SEED or number in self.replaced
            if superfluous and not read[number] and number not in keep:
                gone.add(number)
                for slot in draft.slots:
                    if isinstance(slot, Ref):
                        read[slot.number] -= 1
        return gone

    def _node(self, number: int, names: Mapping[int, str]) -> Node:
        return named_node(self.drafts[number], names[number], names)

    def _names(self, drafts: Mapping[int, Draft]) -> dict[int, str]:
        by_hint: dict[str, list[int]] = defaultdict(list)
        for number, draft in drafts.items():
            by_hint[as_name(draft.hint) if draft.hint and draft.hint != SEED else ""].append(number)
        names: dict[int, str] = {}
        taken = {hint for hint in by_hint if hint}
        for hint, those in by_hint.items():
            if not hint:
                continue
            names[those[-1]] = hint
            for number in those[:-1]:
                names[number] = numbered(hint, taken)
                taken.add(names[number])
        for number in by_hint[""]:
            draft = drafts[number]
            wrapper = draft.op == IDENTITY and isinstance(draft.slots[0], Ref)
            stem = WRAPPER.get(draft.rule.kind, IDENTITY) if wrapper else draft.op  # stop_gradient(x)
            names[number] = numbered(stem, taken) if stem in taken else f"{stem}_1"
            if names[number] in taken:
                names[number] = numbered(stem, taken)
            taken.add(names[number])
        return names


def node_name(label: str) -> str:
    """Return the name that the node of an argument gets: the last part of its path that is a word.

    What follows that stays: "layer.w" is w, and "params.0.1" is params_0_1.
    """
    parts = label.split(".")
    first = max((i for i, part in enumerate(parts) if part[:1].isalpha()), default=0)
    return as_name("_".join(parts[first:]))


def as_name(hint: str) -> str:
    """Return what a text calls a value as the name of a node, which is an identifier in ASCII."""
    short = hint[: limits.NAME - DIGITS]
    name = _OTHER.sub("_", short)
    if not name[:1].isalpha():
        name = f"x_{name.lstrip('_')}"
    return f"{name}_" if iskeyword(name) else name


_OTHER = re.compile(r"[^A-Za-z0-9_]")
DIGITS = 8  # of what tells names apart, at their end


def named_node(draft: Draft, name: str, names: Mapping[int, str]) -> Node:
    """Return a node with its name and those of what it reads."""
    slots = tuple(names[slot.number] if isinstance(slot, Ref) else slot for slot in draft.slots)
    usual = (
        {param.name: param.default for param in OPS[draft.op].params if param.kind != "seed"}
        if draft.op in OPS
        else {}
    )
    given = {key: value for key, value in draft.params.items() if not _same(value, usual.get(key))}
    return Node(name, draft.op, slots, as_params(**given), draft.rule)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


SEED = "\0seed"
"""Hint of a node that exists only to seed a derivative."""


def _products(op: Any, shapes: Sequence[Shape], out: Shape) -> int:
    """Return how many products of numbers an op computes."""
    if op == "matmul" and shapes and shapes[0]:
        return prod(out) * shapes[0][-1]
    if op == "conv2d" and len(shapes) > 1:
        return prod(out) * prod(shapes[1][:-1])  # a kernel is [height, width, channels in, channels out]
    return prod(out) + sum(map(prod, shapes))


KNOWN = 4096  # elements of a value that is kept as a constant


def _literal(array: np.ndarray) -> Literal:
    """Return an array as nested tuples of numbers."""

    def nested(one: Any) -> Any:
        return tuple(map(nested, one)) if isinstance(one, list) else float(one)

    return nested(array.astype(float).tolist())


def refs(held: Iterable[Held]) -> Iterator[Ref]:
    """Yield the values of nodes among what slots hold."""
    return (one for one in held if isinstance(one, Ref))


__all__ = ["FOLLOW", "SEED", "Builder", "Draft", "Frame", "Held", "Ref", "TooLarge", "refs"]
