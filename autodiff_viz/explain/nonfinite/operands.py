"""Read from a trace the numbers that make another one infinite or NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.engine.nonfinite import Origin
from autodiff_viz.engine.op_derivative import changed_cotangent, local_derivative
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS, STOP
from autodiff_viz.ops.catalog import OPS

COTANGENT, SLOPE = "cotangent", "slope"


class Operand(NamedTuple):
    """A number that makes another one infinite or NaN.

    `name` is a node, or the slot of an op for a constant; of a backward pass "cotangent", what arrives, and
    "slope", the local derivative.
    """

    name: str
    number: float


class Factors(NamedTuple):
    """What arrives at a node, as its rule changes it, its slope, and their product, of one element."""

    arriving: float
    slope: float
    product: float


def operands_of(found: Trace, name: str) -> tuple[Operand, ...]:
    """Return what an elementwise op reads at the first element of its value that is not finite."""
    node = found.graph[name]
    if node.op == INPUT or not OPS[node.op].elementwise or OPS[node.op].variadic:
        return ()
    value = found.value[name]
    at = int(np.argmin(np.isfinite(value)))
    labels = [s if isinstance(s, str) else OPS[node.op].slots[i] for i, s in enumerate(node.op_slots)]
    arrays = [found.value[s] if isinstance(s, str) else np.asarray(s) for s in node.op_slots]
    numbers = [np.broadcast_to(array, value.shape).ravel()[at] for array in arrays]
    return tuple(Operand(label, float(number)) for label, number in zip(labels, numbers, strict=True))


def operands_back(found: Trace, origin: Origin) -> tuple[Operand, ...]:
    """Return the factors of the first contribution that is not finite, if it is a product of two."""
    if origin.slot in (None, ARRIVING):
        return ()
    factors = factors_of(found, (origin.node, origin.slot))
    return (Operand(COTANGENT, factors.arriving), Operand(SLOPE, factors.slope)) if factors else ()


def before_slope(found: Trace, name: str) -> np.ndarray | None:
    """Return what the op's own pullback gets: what arrives, or what a rule makes of it.

    None where a rule has another derivative in place of the op's.
    """
    kind = KINDS[found.graph[name].rule.kind]
    if kind.name == STOP or kind.replaces:
        return None
    return found.cotangent[name] if kind.name == FOLLOW else changed_cotangent(found, name)


def factors_of(
    found: Trace, wire: Wire, is_wanted: Callable[[np.ndarray], np.ndarray] = lambda a: ~np.isfinite(a)
) -> Factors | None:
    """Return what arrives at a node and its slope, for the first element of the wire that `is_wanted`.

    None if it is not their product: the wire of a slot that was broadcast passes a sum, of which a term may
    be another number, and an op's own pullback may overflow where the product does not.
    """
    name, slot = wire
    arriving = before_slope(found, name)
    slope = None if arriving is None else local_derivative(found, name, slot)
    if slope is None:
        return None
    # 0 times infinity and an overflow are what is looked for: no warning.
    with np.errstate(invalid="ignore", over="ignore"):
        product = slope * arriving
    passed = np.broadcast_to(found.passed[wire], product.shape)
    fits = is_wanted(passed) & ((product == passed) | (np.isnan(product) & np.isnan(passed)))
    at = int(np.argmax(fits))
    return Factors(*(float(a.ravel()[at]) for a in (arriving, slope, product))) if fits.any() else None
