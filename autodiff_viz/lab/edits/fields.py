"""Edit a node's fields beside the canvas: parameters of its op, and the source of an input's value.

A field's message may be late: it has no effect if its node no longer exists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autodiff_viz.canvas.arrange import pinned
from autodiff_viz.graph import limits
from autodiff_viz.graph.history import push
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import listed, quoted, seed_fault
from autodiff_viz.lab.actions import read_again, resampled, set_input, set_param, typed
from autodiff_viz.lab.code import code_in
from autodiff_viz.lab.edits.edit import Handlers, check_nodes, unreadable
from autodiff_viz.lab.inspector.parameters import (
    set_numbers,
    set_shape,
    set_trainable,
    set_units,
    source_view,
    with_learned,
)
from autodiff_viz.lab.state import Lab, committed, refused
from autodiff_viz.messages.edits import (
    AsFormula,
    Learn,
    Numbers,
    ReadAgain,
    Resample,
    SetParam,
    Shape,
    Slide,
    Trainable,
    Type,
    Units,
)
from autodiff_viz.ops.catalog import OPS


def _learn(lab: Lab, edit: Learn) -> Lab:
    """Add parameters in the empty slots of a layer."""
    check_nodes(lab, edit, [edit.node])
    graph, added = with_learned(pinned(lab.graph), edit.node)
    return committed(lab, graph, f"Add {listed(added)} for {edit.node}") if added else lab


def _type(lab: Lab, edit: Type) -> Lab:
    """Set the formula's text."""
    # One character more than the limit is enough for a text to be refused as too long.
    return typed(lab, edit.text[: limits.TEXT + 1], edit.fresh)


def _as_formula(lab: Lab) -> Lab:
    """Write the graph of code as a formula, as a step of undo."""
    present = lab.history.present
    if not code_in(present.text):
        return lab
    entry = present._replace(label="Write the code as a formula", text=None, setting=None, folds=None)
    return replace(lab, history=push(lab.history, entry), typing=False)


def _slide(lab: Lab, edit: Slide) -> Lab:
    """Set the value of an input; no effect if it no longer exists, since a slider's message may be late."""
    node = lab.graph.by_name.get(edit.name)
    if node is None:
        return lab
    if node.op == INPUT and type(node.param("value")) not in (int, float):  # a tensor has no slider
        raise unreadable(edit)
    return set_input(lab, edit.name, edit.value, edit.fresh)


NUMBERS = frozenset({"float", "int", "seed"})  # kinds of parameters
MOST_UNITS = 4096


def _on_node(action: Callable[[Lab, str, Any], Lab]) -> Callable[[Lab, Any], Lab]:
    """Return the handler that applies `action` to the node and the value of an edit, if the node exists."""
    return lambda lab, edit: action(lab, edit.node, edit.value) if edit.node in lab.graph else lab


def _shape(lab: Lab, edit: Shape) -> Lab:
    """Set the shape of an input that is drawn."""
    if edit.node in lab.graph and lab.graph[edit.node].op != INPUT:
        raise unreadable(edit)
    return _on_node(set_shape)(lab, edit)


def _units(lab: Lab, name: str, text: str) -> Lab:
    """Set the number of outputs of a layer."""
    count = _number(text)
    if type(count) is int and 1 <= count <= MOST_UNITS:
        return set_units(lab, name, count)
    message = f"A layer has a whole number of outputs, from 1 to {MOST_UNITS}; {text[:40]!r} is none."
    return refused(lab, GraphError(Problem("bad-units", message, "Type another number.", node=name)))


def _param(lab: Lab, edit: SetParam) -> Lab:
    """Set a parameter of the op. Numbers come as text, and are checked like those of the formula."""
    name, param, value = edit.node, edit.param, edit.value
    if name not in lab.graph:
        return lab
    node = lab.graph[name]
    if node.op == INPUT:
        return _draw(lab, edit)
    spec = OPS[node.op].param(param)
    if spec is None or (spec.kind in NUMBERS and not isinstance(value, str)):
        raise unreadable(edit)
    if spec.kind in NUMBERS:
        value = _number(value)
    # 2 for a float is stored as 2.0, as the formula does; what is no number stays text, which is refused.
    return set_param(lab, name, param, float(value) if spec.kind == "float" and type(value) is int else value)


def _draw(lab: Lab, edit: SetParam) -> Lab:
    """Set the initializer of a parameter, or the seed of a random draw."""
    source, value = source_view(lab.graph[edit.node]), edit.value
    if isinstance(value, str):
        if edit.param == "seed" and source.seed is not None:
            seed = _number(value)
            if fault := seed_fault(seed):
                message = f"{quoted(value[:40])} {fault}."
                raise GraphError(Problem("bad-seed", message, "Type another seed.", node=edit.node))
            return set_param(lab, edit.node, "seed", seed)
        if edit.param == "init" and value in source.inits:
            return set_param(lab, edit.node, "init", value)
    raise unreadable(edit)


def _number(text: str) -> int | float | str:
    """Parse a number, an integer where it has no point; return the text itself if it is none."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


HANDLERS: Handlers = {
    Learn: _learn,
    Type: _type,
    Slide: _slide,
    AsFormula: lambda lab, _: _as_formula(lab),
    ReadAgain: lambda lab, _: read_again(lab),
    Resample: lambda lab, _: resampled(lab),
    SetParam: _param,
    Trainable: _on_node(set_trainable),
    Numbers: _on_node(set_numbers),
    Shape: _shape,
    Units: _on_node(_units),
}
