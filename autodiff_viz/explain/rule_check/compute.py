"""Compare the derivative that a node declares with the true one and a float64 central difference.

A declared derivative that is not the true one is no mistake: a straight-through estimator differs on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autodiff_viz.engine.arguments import numbers
from autodiff_viz.engine.finite_differences import NEARER, beyond, breaks, central, sides_along
from autodiff_viz.engine.live_path.tangents import BLOCKED, LIVE_TANGENTS
from autodiff_viz.engine.sentence import VALUE, Claim, Statement, joined
from autodiff_viz.engine.tolerance import gaps
from autodiff_viz.engine.trace import Trace, trace, with_output
from autodiff_viz.explain.forward.compute import jvp
from autodiff_viz.explain.sweep.compute import Sweep, sweep, without_rules
from autodiff_viz.graph.dtypes import FLOAT64
from autodiff_viz.graph.grad_nodes import reads_of, runs_again
from autodiff_viz.graph.model import GRAD, IDENTITY, INPUT, Graph, Node, Rule, params
from autodiff_viz.graph.order import ancestors, descendants
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import ARRIVING, FOLLOW, KINDS, PULLBACK
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import listed, quoted, scalar
from autodiff_viz.ops.catalog import OPS

POSITIONS = 101  # of a sweep; ops are compiled per number of positions
TOLERANCE = 1e-6  # share of the largest slope that a central difference may be off
WIDE = 5.0  # a sweep goes at least so far from 0


@dataclass(frozen=True, eq=False, slots=True)
class Along:
    """The derivatives of a node by one node that it reads, in float64.

    Of a tensor, those by its element `index`, where declared and true differ most at present.

    Attributes:
      by: the node that is moved; the node itself, of an input.
      index: of the element; () of a number.
      here: its present value, one of `positions`.
      positions: the values of the sweep.
      declared: what the node passes, per position.
      true: JAX's derivative without the rule.
      difference: central differences; no derivative at a corner, NaN where rounding or the length of
        their step decides what they are.
      corner: where the slopes below and above differ, so that there is no single derivative.
      outside: where the node has no finite value, as a logarithm below 0: nothing is compared there, whatever
        JAX passes.
      adjoint: for the whole node, or tensor, at the present numbers.
      sides: the slopes below and above the present value, which is left out where the value jumps there.
      error: how far rounding and the step's length may move each central difference.
    """

    by: str
    index: tuple[int, ...]
    here: float
    positions: np.ndarray
    declared: np.ndarray
    true: np.ndarray
    difference: np.ndarray
    corner: np.ndarray
    outside: np.ndarray
    adjoint: Adjoint
    sides: tuple[float, float] = field(repr=False)
    error: np.ndarray = field(repr=False)

    @property
    def at_here(self) -> int:
        """The index of the present value in `positions`."""
        return int(np.argmin(np.abs(self.positions - self.here)))

    @property
    def apart(self) -> np.ndarray:
        """|declared - true| per position; 0 where rounding explains it."""
        apart = gaps(self.declared, self.true)
        # Where the true one is near 0, rounding is a share of what it usually is.
        usual = min(1.0, _largest(self.true))
        return np.where(apart <= EXACT * np.maximum(np.abs(self.true), usual), 0.0, apart)

    @property
    def gaps(self) -> np.ndarray:
        """The same; 0 at a corner, and where there is no value or no true derivative."""
        return np.where(self.corner | self.outside | np.isnan(self.true), 0.0, self.apart)

    @property
    def worst(self) -> int:
        """The index of the position with the largest gap; the nearest to the present value of equals."""
        gaps = self.gaps
        largest = np.flatnonzero(gaps >= gaps.max() * (1 - EXACT))
        return int(largest[np.argmin(np.abs(self.positions[largest] - self.here))])

    @property
    def gap(self) -> float:
        """The largest gap of the sweep."""
        return float(self.gaps[self.worst])

    @property
    def where(self) -> float:
        """The value at which the gap is largest."""
        return float(self.positions[self.worst])

    @property
    def differs(self) -> bool:
        """Whether declared and true differ by more than rounding anywhere in the sweep."""
        return self.gap > 0

    @property
    def true_gap(self) -> float:
        """The largest difference of true derivative and central difference that the latter's error leaves.

        Corners are left out.
        """
        either = self.corner | self.outside | np.isnan(self.true) | np.isnan(self.difference)
        room = np.maximum(self.error, TOLERANCE * max(1.0, _largest(self.true)))
        apart = np.where(either, 0.0, gaps(self.true, self.difference))
        return float(np.where(apart <= room, 0.0, apart).max(initial=0.0))


@dataclass(frozen=True, eq=False, slots=True)
class RuleCheck(Shown):
    """The derivatives of a node by each node that it reads.

    Attributes:
      node, kind: name and kind of rule of the node.
      v: the cotangent that is pulled back. For an elementwise op it is ones, so that the numbers are local
        derivatives; for a rule that is a function of what arrives, and for an op that mixes elements, it is
        what arrives at present.
      along: by the nodes that it reads, those of its op first.
      blocked: whether `jax.jvp` raises at this node once a tangent arrives.
      dtype: of the graph; the derivatives are in float64.
    """

    node: str
    kind: str
    v: np.ndarray = field(repr=False)
    along: tuple[Along, ...]
    blocked: bool
    dtype: str

    @property
    def worst(self) -> Along:
        """The derivative with the largest gap; the first of equals."""
        return max(self.along, key=lambda along: along.gap)

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        return statement(self).text

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All that the sentence claims; the kinds are described below."""
        return statement(self).claims


