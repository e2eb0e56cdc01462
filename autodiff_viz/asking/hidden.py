"""Choose what must not be shown while questions are open: what they ask for, and what gives it away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autodiff_viz.asking.question import (
    ALL_COTANGENTS,
    ALL_VALUES,
    CAUSE,
    COTANGENT,
    COUNTS,
    PASSED,
    SHAPE,
    VALUE,
    Asking,
    Quantity,
    Question,
)
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.graph.grad_nodes import BY, OF, readers, reads_of
from autodiff_viz.graph.model import GRAD, IDENTITY, INPUT, Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import ancestors, descendants
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP

HANDS_ON = {"identity": (0,), "add": (0, 1), "sub": (0, 1), "neg": (0,)}
"""Ops, with the slots by which they pass on what arrives, as it is or with its sign turned."""

COPIES = (IDENTITY, "neg")
"""Ops whose value is the one that they read, up to its sign."""

Thing = tuple[str, str, int]
"""A number of the trace: (VALUE or COTANGENT, node, 0), or (PASSED, node, slot)."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """What must not be shown, by the keys of a trace. It holds for the pinned graph too, by the same names.

    Attributes:
      values, cotangents, tangents: names of nodes.
      passed: wires as (node, slot).
      shapes: names of nodes whose shape is asked for.
      counts: whether run counts and how much is kept must not be shown, nor what training leads to.
    """

    values: frozenset[str] = frozenset()
    cotangents: frozenset[str] = frozenset()
    passed: frozenset[Wire] = frozenset()
    tangents: frozenset[str] = frozenset()
    shapes: frozenset[str] = frozenset()
    counts: bool = False

    @property
    def places(self) -> frozenset[tuple]:
        """The numbers as places of a trace, for `conceal`; tangents are in no trace.

        A count has no place in the graph: the name of the quantity stands for all counts.
        """
        return frozenset(
            {
                *(((of,) for of in COUNTS) if self.counts else ()),
                *((VALUE, name) for name in self.values),
                *((COTANGENT, name) for name in self.cotangents),
                *((PASSED, *wire) for wire in self.passed),
            }
        )

    def __bool__(self) -> bool:
        numbers = self.values or self.cotangents or self.passed or self.tangents or self.shapes
        return bool(numbers or self.counts)


def hidden(graph: Graph, asking: Asking | None) -> Hidden:
    """Return what must not be shown of a graph.

    Questions that are revealed hide nothing, and what they ask for is shown. While one is open:

    - ALL_VALUES hides the value of each node but the inputs, whose values are given, and all below.
    - ALL_COTANGENTS hides what arrives at each node, what each wire brings, and all tangents.
    - ASKED_ALONE hides what is asked for, and what gives it away. Of what arrives at a node that is also the
      wires that bring it. Where one alone brings something, both are one number, and so are what arrives at a
      sum, a difference, a negation or an identity and what that passes on, up to its sign: all numbers that
      are one with the asked one in this way are hidden. Of a value it is those of its identities and
      negations, and of what arrives at a node the value of a grad node of the output by it. With a cotangent
      all tangents of forward mode are hidden, for the output's can be it. Of a cause it is what arrives at
      the nodes on the way to the output, and what their wires bring; not the number that it points at.

    A question whose answer no value and no gradient tells, since it is counted or its author's own, hides all
    counts besides; about a count it hides no other number by itself.

    Args:
      graph: on view; its muted nodes count as identities.
      asking: the questions; None for none.
    Returns:
      The names of what is hidden; nothing once all questions are revealed.
    """
    open_ = [each.question for each in asking.asked if not each.revealed] if asking else []
    if not open_:
        return Hidden()
    graph = played(graph)
    things = {thing for question in open_ for thing in _asked(graph, question)}
    if asking.hides == ALL_VALUES:
        things |= {(VALUE, node.name, 0) for node in graph.nodes if node.op != INPUT}
    if asking.hides in (ALL_VALUES, ALL_COTANGENTS):
        things |= {(COTANGENT, node.name, 0) for node in graph.nodes}
        things |= {(PASSED, node.name, slot) for node in graph.nodes for slot, _ in node.wires}
    shown = [each.question for each in asking.asked if each.revealed]
    things -= {_thing(about) for question in shown for about in _about(question)}
    backward = any(of != VALUE for of, _, _ in things)
    return Hidden(
        values=frozenset(name for of, name, _ in things if of == VALUE),
        cotangents=frozenset(name for of, name, _ in things if of == COTANGENT),
        passed=frozenset((name, slot) for of, name, slot in things if of == PASSED),
        tangents=frozenset(node.name for node in graph.nodes) if backward else frozenset(),
        shapes=frozenset(_producer(graph, q.about) for q in open_ if q.kind == SHAPE) - {None},
        counts=not all(q.is_of_numbers for q in open_),
    )


def _about(question: Question) -> tuple[Quantity, ...]:
    return (question.about,) if question.other is None else (question.about, question.other)


def _thing(about: Quantity) -> Thing:
    return about.of, about.node, about.slot or 0


def _producer(graph: Graph, about: Quantity) -> str | None:
    if about.of != PASSED or about.node not in graph:
        return about.node
    return dict(graph[about.node].wires).get(about.slot)


def _asked(graph: Graph, question: Question) -> Iterator[Thing]:
    """Yield what a question asks for, with what gives it away."""
    if question.kind == CAUSE:
        yield from _on_the_way(graph, question.about)
        return
    for about in _about(question):
        producer = _producer(graph, about)
        if about.node not in graph or producer is None or about.of in COUNTS:
            continue
        yield from _same_numbers(graph, _thing(about))
        if question.kind == SHAPE:  # both show it
            yield VALUE, producer, 0
            yield COTANGENT, producer, 0
        if about.of == COTANGENT:
            yield from ((PASSED, *wire) for wire in readers(graph)[about.node])


def _on_the_way(graph: Graph, about: Quantity) -> Iterator[Thing]:
    """Yield what arrives, and is passed, or is computed, between a node and the output."""
    producer = _producer(graph, about)
    if about.of == VALUE:
        yield from ((VALUE, name, 0) for name in ancestors(graph, [about.node]) if graph[name].op != INPUT)
        return
    for name in descendants(graph, [producer] if producer else []):
        if name != producer:
            yield COTANGENT, name, 0
            yield from ((PASSED, name, slot) for slot, _ in graph[name].wires)


def _same_numbers(graph: Graph, asked: Thing) -> set[Thing]:
    """Return the numbers that are one with the asked one, whatever the values are, with itself."""
    live = ancestors(graph, [graph.output], reads_of) if graph.output in graph else frozenset()
    reads = readers(graph)
    # Of the wires of a node those that pass nothing in any case add nothing to what arrives.
    open_ = {
        name: tuple(wire for wire in wires if wire[0] in live and graph[wire[0]].rule.kind != STOP)
        for name, wires in reads.items()
    }
    found, waiting = {asked}, [asked]
    while waiting:
        for thing in _beside(graph, reads, open_, waiting.pop()):
            if thing not in found:
                found.add(thing)
                waiting.append(thing)
    return found


Reads = Mapping[str, tuple[Wire, ...]]


def _beside(graph: Graph, reads: Reads, open_: Reads, thing: Thing) -> Iterator[Thing]:
    """Yield the numbers that are one with this one by one step."""
    of, name, slot = thing
    node = graph[name]
    if of == VALUE:
        yield from ((VALUE, reader, 0) for reader, at in reads[name] if graph[reader].op in COPIES and not at)
        if node.op in COPIES and isinstance(node.op_slots[0], str):
            yield VALUE, node.op_slots[0], 0
        if node.op == GRAD and node.slots[OF] == graph.output and isinstance(node.slots[BY], str):
            yield COTANGENT, node.slots[BY], 0
    elif of == COTANGENT:
        if len(open_[name]) == 1 and name != graph.output:
            yield PASSED, *open_[name][0]
        if node.rule.kind == FOLLOW:
            yield from (
                (PASSED, name, at) for at in HANDS_ON.get(node.op, ()) if isinstance(node.slots[at], str)
            )
        for each in graph.nodes:
            if each.op == GRAD and each.slots[OF] == graph.output and each.slots[BY] == name:
                yield VALUE, each.name, 0
    else:
        producer = node.slots[slot]
        if isinstance(producer, str) and open_[producer] == ((name, slot),) and producer != graph.output:
            yield COTANGENT, producer, 0
        if node.rule.kind == FOLLOW and slot in HANDS_ON.get(node.op, ()):
            yield COTANGENT, name, 0
