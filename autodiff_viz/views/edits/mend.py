"""Edit that applies the cure of an explanation."""

from __future__ import annotations

from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.views.edits.fixed_positions import pinned
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.evaluated import evaluated, evaluated_at
from autodiff_viz.views.lab import Lab, committed
from autodiff_viz.views.node.cures import cure_of
from autodiff_viz.views.training.shown_step import moment


def _mend(lab: Lab, edit: Edit) -> Lab:
    """Apply the cure that an explanation of the present numbers has, as one step of undo.

    Fields of `edit`: `of`, the explanation; `node`, the node that it is about, if any; `mend`, the text of
    the cure that the page showed.

    Raises:
      GraphError: the explanation has no cure any more, or another one than the page showed.
    """
    of, node, shown = edit["of"], edit.get("node"), edit["mend"]
    at = moment(lab)
    found = (evaluated_at(lab, at) if at else None) or evaluated(lab)
    if not found.complete or found.trace is None:
        _refuse("nothing-to-mend", "The graph has no numbers to mend.", "Correct its problems first.", node)
    cure = cure_of(found.trace, of, node)
    if cure is None:
        message = f"\u201c{shown}\u201d no longer applies: the numbers have changed since it was offered."
        _refuse("nothing-to-mend", message, "Look at what the page says now.", node)
    if cure.mend != shown:
        message = f"\u201c{shown}\u201d no longer applies. Now it would be: \u201c{cure.mend}\u201d."
        _refuse("other-cure", message, "Choose it where the page offers it.", node)
    graph = cure.edit(lab.graph)
    if _wiring(graph) != _wiring(lab.graph):  # new nodes and wires would change the layout
        graph = pinned(cure.edit(pinned(lab.graph)))
    return committed(lab, graph, cure.mend)


def _wiring(graph: Graph) -> dict[str, tuple]:
    return {node.name: node.slots for node in graph.nodes}


def _refuse(code: str, message: str, hint: str, node: str | None) -> None:
    raise GraphError(Problem(code, message, hint, node=node))


EDITS: Edits = {"mend": _mend}
