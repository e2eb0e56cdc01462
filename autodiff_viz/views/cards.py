"""The cards of nodes: their sizes, and the texts that fit on them. ui/editor/web/draw/nodes.js draws them."""

from __future__ import annotations

import numpy as np

from autodiff_viz.engine.check import shapes
from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph, Literal, Node
from autodiff_viz.graph.words import scalar
from autodiff_viz.language.show import show_literal, show_node
from autodiff_viz.views.heat import has_picture
from autodiff_viz.views.numbers import SHOWN, full, norm, shape

WIDTH, HEIGHT, SLOT = 128, 80, 22  # of a node, and of one more slot, in pixels
PICTURED = (152, 132)  # of a node with its tensor drawn
GROUP_WIDTH, GROUP_HEAD, PORT = 168, 36, 24  # of a collapsed group's card, of its name's line, of a port
GROUP_FOOT = 8  # below the ports
GROUP_NUMBERS = 46  # more where one value leaves it
GROUP_STEPS = 38  # more where the number of its branches stands
DIGIT, SPARE = 8, 24  # of a constant beside its slot: px a character, and what the usual gap has room for
CONSTANT = 12  # characters of a constant that fit beside its slot
VECTOR = 20  # characters of a vector that fit on a card
EDITABLE = 400  # characters; a longer input is edited in the formula
COPIED = limits.LINE - 120  # of a node's own line, so that it can be read again with its name and its indent


def size(node: Node, pictured: bool = False) -> tuple[float, float]:
    """(width, height) in px."""
    width, height = PICTURED if pictured else (WIDTH, HEIGHT)
    return width, max(height, SLOT * (len(node.slots) + 1))


@remembered(16)
def pictured(graph: Graph) -> frozenset[str]:
    """Names of the nodes whose tensor is drawn."""
    return frozenset(name for name, shape in shapes(graph).items() if has_picture(shape))


def group_size(reads: int, gives: int, branches: bool = False) -> tuple[float, float]:
    """(width, height) in px of the card of a group that so many nodes feed and so many values leave."""
    more = (GROUP_NUMBERS if gives == 1 else 0) + (GROUP_STEPS if branches else 0)
    return GROUP_WIDTH, GROUP_HEAD + PORT * max(reads, gives) + GROUP_FOOT + more


def room(node: Node) -> float:
    """Constants stand beside their slots, left of the node: the longest one's width beyond the usual gap."""
    held = (slot for slot in node.slots if slot is not None and not isinstance(slot, str))
    longest = max((len(constant_text(literal)) for literal in held), default=0)
    return max(0.0, longest * DIGIT - SPARE)


def number_text(array: np.ndarray, digits: int = 4) -> str:
    """A scalar; a short vector with as many digits as fit; of any other tensor its Euclidean norm."""
    array = np.asarray(array)
    if array.ndim == 0:
        return scalar(float(array), digits)
    return _written_out(array) or f"\u2016{scalar(norm(array), 3)}\u2016"


def _written_out(array: np.ndarray) -> str:
    """A short vector; "" where it is none or does not fit."""
    if array.ndim != 1 or array.size > SHOWN:
        return ""
    texts = ("[" + ", ".join(scalar(float(x), digits) for x in array) + "]" for digits in (3, 2))
    return next((text for text in texts if len(text) <= VECTOR), "")


def in_full(array: np.ndarray) -> str:
    """Every digit; of a tensor that is drawn, whose numbers have a place of their own, the norm."""
    return f"norm {scalar(norm(array), 6)}" if has_picture(np.shape(array)) else full(array)


def shape_text(array: np.ndarray) -> str:
    """The shape where the numbers do not show it: "[3, 4]"; "" of a scalar or of a vector written out."""
    array = np.asarray(array)
    return "" if array.ndim == 0 or _written_out(array) else str(list(array.shape))


def constant_text(literal: Literal) -> str:
    """A constant as it stands beside its slot; one that is too long, as its shape."""
    text = show_literal(literal)
    if len(text) <= CONSTANT:
        return text
    shorter = number_text(np.asarray(literal))
    if shorter.startswith("[") and len(shorter) <= CONSTANT:
        return shorter
    return shape(np.shape(literal)) or f"{text[: CONSTANT - 1]}\u2026"


def input_text(node: Node) -> str | None:
    """The value of an input as it can be typed; None for other nodes, random tensors and long tensors."""
    value = node.param("value") if node.op == INPUT else None
    text = None if value is None else show_literal(value)
    return text if text is None or len(text) <= EDITABLE else None


def line_text(node: Node) -> str | None:
    """What stands right of `=` in the node's own line of formula; None where it is too long to travel."""
    text = show_node(node)
    return text if len(text) <= COPIED else None
