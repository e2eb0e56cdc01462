"""Explain why no gradient arrives at a node or at an element of a tensor: the cause, its cure, the words.

The causes that close paths to the output are taken off one kind after the other; the reason is the kind that
closes the last open path. `elements` does the same for each element of a tensor, `cures` tries the edits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.op_derivative import changed_cotangent, own_contributions
from autodiff_viz.engine.sentence import PASSED, Claim, Statement, joined
from autodiff_viz.engine.trace import Trace, trace, with_output
from autodiff_viz.explain.cure import Cure
from autodiff_viz.explain.precision.compute import precision
from autodiff_viz.explain.zero.cures import element_cure, zero_cure
from autodiff_viz.explain.zero.elements import (
    CANCELLED,
    DISCONNECTED,
    FLAT,
    RULE,
    SEED,
    STOPPED,
    UNDERFLOW,
    Elements,
    kept_exactly,
    wires_between,
    zero_elements,
)
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32, FLOAT64
from autodiff_viz.graph.grad_nodes import BY, OF, between, reads_of
from autodiff_viz.graph.model import GRAD, Graph, Node
from autodiff_viz.graph.order import ancestors, consumers, descendants, order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS, STOP
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import MINUS, listed_names, quoted, scalar
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.piecewise import COMPARISONS
from autodiff_viz.ops.places import AT_PLACES, PLACES


@dataclass(frozen=True, slots=True)
class ZeroReason(Shown):
    """Why the cotangent of a node is zero.

    Attributes:
      kind: "seed": the seed is zero. "disconnected": no path leads from the node to the output. "stopped":
        every path meets a stop. "rule": another rule passes back zero, and without it something would be
        passed. "flat": a derivative is exactly zero, as of a dead relu, a comparison or a factor of 0.
        "underflow": what is passed back is not zero in float64. "cancelled": contributions that are not zero
        add up to zero.
      at: the nodes that are to blame, in topological order: of stops those nearest to the node; of
        cancellations the forks, or an op whose own pullback adds up to zero.
      also: the other kinds that close a path from the node, each with its nodes.
      wires: of cancellations, the contributions that are not zero.
      sentence: all of it in words.
      claims: what the sentence claims, so that it can be tested.
      elements: of a tensor, the elements at which nothing arrives, counted by kind.
      path: the wires on the paths from the node to those of `at`, and `wires`.
      cure: a graph in which something arrives, of a tensor at more elements; None where none is known.
      mend: what the cure does, as the text of a button.
      changes: what the cure changes, as a sentence.
      dtype: that the cure is to be computed in; "" for the present one.
    """

    kind: str
    at: tuple[str, ...] = ()
    also: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wires: tuple[Wire, ...] = ()
    sentence: str = ""
    claims: tuple[Claim, ...] = field(default=(), compare=False)
    elements: tuple[Elements, ...] = ()
    path: tuple[Wire, ...] = ()
    cure: Graph | None = None
    mend: str = ""
    changes: str = ""
    dtype: str = ""


def said_of_disconnected(found: Trace, name: str) -> str:
    """Return why nothing arrives at a node from which no path leads to the output, without the cure."""
    return statement_of(found, name, ((DISCONNECTED, ()),), (), ()).text


class _Graph(NamedTuple):
    """A graph with what the search needs: the wires that read each node, and the ancestors of the output."""

    graph: Graph
    readers: Mapping[str, tuple[Wire, ...]]
    live: Set[str]


def why_zero(found: Trace, name: str) -> ZeroReason | None:
    """Return why no gradient arrives at the node `name`, or at elements of it.

    A path from the node to the output is closed where a wire passes back zero. Paths closed by stops are
    taken off first, then those closed by other rules, by derivatives of zero, and by underflow. The kind is
    the cause that closes the last open path; a path that is still open then ends in a cancellation.

    On the way an array counts as zero if all its elements are; `elements` looks at each by itself. Where
    something arrives at other elements, kind and `at` are those of most of the elements that get nothing.

    Args:
      found: has an output.
      name: a node of its graph.
    Returns:
      The reason; None if no element of the node's cotangent is zero.
    Raises:
      GraphError: no trace is given, or it has no output or no node of that name.
    """
    graph = with_output(found).graph
    if not isinstance(name, str) or name not in graph:
        message = f"The trace has no node {quoted(name)}."
        raise GraphError(Problem("unknown-node", message, f"It has {listed_names([*found.value])}."))
    arriving = found.cotangent[name]
    if (arriving != 0).all():
        return None
    parts = zero_elements(found, name) if arriving.size > 1 else ()
    reason = _of_most(parts) if arriving.any() else _reason(found, name)
    cure = _cure(found, name, reason)
    if cure is not None:
        reason = replace(reason, cure=cure.edit(graph), mend=cure.mend, changes=cure.changes)
        reason = replace(reason, dtype=cure.dtype)
    ends = (*reason.at, *(each for _, at in reason.also for each in at))
    path = dict.fromkeys((*wires_between(found, name, ends), *reason.wires))
    causes = (*reason.also, (reason.kind, reason.at))
    statement = statement_of(found, name, causes, reason.wires, parts)
    return replace(reason, elements=parts, path=tuple(path), sentence=statement.text, claims=statement.claims)


def cure_of_zero(found: Trace, name: str, trained: bool = False) -> Cure | None:
    """Return the edit of the reason's cure; None without a cure, and where all elements get something.

    Args:
      trained: whether the graph is trained, so that a loss scale can be the cure.
    """
    arriving = found.cotangent[name]
    if (arriving != 0).all():
        return None
    reason = _of_most(zero_elements(found, name)) if arriving.any() else _reason(found, name)
    return _cure(found, name, reason, trained)


def _of_most(parts: Sequence[Elements]) -> ZeroReason:
    most = max(parts, key=lambda part: part.count)
    return ZeroReason(most.kind, most.at)


def _cure(found: Trace, name: str, reason: ZeroReason, trained: bool = False) -> Cure | None:
    def why(after: Trace) -> tuple[str, tuple[str, ...]] | None:
        left = None if after.cotangent[name].any() else _reason(after, name)
        return left and (left.kind, left.at)

    if found.cotangent[name].any():
        return element_cure(found, name, (reason.kind, reason.at), trained)
    return zero_cure(found, name, (reason.kind, reason.at), why, trained)


def _reason(found: Trace, name: str) -> ZeroReason:
    """Return why nothing arrives at any element: node by node, and where it decides, element by element."""
    reason = _by_nodes(found, name)
    if reason.kind in (SEED, DISCONNECTED, STOPPED):
        return reason
    way = descendants(found.graph, [name]) & ancestors(found.graph, [found.output])
    if all(found.value[each].size == 1 for each in way):
        return reason
    # A wire may pass 0 for what arrives at other elements alone: of max(stack([x, b])), at b.
    parts = zero_elements(found, name)
    if reason.kind in {part.kind for part in parts}:
        [at] = (part.at for part in parts if part.kind == reason.kind)
        return replace(reason, at=at)
    return replace(_of_most(parts), also=reason.also)


def _by_nodes(found: Trace, name: str) -> ZeroReason:
    graph = found.graph
    if not found.seed.any():
        return ZeroReason(SEED)
    # A grad node differentiates its z and does not read it: that wire is on no path to the output.
    readers = {
        each: tuple((user, slot) for user, slot in wires if graph[user].op != GRAD or slot != OF)
        for each, wires in consumers(graph).items()
    }
    within = _Graph(graph, readers, ancestors(graph, [graph.output], reads_of))
    if name not in within.live:
        return ZeroReason(DISCONNECTED)
    closed: set[Wire] = set()
    kinds = _closed_wires(found, within)
    for kind, wires in kinds.items():
        before, closed = closed, closed | wires
        reached = _reached(within, name, closed)
        if graph.output not in reached:
            met = {n for n, slot in wires if graph[n].slots[slot] in reached}
            # Of these only the nodes that led on to the output until now are to blame: behind the others
            # every path was closed already.
            at = _in_order(graph, met & _leading_on(graph, before))
            # Earlier kinds did not close the last path, but each closes a wire to which an open path leads.
            also = []
            for earlier in [*kinds][: [*kinds].index(kind)]:
                closing = {n for n, slot in kinds[earlier] if graph[n].slots[slot] in reached}
                if closing:
                    also.append((earlier, _in_order(graph, closing)))
            return ZeroReason(kind, at, tuple(also))
    return _cancelled(found, within, reached - {graph.output}, closed)


def _closed_wires(found: Trace, within: _Graph) -> dict[str, set[Wire]]:
    """Return, by kind and in the order in which causes are taken off, the wires that pass back zero."""
    graph, kinds = found.graph, {STOPPED: set(), RULE: set(), FLAT: set(), UNDERFLOW: set()}
    for name in within.live:
        node = graph[name]
        for slot, _ in node.wires:
            if node.rule.kind == STOP:
                kinds[STOPPED].add((name, slot))
            elif not found.cotangent[name].any() or found.passed[name, slot].any():
                continue  # open, or nothing arrives that it could pass back
            elif kind := _closing(found, node, slot):
                kinds[kind].add((name, slot))
    # A zero that is none in float64 is no derivative of zero, nor a rule's: it was lost on the way.
    if (kinds[RULE] or kinds[FLAT]) and found.dtype != FLOAT64:
        exact = trace(graph, found.inputs, found.seed, dtype=FLOAT64)
        zeros = kinds[RULE] | kinds[FLAT]
        kinds[UNDERFLOW] = {w for w in zeros if kept_exactly(found, exact, graph[w[0]], w[1]).any()}
        kinds[RULE] -= kinds[UNDERFLOW]
        kinds[FLAT] -= kinds[UNDERFLOW]
    return kinds


def _closing(found: Trace, node: Node, slot: int) -> str:
    """Return why a node passes back zero of what arrives: its derivative, its rule, or "" for a sum.

    A rule is to blame only where something would be passed without it.
    """
    name, rule = node.name, KINDS[node.rule.kind]
    is_own = slot < len(node.op_slots)  # otherwise the slot of an alternative
    if is_own and not own_contributions(found, name)[slot].any() and not _adds_up(found, node.name, slot):
        # Of an op that mixes elements another one may get something: then the wire is open.
        everywhere = np.ones_like(found.cotangent[name])
        return "" if not OPS[node.op].elementwise and _adds_up(found, name, slot, everywhere) else FLAT
    if rule.name == FOLLOW:
        return ""
    if not is_own or rule.replaces or own_contributions(found, name)[slot].any():
        return RULE
    return "" if _adds_up(found, name, slot, changed_cotangent(found, name)) else RULE


def _adds_up(found: Trace, name: str, slot: int, arriving: np.ndarray | None = None) -> bool:
    """Return whether an op's own pullback passes back zero as a sum: with other weights it would not.

    Args:
      arriving: what is pulled back, if it is not what arrives.
    """
    arriving = found.cotangent[name] if arriving is None else arriving
    # No weight is above 1, or a product that is too small for the dtype could become large enough.
    weights = np.random.default_rng(0).uniform(0.5, 1.0, arriving.shape).astype(arriving.dtype)
    return bool(own_contributions(found, name, arriving * weights)[slot].any())


def _reached(within: _Graph, name: str, closed: Set[Wire]) -> set[str]:
    """Return the nodes to which open paths lead from `name`, with itself."""
    reached, waiting = {name}, [name]
    while waiting:
        for wire in within.readers[waiting.pop()]:
            if wire not in closed and wire[0] in within.live and wire[0] not in reached:
                reached.add(wire[0])
                waiting.append(wire[0])
    return reached


def _leading_on(graph: Graph, closed: Set[Wire]) -> set[str]:
    """Return the nodes from which open paths lead to the output."""
    leading, waiting = {graph.output}, [graph.output]
    while waiting:
        node = graph[waiting.pop()]
        for slot, producer in node.wires:
            if (node.name, slot) not in closed and producer not in leading:
                leading.add(producer)
                waiting.append(producer)
    return leading


def _cancelled(found: Trace, within: _Graph, reached: Set[str], closed: Set[Wire]) -> ZeroReason:
    """Return the nodes on open paths at which contributions add up to zero, or the ops in which they do."""
    forks = {
        name: [wire for wire in within.readers[name] if found.passed[wire].any()]
        for name in reached
        if not found.cotangent[name].any()
    }
    wires = {wire for arriving in forks.values() for wire in arriving}
    at = {name for name, arriving in forks.items() if arriving}
    # Something arrives at these nodes, and by an open wire nothing is passed on: their own pullback is a sum.
    inside = {
        wire[0]
        for name in reached
        for wire in {*within.readers[name]} - closed
        if found.cotangent[wire[0]].any() and not found.passed[wire].any()
    }
    return ZeroReason(CANCELLED, _in_order(found.graph, at | inside), wires=tuple(sorted(wires)))


def _in_order(graph: Graph, names: Set[str]) -> tuple[str, ...]:
    return tuple(node.name for node in order(graph) if node.name in names)


# The reason in words


CONDITION = 0  # slot of a where
PRODUCTS = frozenset({"mul", "dot", "matmul", "div"})
CHOICES = COMPARISONS | {"argmax", "argsort", "one_hot"}
AGAIN, CONSTANT, UNREAD = "again", "constant", "unread"
ROUNDED, OVERFLOWED, NARROW = "rounded", "overflowed", "narrow"
ABOUT, READ, ARRIVES_SCALED, ARRIVES_IN_FLOAT32 = "about", "read", "arrives scaled", "arrives in float32"
"""Kinds of claims beside those of reasons, whose `names` are the nodes to blame and whose number, if any, is
how many elements. ABOUT: the node and the output. AGAIN: grad nodes that run the node again; READ: what these
read. CONSTANT: a grad node, its z and its x. UNREAD: DISCONNECTED, where only elements have no path.
ROUNDED, OVERFLOWED, NARROW: kinds of UNDERFLOW; NARROW where float64 lets something else arrive, and passes 0
of that. ARRIVES_SCALED, with a loss scale, and ARRIVES_IN_FLOAT32: where something would arrive at the
node."""
PATHS = "Every path from {name} to {output} is closed: "
SENTENCES = {
    SEED: "The seed is 0, so nothing is pulled back.",
    DISCONNECTED: "No path leads from {name} to the output {output}, so no gradient arrives.",
    UNREAD: "No element that {output} reads is computed from {name}, so no gradient arrives.",
    AGAIN: "{at} {read} no value of {name}: {run} it again {inside}, and what {pass_back} goes to {reads}.",
    CONSTANT: "{at} reads no value of {name}: no gradient comes from {of} to {by}, so its value is always 0.",
    STOPPED: "Every path from {name} to {output} meets a stop, at {at}.",
    RULE: PATHS + "the rule of {at} passes back 0.",
    FLAT: PATHS + "the derivative of {at} is 0 here.",
    OVERFLOWED: PATHS + "{at} reads an overflow in {dtype}, so it passes back 0; in float64 it does not.",
    ROUNDED: PATHS + "rounding leaves 0 of what {at} passes back in {dtype}; in float64 it is not 0.",
    NARROW: PATHS + "{dtype} leaves 0 of what {at} passes back.",
    UNDERFLOW: PATHS + "what {at} passes back is too small for {dtype}; in float64 it is not 0.",
    CANCELLED: "Contributions that are not 0 add up to 0 at {at}{numbers}.",
}


WORDS = {
    SEED: "the seed is 0",
    DISCONNECTED: "no path to the output",
    STOPPED: "stopped at {at}",
    RULE: "the rule of {at} passes back 0",
    FLAT: "the derivative of {at} is 0",
    OVERFLOWED: "0 at {at}, which reads an overflow",
    ROUNDED: "rounding leaves 0 at {at}",
    NARROW: "{dtype} leaves 0 at {at}",
    UNDERFLOW: "too small for {dtype} at {at}",
    CANCELLED: "contributions add up to 0",
}
DEAD = "dead relu {at}"
ONE = {"read": "reads", "run": "it runs", "inside": "inside itself", "pass_back": "it passes back"}
MORE = {"read": "read", "run": "they run", "inside": "inside themselves", "pass_back": "they pass back"}


Cause = tuple[str, Sequence[str]]
"""A kind, and the nodes that are to blame."""


def statement_of(
    found: Trace, name: str, causes: Sequence[Cause], wires: Iterable[Wire], parts: Sequence[Elements]
) -> Statement:
    """Return a reason in words.

    Args:
      causes: all that close a path, the one that closes the last open path last.
    """
    kind, at = causes[-1]
    about = Claim(ABOUT, (name, found.output))
    if len(parts) > 1 or found.cotangent[name].any():
        statements = []
        for part in parts:
            closed = _closed_statement(found, part.kind, part.at, part.count)
            dead = part.kind == FLAT and all(found.graph[n].op == "relu" for n in part.at)
            words = DEAD.format(at=listed_names(part.at)) if dead else closed.text
            text = f"{part.count} of {found.cotangent[name].size} elements: {words}"
            statements.append(Statement(text, closed.claims))
        counted = joined("; ", statements)
        return Statement(f"Nothing arrives at {counted.text}.", (about, *counted.claims))
    if kind == DISCONNECTED:
        # No value of the node reaches the output, but it may lead to the z of a grad node that does.
        live = ancestors(found.graph, [found.output])
        kind = UNREAD if name in live else kind
        grads = [node for node in found.graph.nodes if node.op == GRAD and node.name in live]
        grads = [node for node in grads if name in ancestors(found.graph, [node.slots[OF]])]
        if grads:
            return _by_grads(found.graph, name, grads)
    if len(causes) > 1:
        closed = joined("; ", [_closed_statement(found, *cause) for cause in causes])
        paths = PATHS.format(name=quoted(name), output=quoted(found.output))
        return Statement(f"{paths}{closed.text}.", (about, *closed.claims))
    kind = _lost_by(found, at) if kind == UNDERFLOW else kind
    numbers = _numbers(found, wires)
    text = SENTENCES[kind].format(
        name=quoted(name),
        output=quoted(found.output),
        at=listed_names(at),
        dtype=found.dtype,
        numbers=numbers.text,
    )
    statement = Statement(text, (about, Claim(kind, tuple(at)), *numbers.claims))
    if causes[-1][0] == UNDERFLOW:
        return joined("", [statement, _saved(found, name)])
    if kind == FLAT:
        # Why there is no mend is added where it is the same for all of these nodes: it names no node.
        reasons = {_why_unmended(found, name, found.graph[each]) for each in at}
        if len(reasons) == 1 and "" not in reasons:
            return joined("", [statement, Statement(f" {reasons.pop()}")])
    return statement


def _closed_statement(found: Trace, kind: str, at: Sequence[str], *count: int) -> Statement:
    """Return in a few words what closes a path."""
    kind = _lost_by(found, at) if kind == UNDERFLOW else kind
    text = WORDS[kind].format(at=listed_names(at), dtype=found.dtype)
    return Statement(text, (Claim(kind, tuple(at), count),))


def _saved(found: Trace, name: str) -> Statement:
    """Return what saves a cotangent that underflows: a loss scale or float32; nothing if neither does."""
    scale = precision(found).least
    scaled = trace(found.graph, found.inputs, found.seed.astype(np.float64) * scale, dtype=found.dtype)
    if scaled.cotangent[name].any():
        text = f" With a loss scale of {scale:,.0f} it arrives."
        return Statement(text, (Claim(ARRIVES_SCALED, (name,), (scale,)),))
    wide = trace(found.graph, found.inputs, found.seed, dtype=FLOAT32)
    if wide.cotangent[name].any():
        return Statement(f" In {FLOAT32} it arrives.", (Claim(ARRIVES_IN_FLOAT32, (name,)),))
    return Statement()


def _lost_by(found: Trace, at: Iterable[str]) -> str:
    """Return why these nodes pass back 0 in this dtype alone: the kind of UNDERFLOW."""
    exact = trace(found.graph, found.inputs, found.seed, dtype=FLOAT64)
    wires = [(name, slot) for name in at for slot, _ in found.graph[name].wires]
    for name, slot in wires:
        read = found.graph[name].slots[slot]
        if np.any(~np.isfinite(found.value[read]) & np.isfinite(exact.value[read])):
            return OVERFLOWED
    lost = [np.abs(exact.passed[wire][found.passed[wire] == 0]) for wire in wires]
    numbers = np.concatenate([each[each > 0] for each in lost])
    if not numbers.size:
        return NARROW
    # A number that is large enough for the dtype is lost by rounding: of 1 - tanh(10)^2 the 1.
    return ROUNDED if numbers.min() >= DTYPES[found.dtype].tiny else UNDERFLOW


def _by_grads(graph: Graph, name: str, grads: Sequence[Node]) -> Statement:
    """Return why nothing arrives at a node that leads to the output only as the z of grad nodes."""
    again = [node for node in grads if name in {each.name for each in between(graph, node).nodes}]
    about = Claim(ABOUT, (name, graph.output))
    if again:
        words = ONE if len(again) == 1 else MORE
        reads = tuple(dict.fromkeys(read for node in again for read in reads_of(node)))
        at = tuple(node.name for node in again)
        text = SENTENCES[AGAIN].format(
            at=listed_names(at), name=quoted(name), reads=listed_names(reads), **words
        )
        return Statement(text, (about, Claim(AGAIN, at), Claim(READ, reads)))
    text = " ".join(
        SENTENCES[CONSTANT].format(
            at=quoted(node.name), name=quoted(name), of=quoted(node.slots[OF]), by=quoted(node.slots[BY])
        )
        for node in grads
    )
    claims = (Claim(CONSTANT, (node.name, node.slots[OF], node.slots[BY])) for node in grads)
    return Statement(text, (about, *claims))


def _why_unmended(found: Trace, name: str, node: Node) -> str:
    """Return why the derivative of 0 of a node has no mend; "" where it may have one."""
    if node.rule.kind != FOLLOW:
        return ""
    if node.op == "where":
        reach = descendants(found.graph, [name])
        if {slot for slot, producer in node.wires if producer in reach} == {CONDITION}:
            return "A condition only chooses a branch, and has no derivative: so there is no mend."
        return "It takes the other branch here: to take this one is another function, so there is no mend."
    if node.op in AT_PLACES:
        reach = descendants(found.graph, [name])
        if {slot for slot, producer in node.wires if producer in reach} == {PLACES}:
            return "A place only chooses elements, and has no derivative: so there is no mend."
    if node.op in PRODUCTS and any(
        not np.any(found.value[slot] if isinstance(slot, str) else slot) for slot in node.op_slots
    ):
        return "A factor is 0: any other factor is another function, so there is no mend."
    if node.op in CHOICES:
        return (
            f"{node.op} is constant between its steps: anything smooth is another function, so there is no "
            "mend."
        )
    return ""


def _numbers(found: Trace, wires: Iterable[Wire]) -> Statement:
    """Return the contributions as a sum, if they are numbers."""
    parts = {wire: found.passed[wire] for wire in wires}
    if not parts or any(part.size != 1 for part in parts.values()) or len(parts) > 4:
        return Statement()
    terms = " + ".join(scalar(part.item()) for part in parts.values())
    claims = tuple(Claim(PASSED, (wire,), (part,)) for wire, part in parts.items())
    return Statement(f": {terms.replace(f'+ {MINUS}', f'{MINUS} ')} = 0", claims)
