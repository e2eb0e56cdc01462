"""Describe what a wire passes back, as the canvas draws it: a thickness, a sign and a text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_viz.engine.explain.derivatives.forward_mode import Tangents
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import Node
from autodiff_viz.graph.structure.bypass import returned_slot
from autodiff_viz.views.canvas.cards import in_full, number_text
from autodiff_viz.views.numbers import norm, sign

DECADES = 4  # a wire is thinnest at 10^-4 of the largest contribution


def flow(array: np.ndarray | None, scale: float) -> dict[str, Any]:
    """Return the fields of a contribution; empty ones if there is no array.

    Args:
      scale: norm of the largest contribution in the graph.
    """
    return {
        "width": 0.0 if array is None else _width(array, scale),
        "sign": 0 if array is None else sign(array),
        "passed": "" if array is None else number_text(array, 3),
        "passedFull": "" if array is None else in_full(array),
    }


def passed(trace: Trace | None, node: Node, slot: int) -> np.ndarray | None:
    """Return the contribution down the wire into a slot, if it is known."""
    return trace.passed.get(traced(node, slot)) if trace else None


def traced(node: Node, slot: int) -> tuple[str, int] | None:
    """Return the wire's key in the trace, where a muted node has only one slot."""
    if not node.muted:
        return node.name, slot
    return (node.name, 0) if slot == returned_slot(node) else None


def largest(found: Trace | Tangents | None) -> float:
    """Return the norm of the largest finite contribution; 0 without any."""
    sizes = [norm(array) for array in found.passed.values()] if found else []
    return max((size for size in sizes if math.isfinite(size)), default=0.0)


def _width(passed: np.ndarray, scale: float) -> float:
    """Return the thickness: 0 for a zero contribution, 1 for the largest, linear in the logarithm between."""
    size = norm(passed)
    if size == 0:
        return 0.0
    if not math.isfinite(size) or scale == 0:
        return 1.0
    return round(min(1.0, max(0.06, 1 + math.log10(size / scale) / DECADES)), 3)