def rule_check(trace: Trace, name: str, *, u: Any = None, v: Any = None) -> RuleCheck:
    """Compare the derivative that a node declares with the true one and with central differences.

    Each node that it reads is moved in turn, all else being equal. With `backward_as` the way from there to
    the alternative moves too.

    Args:
      trace: as `trace` made it.
      name: of a node that reads another one, or of an input.
      u, v: tangent and cotangent of the adjoint test, broadcast; fixed random ones by default, but for a rule
        that is a function of what arrives v is that.
    Returns:
      The three derivatives at the present numbers and along a sweep, by each node that it reads.
    Raises:
      GraphError: it is no trace, it has no output, there is no such node, it reads none or one that is not
        finite, or u or v does not fit.
    Source: central differences in float64; `jax.jvp` of the op.
    """
    graph = with_output(trace).graph
    if not (isinstance(name, str) and name in graph):
        message = f"There is no node {quoted(name)}."
        raise GraphError(Problem("unknown-node", message, "Choose one of the trace's graph."))
    node = graph[name]
    reads = (name,) if node.op == INPUT else tuple(dict.fromkeys(reads_of(node)))
    if not reads:
        message = f"{name!r} reads no node, so there is nothing to differentiate it by."
        raise GraphError(Problem("no-wire", message, "Choose a node with a wire.", name))
    # Of an elementwise op ones are pulled back: the numbers are local derivatives. A rule that is a function
    # of what arrives, and an op that mixes elements, take what arrives, if that is usable.
    arriving = trace.cotangent[name].astype(np.float64)
    mixes = node.op != INPUT and not OPS[node.op].elementwise and (node.op != GRAD or arriving.ndim > 0)
    needs_arriving = mixes or KINDS[node.rule.kind].function == ARRIVING
    usable = np.any(arriving) and np.all(np.isfinite(arriving))
    seed = arriving if needs_arriving and usable else np.ones_like(arriving)
    along = tuple(_along(trace, node, by, seed, u, v) for by in reads)
    return RuleCheck(name, node.rule.kind, seed, along, _is_blocked(trace, node, reads), trace.dtype)


def _is_blocked(found: Trace, node: Node, reads: Iterable[str]) -> bool:
    """Return whether `jax.jvp` raises at the node, or of a grad node inside it, once a tangent arrives."""
    if node.op != GRAD:
        return LIVE_TANGENTS[node.rule.kind] == BLOCKED
    for by in reads:
        alone = node_alone(found, node, by)
        traced = trace(alone.graph, alone.inputs, dtype=FLOAT64)
        if node.name in jvp(traced, {alone.moved: 1.0}).blocked:
            return True
    return False


