"""Explain why nothing arrives at a node, with the cures that the page offers."""

from __future__ import annotations

from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.explanation import OF_NODE, ZERO, Explanation, ExplanationKind
from autodiff_viz.explain.zero.compute import cure_of_zero, why_zero
from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.model import Graph, Rule


def explained_zero(found: Trace, name: str, trained: bool = False) -> Explanation | None:
    """Return why nothing arrives at a node, or at single elements of it; None if all of it gets something.

    With `trained`, a step of a training is on view: a loss scale may be the cure. For single elements the way
    to the cause is not marked: that some units are silent is usual.
    """
    why = why_zero(found, name)
    if why is None:
        return None
    way = () if found.cotangent[name].any() else (why.at, why.path)
    cure = cure_of_zero(found, name, trained) if trained else None
    mend, changes = (cure.mend, cure.changes) if cure else (why.mend, why.changes)
    return Explanation(ZERO, name, why.sentence, mend, changes, *way)


def _stopped(graph: Graph) -> tuple[Trace, str]:
    """Stop the gradient at the output, so that nothing arrives anywhere."""
    return trace(with_rule(graph, graph.output, Rule("stop"))), graph.nodes[0].name


WHY_ZERO = ExplanationKind(
    key=ZERO,
    what_it_says="Why nothing arrives at the selected node.",
    public=("why_zero",),
    compute=why_zero,
    of=OF_NODE,
    cures={ZERO: cure_of_zero},
    row="why nothing arrives",
    example=_stopped,
)
