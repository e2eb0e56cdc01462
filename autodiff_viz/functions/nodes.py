"""Build the graph of a function node by node, or of the same equations the terms of a declared pullback."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Union

import numpy as np

from autodiff_viz.functions.equations import Shape
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT, Call, Graph, Group, Literal, Node, Region, Rule, Term
from autodiff_viz.graph.model import params as as_params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import literal_fault, name_fault, numbered
from autodiff_viz.language.suggestions import FUNCTIONS, KEYWORDS
from autodiff_viz.ops.native import NativeOp

TAKEN = frozenset((*FUNCTIONS, *KEYWORDS, "pi", "inf", "nan", "e"))
"""Words of the formula language, which a node of a formula cannot have for a name."""


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of a node, by the node's number."""

    number: int


Held = Union[Ref, Literal, Term]
"""What stands for a value: a node, a constant, or a term of a pullback."""


class NoTerm(Exception):
    """Raised where a pullback cannot be written as terms of our ops."""


@dataclass(slots=True, eq=False)
class Frame:
    """A checkpoint region or a group that equations come from.

    Attributes:
      policy: of a region; None for a group.
      names: those that `checkpoint_name` gives, for a policy that saves by name.
      saved: the numbers of the nodes that have these names.
    """

    name: str
    policy: str | None = None
    names: frozenset[str] = frozenset()
    saved: set[int] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Draft:
    """A node that has no name yet; `frames` are those that it is in, outermost first."""

    op: str | NativeOp
    slots: tuple[Held, ...]
    params: dict[str, Any]
    shape: Shape
    frames: tuple[Frame, ...]
    rule: Rule = field(default_factory=Rule)
    hint: str = ""


class Nodes:
    """Collects the nodes of a graph."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.frames: list[Frame] = []
        self._inputs: dict[int, tuple[Any, Ref]] = {}

    def add(
        self,
        op: str | NativeOp,
        slots: Iterable[Held],
        shape: Shape,
        rule: Rule | None = None,
        /,
        **given: Any,
    ) -> Ref:
        """Add a node and return its value.

        Raises:
          GraphError: there would be more nodes, or elements of one value, than a graph may have.
        """
        slots = tuple(slots)
        if op == "reshape" and isinstance(slots[0], Ref) and self.drafts[slots[0].number].op == "reshape":
            slots = self.drafts[slots[0].number].slots  # the same elements in the same order
        if op == "reshape" and isinstance(slots[0], Ref) and self.drafts[slots[0].number].shape == shape:
            return slots[0]
        if len(self.drafts) >= limits.NODES * 2:  # some of them lead nowhere and are left out
            raise too_many_nodes()
        if prod(shape) > limits.ELEMENTS or len(shape) > limits.RANK:
            message = f"A value of the function has shape {list(shape)}: {str(op)!r} makes it."
            hint = f"At most {limits.ELEMENTS:,} elements on {limits.RANK} axes: call it with smaller arrays."
            raise GraphError(Problem("too-large", message, hint))
        self.drafts.append(Draft(op, slots, given, shape, tuple(self.frames), rule or Rule()))
        return Ref(len(self.drafts) - 1)

    def shape(self, held: Held) -> Shape:
        """Return the shape of a node's value."""
        return self.drafts[held.number].shape

    def input(self, array: np.ndarray, name: str, parameter: bool = False) -> Ref:
        """Add an input with these numbers, outside of all frames.

        Raises:
          GraphError: they are no numbers that an input can have.
        """
        value = literal(array)
        if fault := literal_fault(value):
            message = f"{name!r} {fault}."
            hint = "An input of a graph is made of finite numbers; call the function with smaller arrays."
            raise GraphError(Problem("too-large" if "limit" in fault else "bad-input", message, hint))
        frames, self.frames = self.frames, []
        ref = self.add(
            INPUT, (), tuple(array.shape), value=value, **({"trainable": True} if parameter else {})
        )
        self.frames = frames
        self.drafts[ref.number].hint = name
        return ref

    def array(self, array: np.ndarray, name: str) -> Ref:
        """Return the input with the numbers of a constant array; each array has one."""
        if id(array) not in self._inputs:
            self._inputs[id(array)] = array, self.input(array, name or "constant")
        return self._inputs[id(array)][1]

    def graph(self, outputs: Sequence[Ref], keep: Sequence[Ref]) -> Graph:
        """Return the graph of what leads to `outputs`, with the first as its output, and of `keep`."""
        live, waiting = set(), [ref.number for ref in (*outputs, *keep)]
        while waiting:
            number = waiting.pop()
            if number not in live:
                live.add(number)
                waiting += [slot.number for slot in self.drafts[number].slots if isinstance(slot, Ref)]
        numbers = sorted(live)
        if len(numbers) > limits.NODES:
            raise too_many_nodes()
        names = self._names(numbers)
        nodes = tuple(
            Node(
                names[number],
                draft.op,
                tuple(names[slot.number] if isinstance(slot, Ref) else slot for slot in draft.slots),
                as_params(**draft.params),
                draft.rule,
            )
            for number in numbers
            for draft in [self.drafts[number]]
        )
        regions, groups = self._framed(numbers, names)
        return Graph(nodes, regions, names[outputs[0].number], groups)

    def _framed(
        self, numbers: Sequence[int], names: dict[int, str]
    ) -> tuple[tuple[Region, ...], tuple[Group, ...]]:
        inside: dict[int, list[int]] = defaultdict(list)
        frames: dict[int, tuple[int, Frame]] = {}
        for number in numbers:
            for depth, frame in enumerate(self.drafts[number].frames):
                inside[id(frame)].append(number)
                frames[id(frame)] = depth, frame
        taken = {*names.values()}
        regions, groups = [], []
        # Of more groups than a graph may have, the outer ones are kept; one of a single node says nothing.
        kept = [key for key, (_, f) in frames.items() if f.policy is None and len(inside[key]) > 1]
        kept = {*sorted(kept, key=lambda key: frames[key][0])[: limits.GROUPS]}
        for key, (_, frame) in frames.items():
            if frame.policy is None and key not in kept:
                continue
            name = re.sub(r"[^A-Za-z0-9_ .-]+", "_", frame.name)[: limits.NAME - 6].strip(" .-_") or "group"
            name = numbered(name, taken) if name in taken else name
            taken.add(name)
            members = frozenset(names[number] for number in inside[key])
            if frame.policy is None:
                groups.append(Group(name, members))
            else:
                saved = frozenset(names[number] for number in frame.saved if number in names)
                regions.append(Region(name, members, frame.policy, saved & members))
        if len(regions) > limits.REGIONS:
            message = f"The function has {len(regions)} checkpointed calls; the limit is {limits.REGIONS}."
            raise GraphError(Problem("too-many-regions", message, "Checkpoint larger pieces."))
        depth = {group.name: sum(group.nodes <= other.nodes for other in groups) for group in groups}
        shallow = [group for group in groups if depth[group.name] <= limits.GROUP_DEPTH]
        return tuple(regions), tuple(shallow)

    def _names(self, numbers: Sequence[int]) -> dict[int, str]:
        """Name the nodes: of all values with one name in the source an input keeps it, or else the last."""
        by_hint: dict[str, list[int]] = defaultdict(list)
        for number in numbers:
            by_hint[word(self.drafts[number].hint)].append(number)
        names: dict[int, str] = {}
        taken = {hint for hint in by_hint if hint} | TAKEN
        for hint, those in by_hint.items():
            if hint:
                inputs = [number for number in those if self.drafts[number].op == INPUT]
                if hint not in TAKEN:
                    names[[*those, *inputs][-1]] = hint
                for number in those:
                    if number in names:
                        continue
                    names[number] = numbered(hint, taken)
                    taken.add(names[number])
        for number in by_hint[""]:
            names[number] = numbered(word(str(self.drafts[number].op)) or "node", taken)
            taken.add(names[number])
        return names


