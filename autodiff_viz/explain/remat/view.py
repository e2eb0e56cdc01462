"""Describe how often a node runs, and what is kept of it for the backward pass."""

from __future__ import annotations

from collections import Counter

from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.explain.explanation import ExplanationKind
from autodiff_viz.explain.remat.figure import residuals_figure, residuals_text, runs_figure, runs_text
from autodiff_viz.graph.text import counted, listed


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
    counts = Counter((r.is_value, f"({counted(r.elements, 'number')}", listed(r.consumers)) for r in kept)
    parts = []
    for (is_value, numbers, consumers), count in counts.items():
        one, many = "a factor of its derivative", f"{count} factors of its derivative"
        if is_value:
            one, many = "its value", f"its value {count} times"
        which = f"{one} {numbers}" if count == 1 else f"{many} {numbers} each"
        parts.append(f"{which}, {f'for {consumers}' if consumers else 'which nothing reads'})")
    return f"The forward pass keeps {listed(parts)}."


RUNS = ExplanationKind(
    key="runs",
    title="Runs",
    what_it_says="How often each node runs: a checkpoint saves memory, and pays by running nodes again.",
    word="run",
    compute=lambda trace, _: trace.runs,
    build=lambda trace, _: runs_figure(trace),
    text=lambda trace, _: runs_text(trace),
    counts=True,
    node_says=lambda trace, name: (runs_say(trace.runs[name]),),
    row="runs of each node",
)
RESIDUALS = ExplanationKind(
    key="residuals",
    title="Residuals",
    what_it_says="What the forward pass keeps for the backward pass: the memory that checkpoints save.",
    word="residual",
    compute=lambda trace, _: trace.residuals,
    build=lambda trace, _: residuals_figure(trace),
    text=lambda trace, _: residuals_text(trace),
    counts=True,
    node_says=lambda trace, name: (residuals_say(trace, name),),
    row="what is kept",
)
