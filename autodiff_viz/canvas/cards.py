"""Compute sizes and texts of node cards on the canvas. web/canvas/draw/cards.js draws them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from autodiff_viz.display.numbers import has_picture, number_text, shape
from autodiff_viz.engine.live_path.check import shapes
from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph, Literal, Node
from autodiff_viz.language.literals import show_literal
from autodiff_viz.language.show import show_node
from autodiff_viz.ops.misfits import Shape

WIDTH, HEIGHT, SLOT = 128, 80, 22  # px of a node, and px per slot
PICTURED = (152, 132)  # px of a node whose tensor is drawn as a heat-map
CELLS = 4  # rows, and columns, up to which a tensor's numbers are written in cells
BESIDE = 2  # columns up to which the cells of value and cotangent are side by side
FOUR_WIDE = 184  # px of a card with four columns of cells in all
WIDEST = 1100  # px of a row of nodes: as many as have all that they say on the canvas of a small window
WINDOW = (734, 340)  # px of that canvas, between those beside plots and of a lesson without them
CELL_HEAD, CELL_LINE = 46, 17  # px of such a card without its cells, and of a row of cells
GROUP_WIDTH, GROUP_HEAD, PORT = 168, 36, 24  # px of a collapsed group's card, its title, a port
GROUP_FOOT = 8  # px below the ports
GROUP_NUMBERS = 46  # px added if one value leaves it
GROUP_STEPS = 38  # px added for the number of branches
DIGIT, SPARE = 8, 24  # of a constant beside its slot: px per character, px in the usual gap
CONSTANT = 12  # characters of a constant that fit beside its slot
EDITABLE = 400  # characters; a longer value of an input is edited in the formula
COPIED = limits.LINE - 120  # characters of a node's own line, with room for its name and indent


def size(node: Node, shape: Shape | None = None) -> tuple[float, float]:
    """Return the (width, height) of a node's card in px.

    Args:
      shape: of the tensor that is drawn on it.
    """
    width, height = WIDTH, HEIGHT
    if shape is not None:
        width, height = PICTURED
        if (grid := cells(shape)) is not None:
            rows, columns = grid
            # Value and cotangent stand side by side where both are narrow, else one below the other. A
            # single row of each has room where a card without cells has its two numbers.
            lines = rows if columns <= BESIDE else 2 * rows
            height = HEIGHT if rows == 1 else max(HEIGHT, CELL_HEAD + CELL_LINE * lines)
            if rows > 1 and columns == BESIDE:
                width = FOUR_WIDE
    return width, max(height, SLOT * (len(node.slots) + 1))


def cells(shape: Shape) -> tuple[int, int] | None:
    """Return the (rows, columns) of a tensor whose numbers are written on the card; None for any other."""
    if not 1 <= len(shape) <= 2:
        return None
    rows, columns = (1, *shape)[-2:]
    return (rows, columns) if rows * columns > 1 and max(rows, columns) <= CELLS else None


@remembered(16)
def pictured(graph: Graph) -> Mapping[str, Shape]:
    """Return the shapes of the tensors that are drawn on cards, by the name of the node."""
    return {name: shape for name, shape in shapes(graph).items() if has_picture(shape) or cells(shape)}


def group_size(reads: int, gives: int, branches: bool = False) -> tuple[float, float]:
    """Return the (width, height) in px of a collapsed group's card.

    Args:
      reads: number of nodes outside that feed the group.
      gives: number of values that leave it.
      branches: whether it is a group of branches, whose number is shown.
    """
    more = (GROUP_NUMBERS if gives == 1 else 0) + (GROUP_STEPS if branches else 0)
    return GROUP_WIDTH, GROUP_HEAD + PORT * max(reads, gives) + GROUP_FOOT + more


def room(node: Node) -> float:
    """Return the px that a node needs left of it beyond the usual gap, for its longest constant."""
    held = (slot for slot in node.slots if slot is not None and not isinstance(slot, str))
    longest = max((len(constant_text(literal)) for literal in held), default=0)
    return max(0.0, longest * DIGIT - SPARE)


def constant_text(literal: Literal) -> str:
    """Return the text of a constant beside its slot; of a long constant, the shape."""
    text = show_literal(literal)
    if len(text) <= CONSTANT:
        return text
    shorter = number_text(np.asarray(literal))
    if shorter.startswith("[") and len(shorter) <= CONSTANT:
        return shorter
    if np.ndim(literal) == 1:
        return f"{len(literal)} numbers"  # a length alone would be read as a number
    return shape(np.shape(literal)) or f"{text[: CONSTANT - 1]}\u2026"


def input_text(node: Node) -> str | None:
    """Return the value of an input as editable text; None for other nodes, random and long tensors."""
    value = node.param("value") if node.op == INPUT else None
    text = None if value is None else show_literal(value)
    return text if text is None or len(text) <= EDITABLE else None


def line_text(node: Node) -> str | None:
    """Return the right-hand side of the node's own line of formula; None if it is too long to send."""
    text = show_node(node)
    return text if len(text) <= COPIED else None
