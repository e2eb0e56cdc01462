"""Add a small group of layers that reads a node, as one edit."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.canvas.notices import offering
from autodiff_viz.engine.live_path.check import shapes
from autodiff_viz.graph import edits
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import numbered
from autodiff_viz.lab.blocks import BLOCKS, block_text
from autodiff_viz.lab.edits.edit import Handlers, unreadable
from autodiff_viz.lab.edits.nodes import fresh_name, with_piece
from autodiff_viz.lab.inspector.parameters import new_seed
from autodiff_viz.lab.state import Lab
from autodiff_viz.language.parse import parse_piece
from autodiff_viz.messages.edits import Block, edit_data

OUTSIDE = "outside"
"""Stands in the text of a group of layers for the node that it reads."""


def _block(lab: Lab, edit: Block) -> Lab:
    """Add a group of layers with its parameters."""
    name, x = edit.block, edit.source
    if name not in BLOCKS:
        raise unreadable(edit)
    before, label = "", f"Add {name}"
    if x is None:  # with an input of its own
        x = fresh_name(lab.graph, INPUT)
        before = f"{x} = {BLOCKS[name].example}"
        known = shapes(parse_piece(before))
    else:
        known, label = shapes(lab.graph), f"Add {name} to {x}"
    if x not in known:
        message = f"The shape of {x} is not known yet, and that of the parameters follows from it."
        raise GraphError(Problem("block-shape", message, "Mend the nodes before it first.", node=x))
    # The text is parsed alone, where a node of the graph is not known: a placeholder stands for it.
    read = x if before else OUTSIDE
    try:
        text = block_text(name, read, known[x], new_seed(lab.graph))
    except GraphError as error:
        # Whatever x is, an input of the block's own has a shape that fits.
        own = edit_data(Block(block=name, at=edit.at))
        offer = "Add it with an input of its own"
        raise GraphError(
            offering(replace(problem, node=x), offer, own) for problem in error.problems
        ) from error
    try:
        piece = parse_piece(f"{before}\n{text}")
    except GraphError as error:
        message = f"A parameter that fits {x} is too large: {error.problems[0].message}"
        hint = "Add a dense layer with fewer outputs before it."
        raise GraphError(Problem("block-shape", message, hint, node=x)) from error
    return with_piece(lab, _reading(piece, x, lab.graph), edit, label)


def _reading(piece: Graph, x: str, graph: Graph) -> Graph:
    """Wire the piece to the node x of the graph; a node of that name in the piece gets another one."""
    if x in piece:
        piece = edits.renamed(piece, x, numbered(x, {*piece.by_name, *graph.by_name}))
    nodes = tuple(
        replace(n, slots=tuple(x if slot == OUTSIDE else slot for slot in n.slots)) for n in piece.nodes
    )
    return replace(piece, nodes=nodes)


HANDLERS: Handlers = {Block: _block}
