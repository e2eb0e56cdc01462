"""Apply the cure of an explanation."""

from __future__ import annotations

from autodiff_viz.canvas.arrange import arranged_at, clear_of_cards, pinned
from autodiff_viz.canvas.cards import pictured, size
from autodiff_viz.canvas.layout.placing import Point
from autodiff_viz.explain.catalog import UnknownExplanation, cure_of
from autodiff_viz.graph import edits
from autodiff_viz.graph.history import DTYPE, LOSS_SCALE
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.subgraph import detached, extract
from autodiff_viz.lab.asking import hiding
from autodiff_viz.lab.edits.compare import HIDDEN
from autodiff_viz.lab.edits.edit import Handlers, unreadable
from autodiff_viz.lab.evaluate import evaluated, evaluated_at
from autodiff_viz.lab.state import Lab, committed, with_setting
from autodiff_viz.lab.training import moment
from autodiff_viz.messages.edits import Mend


def _mend(lab: Lab, edit: Mend) -> Lab:
    """Apply the cure that an explanation of the present numbers has, as one step of undo.

    Raises:
      GraphError: the explanation has no cure any more, or another one than the page showed.
    """
    of, node, shown = edit.of, edit.node, edit.mend
    if hiding(lab):
        _refuse("hidden", HIDDEN, "Answer first.", node)
    # The cure is made anew from the numbers on view, those of a training's step too: the edit names only what
    # the user saw, and the numbers may have changed since.
    at = moment(lab)
    result = (evaluated_at(lab, at) if at else None) or evaluated(lab)
    if not result.complete or result.trace is None:
        _refuse("nothing-to-mend", "The graph has no numbers to mend.", "Correct its problems first.", node)
    try:
        cure = cure_of(result.trace, of, node, at is not None)
    except UnknownExplanation:
        raise unreadable(edit) from None
    if cure is None:
        message = f"\u201c{shown}\u201d no longer applies: the numbers have changed since it was offered."
        _refuse("nothing-to-mend", message, "Look at what the page says now.", node)
    if cure.mend != shown:
        message = f"\u201c{shown}\u201d no longer applies. Now it would be: \u201c{cure.mend}\u201d."
        _refuse("other-cure", message, "Choose it where the page offers it.", node)
    if cure.dtype:
        lab = with_setting(lab, DTYPE, cure.dtype, cure.mend)
    elif cure.loss_scale:
        lab = with_setting(lab, LOSS_SCALE, cure.loss_scale, cure.mend)
    graph = cure.edit(lab.graph)
    if graph == lab.graph:
        return lab
    # Other wires would lay the cards out anew: those that there were keep their places.
    before, after = ({node.name: node.slots for node in each.nodes} for each in (lab.graph, graph))
    if after != before and any(node.position for node in lab.graph.nodes):
        still = pinned(lab.graph)
        graph = _with_places(still, cure.edit(still))
    return committed(lab, graph, cure.mend)


def _with_places(still: Graph, graph: Graph) -> Graph:
    """Place the new nodes between the nodes that they read and those that read them, clear of other cards.

    Args:
      still: the graph before the cure, with the places of all its nodes.
    """
    new = [node.name for node in graph.nodes if node.name not in still]
    if not new:
        return graph
    readers = {reader for name in new for reader, _ in consumers(graph)[name]} - {*new}
    read = {producer for name in new for _, producer in graph[name].wires} - {*new}
    # In the middle between both sides, however many nodes either has.
    ends = [_middle(graph, names) for names in (readers, read) if names]
    at = (sum(x for x, _ in ends) / len(ends), sum(y for _, y in ends) / len(ends))
    old = extract(graph, still.by_name.keys() & graph.by_name.keys())
    spots = clear_of_cards(detached(extract(graph, new)), arranged_at(graph, new, at), detached(old))
    return pinned(edits.with_positions(graph, spots))


def _middle(graph: Graph, names: set[str]) -> Point:
    """Return the mean of the centres of these cards."""
    tall = pictured(graph)
    boxes = [(graph[name].position, size(graph[name], tall.get(name))) for name in names]
    return (
        sum(x + w / 2 for (x, _), (w, _) in boxes) / len(boxes),
        sum(y + h / 2 for (_, y), (_, h) in boxes) / len(boxes),
    )


def _refuse(code: str, message: str, hint: str, node: str | None) -> None:
    raise GraphError(Problem(code, message, hint, node=node))


HANDLERS: Handlers = {Mend: _mend}
