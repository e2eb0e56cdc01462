"""Record the connections between the last branch of a group and the rest of the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from autodiff_viz.branches.extrapolate import resized
from autodiff_viz.graph.model import Node, Slot

STACK = "stack"
JOINS = (STACK, "concatenate")
"""Ops that take any number of inputs, one or more from each branch."""

ADD, WEIGH, PICK = "add", "mul", "getitem"


@dataclass
class Attachment:
    """The last branch of a group with its counterparts, and all nodes that depend on the number of branches.

    Attributes:
      k: number of branches.
      own: nodes that are added and removed with the last branch, each with its counterpart in the branch
        before (None for the first branch): the nodes of the branch, its weighted term, and the picks of
        weights that it alone reads.
      aside: those of `own` that no branch computes, such as `p[2]`.
      joins: nodes with slots for each branch.
      sums: by the `add` that takes the last term of a running sum, the slot of that term.
      ends: values of an only branch that nothing joins yet: a running sum may begin there.
      carried: values of the last branch that are computed from their counterparts in the branch before, by
        name.
      picks: nodes of an only branch that read entry 0 of a tensor with one entry per branch.
      counts: nodes with a shape that counts branches, and the axis.
      weights: inputs with one number per branch, and the axis of these.
    """

    k: int
    own: dict[str, str | None] = field(default_factory=dict)
    aside: set[str] = field(default_factory=set)
    joins: dict[str, None] = field(default_factory=dict)
    sums: dict[str, int] = field(default_factory=dict)
    ends: dict[str, None] = field(default_factory=dict)
    carried: dict[str, str] = field(default_factory=dict)
    picks: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    weights: dict[str, int] = field(default_factory=dict)


def recounted(node: Node, found: Attachment, moved: Mapping[str, Slot], by: int) -> Node:
    """Update a node outside the last branch after a branch was added (`by` is 1) or removed (-1).

    A shape or tensor that counts branches is resized by `by`; wires from the names in `moved` are replaced.
    """
    axis = found.counts.get(node.name, found.weights.get(node.name))
    if axis is not None:
        return replace(node, params=resized(node.params, axis, by))
    if any(name in moved for _, name in node.wires):
        slots = tuple(moved.get(slot, slot) if isinstance(slot, str) else slot for slot in node.slots)
        return replace(node, slots=slots)
    return node
