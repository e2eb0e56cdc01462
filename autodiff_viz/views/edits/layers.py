"""Add all parameters of a layer at once."""

from __future__ import annotations

from autodiff_viz.graph.text.text_format import listed
from autodiff_viz.views.canvas.fixed_positions import pinned
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed
from autodiff_viz.views.node.layer_parameters import with_learned


def _learn(lab: Lab, edit: Edit) -> Lab:
    """Add parameters in the empty slots of a layer."""
    name = str(edit["node"])
    graph, added = with_learned(pinned(lab.graph), name)
    return committed(lab, graph, f"Add {listed(added)} for {name}") if added else lab


EDITS: Edits = {"learn": _learn}
