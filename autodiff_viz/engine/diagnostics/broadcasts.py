"""Find likely mistakes in broadcasting: a column and a row of different ranks, combined to all pairs.

NumPy's rules broadcast [4, 1] and [4] to [4, 4]. A loss over four examples then averages sixteen differences,
without a warning.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from autodiff_viz.engine.live_path.kernels import Shape
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.graph.model import Node
from autodiff_viz.graph.text.text_format import listed
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.misfit import said

if TYPE_CHECKING:
    from autodiff_viz.engine.trace import Trace

BROADCAST = "broadcast"
"""Kind of claim: a node, the shapes that it reads, and the one to which they are broadcast."""


@dataclass(frozen=True, slots=True)
class Mix:
    """Inputs of a node that were broadcast to `result`, which is larger than each of them.

    `slots` are the node's slots in words and `shapes` their shapes, in the same order.
    """

    node: str
    slots: tuple[str, ...]
    shapes: tuple[Shape, ...]
    result: Shape

    def __str__(self) -> str:
        given = listed([f"{slot} {said(shape)}" for slot, shape in zip(self.slots, self.shapes, strict=True)])
        advice = "If you meant element by element, give them one shape."
        return f"All pairs: {given} were broadcast to {list(self.result)}. {advice}"

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What it claims, so that it can be tested."""
        return (Claim(BROADCAST, (self.node,), (*self.shapes, self.result)),)


def mixes(trace: Trace) -> tuple[Mix, ...]:
    """Return every node whose inputs have different ranks and were all enlarged by broadcasting.

    Inputs of the same rank, such as [3, 1] and [1, 4], are taken to be intended as all pairs.
    """
    if not any(np.ndim(value) for value in trace.value.values()):
        return ()
    found = [_mix(trace, node) for node in trace.graph.nodes if node.op in OPS]
    return tuple(mix for mix in found if mix)


def _mix(trace: Trace, node: Node) -> Mix | None:
    op = OPS[node.op]
    if not (op.elementwise or op.broadcasts) or len(op.slots) < 2:
        return None
    shapes = tuple(np.shape(trace.value[s] if isinstance(s, str) else s) for s in node.op_slots)
    tensors = [shape for shape in shapes if shape]
    result = np.broadcast_shapes(*tensors)
    grown = bool(tensors) and all(prod(shape) < prod(result) for shape in tensors)
    return Mix(node.name, op.inputs, shapes, result) if grown and len(set(map(len, tensors))) > 1 else None
