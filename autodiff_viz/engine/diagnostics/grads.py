"""Find grad nodes that are zero whatever the numbers are, and those that differentiate a sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodiff_viz.graph.model import GRAD
from autodiff_viz.graph.structure.grad_nodes import between

if TYPE_CHECKING:
    from autodiff_viz.engine.trace import Trace


@dataclass(frozen=True, slots=True)
class Unrelated:
    """A grad node whose z does not depend on its x, so that its value is zero."""

    node: str
    of: str
    by: str

    def __str__(self) -> str:
        return f"the gradient is zero: no path leads from {self.by!r} to {self.of!r}."


def unrelated(trace: Trace) -> Iterator[Unrelated]:
    """Yield the grad nodes that differentiate by a node on which their output does not depend."""
    for node in trace.graph.nodes:
        if node.op == GRAD:
            of, by = node.slots[:2]
            if of != by and not between(trace.graph, node).nodes:
                yield Unrelated(node.name, of, by)


def sums(trace: Trace) -> Iterator[str]:
    """Yield a sentence for each grad node whose output is a tensor."""
    for node in trace.graph.nodes:
        if node.op == GRAD and (shape := trace.value[node.slots[0]].shape):
            of = node.slots[0]
            said = f"{of!r} has shape {list(shape)}; this is the gradient of the sum of its elements."
            yield f"at {node.name}: {said}"
