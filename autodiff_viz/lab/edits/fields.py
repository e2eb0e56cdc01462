"""Edit a node's fields beside the canvas: parameters of its op, and the source of an input's value.

A field's message may be late: it has no effect if its node no longer exists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_viz.canvas.arrange import pinned
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import listed, seed_fault
from autodiff_viz.lab.actions import resampled, set_input, set_param, typed
from autodiff_viz.lab.edits.edit import Edit, Edits
from autodiff_viz.lab.inspector.parameters import (
    set_numbers,
    set_shape,
    set_trainable,
    set_units,
    source_view,
    with_learned,
)
from autodiff_viz.lab.state import Lab, committed, refused
from autodiff_viz.ops.catalog import OPS

# Add all parameters of a layer at once.


def _learn(lab: Lab, edit: Edit) -> Lab:
    """Add parameters in the empty slots of a layer."""
    name = str(edit["node"])
    graph, added = with_learned(pinned(lab.graph), name)
    return committed(lab, graph, f"Add {listed(added)} for {name}") if added else lab


# Edit the formula's text and move sliders; these edits are sent with those of the canvas.


def _type(lab: Lab, edit: Edit) -> Lab:
    """Set the formula's text."""
    text = edit["text"]
    if not isinstance(text, str):
        raise TypeError(text)
    return typed(lab, text[: limits.TEXT + 1], edit.get("fresh") is not False)


def _slide(lab: Lab, edit: Edit) -> Lab:
    """Set the value of an input; no effect if it no longer exists, since a slider's message may be late."""
    name, value = edit["name"], edit["value"]
    if not isinstance(name, str) or not is_number(value):
        raise ValueError(value)
    return set_input(lab, name, float(value), edit.get("fresh") is not False) if name in lab.graph else lab


def is_number(value: object) -> bool:
    """Return whether an input may have this value."""
    return type(value) in (int, float) and abs(value) <= limits.NUMBER  # false for NaN


Action = Callable[[Lab, str, Any], Lab]

NUMBERS = frozenset({"float", "int", "seed"})  # kinds of parameters
MOST_UNITS = 4096


def _on_node(action: Action, read: Callable[[Any], Any]) -> Callable[[Lab, Edit], Lab]:
    """Return the edit that applies `action` to its node, with its value parsed by `read`."""

    def apply(lab: Lab, edit: Edit) -> Lab:
        """Apply the action if the node exists."""
        name = edit["node"]
        return action(lab, name, read(edit["value"])) if name in lab.graph else lab

    return apply


def _of(kind: type) -> Callable[[Any], Any]:
    """Return a function that accepts only values of this type."""

    def read(value: Any) -> Any:
        """Return the value.

        Raises:
          TypeError: it has another type.
        """
        if type(value) is not kind:
            raise TypeError(value)
        return value

    return read


def _units(lab: Lab, name: str, text: str) -> Lab:
    """Set the number of outputs of a layer."""
    count = _number(text)
    if type(count) is int and 1 <= count <= MOST_UNITS:
        return set_units(lab, name, count)
    message = f"A layer has a whole number of outputs, from 1 to {MOST_UNITS}; {text[:40]!r} is none."
    return refused(lab, GraphError(Problem("bad-units", message, "Type another number.", node=name)))


def _param(lab: Lab, edit: Edit) -> Lab:
    """Set a parameter of the op. Numbers come as text, and are checked like those of the formula."""
    name, param, value = edit["node"], edit["param"], edit["value"]
    if name not in lab.graph:
        return lab
    node = lab.graph[name]
    if node.op == INPUT:
        return _draw(lab, name, param, value)
    spec = OPS[node.op].param(param)
    if spec is None:
        raise ValueError(param)
    if spec.kind in NUMBERS:
        value = _number(value)
    return set_param(lab, name, param, float(value) if spec.kind == "float" and type(value) is int else value)


def _draw(lab: Lab, name: str, param: str, value: Any) -> Lab:
    """Set the initializer of a parameter, or the seed of a random draw."""
    source = source_view(lab.graph[name])
    if param == "seed" and source.seed is not None and not seed_fault(seed := _number(value)):
        return set_param(lab, name, "seed", seed)
    if param == "init" and value in source.inits:
        return set_param(lab, name, "init", value)
    raise ValueError(param)


def _number(text: Any) -> Any:
    """Parse a number, an integer where it has no point; return the text itself if it is none."""
    for kind in (int, float):
        try:
            return kind(_of(str)(text))
        except ValueError:
            pass
    return text


EDITS: Edits = {
    "learn": _learn,
    "type": _type,
    "slide": _slide,
    "resample": lambda lab, edit: resampled(lab),
    "param": _param,
    "trainable": _on_node(set_trainable, _of(bool)),
    "numbers": _on_node(set_numbers, _of(str)),
    "shape": _on_node(set_shape, _of(str)),
    "units": _on_node(_units, _of(str)),
}
