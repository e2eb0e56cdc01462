"""Set the source of an input's value beside the canvas: numbers or a random draw, data or parameter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.graph.edits.node_edits import with_params
from autodiff_viz.graph.model import INPUT, Node
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text.literals import shape_of
from autodiff_viz.language.parse import parse, parse_literal
from autodiff_viz.ops.initializers import INITIALIZERS, usual
from autodiff_viz.views.canvas.cards import input_text
from autodiff_viz.views.lab import Lab, committed, refused
from autodiff_viz.views.labels import set_to

DRAWN = ("shape", "init", "seed")  # parameters of a draw
ENDS = ("low", "high")  # of a slider


@dataclass(frozen=True, slots=True)
class Source:
    """View of an input's source.

    Attributes:
      trainable: whether it is a parameter.
      value: the value as text; None for a random draw and for a value that is too long to type.
      shape: the shape as text.
      init: name of the initializer; "" for numbers and for data.
      inits: names of the initializers that this shape allows; empty for data.
      seed: random seed; None for numbers.
    """

    trainable: bool
    value: str | None
    shape: str
    init: str
    inits: tuple[str, ...]
    seed: int | None


def source_view(node: Node) -> Source | None:
    """Return the source of an input; None for another node."""
    if node.op != INPUT:
        return None
    drawn = node.param("value") is None
    shape = node.param("shape", ()) if drawn else shape_of(node.param("value"))
    fits = tuple(name for name, one in INITIALIZERS.items() if len(shape) >= one.rank)
    return Source(
        trainable=node.is_parameter,
        value=None if drawn else input_text(node),
        shape=str(tuple(shape)),
        init=(node.param("init") or usual(shape)) if drawn and node.is_parameter else "",
        inits=fits if drawn and node.is_parameter else (),
        seed=node.param("seed", 0) if drawn else None,
    )


def set_trainable(lab: Lab, name: str, on: bool) -> Lab:
    """Turn an input into a parameter, or back.

    A random draw is then made by an initializer, or standard normal.
    """
    node = lab.graph[name]
    if node.op != INPUT or node.is_parameter == on:
        return lab
    changes: dict[str, Any] = {"trainable": True if on else None, "init": None}
    return _changed(lab, name, changes, f"Turn {name} into {'a parameter' if on else 'an input'}")


def set_numbers(lab: Lab, name: str, text: str) -> Lab:
    """Set the value of an input from text, in place of a random draw."""
    try:
        value = parse_literal(text)
    except GraphError as error:
        return refused(lab, _at(error, name))
    return _changed(lab, name, {"value": value, **dict.fromkeys(DRAWN)}, set_to(name, value))


def set_shape(lab: Lab, name: str, text: str) -> Lab:
    """Make an input a random draw of this shape; only its random seed is kept."""
    try:
        shape = read_shape(text)
    except GraphError as error:
        return refused(lab, _at(error, name))
    if source_view(lab.graph[name]).shape == str(shape):
        return lab
    node = lab.graph[name]
    init = node.param("init")
    fits = init is not None and len(shape) >= INITIALIZERS[init].rank
    changes = {"value": None, "shape": shape, "seed": node.param("seed", 0), **dict.fromkeys(ENDS)}
    changes["init"] = init if fits else None
    return _changed(lab, name, changes, set_to(f"the shape of {name}", shape))


def read_shape(text: str) -> tuple[int, ...]:
    """Parse the lengths of axes: "(3, 4)", "[3, 4]", "3, 4" or "3".

    Raises:
      GraphError: a length is no whole number from 1, or the shape is too large.
    """
    bare = text.strip()
    written = bare if bare[:1] in ("(", "[") else f"({bare},)"
    if "\n" not in bare:
        found = parse(f"x = input(shape={written}, seed=0)")
        shape = found.nodes[0].param("shape")
        if len(found.nodes) == 1 and all(length >= 1 for length in shape):
            return shape
    message = f"{bare[:40]!r} is no shape: the length of each axis is a whole number from 1."
    raise GraphError(Problem("bad-shape", message, "Write (3, 4)."))


def _changed(lab: Lab, name: str, changes: dict[str, Any], label: str) -> Lab:
    """Set parameters of an input, as one step of undo."""
    try:
        return committed(lab, with_params(lab.graph, name, changes), label)
    except GraphError as error:
        return refused(lab, error)


def _at(error: GraphError, name: str) -> GraphError:
    """Return the error at the node, without its place in a text that the user does not see."""
    bare = {"line": None, "column": None, "end_column": None, "caret": ""}
    return GraphError(replace(problem, node=name, **bare) for problem in error.problems)
