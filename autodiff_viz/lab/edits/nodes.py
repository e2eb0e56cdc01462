"""Edit nodes: select, delete, rename, set constants, choose the output."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from autodiff_viz.canvas.arrange import centred, clear_of_cards, pinned
from autodiff_viz.canvas.drawing import places
from autodiff_viz.canvas.layout.placing import Point
from autodiff_viz.canvas.palette import RANDOM
from autodiff_viz.graph import edits
from autodiff_viz.graph.edits import inserted
from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.model import INPUT, PARAMETER, Graph, Node, Rule, params
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.graph.subgraph import graft
from autodiff_viz.lab.edits.edit import Edit, Edits
from autodiff_viz.lab.inspector.parameters import fitting, with_learned
from autodiff_viz.lab.labels import plain, set_to
from autodiff_viz.lab.loss_targets import matching
from autodiff_viz.lab.state import Lab, committed
from autodiff_viz.language.parse import parse_addition, parse_literal
from autodiff_viz.ops.catalog import OPS, slot_label

# Add nodes: unconnected, wired to an existing node, or inserted into a wire.


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


# Edit wires: connect, disconnect, reconnect, and insert a node.


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
    graph = edits.rewired(pinned(lab.graph), source, old, new)
    return committed(lab, graph, f"Wire {source} to {target} instead of {old[0]}")


def _insert(lab: Lab, edit: Edit) -> Lab:
    """Insert a node, dropped at `position`, into the wire from `from` to `slot` of `to`."""
    name, source, target = edit["node"], edit["from"], edit["to"]
    x, y = edit["position"]
    placed = edits.with_positions(pinned(lab.graph), {name: (float(x), float(y))})
    graph = edits.inserted(placed, name, source, target, int(edit["slot"]))
    return committed(lab, graph, f"Insert {name} between {source} and {target}")


# Add an expression, typed in Add, as nodes.


LABEL = 40  # characters of the expression in the history


def _write(lab: Lab, edit: Edit) -> Lab:
    """Add the nodes of an expression, wired to the nodes that it names, and select them.

    Fields of `edit`: `text`, the expression; `at`, where to centre its nodes, else beside what they read;
    `feeds`, {to, slot}, the slot that it feeds.
    """
    text = edit["text"]
    if not isinstance(text, str):
        raise TypeError(text)
    piece = parse_addition(text, lab.graph.by_name)
    return with_piece(lab, piece, edit, f"Add {_short(text.strip())}")


def with_piece(lab: Lab, piece: Graph, edit: Edit, label: str) -> Lab:
    """Add the nodes of a piece and select them; its last node has its value.

    Fields of `edit`: `at` and `feeds`, as of "write".
    """
    at, feeds = edit.get("at"), edit.get("feeds")
    still = pinned(lab.graph)
    grafted = graft(still, piece)
    graph, new = grafted.graph, [*grafted.name_of.values()]
    if feeds:
        graph = edits.with_wire(graph, new[-1], feeds["to"], int(feeds["slot"]))
    graph = pinned(graph if at is None else _around(still, graph, new, (float(at[0]), float(at[1]))))
    after = committed(lab, graph, label)
    return replace(after, selected=new[-1], picked=tuple(new))


def _around(still: Graph, graph: Graph, new: Iterable[str], at: Point) -> Graph:
    """Centre the new nodes at a point, or as near above or below it as they cover no other."""
    piece = replace(still, nodes=tuple(graph[name] for name in new), regions=(), groups=(), output=None)
    spots = centred(piece, places(piece).positions, at)
    return edits.with_positions(graph, clear_of_cards(piece, spots, still))


def _short(text: str) -> str:
    return text if len(text) <= LABEL else f"{text[: LABEL - 1]}\u2026"


EDITS: Edits = {
    "add": _add,
    "select": _select,
    "delete": _delete,
    "constant": _constant,
    "rename": _rename,
    "output": _output,
    "connect": _connect,
    "disconnect": _disconnect,
    "rewire": _rewire,
    "insert": _insert,
    "write": _write,
}
