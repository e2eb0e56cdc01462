"""Find the connections of the last branch: its counterparts in the branch before, and its readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autodiff_viz.branches.attachment import ADD, JOINS, WEIGH, Attachment
from autodiff_viz.branches.weights import note_weights, picks_weight
from autodiff_viz.graph.model import BACKWARD_AS, INPUT, Graph, Group, Node
from autodiff_viz.graph.structure.order import consumers, descendants
from autodiff_viz.graph.text.names import natural


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
        self.found = Attachment(len(branches), own=dict.fromkeys(self.last))

    def walked(self) -> Attachment:
        """Run the search and return its result."""
        self._pair(zip(_sinks(self.graph, self.before), _sinks(self.graph, self.last), strict=False))
        self._find_carried()
        for name in sorted(self.last, key=natural):
            self._leaves(name)
        note_weights(self.graph, self.made, self.found)
        if self.found.joins or self.found.sums:
            self.found.ends.clear()  # a join or a sum exists, so no sum begins at other readers
        return self.found

    def _pair(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Record counterparts: nodes of the last two branches, and the differing nodes that these read."""
        todo = list(pairs)
        while todo:
            older, newer = todo.pop()
            a, b = self.graph[older], self.graph[newer]
            inside = newer in self.last and older in self.before
            if older == newer or self.found.own.get(newer) or not (inside or self._apart(older, newer)):
                continue
            if (a.op, len(a.slots)) == (b.op, len(b.slots)):
                self.found.own[newer] = older
                if not inside:
                    self.found.aside.add(newer)
                slots = zip(a.slots, b.slots, strict=True)
                todo += [(s, t) for s, t in slots if s in self.graph and t in self.graph]

    def _apart(self, older: str, newer: str) -> bool:
        """Return whether both are outside all branches and depend on none, such as `p[1]` and `p[2]`."""
        return older not in self.made and newer not in self.made

    def _find_carried(self) -> None:
        """Pair running sums inside branches.

        For `result_3 = result_2 + term` in branch 3, `result_3` is paired with `result_2`.
        """
        for name in self.last:
            node = self.graph[name]
            read = [slot for slot in node.slots if slot in self.before] if node.op == ADD else []
            if len(read) == 1 and self.graph[read[0]].op != ADD:  # the first branch has only a term
                self.found.carried[name] = read[0]
                self._pair((read[0], slot) for slot in node.slots if slot in self.last)
        read = {slot for name in self.last for _, slot in self.graph[name].wires if slot in self.before}
        likes = ((name, like) for name, like in self.found.own.items() if name in self.last)
        read -= {*self.found.carried.values()}
        self.found.carried |= {name: like for name, like in likes if like in read}

    def _leaves(self, name: str) -> None:
        """Follow a value of the last branch, or its weighted term, to its readers."""
        for user, slot in self.uses[name]:
            if user not in self.found.own:
                self._taken(name, self.graph[user], slot)
        if self.found.k == 1 and name == self.graph.output:
            self.found.ends[name] = None

    def _taken(self, name: str, user: Node, slot: int) -> None:
        found = self.found
        if user.op in JOINS and slot < len(user.op_slots):
            found.joins[user.name] = None
        elif name in found.carried:
            return
        elif self._adds_up(user, slot):
            found.sums[user.name] = slot
        elif like := self._like(found.own[name], user, slot):
            self._pair_glue(like, user)
            self._leaves(user.name)
        elif found.k == 1 and self._weighs(user, slot):
            self._own_weights(user, slot)
            self._leaves(user.name)
        elif found.k == 1:
            found.ends[name] = None

    def _adds_up(self, user: Node, slot: int) -> bool:
        """Return whether `user` is `result + term`, an addition to a running sum."""
        if user.op != ADD or user.rule.kind == BACKWARD_AS or len(user.slots) != 2:
            return False
        other = user.slots[1 - slot]
        if self.found.k == 1:
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

    def _pair_glue(self, like: str, user: Node) -> None:
        self.found.own[user.name] = like
        slots = zip(self.graph[like].slots, user.slots, strict=True)
        self._pair((s, t) for s, t in slots if s in self.graph and t in self.graph)

    def _weighs(self, user: Node, slot: int) -> bool:
        """Return whether `user` is the only branch times a weight that nothing else reads."""
        other = user.slots[1 - slot] if user.op == WEIGH and len(user.slots) == 2 else None
        if not isinstance(other, str) or other in self.made or len(self.uses[other]) > 1:
            return False
        return self.graph[other].op == INPUT or picks_weight(self.graph, self.graph[other], self.found)

    def _own_weights(self, user: Node, slot: int) -> None:
        other = str(user.slots[1 - slot])
        self.found.own |= {user.name: None, other: None}
        self.found.aside.add(other)


def _sinks(graph: Graph, names: Iterable[str]) -> list[str]:
    """Return the nodes of `names` that no other one of them reads, in an order that pairs counterparts."""
    read = {slot for name in names for _, slot in graph[name].wires}
    ends = [name for name in names if name not in read]
    return sorted(ends, key=lambda name: (graph[name].op, natural(name)))
