"""Explain why nothing arrives at single elements of a tensor.

The search is that of `why_zero`, element by element: after each kind of cause, a backward sweep of booleans
tells which elements still have an open path to the output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.op_derivative import changed_cotangent, local_derivative, own_contributions
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.dtypes import FLOAT64
from autodiff_viz.graph.model import Node
from autodiff_viz.graph.order import ancestors, descendants, order
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS, STOP
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.places import AT_PLACES, PLACES

# Kinds of reasons, in the order in which `why_zero` takes causes off

SEED, DISCONNECTED, STOPPED, RULE, FLAT, UNDERFLOW, CANCELLED = (
    "seed", "disconnected", "stopped", "rule", "flat", "underflow", "cancelled",
)  # fmt: skip

STAGES = (DISCONNECTED, SEED, STOPPED, RULE, FLAT, UNDERFLOW)
Masks = dict[str, np.ndarray]

SMOOTH = {
    "max": "mean", "min": "mean", "max_pool": "avg_pool", "sort": "softmax", "dropout": "identity",
}  # fmt: skip
"""For an op that passes nothing back to some of what it reads, one that reads the same and passes to all."""


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a tensor at which nothing arrives for one kind of reason.

    Attributes:
      kind: as in `ZeroReason`.
      count: how many there are.
      at: the nodes that are to blame, in topological order.
    """

    kind: str
    count: int
    at: tuple[str, ...] = ()


