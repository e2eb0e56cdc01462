"""Reasons why nothing arrives at a node, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from autodiff_viz.engine.explain.precision.precision import saved
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
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import FOLLOW, GRAD, Graph, Node
from autodiff_viz.graph.structure.grad_nodes import OF
from autodiff_viz.graph.structure.order import ancestors
from autodiff_viz.graph.text.names import listed_names, quoted
from autodiff_viz.graph.text.text_format import MINUS, scalar

PRODUCTS = frozenset({"mul", "dot", "matmul", "div"})
CHOICES = frozenset({"greater", "less", "equal", "argmax", "one_hot"})
AGAIN = "again"
PATHS = "Every path from {name} to {output} is closed: "
SENTENCES = {
    SEED: "The seed is 0, so nothing is pulled back.",
    DISCONNECTED: "No path leads from {name} to the output {output}.",
    AGAIN: "{at} {read} no value of {name}: {run} these nodes again {inside}, and {back} to what they read.",
    STOPPED: "Every path from {name} to {output} meets a stop, at {at}.",
    RULE: PATHS + "the rule of {at} passes back 0.",
    FLAT: PATHS + "the derivative of {at} is 0 here.",
    UNDERFLOW: PATHS + "what {at} passes back is too small for {dtype}; in float64 it is not 0.",
    CANCELLED: "Contributions that are not 0 add up to 0 at {at}{numbers}.",
}


WORDS = {
    SEED: "the seed is 0",
    DISCONNECTED: "no path to the output",
    STOPPED: "stopped at {at}",
    RULE: "the rule of {at} passes back 0",
    FLAT: "the derivative of {at} is 0",
    UNDERFLOW: "too small for {dtype} at {at}",
    CANCELLED: "contributions add up to 0",
}
DEAD = "dead relu {at}"
ONE = {"read": "reads", "run": "it runs", "inside": "inside itself", "back": "passes back"}
MORE = {"read": "read", "run": "they run", "inside": "inside themselves", "back": "pass back"}


def sentence_of(
    found: Trace, name: str, kind: str, at: Sequence[str], wires: Iterable[Wire], parts: Sequence[Elements]
) -> str:
    """Return a reason in words."""
    counted = "; ".join(_counted(found, name, part) for part in parts)
    if found.cotangent[name].any():
        return f"Nothing arrives at {counted}."
    if kind == DISCONNECTED and (grads := _differentiating(found.graph, name)):
        words = ONE if len(grads) == 1 else MORE
        return SENTENCES[AGAIN].format(at=listed_names(grads), name=quoted(name), **words)
    said = SENTENCES[kind].format(
        name=quoted(name),
        output=quoted(found.output),
        at=listed_names(at),
        dtype=found.dtype,
        numbers=_numbers(found, wires),
    )
    said += saved(found, name) if kind == UNDERFLOW else _unmended(found, at) if kind == FLAT else ""
    return f"{said} By element: {counted}." if len(parts) > 1 else said


def _unmended(found: Trace, at: Sequence[str]) -> str:
    """Return why derivatives of 0 have no mend, of ops for which that is so; "" of others."""
    said = {_why_unmended(found, found.graph[name]) for name in at}
    return f" {said.pop()}" if len(said) == 1 else ""


def _why_unmended(found: Trace, node: Node) -> str:
    if node.rule.kind != FOLLOW:
        return ""
    if node.op == "where":
        return "It takes the other branch here: to take this one is another function, so there is no mend."
    if node.op in PRODUCTS and any(not _value(found, slot).any() for slot in node.op_slots):
        return "A factor is 0: any other factor is another function, so there is no mend."
    if node.op in CHOICES:
        return f"{node.op} is constant between its steps: something smooth is another function, so no mend."
    return ""


def _value(found: Trace, slot: str | float) -> np.ndarray:
    return found.value[slot] if isinstance(slot, str) else np.asarray(slot)


def _differentiating(graph: Graph, name: str) -> tuple[str, ...]:
    """Return the grad nodes on the way to the output whose z depends on the node, or is it."""
    reach = ancestors(graph, [graph.output])
    grads = [node for node in graph.nodes if node.op == GRAD and node.name in reach]
    return tuple(node.name for node in grads if name in ancestors(graph, [node.slots[OF]]))


def _counted(found: Trace, name: str, part: Elements) -> str:
    dead = part.kind == FLAT and all(found.graph[n].op == "relu" for n in part.at)
    words = (DEAD if dead else WORDS[part.kind]).format(at=listed_names(part.at), dtype=found.dtype)
    return f"{part.count} of {found.cotangent[name].size} elements: {words}"


def _numbers(found: Trace, wires: Iterable[Wire]) -> str:
    """Return the contributions as a sum, if they are numbers."""
    parts = [found.passed[wire] for wire in wires]
    if not parts or any(part.size != 1 for part in parts) or len(parts) > 4:
        return ""
    said = " + ".join(scalar(part.item()) for part in parts)
    return f": {said.replace(f'+ {MINUS}', f'{MINUS} ')} = 0"
