"""Compare values and cotangents of two graphs; find the first wire where their cotangents differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from autodiff_viz.engine.explain.comparison.alignment import (
    Numbers,
    both_in_order,
    numbers_beside,
    passed_through,
    slots_through,
)
from autodiff_viz.engine.explain.comparison.difference_said import sentence
from autodiff_viz.engine.explain.comparison.same_numbers import Two, same_numbers
from autodiff_viz.engine.live_path.arrays import FLOAT32, FLOAT64
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace, known_trace, trace
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text.names import listed_names, quoted

WORDS = {"value": "values", "cotangent": "cotangents", "gradient": "gradients", "passed": "passed"}

Pair = tuple[np.ndarray | None, np.ndarray | None]
"""(in A, in B); None where a graph has no such node or wire."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Two graphs, A and B, node by node. A pair is (in A, in B), None where one of them has no such node.

    Attributes:
      equal_values: whether the output has the same value in both.
      equal_gradients: whether the inputs that both have get the same gradients.
      values, cotangents, gradients: pairs by node name; gradients are those of the inputs, in graphs without
        inputs what arrives at the nodes that read no other.
      passed: pairs by (node, slot): what that wire passes back.
      first_wire: (node, slot) of the first wire, in the order of the backward sweep, at which the two sweeps
        differ; None if they never do.
      sentence: all of it in words.
      changed_nodes: the nodes that are not the same in both graphs, or that only one of them has.
      apart: the keys of values, cotangents, gradients and passed whose pairs differ, by those names.
    """

    equal_values: bool
    equal_gradients: bool
    values: Mapping[str, Pair]
    cotangents: Mapping[str, Pair]
    gradients: Mapping[str, Pair]
    passed: Mapping[Wire, Pair]
    first_wire: Wire | None
    sentence: str
    changed_nodes: tuple[str, ...]
    apart: Mapping[str, frozenset[Any]]

    def __repr__(self) -> str:
        return f"<Comparison: {self.sentence}>"


def compare(a: Trace | Graph, b: Trace | Graph) -> Comparison:
    """Compare two graphs with the same output: their values, and what their backward sweeps pass.

    Nodes are compared by their names. A stop on a wire is a node that the other graph may not have; what the
    wire passes in the other graph is compared with it.

    Two numbers are equal if they are up to rounding, since a sum may be added up in another order: within 16
    units in the last place, or if their difference is all but gone in float64, where it was small or what a
    cancellation had left over. NaN equals NaN. A number that is finite, or that underflows, in only one of
    the two is not equal.

    Args:
      a, b: traces; a graph is traced with its own inputs and a seed of ones.
    Returns:
      The comparison; traces of different precision are compared in float32.
    Raises:
      GraphError: neither a trace nor a graph is given, or they share no output or no inputs.
    """
    a, b = (trace(each) if isinstance(each, Graph) else known_trace(each) for each in (a, b))
    if a.dtype != b.dtype:
        a, b = (trace(each.graph, each.inputs, each.seed, dtype=FLOAT32) for each in (a, b))
    _refuse_strangers(a, b)
    return _Twins(a, b).comparison


def _refuse_strangers(a: Trace, b: Trace) -> None:
    """Raise if two traces have nothing to compare."""
    if a.output is None or a.output != b.output:
        ends = [quoted(each.output) if each.output else "none" for each in (a, b)]
        message = f"The output of A is {ends[0]}, that of B is {ends[1]}: there is nothing to compare."
        raise GraphError(Problem("no-shared-output", message, "Give both the same output, by its name."))
    if (a.inputs or b.inputs) and not {*a.inputs} & {*b.inputs}:
        inputs = [listed_names([*each.inputs]) or "none" for each in (a, b)]
        message = f"No input is in both: A has {inputs[0]}, B has {inputs[1]}."
        raise GraphError(Problem("no-shared-inputs", message, "Name an input of one as in the other."))


class _Twins:
    """Two traces while they are compared."""

    def __init__(self, a: Trace, b: Trace):
        self.a, self.b = a, b
        self.sides = _sides(a, b)
        self.through = passed_through(a.graph, b.graph) | passed_through(b.graph, a.graph)

    @cached_property
    def exact(self) -> tuple[Numbers, Numbers]:
        """The numbers of both in float64."""
        return _sides(*(trace(e.graph, e.inputs, e.seed, dtype=FLOAT64) for e in (self.a, self.b)))

    @cached_property
    def largest(self) -> float:
        """The largest finite number of both."""
        arrays = [array for side in self.sides for kind in side for array in kind.values()]
        return max((float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) for x in arrays), default=0.0)

    @cached_property
    def comparison(self) -> Comparison:
        apart = {kind: self._apart(kind) for kind in Numbers._fields}
        pairs = {kind: self._pairs(kind) for kind in Numbers._fields}
        shared = {name for name, pair in pairs["gradient"].items() if None not in map(_shape, pair)}
        first = self._first_wire(apart)
        return Comparison(
            equal_values=self.a.output not in apart["value"],
            equal_gradients=not apart["gradient"] & shared,
            values=pairs["value"],
            cotangents=pairs["cotangent"],
            gradients=pairs["gradient"],
            passed=pairs["passed"],
            first_wire=first,
            sentence=sentence(self.a, self.b, pairs, apart, first, self.order, self.through),
            changed_nodes=self._changed(),
            apart={WORDS[kind]: keys for kind, keys in apart.items()},
        )

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The names of all nodes, in topological order."""
        return both_in_order(self.a.graph, self.b.graph)

    def _pairs(self, kind: str) -> dict[Any, Pair]:
        one, other = (getattr(side, kind) for side in self.sides)
        keys = {**one, **other}
        if kind == "passed":
            return {key: (one.get(key), other.get(key)) for key in keys}
        return {name: (one.get(name), other.get(name)) for name in self.order if name in keys}

    def _apart(self, kind: str) -> frozenset[Any]:
        """Return the keys of numbers that both have and that differ, and of those that only one has."""
        pairs = self._pairs(kind)
        both = [key for key, (one, other) in pairs.items() if one is not None and other is not None]

        def exact() -> list[Two]:
            one, other = (getattr(side, kind) for side in self.exact)
            return [(one[key], other[key]) for key in both]

        same = self._same([pairs[key] for key in both], exact)
        equal = {key for key, is_same in zip(both, same, strict=True) if is_same}
        return frozenset(pairs.keys() - equal)

    def _same(self, pairs: Sequence[Two], exact: Callable[[], Sequence[Two]]) -> list[bool]:
        largest = self.largest if self.a.dtype == FLOAT64 else 0.0
        return same_numbers(pairs, self.a.dtype, exact, largest)

    def _first_wire(self, apart: Mapping[str, Set[Any]]) -> Wire | None:
        """Return the first wire at which the sweeps differ, in the order of the backward sweep."""
        for name in reversed(self.order):
            if found := min(self._parting(name, apart), default=None):
                return found
        return None

    def _parting(self, name: str, apart: Mapping[str, Set[Any]]) -> Iterator[Wire]:
        """Yield the wires of a node down which the two sweeps pass something else.

        Where the node's wires go elsewhere, the sums for each node are compared. A wire of a node that only
        one graph has counts if what arrives at its other end differs.
        """
        ends = [self._ends(side, name) for side in (0, 1)]
        if name in self.through or ends[0] == ends[1]:
            wires = ends[0] if ends[0] is not None else {0: ""}
            yield from ((name, slot) for slot in wires if (name, slot) in apart["passed"])
        elif None in ends:
            wires = ends[0] if ends[1] is None else ends[1]
            for slot, end in wires.items():
                if end in apart["cotangent"] and _is_some(self._pairs_of((name, slot))):
                    yield name, slot
        else:
            yield from self._parting_sums(name, ends)

    def _ends(self, side: int, name: str) -> dict[int, str | None] | None:
        """Return where each wire of a node leads: a node that both graphs have, else None."""
        graph, other = (self.a.graph, self.b.graph) if side == 0 else (self.b.graph, self.a.graph)
        if name not in graph:
            return None
        slots = slots_through(graph[name], self.through)
        return {i: slots[i] if slots[i] in other else None for i, _ in graph[name].wires}

    def _pairs_of(self, wire: Wire) -> Pair:
        return tuple(side.passed.get(wire) for side in self.sides)

    def _parting_sums(self, name: str, ends: list[dict[int, str | None]]) -> Iterator[Wire]:
        """Yield the first wire to each node for which the node's contributions add up to something else."""
        slots: dict[str, list[int]] = defaultdict(list)
        for side in ends:
            for slot, end in side.items():
                if end is not None:
                    slots[end].append(slot)
        for end, found in slots.items():

            def exact(end: str = end) -> list[Two]:
                return [_sums(self.exact, name, ends, end)]

            if self._same([_sums(self.sides, name, ends, end)], exact) == [False]:
                yield name, min(found)

    def _changed(self) -> tuple[str, ...]:
        """Return the nodes that differ, in topological order."""
        return tuple(
            name for name in self.order if self._content(self.a, name) != self._content(self.b, name)
        )

    def _content(self, side: Trace, name: str) -> Any:
        """Return all of a node that its numbers follow from; None if the graph has no such node."""
        if name not in side.graph:
            return None
        node = side.graph[name]
        held = side.inputs[name].tobytes() if node.op == INPUT else node.params
        return node.op, slots_through(node, self.through), held, node.rule


def _sides(a: Trace, b: Trace) -> tuple[Numbers, Numbers]:
    return numbers_beside(a, b.graph), numbers_beside(b, a.graph)


def _sums(sides: tuple[Numbers, Numbers], name: str, ends: list[dict[int, str | None]], end: str) -> Two:
    """Return what a node passes to one other node in each graph, down all its wires to it."""
    return tuple(
        sum(
            (side.passed[name, slot] for slot, at in wires.items() if at == end),
            np.zeros_like(side.value[end]),
        )
        for side, wires in zip(sides, ends, strict=True)
    )


def _shape(array: np.ndarray | None) -> tuple[int, ...] | None:
    return None if array is None else array.shape


def _is_some(pair: Pair) -> bool:
    return any(array is not None and bool(np.any(array)) for array in pair)
