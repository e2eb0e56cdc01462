"""Bound how far rounding may move each number of a trace from that of another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from autodiff_viz.engine.diagnostics.tolerance import gaps
from autodiff_viz.engine.explain.comparison.alignment import Numbers, gradient_of
from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.whole_program.verify import rounding_errors


def rounding_beside(found: Trace, own: Numbers, other: Numbers) -> Numbers:
    """Return how far rounding may move each number of a trace from that of another trace."""

    def gap(kind: str) -> dict[Any, np.ndarray]:
        pairs = ((key, array, getattr(other, kind).get(key)) for key, array in getattr(own, kind).items())
        return {key: gaps(one, two) for key, one, two in pairs if two is not None and one.shape == two.shape}

    wires = {**gap("passed"), **{(name, ARRIVING): each for name, each in gap("cotangent").items()}}
    # Regions change no number, and one that cannot run as a whole is no reason against a comparison.
    plain = replace(found, graph=replace(found.graph, regions=()))
    value, gradient, by_wire = rounding_errors(plain, (gap("value"), gap("gradient"), wires))
    cotangent = {name: by_wire[name, ARRIVING] for name in found.value}
    passed = {wire: by_wire[wire] for wire in found.passed}
    errors = Numbers(value, cotangent, passed, gradient_of(found, gradient, cotangent))
    for each, numbers in zip(errors, own, strict=True):
        each.update({key: np.broadcast_to(error, numbers[key].shape) for key, error in each.items()})
    return errors
