"""Compare declared derivatives with the true ones.

A difference is no mistake, but is shown on the node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autodiff_viz.display.numbers import State
from autodiff_viz.engine.op_derivative import at_corner, own_contributions
from autodiff_viz.engine.tolerance import gaps
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.explanation import OF_NODE, ExplanationKind
from autodiff_viz.explain.rule_check.compute import NO_FORWARD_MODE, rule_check
from autodiff_viz.explain.rule_check.figure import rule_check_figure, rule_check_text
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW, PULLBACK
from autodiff_viz.graph.text import scalar
from autodiff_viz.ops.catalog import OPS, slot_label

APART = 1e-3  # relative to the largest true contribution; float32 rounds far below


@dataclass(frozen=True, slots=True)
class Apart:
    """Contribution by a declared derivative beside the true one, at the element where they differ most.

    Attributes:
      declared: the number that the declared derivative passes.
      true: the number that the true derivative would pass.
      count: number of elements that differ.
      size: number of elements.
    """

    declared: float
    true: float
    count: int
    size: int

    def in_short(self, digits: int = 3) -> str:
        """Return both numbers in a few words."""
        return f"declared {scalar(self.declared, digits)}, true {scalar(self.true, digits)}"


def declared_apart(trace: Trace, name: str) -> dict[int, Apart]:
    """Return by slot where a declared derivative passes another contribution than the op's own.

    Elements do not count at a corner of the op, where any subgradient will do, where the true contribution is
    NaN, and where the op has no finite value.
    """
    node = trace.graph.by_name.get(name)  # of an incomplete graph only a part is traced
    if node is None or node.rule.kind != PULLBACK or node.op not in OPS or name not in trace.cotangent:
        return {}
    by_slot = {}
    value = trace.value[name]
    for slot, true in own_contributions(trace, name).items():
        passed = trace.passed[name, slot]
        if _alike(passed, true):
            continue
        # Of an op that mixes elements, or broadcasts, no value belongs to one element of a slot.
        valued = np.isfinite(value) if value.shape == passed.shape else np.isfinite(value).any()
        if apart := _apart(passed, true, at_corner(trace, name, slot) | ~valued):
            by_slot[slot] = apart
    return by_slot


def _alike(declared: np.ndarray, true: np.ndarray) -> bool:
    """Return whether two arrays are equal in the usual case: a cheap test, since it runs at every edit."""
    if declared.ndim:
        return bool(np.array_equal(declared, true))
    one, other = declared.item(), true.item()
    return one == other or abs(one - other) <= APART * abs(other) < np.inf


def _apart(declared: np.ndarray, true: np.ndarray, corner: np.ndarray) -> Apart | None:
    """Return the largest difference beyond `APART`; None if there is none."""
    declared, true, corner = (array.ravel() for array in (declared, true, corner))
    gap = gaps(declared, true)
    gap[np.isnan(true) | corner] = 0.0
    largest = np.abs(true[np.isfinite(true)]).max(initial=0.0)
    differ = gap > APART * largest
    if not differ.any():
        return None
    worst = int(gap.argmax())
    return Apart(float(declared[worst]), float(true[worst]), int(differ.sum()), gap.size)


def declared_states(trace: Trace) -> dict[str, State]:
    """Return by name (card text, sentence) of each node whose declared derivative is not the true one."""
    states = {}
    for node in (node for node in trace.graph.nodes if node.rule.kind == PULLBACK):
        if not (slots := declared_apart(trace, node.name)):
            continue
        sentences = ["The derivative is declared."]
        for slot, apart in slots.items():
            worst = f", at the worst of {apart.count} out of {apart.size} elements" if apart.size > 1 else ""
            passes = f"Down its {slot_label(node, slot)} it passes {scalar(apart.declared, 6)}"
            sentences.append(f"{passes}; the true derivative passes {scalar(apart.true, 6)}{worst}.")
        first = next(iter(slots.values()))
        states[node.name] = first.in_short(), " ".join(sentences)
    return states


def rule_says(trace: Trace, name: str) -> tuple[str, ...]:
    """Return what a node declares beside the true derivative, and whether its rule blocks forward mode."""
    if trace.graph[name].rule.kind == FOLLOW:
        return ()
    try:
        check = rule_check(trace, name)
    except GraphError:
        return ()
    return (check.sentence, *([NO_FORWARD_MODE] if check.blocked else []))


RULE_CHECK = ExplanationKind(
    key="rule_check",
    title="Rule check",
    what_it_says="Whether the derivative that the selected node declares is the true one, and where "
    "it is not.",
    public=("rule_check",),
    compute=rule_check,
    of=OF_NODE,
    build=rule_check_figure,
    text=rule_check_text,
    low=lambda trace, name: rule_check_figure(trace, name, low=True),
    slow=True,
    node_says=rule_says,
    row="rule check",
    example=lambda graph: (trace(graph), graph.nodes[len(graph.nodes) // 2].name),
)
