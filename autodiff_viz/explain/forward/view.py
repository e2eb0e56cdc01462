"""Show forward mode of the selected node: local x tangent = passed on for each wire into it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import NamedTuple

import numpy as np

from autodiff_viz.display.numbers import Term, Terms, added, place
from autodiff_viz.engine.live_path.tangents import LIVE_TANGENTS, OF_THE_OP
from autodiff_viz.engine.op_derivative import local_derivative
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.explanation import ExplanationKind
from autodiff_viz.explain.forward.compute import Tangents, jvp, verify_tangents
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import listed, scalar

# Show forward mode on the page: its tangents, and a sentence that compares them with the cotangents.


Directions = tuple[tuple[str, float], ...]

NONE_MOVES = "No input moves: type a tangent of an input, in the details of the node."
NOT_RUN = "Forward mode needs a complete graph, and not too many different ops."
NAMED = 3  # inputs that the sentence names
REFUSED = "But jax.jvp raises a TypeError at {}, though no tangent passes on from there: a stop is behind it."
AGREES, DIFFERS, BLOCKED, FAILED = "agrees", "differs", "blocked", "failed"


@dataclass(frozen=True, slots=True)
class ForwardCheck:
    """Comparison of the tangents with the whole program.

    Attributes:
      state: whether jax.jvp agrees, differs, is blocked as it should be, or could not run.
      says: the same in a sentence.
    """

    state: str
    says: str


def usual_directions(graph: Graph, selected: str | None) -> Directions:
    """Return a tangent of 1 for the selected input, else for the first one; none without inputs."""
    inputs = [node.name for node in graph.nodes if node.op == INPUT]
    chosen = selected if selected in inputs else next(iter(inputs), None)
    return () if chosen is None else ((chosen, 1.0),)


def tangents_of(trace: Trace, directions: Directions, last: Tangents | None) -> Tangents | None:
    """Return the tangents of a trace; None if it needs too many programs.

    Args:
      last: the previous tangents, returned if they are of the same trace and directions.
    """
    moved = {name: tangent for name, tangent in directions if name in trace.inputs and tangent != 0}
    if last is not None and last.trace is trace:
        # A direction is one number for all elements, in the trace's dtype.
        arrays, number = last.direction.items(), np.dtype(trace.dtype).type
        before = {name: np.float64(array.flat[0]) if array.size else 0.0 for name, array in arrays}
        if before.keys() == moved.keys() and all(number(t) == before[n] for n, t in moved.items()):
            return last
    try:
        return jvp(trace, moved)
    except GraphError:
        return None


def balance_says(tangents: Tangents) -> str:
    """Return the identity between both modes with its numbers, or where forward mode is blocked."""
    if not tangents.direction:
        return NONE_MOVES
    if tangents.balance is None:
        first = tangents.arriving[tangents.blocked[0]].items()
        sizes = [(name, f"norm {scalar(norm(t))}" if t.ndim else scalar(float(t))) for name, t in first]
        arriving = [f"{size} from {name}" for name, size in sizes]
        arrives = f"; a tangent of {listed(arriving, 2)} arrives there" if arriving else ""
        at = listed(tangents.blocked, NAMED)
        return f"Forward mode is blocked at {at}: jax.jvp raises a TypeError{arrives}."
    reverse, forward = (scalar(side, 5) for side in tangents.balance)
    output, inputs = tangents.trace.output, [*tangents.direction]
    left = f"⟨cotangent, tangent⟩ of {listed(inputs, NAMED)} = {reverse}"
    right = f"⟨seed, tangent of {output}⟩ = {forward}"
    refused = f" {REFUSED.format(listed(tangents.blocked, NAMED))}" if tangents.blocked else ""
    if reverse == forward:
        return f"{left} = ⟨seed, tangent of {output}⟩: both modes agree.{refused}"
    both = f"{left} and {right}: equal up to rounding." if tangents.balanced else f"{left}, but {right}."
    return f"{both}{refused}"


def check_tangents(tangents: Tangents) -> ForwardCheck:
    """Compare tangents with `jax.jvp` of the whole program."""
    try:
        verdict = verify_tangents(tangents)
    except GraphError as error:
        return ForwardCheck(FAILED, " ".join(problem.message for problem in error.problems))
    if not verdict.agrees:
        share = "" if isinf(verdict.worst) else f", by {verdict.worst:.2g} of its size"
        return ForwardCheck(DIFFERS, f"Whole-program jax.jvp differs in {verdict.where}{share}.")
    if tangents.blocked:
        at = listed(tangents.blocked, NAMED)
        return ForwardCheck(BLOCKED, f"Whole-program jax.jvp raises a TypeError: it is blocked at {at}.")
    how = f"no number is further off than {verdict.worst:.1g} of its array's size" if verdict.worst else ""
    close = f": {how}." if how else ", to the last digit."
    return ForwardCheck(AGREES, f"Whole-program jax.jvp agrees on all {verdict.compared} tangents{close}")


TANGENT = "tangent"
JVP_BLOCKED = "Blocked: jax.jvp raises a TypeError at this rule, a custom_vjp."
UNKNOWN = "Unknown: forward mode is blocked before it."


class TangentRows(NamedTuple):
    """What the panel says in forward mode; empty while it is off.

    Attributes:
      tangent: of the node; None while forward mode is off.
      says: why there is no tangent, in a sentence; "" if there is one.
      added: the tangent as the sum of what its wires add.
      wires: for each wire into the node, in order, local x tangent = passed on, in pieces with their roles.
    """

    tangent: np.ndarray | None = None
    says: str = ""
    added: Terms = ()
    wires: tuple[Terms, ...] = ()


def tangent_rows(tangents: Tangents | None, name: str) -> TangentRows:
    """Return the rows of a node."""
    if tangents is None or name not in tangents.graph:
        return TangentRows()
    node = tangents.graph[name]
    wires = tuple(_wire(tangents, name, slot, read) for slot, read in node.wires)
    if name in (*tangents.blocked, *tangents.aside):
        return TangentRows(None, JVP_BLOCKED, (), wires)
    if name not in tangents.tangent:
        return TangentRows(None, UNKNOWN, (), wires)
    return TangentRows(tangents.tangent[name], "", _added(tangents, name), wires)


def _added(tangents: Tangents, name: str) -> Terms:
    """Return the tangent as a sum, if several wires add to it and all are scalars."""
    wires = [(name, slot) for slot, _ in tangents.graph[name].wires if (name, slot) in tangents.passed]
    parts = {wire: tangents.passed[wire] for wire in wires}
    parts = {wire: part for wire, part in parts.items() if part.any() or part.ndim}
    if len(parts) < 2 or any(part.ndim for part in parts.values()):
        return ()
    terms: list[Term] = [(part, "", place("pushed", *wire)) for wire, part in parts.items()]
    return (*added(terms), (" = ", ""), (tangents.tangent[name], "", place("tangent", name)))


def _wire(tangents: Tangents, name: str, slot: int, read: str) -> Terms:
    """Return local x tangent = passed on, with numbers where they are scalars."""
    node, wire = tangents.graph[name], (name, slot)
    if read not in tangents.tangent or wire not in tangents.passed:
        return ()
    tangent, passed = tangents.tangent[read], tangents.passed[wire]
    adds = (passed, TANGENT, place("pushed", *wire))
    if tangent.ndim or passed.ndim:
        return (("passes on ", ""), adds)
    local = (
        local_derivative(tangents.trace, name, slot) if LIVE_TANGENTS[node.rule.kind] == OF_THE_OP else None
    )
    moves = (tangent, TANGENT, place("tangent", read))
    if local is None:
        return (moves, (" \u2192 ", ""), adds)
    return ((local, "", place("local", *wire)), (" \u00d7 ", ""), moves, (" = ", ""), adds)


FORWARD = ExplanationKind(
    key="forward",
    what_it_says="The tangents of forward mode, beside the cotangents.",
    public=("jvp", "verify_tangents"),
    compute=jvp,
    row="tangents",
    example=lambda graph: (graph, {graph.nodes[0].name: 1.0}),
)
