"""List the edits that a frame accepts, by what it lets its readers change, and refuse all others."""

from __future__ import annotations

from collections.abc import Mapping

from autodiff_viz.embedding.contract import EVERYTHING, NOTHING, RULES, VALUES
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.messages import edits

LEVELS = (NOTHING, VALUES, RULES, EVERYTHING)
"""Values of `edit`, each of which allows what those before it do."""

LOOKS = (
    edits.Select,
    edits.ShowFigure,
    edits.ShowStep,
    edits.OpenVariant,
    edits.Go,
    edits.Collapse,
    edits.Forward,
    edits.Check,
    edits.Resync,
    edits.Kept,
    edits.Restored,
    edits.Answer,
    edits.Reveal,
)
"""Edits that change what is on view and no number, and what a browser sends by itself."""

OF_VALUES = (
    edits.Slide,
    edits.Numbers,
    edits.Resample,
    edits.Tangent,
    edits.Undo,
    edits.Redo,
    edits.Jump,
    edits.Move,
    edits.Arrange,
    edits.Pin,
    edits.Unpin,
    edits.Flip,
)
OF_RULES = (
    edits.Rules,
    edits.Function,
    edits.Mute,
    edits.CutAfter,
    edits.Checkpoint,
    edits.Uncheckpoint,
    edits.SetRegion,
    edits.Policy,
    edits.Without,
)
_ALLOWED: Mapping[str, frozenset[type[edits.Edit]]] = {
    NOTHING: frozenset(LOOKS),
    VALUES: frozenset({*LOOKS, *OF_VALUES}),
    RULES: frozenset({*LOOKS, *OF_VALUES, *OF_RULES}),
    EVERYTHING: frozenset(edits.KINDS.values()),
}

KINDS_OF: Mapping[str, list[str]] = {
    level: sorted(kind for kind, record in edits.KINDS.items() if record in _ALLOWED[level])
    for level in LEVELS
}
"""The kinds of edits that each level allows; a constant that replaces one is a value besides."""

_CHANGES = {
    NOTHING: "nothing here",
    VALUES: "only numbers here",
    RULES: "only numbers, stops, rules, cuts and checkpoints here",
}


def refusal(edit: edits.Edit, level: str, graph: Graph) -> GraphError | None:
    """Return why a frame of this level does not make an edit; None if it does."""
    if type(edit) in _ALLOWED[level] or (level != NOTHING and _is_number(edit, graph)):
        return None
    message = f"The author of this page lets you change {_CHANGES[level]}."
    return GraphError(Problem("frame-edit", message, "In the whole lab you can change everything."))


def _is_number(edit: edits.Edit, graph: Graph) -> bool:
    """Return whether an edit changes the number of an input, or a constant that is there."""
    if not isinstance(edit, edits.Constant) or edit.node not in graph:
        return False
    if edit.slot is None:
        return True
    slots = graph[edit.node].slots
    return 0 <= edit.slot < len(slots) and not isinstance(slots[edit.slot], str | None)
