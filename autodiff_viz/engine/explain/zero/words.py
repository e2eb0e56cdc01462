"""Write in words why nothing arrives at a node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from autodiff_viz.engine.explain.precision.precision import precision
from autodiff_viz.engine.explain.zero.elements import Elements
from autodiff_viz.engine.explain.zero.kinds import (
    CANCELLED,
    DISCONNECTED,
    FLAT,
    RULE,
    SEED,
    STOPPED,
    UNDERFLOW,
)
from autodiff_viz.engine.live_path.arrays import FLOAT64
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.sentence import PASSED, Claim, Statement, joined
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.model import FOLLOW, GRAD, Graph, Node
from autodiff_viz.graph.registries.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.structure.grad_nodes import BY, OF, between, reads_of
from autodiff_viz.graph.structure.order import ancestors, descendants
from autodiff_viz.graph.text.names import listed_names, quoted
from autodiff_viz.graph.text.text_format import MINUS, scalar

CONDITION = 0  # slot of a where
PRODUCTS = frozenset({"mul", "dot", "matmul", "div"})
CHOICES = frozenset({"greater", "less", "equal", "argmax", "one_hot"})
AGAIN, CONSTANT, ROUNDED, OVERFLOWED = "again", "constant", "rounded", "overflowed"
ABOUT, READ, ARRIVES_SCALED, ARRIVES_IN_FLOAT32 = "about", "read", "arrives scaled", "arrives in float32"
"""Kinds of claims beside those of reasons, whose `names` are the nodes to blame and whose number, if any, is
how many elements. ABOUT: the node and the output. AGAIN: grad nodes that run the node again; READ: what these
read. CONSTANT: a grad node, its z and its x. ROUNDED, OVERFLOWED: kinds of UNDERFLOW. ARRIVES_SCALED, with a
loss scale, and ARRIVES_IN_FLOAT32: where something would arrive at the node."""
PATHS = "Every path from {name} to {output} is closed: "
SENTENCES = {
    SEED: "The seed is 0, so nothing is pulled back.",
    DISCONNECTED: "No path leads from {name} to the output {output}.",
    AGAIN: "{at} {read} no value of {name}: {run} it again {inside}, and what {pass_back} goes to {reads}.",
    CONSTANT: "{at} reads no value of {name}: {of} does not depend on {by}, so its value is 0 in any case.",
    STOPPED: "Every path from {name} to {output} meets a stop, at {at}.",
    RULE: PATHS + "the rule of {at} passes back 0.",
    FLAT: PATHS + "the derivative of {at} is 0 here.",
    OVERFLOWED: PATHS + "{at} reads an overflow in {dtype}, so it passes back 0; in float64 it does not.",
    ROUNDED: PATHS + "rounding leaves 0 of what {at} passes back in {dtype}; in float64 it is not 0.",
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
        counted = joined("; ", [_counted(found, name, part) for part in parts])
        return Statement(f"Nothing arrives at {counted.text}.", (about, *counted.claims))
    if kind == DISCONNECTED and (grads := _differentiating(found.graph, name)):
        return _by_grads(found.graph, name, grads)
    if len(causes) > 1:
        closed = joined("; ", [_closed(found, *cause) for cause in causes])
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
    said = Statement(text, (about, Claim(kind, tuple(at)), *numbers.claims))
    if causes[-1][0] == UNDERFLOW:
        return joined("", [said, _saved(found, name)])
    return joined("", [said, Statement(_unmended(found, name, at) if kind == FLAT else "")])


def _closed(found: Trace, kind: str, at: Sequence[str], *count: int) -> Statement:
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
    """Return why these nodes pass back 0, and not in float64: an overflow before them, rounding or underflow.

    Rounding takes a number that is large enough for the dtype: of 1 - tanh(10)^2 the 1.
    """
    exact = trace(found.graph, found.inputs, found.seed, dtype=FLOAT64)
    wires = [(name, slot) for name in at for slot, _ in found.graph[name].wires]
    for name, slot in wires:
        read = found.graph[name].slots[slot]
        if np.any(~np.isfinite(found.value[read]) & np.isfinite(exact.value[read])):
            return OVERFLOWED
    lost = [np.abs(exact.passed[wire][found.passed[wire] == 0]) for wire in wires]
    numbers = np.concatenate([each[each > 0] for each in lost])
    return ROUNDED if numbers.size and numbers.min() >= DTYPES[found.dtype].tiny else UNDERFLOW


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


def _unmended(found: Trace, name: str, at: Sequence[str]) -> str:
    """Return why derivatives of 0 have no mend, of ops for which that is so; "" of others.

    It names no node and no number.
    """
    said = {_why_unmended(found, name, found.graph[each]) for each in at}
    return f" {said.pop()}" if len(said) == 1 and "" not in said else ""


def _why_unmended(found: Trace, name: str, node: Node) -> str:
    if node.rule.kind != FOLLOW:
        return ""
    if node.op == "where":
        reach = descendants(found.graph, [name])
        if {slot for slot, producer in node.wires if producer in reach} == {CONDITION}:
            return "A condition only chooses a branch, and has no derivative: so there is no mend."
        return "It takes the other branch here: to take this one is another function, so there is no mend."
    if node.op in PRODUCTS and any(not _value(found, slot).any() for slot in node.op_slots):
        return "A factor is 0: any other factor is another function, so there is no mend."
    if node.op in CHOICES:
        return f"{node.op} is constant between its steps: something smooth is another function, so no mend."
    return ""


def _value(found: Trace, slot: str | float) -> np.ndarray:
    return found.value[slot] if isinstance(slot, str) else np.asarray(slot)


def _differentiating(graph: Graph, name: str) -> tuple[Node, ...]:
    """Return the grad nodes on the way to the output whose z depends on the node, or is it."""
    reach = ancestors(graph, [graph.output])
    grads = [node for node in graph.nodes if node.op == GRAD and node.name in reach]
    return tuple(node for node in grads if name in ancestors(graph, [node.slots[OF]]))


def _counted(found: Trace, name: str, part: Elements) -> Statement:
    closed = _closed(found, part.kind, part.at, part.count)
    dead = part.kind == FLAT and all(found.graph[n].op == "relu" for n in part.at)
    words = DEAD.format(at=listed_names(part.at)) if dead else closed.text
    return Statement(f"{part.count} of {found.cotangent[name].size} elements: {words}", closed.claims)


def _numbers(found: Trace, wires: Iterable[Wire]) -> Statement:
    """Return the contributions as a sum, if they are numbers."""
    parts = {wire: found.passed[wire] for wire in wires}
    if not parts or any(part.size != 1 for part in parts.values()) or len(parts) > 4:
        return Statement()
    said = " + ".join(scalar(part.item()) for part in parts.values())
    claims = tuple(Claim(PASSED, (wire,), (part,)) for wire, part in parts.items())
    return Statement(f": {said.replace(f'+ {MINUS}', f'{MINUS} ')} = 0", claims)
