"""Set where an input's value comes from, and add the parameters of layers, of the shapes that fit.

A value is numbers or a random draw, data or a parameter. The outputs of a layer can be changed as long as
its parameters are draws of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.canvas.arrange import standing
from autodiff_viz.canvas.cards import PICTURED, input_text, pictured, size
from autodiff_viz.engine.live_path.check import shapes
from autodiff_viz.graph import edits
from autodiff_viz.graph.edits import with_params
from autodiff_viz.graph.model import INPUT, Graph, Node, Params, params
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import shape_of
from autodiff_viz.lab.labels import set_to
from autodiff_viz.lab.state import Lab, committed, refused
from autodiff_viz.language.parse import parse, parse_literal
from autodiff_viz.messages.edits import Consumer
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.learned import LEARNED
from autodiff_viz.ops.params import INITIALIZERS, usual

# The source of an input's value

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
    # None takes a parameter away; an initializer is one of parameters only.
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
    node = lab.graph[name]
    if source_view(node).shape == str(shape):  # numbers that have this shape already stay
        return lab
    # An initializer that counts inputs and outputs needs two axes; without one the usual one is taken.
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
    # The formula's parser knows the limits of shapes; what else it reads there, a second node, is no shape.
    if "\n" not in bare:
        parsed = parse(f"x = input(shape={written}, seed=0)")
        shape = parsed.nodes[0].param("shape")
        if len(parsed.nodes) == 1 and all(length >= 1 for length in shape):
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


# The parameters of a layer

NEW_PARAMETER: Params = params(value=0.5, trainable=True)
BELOW, BESIDE = 28.0, 72.0  # px below another card, and left of the layer


def wanted(graph: Graph, name: str) -> dict[int, Params]:
    """Return by empty slot of a layer the parameter that fits; {} while the shape of x is unknown."""
    node = graph[name]
    x, learn = node.slots[0] if node.slots else None, LEARNED.get(node.op)
    if learn is None or not isinstance(x, str):
        return {}
    known = shapes(graph)
    if x not in known:
        return {}
    # The number of outputs is the last axis of what is wired to w or b already, if that is known.
    held = [known.get(slot) for slot in node.op_slots[1:] if isinstance(slot, str)]
    fits = learn(known[x], next((shape[-1] for shape in held if shape), None))
    seed, missing = new_seed(graph), {}
    for i, slot in enumerate(OPS[node.op].slots):
        if slot in fits and i < len(node.slots) and node.slots[i] is None:
            shape, init = fits[slot]
            # Each has a seed of its own; x, which is no parameter, is slot 0.
            missing[i] = params(shape=shape, init=init, seed=seed + i - 1, trainable=True)
    return missing


def new_seed(graph: Graph) -> int:
    """Return a random seed of no parameter: layers with the same initial values would learn the same."""
    return 1 + max((node.param("seed", 0) for node in graph.nodes if node.is_parameter), default=0)


def with_learned(graph: Graph, name: str) -> tuple[Graph, tuple[str, ...]]:
    """Add parameters in a layer's empty slots; also return their names. All nodes must have positions."""
    added: list[str] = []
    for slot, given in wanted(graph, name).items():
        fresh = edits.free_name(graph, OPS[graph[name].op].slots[slot])
        graph = edits.with_node(graph, Node(fresh, INPUT, (), given, position=_spot(graph, name)))
        graph = edits.with_wire(graph, fresh, name, slot)
        added.append(fresh)
    return graph, tuple(added)


def _spot(graph: Graph, name: str) -> tuple[float, float]:
    """Return a free position left of the layer."""
    positions, tall = standing(graph), pictured(graph)
    width, height = PICTURED  # at most
    left, top = positions[name]
    left -= width + BESIDE
    # From the layer's height down: below each card of this column that is in the way.
    boxes = [(*positions[node.name], *size(node, tall.get(node.name))) for node in graph.nodes]
    column = sorted((y, y + h) for x, y, w, h in boxes if x < left + width and left < x + w)
    for high, low in column:
        if high < top + height + BELOW and low + BELOW > top:
            top = low + BELOW
    return round(left, 1), round(top, 1)


def fitting(graph: Graph, feeds: Consumer | None) -> Params:
    """Return the initial value of a new parameter: what the slot that it feeds needs, else a number."""
    if feeds is None or feeds.to not in graph:
        return NEW_PARAMETER
    return wanted(graph, feeds.to).get(feeds.slot, NEW_PARAMETER)


def units(graph: Graph, name: str) -> int | None:
    """Return a layer's number of outputs if it can be changed, else None.

    It can be where the layer's parameters are random draws that no other node reads.
    """
    drawn = _drawn(graph, name)
    return drawn[0].param("shape")[-1] if drawn else None


def with_units(graph: Graph, name: str, count: int) -> Graph:
    """Set a layer's number of outputs: all its parameters change their shapes together."""
    for node in _drawn(graph, name):
        graph = edits.with_param(graph, node.name, "shape", (*node.param("shape")[:-1], count))
    return graph


def _drawn(graph: Graph, name: str) -> list[Node]:
    """Return the layer's parameters if they are random draws that no other node reads, else none of them."""
    node = graph[name]
    held = [graph.by_name.get(slot) for slot in node.op_slots[1:] if isinstance(slot, str)]
    uses = consumers(graph)
    own = [p for p in held if p and p.is_parameter and p.param("shape") and len(uses[p.name]) == 1]
    # Both w and b, or neither: with one of them changed alone the shapes would no longer fit.
    return own if node.op in ("dense", "conv2d") and len(own) == 2 else []


def set_units(lab: Lab, name: str, count: int) -> Lab:
    """Set a layer's number of outputs, as one step of undo."""
    if units(lab.graph, name) in (None, count):
        return lab
    return committed(lab, with_units(lab.graph, name, count), set_to(f"outputs of {name}", count))
