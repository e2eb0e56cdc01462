"""Find tensors with one entry per branch: weights, picks of their entries, shapes that count branches."""

from __future__ import annotations

from collections.abc import Iterable

from autodiff_viz.branches.attachment import PICK, STACK, Attachment
from autodiff_viz.branches.extrapolate import picks_first
from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.order import ancestors, consumers, descendants
from autodiff_viz.graph.text.literals import shape_of
from autodiff_viz.graph.text.names import listed_names, quoted

REDUCE = ("sum", "mean", "max", "min", "prod", "norm")
SHAPERS = ("reshape", "broadcast_to", "transpose", "expand_dims", "getitem", "concatenate", "stack")


def picks_weight(graph: Graph, node: Node, found: Attachment) -> bool:
    """Return whether `node` is `p[0]` of an input `p` with one number, or of a node computed from one."""
    if node.op != PICK or not picks_first(node.params):
        return False
    return any(_axes(graph[name], found.k) for name in ancestors(graph, [node.name]) - found.own.keys())


def note_weights(graph: Graph, made: frozenset[str], found: Attachment) -> None:
    """Add to `found` the weights that branches meet; `made` holds all nodes that depend on a branch."""
    for name, like in found.own.items():
        node = graph[name]
        outside = [source for _, source in node.wires if source not in found.own]
        if node.op != PICK or not outside:
            continue
        if like is None and picks_weight(graph, node, found):
            found.picks.add(name)
            _note_input(graph, made, found, outside)
        elif like is not None and graph[like].params != node.params:
            _note_input(graph, made, found, outside)
    for join in found.joins:
        _meet(graph, made, found, join)


def _meet(graph: Graph, made: frozenset[str], found: Attachment, join: str) -> None:
    """Follow a join to where it meets other values, such as weights, or is reduced.

    Raises:
      GraphError: code "picked-branch", when a node picks one branch by its number; code "ambiguous-count".
    """
    uses = consumers(graph)
    first = graph[join].op == STACK and graph[join].param("axis", 0) == 0
    todo = [(user, first) for user, _ in uses[join]]
    while todo:
        name, first = todo.pop()
        node = graph[name]
        if node.op == PICK and join in node.slots and any(type(i) is int for i in _index(node)):
            message = f"{quoted(name)} picks one branch of {quoted(join)} by its number."
            raise GraphError(Problem("picked-branch", message, "Take all of them, or none.", name))
        _count(node, found, first)
        others = [source for _, source in node.wires if source not in made]
        _note_input(graph, made, found, others)
        if not others and len(node.wires) == 1 and node.op not in REDUCE:
            first = first and (name in found.counts or node.op not in SHAPERS)
            todo += [(user, first) for user, _ in uses[name]]


def _index(node: Node) -> tuple[object, ...]:
    return node.param("index", (0,))


def _note_input(graph: Graph, made: frozenset[str], found: Attachment, sources: Iterable[str]) -> None:
    """Add to `found` the input with one number per branch that `sources` depend on, if there is one.

    Raises:
      GraphError: there are several, or one has as many numbers along several axes.
    """
    above = ancestors(graph, sources) - made
    inputs = [name for name in sorted(above) if _axes(graph[name], found.k)]
    if len(inputs) > 1:
        message = f"{listed_names(inputs)} have one number per branch each, and meet."
        raise _ambiguous(message, "Give the one that is no weight another shape.", inputs[0])
    for name in inputs:
        axes = _axes(graph[name], found.k)
        if len(axes) > 1:
            message = f"{quoted(name)} has {found.k} numbers along several axes; which one counts branches?"
            raise _ambiguous(message, "Give the weights one axis.", name)
        found.weights[name] = axes[0]
        for between in above & descendants(graph, [name]):
            _count(graph[between], found, found.k > 1)


def _axes(node: Node, k: int) -> list[int]:
    """Return the axes of an input that may count the branches.

    With one branch, only an input of shape (1,) counts it.
    """
    if node.op != INPUT:
        return []
    value = node.param("value")
    shape = node.param("shape", ()) if value is None else shape_of(value)
    if k == 1 and tuple(shape) != (1,):
        return []
    return [axis for axis, length in enumerate(shape) if length == k]


def _count(node: Node, found: Attachment, first: bool) -> None:
    """Add to `found` a shape that counts branches; a shape with -1 adapts by itself.

    `first`: branches are along the first axis, and stay there where its length stays the same.
    """
    shape = node.param("shape") if node.op != INPUT else None
    if not isinstance(shape, tuple):
        return
    if first and shape[:1] == (found.k,):
        found.counts[node.name] = 0
        return
    places = [] if -1 in shape else [i for i, length in enumerate(shape) if length == found.k]
    if len(places) > 1:
        message = (
            f"The shape of {quoted(node.name)} has {found.k} in several places; which one counts branches?"
        )
        raise _ambiguous(message, "Write -1 for that one.", node.name)
    if places:
        found.counts[node.name] = places[0]


def _ambiguous(message: str, hint: str, node: str) -> GraphError:
    return GraphError(Problem("ambiguous-count", message, hint, node=node))
