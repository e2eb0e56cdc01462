"""Represent a graph as frozen data: nodes, rules, checkpoint regions and groups.

A node applies one op; a wire carries a node's output into one slot of another node. A wire is no object of
its own: slot `i` of a node holds the name of the node that it is wired to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, Union

from autodiff_viz.graph.identity import Exact, identity
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW
from autodiff_viz.graph.shown import Shown

# Graphs and their parts.


Literal = Union[float, int, tuple["Literal", ...]]
"""A number, or nested tuples of numbers (a tensor). Never NaN, infinite or a bool."""

Slot = Union[str, Literal, None]
"""What a slot holds: the name of a node (a wire), a constant, or None (empty)."""

Params = tuple[tuple[str, Any], ...]
"""An op's parameters as sorted (name, value) pairs."""

INPUT = "input"
"""Op of a node whose value the user sets. Params: `value`, or `shape` and `seed` for a random one; optional
`low` and `high`, the ends of its slider. With `trainable` the node is a parameter, which training updates
too; a random parameter may have an `init`, a name from `ops.initializers`."""

PARAMETER = "parameter"
"""The word for a trainable input in the formula language."""

GRAD = "grad"
"""Op whose value is the cotangent of its second slot, x, for the output in its first slot, z: a derivative
as a node. See `graph/grad_nodes.py`."""

OWN_OP = "jax_"
"""How the names of ops begin that a lab of one's own alone has; see `ops/own.py`."""

IDENTITY = "identity"
"""Op that returns its input; the rule of a wire is kept on such a node."""


@dataclass(frozen=True, slots=True, eq=False)
class Call(Exact):
    """Application of an op to terms inside a lambda.

    Attributes:
      op: name of the op.
      args: argument names, literals and calls.
      params: parameters of the op.
    """

    op: str
    args: tuple[Term, ...]
    params: Params = ()

    @property
    def identity(self) -> bytes:
        """Identity of the call: bytes that no other call has."""
        return identity(_flat((self,)))


Term = Union[str, Literal, Call]


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(Exact):
    """A closed lambda expression `lambda args: body`; `body` has one term per result."""

    args: tuple[str, ...]
    body: tuple[Term, ...]

    @property
    def identity(self) -> bytes:
        """Identity of the lambda: bytes that no other lambda has."""
        return identity((self.args, _flat(self.body)))


def names_in(terms: Iterable[Term]) -> set[str]:
    """Return the arguments that terms of a lambda read.

    Iterative, because terms may be nested deeper than Python's recursion limit.
    """
    names, waiting = set(), [*terms]
    while waiting:
        term = waiting.pop()
        if isinstance(term, Call):
            waiting += term.args
        elif isinstance(term, str):
            names.add(term)
    return names


def _flat(terms: tuple[Term, ...]) -> tuple[Any, ...]:
    """Flatten terms to prefix notation, each call with its number of arguments.

    Iterative, because terms may be nested deeper than Python's recursion limit.
    """
    flat, waiting = [], [*reversed(terms)]
    while waiting:
        term = waiting.pop()
        if isinstance(term, Call):
            flat.append((term.op, term.params, len(term.args)))
            waiting += reversed(term.args)
        else:
            flat.append(term)
    return tuple(flat)


@dataclass(frozen=True, slots=True, eq=False)
class Rule(Exact):
    """Gradient rule of a node: its part of the backward pass.

    Attributes:
      kind: a name of `graph/rule_kinds.py`, which has a record of each kind.
      function: for a kind that changes the arriving cotangent v, `function(v)` replaces v; for a kind that
        declares the pullback, `function(v, *inputs, y)` returns the cotangent that is passed along each wire
        (inputs are the wired slots in order, y is the node's value). None for other kinds.
      number: for a kind that takes a number, such as the factor of `scale`; None for other kinds.
    """

    kind: str = FOLLOW
    function: Lambda | None = None
    number: float | None = None


