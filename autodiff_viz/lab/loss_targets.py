"""Choose the value of a new input that feeds a loss: targets have the shape of the predictions."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from autodiff_viz.engine.live_path.check import shapes
from autodiff_viz.graph.model import Graph, Literal, Params, params
from autodiff_viz.messages.edits import Consumer

PAIRED: Mapping[str, float] = {"mean_squared_error": 1.0, "sigmoid_binary_cross_entropy": 0.0}
"""Losses of two operands of one shape, with the number that a new operand has everywhere."""

CLASSES = "softmax_cross_entropy_with_integer_labels"  # a label for each row of logits
WRITTEN = 256  # elements, at most, that are written out in the formula


def matching(graph: Graph, feeds: Consumer | None, usual: Params) -> Params:
    """Return the value of a new input: of a loss's operand in the shape that its other operand has."""
    node = graph.by_name.get(feeds.to) if feeds else None
    if node is None or len(node.op_slots) != 2 or node.op not in (*PAIRED, CLASSES):
        return usual
    slot = feeds.slot
    beside = node.op_slots[1 - slot] if slot in (0, 1) else None
    shape = shapes(graph).get(beside, ()) if isinstance(beside, str) else np.shape(beside or 0.0)
    if node.op == CLASSES:
        shape = shape[:-1] if slot == 1 else ()  # how many classes there are, no label says
    if not 0 < prod(shape) <= WRITTEN:
        return usual
    return params(value=_filled(shape, PAIRED.get(node.op, 0.0)))


def _filled(shape: tuple[int, ...], number: float) -> Literal:
    return (_filled(shape[1:], number),) * shape[0] if shape else number
