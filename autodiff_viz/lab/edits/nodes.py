"""Edit nodes and wires: add, select, delete, rename, connect, insert, and type an expression as nodes."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.canvas.arrange import centred, clear_of_cards, pinned
from autodiff_viz.canvas.drawing import places
from autodiff_viz.canvas.palette import RANDOM
from autodiff_viz.graph import edits
from autodiff_viz.graph.edits import inserted
from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.model import INPUT, PARAMETER, Graph, Node, Rule, params
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.graph.subgraph import graft
from autodiff_viz.lab.edits.edit import Handlers, unreadable
from autodiff_viz.lab.inspector.parameters import fitting, with_learned
from autodiff_viz.lab.labels import plain, set_to
from autodiff_viz.lab.loss_targets import matching
from autodiff_viz.lab.state import Lab, committed
from autodiff_viz.language.parse import parse_addition, parse_literal
from autodiff_viz.messages.edits import (
    Add,
    Block,
    Connect,
    Constant,
    Consumer,
    Delete,
    Disconnect,
    Insert,
    Output,
    Rename,
    Rewire,
    Select,
    Write,
)
from autodiff_viz.ops.catalog import OPS, slot_label

# Nodes: new ones unconnected, wired to a node, or inserted into a wire

LETTERS = {INPUT: "xyzwuvpqrst", RANDOM: "xyzwuvpqrst", PARAMETER: "wbuvpqrst"}
"""Letters for the names of new inputs, by name in the palette."""

NEW = {INPUT: params(value=1.0), RANDOM: params(shape=(4, 2), seed=0)}


def _add(lab: Lab, edit: Add) -> Lab:
    """Add a node, with the parameters of a layer that reads something."""
    if edit.op not in LETTERS and edit.op not in OPS:
        raise unreadable(edit)
    if edit.rule and edit.rule not in KINDS:
        raise unreadable(edit)
    name, wire, feeds = fresh_name(lab.graph, edit.op), edit.wire, edit.feeds
    # Other wires would lay the cards out anew: from here on each stands where it is.
    before, node = pinned(lab.graph), _new_node(lab.graph, edit.op, name, edit.position, feeds)
    label = f"Add {name}"
    if wire and feeds:
        graph = inserted(edits.with_node(before, node), name, wire.source, feeds.to, feeds.slot)
        label = f"Insert {name} between {wire.source} and {feeds.to}"
    elif wire:
        graph = edits.with_wired_node(before, node, wire.source, wire.slot)
        if edit.by:
            graph = edits.with_wire(graph, edit.by, name, BY)
            label = f"Differentiate {wire.source} by {edit.by}"
    elif feeds:
        graph = edits.with_wire(edits.with_node(before, node), name, feeds.to, feeds.slot)
    else:
        graph = edits.with_node(before, node)
    if edit.rule:
        graph, label = edits.with_rule(graph, name, Rule(edit.rule)), f"{label}, {KINDS[edit.rule].label}"
    # A layer that reads something of a known shape gets its parameters in the same step.
    graph, added = with_learned(graph, name)
    return replace(committed(lab, graph, " with ".join([label, *added])), selected=name)


def fresh_name(graph: Graph, op: str) -> str:
    """Return a free name: a letter for an input, else the op's name with a number."""
    letters = LETTERS.get(op)
    if letters is None:
        return edits.free_name(graph, op)
    return next((letter for letter in letters if letter not in graph), edits.free_name(graph, letters[0]))


