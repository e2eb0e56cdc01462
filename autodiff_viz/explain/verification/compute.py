"""Find why a gradient differs from central differences, and the nodes where each cause acts.

A cause is a rule, a corner, a number that is not finite, or rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from autodiff_viz.engine.finite_differences import (
    ELEMENTS,
    TOLERANCE,
    Difference,
    check_input,
    check_node,
    check_slot,
    compare,
    input_of,
    jumps,
    local,
    op_wires,
)
from autodiff_viz.engine.op_derivative import own_contributions
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.dtypes import FLOAT64
from autodiff_viz.graph.grad_nodes import between
from autodiff_viz.graph.model import GRAD, INPUT, Node
from autodiff_viz.graph.order import ancestors, descendants, order
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.piecewise import COMPARISONS

RULE, CORNER, NOT_FINITE, ROUNDING, UNKNOWN = "rule", "corner", "not finite", "rounding", "unknown"
"""`CORNER`: the slopes on the two sides differ. `ROUNDING`: in float64 gradient and slope are equal."""


Kinds = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Cause:
    """One kind of cause and the nodes where it acts; no nodes for `ROUNDING` and `UNKNOWN`."""

    kind: str
    nodes: tuple[str, ...] = ()


def input_causes(found: Trace, differences: Mapping[str, Difference]) -> dict[str, tuple[Cause, ...]]:
    """Return, by input, the causes of a difference between its gradient and its true slope.

    () where both agree. Numbers that are not finite are a cause too.

    Likely nodes are examined first: those with a rule, those where a number stops being finite, and those at
    a value where the op's record says that its derivative jumps. All nodes between input and output are
    examined only if none of these is the cause.
    """
    kinds = cache(partial(_kinds, found))  # cached, since inputs share the nodes behind them
    return {name: _causes(found, name, difference, kinds) for name, difference in differences.items()}


def _causes(found: Trace, name: str, difference: Difference, kinds: Kinds) -> tuple[Cause, ...]:
    """Return the causes of one input's difference: the first group of nodes in which there are any."""
    if not _all_finite(difference):
        return (Cause(NOT_FINITE, _not_finite(found, name)),)
    if difference.agrees:
        return ()
    nodes = _between(found, name)
    # The input's own rule comes after all that arrives: it is a cause if it changes that.
    gradient, arriving = found.gradient[name], found.cotangent[name]
    ruled = found.graph[name].rule.kind != FOLLOW
    own = [(RULE, name)] if ruled and not np.array_equal(gradient, arriving, equal_nan=True) else []
    beginnings, likely = {origin.node for origin in found.nonfinite_origins}, []
    for node in nodes:
        kinks = OPS[node.op].kinks
        at_kink = bool(kinks) and any(np.isin(found.value[read], kinks).any() for _, read in node.wires)
        if node.rule.kind != FOLLOW or node.name in beginnings or at_kink:
            likely.append(node)
    if causes := _grouped([*own, *_local(likely, kinds)]) or _grouped(_local(nodes, kinds)):
        return causes
    # At a corner JAX may take the mean of both slopes, as central differences do, so that a node alone
    # agrees. Yet the product of such means along a path with several corners is not the mean of the whole
    # path.
    corners = [
        node.name
        for node in nodes
        if any(jumps(found, node, slot, _elements(found, node, slot)).any() for slot in _op_wires(node))
    ]
    if not corners:
        # A comparison of equal numbers: a little to one side, a `where` takes the other branch.
        for node in (node for node in nodes if node.op in COMPARISONS):
            one, other = (found.value[s] if isinstance(s, str) else np.asarray(s) for s in node.op_slots)
            if np.any(one == other):
                corners.append(node.name)
    if corners:
        return (Cause(CORNER, tuple(corners)),)
    if found.dtype == FLOAT64:
        return (Cause(UNKNOWN),)
    # Of the whole path, since single roundings are too small to be seen: it is gone in float64.
    wide = trace(found.graph, dict(found.inputs), found.seed, dtype=FLOAT64)
    return (Cause(ROUNDING if check_input(wide, name).gap <= TOLERANCE else UNKNOWN),)


