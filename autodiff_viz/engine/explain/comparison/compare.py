"""Compare values and cotangents of two graphs; find the first wire where their cotangents differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from autodiff_viz.engine.explain.comparison.alignment import (
    Numbers,
    both_in_order,
    numbers_of,
    passed_through,
    slots_through,
    with_identities_of,
)
from autodiff_viz.engine.explain.comparison.difference_said import statement
from autodiff_viz.engine.explain.comparison.parting import Sides, Sweeps
from autodiff_viz.engine.explain.comparison.rounding_beside import rounding_beside
from autodiff_viz.engine.explain.comparison.same_numbers import Two, same_numbers
from autodiff_viz.engine.live_path.arrays import FLOAT32, FLOAT64
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.sentence import Claim
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
      claims: what the sentence claims, so that it can be tested.
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
    claims: tuple[Claim, ...]
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
    cancellation had left over; in float64, if an error analysis of both programs explains it. NaN equals NaN.
    A number that is finite, or that underflows, in only one of the two is not equal, nor in float64 what
    rounding leaves of a cancellation and only one of the two stops.

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
    def exact(self) -> Sides:
        """The numbers of both in float64."""
        return _sides(*(trace(e.graph, e.inputs, e.seed, dtype=FLOAT64) for e in (self.a, self.b)))

    @cached_property
    def errors(self) -> Sides:
        """How far rounding may move each number of both, in float64, from that of the other."""
        own = numbers_of(self.a), numbers_of(self.b)
        one, other = self.sides
        found = rounding_beside(self.a, own[0], other), rounding_beside(self.b, own[1], one)
        return _beside(self.a, self.b, found)

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
        graphs = self.a.graph, self.b.graph
        first = Sweeps(graphs, self.sides, self.order, self.through, apart, self._same).first_wire()
        says = statement(self.a, self.b, pairs, apart, first, self.order, self.through)
        return Comparison(
            equal_values=self.a.output not in apart["value"],
            equal_gradients=not apart["gradient"] & shared,
            values=pairs["value"],
            cotangents=pairs["cotangent"],
            gradients=pairs["gradient"],
            passed=pairs["passed"],
            first_wire=first,
            sentence=says.text,
            claims=says.claims,
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

        def chosen(sides: Sides) -> list[Two]:
            one, other = (getattr(side, kind) for side in sides)
            return [(one[key], other[key]) for key in both]

        same = self._same(chosen)
        equal = {key for key, is_same in zip(both, same, strict=True) if is_same}
        return frozenset(pairs.keys() - equal)

    def _same(self, chosen: Callable[[Sides], list[Two]]) -> list[bool]:
        """Return whether each of the pairs that `chosen` returns of two sides is equal up to rounding."""
        return same_numbers(
            chosen(self.sides),
            self.a.dtype,
            exact=lambda: chosen(self.exact),
            errors=lambda: chosen(self.errors),
            largest=self.largest if self.a.dtype == FLOAT64 else 0.0,
        )

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


def _sides(a: Trace, b: Trace) -> Sides:
    return _beside(a, b, (numbers_of(a), numbers_of(b)))


def _beside(a: Trace, b: Trace, own: Sides) -> Sides:
    """Return the numbers of both, with those of identities that only the other graph has."""
    return with_identities_of(own[0], a.graph, b.graph), with_identities_of(own[1], b.graph, a.graph)


def _shape(array: np.ndarray | None) -> tuple[int, ...] | None:
    return None if array is None else array.shape
