"""Find grad nodes that are zero whatever the numbers are, and those that differentiate a sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autodiff_viz.engine.sentence import Claim, Statement
from autodiff_viz.graph.model import GRAD
from autodiff_viz.graph.structure.grad_nodes import between
from autodiff_viz.graph.structure.order import ancestors

if TYPE_CHECKING:
    from autodiff_viz.engine.trace import Trace

ZERO, NO_PATH, INDEPENDENT, OF_SUM = "zero", "no path", "independent", "of sum"
"""Kinds of claims. ZERO: a grad node whose value is 0. NO_PATH: a node, and one to which no path leads from
it. INDEPENDENT: a node, and one that does not depend on it. OF_SUM: a node, a grad node that differentiates
the sum of its elements, and its shape."""


@dataclass(frozen=True, slots=True)
class Unrelated:
    """A grad node whose z does not depend on its x, so that its value is zero.

    `is_wired`: a path leads from x to z all the same, as what another grad node differentiates.
    """

    node: str
    of: str
    by: str
    is_wired: bool = field(default=False, repr=False)

    def __str__(self) -> str:
        if self.is_wired:
            return f"the gradient is zero: {self.of!r} does not depend on {self.by!r}."
        return f"the gradient is zero: no path leads from {self.by!r} to {self.of!r}."

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What it claims, so that it can be tested."""
        kind = INDEPENDENT if self.is_wired else NO_PATH
        return Claim(ZERO, (self.node,)), Claim(kind, (self.by, self.of))


def unrelated(trace: Trace) -> Iterator[Unrelated]:
    """Yield the grad nodes that differentiate by a node on which their output does not depend."""
    for node in trace.graph.nodes:
        if node.op == GRAD:
            of, by = node.slots[:2]
            if of != by and not between(trace.graph, node).nodes:
                yield Unrelated(node.name, of, by, by in ancestors(trace.graph, [of]))


def sums(trace: Trace) -> Iterator[Statement]:
    """Yield a sentence for each grad node whose output is a tensor."""
    for node in trace.graph.nodes:
        if node.op == GRAD and (shape := trace.value[node.slots[0]].shape):
            of = node.slots[0]
            said = f"{of!r} has shape {list(shape)}; this is the gradient of the sum of its elements."
            yield Statement(f"at {node.name}: {said}", (Claim(OF_SUM, (of, node.name), shape),))
