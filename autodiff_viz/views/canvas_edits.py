"""What the user does on the canvas: each edit that it sends, applied to a lab."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from autodiff_viz.graph import edits
from autodiff_viz.graph.model import INPUT, Graph, Node, Region, params
from autodiff_viz.graph.names import numbered
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.language.parse import parse_literal
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.views.actions import redone, set_rule, undone
from autodiff_viz.views.drawing import places
from autodiff_viz.views.lab import Lab, committed, plain, refused


def edited(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    """Apply one edit from the canvas. It comes from outside: a field that is missing or of the wrong
    kind refuses the edit."""
    try:
        action = _EDITS.get(edit.get("kind"))
        return action(lab, edit) if action else lab
    except GraphError as error:
        return refused(lab, error)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        message = f"The canvas sent an edit that could not be read: {str(dict(edit))[:200]}."
        return replace(lab, notice=(Problem("bad-edit", message, "Reload the page and try again."),))


def _select(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    name = edit["node"]
    return replace(lab, selected=name if name in lab.graph else None, notice=())


def _move(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    positions = {str(name): (float(x), float(y)) for name, (x, y) in edit["positions"].items()}
    label = f"Move {next(iter(positions))}" if len(positions) == 1 else f"Move {len(positions)} nodes"
    # The first move pins every node where it stands, so that later edits do not lay the others out anew.
    pinned = {**places(lab.graph).positions, **positions}
    return committed(lab, edits.with_positions(lab.graph, pinned), f"{label} on the canvas")


def _arrange(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    names = edit.get("nodes") or list(lab.graph.by_name)
    return committed(lab, edits.with_positions(lab.graph, dict.fromkeys(names)), "Arrange")


def _connect(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    source, target, slot = edit["from"], edit["to"], int(edit["slot"])
    return committed(lab, edits.with_wire(lab.graph, source, target, slot), f"Wire {source} to {target}")


def _disconnect(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    target, slot = edit["to"], int(edit["slot"])
    return committed(lab, edits.without_wire(lab.graph, target, slot), f"Unwire slot {slot} of {target}")


def _add(lab: Lab, edit: Mapping[str, Any]) -> Lab:
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


def _delete(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    names = [str(name) for name in edit["nodes"]]
    label = f"Delete {names[0]}" if len(names) == 1 else f"Delete {len(names)} nodes"
    return committed(lab, edits.without_nodes(lab.graph, names), label)


def _checkpoint(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    names = frozenset(str(name) for name in edit["nodes"])
    name = numbered("block", {region.name for region in lab.graph.regions})
    return committed(lab, edits.with_region(lab.graph, Region(name, names)), f"Checkpoint {name}")


def _uncheckpoint(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    region = edit["region"]
    return committed(lab, edits.without_region(lab.graph, region), f"Remove checkpoint {region}")


def _constant(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    """A number typed into a slot, or over the value of an input (slot null)."""
    target, slot, literal = edit["node"], edit["slot"], parse_literal(str(edit["text"]))
    if slot is None and lab.graph[target].op != INPUT:
        raise ValueError(target)
    if slot is None:
        return committed(lab, edits.with_param(lab.graph, target, "value", literal), f"Set {target}")
    graph = edits.with_constant(lab.graph, target, int(slot), literal)
    text = plain(literal) if isinstance(literal, int | float) else "a tensor"
    return committed(lab, graph, f"Put {text} into {target}")


def _rename(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    old, new = edit["node"], str(edit["name"]).strip()
    after = committed(lab, edits.renamed(lab.graph, old, new), f"Rename {old} to {new}")
    return replace(after, selected=new) if lab.selected == old else after


def _output(lab: Lab, edit: Mapping[str, Any]) -> Lab:
    return committed(lab, edits.with_output(lab.graph, edit["node"]), f"Output: {edit['node']}")


_EDITS: Mapping[Any, Callable[[Lab, Mapping[str, Any]], Lab]] = {
    "select": _select,
    "move": _move,
    "arrange": _arrange,
    "connect": _connect,
    "disconnect": _disconnect,
    "add": _add,
    "delete": _delete,
    "rule": lambda lab, edit: set_rule(lab, edit["node"], edit["rule"]),
    "checkpoint": _checkpoint,
    "uncheckpoint": _uncheckpoint,
    "constant": _constant,
    "rename": _rename,
    "output": _output,
    "undo": lambda lab, edit: undone(lab),
    "redo": lambda lab, edit: redone(lab),
}
