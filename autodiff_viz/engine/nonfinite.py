"""Find where NaN and infinities begin: nodes with a non-finite result that read only finite numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.sentence import Claim, Statement
from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.order import consumers, order
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.graph.text import scalar
from autodiff_viz.ops.catalog import OPS

BEGINS, LOST = "begins", "lost"
READS_FINITE, ARRIVES_FINITE, PARTS_FINITE = "reads finite", "arrives finite", "parts finite"
"""Kinds of claims. BEGINS: a node's value, a wire, or a node with ARRIVING or None as in `Origin.slot`, and
NaN or infinity. LOST: a node, a number of its own, and what it becomes. The others: nodes that read only
finite numbers, at which a finite cotangent arrives, or only finite contributions."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a non-finite number.

    `direction` is "forward" or "backward", `kind` is "NaN" or "infinity".

    `node` is where the number appears. `slot`, only backward: the wire whose contribution is not finite, or
    ARRIVING where finite contributions add up to a non-finite cotangent; None for an input's gradient.

    `carried`, only backward: the derivative reads a value that is not finite already, so the backward sweep
    meets here what began in the forward sweep.

    `given`: the value is an input's own, so it is not computed from anything.

    `lost`, in words: a number of the graph, given or read as a constant, for which the dtype has no room.

    `claims`: what it claims, so that it can be tested.
    """

    node: str
    direction: str
    kind: str
    slot: int | None = None
    carried: bool = False
    given: bool = False
    lost: str = ""
    claims: tuple[Claim, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return origin_statement([self]).text


_WORDS = {"NaN": "not a number", "infinity": "infinite"}
_NUMBERS = {"NaN": np.nan, "infinity": np.inf}


def origin_sentences(origins: Iterable[Origin]) -> dict[str, str]:
    """Return one sentence by node about where NaN and infinities begin; none about what is carried on."""
    return {name: statement.text for name, statement in origin_statements(origins).items()}


def origin_statements(origins: Iterable[Origin]) -> dict[str, Statement]:
    """Return these sentences with their claims."""
    by_node: dict[str, list[Origin]] = {}
    for origin in origins:
        if not origin.carried:
            by_node.setdefault(origin.node, []).append(origin)
    return {name: origin_statement(of_node) for name, of_node in by_node.items()}


def origin_statement(origins: Sequence[Origin]) -> Statement:
    """Return what begins at one node, first in its value, then in what it passes back."""
    name = origins[0].node
    claims = tuple(claim for origin in origins for claim in origin.claims)
    forward = [origin for origin in origins if origin.direction == "forward"]
    back = "NaN" if any(o.kind == "NaN" for o in origins if o.direction == "backward") else "infinity"
    kind = forward[0].kind if forward else back
    head = f"{kind[0].upper()}{kind[1:]}"
    if any(origin.slot == ARRIVING for origin in origins):
        summed = f"hat arrives at {name!r} is finite, but its sum is {_WORDS[back]}."
        first = origin_statement(forward) if forward else None
        text = f"{first.text} W{summed}" if first else f"{head}: w{summed}"
        return Statement(text, (*claims, *(first.claims if first else ()), Claim(PARTS_FINITE, (name,))))
    value, passed = f"the value of {name!r}", f"what {name!r} passes back"
    reads, arrives = Claim(READS_FINITE, (name,)), Claim(ARRIVES_FINITE, (name,))
    if not forward:
        text = f"{head}: {passed} is {_WORDS[kind]}, though all that arrives is finite."
        return Statement(text, (*claims, arrives))
    result, rest, more = f"{value} is {_WORDS[kind]}", "all that it reads is finite", (reads,)
    if len(origins) > len(forward):
        result, rest, more = (
            f"{value} and what it passes back are {_WORDS[kind]}",
            "all that comes in is finite",
            (reads, arrives),
        )
        if back != kind:
            result = f"{value} is {_WORDS[kind]}, and what it passes back is {_WORDS[back]}"
    if forward[0].lost:
        return Statement(f"{head}: {result}. {forward[0].lost}.", claims)
    if forward[0].given:
        return Statement(f"{head}: {result}.", claims)
    return Statement(f"{head}: {result}, though {rest}.", (*claims, *more))


def find_origins(
    graph: Graph,
    value: Mapping[str, np.ndarray],
    cotangent: Mapping[str, np.ndarray],
    passed: Mapping[tuple[str, int], np.ndarray],
    gradient: Mapping[str, np.ndarray],
) -> tuple[Origin, ...]:
    """Find the nodes at which NaN or infinities first appear, forward pass first.

    Forward: a node's value is not finite though its inputs are. Backward: a contribution, or an input's
    gradient, is not finite though the arriving cotangent is; or a sum of finite contributions is not. Without
    an output there are no cotangents and only forward origins.
    """
    # The usual case is that every number is finite: one test of all numbers of a kind together is fast.
    kinds = [list(arrays.values()) for arrays in (value, cotangent, passed, gradient) if arrays]
    if all(np.isfinite(np.concatenate([np.ravel(array) for array in arrays])).all() for arrays in kinds):
        return ()
    nodes = order(graph)
    finite = {name: bool(np.isfinite(array).all()) for name, array in value.items()}
    origins = []
    for node in nodes:
        if finite[node.name] or not all(finite[producer] for _, producer in node.wires):
            continue
        kind, lost = _kind(value[node.name]), _lost(node, value[node.name])
        claims = (Claim(BEGINS, (node.name,), (_NUMBERS[kind],)), *lost.claims)
        given = node.op == INPUT
        origins.append(Origin(node.name, "forward", kind, given=given, lost=lost.text, claims=claims))
    wires = consumers(graph)
    for node in reversed(nodes if cotangent else ()):
        if np.isfinite(cotangent[node.name]).all():
            origins.extend(_backward(node, value, passed, gradient))
        elif node.name != graph.output and all(np.isfinite(passed[wire]).all() for wire in wires[node.name]):
            origins.append(_begun(node.name, cotangent[node.name], ARRIVING))
    return tuple(origins)


def _backward(node: Node, value: Mapping, passed: Mapping, gradient: Mapping) -> list[Origin]:
    if node.op == INPUT and not np.isfinite(gradient[node.name]).all():
        return [_begun(node.name, gradient[node.name], None)]
    wires = [(slot, passed[node.name, slot]) for slot, _ in node.wires]
    return [
        _begun(node.name, array, slot, _is_carried(node, array, value))
        for slot, array in wires
        if not np.isfinite(array).all()
    ]


def _begun(name: str, array: np.ndarray, slot: int | None, carried: bool = False) -> Origin:
    """Return the origin of an array of the backward pass."""
    kind = _kind(array)
    claims = (Claim(BEGINS, ((name, slot),), (_NUMBERS[kind],)),)
    return Origin(name, "backward", kind, slot, carried, claims=claims)


def _is_carried(node: Node, passed: np.ndarray, value: Mapping[str, np.ndarray]) -> bool:
    """Return whether the op's derivative passes back what is not finite because it reads such a value.

    Of an elementwise op element by element, so that a pole beside an infinite element is seen.
    """
    if node.rule.kind != FOLLOW:
        return False
    reads = [value[producer] for _, producer in node.wires]
    if not OPS[node.op].elementwise or any(array.shape != passed.shape for array in reads):
        return not all(np.isfinite(array).all() for array in reads)
    finite = np.all([np.isfinite(array) for array in reads], axis=0)
    return not (finite & ~np.isfinite(passed)).any()


def _lost(node: Node, value: np.ndarray) -> Statement:
    """Return which of a node's own numbers its dtype has no room for, in words; nothing if it has for all."""
    own = [node.param("value")] if node.op == INPUT else [s for s in node.op_slots if not isinstance(s, str)]
    for literal in own:
        wide = np.asarray(literal, np.float64)
        with np.errstate(over="ignore"):
            rounded = wide.astype(value.dtype)
        lost = np.isfinite(wide) & np.isinf(rounded)
        if node.op == INPUT:  # another value may have been given in its place
            lost = lost & (rounded == value) if lost.shape == value.shape else np.zeros((), bool)
        if lost.any():
            numbers = float(wide[lost][0]), float(rounded[lost][0])
            number, becomes = map(scalar, numbers)
            text = f"{number} does not fit {value.dtype.name}: it becomes {becomes}"
            return Statement(text, (Claim(LOST, (node.name,), numbers),))
    return Statement()


def _kind(array: np.ndarray) -> str:
    return "NaN" if np.isnan(array).any() else "infinity"