def _along(found: Trace, node: Node, by: str, seed: np.ndarray, u: Any, v: Any) -> Along:
    """Return the three derivatives of a node by one node that it reads."""
    alone = node_alone(found, node, by)
    ruled = trace(alone.graph, alone.inputs, seed, dtype=FLOAT64)
    plain = trace(_without(ruled, node).graph, ruled.inputs, ruled.seed, dtype=FLOAT64)
    index: tuple[int, ...] = ()
    declared, true = ruled.gradient[alone.moved], plain.gradient[alone.moved]
    if declared.shape:  # of a tensor the element is swept at which the two derivatives differ most
        apart = np.where(np.isnan(true), 0.0, gaps(declared, true))
        index = tuple(int(i) for i in np.unravel_index(int(apart.argmax()), apart.shape))
    swept = swept_alone(alone, index)
    at = trace(swept.graph, swept.inputs, seed, dtype=FLOAT64)
    present = float(at.inputs[swept.moved])
    if not np.isfinite(present):
        number = scalar(present)
        message = f"{by!r} is {number} at present, so there is no derivative of {node.name!r} to compare."
        raise GraphError(Problem("not-finite", message, "Choose numbers for which it is finite.", by))
    # A sweep about 0 that reaches to the present value: 5, 10, 50, 100 and so on. The value itself is in it,
    # in place of the nearest position.
    reach, factor = WIDE, 2
    while reach < abs(present):
        reach, factor = reach * factor, 7 - factor
    positions = np.linspace(-reach, reach, POSITIONS)
    nearest = int(np.argmin(np.abs(positions - present)))
    positions[nearest] = present
    at_arrival = v is None and KINDS[node.rule.kind].function == ARRIVING
    wide, near = (sides_along(at, swept.moved, positions, size) for size in (1.0, NEARER))
    difference, turn = central(wide, near)
    swept_ruled, swept_plain = (sweep(each, swept.moved, positions) for each in (at, _without(at, node)))
    return Along(
        by=by,
        index=index,
        here=present,
        positions=positions,
        declared=np.asarray(swept_ruled.gradient, np.float64),
        true=np.asarray(swept_plain.gradient, np.float64),
        difference=difference,
        corner=breaks(wide, near),
        outside=_without_value(swept_plain, node.name),
        adjoint=replace(adjoint(alone, ruled, plain, u, seed if at_arrival else v), arriving=at_arrival),
        sides=tuple(float(side[nearest]) for side in beyond(wide, near)),
        error=np.maximum(near.rounding, turn),
    )


def _without_value(swept: Sweep, name: str) -> np.ndarray:
    """Return the positions at which an element of the node is not finite, and is so at others or is alone."""
    value = swept.along(swept.value[name], name)
    missing = ~np.isfinite(value).reshape(len(value), -1)
    return (missing & (~missing.all(axis=0) | (missing.shape[1] == 1))).any(axis=1)


def _without(found: Trace, node: Node) -> Trace:
    """Return the trace without rules; of a grad node without its own, since those inside decide its value."""
    if node.op != GRAD:
        return without_rules(found)
    nodes = tuple(replace(n, rule=Rule()) if n.name == node.name else n for n in found.graph.nodes)
    return replace(found, graph=replace(found.graph, nodes=nodes))


def _largest(array: np.ndarray) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=0.0))


# The node as a graph of its own, a function of one node that it reads


GIVEN, MOVED, BASE, UNIT = "given ", "moved ", "base ", "unit "
"""Names of added nodes; a space is in no name of a graph."""


@dataclass(frozen=True, slots=True)
class IsolatedNode:
    """A graph of one node, and of the way to its alternative, with the values of everything else as inputs.

    Attributes:
      moved: the input that is to move.
      inputs: the values of all inputs.
    """

    graph: Graph
    moved: str
    inputs: Mapping[str, np.ndarray]


def node_alone(trace: Trace, node: Node, by: str) -> IsolatedNode:
    """Return the node as a function of `by`, a node that it reads; of an input as a function of its value.

    With a grad node come the nodes that it runs again.
    """
    if node.op == INPUT:
        alone = Node(node.name, IDENTITY, (GIVEN,), rule=node.rule)
        return IsolatedNode(
            Graph((_input(GIVEN), alone), (), node.name), GIVEN, {GIVEN: trace.value[node.name]}
        )
    kept = {node.name}
    # With an alternative the way from `by` to it moves too: it is part of the graph.
    if KINDS[node.rule.kind].alternative:
        kept |= descendants(trace.graph, [by]) & ancestors(trace.graph, [node.name]) - {by}
    kept |= runs_again(trace.graph, [trace.graph[name] for name in kept])
    nodes = [each for each in trace.graph.nodes if each.name in kept]
    reads = dict.fromkeys(name for each in nodes for name in reads_of(each) if name not in kept)
    inputs = {name: np.asarray(trace.value[name], np.float64) for name in reads}
    return IsolatedNode(Graph((*map(_input, reads), *nodes), (), node.name), by, inputs)


