"""Find the connections between the last branch of a group and the rest of the graph, and record them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autodiff_viz.branches.extrapolate import picks_first, resized
from autodiff_viz.graph.model import INPUT, Graph, Group, Node, Slot
from autodiff_viz.graph.order import ancestors, consumers, descendants
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import BACKWARD_AS
from autodiff_viz.graph.text import listed_names, natural, quoted, shape_of

STACK = "stack"
JOINS = (STACK, "concatenate")
"""Ops that take any number of inputs, one or more from each branch."""

ADD, WEIGH, PICK = "add", "mul", "getitem"


@dataclass
class Attachment:
    """The last branch of a group with its counterparts, and all nodes that depend on the number of branches.

    Attributes:
      k: number of branches.
      own: nodes that are added and removed with the last branch, each with its counterpart in the branch
        before (None for the first branch): the nodes of the branch, its weighted term, and the picks of
        weights that it alone reads.
      aside: those of `own` that no branch computes, such as `p[2]`.
      joins: nodes with slots for each branch.
      sums: by the `add` that takes the last term of a running sum, the slot of that term.
      ends: values of an only branch that nothing joins yet: a running sum may begin there.
      carried: values of the last branch that are computed from their counterparts in the branch before, by
        name.
      picks: nodes of an only branch that read entry 0 of a tensor with one entry per branch.
      counts: nodes with a shape that counts branches, and the axis.
      weights: inputs with one number per branch, and the axis of these.
    """

    k: int
    own: dict[str, str | None] = field(default_factory=dict)
    aside: set[str] = field(default_factory=set)
    joins: dict[str, None] = field(default_factory=dict)
    sums: dict[str, int] = field(default_factory=dict)
    ends: dict[str, None] = field(default_factory=dict)
    carried: dict[str, str] = field(default_factory=dict)
    picks: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    weights: dict[str, int] = field(default_factory=dict)


def recounted(node: Node, attached: Attachment, moved: Mapping[str, Slot], by: int) -> Node:
    """Update a node outside the last branch after a branch was added (`by` is 1) or removed (-1).

    A shape or tensor that counts branches is resized by `by`; wires from the names in `moved` are replaced.
    """
    axis = attached.counts.get(node.name, attached.weights.get(node.name))
    if axis is not None:
        return replace(node, params=resized(node.params, axis, by))
    if any(name in moved for _, name in node.wires):
        slots = tuple(moved.get(slot, slot) if isinstance(slot, str) else slot for slot in node.slots)
        return replace(node, slots=slots)
    return node


# Tensors with one entry per branch: weights, picks of their entries, shapes that count branches.


REDUCE = ("sum", "mean", "max", "min", "prod", "norm")
SHAPERS = ("reshape", "broadcast_to", "transpose", "expand_dims", "getitem", "concatenate", "stack")


def picks_weight(graph: Graph, node: Node, attached: Attachment) -> bool:
    """Return whether `node` is `p[0]` of an input `p` with one number, or of a node computed from one."""
    if node.op != PICK or not picks_first(node.params):
        return False
    return any(_axes(graph[name], attached.k) for name in ancestors(graph, [node.name]) - attached.own.keys())


def note_weights(graph: Graph, made: frozenset[str], attached: Attachment) -> None:
    """Add to `attached` the weights that branches meet; `made` holds all nodes that depend on a branch."""
    for name, like in attached.own.items():
        node = graph[name]
        outside = [source for _, source in node.wires if source not in attached.own]
        if node.op != PICK or not outside:
            continue
        if like is None and picks_weight(graph, node, attached):
            attached.picks.add(name)
            _note_input(graph, made, attached, outside)
        elif like is not None and graph[like].params != node.params:
            _note_input(graph, made, attached, outside)
    for join in attached.joins:
        _meet(graph, made, attached, join)


def _meet(graph: Graph, made: frozenset[str], attached: Attachment, join: str) -> None:
    """Follow a join to where it meets other values, such as weights, or is reduced.

    Raises:
      GraphError: code "picked-branch", when a node picks one branch by its number; code "ambiguous-count".
    """
    uses = consumers(graph)
    first = graph[join].op == STACK and graph[join].param("axis", 0) == 0
    todo = [(user, first) for user, _ in uses[join]]
    while todo:
        name, first = todo.pop()
        node = graph[name]
        picks = node.op == PICK and join in node.slots
        if picks and any(type(i) is int for i in node.param("index", (0,))):
            message = f"{quoted(name)} picks one branch of {quoted(join)} by its number."
            raise GraphError(Problem("picked-branch", message, "Take all of them, or none.", name))
        _count(node, attached, first)
        others = [source for _, source in node.wires if source not in made]
        _note_input(graph, made, attached, others)
        if not others and len(node.wires) == 1 and node.op not in REDUCE:
            first = first and (name in attached.counts or node.op not in SHAPERS)
            todo += [(user, first) for user, _ in uses[name]]


def _note_input(graph: Graph, made: frozenset[str], attached: Attachment, sources: Iterable[str]) -> None:
    """Add to `attached` the input with one number per branch that `sources` depend on, if there is one.

    Raises:
      GraphError: there are several, or one has as many numbers along several axes.
    """
    above = ancestors(graph, sources) - made
    inputs = [name for name in sorted(above) if _axes(graph[name], attached.k)]
    if len(inputs) > 1:
        message = f"{listed_names(inputs)} have one number per branch each, and meet."
        raise _ambiguous(message, "Give the one that is no weight another shape.", inputs[0])
    for name in inputs:
        axes = _axes(graph[name], attached.k)
        if len(axes) > 1:
            message = (
                f"{quoted(name)} has {attached.k} numbers along several axes; which one counts branches?"
            )
            raise _ambiguous(message, "Give the weights one axis.", name)
        attached.weights[name] = axes[0]
        for between in above & descendants(graph, [name]):
            _count(graph[between], attached, attached.k > 1)


def _axes(node: Node, k: int) -> list[int]:
    """Return the axes of an input that may count the branches.

    With one branch, only an input of shape (1,) counts it.
    """
    if node.op != INPUT:
        return []
    value = node.param("value")
    shape = node.param("shape", ()) if value is None else shape_of(value)
    if k == 1 and tuple(shape) != (1,):
        return []
    return [axis for axis, length in enumerate(shape) if length == k]


def _count(node: Node, attached: Attachment, first: bool) -> None:
    """Add to `attached` a shape that counts branches; a shape with -1 adapts by itself.

    `first`: branches are along the first axis, and stay there where its length stays the same.
    """
    shape = node.param("shape") if node.op != INPUT else None
    if not isinstance(shape, tuple):
        return
    if first and shape[:1] == (attached.k,):
        attached.counts[node.name] = 0
        return
    places = [] if -1 in shape else [i for i, length in enumerate(shape) if length == attached.k]
    if len(places) > 1:
        message = (
            f"The shape of {quoted(node.name)} has {attached.k} in several places; which one counts branches?"
        )
        raise _ambiguous(message, "Write -1 for that one.", node.name)
    if places:
        attached.counts[node.name] = places[0]


def _ambiguous(message: str, hint: str, node: str) -> GraphError:
    return GraphError(Problem("ambiguous-count", message, hint, node=node))


# The search: counterparts of the last branch in the branch before, and its readers.


def attachment(graph: Graph, branches: Sequence[Group]) -> Attachment:
    """Find the connections between the last of `branches` and the rest of the graph.

    Args:
      graph: has no cycle.
      branches: all branches of one group, first to last.
    Raises:
      GraphError: it is ambiguous which number counts the branches.
    """
    return _Walk(graph, branches).walked()


class _Walk:
    """State of the search, which `walked` runs."""

    def __init__(self, graph: Graph, branches: Sequence[Group]):
        self.graph, self.last = graph, branches[-1].nodes
        self.before = branches[-2].nodes if len(branches) > 1 else frozenset()
        self.uses = consumers(graph)
        everything = frozenset().union(*(branch.nodes for branch in branches))
        self.made = descendants(graph, everything)  # depends on any branch
        self.made_before = descendants(graph, everything - self.last) - self.last
        self.attached = Attachment(len(branches), own=dict.fromkeys(self.last))

    def walked(self) -> Attachment:
        """Run the search and return its result."""
        self._pair(zip(_sinks(self.graph, self.before), _sinks(self.graph, self.last), strict=False))
        self._find_carried()
        for name in sorted(self.last, key=natural):
            self._leaves(name)
        note_weights(self.graph, self.made, self.attached)
        if self.attached.joins or self.attached.sums:
            self.attached.ends.clear()  # a join or a sum exists, so no sum begins at other readers
        return self.attached

    def _pair(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Record counterparts: nodes of the last two branches, and the differing nodes that these read."""
        todo = list(pairs)
        while todo:
            older, newer = todo.pop()
            a, b = self.graph[older], self.graph[newer]
            inside = newer in self.last and older in self.before
            apart = older not in self.made and newer not in self.made  # such as `p[1]` and `p[2]`
            if older == newer or self.attached.own.get(newer) or not (inside or apart):
                continue
            if (a.op, len(a.slots)) == (b.op, len(b.slots)):
                self.attached.own[newer] = older
                if not inside:
                    self.attached.aside.add(newer)
                slots = zip(a.slots, b.slots, strict=True)
                todo += [(s, t) for s, t in slots if s in self.graph and t in self.graph]

    def _find_carried(self) -> None:
        """Pair running sums inside branches.

        For `result_3 = result_2 + term` in branch 3, `result_3` is paired with `result_2`.
        """
        for name in self.last:
            node = self.graph[name]
            read = [slot for slot in node.slots if slot in self.before] if node.op == ADD else []
            if len(read) == 1 and self.graph[read[0]].op != ADD:  # the first branch has only a term
                self.attached.carried[name] = read[0]
                self._pair((read[0], slot) for slot in node.slots if slot in self.last)
        read = {slot for name in self.last for _, slot in self.graph[name].wires if slot in self.before}
        likes = ((name, like) for name, like in self.attached.own.items() if name in self.last)
        read -= {*self.attached.carried.values()}
        self.attached.carried |= {name: like for name, like in likes if like in read}

    def _leaves(self, name: str) -> None:
        """Follow a value of the last branch, or its weighted term, to its readers."""
        for user, slot in self.uses[name]:
            if user not in self.attached.own:
                self._taken(name, self.graph[user], slot)
        if self.attached.k == 1 and name == self.graph.output:
            self.attached.ends[name] = None

    def _taken(self, name: str, user: Node, slot: int) -> None:
        attached = self.attached
        if user.op in JOINS and slot < len(user.op_slots):
            attached.joins[user.name] = None
        elif name in attached.carried:
            return  # its readers are wired to the copy's value
        elif self._adds_up(user, slot):
            attached.sums[user.name] = slot
        elif like := self._like(attached.own[name], user, slot):
            attached.own[user.name] = like
            slots = zip(self.graph[like].slots, user.slots, strict=True)
            self._pair((s, t) for s, t in slots if s in self.graph and t in self.graph)
            self._leaves(user.name)
        elif attached.k == 1 and self._weighs(user, slot):
            weight = str(user.slots[1 - slot])
            attached.own |= {user.name: None, weight: None}
            attached.aside.add(weight)
            self._leaves(user.name)
        elif attached.k == 1:
            attached.ends[name] = None

    def _adds_up(self, user: Node, slot: int) -> bool:
        """Return whether `user` is `result + term`, an addition to a running sum."""
        if user.op != ADD or user.rule.kind == BACKWARD_AS or len(user.slots) != 2:
            return False
        other = user.slots[1 - slot]
        if self.attached.k == 1:
            return other is not None and other not in self.made
        return other in self.made_before and other != user.slots[slot]

    def _like(self, older: str | None, user: Node, slot: int) -> str | None:
        """Return the node that reads `older` as `user` reads its counterpart in the last branch."""
        for name, place in self.uses.get(older, ()) if older else ():
            node = self.graph[name]
            same = (node.op, place, len(node.slots)) == (user.op, slot, len(user.slots))
            if same and name != user.name and name not in self.before | self.last:
                return name
        return None

    def _weighs(self, user: Node, slot: int) -> bool:
        """Return whether `user` is the only branch times a weight that nothing else reads."""
        other = user.slots[1 - slot] if user.op == WEIGH and len(user.slots) == 2 else None
        if not isinstance(other, str) or other in self.made or len(self.uses[other]) > 1:
            return False
        return self.graph[other].op == INPUT or picks_weight(self.graph, self.graph[other], self.attached)


def _sinks(graph: Graph, names: Iterable[str]) -> list[str]:
    """Return the nodes of `names` that no other one of them reads, in an order that pairs counterparts."""
    read = {slot for name in names for _, slot in graph[name].wires}
    ends = [name for name in names if name not in read]
    return sorted(ends, key=lambda name: (graph[name].op, natural(name)))
