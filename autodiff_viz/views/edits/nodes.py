"""Edit nodes: select, delete, rename, set constants, choose the output."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.graph.edits import node_edits as edits
from autodiff_viz.graph.model import INPUT
from autodiff_viz.language.parse import parse_literal
from autodiff_viz.views.canvas.fixed_positions import pinned
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed
from autodiff_viz.views.labels import plain, set_to


def _select(lab: Lab, edit: Edit) -> Lab:
    """Select a node, or none."""
    name = edit["node"]
    return replace(lab, selected=name if name in lab.graph else None, picked=(), notice=())


def _delete(lab: Lab, edit: Edit) -> Lab:
    """Delete nodes."""
    names = [str(name) for name in edit["nodes"]]
    label = f"Delete {names[0]}" if len(names) == 1 else f"Delete {len(names)} nodes"
    return committed(lab, edits.without_nodes(pinned(lab.graph), names), label)


def _constant(lab: Lab, edit: Edit) -> Lab:
    """Put a constant into a slot, or set the value of an input (slot null)."""
    target, slot, literal = edit["node"], edit["slot"], parse_literal(str(edit["text"]))
    if slot is None and lab.graph[target].op != INPUT:
        raise ValueError(target)
    if slot is None:
        return committed(lab, edits.with_param(lab.graph, target, "value", literal), set_to(target, literal))
    wired = int(slot) in dict(lab.graph[target].wires)  # removing a wire would change the layout
    graph = edits.with_constant(pinned(lab.graph) if wired else lab.graph, target, int(slot), literal)
    text = plain(literal) if isinstance(literal, int | float) else "a tensor"
    return committed(lab, graph, f"Put {text} into {target}")


def _rename(lab: Lab, edit: Edit) -> Lab:
    """Rename a node."""
    old, new = edit["node"], str(edit["name"]).strip()
    after = committed(lab, edits.renamed(lab.graph, old, new), f"Rename {old} to {new}")
    return replace(after, selected=new) if lab.selected == old else after


def _output(lab: Lab, edit: Edit) -> Lab:
    """Make a node the output."""
    return committed(lab, edits.with_output(lab.graph, edit["node"]), f"Make {edit['node']} the output")


EDITS: Edits = {
    "select": _select,
    "delete": _delete,
    "constant": _constant,
    "rename": _rename,
    "output": _output,
}
