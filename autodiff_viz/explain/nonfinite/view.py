"""Explain where a NaN or infinity comes from, with the cures that the page offers."""

from __future__ import annotations

from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.explanation import NON_FINITE, Explanation
from autodiff_viz.explain.nonfinite.compute import nonfinite_origin


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
