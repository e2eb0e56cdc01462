"""Nodes on the canvas: chosen, added, deleted, named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff_viz.graph import edits
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.language.parse import parse_literal
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed, plain


def _select(lab: Lab, edit: Edit) -> Lab:
    name = edit["node"]
    return replace(lab, selected=name if name in lab.graph else None, picked=(), notice=())


def _add(lab: Lab, edit: Edit) -> Lab:
    name = _fresh_name(lab.graph, edit["op"])
    node = replace(_new_node(edit["op"], name, edit.get("wire")), position=_position(edit.get("position")))
    graph = edits.with_node(lab.graph, node)
    return replace(committed(lab, graph, f"Add {name}"), selected=name)


def _fresh_name(graph: Graph, op: str) -> str:
    """A letter for an input, as a person would choose; else the op's name and a number."""
    if op != INPUT:
        return edits.free_name(graph, op)
    return next((letter for letter in "xyzwuvpqrst" if letter not in graph), edits.free_name(graph, "x"))


def _new_node(op: str, name: str, wire: str | None) -> Node:
    if op == INPUT:
        return Node(name, INPUT, (), params(value=1.0))
    record = OPS[op]
    slots: list[str | None] = [None] * (2 if record.variadic else len(record.slots))
    if wire is not None and slots:
        slots[0] = str(wire)
    return Node(name, op, tuple(slots))


def _position(given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    x, y = given
    return float(x), float(y)


def _delete(lab: Lab, edit: Edit) -> Lab:
    names = [str(name) for name in edit["nodes"]]
    label = f"Delete {names[0]}" if len(names) == 1 else f"Delete {len(names)} nodes"
    return committed(lab, edits.without_nodes(lab.graph, names), label)


def _constant(lab: Lab, edit: Edit) -> Lab:
    """A number typed into a slot, or over the value of an input (slot null)."""
    target, slot, literal = edit["node"], edit["slot"], parse_literal(str(edit["text"]))
    if slot is None and lab.graph[target].op != INPUT:
        raise ValueError(target)
    if slot is None:
        return committed(lab, edits.with_param(lab.graph, target, "value", literal), f"Set {target}")
    graph = edits.with_constant(lab.graph, target, int(slot), literal)
    text = plain(literal) if isinstance(literal, int | float) else "a tensor"
    return committed(lab, graph, f"Put {text} into {target}")


def _rename(lab: Lab, edit: Edit) -> Lab:
    old, new = edit["node"], str(edit["name"]).strip()
    after = committed(lab, edits.renamed(lab.graph, old, new), f"Rename {old} to {new}")
    return replace(after, selected=new) if lab.selected == old else after


def _output(lab: Lab, edit: Edit) -> Lab:
    return committed(lab, edits.with_output(lab.graph, edit["node"]), f"Output: {edit['node']}")


EDITS: Edits = {
    "select": _select,
    "add": _add,
    "delete": _delete,
    "constant": _constant,
    "rename": _rename,
    "output": _output,
}
