"""Find the numbers that a question is about, and those around them of which mistakes are made.

All numbers are computed when a mistake asks for them: a trace has most of them, a twin trace, such as one
without a stop, the others. For a question about a graph of 15 numbers all of them take some 10 ms, the time
of a few traces. In a graph beyond `NODES` or `ELEMENTS` no twin is traced, and no path or slope asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.asking.answers import MOST
from autodiff_viz.asking.question import COTANGENT, COUNTS, KEPT, PASSED, QUANTITIES, RUNS, VALUE, Quantity
from autodiff_viz.asking.rounding import leftover
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.op_derivative import at_corner, own_contributions
from autodiff_viz.engine.trace import Trace, trace, with_output
from autodiff_viz.explain.paths.compute import LinearPullback, Path, paths, pulled_alone
from autodiff_viz.graph.dtypes import FLOAT64
from autodiff_viz.graph.frames import runs_are_many
from autodiff_viz.graph.grad_nodes import OF, readers, reads_of
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node, Rule, params
from autodiff_viz.graph.order import ancestors, order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, STOP
from autodiff_viz.graph.text import as_literal, listed, listed_names, quoted
from autodiff_viz.ops.catalog import OPS

NODES = 60  # of a graph; in a larger one only mistakes that the trace itself has are tried
ELEMENTS = 5_000  # of all its values, likewise
PATHS = 20  # paths that are looked at
TWINS = 8  # graphs without one of the stops or rules

Found = Iterator[tuple[Any, Wire | None, Mapping[str, Any]]]
"""Arrays that a mistake gives, the wire that it points to, and what its sentence names."""

MEANS = {"mean": True, "sum": False, "mean_squared_error": True}
"""Ops that divide a sum by how many it adds, and one that does not."""


class Case:
    """A number, or a tensor, that is asked for, with what surrounds it in the trace.

    Attributes:
      found, asked: the trace and the quantity.
      pinned, letter: the trace that it is compared with, or None, and its letter, "A" or "B".
      producer: the node whose value, cotangent or contribution it is.
      computed: the whole array of which the asked numbers are elements, in float64.
      full: the same, with 0 where terms cancel and rounding alone is left.
      numbers: the asked numbers of it.
    """

    def __init__(self, found: Trace, asked: Quantity, pinned: Trace | None = None, letter: str = "A"):
        self.found, self.asked, self.pinned, self.letter = found, asked, pinned, letter
        self.producer = producer_of(found, asked)
        self.computed = array_of(found, asked).astype(np.float64)
        self.full = np.where(leftover(found, asked), 0.0, self.computed)
        self.numbers = self.picked(self.full)
        assert self.numbers is not None

    def picked(self, array: Any) -> tuple[float, ...] | None:
        """Return the asked numbers of an array of this shape or of one number; None for other shapes."""
        array = np.asarray(array, np.float64)
        if array.size == 1 and array.shape != self.full.shape:
            array = np.broadcast_to(array.reshape(()), self.full.shape)
        if array.shape != self.full.shape:
            return None
        chosen = array if self.asked.element is None else array[self.asked.element]
        return tuple(float(number) for number in np.ravel(chosen))

    # What surrounds it

    @cached_property
    def within_limits(self) -> bool:
        """Whether the graph is small enough for twins and paths."""
        values = self.found.value
        return len(values) <= NODES and sum(prod(value.shape) for value in values.values()) <= ELEMENTS

    @cached_property
    def wires(self) -> tuple[Wire, ...]:
        """The wires that bring something to the producer: all that read it, or the one that is asked for."""
        if self.asked.of == PASSED:
            return ((self.asked.node, self.asked.slot),)
        live = ancestors(self.found.graph, [self.found.output], reads_of)
        return tuple(wire for wire in readers(self.found.graph)[self.producer] if wire[0] in live)

    @cached_property
    def parts(self) -> dict[Wire, np.ndarray]:
        """What each of these wires brings."""
        return {wire: self.found.passed[wire].astype(np.float64) for wire in self.wires}

    @cached_property
    def closed(self) -> tuple[Wire, ...]:
        """Those of these wires that bring nothing, whatever the numbers are."""
        return tuple(wire for wire in self.wires if self.found.passed.is_symbolic_zero(wire))

    @cached_property
    def between(self) -> tuple[Node, ...]:
        """The nodes on the way from the producer, or the wire, to the output; without the producer."""
        graph = self.found.graph
        leading, reached = ancestors(graph, [graph.output], reads_of), {name for name, _ in self.wires}
        for node in order(graph):
            reached |= {node.name} if any(read in reached for read in reads_of(node)) else set()
        return tuple(node for node in order(graph) if node.name in leading & reached)

    @cached_property
    def way(self) -> tuple[Wire, ...]:
        """The wires between these nodes, nearest first."""
        names = {node.name for node in self.between}
        return tuple(
            (node.name, slot)
            for node in self.between
            for slot, producer in node.wires
            if producer in names and (node.op != GRAD or slot != OF)
        )

    @cached_property
    def alone(self) -> Mapping[str, LinearPullback]:
        """By node of the way, its pullback as a function of what arrives."""
        return pulled_alone(self.found, [node.name for node in self.between])

    def slope(self, wire: Wire, arriving: np.ndarray | None = None) -> np.ndarray | None:
        """Return what a wire would bring of an arriving 1: the node's own slope, with a linear rule.

        Args:
          wire: of the way.
          arriving: what arrives in place of a 1 everywhere.
        """
        name, slot = wire
        one = self.alone[name]
        ones = np.ones(self.found.value[name].shape) if arriving is None else arriving
        if one.by_share:
            return own_contributions(self.found, name, ones.astype(self.found.dtype)).get(slot)
        return one.pull(ones).get(slot)

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The paths by which something arrives, if they are few."""
        if self.asked.of != COTANGENT or not self.within_limits:
            return ()
        read = [self.found.graph[name].slots[slot] for name, slot in (*self.wires, *self.way)]
        if len({*read}) == len(read):
            return ()  # nothing is read twice, so there is one path
        found = paths(self.found, self.producer, PATHS)
        return found.paths if found.exact and found.count == len(found.paths) else ()

    def walked(self, change: Callable[[str, int, np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        """Return what would arrive if wires passed something else back.

        Args:
          change: of a node, a slot, what arrives and what is passed, what is passed instead.
        """
        found, names = self.found, {node.name for node in self.between}
        arriving: dict[str, np.ndarray] = {found.output: found.seed.astype(np.float64)}
        total = np.zeros(self.full.shape)
        if self.asked.of == COTANGENT and self.producer == found.output:
            total = total + arriving[found.output]
        for node in reversed(self.between):
            if node.name not in arriving:
                continue
            one, came = self.alone[node.name], arriving[node.name]
            passed = {slot: each for slot, each in one.pull(came).items() if each is not None}
            for slot, producer in node.wires:
                if slot not in passed and slot not in one.added:
                    continue
                part = passed.get(slot, 0.0) + one.added.get(slot, 0.0)
                part = change(node.name, slot, came, np.asarray(part))
                if (node.name, slot) in self.wires:
                    total = total + part
                elif producer in names:
                    arriving[producer] = arriving.get(producer, 0.0) + part
        return total

    # Twins

    def again(self, graph: Graph, dtype: str = "") -> np.ndarray | None:
        """Return the array of the same quantity in another graph; None where it cannot run or has no such."""
        try:
            other = trace(graph, self.found.inputs, self.found.seed, dtype=dtype or self.found.dtype)
            array = array_of(other, self.asked).astype(np.float64)
            return np.where(leftover(other, self.asked), 0.0, array)
        except GraphError:
            return None

    @cached_property
    def stops(self) -> tuple[str, ...]:
        """The nodes with a stop that the producer leads to, nearest first."""
        return tuple(name for name in self._ruled if self.found.graph[name].rule.kind == STOP)

    @cached_property
    def rules(self) -> tuple[str, ...]:
        """The nodes with another rule that the producer leads to, nearest first."""
        return tuple(name for name in self._ruled if self.found.graph[name].rule.kind != STOP)

    @cached_property
    def _ruled(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.between if node.rule.kind != FOLLOW)

    def without(self, names: Iterable[str]) -> np.ndarray | None:
        """Return what the asked array would be if these nodes followed JAX."""
        return self.again(following(self.found.graph, names))

    @cached_property
    def corners(self) -> tuple[Wire, ...]:
        """The wires of the way, and into it, at which an op has no single slope."""
        return tuple(
            (name, slot)
            for name, slot in (*self.wires, *self.way)
            if slot < len(self.found.graph[name].op_slots)
            and (OPS[self.found.graph[name].op].elementwise)
            and np.any(at_corner(self.found, name, slot))
        )

    def side(self, wire: Wire, step: float) -> np.ndarray | None:
        """Return the slope of an op a little beside the value of a slot."""
        name, slot = wire
        node = self.found.graph[name]
        held = [self.found.value[each] if isinstance(each, str) else each for each in node.op_slots]
        held[slot] = np.asarray(held[slot]) + step * max(1.0, float(np.abs(held[slot]).max(initial=0.0)))
        names = [f"slot_{i}" for i in range(len(held))]
        inputs = [
            Node(each, INPUT, (), params(value=as_literal(np.asarray(array, float).tolist())))
            for each, array in zip(names, held, strict=True)
        ]
        one = Node("op", node.op, tuple(names), node.params)
        try:
            return trace(Graph((*inputs, one), (), "op"), dtype=self.found.dtype).passed["op", slot]
        except GraphError:
            return None

    def true_slopes(self) -> np.ndarray | None:
        """Return central differences in float64 of <seed, output> by the producer's value; None for others.

        Rules, stops and conventions at corners are not in them: only values are used.
        """
        if self.asked.of != COTANGENT or self.full.size > MOST:
            return None
        graph, name = self.found.graph, self.producer
        value = self.found.value[name].astype(np.float64)
        if not np.isfinite(value).all():
            return None
        inputs = {each: array for each, array in self.found.inputs.items() if each != name}
        given = replace(graph[name], op=INPUT, slots=(), params=params(value=0.0), rule=Rule())
        nodes = tuple(given if node.name == name else node for node in graph.nodes)
        graph = following(replace(graph, nodes=nodes, regions=()), [node.name for node in nodes])

        def height(at: np.ndarray) -> float:
            other = trace(graph, {**inputs, name: at}, self.found.seed, dtype=FLOAT64)
            return float(np.sum(other.value[graph.output] * self.found.seed.astype(np.float64)))

        slopes = np.zeros(value.shape)
        for place in np.ndindex(value.shape):
            step = 1e-6 * max(1.0, abs(float(value[place])))
            up, down = value.copy(), value.copy()
            up[place] += step
            down[place] -= step
            try:
                ends = height(up), height(down)
            except GraphError:
                return None
            rise = ends[0] - ends[1]
            lost = abs(rise) <= 1e-14 * max(map(abs, ends))  # rounding alone
            slopes[place] = 0.0 if lost else rise / (2 * step)
        return slopes


def following(graph: Graph, names: Iterable[str]) -> Graph:
    """Return the graph in which these nodes have no rule."""
    chosen = set(names)
    nodes = tuple(
        replace(node, rule=Rule(), slots=node.op_slots if node.rule.kind == BACKWARD_AS else node.slots)
        if node.name in chosen and node.rule.kind != FOLLOW
        else node
        for node in graph.nodes
    )
    return replace(graph, nodes=nodes)


# What a question is about


def producer_of(found: Trace, asked: Quantity) -> str:
    """Return the node whose value, cotangent or contribution is asked for.

    Raises:
      GraphError: the trace has no output, or no such node or wire.
    """
    graph = with_output(found).graph
    if asked.of not in QUANTITIES:
        message = f"A question is about {listed([*QUANTITIES], last='or')}; found {quoted(asked.of)}."
        raise GraphError(Problem("bad-question", message))
    if not isinstance(asked.node, str) or asked.node not in graph:
        message = f"The question is about {quoted(asked.node)}, which is no node of the graph."
        raise GraphError(Problem("unknown-node", message, f"It has {listed_names([*found.value])}."))
    if asked.of != PASSED:
        return asked.node
    wires = dict(graph[asked.node].wires)
    if asked.slot not in wires:
        message = f"The question is about a wire into slot {quoted(asked.slot)} of {quoted(asked.node)}."
        raise GraphError(Problem("unknown-wire", message, f"Wired slots: {listed([*map(str, wires)])}."))
    return wires[asked.slot]


def array_of(found: Trace, asked: Quantity) -> np.ndarray:
    """Return the array that a question is about, of which it may ask for one element; a count as a number.

    Raises:
      GraphError: there is no such node, wire or element, or what is asked for cannot be counted.
    """
    producer_of(found, asked)
    if asked.of in COUNTS and runs_are_many(found.graph):
        message = "So many nested checkpoint regions are not counted for a question."
        raise GraphError(Problem("not-counted", message, "Ask for another number."))
    if asked.of == KEPT:
        array = np.asarray(float(sum(residual.elements for residual in found.residuals)))
    elif asked.of == RUNS:
        array = np.asarray(float(found.runs[asked.node].forward + found.runs[asked.node].backward))
    elif asked.of == PASSED:
        array = found.passed[asked.node, asked.slot]
    else:
        array = (found.value if asked.of == VALUE else found.cotangent)[asked.node]
    element = asked.element
    if element is not None and not (
        len(element) == array.ndim
        and all(type(i) is int and 0 <= i < n for i, n in zip(element, array.shape, strict=True))
    ):
        message = f"The question is about element {list(element)} of an array of shape {list(array.shape)}."
        raise GraphError(Problem("bad-element", message, "Give one index for each axis."))
    return array
