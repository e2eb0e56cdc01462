"""Describe the explanation of memory for the page."""

from __future__ import annotations

from autodiff_viz.explain.explanation import ExplanationKind
from autodiff_viz.explain.memory.compute import memory
from autodiff_viz.explain.memory.figure import memory_figure, memory_text

MEMORY = ExplanationKind(
    key="memory",
    title="Memory",
    what_it_says="When the pass needs the most memory, and which nodes hold it then.",
    word="live",
    public=("memory", "xla_memory"),
    compute=lambda trace, _: memory(trace),
    build=lambda trace, _: memory_figure(trace),
    text=lambda trace, _: memory_text(trace),
    low=lambda trace, _: memory_figure(trace, low=True),
    slow=True,
    counts=True,
    row="what is live",
)
