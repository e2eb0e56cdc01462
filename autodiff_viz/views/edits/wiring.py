"""Wires on the canvas: drawn and removed."""

from __future__ import annotations

from autodiff_viz.graph import edits
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed


def _connect(lab: Lab, edit: Edit) -> Lab:
    source, target, slot = edit["from"], edit["to"], int(edit["slot"])
    return committed(lab, edits.with_wire(lab.graph, source, target, slot), f"Wire {source} to {target}")


def _disconnect(lab: Lab, edit: Edit) -> Lab:
    target, slot = edit["to"], int(edit["slot"])
    return committed(lab, edits.without_wire(lab.graph, target, slot), f"Unwire slot {slot} of {target}")


EDITS: Edits = {
    "connect": _connect,
    "disconnect": _disconnect,
}
