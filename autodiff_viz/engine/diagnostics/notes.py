"""Summarise a trace in sentences: where numbers are not finite, and what is legal but rarely meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodiff_viz.engine.diagnostics.broadcasts import Mix, mixes
from autodiff_viz.engine.diagnostics.grads import Unrelated, sums, unrelated
from autodiff_viz.engine.diagnostics.label_check import Stray, strays
from autodiff_viz.engine.diagnostics.nonfinite import origin_sentences
from autodiff_viz.language.printer.shadows import Shadow, shadows

if TYPE_CHECKING:
    from autodiff_viz.engine.trace import Trace


def doubts(trace: Trace) -> tuple[Mix | Stray | Shadow | Unrelated, ...]:
    """Return the warnings of a trace: legal constructs that are rarely meant, each with its node."""
    return (*mixes(trace), *strays(trace), *shadows(trace.graph), *unrelated(trace))


def notes_of(trace: Trace) -> tuple[str, ...]:
    """Return where NaN and infinities begin, and the warnings, as sentences that name their node."""
    warnings = (f"at {doubt.node}: {doubt}" for doubt in doubts(trace))
    summed = (statement.text for statement in sums(trace))
    return (*origin_sentences(trace.nonfinite_origins).values(), *summed, *warnings)