@dataclass(frozen=True, eq=False)
class Node(Exact):
    """One op of the graph, with its wires and its gradient rule.

    Attributes:
      name: unique in the graph.
      op: name of the op that the node applies.
      slots: for each input the name of a node (a wire), a constant, or None (empty). Under the rule
        `backward_as` the last slot, after the op's own, is the alternative.
      params: parameters of the op, as sorted (name, value) pairs; an input has its value among them.
      rule: gradient rule of the node.
      position: top-left corner on the canvas in pixels, None for automatic layout.
      muted: the node is bypassed and returns its first wired input; see `graph/mute.py`.
      cut: a segment of the graph ends at the node's output; no number depends on it. See
        `graph/cuts.py`.
    """

    name: str
    op: str
    slots: tuple[Slot, ...] = ()
    params: Params = ()
    rule: Rule = field(default_factory=Rule)
    position: tuple[float, float] | None = None
    muted: bool = False
    cut: bool = False

    @cached_property
    def content(self) -> bytes:
        """Identity of all that a number depends on: the node without its position and its cut."""
        rule: Any = self.rule
        if rule.function is None and rule.number is None:
            rule = rule.kind  # hashing a name is cheap
        return identity((self.name, self.op, self.slots, self.params, rule, self.muted))

    @cached_property
    def identity(self) -> bytes:
        """Identity of the whole node, cached because the versions of a graph share their nodes."""
        place = None if self.position is None else tuple(map(float, self.position))
        return identity((self.content, place, self.cut))

    @cached_property
    def wires(self) -> tuple[tuple[int, str], ...]:
        """(slot, name of the node that it is wired to) for every wired slot."""
        return tuple([(i, slot) for i, slot in enumerate(self.slots) if type(slot) is str])

    @property
    def op_slots(self) -> tuple[Slot, ...]:
        """Slots that the op itself reads, without the alternative of `backward_as`."""
        return self.slots[:-1] if self.rule.kind == BACKWARD_AS else self.slots

    @property
    def is_native(self) -> bool:
        """Whether its op is a function of this process, which no document can name; see `ops/native.py`."""
        return not isinstance(self.op, str)

    @property
    def is_own(self) -> bool:
        """Whether its op is a function of JAX itself, here or in a lab of one's own, where it has a name."""
        return self.is_native or self.op.startswith(OWN_OP)

    @property
    def is_parameter(self) -> bool:
        """Whether training may update the node's value."""
        return self.op == INPUT and self.param("trainable") is True

    def param(self, name: str, default: Any = None) -> Any:
        """Return the value of the op's parameter `name`, or `default` if it is not set."""
        for key, value in self.params:
            if key == name:
                return value
        return default


@dataclass(frozen=True, slots=True, eq=False)
class Region(Exact):
    """A set of nodes that runs under `jax.checkpoint`.

    A region nested in another one holds a subset of its nodes.

    Attributes:
      name: unique among regions and groups.
      nodes: names of its nodes.
      policy: a name from `POLICIES`.
      saved: names of the nodes to save, for a policy that takes names.
    """

    name: str
    nodes: frozenset[str]
    policy: str = POLICIES[0]
    saved: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Group(Exact):
    """A named set of nodes that the reader sees as one unit; the engine ignores groups.

    Attributes:
      name: unique among regions and groups.
      nodes: names of its nodes.
      branches: whether the groups directly inside it are parallel branches of the same form, in the order of
        the numbers in their names; `branches/resize.py` adds or removes one.
    """

    name: str
    nodes: frozenset[str]
    branches: bool = False


Frame = Union[Region, Group]
"""A set of nodes with a name that no other frame has. Two frames are nested or disjoint."""


_NAME, _IDENTITY = attrgetter("name"), attrgetter("identity")  # faster with `map` than a loop


@dataclass(frozen=True, eq=False)
class Graph(Shown):
    """Nodes with their output, checkpoint regions and groups.

    Equality ignores the order of nodes, regions and groups. Numbers are equal only if every bit is: 0.0 is
    not -0.0, and 1, 1.0 and True all differ.

    Attributes:
      nodes: in any order; ties in a topological order follow it.
      regions: checkpoint regions.
      output: name of the node to differentiate, None only when there are no nodes.
      groups: groups of nodes, for the reader.
    """

    nodes: tuple[Node, ...] = ()
    regions: tuple[Region, ...] = ()
    output: str | None = None
    groups: tuple[Group, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Node]:
        """Nodes by name; the first one of duplicates, which `check` reports."""
        return dict(zip(map(_NAME, reversed(self.nodes)), reversed(self.nodes), strict=True))

    @cached_property
    def identity(self) -> bytes:
        """Identity that includes the order of nodes, regions and groups.

        The order breaks ties, in a topological order for instance, so memoised results belong to one order.
        """
        nodes = tuple(map(_IDENTITY, self.nodes))
        return identity((nodes, self.regions or None, self.output, self.groups or None))

    @cached_property
    def _unordered(self) -> bytes:
        """Identity that ignores the order of nodes, regions and groups."""
        nodes = tuple(sorted(map(_IDENTITY, self.nodes)))
        return identity((nodes, frozenset(self.regions), self.output, frozenset(self.groups)))

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Regions, then groups."""
        return (*self.regions, *self.groups)

    def __getitem__(self, name: str) -> Node:
        return self.by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self.by_name

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Graph):
            return NotImplemented
        return len(self.nodes) == len(other.nodes) and self._unordered == other._unordered

    def __hash__(self) -> int:
        return hash(self._unordered)


def params(**values: Any) -> Params:
    """Build sorted params from keywords, such as `params(axis=0)`; None leaves a keyword out."""
    return tuple(sorted((key, value) for key, value in values.items() if value is not None))
