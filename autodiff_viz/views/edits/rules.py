"""Rules and checkpoint regions, put on and taken off on the canvas."""

from __future__ import annotations

from autodiff_viz.graph import edits
from autodiff_viz.graph.model import Region
from autodiff_viz.graph.names import numbered
from autodiff_viz.views.actions import set_rules
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed


def _checkpoint(lab: Lab, edit: Edit) -> Lab:
    names = frozenset(str(name) for name in edit["nodes"])
    name = numbered("block", {region.name for region in lab.graph.regions})
    return committed(lab, edits.with_region(lab.graph, Region(name, names)), f"Checkpoint {name}")


def _uncheckpoint(lab: Lab, edit: Edit) -> Lab:
    region = edit["region"]
    return committed(lab, edits.without_region(lab.graph, region), f"Remove checkpoint {region}")


EDITS: Edits = {
    "rules": lambda lab, edit: set_rules(lab, [str(name) for name in edit["nodes"]], edit["rule"]),
    "checkpoint": _checkpoint,
    "uncheckpoint": _uncheckpoint,
}
