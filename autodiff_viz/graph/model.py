"""The graph as frozen data. Nothing here computes and nothing here mutates.

A node applies one op; a wire carries a node's output into one slot of another node. A wire is not an
object of its own: slot `i` of a node holds the name of the node it is wired to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, Union

from autodiff_viz.graph.identity import Exact, identity
from autodiff_viz.graph.policies import POLICIES as POLICIES
from autodiff_viz.graph.rule_kinds import BACKWARD_AS as BACKWARD_AS
from autodiff_viz.graph.rule_kinds import FOLLOW as FOLLOW
from autodiff_viz.graph.rule_kinds import PULLBACK as PULLBACK
from autodiff_viz.graph.rule_kinds import REWRITE as REWRITE
from autodiff_viz.graph.rule_kinds import RULE_KINDS as RULE_KINDS
from autodiff_viz.graph.rule_kinds import STOP as STOP

Literal = Union[float, int, tuple["Literal", ...]]
"""A number, or nested tuples of numbers (a tensor). Never NaN, infinite or a bool."""

Slot = Union[str, Literal, None]
"""What a slot holds: the name of a node (a wire), a constant, or None (empty)."""

Params = tuple[tuple[str, Any], ...]
"""An op's parameters as sorted (name, value) pairs."""

INPUT = "input"
"""Op of a node whose value the user sets. Params: `value`, or `shape` and `seed` for a random one;
optional `low` and `high`, the ends of its slider. With `trainable`, it is a parameter, which training sets
too; a random one may then have an `init`, from `ops.initializers`."""

PARAMETER = "parameter"
"""How the language writes a trainable input."""

IDENTITY = "identity"
"""Op that returns its input; a rule put on a wire lives on such a node."""


@dataclass(frozen=True, slots=True, eq=False)
class Call(Exact):
    """An op applied to terms, inside a lambda. Terms: argument names, literals, calls."""

    op: str
    args: tuple[Term, ...]
    params: Params = ()

    @property
    def identity(self) -> bytes:
        return identity(_flat((self,)))


Term = Union[str, Literal, Call]


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(Exact):
    """`lambda args: body` over its own arguments alone; `body` has one term per result."""

    args: tuple[str, ...]
    body: tuple[Term, ...]

    @property
    def identity(self) -> bytes:
        """Short bytes that no other lambda has."""
        return identity((self.args, _flat(self.body)))


def _flat(terms: tuple[Term, ...]) -> tuple[Any, ...]:
    """The terms in prefix notation, each call with the number of its arguments: they may be nested deeper
    than Python calls itself."""
    found, waiting = [], [*reversed(terms)]
    while waiting:
        term = waiting.pop()
        if isinstance(term, Call):
            found.append((term.op, term.params, len(term.args)))
            waiting += reversed(term.args)
        else:
            found.append(term)
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Rule(Exact):
    """What a node does to the gradient.

    Attributes:
      kind: a name of `graph/rule_kinds.py`, which has a record of each.
      function: of a kind that changes what arrives, `function(v)` stands for the arriving cotangent v; of one
        that declares the pullback, `function(v, *inputs, y)` gives what is passed down each wire (inputs are
        the wired slots in order, y the node's value).
      number: of a kind that takes one, such as the factor of `scale`.
    """

    kind: str = FOLLOW
    function: Lambda | None = None
    number: float | None = None


@dataclass(frozen=True, eq=False)
class Node(Exact):
    """One op in the graph.

    Attributes:
      name, op: of the node, and of what it computes.
      slots: what each input is: the name of a node (a wire), a constant, or None (empty). Under the rule
        `backward_as` the last slot is the alternative, after the op's own.
      params: of the op, as sorted (name, value) pairs; of an input, its value among them.
      rule: what it does to the gradient.
      position: the top-left corner on the canvas in pixels, None for automatic layout.
      muted: it hands on its first wired input instead; `graph/mute.py` says what then runs.
      cut: a segment of the graph ends at the node's output; `graph/segments.py` says which. No number
        depends on it.
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
        """The identity of all that a number follows from: of the node without its place, its cut."""
        rule: Any = self.rule
        if rule.function is None and rule.number is None:
            rule = rule.kind  # a name is told in no time
        return identity((self.name, self.op, self.slots, self.params, rule, self.muted))

    @cached_property
    def identity(self) -> bytes:
        """Of the whole node; worked out once, since the versions of a graph share their nodes."""
        place = None if self.position is None else tuple(map(float, self.position))
        return identity((self.content, place, self.cut))

    @cached_property
    def wires(self) -> tuple[tuple[int, str], ...]:
        """(slot, name of the node it is wired to) for every wired slot."""
        return tuple([(i, slot) for i, slot in enumerate(self.slots) if type(slot) is str])

    @property
    def op_slots(self) -> tuple[Slot, ...]:
        """The slots that the op itself reads, without `backward_as`'s alternative."""
        return self.slots[:-1] if self.rule.kind == BACKWARD_AS else self.slots

    @property
    def is_parameter(self) -> bool:
        """Whether training may change its value."""
        return self.op == INPUT and self.param("trainable") is True

    def param(self, name: str, default: Any = None) -> Any:
        for key, value in self.params:
            if key == name:
                return value
        return default


@dataclass(frozen=True, slots=True, eq=False)
class Region(Exact):
    """Nodes that run under `jax.checkpoint`. A region inside another one holds a subset of its nodes.

    `policy` is a name from `POLICIES`; `saved` are the node names that a policy takes which takes names.
    """

    name: str
    nodes: frozenset[str]
    policy: str = POLICIES[0]
    saved: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Group(Exact):
    """Nodes that belong together for the reader. No number depends on it: the engine knows no groups.

    With `branches`, the groups that lie right inside it are like ones beside each other, in the order of the
    numbers in their names; `graph/branches.py` makes one more of them, or one less.
    """

    name: str
    nodes: frozenset[str]
    branches: bool = False


Frame = Union[Region, Group]
"""What holds nodes. Frames have a name of their own each, and one lies inside another or beside it."""


_NAME, _IDENTITY = attrgetter("name"), attrgetter("identity")  # of many nodes, faster than a loop


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes, checkpoint regions, the name of the output node (None only when there are no nodes), groups.

    The order of nodes, regions and groups means nothing: graphs that differ in it alone are equal. Numbers
    are equal when every bit is: 0.0 is not -0.0, nor 1 or True.
    """

    nodes: tuple[Node, ...] = ()
    regions: tuple[Region, ...] = ()
    output: str | None = None
    groups: tuple[Group, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Node]:
        """Nodes by name; of duplicates, which `check` reports, the first."""
        return dict(zip(map(_NAME, reversed(self.nodes)), reversed(self.nodes), strict=True))

    @cached_property
    def identity(self) -> bytes:
        """The identity with the order of nodes, regions and groups, which decides ties where it means
        nothing: what is remembered of a graph is remembered of this order."""
        nodes = tuple(map(_IDENTITY, self.nodes))
        return identity((nodes, self.regions or None, self.output, self.groups or None))

    @cached_property
    def _unordered(self) -> bytes:
        nodes = tuple(sorted(map(_IDENTITY, self.nodes)))
        return identity((nodes, frozenset(self.regions), self.output, frozenset(self.groups)))

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Regions and groups."""
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
    """Params from keywords: `params(axis=0)`; what is None is left out."""
    return tuple(sorted((key, value) for key, value in values.items() if value is not None))
