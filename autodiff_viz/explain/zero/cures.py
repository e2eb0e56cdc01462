"""Cure a gradient of zero: remove stops and rules, leak a relu, pass straight through a step, widen, or make
the node the output to which its paths lead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.cure import SAME_VALUES, Cure, joined, retraced, rewritten, wider, without_rules
from autodiff_viz.explain.precision.compute import precision
from autodiff_viz.explain.zero.elements import DISCONNECTED, FLAT, RULE, STOPPED, UNDERFLOW
from autodiff_viz.graph import edits
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.grad_nodes import on_ways
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node, Rule
from autodiff_viz.graph.order import consumers, descendants
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW
from autodiff_viz.graph.text import listed

MOST = 6  # cures in one
STEPS = frozenset({"round", "floor", "sign", "clip"})

Reason = tuple[str, tuple[str, ...]]
"""Kind of a reason, and the nodes that are to blame."""


def zero_cure(
    found: Trace,
    name: str,
    reason: Reason,
    why: Callable[[Trace], Reason | None],
    trained: bool = False,
) -> Cure | None:
    """Return an edit after which something arrives at `name`; None if none is known.

    Args:
      reason: why nothing arrives.
      why: returns the reason that is left in the trace of a cured graph; None where something arrives.
      trained: whether the graph is trained, so that it can have a loss scale.
    """
    if reason[0] == DISCONNECTED:
        return output_cure(found, name)
    steps: list[Cure] = []
    now, left = found, reason
    while left is not None:
        if left[0] == UNDERFLOW:
            step = underflow_cure(now, name, trained) if len(steps) < MOST else None
        else:
            step = _step(now, *left) if len(steps) < MOST else None
        after = step and retraced(now, step)
        if after is None or not np.isfinite(after.cotangent[name]).all():
            return None
        steps.append(step)
        now, left = after, why(after)
    return joined(steps)


def element_cure(found: Trace, name: str, reason: Reason, trained: bool = False) -> Cure | None:
    """Return an edit after which something arrives at more elements of `name`; None if none is known."""
    step = underflow_cure(found, name, trained) if reason[0] == UNDERFLOW else _step(found, *reason)
    after = step and retraced(found, step)
    if after is None or not np.isfinite(after.cotangent[name]).all():
        return None
    return step if fed_elements(after, name) > fed_elements(found, name) else None


def output_cure(found: Trace, name: str) -> Cure | None:
    """Return the cure that makes another node the output, to which all paths from this one lead.

    None if paths end at several nodes, or if no gradient would arrive at the node and at an input: of a
    comparison there is none.
    """
    readers = consumers(found.graph)
    ends = [each for each in descendants(found.graph, [name]) if not readers[each]]
    if len(ends) != 1:
        return None
    [end] = ends
    changes = f"{end} is differentiated then, and {found.output} no longer. {SAME_VALUES}"
    cure = Cure(lambda graph: edits.with_output(graph, end), f"Make {end} the output", changes)
    after = retraced(found, cure)
    if after is None or not np.isfinite(after.cotangent[name]).all() or not after.cotangent[name].any():
        return None
    # The node that is made the output gets the seed, whatever the graph computes, and also an input does.
    inputs = [node.name for node in found.graph.nodes if node.op == INPUT and node.name != end]
    return cure if any(after.cotangent[each].any() for each in inputs) else None


def _step(found: Trace, kind: str, at: tuple[str, ...]) -> Cure | None:
    """Return the cure of one kind of reason; None of the kinds that have none."""
    names = listed(at, 4)
    if kind == STOPPED:
        what = "stops" if len(at) > 1 else "stop"
        return without_rules(at, f"Remove the {what} at {names}", _values(found.graph, at))
    if kind == RULE:
        what = "rules" if len(at) > 1 else "rule"
        return without_rules(at, f"Remove the {what} of {names}", _values(found.graph, at))
    cures = [cure for n in at if (cure := flat_cure(found.graph, n))] if kind == FLAT else []
    return joined(cures) if cures else None


def underflow_cure(found: Trace, name: str, trained: bool = False) -> Cure | None:
    """Return what brings back a cotangent that underflows; None if nothing does.

    In a training that is the least loss scale that saves all it can, otherwise the next dtype with more bits.
    """
    before = np.count_nonzero(found.cotangent[name])
    cures = [*wider(found)]
    # A loss scale comes first, where there can be one: in a training in 16 bits, of a loss that is a number.
    parameters = [node for node in found.graph.nodes if node.is_parameter]
    if trained and DTYPES[found.dtype].half and found.seed.shape == () and parameters:
        scale = precision(found).least
        scaled = Cure(
            lambda graph: graph,
            f"Train with a loss scale of {scale:,.0f}",
            f"Cotangents are {scale:,.0f} times as large; gradients are divided by that in {FLOAT32}, and "
            f"parameters are {FLOAT32}.",
            loss_scale=scale,
        )
        cures.insert(0, scaled)
    for cure in cures:
        after = retraced(found, cure)
        if after and np.isfinite(after.cotangent[name]).all() and fed_elements(after, name) > before:
            return cure
    return None


def fed_elements(found: Trace, name: str) -> int:
    """Return at how many elements of a node something arrives."""
    return int(np.count_nonzero(found.cotangent[name]))


def _values(graph: Graph, names: tuple[str, ...]) -> str:
    """Return that no value changes by other rules at these nodes, or only by derivatives through them."""
    grads = [node.name for node in graph.nodes if node.op == GRAD and on_ways(graph, node) & {*names}]
    if not grads:
        return SAME_VALUES
    what = "differentiates" if len(grads) == 1 else "differentiate"
    return f"Values change only by way of {listed(grads, 4)}, which {what} {listed(names, 4)}."


def flat_cure(graph: Graph, name: str) -> Cure | None:
    """Return the cure of a node whose derivative is 0. A rule that it has stays, but for a step."""
    node = graph[name]
    read = ramp(node)
    if read is not None:
        return Cure(
            lambda graph: rewritten(graph, node.name, f"leaky_relu({read})"),
            f"Leak the relu {node.name}",
            f"Where {read} is negative, {node.name} is a hundredth of it in place of 0.",
        )
    if node.op in STEPS and isinstance(node.slots[0], str):
        return Cure(
            lambda graph: edits.with_rule(graph, node.name, Rule(BACKWARD_AS), node.slots[0]),
            f"Pass straight through {node.name}{'' if node.rule.kind == FOLLOW else ' in place of its rule'}",
            f"{_values(graph, (name,))} Backward, {node.name} is {node.slots[0]}.",
        )
    return None


def ramp(node: Node) -> str | None:
    """Return what a relu reads, also one that is written as a maximum with 0."""
    if node.op == "relu":
        return node.slots[0] if isinstance(node.slots[0], str) else None
    wired = [slot for slot in node.slots if isinstance(slot, str)]
    zero = [slot for slot in node.slots if isinstance(slot, int | float) and slot == 0]
    return wired[0] if node.op == "maximum" and wired and zero else None