def swept_alone(alone: IsolatedNode, index: tuple[int, ...]) -> IsolatedNode:
    """Return the same with one element of the moved input as a number of its own; `index` is its place."""
    value = alone.inputs[alone.moved]
    if not value.shape:
        return alone
    unit = np.zeros_like(value)
    unit[index] = 1.0
    nodes = [
        _input(MOVED),
        _input(BASE),
        _input(UNIT),
        # No product with the unit vector: where the slope by another element is infinite, 0 times it is NaN.
        Node(alone.moved, "where", (UNIT, MOVED, BASE)),
        *(node for node in alone.graph.nodes if node.name != alone.moved),
    ]
    given = {name: array for name, array in alone.inputs.items() if name != alone.moved}
    inputs = {**given, MOVED: value[index], BASE: value, UNIT: unit}
    return IsolatedNode(replace(alone.graph, nodes=tuple(nodes)), MOVED, inputs)


def _input(name: str) -> Node:
    return Node(name, INPUT, (), params(value=0.0))


# The adjoint test: <v, J u> = <J'v, u> for a tangent u and a cotangent v


APART = 1e-3  # share of the largest true derivative above which two derivatives differ
EXACT = 1e-9  # of the larger side: float64 rounds far below
STEP = 1e-6  # of a central difference along a tangent, as a share of the value


@dataclass(frozen=True, slots=True)
class Adjoint:
    """The two sides of <v, J u> = <J'v, u> for one pair of tangent u and cotangent v.

    J is the op's own derivative in forward mode, J' what the node declares. They are equal for every pair if
    and only if what is declared is the transpose of the derivative.

    Attributes:
      left, right: <v, J u> and <J'v, u>.
      within: the share by which they may differ: more where J u is a central difference, since a rule inside
        a grad node blocks forward mode.
      arriving: whether v is what arrives at the node, since its rule is a function of that.
    """

    left: float
    right: float
    within: float = EXACT
    arriving: bool = False

    @property
    def holds(self) -> bool:
        """Whether the sides are equal up to rounding in float64."""
        return abs(self.left - self.right) <= self.within * max(1.0, abs(self.left), abs(self.right))


def adjoint(alone: IsolatedNode, ruled: Trace, plain: Trace, u: Any, v: Any) -> Adjoint:
    """Return the two sides for a node by itself.

    Args:
      ruled, plain: its traces with and without its rule.
      u, v: tangent and cotangent, broadcast; fixed random ones by default.
    Raises:
      GraphError: u or v does not fit.
    """
    draw = np.random.default_rng(0)
    moved = _given("tangent u", u, draw.standard_normal(ruled.inputs[alone.moved].shape))
    pulled = _given("cotangent v", v, draw.standard_normal(ruled.seed.shape))
    pushed = jvp(plain, {alone.moved: moved}).tangent
    exact = ruled.output in pushed
    forward = pushed[ruled.output] if exact else _central_slope(plain, alone.moved, moved)
    back = trace(alone.graph, alone.inputs, pulled, dtype=FLOAT64).gradient[alone.moved]
    with np.errstate(invalid="ignore", over="ignore"):
        sides = float(np.sum(pulled * forward)), float(np.sum(back * moved))
    return Adjoint(*sides, EXACT if exact else APART)


def _central_slope(plain: Trace, name: str, along: np.ndarray) -> np.ndarray:
    """Return how the value moves along a tangent, as a central difference: forward mode is blocked inside."""
    present = plain.inputs[name]
    # A share of the value, whatever the length of the tangent.
    size, length = (max(1.0, float(np.abs(array).max(initial=0.0))) for array in (present, along))
    step = STEP * size / length
    ends = []
    for side in (1, -1):
        moved = {**plain.inputs, name: present + side * step * along}
        ends.append(trace(plain.graph, moved, dtype=FLOAT64).value[plain.output])
    high, low = ends
    return (high - low) / (2 * step)


def _given(what: str, value: Any, usual: np.ndarray) -> np.ndarray:
    if value is None:
        return usual
    try:
        return np.array(np.broadcast_to(numbers(value, FLOAT64), usual.shape))
    except ValueError as error:
        message = f"The {what} does not have shape {list(usual.shape)}."
        raise GraphError(Problem("bad-pair", message, "Give one number, or such an array.")) from error


# The result in words


