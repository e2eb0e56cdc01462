"""How the last branch of a group hangs together with all that is not in it: what comes and goes with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from autodiff_viz.branches.counting import resized
from autodiff_viz.graph.model import Node, Slot

STACK = "stack"
JOINS = (STACK, "concatenate")
"""Ops that take any number of inputs, one or more of each branch."""

ADD, WEIGH, PICK = "add", "mul", "getitem"


@dataclass
class Attachment:
    """
    Attributes:
      k: how many branches there are.
      own: what comes and goes with the last branch, each with its like in the branch before (None for the
        first one): its nodes, its weighted term, what it alone picks of the weights.
      aside: those of them that no branch makes, such as `p[2]`.
      joins: nodes with slots for each branch.
      sums: by the add that takes the last term of a running sum, the slot that takes it.
      ends: values of the only branch that nothing joins yet: a running sum may begin there.
      carried: values of the last branch that are made of their likes in the branch before, by name.
      picks: nodes of the only branch that pick number 0 of what has one number per branch.
      counts: nodes with a shape that counts branches.
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
    """A node that was there, after one branch more (`by` is 1) or less (-1): its shape or its numbers count
    so many, and it reads what is in place of what it read."""
    axis = found.counts.get(node.name, found.weights.get(node.name))
    if axis is not None:
        return replace(node, params=resized(node.params, axis, by))
    if any(name in moved for _, name in node.wires):
        slots = tuple(moved.get(slot, slot) if isinstance(slot, str) else slot for slot in node.slots)
        return replace(node, slots=slots)
    return node
