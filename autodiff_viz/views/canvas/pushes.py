"""Describe tangents for the cards and wires of the canvas; add nothing while forward mode is off."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.engine.explain.derivatives.forward_mode import Tangents
from autodiff_viz.graph.model import Node
from autodiff_viz.views.canvas.cards import in_full, number_text
from autodiff_viz.views.canvas.flows import flow, traced

BLOCKED, UNKNOWN = "blocked", "\u2013"


class Pushed(NamedTuple):
    """A tangent of a node or wire.

    Attributes:
      on: whether forward mode is on.
      array: the tangent; None where it is unknown, since forward mode is blocked there or before.
      blocked: whether it is blocked at this node.
    """

    on: bool = False
    array: np.ndarray | None = None
    blocked: bool = False


OFF = Pushed()


def tangent_at(found: Tangents | None, name: str) -> Pushed:
    """Return the tangent of a node."""
    return (
        OFF
        if found is None
        else Pushed(True, found.tangent.get(name), name in (*found.blocked, *found.aside))
    )


def pushed_along(found: Tangents | None, node: Node, slot: int) -> Pushed:
    """Return what a wire adds to the tangent of the node that reads it."""
    return OFF if found is None else Pushed(True, found.passed.get(traced(node, slot)))


def tangent_fields(found: Pushed) -> dict[str, Any]:
    """Return the fields of a node's record."""
    if not found.on:
        return {}
    if found.array is None:
        text = BLOCKED if found.blocked else UNKNOWN
        why = (
            "its rule blocks forward mode" if found.blocked else "unknown: forward mode is blocked before it"
        )
        return {"tangent": text, "tangentFull": why}
    return {"tangent": number_text(found.array), "tangentFull": in_full(found.array)}


def push_fields(found: Pushed, scale: float) -> dict[str, Any]:
    """Return the fields of a wire's record; `scale` is the norm of the largest contribution."""
    if not found.on:
        return {}
    shown = flow(found.array, scale)
    return {
        "pushed": shown["passed"],
        "pushedFull": shown["passedFull"] or "unknown: forward mode is blocked",
        "pushWidth": shown["width"],
        "pushSign": shown["sign"],
    }