NO_FORWARD_MODE = "Forward mode is blocked here: jax.jvp raises a TypeError at a custom_vjp."
DIGITS = 5
WRITTEN = 4  # elements of a cotangent that is written out
CLOSE = 1e-3  # share of the larger slope at a corner within which JAX's slope is one of them

ELEMENT, DECLARED, TRUE, DIFFERENCE, SIDES, ONE_SIDE = (
    "element", "declared", "true", "difference", "sides", "one side"
)  # fmt: skip
AGREE, ANOTHER, OVER, EQUAL, DIFFER, CORNERS, UNDEFINED, OUTSIDE, PULLED, ADJOINT = (
    "agree", "another", "over", "equal", "differ", "corners", "undefined", "outside", "pulled", "adjoint"
)  # fmt: skip
"""Kinds of claims.

At the present value of the node that is moved, which is a claim of VALUE: the index of its ELEMENT; the
DECLARED and the TRUE derivative and the central DIFFERENCE; at a corner the slopes on both SIDES, or that
the true one is ONE_SIDE.

Over the sweep, from and to the numbers of OVER: that true and central differences AGREE, or are ANOTHER, by
how much at most; that declared and true are EQUAL, or DIFFER, by how much at most and where; but at CORNERS,
and where a slope is UNDEFINED, with their positions. OUTSIDE: the positions at which the node has no value.

PULLED: the cotangent. ADJOINT: the sides of the adjoint test.
"""


def place(along: Along) -> str:
    """Return what is moved: the node, with the index of an element."""
    return f"{along.by}{list(along.index)}" if along.index else along.by


def statement(check: RuleCheck) -> Statement:
    """Return the finding in a few sentences."""
    along = check.worst
    at, name, wire = along.at_here, place(along), (check.node, along.by)
    true, where = scalar(along.true[at], DIGITS), f"at {name} = {scalar(along.here, DIGITS)}"
    present = Claim(VALUE, (along.by,), (along.here,)), Claim(ELEMENT, (along.by,), along.index)
    claims = (*present, Claim(TRUE, wire, (along.true[at],)))
    ends = [Statement("."), _outside(check, along), _pulled(check), _format(check)]
    if along.outside[at]:
        head = "No rule: " if check.kind == FOLLOW else ""
        first = Statement(f"{head}{check.node} has no finite value {where}", present)
        rest = [] if check.kind == FOLLOW else [Statement("; "), _gap(check, along, name)]
        return joined("", [first, *rest, *ends])
    if check.kind == FOLLOW:
        first = Statement(f"No rule: JAX's derivative is {true} {where}", claims)
        return joined("", [first, _difference(wire, along), *ends])
    numbers = f"Declared {scalar(along.declared[at], DIGITS)}, true {true} {where}; "
    first = Statement(numbers, (*claims, Claim(DECLARED, wire, (along.declared[at],))))
    return joined("", [first, _gap(check, along, name), *ends])


def _outside(check: RuleCheck, along: Along) -> Statement:
    """Return that nothing is compared where the node has no value, if there is such a place."""
    if not along.outside.any():
        return Statement()
    claims = (Claim(OUTSIDE, (check.node, along.by), (along.positions[along.outside],)),)
    return Statement(f" Where {check.node} has no finite value, nothing is compared.", claims)


def function_of(check: RuleCheck, name: str) -> str:
    """Return, in terms of the node's name, the number whose derivatives are compared.

    It is the sum of the node's elements, each times that of the cotangent that is pulled back.
    """
    if np.all(check.v == 1):
        return name if check.v.size == 1 else f"sum({name})"
    return f"v {name}" if check.v.size == 1 else f"⟨v, {name}⟩"


def _pulled(check: RuleCheck) -> Statement:
    """Return which number the derivatives are of, if it is not the node itself."""
    what, claims = function_of(check, check.node), (Claim(PULLED, (check.node,), (check.v,)),)
    if what == check.node:
        return Statement()
    if np.all(check.v == 1):
        return Statement(f" All of this is of {what}.", claims)
    small = check.v.size <= WRITTEN and check.v.ndim == 1
    numbers = f"[{', '.join(scalar(each, DIGITS) for each in check.v.tolist())}]" if small else ""
    shown = scalar(check.v.item(), DIGITS) if check.v.size == 1 else numbers
    equation = f" = {shown}" if shown else ""
    return Statement(f" All of this is of {what}, where v{equation} is what arrives.", claims)


