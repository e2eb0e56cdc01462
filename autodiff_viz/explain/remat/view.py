"""Describe how often a node runs, and what is kept of it for the backward pass."""

from __future__ import annotations

from collections import Counter

from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.explain.explanation import ExplanationKind
from autodiff_viz.explain.remat.figure import EARLY, residuals_figure, residuals_text, runs_figure, runs_text
from autodiff_viz.graph.text import counted, listed


def runs_say(runs: Runs) -> str:
    """Return a sentence on a node's runs."""
    if not runs.backward:
        return "Runs once, in the forward pass."
    times = "once" if runs.backward == 1 else f"{runs.backward} times"
    needs = "JAX drops that work, since no derivative needs it"
    needs = f"a derivative needs {runs.kept} of them" if runs.kept else needs
    return f"Runs once forward, and its block runs {times} more in the backward pass; {needs}."


MASK = "a mask of true and false", "element"
NEEDED = EARLY, "number"
"""Arrays that are not a node's value, in words: what it is, and what it is counted in."""


def residuals_say(trace: Trace, name: str) -> str:
    """Return a sentence on the residuals of a node; "" if the forward pass saves none."""
    kept = [r for r in trace.residuals if r.producer == name]
    if not kept:
        return ""
    parts: list[str] = []
    sizes = Counter[tuple[str, str, str]]()
    for (elements, consumers), count in Counter(
        (r.elements, r.consumers) for r in kept if r.is_value
    ).items():
        times, each = ("", "") if count == 1 else (f" {count} times", " each")
        readers = f"for {listed(consumers)}" if consumers else "which nothing reads"
        parts.append(f"its value{times} ({counted(elements, 'number')}{each}, {readers})")
    for residual in kept:
        if not residual.is_value and residual.consumers:
            # Only what is true or false takes one byte.
            what = MASK if residual.bytes == residual.elements else NEEDED
            sizes[*what, listed(residual.consumers)] += residual.elements
    parts += [f"{what} ({counted(size, unit)}, for {who})" for (what, unit, who), size in sizes.items()]
    if unread := sum(r.elements for r in kept if not (r.is_value or r.consumers)):
        parts.append(f"{counted(unread, 'more number' if parts else 'number')} that nothing reads")
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
