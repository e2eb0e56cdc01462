"""Edit wires: connect, disconnect, reconnect, and insert a node."""

from __future__ import annotations

from autodiff_viz.graph.edits import node_edits as edits
from autodiff_viz.graph.edits import wire_edits
from autodiff_viz.views.canvas.fixed_positions import pinned
from autodiff_viz.views.canvas.records import slot_label
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed


def _connect(lab: Lab, edit: Edit) -> Lab:
    """Connect a node to a slot."""
    source, target, slot = edit["from"], edit["to"], int(edit["slot"])
    return committed(
        lab, edits.with_wire(pinned(lab.graph), source, target, slot), f"Wire {source} to {target}"
    )


def _disconnect(lab: Lab, edit: Edit) -> Lab:
    """Remove the wire into a slot."""
    target, slot = edit["to"], int(edit["slot"])
    graph = edits.without_wire(pinned(lab.graph), target, slot)
    return committed(lab, graph, f"Remove the wire to {slot_label(lab.graph[target], slot)} of {target}")


def _rewire(lab: Lab, edit: Edit) -> Lab:
    """Move the end of a wire from slot `oldSlot` of `oldTo` to `slot` of `to`."""
    source, target = edit["from"], edit["to"]
    old, new = (edit["oldTo"], int(edit["oldSlot"])), (target, int(edit["slot"]))
    graph = wire_edits.rewired(pinned(lab.graph), source, old, new)
    return committed(lab, graph, f"Wire {source} to {target} instead of {old[0]}")


def _insert(lab: Lab, edit: Edit) -> Lab:
    """Insert a node, dropped at `position`, into the wire from `from` to `slot` of `to`."""
    name, source, target = edit["node"], edit["from"], edit["to"]
    x, y = edit["position"]
    placed = edits.with_positions(pinned(lab.graph), {name: (float(x), float(y))})
    graph = wire_edits.inserted(placed, name, source, target, int(edit["slot"]))
    return committed(lab, graph, f"Insert {name} between {source} and {target}")


EDITS: Edits = {
    "connect": _connect,
    "disconnect": _disconnect,
    "rewire": _rewire,
    "insert": _insert,
}
