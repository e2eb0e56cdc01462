"""Compare the derivative that a node declares with the true one and a float64 central difference.

A declared derivative that is not the true one is no mistake: a straight-through estimator differs on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autodiff_viz.engine.diagnostics.differences import sides_along
from autodiff_viz.engine.diagnostics.sides import NEARER, beyond, breaks, central
from autodiff_viz.engine.diagnostics.tolerance import gaps
from autodiff_viz.engine.explain.derivatives.adjoint import EXACT, Adjoint, adjoint
from autodiff_viz.engine.explain.derivatives.forward_mode import jvp
from autodiff_viz.engine.explain.derivatives.node_alone import Alone, node_alone, swept_alone
from autodiff_viz.engine.explain.derivatives.rule_check_said import statement
from autodiff_viz.engine.live_path.arrays import FLOAT64
from autodiff_viz.engine.live_path.tangents import BLOCKED, FORWARD
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.sweep import sweep, without_rules
from autodiff_viz.engine.trace import Trace, known_trace, trace
from autodiff_viz.graph.model import GRAD, INPUT, Node, Rule
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.registries.rule_kinds import ARRIVING, KINDS
from autodiff_viz.graph.structure.grad_nodes import reads_of
from autodiff_viz.graph.text.names import quoted
from autodiff_viz.graph.text.text_format import scalar as scalar_text
from autodiff_viz.ops.catalog import OPS

POSITIONS = 101  # of a sweep; ops are compiled per number of positions
AGREE = 1e-6  # share of the largest slope that a central difference may be off
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
        found = gaps(self.declared, self.true)
        usual = min(1.0, _largest(self.true))
        return np.where(found <= EXACT * np.maximum(np.abs(self.true), usual), 0.0, found)

    @property
    def gaps(self) -> np.ndarray:
        """The same; 0 at a corner and where there is no true derivative."""
        return np.where(self.corner | np.isnan(self.true), 0.0, self.apart)

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
        either = self.corner | np.isnan(self.true) | np.isnan(self.difference)
        room = np.maximum(self.error, AGREE * max(1.0, _largest(self.true)))
        found = np.where(either, 0.0, gaps(self.true, self.difference))
        return float(np.where(found <= room, 0.0, found).max(initial=0.0))


@dataclass(frozen=True, eq=False, slots=True)
class RuleCheck:
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
        return max(self.along, key=lambda found: found.gap)

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        return statement(self).text

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All that the sentence claims; `rule_check_said` describes the kinds."""
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
      GraphError: it is no trace, there is no such node, it reads none or one that is not finite, or u or v
        does not fit.
    Source: central differences in float64; `jax.jvp` of the op.
    """
    node = _known(known_trace(trace), name)
    reads = (name,) if node.op == INPUT else tuple(dict.fromkeys(reads_of(node)))
    if not reads:
        message = f"{name!r} reads no node, so there is nothing to differentiate it by."
        raise GraphError(Problem("no-wire", message, "Choose a node with a wire.", name))
    seed = _seed(trace, node)
    found = tuple(_along(trace, node, by, seed, u, v) for by in reads)
    return RuleCheck(name, node.rule.kind, seed, found, _is_blocked(trace, node, reads), trace.dtype)


def _is_blocked(found: Trace, node: Node, reads: Iterable[str]) -> bool:
    """Return whether `jax.jvp` raises at the node, or of a grad node inside it, once a tangent arrives."""
    if node.op != GRAD:
        return FORWARD[node.rule.kind] == BLOCKED
    alone = (node_alone(found, node, by) for by in reads)
    return any(node.name in jvp(_traced(each), {each.moved: 1.0}).blocked for each in alone)


def _traced(alone: Alone) -> Trace:
    return trace(alone.graph, alone.inputs, dtype=FLOAT64)


def _known(found: Trace, name: Any) -> Node:
    if isinstance(name, str) and name in found.graph and name in found.cotangent:
        return found.graph[name]
    message = f"There is no node {quoted(name)}."
    raise GraphError(Problem("unknown-node", message, "Choose one of the trace's graph."))


def _seed(found: Trace, node: Node) -> np.ndarray:
    arriving = found.cotangent[node.name].astype(np.float64)
    mixes = node.op != INPUT and not OPS[node.op].elementwise and (node.op != GRAD or arriving.ndim > 0)
    wanted = mixes or KINDS[node.rule.kind].function == ARRIVING
    usable = np.any(arriving) and np.all(np.isfinite(arriving))
    return arriving if wanted and usable else np.ones_like(arriving)


def _along(found: Trace, node: Node, by: str, seed: np.ndarray, u: Any, v: Any) -> Along:
    alone = node_alone(found, node, by)
    ruled = trace(alone.graph, alone.inputs, seed, dtype=FLOAT64)
    plain = _plain(ruled, node)
    index = _worst(ruled.gradient[alone.moved], plain.gradient[alone.moved])
    scalar = swept_alone(alone, index)
    at = trace(scalar.graph, scalar.inputs, seed, dtype=FLOAT64)
    here = float(at.inputs[scalar.moved])
    if not np.isfinite(here):
        number = scalar_text(here)
        message = f"{by!r} is {number} at present, so there is no derivative of {node.name!r} to compare."
        raise GraphError(Problem("not-finite", message, "Choose numbers for which it is finite.", by))
    positions = _positions(here)
    at_arrival = v is None and KINDS[node.rule.kind].function == ARRIVING
    wide, near = (sides_along(at, scalar.moved, positions, size) for size in (1.0, NEARER))
    difference, turn = central(wide, near)
    present = int(np.argmin(np.abs(positions - here)))
    return Along(
        by=by,
        index=index,
        here=here,
        positions=positions,
        declared=np.asarray(sweep(at, scalar.moved, positions).gradient, np.float64),
        true=np.asarray(sweep(_without(at, node), scalar.moved, positions).gradient, np.float64),
        difference=difference,
        corner=breaks(wide, near),
        adjoint=replace(adjoint(alone, ruled, plain, u, seed if at_arrival else v), arriving=at_arrival),
        sides=tuple(float(side[present]) for side in beyond(wide, near)),
        error=np.maximum(near.rounding, turn),
    )


def _plain(ruled: Trace, node: Node) -> Trace:
    """Return the trace without rules, with numbers of its own."""
    return trace(_without(ruled, node).graph, ruled.inputs, ruled.seed, dtype=FLOAT64)


def _without(found: Trace, node: Node) -> Trace:
    """Return the trace without rules; of a grad node without its own, since those inside decide its value."""
    if node.op != GRAD:
        return without_rules(found)
    nodes = tuple(replace(n, rule=Rule()) if n.name == node.name else n for n in found.graph.nodes)
    return replace(found, graph=replace(found.graph, nodes=nodes))


def _worst(declared: np.ndarray, true: np.ndarray) -> tuple[int, ...]:
    """Return the index of the element where two derivatives differ most."""
    if not declared.shape:
        return ()
    apart = np.where(np.isnan(true), 0.0, gaps(declared, true))
    return tuple(int(i) for i in np.unravel_index(int(apart.argmax()), apart.shape))


def _positions(here: float) -> np.ndarray:
    """Return the values of a sweep about 0 that holds the present one, in place of the nearest."""
    reach, factor = WIDE, 2
    while reach < abs(here):
        reach, factor = reach * factor, 7 - factor
    positions = np.linspace(-reach, reach, POSITIONS)
    positions[np.argmin(np.abs(positions - here))] = here
    return positions


def _largest(array: np.ndarray) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