def node_cause(found: Trace, name: str, slot: int) -> str:
    """Return why a node's contribution to `slot` is not its op's slope times the arriving cotangent."""
    node = found.graph[name]
    inside = between(found.graph, node).nodes if node.op == GRAD else ()
    if _rule_acts(found, node) or any(each.rule.kind != FOLLOW for each in inside):
        return RULE
    chosen = _elements(found, node, slot)
    difference = check_slot(found, node, slot, chosen)
    if not _all_finite(difference):
        return NOT_FINITE
    if jumps(found, node, slot, chosen).any():
        return CORNER
    # In float64 with the same numbers before it: if it agrees there, it was rounding.
    alone = local(found, node)
    wide = trace(alone.graph, dict(alone.inputs), alone.seed, dtype=FLOAT64)
    arrived = wide.cotangent[input_of(node, slot)] if node.op == GRAD else wide.passed[name, slot]
    passed = arrived.ravel()[chosen]
    return ROUNDING if compare(passed, difference.true).agrees else UNKNOWN


def _between(found: Trace, name: str) -> list[Node]:
    """Return the nodes on the paths from the input to the output, in topological order."""
    way = descendants(found.graph, [name]) & ancestors(found.graph, [found.output])
    return [node for node in order(found.graph) if node.name in way and node.op != INPUT]


def _all_finite(difference: Difference) -> bool:
    return bool(np.isfinite(difference.declared).all() and np.isfinite(difference.true).all())


def _not_finite(found: Trace, name: str) -> tuple[str, ...]:
    """Return the nodes after an input where numbers stop being finite.

    Else those where a difference leaves the domain, by what comes from the input.
    """
    nodes = _between(found, name)
    way, beginnings = {name, *(node.name for node in nodes)}, {o.node for o in found.nonfinite_origins}
    if first := tuple(node.name for node in nodes if node.name in beginnings):
        return first
    left = {
        node.name: node
        for node in nodes
        if any(
            not _all_finite(difference)
            for slot, difference in check_node(found, node.name).items()
            if node.slots[slot] in way
        )
    }
    # What comes from elsewhere, as -inf of a constant, is met where what comes from the input is finite.
    made = {node.name for node in nodes if not np.isfinite(found.value[node.name]).all()}
    return tuple(one for one, node in left.items() if made.isdisjoint(node.slots)) or tuple(left)


def _local(nodes: Iterable[Node], kinds: Kinds) -> Iterator[tuple[str, str]]:
    """Yield (kind, node) for nodes whose contribution is not their op's slope times the cotangent."""
    return ((kind, node.name) for node in nodes for kind in kinds(node.name))


def _kinds(found: Trace, name: str) -> tuple[str, ...]:
    """Return why a node's contribution differs from the slope times the cotangent.

    Rounding is left out: only `_causes` can detect it, for the whole path.
    """
    node = found.graph[name]
    if _rule_acts(found, node):
        return (RULE,)
    apart = (
        slot
        for slot in _op_wires(node)
        if not check_slot(found, node, slot, _elements(found, node, slot)).agrees
    )
    kinds = (node_cause(found, name, slot) for slot in apart)
    # Where what arrives or what is read is not finite, the cause is the node that it comes from.
    read = (found.value[one] for _, one in op_wires(node) if found.graph[one].op != INPUT)
    elsewhere = () if all(np.isfinite(one).all() for one in (found.cotangent[name], *read)) else (NOT_FINITE,)
    return tuple(dict.fromkeys(kind for kind in kinds if kind not in (ROUNDING, UNKNOWN, *elsewhere)))


def _rule_acts(found: Trace, node: Node) -> bool:
    """Return whether a rule changes the contribution of JAX's own pullback, or passes to an alternative."""
    if node.rule.kind == FOLLOW:
        return False
    own = own_contributions(found, node.name)
    return any(found.passed[node.name, slot].any() for slot, _ in node.wires if slot not in own) or any(
        not compare(found.passed[node.name, slot].ravel(), true.ravel(), found.dtype).agrees
        for slot, true in own.items()
    )


def _op_wires(node: Node) -> list[int]:
    return [slot for slot, _ in op_wires(node)]


def _elements(found: Trace, node: Node, slot: int) -> np.ndarray:
    """Return the elements of a slot to examine: those at a known corner first, then evenly spread ones."""
    value = found.value[node.slots[slot]].ravel()
    at_corner = np.flatnonzero(np.isin(value, OPS[node.op].kinks))[:ELEMENTS]
    spread = np.linspace(0, value.size - 1, min(value.size, ELEMENTS)).astype(int)
    return np.union1d(at_corner, spread).astype(int) if value.size else np.zeros(0, int)


def _grouped(kinds: Iterable[tuple[str, str]]) -> tuple[Cause, ...]:
    """Return a cause for each kind, with its nodes, of pairs (kind, node)."""
    names: dict[str, dict[str, None]] = {}
    for kind, name in kinds:
        names.setdefault(kind, {})[name] = None
    return tuple(Cause(kind, tuple(nodes)) for kind, nodes in names.items())
