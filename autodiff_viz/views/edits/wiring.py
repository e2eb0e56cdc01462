"""Wires on the canvas: drawn, removed, plugged in elsewhere, and nodes put into them."""

from __future__ import annotations

from autodiff_viz.graph import edits, rewiring
from autodiff_viz.views.edits.pinned import pinned
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed
from autodiff_viz.views.records import slot_label


def _connect(lab: Lab, edit: Edit) -> Lab:
    source, target, slot = edit["from"], edit["to"], int(edit["slot"])
    return committed(
        lab, edits.with_wire(pinned(lab.graph), source, target, slot), f"Wire {source} to {target}"
    )


def _disconnect(lab: Lab, edit: Edit) -> Lab:
    target, slot = edit["to"], int(edit["slot"])
    graph = edits.without_wire(pinned(lab.graph), target, slot)
    return committed(lab, graph, f"Unwire {slot_label(lab.graph[target], slot)} of {target}")


def _rewire(lab: Lab, edit: Edit) -> Lab:
    """The end of a wire, taken out of slot `oldSlot` of `oldTo` and plugged into `slot` of `to`."""
    source, target = edit["from"], edit["to"]
    old, new = (edit["oldTo"], int(edit["oldSlot"])), (target, int(edit["slot"]))
    graph = rewiring.rewired(pinned(lab.graph), source, old, new)
    return committed(lab, graph, f"Wire {source} to {target} instead of {old[0]}")


def _insert(lab: Lab, edit: Edit) -> Lab:
    """A node dropped at `position` on the wire from `from` to `slot` of `to`."""
    name, source, target = edit["node"], edit["from"], edit["to"]
    x, y = edit["position"]
    placed = edits.with_positions(pinned(lab.graph), {name: (float(x), float(y))})
    graph = rewiring.inserted(placed, name, source, target, int(edit["slot"]))
    return committed(lab, graph, f"Insert {name} between {source} and {target}")


EDITS: Edits = {
    "connect": _connect,
    "disconnect": _disconnect,
    "rewire": _rewire,
    "insert": _insert,
}