class Terms:
    """Writes the same equations as terms of a pullback."""

    def __init__(self) -> None:
        self._sizes: dict[int, tuple[Call, int]] = {}
        self.frames: list[Frame] = []

    def add(
        self,
        op: str | NativeOp,
        slots: Iterable[Held],
        shape: Shape,
        rule: Rule | None = None,
        /,
        **given: Any,
    ) -> Term:
        """Return the call of an op.

        Raises:
          NoTerm: the op is none of ours, has a rule, or the term is too long.
        """
        slots = tuple(slots)
        if not isinstance(op, str) or rule is not None:
            raise NoTerm
        size = 1 + sum(self._sizes[id(slot)][1] if isinstance(slot, Call) else 1 for slot in slots)
        if size > limits.LAMBDA_TERMS:
            raise NoTerm
        call = Call(op, slots, as_params(**given))
        self._sizes[id(call)] = call, size
        return call

    def array(self, array: np.ndarray, name: str) -> Term:
        """Return a constant array, if it is small."""
        if array.size > limits.LAMBDA_TERMS or not np.isfinite(array).all():
            raise NoTerm
        return literal(array)


def literal(array: np.ndarray) -> Literal:
    """Return an array as nested tuples of floats, each written as short as its dtype allows."""
    array = np.asarray(array)
    if array.dtype.kind in "biu":
        return _tupled(array.astype(np.float64).tolist())
    if array.size > 4_096 or array.dtype.itemsize == 8:
        return _tupled(array.astype(np.float64).tolist())
    short = np.array([float(str(number)) for number in array.ravel()], np.float64)
    return _tupled(short.reshape(array.shape).tolist())


def _tupled(value: Any) -> Literal:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value


def word(text: str) -> str:
    """Return a text as the name of a node: letters, digits and _; "" where none is left."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")[: limits.NAME - 5]
    name = f"x_{name}" if name[:1].isdigit() else name
    return "" if not name else name if not name_fault(name) else f"{name}_"


def too_many_nodes() -> GraphError:
    """Return the error of a function that is too long."""
    message = f"The function makes more than {limits.NODES:,} nodes, which is all that a graph may have."
    return GraphError(Problem("too-many-nodes", message, "Take a part of it, or fewer layers."))