class _Search:
    """What the stages share, each computed once.

    Attributes:
      found: the trace.
      nodes: those on the paths from the node to the output, in topological order.
    """

    def __init__(self, found: Trace, name: str):
        self.found = found
        way = ancestors(found.graph, [found.output]) & descendants(found.graph, [name])
        self.nodes = [node for node in order(found.graph) if node.name in way]
        self._names = way
        self._slopes: dict[tuple[int, str, int], np.ndarray | None] = {}

    @cached_property
    def exact(self) -> Trace:
        """The trace in float64."""
        found = self.found
        return (
            found if found.dtype == FLOAT64 else trace(found.graph, found.inputs, found.seed, dtype=FLOAT64)
        )

    @cached_property
    def noisy(self) -> Trace:
        """The trace with random values, and with smooth ops that read the same: no op selects elements."""
        draws, found = np.random.default_rng(0), self.found
        noise = {n: draws.uniform(0.5, 1.0, v.shape).astype(found.dtype) for n, v in found.value.items()}
        for node in found.graph.nodes:
            if node.op in AT_PLACES and isinstance(places := node.slots[PLACES], str):
                # Places choose elements: rounded they stay what they are.
                noise[places] = found.value[places] + noise[places] / 4
        nodes = []
        for node in found.graph.nodes:
            if node.op in SMOOTH:
                op = OPS[SMOOTH[node.op]]
                known = {param.name for param in op.params}  # the smooth op may have fewer
                params = tuple(param for param in node.params if param[0] in known)
                node = replace(node, op=op.name, params=params)
            nodes.append(node)
        graph = replace(found.graph, nodes=tuple(nodes))
        return replace(found, graph=graph, value=noise)

    def opened(self, stage: int) -> Masks:
        """Return, by node, the elements from which an open path leads to the output."""
        found = self.found
        masks = {node.name: np.zeros(found.value[node.name].shape, bool) for node in found.graph.nodes}
        seeded = found.seed != 0 if stage >= STAGES.index(SEED) else np.ones(found.seed.shape, bool)
        masks[found.output] = masks[found.output] | seeded
        for node in reversed(self.nodes):
            for slot, producer in self.wires(node):
                masks[producer] = masks[producer] | self.through(node, slot, masks[node.name], stage)
        return masks

    def wires(self, node: Node) -> list[tuple[int, str]]:
        """Return the wires into a node that come from these nodes."""
        return [(slot, producer) for slot, producer in node.wires if producer in self._names]

    def through(self, node: Node, slot: int, mask: np.ndarray, stage: int) -> np.ndarray:
        """Return the elements of a slot whose wire is open towards an element of `mask`.

        A wire is closed by what it would pass back only where something arrives.
        """
        shape = self.found.value[node.slots[slot]].shape
        rule, kind = node.rule.kind, STAGES[stage]
        if not mask.any() or (rule == STOP and stage >= STAGES.index(STOPPED)):
            return np.zeros(shape, bool)
        passed, wide = self.found.passed[node.name, slot], self.structure(node, slot, mask, shape)
        is_ruled = rule not in (FOLLOW, STOP)
        if stage < STAGES.index(RULE if is_ruled else FLAT):
            return wide
        # Where nothing arrives, what passes nothing back says nothing of the wire: there it counts as open.
        arrives = self.found.cotangent[node.name] != 0
        none = self.structure(node, slot, mask & ~arrives, shape)
        if is_ruled:
            zero = (passed == 0) & ~none
            return wide & ~(zero & self._closed(node, slot, mask & arrives, stage))
        # A derivative is zero if it is so in float64 too. What is lost in the trace's dtype is UNDERFLOW, a
        # later kind, but for a sum inside the pullback that cancels: that is a cancellation, the last one.
        open_ = none | self._pattern(self.exact, node, slot, mask & arrives)
        if self.exact is not self.found:  # elements that are equal in the trace alone share what `max` passes
            open_ = open_ | self._pattern(self.found, node, slot, mask & arrives)
        if kind == UNDERFLOW:
            lost = (passed == 0) & (kept_exactly(self.found, self.exact, node, slot) != 0)
            open_ = open_ & ~(lost & ~self._adds_up(node, slot) & ~none)
        return open_

    def _closed(self, node: Node, slot: int, mask: np.ndarray, stage: int) -> np.ndarray:
        """Return which of the zeros that a node with a rule passes back are due to the kinds up to `stage`.

        A rule is to blame only where something would be passed without it.
        """
        found, name = self.found, node.name
        shape = found.value[node.slots[slot]].shape
        lost = kept_exactly(found, self.exact, node, slot) != 0
        if slot >= len(node.op_slots):  # of an alternative, which has no op
            slopes, by_rule = np.ones(shape, bool), np.ones(shape, bool)
        else:
            slopes = self._pattern(self.exact, node, slot, mask)
            adds_up = np.zeros(shape, bool)
            if not KINDS[node.rule.kind].replaces:
                adds_up = self._adds_up(node, slot, changed_cotangent(found, name))
            by_rule = slopes & ((own_contributions(found, name)[slot] != 0) | ~adds_up)
        closed = by_rule & ~lost
        if stage >= STAGES.index(FLAT):
            closed = closed | (~slopes & ~lost)
        return closed | lost if stage >= STAGES.index(UNDERFLOW) else closed

    def _adds_up(self, node: Node, slot: int, arriving: np.ndarray | None = None) -> np.ndarray:
        """Return where a sum inside the op's own pullback is zero only with these very weights."""
        arriving = self.found.cotangent[node.name] if arriving is None else arriving
        weights = np.random.default_rng(1).uniform(0.5, 1.0, arriving.shape).astype(arriving.dtype)
        return own_contributions(self.found, node.name, arriving * weights)[slot] != 0

    def structure(self, node: Node, slot: int, mask: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return the elements of a slot that those of `mask` are computed from, whatever the numbers are.

        NaN times 0 is NaN: pulled back from `mask`, it also passes where a factor of 0 lets no number pass.
        """
        if KINDS[node.rule.kind].replaces:
            return mask if mask.shape == shape else np.broadcast_to(mask.any(), shape)
        if OPS[node.op].elementwise:
            return _folded(mask, shape)
        if slot < len(slopes := OPS[node.op].derivative) and slopes[slot].startswith("0"):
            return np.broadcast_to(mask.any(), shape)  # as argmax: flat everywhere, though there is a path
        marked = np.where(mask, np.nan, 0.0).astype(self.found.dtype)
        return np.isnan(own_contributions(self.noisy, node.name, marked)[slot])

    def _pattern(self, found: Trace, node: Node, slot: int, mask: np.ndarray) -> np.ndarray:
        """Return the elements of a slot whose derivative of an element of `mask` is not zero."""
        shape = found.value[node.slots[slot]].shape
        key = (id(found), node.name, slot)  # the trace itself or `exact`; both live as long as the search
        if key not in self._slopes:
            self._slopes[key] = local_derivative(found, node.name, slot)
        slope = self._slopes[key]
        if slope is not None:
            return _folded(mask & (slope != 0), shape)
        # An op that mixes elements has no slope for each: random weights, with which no sum cancels.
        weights = np.random.default_rng(1).uniform(0.5, 1.0, mask.shape)
        return own_contributions(found, node.name, (mask * weights).astype(found.dtype))[slot] != 0


def kept_exactly(found: Trace, exact: Trace, node: Node, slot: int) -> np.ndarray:
    """Return what float64 passes back: of its own cotangent, and where that is 0, of the trace's.

    The two differ where numbers are equal in the trace alone, as both that a `max` reads.

    Args:
      exact: the trace in float64.
    """
    passed = exact.passed[node.name, slot]
    if exact is found or slot >= len(node.op_slots) or KINDS[node.rule.kind].replaces:
        return passed
    arriving = found.cotangent[node.name] if node.rule.kind == FOLLOW else changed_cotangent(found, node.name)
    own = own_contributions(exact, node.name, arriving.astype(FLOAT64))[slot]
    return np.where(passed == 0, own, passed)


def _folded(mask: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return whether any element that an element of this shape is broadcast to is marked."""
    extra = mask.ndim - len(shape)
    mask = mask.any(axis=tuple(range(extra)))
    axes = tuple(i for i, length in enumerate(shape) if length == 1 and mask.shape[i] != 1)
    return mask.any(axis=axes, keepdims=True)


def zero_elements(found: Trace, name: str) -> tuple[Elements, ...]:
    """Return why nothing arrives at elements of the node `name`, by kind; () if all get something."""
    left = found.cotangent[name] == 0
    search, before, parts = _Search(found, name), {}, []
    for stage, kind in enumerate(STAGES):
        if not left.any():
            break
        masks = search.opened(stage)
        closed = left & ~masks[name]
        if closed.any():
            at = _blamed(search, name, closed, stage, before) if stage >= STAGES.index(STOPPED) else ()
            parts.append(Elements(kind, int(closed.sum()), at))
        left, before = left & ~closed, masks
    if left.any():
        parts.append(Elements(CANCELLED, int(left.sum()), _cancelling(search, name, left, before)))
    return tuple(parts)


def _cancelling(search: _Search, name: str, left: np.ndarray, open_: Masks) -> tuple[str, ...]:
    """Return the nodes on open paths from the elements `left` at which contributions add up to zero.

    Args:
      open_: the open elements by node.
    """
    found, last = search.found, len(STAGES) - 1
    reached: Masks = {name: left}
    at: dict[str, None] = {}
    for node in search.nodes:
        arrives = found.cotangent[node.name] != 0
        for slot, producer in search.wires(node):
            way = reached.get(producer, np.zeros((), bool))
            given = found.passed[node.name, slot] != 0
            if (way & given).any():  # contributions that are not zero, and their sum is
                at[producer] = None
            shape = found.value[producer].shape
            way = way & ~given & search.through(node, slot, open_[node.name], last)
            # Something arrives behind an open wire and nothing is passed: the op's own pullback is a sum.
            if (way & search.structure(node, slot, open_[node.name] & arrives, shape)).any():
                at[node.name] = None
            further = open_[node.name] & ~arrives
            way = way & search.structure(node, slot, further, shape)
            if way.any():
                reached[node.name] = reached.get(node.name, False) | (_onward(search, node, way) & further)
    return tuple(node.name for node in search.nodes if node.name in at)


def _blamed(
    search: _Search, name: str, closed: np.ndarray, stage: int, before: Mapping[str, np.ndarray]
) -> tuple[str, ...]:
    """Return the nodes that close a wire at this stage: the first ones on the ways from the closed elements.

    Args:
      before: the open elements by node, at the stage before.
    """
    reached: Masks = {name: closed}
    blamed: dict[str, None] = {}
    for node in search.nodes:
        for slot, producer in node.wires:
            if producer not in reached:
                continue
            way = reached[producer]
            # To blame is a wire that this stage closes and that led on to the output until now.
            shut = search.through(node, slot, before[node.name], stage - 1) & way
            shut = shut & ~search.through(node, slot, before[node.name], stage)
            if shut.any():
                blamed[node.name] = None
            everything = np.ones(search.found.value[node.name].shape, bool)
            onward = _onward(search, node, way & search.through(node, slot, everything, stage))
            reached[node.name] = reached.get(node.name, False) | onward
    return tuple(blamed)


def _onward(search: _Search, node: Node, way: np.ndarray) -> np.ndarray:
    """Return the elements of a node that may depend on the marked elements of a slot."""
    shape = search.found.value[node.name].shape
    if OPS[node.op].elementwise and len(way.shape) <= len(shape):
        return np.broadcast_to(way, shape)
    return np.broadcast_to(way.any(), shape)


def wires_between(found: Trace, name: str, at: tuple[str, ...]) -> tuple[Wire, ...]:
    """Return the wires on the paths from a node to those of `at`; a path ends at the first of them."""
    graph = found.graph
    leading, reached = ancestors(graph, at), {name}
    wires: list[Wire] = []
    for node in order(graph):
        if node.name not in leading:
            continue
        for slot, producer in node.wires:
            if producer in reached and (producer not in at or producer == name):
                wires.append((node.name, slot))
                reached.add(node.name)
    return tuple(wires)
