"""Edit pieces of a graph: paste, duplicate, cut to the clipboard, move, align, arrange."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from autodiff_viz.canvas.arrange import (
    arranged,
    centred,
    clear_of_cards,
    folded_places,
    moved_by,
    pinned,
    standing,
)
from autodiff_viz.canvas.cards import pictured
from autodiff_viz.canvas.drawing import places
from autodiff_viz.canvas.layout.placing import Point
from autodiff_viz.graph import edits
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.subgraph import detached, extract, graft
from autodiff_viz.lab.code import code_in, imports, reading_of
from autodiff_viz.lab.edits.document import imported
from autodiff_viz.lab.edits.edit import Handlers, check_nodes
from autodiff_viz.lab.state import Lab, committed
from autodiff_viz.language.documents import from_json
from autodiff_viz.language.parse import parse_piece
from autodiff_viz.messages.edits import Arrange, Cut, Duplicate, Move, Paste

MOVES = {
    "left": "Align {} left",
    "centre": "Align {} at their centres",
    "right": "Align {} right",
    "top": "Align {} at the top",
    "middle": "Align {} at their middles",
    "bottom": "Align {} at the bottom",
    "across": "Space {} evenly across",
    "down": "Space {} evenly down",
    "nudge": "Nudge {}",
    None: "Move {} on the canvas",
}
"""Label of a move in the history, by how it was made."""

NOTHING_PASTED = "Nothing was pasted: the clipboard holds no formula."
COPY_FIRST = "Copy nodes on a canvas, or lines such as y = sin(x)."


def counted(names: Iterable[str]) -> str:
    """Return the only name, or the number of names in words."""
    names = tuple(names)
    return names[0] if len(names) == 1 else f"{len(names)} nodes"


def _move(lab: Lab, edit: Move) -> Lab:
    """Set positions of nodes. Successive nudges of the same nodes are one step of undo."""
    label = MOVES[edit.how].format(counted(edit.positions))
    # The first move fixes the positions of all nodes, so that later edits do not lay the others out anew.
    pinned = {**standing(lab.graph), **edit.positions}
    moved = committed(lab, edits.with_positions(lab.graph, pinned), label)
    # The step before is the same nudge: its place in the history is taken.
    if edit.how == "nudge" and lab.history.present.label == label and moved.history is not lab.history:
        moved = replace(moved, history=replace(moved.history, past=lab.history.past))
    return moved


def _arrange(lab: Lab, edit: Arrange) -> Lab:
    """Lay out the given nodes, or the whole graph."""
    names = edit.nodes
    if not names:
        # Without positions the graph lays itself out, but not with cards in place of collapsed groups.
        shut = lab.collapsed.intersection(group.name for group in lab.graph.groups)
        everywhere = folded_places(lab.graph, shut) if shut else dict.fromkeys(lab.graph.by_name)
        return committed(lab, edits.with_positions(lab.graph, everywhere), "Arrange")
    check_nodes(lab, edit, names)
    pinned = {**standing(lab.graph), **arranged(lab.graph, names)}
    return committed(lab, edits.with_positions(lab.graph, pinned), f"Arrange {counted(names)}")


def _duplicate(lab: Lab, edit: Duplicate) -> Lab:
    """Copy nodes. Wires from outside are kept: the copy reads what the original reads."""
    piece = extract(lab.graph, _chosen(edit))
    stand = standing(lab.graph)
    positions = {name: stand[name] for name in piece.by_name}
    return _grafted(lab, piece, moved_by(positions, edit.by), "Duplicate", lab.collapsed)


def _paste(lab: Lab, edit: Paste) -> Lab:
    """Paste text from this canvas or from elsewhere around a point, clear of all cards."""
    # Code is a whole, not a piece: undo returns to the graph. Of a line that cannot be read alone, such as
    # y = jnp.sin(x), the mistake says how a formula writes it.
    if imports(edit.text) or (code_in(edit.text) and reading_of(edit.text).graph.nodes):
        return imported(lab, edit.text)
    piece = _read(edit.text)
    inside = detached(piece)
    # The height of its cards depends on shapes, which are known only with what the piece reads in the graph.
    trial = graft(lab.graph, piece)
    shapes = pictured(trial.graph)
    tall = {name: shapes[new] for name, new in trial.name_of.items() if new in shapes}
    around = centred(inside, places(inside).positions, edit.at, tall)
    free = clear_of_cards(inside, around, lab.graph, tall)
    return _grafted(lab, piece, free, "Paste", frozenset(edit.collapsed))


def _read(text: str) -> Graph:
    """Parse pasted text, JSON or formula."""
    try:
        piece = from_json(text) if text.lstrip().startswith("{") else parse_piece(text)
    except GraphError as error:
        # Its line is only named: as a field it would mark a line of the formula, which this text is not in.
        first = error.problems[0]
        place = f"Line {first.line}: " if first.line is not None else ""
        message = f"{NOTHING_PASTED} {place}{first.message}"
        raise GraphError(Problem("paste", message, first.hint or COPY_FIRST, caret=first.caret)) from error
    if not piece.nodes:
        raise GraphError(Problem("paste", NOTHING_PASTED, COPY_FIRST))
    return piece


def _grafted(
    lab: Lab, piece: Graph, positions: Mapping[str, Point], doing: str, collapsed: frozenset[str]
) -> Lab:
    """Insert a piece at `positions` and select its nodes; all other nodes keep their places.

    Args:
      doing: the verb of the edit's label.
      collapsed: names of collapsed groups of the piece.
    """
    placed = replace(piece, nodes=tuple(replace(node, position=positions[node.name]) for node in piece.nodes))
    still = edits.with_positions(lab.graph, standing(lab.graph))
    grafted = graft(still, placed)
    names = tuple(grafted.name_of.values())
    copied = {title for name, title in grafted.title_of.items() if name in collapsed}
    # The label has the names that were copied; the copies may have others.
    after = committed(lab, grafted.graph, f"{doing} {counted(grafted.name_of)}")
    selected = names[0] if len(names) == 1 else None
    # `lab.collapsed` may hold the name of a group that was removed: it says nothing of a new one.
    kept = lab.collapsed - set(grafted.title_of.values())
    return replace(after, selected=selected, picked=names, collapsed=kept | copied)


def _cut(lab: Lab, edit: Cut) -> Lab:
    """Cut nodes to the clipboard: delete them, since the browser has copied them."""
    names = _chosen(edit)
    return committed(lab, edits.without_nodes(pinned(lab.graph), names), f"Cut {counted(names)}")


def _chosen(edit: Cut | Duplicate) -> tuple[str, ...]:
    """Return the names of the edit's nodes.

    Raises:
      GraphError: there is none.
    """
    names = tuple(dict.fromkeys(edit.nodes))
    if not names:
        raise GraphError(Problem("no-nodes", "No node is selected.", "Select one or more nodes first."))
    return names


HANDLERS: Handlers = {
    Move: _move,
    Arrange: _arrange,
    Duplicate: _duplicate,
    Paste: _paste,
    Cut: _cut,
}
