"""Explain why nothing arrives at a node, with the cures that the page offers."""

from __future__ import annotations

from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.explanation import ZERO, Explanation
from autodiff_viz.explain.zero.compute import cure_of_zero, why_zero


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
