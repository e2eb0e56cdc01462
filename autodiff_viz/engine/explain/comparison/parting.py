"""Find the first wire at which two backward sweeps differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.engine.explain.comparison.alignment import Numbers, Through, slots_through
from autodiff_viz.engine.explain.comparison.same_numbers import Two
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.structure.order import ancestors

Sides = tuple[Numbers, Numbers]
Ends = dict[int, str | None]
"""By slot of a wire, the node that it leads to; None for one that the other graph does not have."""


@dataclass(frozen=True, slots=True)
class Sweeps:
    """Two backward sweeps while they are compared.

    Attributes:
      graphs, sides: A and B, and their numbers.
      order: the names of all nodes, in topological order.
      through: by identity that only one graph has, the node before it.
      apart: by kind of number, the keys of those that differ.
      same: returns of each pair that a function chooses from both sides whether it is equal up to rounding.
    """

    graphs: tuple[Graph, Graph]
    sides: Sides
    order: Sequence[str]
    through: Through
    apart: Mapping[str, Set[Any]]
    same: Callable[[Callable[[Sides], list[Two]]], list[bool]]

    def first_wire(self) -> Wire | None:
        """Return the first wire, in the order of the backward sweep, at which the two differ."""
        for name in reversed(self.order):
            if slots := [*self._parting(name)]:
                return name, min(slots)
        return None

    def _parting(self, name: str) -> Iterator[int]:
        """Yield the slots of a node whose wires pass something else in the two sweeps.

        Where one node has more wires than the other, such as an alternative, or where they go to the same
        nodes, the numbers of each wire are compared: 0 of a wire that is missing. Where the wires go
        elsewhere, as in x * y and y * x, the sums for each node are. A wire of a node that only one graph has
        counts if what arrives at its other end differs.
        """
        ends = [self._ends(side, name) for side in (0, 1)]
        if name in self.through:
            if (name, 0) in self.apart["passed"]:
                yield 0
        elif None in ends:
            for slot, end in (ends[0] if ends[1] is None else ends[1]).items():
                if end in self.apart["cotangent"] and self._passes_something((name, slot)):
                    yield slot
        elif self._has_same_slots(name, ends):
            yield from self._apart_at(name, ends, [*ends[0], *ends[1]])
        else:
            yield from self._apart_in_sums(name, ends)

    def _ends(self, side: int, name: str) -> Ends | None:
        """Return where each wire of a node leads."""
        graph, other = self.graphs[side], self.graphs[1 - side]
        if name not in graph:
            return None
        slots = slots_through(graph[name], self.through)
        return {i: slots[i] if slots[i] in other else None for i, _ in graph[name].wires}

    def _passes_something(self, wire: Wire) -> bool:
        return any(wire in side.passed and side.passed[wire].any() for side in self.sides)

    def _has_same_slots(self, name: str, ends: Sequence[Ends]) -> bool:
        one, other = ends
        both = one.keys() & other.keys()
        is_more = self.graphs[0][name].op == self.graphs[1][name].op
        return all(one[slot] == other[slot] for slot in both) and (one.keys() == other.keys() or is_more)

    def _apart_at(self, name: str, ends: Sequence[Ends], slots: Sequence[int]) -> Iterator[int]:
        """Yield the slots whose wires pass other numbers, or a number in one graph alone."""
        for slot in slots:
            if all(slot in side for side in ends):
                if (name, slot) in self.apart["passed"]:
                    yield slot
                continue
            [same] = self.same(lambda sides, slot=slot: [_or_zeros(sides, (name, slot))])
            if not same and self._matters(name, slot):
                yield slot

    def _matters(self, name: str, slot: int) -> bool:
        """Return whether a wire that only one graph has leads to a node that gets something else there.

        One that ends in a constant in the other graph may lead to nodes that only its own graph has.
        """
        graph, other = self.graphs if (name, slot) in self.sides[0].passed else self.graphs[::-1]
        before = ancestors(graph, [graph[name].slots[slot]])
        return any(each in other and each in self.apart["cotangent"] for each in before)

    def _apart_in_sums(self, name: str, ends: Sequence[Ends]) -> Iterator[int]:
        """Yield, for each node whose contributions add up to something else, the first wire that differs."""
        for end in {end: None for side in ends for end in side.values() if end is not None}:
            slots = sorted({slot for side in ends for slot, at in side.items() if at == end})
            if self.same(lambda sides, end=end, slots=slots: [_sums(sides, name, ends, end, slots)])[0]:
                continue
            each = self.same(
                lambda sides, end=end, slots=slots: [_sums(sides, name, ends, end, [s]) for s in slots]
            )
            # Of wires that are each equal up to rounding the sums may not be, in 16 bits.
            yield next((slot for slot, same in zip(slots, each, strict=True) if not same), slots[0])


def _or_zeros(sides: Sides, wire: Wire) -> Two:
    """Return what a wire passes in both graphs, 0 where there is no such wire."""
    like = next(side.passed[wire] for side in sides if wire in side.passed)
    return tuple(side.passed.get(wire, np.zeros_like(like)) for side in sides)


def _sums(sides: Sides, name: str, ends: Sequence[Ends], end: str, slots: Sequence[int]) -> Two:
    """Return what a node passes to one other node in each graph, down its wires in these slots."""
    return tuple(
        sum(
            (side.passed[name, slot] for slot, at in wires.items() if at == end and slot in slots),
            np.zeros_like(side.value[end]),
        )
        for side, wires in zip(sides, ends, strict=True)
    )
