"""List all ops by name, in one catalog.

To add an op, add its record to the module of its group; the tests say what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from autodiff_viz.ops import (
    activations,
    arithmetic,
    derivatives,
    dropout,
    layers,
    linear,
    losses,
    noise,
    piecewise,
    ranking,
    reductions,
    shaping,
    smooth,
)
from autodiff_viz.ops.record import Op

_MODULES = (
    arithmetic,
    smooth,
    activations,
    piecewise,
    reductions,
    linear,
    shaping,
    ranking,
    layers,
    dropout,
    losses,
    noise,
    derivatives,
)

OPS: Mapping[str, Op] = MappingProxyType({op.name: op for module in _MODULES for op in module.OPS})

ADJUSTABLE = frozenset(op.name for op in OPS.values() if any(not param.static for param in op.params))
"""Names of the ops with parameters that are passed at run time."""

FUNCTIONS = frozenset(op.name for op in OPS.values() if not op.of_graph)
"""Names of the ops that are functions of arrays; a lambda has no others."""

GROUPS: tuple[str, ...] = tuple(dict.fromkeys(op.group for op in OPS.values()))
"""Headings of the palette, in order."""
