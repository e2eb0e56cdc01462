"""Add an expression, typed in Add, as nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autodiff_viz.graph.edits import node_edits as edits
from autodiff_viz.graph.edits.subgraph import graft
from autodiff_viz.graph.model import Graph
from autodiff_viz.language.text_edits.additions import parse_addition
from autodiff_viz.views.canvas.arrange_piece import Point, centred, clear_of_cards
from autodiff_viz.views.canvas.drawing import places
from autodiff_viz.views.canvas.fixed_positions import pinned
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed

LABEL = 40  # characters of the expression in the history


def _write(lab: Lab, edit: Edit) -> Lab:
    """Add the nodes of an expression, wired to the nodes that it names, and select them.

    Fields of `edit`: `text`, the expression; `at`, where to centre its nodes, else beside what they read;
    `feeds`, {to, slot}, the slot that it feeds.
    """
    text = edit["text"]
    if not isinstance(text, str):
        raise TypeError(text)
    piece = parse_addition(text, lab.graph.by_name)
    return with_piece(lab, piece, edit, f"Add {_short(text.strip())}")


def with_piece(lab: Lab, piece: Graph, edit: Edit, label: str) -> Lab:
    """Add the nodes of a piece and select them; its last node has its value.

    Fields of `edit`: `at` and `feeds`, as of "write".
    """
    at, feeds = edit.get("at"), edit.get("feeds")
    still = pinned(lab.graph)
    grafted = graft(still, piece)
    graph, new = grafted.graph, [*grafted.name_of.values()]
    if feeds:
        graph = edits.with_wire(graph, new[-1], feeds["to"], int(feeds["slot"]))
    graph = pinned(graph if at is None else _around(still, graph, new, (float(at[0]), float(at[1]))))
    after = committed(lab, graph, label)
    return replace(after, selected=new[-1], picked=tuple(new))


def _around(still: Graph, graph: Graph, new: Iterable[str], at: Point) -> Graph:
    """Centre the new nodes at a point, or as near above or below it as they cover no other."""
    piece = replace(still, nodes=tuple(graph[name] for name in new), regions=(), groups=(), output=None)
    spots = centred(piece, places(piece).positions, at)
    return edits.with_positions(graph, clear_of_cards(piece, spots, still))


def _short(text: str) -> str:
    return text if len(text) <= LABEL else f"{text[: LABEL - 1]}\u2026"


EDITS: Edits = {"write": _write}