def _new_node(
    graph: Graph, op: str, name: str, position: tuple[float, float] | None, feeds: Consumer | None
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


def _select(lab: Lab, edit: Select) -> Lab:
    """Select a node, or none."""
    return replace(lab, selected=edit.node if edit.node in lab.graph else None, picked=(), notice=())


def _delete(lab: Lab, edit: Delete) -> Lab:
    """Delete nodes."""
    names = edit.nodes
    label = f"Delete {names[0]}" if len(names) == 1 else f"Delete {len(names)} nodes"
    return committed(lab, edits.without_nodes(pinned(lab.graph), names), label)


def _constant(lab: Lab, edit: Constant) -> Lab:
    """Put a constant into a slot, or set the value of an input (slot null)."""
    target, slot, literal = edit.node, edit.slot, parse_literal(edit.text)
    if target not in lab.graph or (slot is None and lab.graph[target].op != INPUT):
        raise unreadable(edit)
    if slot is None:
        return committed(lab, edits.with_param(lab.graph, target, "value", literal), set_to(target, literal))
    # Only removing a wire changes the layout; a constant in place of another leaves it automatic.
    wired = slot in dict(lab.graph[target].wires)
    graph = edits.with_constant(pinned(lab.graph) if wired else lab.graph, target, slot, literal)
    text = plain(literal) if isinstance(literal, int | float) else "a tensor"
    return committed(lab, graph, f"Put {text} into {target}")


def _rename(lab: Lab, edit: Rename) -> Lab:
    """Rename a node."""
    old, new = edit.node, edit.name.strip()
    after = committed(lab, edits.renamed(lab.graph, old, new), f"Rename {old} to {new}")
    return replace(after, selected=new) if lab.selected == old else after


def _output(lab: Lab, edit: Output) -> Lab:
    """Make a node the output."""
    return committed(lab, edits.with_output(lab.graph, edit.node), f"Make {edit.node} the output")


# Wires


def _connect(lab: Lab, edit: Connect) -> Lab:
    """Connect a node to a slot."""
    graph = edits.with_wire(pinned(lab.graph), edit.source, edit.to, edit.slot)
    return committed(lab, graph, f"Wire {edit.source} to {edit.to}")


def _disconnect(lab: Lab, edit: Disconnect) -> Lab:
    """Remove the wire into a slot."""
    graph = edits.without_wire(pinned(lab.graph), edit.to, edit.slot)
    slot = slot_label(lab.graph[edit.to], edit.slot)
    return committed(lab, graph, f"Remove the wire to {slot} of {edit.to}")


def _rewire(lab: Lab, edit: Rewire) -> Lab:
    """Move the end of a wire to another slot."""
    old, new = (edit.old_to, edit.old_slot), (edit.to, edit.slot)
    graph = edits.rewired(pinned(lab.graph), edit.source, old, new)
    return committed(lab, graph, f"Wire {edit.source} to {edit.to} instead of {edit.old_to}")


def _insert(lab: Lab, edit: Insert) -> Lab:
    """Insert a node into a wire, where it was dropped."""
    placed = edits.with_positions(pinned(lab.graph), {edit.node: edit.position})
    graph = edits.inserted(placed, edit.node, edit.source, edit.to, edit.slot)
    return committed(lab, graph, f"Insert {edit.node} between {edit.source} and {edit.to}")


# An expression, typed in Add, as nodes

LABEL = 40  # characters of the expression in the history


def _write(lab: Lab, edit: Write) -> Lab:
    """Add the nodes of an expression, wired to the nodes that it names, and select them."""
    piece = parse_addition(edit.text, lab.graph.by_name)
    text = edit.text.strip()
    short = text if len(text) <= LABEL else f"{text[: LABEL - 1]}\u2026"
    return with_piece(lab, piece, edit, f"Add {short}")


def with_piece(lab: Lab, piece: Graph, edit: Write | Block, label: str) -> Lab:
    """Add the nodes of a piece and select them; its last node has its value."""
    at, feeds = edit.at, edit.feeds
    still = pinned(lab.graph)
    grafted = graft(still, piece)
    graph, new = grafted.graph, [*grafted.name_of.values()]
    if feeds:
        graph = edits.with_wire(graph, new[-1], feeds.to, feeds.slot)
    if at is not None:
        # The new nodes are centred there, or as near above or below as they cover no other card.
        alone = replace(still, nodes=tuple(graph[name] for name in new), regions=(), groups=(), output=None)
        spots = centred(alone, places(alone).positions, at)
        graph = edits.with_positions(graph, clear_of_cards(alone, spots, still))
    graph = pinned(graph)
    after = committed(lab, graph, label)
    return replace(after, selected=new[-1], picked=tuple(new))


HANDLERS: Handlers = {
    Add: _add,
    Select: _select,
    Delete: _delete,
    Constant: _constant,
    Rename: _rename,
    Output: _output,
    Connect: _connect,
    Disconnect: _disconnect,
    Rewire: _rewire,
    Insert: _insert,
    Write: _write,
}
