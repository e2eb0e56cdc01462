"""Labels that name no class. JAX's loss is NaN for a label that is too large, without a warning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from autodiff_viz.graph.model import Node

if TYPE_CHECKING:
    from autodiff_viz.engine.trace import Trace

OP = "softmax_cross_entropy_with_integer_labels"
NAMED = 4  # labels that are written out


@dataclass(frozen=True, slots=True)
class Stray:
    """Labels of a node that are not whole numbers from 0 to the number of classes minus 1."""

    node: str
    labels: tuple[float, ...]
    classes: int

    def __str__(self) -> str:
        named = ", ".join(f"{label:g}" for label in self.labels[:NAMED])
        more = ", ..." if len(self.labels) > NAMED else ""
        are = "label names" if len(self.labels) == 1 else "labels name"
        last = self.classes - 1
        known = f"0 to {last}" if last else "0 alone"
        return f"The {are} no class: {named}{more}. The last axis of the logits has classes {known}."


def strays(trace: Trace) -> tuple[Stray, ...]:
    """Return every node that reads such labels, with each label once."""
    found = [_stray(trace, node) for node in trace.graph.nodes if node.op == OP]
    return tuple(stray for stray in found if stray)


def _stray(trace: Trace, node: Node) -> Stray | None:
    logits, labels = (np.asarray(trace.value[s] if isinstance(s, str) else s) for s in node.op_slots)
    classes = logits.shape[-1]
    wrong = labels[~((labels >= 0) & (labels < classes) & (labels == np.floor(labels)))]
    return Stray(node.name, tuple(map(float, np.unique(wrong))), classes) if wrong.size else None
