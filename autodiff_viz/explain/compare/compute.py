"""Compare values and cotangents of two graphs; find the first wire where their cotangents differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.engine.sentence import GRADIENT, PASSED, VALUE, Claim, Statement, joined
from autodiff_viz.engine.tolerance import ROOM, equal_within, gaps, norm
from autodiff_viz.engine.trace import Trace, known_trace, trace, with_output
from autodiff_viz.engine.verify import rounding_errors, without_regions
from autodiff_viz.graph.dtypes import FLOAT32, FLOAT64
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.model import IDENTITY, INPUT, Graph, Node, Slot
from autodiff_viz.graph.order import ancestors, consumers, order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import listed_names, quoted, scalar

WORDS = {"value": "values", "cotangent": "cotangents", "gradient": "gradients", "passed": "passed"}

Pair = tuple[np.ndarray | None, np.ndarray | None]
"""(in A, in B); None where a graph has no such node or wire."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
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
    if a.output != b.output:
        ends = [quoted(each.output) if each.output else "none" for each in (a, b)]
        message = f"The output of A is {ends[0]}, that of B is {ends[1]}: there is nothing to compare."
        raise GraphError(Problem("no-shared-output", message, "Give both the same output, by its name."))
    a, b = with_output(a), with_output(b)
    if (a.inputs or b.inputs) and not {*a.inputs} & {*b.inputs}:
        inputs = [listed_names([*each.inputs]) or "none" for each in (a, b)]
        message = f"No input is in both: A has {inputs[0]}, B has {inputs[1]}."
        raise GraphError(Problem("no-shared-inputs", message, "Name an input of one as in the other."))
    return _Twins(a, b).comparison


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
        errors = rounding_beside(self.a, own[0], other), rounding_beside(self.b, own[1], one)
        return _beside(self.a, self.b, errors)

    @cached_property
    def largest(self) -> float:
        """The largest finite number of both."""
        arrays = [array for side in self.sides for kind in side for array in kind.values()]
        return max((float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) for x in arrays), default=0.0)

    @cached_property
    def comparison(self) -> Comparison:
        apart = {kind: self._apart(kind) for kind in Numbers._fields}
        pairs = {kind: self._pairs(kind) for kind in Numbers._fields}
        shared = {name for name, pair in pairs["gradient"].items() if in_both(pair)}
        graphs = self.a.graph, self.b.graph
        first = Sweeps(graphs, self.sides, self.order, self.through, apart, self._same).first_wire()
        words = statement(self.a, self.b, pairs, apart, first, self.order)
        return Comparison(
            equal_values=self.a.output not in apart["value"],
            equal_gradients=not apart["gradient"] & shared,
            values=pairs["value"],
            cotangents=pairs["cotangent"],
            gradients=pairs["gradient"],
            passed=pairs["passed"],
            first_wire=first,
            sentence=words.text,
            claims=words.claims,
            changed_nodes=tuple(
                n for n in self.order if self._content(self.a, n) != self._content(self.b, n)
            ),
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

    def _content(self, side: Trace, name: str) -> Any:
        """Return all of a node that its numbers follow from; None if the graph has no such node."""
        if name not in side.graph:
            return None
        node = side.graph[name]
        held = side.inputs[name].tobytes() if node.op == INPUT else node.params
        return node.op, slots_through(node, self.through), held, node.rule


def in_both(pair: Pair) -> bool:
    """Return whether both graphs have such numbers."""
    return pair[0] is not None and pair[1] is not None


def _sides(a: Trace, b: Trace) -> Sides:
    return _beside(a, b, (numbers_of(a), numbers_of(b)))


def _beside(a: Trace, b: Trace, own: Sides) -> Sides:
    """Return the numbers of both, with those of identities that only the other graph has."""
    return with_identities_of(own[0], a.graph, b.graph), with_identities_of(own[1], b.graph, a.graph)


# Two traces side by side, also where only one graph has an identity on a wire


Through = Mapping[str, str]
"""By the name of an identity that only one graph has, the node that the other graph reads in its place."""


class Numbers(NamedTuple):
    """Numbers of one side: those of its trace, and of identities that only the other graph has."""

    value: dict[str, np.ndarray]
    cotangent: dict[str, np.ndarray]
    passed: dict[Wire, np.ndarray]
    gradient: dict[str, np.ndarray]


def numbers_of(found: Trace) -> Numbers:
    """Return the numbers of a trace."""
    cotangent = dict(found.cotangent)
    return Numbers(
        dict(found.value), cotangent, dict(found.passed), gradient_of(found, found.gradient, cotangent)
    )


def gradient_of(found: Trace, gradient: Mapping[str, Any], cotangent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the gradients of the inputs; without any input, what arrives at the nodes that read none."""
    return dict(gradient) or {n.name: cotangent[n.name] for n in found.graph.nodes if not n.wires}


def with_identities_of(own: Numbers, graph: Graph, other: Graph) -> Numbers:
    """Return the numbers of a graph, with those of identities that only `other` has.

    The rule of a wire is kept on such an identity. In its place this graph hands the same number on without a
    node: the value of the node before it, and the sum of what its readers pass back.
    """
    own = Numbers(*map(dict, own))  # copies
    uses = consumers(other)
    for name, source in passed_through(other, graph).items():  # readers come first
        own.value[name] = own.value[source]
        part = np.asarray(sum(own.passed[wire] for wire in uses[name]))
        own.cotangent[name] = own.passed[name, 0] = part
    return own


def passed_through(graph: Graph, other: Graph) -> Through:
    """Return the identities that only `graph` has and in whose place `other` reads the node before them.

    Readers come before what they read.
    """
    identities: dict[str, str] = {}
    uses = consumers(graph)
    for node in reversed(order(graph)):
        if node.name in other or node.op != IDENTITY or not node.wires:
            continue
        source = _source(graph, other, node)
        readers = uses[node.name]
        # Each of its readers reads in `other` the node before it, or is such an identity too.
        if (
            source
            and readers
            and all(_reads(other, wire, source) or wire[0] in identities for wire in readers)
        ):
            identities[node.name] = source
    return identities


def _source(graph: Graph, other: Graph, node: Node) -> str | None:
    """Return the first node before a chain of identities that both graphs have; None without one."""
    while node.name not in other:
        if node.op != IDENTITY or not node.wires:
            return None
        node = graph[node.wires[0][1]]
    return node.name


def _reads(graph: Graph, wire: Wire, source: str) -> bool:
    """Return whether a graph has this wire, and it comes from the node `source`."""
    name, slot = wire
    return name in graph and slot < len(graph[name].slots) and graph[name].slots[slot] == source


def slots_through(node: Node, through: Through) -> tuple[Slot, ...]:
    """Return the node's slots, with the nodes before the identities that only its graph has."""
    return tuple(through.get(slot, slot) if isinstance(slot, str) else slot for slot in node.slots)


def both_in_order(a: Graph, b: Graph) -> tuple[str, ...]:
    """Return the names of all nodes of both graphs in an order that is topological for both."""
    merged = {
        name: Node(name, "", (*(a[name].slots if name in a else ()), *(b[name].slots if name in b else ())))
        for name in [*(n.name for n in order(b)), *(n.name for n in order(a))]
    }
    return tuple(node.name for node in order(Graph(tuple(merged.values()))))


# Equality up to rounding, since two programs may add in another order


LEFT = 1e-4  # of a difference may be left in float64; of rounding a millionth of that is left
SMALL = 1e-3  # of a number may be rounding; more is an underflow, or a step taken in one program only
LARGE = 1e-6  # share of the largest number of the pass, of which no gap in float64 is put down to rounding

Two = tuple[np.ndarray, np.ndarray]


def same_numbers(
    pairs: Sequence[Two],
    dtype: str,
    exact: Callable[[], Sequence[Two]],
    errors: Callable[[], Sequence[Two]],
    largest: float,
) -> list[bool]:
    """Return for each pair of arrays whether they are equal up to rounding.

    NaN equals NaN, and an infinity an infinity of its sign. Numbers are equal within 16 units in the last
    place, or 2 of a number of 16 bits. A larger difference is rounding if it is all but gone in float64, and
    is small beside the number, or the number is gone there too: it was what a cancellation had left over.
    In float64, which has nothing finer beside it, a larger difference is rounding if the error analysis of
    the two programs explains it.

    Args:
      exact: returns the same pairs in float64; called only if it matters.
      errors: returns how far rounding may move each number in float64; called only if it matters, since it
        takes as long as the check of the whole program.
      largest: the largest number of the pass in float64.
    """
    equal = [one.shape == other.shape for one, other in pairs]
    unsure = [i for i, (one, other) in enumerate(pairs) if equal[i] and one.tobytes() != other.tobytes()]
    if not unsure:
        return equal
    pair = _joined(pairs, unsure)
    if dtype == FLOAT64:
        apart = _apart_in_float64(pair, lambda: _joined(errors(), unsure), largest)
    else:
        apart = _apart(pair, dtype, lambda: _joined(exact(), unsure))
    starts = np.cumsum([0, *(pairs[i][0].size for i in unsure[:-1])])
    for i, differs in zip(unsure, np.logical_or.reduceat(apart, starts), strict=True):
        equal[i] = not differs
    return equal


def _joined(pairs: Sequence[Two], chosen: Sequence[int]) -> Two:
    """Return the numbers of all chosen pairs in a row: far quicker than one pair after the other."""
    one, other = (np.concatenate([np.ravel(pairs[i][side]) for i in chosen]) for side in (0, 1))
    return one.astype(np.float64), other.astype(np.float64)


def _apart(pair: Two, dtype: str, exact: Callable[[], Two]) -> np.ndarray:
    """Return where two arrays of fewer digits than float64 differ by more than rounding."""
    gap = gaps(*pair)
    wide = ~(gap <= equal_within(dtype) * sizes(pair))  # "not less" is true of NaN too
    if not (wide & np.isfinite(gap)).any():
        return wide
    in_float64 = exact()
    left, true = gaps(*in_float64), sizes(in_float64)
    # The gap is all but gone in float64, and was small beside the number, or the number is gone as well.
    explained = np.isfinite(gap) & (left <= LEFT * gap) & ((gap <= SMALL * true) | (true <= LEFT * gap))
    return wide & ~explained


def _apart_in_float64(pair: Two, errors: Callable[[], Two], largest: float) -> np.ndarray:
    """Return where two arrays of float64 differ by more than rounding."""
    gap = gaps(*pair)
    last = equal_within(FLOAT64) * sizes(pair)
    wide = ~(gap <= last)
    unsure = wide & (gap <= LARGE * largest)
    if not unsure.any():
        return wide
    one, other = errors()
    return wide & ~(unsure & (gap <= last + ROOM * (one + other)))


def sizes(pair: Two) -> np.ndarray:
    """Return the larger of the two sizes of each number."""
    return np.fmax(*(np.where(np.isfinite(each), np.abs(each), 0.0) for each in pair))


# The first wire at which two backward sweeps differ


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


# How far rounding may move each number


def rounding_beside(found: Trace, own: Numbers, other: Numbers) -> Numbers:
    """Return how far rounding may move each number of a trace from that of another trace."""

    def gap(kind: str) -> dict[Any, np.ndarray]:
        pairs = ((key, array, getattr(other, kind).get(key)) for key, array in getattr(own, kind).items())
        return {key: gaps(one, two) for key, one, two in pairs if two is not None and one.shape == two.shape}

    wires = {**gap("passed"), **{(name, ARRIVING): each for name, each in gap("cotangent").items()}}
    value, gradient, by_wire = rounding_errors(without_regions(found), (gap("value"), gap("gradient"), wires))
    cotangent = {name: by_wire[name, ARRIVING] for name in found.value}
    passed = {wire: by_wire[wire] for wire in found.passed}
    errors = Numbers(value, cotangent, passed, gradient_of(found, gradient, cotangent))
    for each, numbers in zip(errors, own, strict=True):
        each.update({key: np.broadcast_to(error, numbers[key].shape) for key, error in each.items()})
    return errors


# The difference in words


WRITTEN = 4  # elements of a tensor that is written out
DIGITS = 4, 7, 10, 17  # of a number; more where two numbers look equal with fewer
FEW = 3  # names that are written out
PARTS = "the backward sweeps part "

SAME_VALUE, SAME_GRADIENT, OTHER_GRADIENT = "same value", "same gradient", "other gradient"
"""Kinds of claims: what of these nodes is equal up to rounding in both, or is not."""
PART, LEAD, SEED = "part", "lead", "seed"
"""Kinds of claims: the first wire at which the sweeps differ; where it leads in A and in B, None where it has
no node at its other end; the seeds of A and B."""

DOT = Statement(".")

Pairs = Mapping[str, Mapping[Any, tuple[np.ndarray | None, np.ndarray | None]]]


def statement(
    a: Trace,
    b: Trace,
    pairs: Pairs,
    apart: Mapping[str, Set[Any]],
    first: Wire | None,
    order: Sequence[str],
) -> Statement:
    """Return whether values and gradients are equal, and where they part.

    Its numbers are those of A and of B.

    Args:
      pairs, apart: by kind of number, all pairs, and the keys of those that differ.
      first: the first wire at which the backward sweeps differ.
      order: all nodes, in topological order.
    """
    shared = [name for name, pair in pairs["gradient"].items() if in_both(pair)]
    differing = [name for name in shared if name in apart["gradient"]]
    where = _where(a, b, pairs, first)
    equal = tuple(name for name in shared if name not in differing)
    if a.output in apart["value"]:
        alike = Statement("" if differing else "the gradients are equal", (Claim(SAME_GRADIENT, equal),))
        values = pairs["value"]
        part = next(name for name in order if name in apart["value"] and in_both(values[name]))
        one, other = describe_both(values[part])
        text = f"Different values: they part at {quoted(part)}, which is {one} in A and {other} in B"
        parting = Statement(text, (Claim(VALUE, (part,), values[part]),))
        return joined("", [joined("; ", [parting, where or alike]), DOT])
    alike = (Claim(SAME_VALUE, (a.output,)), Claim(SAME_GRADIENT, equal))
    if differing:
        others = listed_names(equal) if len(equal) <= FEW else f"{len(equal)} others"
        whose = f" of {listed_names(differing)} (equal for {others})" if equal else ""
        head = f"Equal values, different gradients{whose}: "
        claims = (*alike, Claim(OTHER_GRADIENT, tuple(differing)))
        if not where:  # no wire differs, so it is the rule of an input
            pair = pairs["gradient"][differing[0]]
            one, other = describe_both(pair)
            rule = f"{PARTS}at the rule of {quoted(differing[0])}"
            text = f"{rule}, whose gradient is {one} in A and {other} in B"
            where = Statement(text, (Claim(GRADIENT, (differing[0],), pair),))
        seeds = Statement()
        if not same(a.seed, b.seed):
            one, other = describe_both((a.seed, b.seed))
            text = f" The seed is {one} in A and {other} in B."
            seeds = Statement(text, (Claim(SEED, (), (a.seed, b.seed)),))
        return joined("", [Statement(head, claims), where, DOT, seeds])
    numbers = [pairs["value"][a.output], *(pairs["gradient"][name] for name in shared)]
    same_bits = all(one.tobytes() == other.tobytes() for one, other in numbers)
    rounding = "" if same_bits else ", up to rounding"
    head = f"Equal in both{rounding}: the value of {quoted(a.output)} and every gradient."
    meet = [Statement(" On the way "), where, Statement(", and meet again.")] if where else []
    regions = ""
    if set(a.graph.regions) != set(b.graph.regions):
        regions = " A checkpoint changes no number: only what is kept and what runs again."
    return joined("", [Statement(head, alike), *meet, Statement(regions)])


def _where(a: Trace, b: Trace, pairs: Pairs, first: Wire | None) -> Statement:
    """Return the wire at which the backward sweeps part, with what it passes; nothing if there is none."""
    if first is None:
        return Statement()
    name, _ = first
    ends = tuple(wire_end(each.graph, first) for each in (a, b))
    wires, passed = passed_together((a.graph, b.graph), pairs["passed"], first)
    one, other = describe_both(passed)
    to_a, to_b = (f" to {quoted(end)}" if end else "" for end in ends)
    again = to_b if to_a and to_b != to_a else ""  # named twice only where it leads elsewhere
    text = f"{PARTS}at {quoted(name)}, which passes {one}{to_a or to_b} in A and {other}{again} in B"
    return Statement(text, (Claim(PART, (first,)), Claim(PASSED, wires, passed), Claim(LEAD, ends)))


def passed_together(
    graphs: tuple[Graph, Graph], passed: Mapping[Wire, Pair], wire: Wire
) -> tuple[tuple[Wire, ...], Pair]:
    """Return what a node passes in each graph to the node at the end of a wire, by all its wires there.

    A wire that leads into a stop counts for the stop, not for the node before it.

    Args:
      passed: pairs by wire.
    Returns:
      The wires, and their sums; the wire alone where the sums are equal in both, as of x * y and y * x.
    """
    name, ends = wire[0], [wire_end(graph, wire) for graph in graphs]
    together: dict[Wire, None] = {wire: None}
    sums: list[np.ndarray | None] = []
    for side, graph in enumerate(graphs):
        end = ends[side] or ends[1 - side]
        wires = graph[name].wires if name in graph else ()
        found = [(name, slot) for slot, to in wires if to == end]
        parts = [part for each in found or [wire] if (part := passed[each][side]) is not None]
        together |= dict.fromkeys(found)
        sums.append(np.asarray(sum(parts)) if parts else None)
    one, other = sums
    if one is not None and other is not None and np.array_equal(one, other, equal_nan=True):
        return (wire,), passed[wire]
    return tuple(together), (one, other)


def wire_end(graph: Graph, wire: Wire) -> str | None:
    """Return the node that a wire passes to; None where the graph has no such wire."""
    name, slot = wire
    return dict(graph[name].wires).get(slot) if name in graph else None


def describe_both(pair: Sequence[np.ndarray | None]) -> list[str]:
    """Return two different arrays as texts, with so many digits that the texts differ too."""
    texts = [[describe_tensor(array, digits) for array in pair] for digits in DIGITS]
    return next((each for each in texts if each[0] != each[1]), texts[0])


def describe_tensor(array: np.ndarray | None, digits: int = DIGITS[0]) -> str:
    """Return numbers as text; a tensor that is too large as its norm, a missing one as "nothing"."""
    if array is None:
        return "nothing"
    if array.size == 1:
        return scalar(array.item(), digits)
    if array.size <= WRITTEN and array.ndim == 1:
        return f"[{', '.join(scalar(number, digits) for number in array.tolist())}]"
    return f"\u2016{scalar(norm(array), digits)}\u2016" if array.any() else "0"
