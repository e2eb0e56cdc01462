"""Add nodes: unconnected, wired to an existing node, or inserted into a wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from autodiff_viz.graph.edits import node_edits as edits
from autodiff_viz.graph.edits.wire_edits import inserted
from autodiff_viz.graph.model import INPUT, PARAMETER, Graph, Node, Rule, params
from autodiff_viz.graph.registries.rule_kinds import KINDS
from autodiff_viz.graph.structure.grad_nodes import BY
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.views.canvas.fixed_positions import pinned
from autodiff_viz.views.canvas.palette import RANDOM
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed
from autodiff_viz.views.node.layer_parameters import fitting, with_learned
from autodiff_viz.views.node.loss_targets import matching

LETTERS = {INPUT: "xyzwuvpqrst", RANDOM: "xyzwuvpqrst", PARAMETER: "wbuvpqrst"}
"""Letters for the names of new inputs, by name in the palette."""

NEW = {INPUT: params(value=1.0), RANDOM: params(shape=(4, 2), seed=0)}


def _add(lab: Lab, edit: Edit) -> Lab:
    """Add a node, with the parameters of a layer that reads something.

    Fields of `edit`: `wire`, {from, slot}, the producer and the new node's slot; `feeds`, {to, slot}, the
    slot that it feeds. With both, the node is inserted into the wire between them. `by`, beside `wire`: the
    producer of its second slot, of a grad node the x. `rule`: kind of its rule.
    """
    name, position = fresh_name(lab.graph, edit["op"]), _position(edit.get("position"))
    wire, feeds = edit.get("wire"), edit.get("feeds")
    before, node = pinned(lab.graph), _new_node(lab.graph, edit["op"], name, position, feeds)
    label = f"Add {name}"
    if wire and feeds:
        graph = inserted(edits.with_node(before, node), name, wire["from"], feeds["to"], int(feeds["slot"]))
        label = f"Insert {name} between {wire['from']} and {feeds['to']}"
    elif wire:
        graph = edits.with_wired_node(before, node, wire["from"], int(wire["slot"]))
        if by := edit.get("by"):
            graph, label = edits.with_wire(graph, by, name, BY), f"Differentiate {wire['from']} by {by}"
    elif feeds:
        graph = edits.with_wire(edits.with_node(before, node), name, feeds["to"], int(feeds["slot"]))
    else:
        graph = edits.with_node(before, node)
    if kind := edit.get("rule"):
        graph, label = edits.with_rule(graph, name, Rule(kind)), f"{label}, {KINDS[kind].label}"
    graph, added = with_learned(graph, name)
    return replace(committed(lab, graph, " with ".join([label, *added])), selected=name)


def fresh_name(graph: Graph, op: str) -> str:
    """Return a free name: a letter for an input, else the op's name with a number."""
    letters = LETTERS.get(op)
    if letters is None:
        return edits.free_name(graph, op)
    return next((letter for letter in letters if letter not in graph), edits.free_name(graph, letters[0]))


def _new_node(
    graph: Graph, op: str, name: str, position: tuple[float, float] | None, feeds: Mapping[str, Any] | None
) -> Node:
    """Return a node of this op with empty slots, or an input."""
    if op in LETTERS:
        given = NEW.get(op, ())
        if op == PARAMETER:
            given = fitting(graph, feeds)
        elif op == INPUT:
            given = matching(graph, feeds, given)
        return Node(name, INPUT, (), given, position=position)
    record = OPS[op]
    count = 2 if record.variadic else len(record.slots)
    return Node(name, op, (None,) * count, position=position)


def _position(given: Any) -> tuple[float, float] | None:
    """Return a position as two numbers."""
    if given is None:
        return None
    x, y = given
    return float(x), float(y)


EDITS: Edits = {"add": _add}
