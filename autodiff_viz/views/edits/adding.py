"""New nodes on the canvas: by themselves, wired to what they were asked for from, or put into a wire."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff_viz.graph import edits
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.rewiring import inserted
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.views.edits.pinned import pinned
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed


def _add(lab: Lab, edit: Edit) -> Lab:
    """`wire`: {from, slot}, what the new node reads and in which of its slots; `feeds`: {to, slot}, the slot
    that it feeds. With both, it is put into the wire between them."""
    name, position = _fresh_name(lab.graph, edit["op"]), _position(edit.get("position"))
    graph = edits.with_node(pinned(lab.graph), _new_node(edit["op"], name, position))
    wire, feeds = edit.get("wire"), edit.get("feeds")
    label = f"Add {name}"
    if wire and feeds:
        graph = inserted(graph, name, wire["from"], feeds["to"], int(feeds["slot"]))
        label = f"Insert {name} between {wire['from']} and {feeds['to']}"
    elif wire:
        graph = edits.with_wire(graph, wire["from"], name, int(wire["slot"]))
    elif feeds:
        graph = edits.with_wire(graph, name, feeds["to"], int(feeds["slot"]))
    return replace(committed(lab, graph, label), selected=name)


def _fresh_name(graph: Graph, op: str) -> str:
    """A letter for an input, as a person would choose; else the op's name and a number."""
    if op != INPUT:
        return edits.free_name(graph, op)
    return next((letter for letter in "xyzwuvpqrst" if letter not in graph), edits.free_name(graph, "x"))


def _new_node(op: str, name: str, position: tuple[float, float] | None) -> Node:
    if op == INPUT:
        return Node(name, INPUT, (), params(value=1.0), position=position)
    record = OPS[op]
    count = 2 if record.variadic else len(record.slots)
    return Node(name, op, (None,) * count, position=position)


def _position(given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    x, y = given
    return float(x), float(y)


EDITS: Edits = {"add": _add}
