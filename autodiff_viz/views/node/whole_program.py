"""Analyse a node in the whole program: why nothing arrives, runs and residuals, the rule check,
and deviations from central differences.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from autodiff_viz.engine.diagnostics.causes import CORNER, NOT_FINITE, ROUNDING, node_cause
from autodiff_viz.engine.diagnostics.differences import check_node
from autodiff_viz.engine.explain.derivatives.rule_check import rule_check
from autodiff_viz.engine.explain.derivatives.rule_check_said import BLOCKED
from autodiff_viz.engine.trace import Trace, counts_unknown
from autodiff_viz.engine.whole_program.remat_counts import Runs
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import FOLLOW, INPUT
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text.text_format import counted, listed
from autodiff_viz.views.canvas.records import slot_label
from autodiff_viz.views.node.cures import Explanation, explained_zero
from autodiff_viz.views.numbers import short
from autodiff_viz.workers.jobs import Job


@dataclass(frozen=True, slots=True)
class Analysis:
    """Analysis of one node.

    Attributes:
      says: sentences on its runs, residuals and deviations.
      why: why nothing arrives; None where something does.
      rule: sentences on what the node declares beside the true derivative.
    """

    says: tuple[str, ...] = ()
    why: Explanation | None = None
    rule: tuple[str, ...] = ()


def program_job(trace: Trace, name: str, trained: bool = False) -> Job:
    """Return the job that analyses a node in a worker process; `trained`: at a step of a training."""
    return Job(identity(("program", trace.identity, name, trained)), program_says, (trace, name, trained))


def program_says(trace: Trace, name: str, trained: bool = False) -> Analysis:
    """Return why nothing arrives at a node, and sentences on its runs, residuals and deviations.

    Empty if the graph's regions cannot run.
    """
    try:
        said = runs_say(trace.runs[name]), residuals_say(trace, name)
    except GraphError:
        if not (unknown := counts_unknown(trace)):
            return Analysis()
        said = (unknown,)
    node = trace.graph[name]
    ruled = node.rule.kind != FOLLOW
    differs = () if ruled or node.op == INPUT else differs_say(trace, name)
    declared = rule_says(trace, name) if ruled else ()
    return Analysis((*filter(None, said), *differs), explained_zero(trace, name, trained), declared)


def rule_says(trace: Trace, name: str) -> tuple[str, ...]:
    """Return what a node declares beside the true derivative, and whether its rule blocks forward mode."""
    try:
        found = rule_check(trace, name)
    except GraphError:
        return ()
    return (found.sentence, *([BLOCKED] if found.blocked else []))


def runs_say(runs: Runs) -> str:
    """Return a sentence on a node's runs."""
    if not runs.backward:
        return "Runs once, in the forward pass."
    times = "once" if runs.backward == 1 else f"{runs.backward} times"
    needs = "JAX drops that work, since no derivative needs it"
    needs = f"a derivative needs {runs.kept} of them" if runs.kept else needs
    return f"Runs once forward, and its block runs {times} more in the backward pass; {needs}."


def residuals_say(trace: Trace, name: str) -> str:
    """Return a sentence on the residuals of a node; "" if the forward pass saves none."""
    kept = [r for r in trace.residuals if r.producer == name]
    if not kept:
        return ""
    said = Counter((r.is_value, f"({counted(r.elements, 'number')}", listed(r.consumers)) for r in kept)
    parts = [
        f"{_residual(is_value, count)} {numbers}{' each' if count > 1 else ''}, "
        f"for {consumers or 'the backward pass'})"
        for (is_value, numbers, consumers), count in said.items()
    ]
    return f"The forward pass keeps {listed(parts)}."


def _residual(is_value: bool, count: int) -> str:
    """Return the kind and number of residuals as text."""
    if is_value:
        return "its value" if count == 1 else f"its value {count} times"
    return "a factor of its derivative" if count == 1 else f"{count} factors of its derivative"


def differs_say(trace: Trace, name: str) -> tuple[str, ...]:
    """Return a sentence for each slot whose contribution is not the true derivative, with both numbers."""
    node = trace.graph[name]
    return tuple(
        f"Down its {slot_label(node, slot)} it passes {_flat(found.declared)}; central differences say "
        f"{_flat(found.true)}.{DIFFERS_SINCE.get(node_cause(trace, name, slot), '')}"
        for slot, found in check_node(trace, name).items()
        if not found.agrees
    )


DIFFERS_SINCE = {
    CORNER: " Its derivative jumps there: JAX takes one slope, differences look at both sides.",
    NOT_FINITE: " There is no finite slope there.",
    ROUNDING: " That is rounding: in float64 both are equal.",
}
"""Explanation by cause. A rule has none: it is meant to change the number."""


def _flat(numbers: np.ndarray) -> str:
    """Return numbers as text; a single element as a scalar."""
    return short(numbers.reshape(()) if numbers.size == 1 else numbers, 6)
