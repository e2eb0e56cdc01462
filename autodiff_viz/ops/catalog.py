"""List all ops by name, in one catalog.

To add an op, add its record to the module of its group; the tests say what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from autodiff_viz.graph.model import Node
from autodiff_viz.graph.rule_kinds import BACKWARD_AS
from autodiff_viz.ops import (
    arithmetic,
    gradients,
    layers,
    linear,
    losses,
    noise,
    piecewise,
    places,
    ranking,
    reductions,
    shaping,
    smooth,
)
from autodiff_viz.ops.native import NativeOp
from autodiff_viz.ops.op import Op
from autodiff_viz.ops.own import own_ops

_MODULES = (
    arithmetic,
    smooth,
    piecewise,
    reductions,
    linear,
    shaping,
    places,
    ranking,
    layers,
    losses,
    noise,
    gradients,
)


class _Catalog(dict[str, Op]):
    """Ops by name. A native node's op is looked up as any other, and is not among the names."""

    def __missing__(self, name: object) -> Op:
        if isinstance(name, NativeOp):
            return name.op
        raise KeyError(name)


_ALL = (*(op for module in _MODULES for op in module.OPS), *own_ops())
OPS: Mapping[str, Op] = MappingProxyType(_Catalog({op.name: op for op in _ALL}))

ADJUSTABLE = frozenset(op.name for op in OPS.values() if any(not param.static for param in op.params))
"""Names of the ops with parameters that are passed at run time."""

FUNCTIONS = frozenset(op.name for op in OPS.values() if not op.of_graph)
"""Names of the ops that are functions of arrays; a lambda has no others."""

GROUPS: tuple[str, ...] = tuple(dict.fromkeys(op.group for op in OPS.values()))
"""Headings of the palette, in order."""
READ = "also read"  # label of what a grad node reads beside its own slots
ALTERNATIVE = "backward as"  # label of the slot that this rule adds


def slot_label(node: Node, slot: int) -> str:
    """Return the slot in words, which name no node; the extra slot of `backward_as` has its own name."""
    if node.rule.kind == BACKWARD_AS and slot == len(node.slots) - 1:
        return ALTERNATIVE
    op = OPS.get(node.op)
    if op is None:
        return str(slot)
    if op.of_graph and slot >= len(op.slots):
        return READ
    if op.variadic:
        return f"{op.slots[0]} {slot}"
    return op.inputs[slot] if slot < len(op.inputs) else str(slot)
