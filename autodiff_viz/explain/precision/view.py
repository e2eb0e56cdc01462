"""Mark nodes and wires whose numbers leave the range of the dtype, while that figure is on view."""

from __future__ import annotations

from autodiff_viz.explain.precision.compute import Ranged


def _mark(place: Ranged) -> str:
    return place.node if place.slot is None else f"{place.node}:{place.slot}"
