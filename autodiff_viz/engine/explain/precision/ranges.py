"""Compare numbers with those of float64: which leave the range of the dtype, and where that begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.engine.diagnostics.tolerance import gaps
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.registries.dtypes import DTYPES, FLOAT16, Dtype
from autodiff_viz.graph.structure.order import consumers, order

VALUE, COTANGENT, PASSED = "value", "cotangent", "passed"
OVERFLOW, UNDERFLOW, ROUNDED, SUBNORMAL, FITS = "overflow", "underflow", "rounded", "subnormal", "fits"
NOT_FINITE = "not finite"
KINDS = (OVERFLOW, NOT_FINITE, UNDERFLOW, ROUNDED, SUBNORMAL, FITS)
"""Worst first."""
SAID = {
    (OVERFLOW, VALUE): "the value of {at} is not finite in {dtype}",
    (OVERFLOW, COTANGENT): "what arrives at {at} is not finite in {dtype}",
    (OVERFLOW, PASSED): "what {at} passes back is not finite in {dtype}",
    (NOT_FINITE, VALUE): "the value of {at} is not finite in float64 either",
    (NOT_FINITE, COTANGENT): "what arrives at {at} is not finite in float64 either",
    (NOT_FINITE, PASSED): "what {at} passes back is not finite in float64 either",
    (UNDERFLOW, VALUE): "the value of {at} is too small for {dtype}: 0 here",
    (UNDERFLOW, COTANGENT): "what arrives at {at} is too small for {dtype}: 0 here",
    (UNDERFLOW, PASSED): "what {at} passes back is too small for {dtype}: 0 here",
    (ROUNDED, VALUE): "the value of {at} is 0 in {dtype}, since rounding took all its digits",
    (ROUNDED, COTANGENT): "what arrives at {at} is 0 in {dtype}, since rounding took all its digits",
    (ROUNDED, PASSED): "what {at} passes back is 0 in {dtype}, since rounding took all its digits",
}
"""What is said of a kind of numbers."""


@dataclass(frozen=True, slots=True)
class Ranged:
    """The numbers of one place beside those of float64.

    Attributes:
      node: name of the node.
      what: "value" or "cotangent" of the node, or "passed": what it passes to its input `slot`.
      slot: of a wire; None for a node's own numbers.
      kind: the worst among the elements. "overflow": not finite here, finite in float64. "not finite":
        neither here nor in float64, so no dtype is the cause. "underflow": 0 here since the number is too
        small, not 0 in float64. "rounded": 0 here since rounding or a cancellation took all digits.
        "subnormal": below the smallest normal number, with fewer digits. "fits": none.
      count: how many elements are of that kind.
      size: how many elements there are.
      begins: whether nothing that this was computed from is of that kind.
      low, high: smallest and largest size of the finite elements other than 0; None if there is none.
      exact_low, exact_high: the same in float64.
      error: largest difference from float64, as a share of the largest number there; the scale is divided
        out first. Infinite where one is not finite.
      exact: the number itself in float64, if there is one element.
    """

    node: str
    what: str
    slot: int | None
    kind: str
    count: int
    size: int
    begins: bool
    low: float | None
    high: float | None
    exact_low: float | None
    exact_high: float | None
    error: float
    exact: float | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """Arrays of one evaluation: by node, and by wire; None for a symbolic zero, which is left out."""

    value: Mapping[str, Any]
    cotangent: Mapping[str, Any]
    passed: Mapping[Wire, Any]


def ranges(graph: Graph, dtype: str, here: Numbers, exact: Numbers, scale: float) -> tuple[Ranged, ...]:
    """Compare all numbers with those of float64, in the order of the pass.

    Args:
      here: of the trace, with cotangents of a seed times `scale`.
      exact: of float64, with the seed itself.
    """
    found: dict[tuple, Ranged] = {}
    limits = DTYPES[dtype]
    for key, before in _places(graph):
        what, place = key[0], key[1] if key[0] != PASSED else key[1:]
        one, true = getattr(here, what)[place], getattr(exact, what)[place]
        if one is not None and true is not None:
            times = 1.0 if what == VALUE else scale
            known = [found[other].kind for other in before if other in found]
            found[key] = _ranged(key, np.asarray(one), np.asarray(true), times, limits, known)
    return tuple(found.values())


def _places(graph: Graph) -> Iterator[tuple[tuple, list[tuple]]]:
    """Yield each place, and the places that it is computed from: values first, then cotangents."""
    nodes, readers = order(graph), consumers(graph)
    for node in nodes:
        yield (VALUE, node.name), [(VALUE, producer) for _, producer in node.wires]
    if graph.output is None:
        return
    for node in reversed(nodes):
        yield (COTANGENT, node.name), [(PASSED, *wire) for wire in readers[node.name]]
        read = [(VALUE, node.name), *((VALUE, producer) for _, producer in node.wires)]
        for slot, _ in node.wires:
            yield (PASSED, node.name, slot), [(COTANGENT, node.name), *read]


def _ranged(
    key: tuple, one: np.ndarray, true: np.ndarray, scale: float, limits: Dtype, before: Iterable[str]
) -> Ranged:
    here = np.abs(one.astype(np.float64))
    exact = np.abs(true) * scale
    kinds = _kinds(here, exact, limits, lost=any(kind == UNDERFLOW for kind in before))
    kind = next((kind for kind in KINDS if kind in kinds), FITS)
    return Ranged(
        node=key[1],
        what=key[0],
        slot=key[2] if key[0] == PASSED else None,
        kind=kind,
        count=kinds.get(kind, here.size),
        size=here.size,
        begins=kind != FITS and kind not in before,
        **dict(zip(("low", "high"), _ends(here), strict=True)),
        **dict(zip(("exact_low", "exact_high"), _ends(exact), strict=True)),
        error=_error(one.astype(np.float64) / scale, true),
        exact=float(true.item()) * scale if true.size == 1 else None,
    )


def _kinds(here: np.ndarray, exact: np.ndarray, limits: Dtype, lost: bool) -> dict[str, int]:
    """Count the elements of each kind but "fits".

    Args:
      lost: whether a number that these are computed from has underflowed.
    """
    gone = (here == 0) & (exact != 0)
    small = gone if lost else gone & (exact < flushed_below(limits))
    counts = {
        OVERFLOW: np.count_nonzero(~np.isfinite(here) & np.isfinite(exact)),
        NOT_FINITE: np.count_nonzero(~np.isfinite(here) & ~np.isfinite(exact)),
        UNDERFLOW: np.count_nonzero(small),
        ROUNDED: np.count_nonzero(gone & ~small),
        SUBNORMAL: np.count_nonzero((here != 0) & (here < limits.tiny)),
    }
    return {kind: int(count) for kind, count in counts.items() if count}


def flushed_below(limits: Dtype) -> float:
    """Return the size below which a result becomes 0.

    JAX on the CPU replaces subnormal results by 0, but for float16, which it computes in float32.
    """
    return limits.least if limits.name == FLOAT16 else limits.tiny


def _ends(sizes: np.ndarray) -> tuple[float | None, float | None]:
    some = sizes[np.isfinite(sizes) & (sizes > 0)]
    return (float(some.min()), float(some.max())) if some.size else (None, None)


def _error(one: np.ndarray, true: np.ndarray) -> float:
    largest = float(gaps(one, true).max(initial=0.0))
    finite = np.abs(true[np.isfinite(true)])
    size = float(finite.max(initial=0.0))
    return largest / size if size else (np.inf if largest else 0.0)
