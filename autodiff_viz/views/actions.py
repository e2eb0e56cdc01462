"""What the user can do: each action takes a lab and returns the next one. Nothing here raises for a
user's mistake; it is put in `notice` and the graph stays as it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from autodiff_viz.graph import edits
from autodiff_viz.graph.history import Entry, History, redo, undo
from autodiff_viz.graph.model import (
    BACKWARD_AS,
    INPUT,
    POLICIES,
    PULLBACK,
    REWRITE,
    RULE_KINDS,
    Call,
    Graph,
    Lambda,
    Literal,
    Node,
    Region,
    Rule,
    params,
)
from autodiff_viz.graph.names import numbered
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.language.parse import parse, parse_lambda, parse_literal
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.views.drawing import places
from autodiff_viz.views.lab import (
    Lab,
    committed,
    opened,
    plain,
    refused,
    scalar_inputs,
    start,
    with_range,
    without_draft,
)

RULE_LABELS = {
    "follow": "Follow JAX at",
    "stop": "Stop gradient at",
    "rewrite": "Rewrite cotangent at",
    "pullback": "Declare pullback at",
    "backward_as": "Differentiate differently at",
}


def typed(lab: Lab, text: str) -> Lab:
    """The formula changed. With mistakes, the text is kept as a draft and the graph stays."""
    try:
        graph = parse(text, previous=lab.graph)
    except GraphError as error:
        return replace(lab, draft=text, mistakes=error.problems, notice=())
    return without_draft(committed(lab, graph, "Edit the formula"))


def unshelved(lab: Lab) -> Lab:
    """Bring the shelved draft back into the formula."""
    return replace(typed(lab, lab.shelved or ""), shelved=None)


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


def set_input(lab: Lab, name: str, value: float) -> Lab:
    """Move a slider. Successive moves of one slider are one step of undo."""
    node = lab.graph[name]
    label = f"Move {name}"
    held = with_range(lab, name)
    graph = edits.with_param(lab.graph, name, "value", value)
    moved = committed(held, graph, label)
    if lab.history.present.label == label and node.param("value") != value:
        moved = replace(moved, history=History(lab.history.past, Entry(label, graph), ()))
    return moved


def set_rule(lab: Lab, name: str, kind: str) -> Lab:
    """Put a rule on a node, with a sensible function to start from; on the active one, take it off."""
    if kind not in RULE_KINDS:
        raise ValueError(kind)
    node = lab.graph[name]
    kind = "follow" if kind == node.rule.kind else kind
    rule, alternative = _first_rule(node, kind), None
    if kind == BACKWARD_AS:
        alternative = node.wires[0][1] if node.wires else None
    graph = edits.with_rule(lab.graph, name, rule, alternative)
    return replace(committed(lab, graph, f"{RULE_LABELS[kind]} {name}"), selected=name)


def set_function(lab: Lab, name: str, text: str) -> Lab:
    """Change the lambda of a rewrite or a pullback."""
    try:
        rule = replace(lab.graph[name].rule, function=parse_lambda(text))
        return committed(lab, edits.with_rule(lab.graph, name, rule), f"Change the {rule.kind} of {name}")
    except GraphError as error:
        return refused(lab, error)


def set_param(lab: Lab, name: str, param: str, value: Any) -> Lab:
    """Change a parameter of a node."""
    try:
        graph = edits.with_param(lab.graph, name, param, value)
        return committed(lab, graph, f"Set {param} of {name}")
    except GraphError as error:
        return refused(lab, error)


def set_policy(lab: Lab, region: str, policy: str, saved: frozenset[str] = frozenset()) -> Lab:
    """Choose what a checkpoint region saves."""
    old = next(r for r in lab.graph.regions if r.name == region)
    kept = saved & old.nodes if policy == POLICIES[3] else frozenset()
    try:
        graph = edits.with_region(lab.graph, replace(old, policy=policy, saved=kept))
        return committed(lab, graph, f"Policy of {region}: {policy}")
    except GraphError as error:
        return refused(lab, error)


def set_seed(lab: Lab, seed: Literal) -> Lab:
    """The cotangent put in at the output; 1 is what JAX users take, and not kept."""
    return replace(lab, seed=None if seed == 1 else seed, notice=())


def type_seed(lab: Lab, text: str) -> Lab:
    """As `set_seed`, from text: a number, or rows of numbers in brackets."""
    try:
        return set_seed(lab, parse_literal(text))
    except GraphError as error:
        return refused(lab, error)


def resampled(lab: Lab) -> Lab:
    """Draw all noise and all random inputs again, with the next seed."""
    graph = lab.graph
    for name in noisy(graph):
        graph = edits.with_param(graph, name, "seed", int(graph[name].param("seed", 0)) + 1)
    return committed(lab, graph, "Resample")


def noisy(graph: Graph) -> tuple[str, ...]:
    """Names of the nodes with a random draw."""
    return tuple(node.name for node in graph.nodes if _draws(node))


def undone(lab: Lab) -> Lab:
    """One step back."""
    return _stepped(lab, undo(lab.history))


def redone(lab: Lab) -> Lab:
    """One step forward again."""
    return _stepped(lab, redo(lab.history))


def reset(lab: Lab) -> Lab:
    """Back to the first graph; undo leads back to the present one."""
    return opened(replace(lab, lesson=None, variant=0), start().graph, "Start again")


def _stepped(lab: Lab, history: History) -> Lab:
    selected = lab.selected if lab.selected in history.graph else None
    return replace(lab, history=history, notice=(), selected=selected)


def _draws(node: Node) -> bool:
    if node.op == INPUT:
        return node.param("shape") is not None
    return node.op in OPS and OPS[node.op].param("seed") is not None


def _first_rule(node: Node, kind: str) -> Rule:
    """A function that can be seen to act: a reversed gradient, or one that is passed straight through."""
    if kind == REWRITE:
        return Rule(kind, Lambda(("v",), (Call("neg", ("v",)),)))
    if kind == PULLBACK:
        names = _argument_names([producer for _, producer in node.wires])
        return Rule(kind, Lambda(("v", *names, "y"), ("v",) * len(names)))
    return Rule(kind)


def _argument_names(producers: list[str]) -> list[str]:
    """One name per wire: the producer's where it is free, else numbered."""
    found: list[str] = []
    for producer in producers:
        taken = {"v", "y", *found}
        found.append(producer if producer not in taken else numbered(producer, taken))
    return found


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
    return (float(given[0]), float(given[1])) if given is not None else None


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


def swept_input(lab: Lab) -> str | None:
    """The input of the sweep figure: the chosen one, else the selected node, else the first."""
    names = scalar_inputs(lab.graph)
    for name in (lab.swept, lab.selected):
        if name in names:
            return name
    return names[0] if names else None
