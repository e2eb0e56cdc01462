"""Sweep forward mode: compute every tangent of a graph along a line of values of one input, in one pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.engine.explain.derivatives.forward_mode import Tangents
from autodiff_viz.engine.live_path.arrays import Arrays, on_device
from autodiff_viz.engine.live_path.passes import Wire, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.live_path.tangents import push_forward
from autodiff_viz.engine.sweep import swept_positions
from autodiff_viz.engine.trace import precision


@dataclass(frozen=True)
class TangentSweep:
    """Tangents at each value that a scalar input takes.

    `tangent` and `passed` are as in `Tangents`, with a leading axis of positions where they depend on the
    swept input: `swept` holds the keys of those.
    """

    tangent: Mapping[str, np.ndarray]
    passed: Mapping[Wire, np.ndarray]
    swept: frozenset[str | Wire]


def tangent_sweep(found: Tangents, name: str, positions: Any) -> TangentSweep:
    """Push the same directions forward with the scalar input `name` at each of `positions`, all at once.

    Args:
      found: tangents of the graph; other inputs and the directions are as in it.
      name, positions: as of `sweep`.
    Raises:
      GraphError: as `sweep`.
    """
    trace = found.trace
    positions = swept_positions(trace, name, positions)
    with precision(trace.dtype):
        inputs = {other: on_device(value) for other, value in trace.inputs.items()}
        inputs[name] = on_device(positions)
        prepared = prepare(trace.graph, inputs, trace.dtype, frozenset({name}), forward_only=True)
        _, called = forward(prepared)
        given = {moved: on_device(dot) for moved, dot in found.direction.items()}
        pushed = push_forward(prepared, called, given)
    shapes = prepared.shapes
    return TangentSweep(
        tangent=Arrays(pushed.tangent, trace.dtype, shapes.__getitem__),
        passed=Arrays(pushed.passed, trace.dtype, lambda wire: shapes[wire[0]]),
        swept=pushed.swept,
    )
