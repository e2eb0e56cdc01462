"""Edit the whole document: undo, redo, jump in the history, import, and a new graph."""

from __future__ import annotations

from typing import Any

from autodiff_viz.graph.edits.history import jump
from autodiff_viz.graph.model import Graph
from autodiff_viz.views.actions import redone, undone
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, opened, stepped
from autodiff_viz.views.persistence.import_document import imported


def _import(lab: Lab, edit: Edit) -> Lab:
    """Replace the graph by a document from outside."""
    text = edit["text"]
    if not isinstance(text, str):
        raise TypeError(text)
    return imported(lab, text)


def _new(lab: Lab, edit: Edit) -> Lab:
    """Open an empty graph; undo returns to the present one. No step from a graph that is empty already."""
    return opened(lab, Graph(), "New graph") if lab.graph.nodes or lab.lesson else lab


def jumped(lab: Lab, index: Any) -> Lab:
    """Return the lab at another step of its history; unchanged if there is no such step.

    Raises:
      TypeError: `index` is no integer.
    """
    if type(index) is not int:
        raise TypeError(index)
    return stepped(lab, jump(lab.history, index))


EDITS: Edits = {
    "new": _new,
    "undo": lambda lab, edit: undone(lab),
    "redo": lambda lab, edit: redone(lab),
    "jump": lambda lab, edit: jumped(lab, edit["index"]),
    "import": _import,
}
