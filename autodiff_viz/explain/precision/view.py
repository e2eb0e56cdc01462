"""Mark nodes and wires whose numbers leave the range of the dtype, while that figure is on view."""

from __future__ import annotations

from autodiff_viz.explain.explanation import Choice, ExplanationKind
from autodiff_viz.explain.precision.compute import SCALES, Ranged, compared
from autodiff_viz.explain.precision.figure import precision_figure, precision_text


def place_id(place: Ranged) -> str:
    """Return the browser's name of a node or a wire."""
    return place.node if place.slot is None else f"{place.node}:{place.slot}"


SCALE = Choice(
    "scale",
    "Loss scale",
    lambda graph: SCALES,
    slides=True,
    written=lambda scale: f"{scale:,.0f}",
    word="loss scale",
)

PRECISION = ExplanationKind(
    key="precision",
    title="Precision",
    what_it_says="Whether numbers are lost in the dtype that is chosen, and which loss scale saves them.",
    public=("precision",),
    compute=compared,
    choices=(SCALE,),
    build=precision_figure,
    text=precision_text,
    row="ranges beside float64",
)
