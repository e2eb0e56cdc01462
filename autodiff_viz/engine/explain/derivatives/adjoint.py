"""Test that a pullback is the adjoint: <v, J u> = <J'v, u> for a tangent u and a cotangent v."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.engine.arguments import numbers
from autodiff_viz.engine.explain.derivatives.forward_mode import jvp
from autodiff_viz.engine.explain.derivatives.node_alone import Alone
from autodiff_viz.engine.live_path.arrays import FLOAT64
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.problem import GraphError, Problem

APART = 1e-3  # share of the largest true derivative above which two derivatives differ
EXACT = 1e-9  # of the larger side: float64 rounds far below
STEP = 1e-6  # of a central difference along a tangent, as a share of the value


@dataclass(frozen=True, slots=True)
class Adjoint:
    """The two sides of <v, J u> = <J'v, u> for one pair of tangent u and cotangent v.

    J is the op's own derivative in forward mode, J' what the node declares. They are equal for every pair if
    and only if what is declared is the transpose of the derivative.

    Attributes:
      left, right: <v, J u> and <J'v, u>.
      within: the share by which they may differ: more where J u is a central difference, since a rule inside
        a grad node blocks forward mode.
      arriving: whether v is what arrives at the node, since its rule is a function of that.
    """

    left: float
    right: float
    within: float = EXACT
    arriving: bool = False

    @property
    def holds(self) -> bool:
        """Whether the sides are equal up to rounding in float64."""
        return abs(self.left - self.right) <= self.within * max(1.0, abs(self.left), abs(self.right))


def adjoint(alone: Alone, ruled: Trace, plain: Trace, u: Any, v: Any) -> Adjoint:
    """Return the two sides for a node by itself.

    Args:
      ruled, plain: its traces with and without its rule.
      u, v: tangent and cotangent, broadcast; fixed random ones by default.
    Raises:
      GraphError: u or v does not fit.
    """
    draw = np.random.default_rng(0)
    moved = _given("tangent u", u, draw.standard_normal(ruled.inputs[alone.moved].shape))
    pulled = _given("cotangent v", v, draw.standard_normal(ruled.seed.shape))
    pushed = jvp(plain, {alone.moved: moved}).tangent
    exact = ruled.output in pushed
    forward = pushed[ruled.output] if exact else _slope(plain, alone.moved, moved)
    back = trace(alone.graph, alone.inputs, pulled, dtype=FLOAT64).gradient[alone.moved]
    with np.errstate(invalid="ignore", over="ignore"):
        sides = float(np.sum(pulled * forward)), float(np.sum(back * moved))
    return Adjoint(*sides, EXACT if exact else APART)


def _slope(plain: Trace, name: str, along: np.ndarray) -> np.ndarray:
    """Return how the value moves along a tangent, as a central difference: forward mode is blocked inside."""
    here = plain.inputs[name]
    step = (
        STEP
        * max(1.0, float(np.abs(here).max(initial=0.0)))
        / max(1.0, float(np.abs(along).max(initial=0.0)))
    )
    high, low = (
        trace(plain.graph, {**plain.inputs, name: here + side * step * along}, dtype=FLOAT64).value[
            plain.output
        ]
        for side in (1, -1)
    )
    return (high - low) / (2 * step)


def _given(what: str, value: Any, usual: np.ndarray) -> np.ndarray:
    if value is None:
        return usual
    try:
        return np.array(np.broadcast_to(numbers(value, FLOAT64), usual.shape))
    except ValueError as error:
        message = f"The {what} does not have shape {list(usual.shape)}."
        raise GraphError(Problem("bad-pair", message, "Give one number, or such an array.")) from error
