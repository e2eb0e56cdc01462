"""Explain where a NaN or infinity comes from, with the cures that the page offers."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.explanation import NON_FINITE, Explanation, ExplanationKind
from autodiff_viz.explain.nonfinite.compute import nonfinite_origin
from autodiff_viz.explain.nonfinite.cures import nonfinite_cure
from autodiff_viz.graph.model import Graph, Node


def explained_non_finite(found: Trace) -> Explanation | None:
    """Return where NaN or infinity comes from; None where all numbers are finite."""
    origin = nonfinite_origin(found)
    if origin is None:
        return None
    carried = {(one.node, one.slot) for one in found.nonfinite_origins if one.carried}
    backward = (origin.backward,) if origin.backward and origin.backward not in carried else ()
    at = dict.fromkeys(name for name in (origin.forward, *(name for name, _ in backward)) if name)
    wires = tuple((name, slot) for name, slot in backward if slot not in (None, ARRIVING))
    return Explanation(NON_FINITE, None, origin.sentence, origin.mend, origin.changes, tuple(at), wires)


def _not_finite(graph: Graph) -> tuple[Trace, None]:
    """Add the root of a negative number to the output."""
    first = graph.nodes[0].name
    below, root = Node("below", "sub", (first, 9.0)), Node("root", "sqrt", ("below",))
    end = Node("end", "add", (graph.output, "root"))
    return trace(replace(graph, nodes=(*graph.nodes, below, root, end), output="end")), None


NONFINITE = ExplanationKind(
    key=NON_FINITE,
    what_it_says="Where a NaN or an infinity comes from.",
    public=("nonfinite_origin",),
    compute=lambda trace, _: nonfinite_origin(trace),
    cures={NON_FINITE: lambda found, node, trained: nonfinite_cure(found)},
    row="where NaN begins",
    example=_not_finite,
)
