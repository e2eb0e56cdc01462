"""Find labels that name no class; JAX then returns NaN for a loss and zeros for one_hot, without warning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from autodiff_viz.engine.live_path.arrays import rounded
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.graph.model import Node
from autodiff_viz.graph.text.text_format import scalar

if TYPE_CHECKING:
    from autodiff_viz.engine.trace import Trace

LOSS, ONE_HOT = "softmax_cross_entropy_with_integer_labels", "one_hot"
NAMED = 4  # labels that are written out

LABELS, CLASSES = "labels", "classes"
"""Kinds of claims: a node with labels that it reads and that name no class; the first and the last class."""


@dataclass(frozen=True, slots=True)
class Stray:
    """Labels of a node that are not whole numbers from 0 to the number of classes minus 1.

    `where` says in words what has the classes.
    """

    node: str
    labels: tuple[float, ...]
    classes: int
    where: str

    def __str__(self) -> str:
        named = ", ".join(scalar(label, _digits(label)) for label in self.labels[:NAMED])
        more = ", ..." if len(self.labels) > NAMED else ""
        are = "label names" if len(self.labels) == 1 else "labels name"
        last = self.classes - 1
        known = f"0 to {last}" if last else "0 alone"
        return f"The {are} no class: {named}{more}. {self.where} has classes {known}."

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What it claims, so that it can be tested."""
        labels = Claim(LABELS, (self.node,), self.labels[:NAMED])
        return labels, Claim(CLASSES, (self.node,), (0, self.classes - 1))


def _digits(label: float) -> int:
    """Return how many digits of a label are written: all of a whole number, else those of float32."""
    return 17 if label.is_integer() else 7


def strays(trace: Trace) -> tuple[Stray, ...]:
    """Return every node that reads such labels, with each label once."""
    found = [_stray(trace, node) for node in trace.graph.nodes if node.op in (LOSS, ONE_HOT)]
    return tuple(stray for stray in found if stray)


def _stray(trace: Trace, node: Node) -> Stray | None:
    *logits, labels = (
        trace.value[s] if isinstance(s, str) else rounded(s, trace.dtype) for s in node.op_slots
    )
    classes = logits[0].shape[-1] if logits else trace.value[node.name].shape[-1]
    labels = labels.astype(np.float64)  # bfloat16 has no 257 to compare with
    read = labels if logits else np.round(labels)  # as one_hot does
    where = "The last axis of the logits" if logits else "The new axis"
    wrong = labels[~((read >= 0) & (read < classes) & (read == np.floor(read)))]
    return Stray(node.name, tuple(map(float, np.unique(wrong))), classes, where) if wrong.size else None