def _format(check: RuleCheck) -> Statement:
    """Return in which format the numbers are, if the graph's own is another one: they may differ there."""
    return Statement("" if check.dtype == FLOAT64 else f" All in {FLOAT64}; the graph is in {check.dtype}.")


def adjoint_statement(along: Along) -> Statement:
    """Return the two sides of the adjoint test in a sentence."""
    sides = along.adjoint.left, along.adjoint.right
    left, right = (scalar(side, DIGITS) for side in sides)
    pair = "a random u and the v that arrives" if along.adjoint.arriving else "a random pair"
    claims = (Claim(ADJOINT, (), sides),)
    if along.adjoint.holds:
        text = f"Here it is the transpose of the derivative: ⟨v, Ju⟩ = {left} = ⟨J'v, u⟩ for {pair}."
    elif not np.isfinite(sides).all():
        text = f"There is no finite derivative here: ⟨v, Ju⟩ = {left} and ⟨J'v, u⟩ = {right}."
    else:
        text = f"It is not the transpose of the derivative: ⟨v, Ju⟩ = {left}, ⟨J'v, u⟩ = {right} for {pair}."
    return Statement(text, claims)


def _gap(check: RuleCheck, along: Along, name: str) -> Statement:
    """Return how the declared derivative compares with the true one."""
    ends = along.positions[0], along.positions[-1]
    over = f"over {name} from {scalar(ends[0], DIGITS)} to {scalar(ends[1], DIGITS)}"
    more = (along.apart > along.gap) & ~along.outside
    but = _but(along, more & along.corner, more & np.isnan(along.true), "the true one is")
    claims, wire = (Claim(OVER, (along.by,), ends),), (check.node, along.by)
    if along.outside.all():
        return Statement(f"nor has it one anywhere {over}", claims)
    if not along.differs:
        return joined(",", [Statement(f"the two are equal {over}", (*claims, Claim(EQUAL, wire))), but])
    purpose = "" if check.kind == PULLBACK else " on purpose"
    largest = f"by up to {scalar(along.gap, DIGITS)}, at {scalar(along.where, DIGITS)}"
    text = f"{over} declared differs from true{purpose} {largest}"
    return joined(",", [Statement(text, (*claims, Claim(DIFFER, wire, (along.gap, along.where)))), but])


def _but(along: Along, corners: np.ndarray, undefined: np.ndarray, what: str) -> Statement:
    """Return which positions are left out: corners, and those at which `what` NaN."""
    parts = [("at corners", CORNERS, corners, ()), (f"where {what} NaN", UNDEFINED, undefined, (np.nan,))]
    parts = [part for part in parts if part[2].any()]
    claims = (Claim(kind, (along.by,), (along.positions[at], *number)) for _, kind, at, number in parts)
    return Statement(f" but {listed([part[0] for part in parts])}", tuple(claims)) if parts else Statement()


def _difference(wire: tuple[str, str], along: Along) -> Statement:
    """Return how the true derivative compares with central differences."""
    at = along.at_here
    true, slope = float(along.true[at]), float(along.difference[at])
    if along.corner[at]:
        sides = along.sides
        if np.isclose(true, sides, rtol=0.0, atol=CLOSE * max(map(abs, sides))).any():
            text = ", one of the slopes that meet at this corner or step"
            return Statement(text, (Claim(ONE_SIDE, wire, (true,)),))
        low, high = (scalar(side, DIGITS) for side in sides)
        text = f", at a corner or step where the slopes {low} and {high} meet"
        return Statement(text, (Claim(SIDES, wire, sides),))
    if not np.isfinite(true):
        if not np.isfinite(slope):
            return Statement(", so there is no slope to compare")
        text = f", where central differences say {scalar(slope, DIGITS)}"
        return Statement(text, (Claim(DIFFERENCE, wire, (slope,)),))
    if not np.isfinite(slope):
        return Statement(", where central differences find no slope")
    if gap := along.true_gap:
        text = f", and central differences are another number, by up to {scalar(gap, 2)}"
        return Statement(text, (Claim(ANOTHER, wire, (gap,)),))
    undefined = np.isnan(along.true) & np.isfinite(along.difference) & ~along.corner & ~along.outside
    everywhere = Statement(", and central differences agree everywhere", (Claim(AGREE, wire),))
    return joined("", [everywhere, _but(along, along.corner & ~along.outside, undefined, "JAX has")])
