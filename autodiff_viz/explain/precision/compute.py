"""Find the numbers of a trace that leave the range of its dtype, and the loss scale that saves them.

Each value, cotangent and wire is compared with the same one in float64 (`ranges`); the backward pass is then
run at other loss scales, to find those at which nothing more is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from autodiff_viz.engine.live_path.arrays import on_device
from autodiff_viz.engine.live_path.numbers import read
from autodiff_viz.engine.live_path.passes import ARRIVING, Cotangents, Wire, backward, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.sentence import Claim, Statement, joined
from autodiff_viz.engine.tolerance import ROOM, gaps
from autodiff_viz.engine.trace import Trace, exact_inputs, trace, with_output
from autodiff_viz.engine.trace import precision as in_dtype
from autodiff_viz.engine.verify import rounding_errors, without_regions
from autodiff_viz.graph.dtypes import DTYPES, FLOAT16, FLOAT64, Dtype
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import consumers, order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import listed, quoted, scalar

# Which numbers leave the range of the dtype, and where that begins

VALUE, COTANGENT, PASSED = "value", "cotangent", "passed"
OVERFLOW, UNDERFLOW, ROUNDED, SUBNORMAL, FITS = "overflow", "underflow", "rounded", "subnormal", "fits"
NOT_FINITE = "not finite"
KINDS = (OVERFLOW, NOT_FINITE, UNDERFLOW, ROUNDED, SUBNORMAL, FITS)
"""Worst first."""
SENTENCES = {
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
        out first. Infinite where one is not finite; None where float64 has 0 alone, which has no share.
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
    error: float | None
    exact: float | None = None

    @property
    def rank(self) -> tuple[int, float]:
        """Its place among others: the worst kind and the largest error first."""
        return KINDS.index(self.kind), -(self.error or 0.0)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Arrays of one evaluation: by node, and by wire; None for a symbolic zero, which is left out."""

    value: Mapping[str, Any]
    cotangent: Mapping[str, Any]
    passed: Mapping[Wire, Any]


def ranges(graph: Graph, dtype: str, traced: Numbers, exact: Numbers, scale: float) -> tuple[Ranged, ...]:
    """Compare all numbers with those of float64, in the order of the pass.

    Args:
      traced: of the trace, with cotangents of a seed times `scale`.
      exact: of float64, with the seed itself.
    """
    compared: dict[tuple, Ranged] = {}
    limits = DTYPES[dtype]
    for key, before in _places(graph):
        what, place = key[0], key[1] if key[0] != PASSED else key[1:]
        one, true = getattr(traced, what)[place], getattr(exact, what)[place]
        if one is not None and true is not None:
            times = 1.0 if what == VALUE else scale
            known = [compared[other].kind for other in before if other in compared]
            compared[key] = _ranged(key, np.asarray(one), np.asarray(true), times, limits, known)
    return tuple(compared.values())


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
    """Return one place beside float64.

    Args:
      before: the kinds of what it was computed from.
    """
    sizes = np.abs(one.astype(np.float64))
    exact = np.abs(true) * scale
    kinds = _kinds(sizes, exact, limits, lost=any(kind == UNDERFLOW for kind in before))
    kind = next((kind for kind in KINDS if kind in kinds), FITS)
    # The error is a share of the largest number in float64, of which the scale is no part.
    largest = float(gaps(one.astype(np.float64) / scale, true).max(initial=0.0))
    size = float(np.abs(true[np.isfinite(true)]).max(initial=0.0))
    return Ranged(
        node=key[1],
        what=key[0],
        slot=key[2] if key[0] == PASSED else None,
        kind=kind,
        count=kinds.get(kind, sizes.size),
        size=sizes.size,
        begins=kind != FITS and kind not in before,
        **dict(zip(("low", "high"), _ends(sizes), strict=True)),
        **dict(zip(("exact_low", "exact_high"), _ends(exact), strict=True)),
        error=largest / size if size else None if np.isfinite(true).all() else np.inf,
        exact=float(true.item()) * scale if true.size == 1 else None,
    )


def _kinds(sizes: np.ndarray, exact: np.ndarray, limits: Dtype, lost: bool) -> dict[str, int]:
    """Count the elements of each kind but "fits".

    Args:
      lost: whether a number that these are computed from has underflowed.
    """
    # Too small for the dtype, or computed from what was: an underflow. Else rounding took all digits.
    gone = (sizes == 0) & (exact != 0)
    small = gone if lost else gone & (exact < flushed_below(limits))
    counts = {
        OVERFLOW: np.count_nonzero(~np.isfinite(sizes) & np.isfinite(exact)),
        NOT_FINITE: np.count_nonzero(~np.isfinite(sizes) & ~np.isfinite(exact)),
        UNDERFLOW: np.count_nonzero(small),
        ROUNDED: np.count_nonzero(gone & ~small),
        SUBNORMAL: np.count_nonzero((sizes != 0) & (sizes < limits.tiny)),
    }
    return {kind: int(count) for kind, count in counts.items() if count}


def flushed_below(limits: Dtype) -> float:
    """Return the size below which a result becomes 0.

    JAX on the CPU replaces subnormal results by 0, but for float16, which it computes in float32.
    """
    return limits.least if limits.name == FLOAT16 else limits.tiny


def _ends(sizes: np.ndarray) -> tuple[float | None, float | None]:
    """Return the smallest and the largest of the finite sizes other than 0; None if there is none."""
    some = sizes[np.isfinite(sizes) & (sizes > 0)]
    return (float(some.min()), float(some.max())) if some.size else (None, None)


HIGHEST = 24  # of the powers of two that are tried as a loss scale
MOST = 3  # nodes that a sentence names
ERROR, LEFT = "error", "left"
"""Kinds of claims beside (kind, what) of `Ranged`, which name nodes and, of one number, that in float64: the
largest error beside float64, in percent, and the largest number where float64 has 0 alone."""


@dataclass(frozen=True, slots=True)
class Precision(Shown):
    """The numbers of a trace beside those of float64.

    Attributes:
      dtype: of the trace.
      scale: the loss scale: the seed is multiplied by it, and the cotangents are divided by it at the end.
      places: of all values, cotangents and wires, worst first.
      least: the smallest scale, a power of two, that saves every cotangent that a scale can save.
      most: the largest one, up to 2^24, at which no more cotangents overflow than without a scale.
      sentence: what happens, in words.
      scales: the safe scales, in words.
      claims: all that `sentence` claims.
    """

    dtype: str
    scale: float
    places: tuple[Ranged, ...]
    least: float
    most: float
    sentence: str
    scales: str
    claims: tuple[Claim, ...] = field(default=(), repr=False, compare=False)

    @property
    def worst(self) -> str:
        """The worst kind of all places."""
        return self.places[0].kind if self.places else KINDS[-1]


def precision(found: Trace, scale: float = 1.0) -> Precision:
    """Compare every number of a trace with that of float64, and find the loss scales that are safe.

    In float64 an input has the graph's own number where the trace has that number, rounded; so what rounding
    an input loses is seen too.

    Args:
      found: has an output.
      scale: the loss scale, a positive number.
    Returns:
      A record of each value, cotangent and wire, the worst first, and the safe scales.
    Raises:
      GraphError: it is no trace, it has no output, or the scale is not a positive number.
    Source: P. Micikevicius et al., "Mixed Precision Training", 2018, arXiv:1710.03740, section 3.2.
    """
    with_output(found)
    number = isinstance(scale, int | float | np.number) and not isinstance(scale, bool)
    if not number or not 0 < scale < np.inf:
        message = f"The loss scale must be a positive number; found {quoted(scale)}."
        raise GraphError(Problem("bad-number", message, "A power of two loses no digit, such as 1024."))
    run, values = _evaluated(found)
    exact = trace(found.graph, exact_inputs(found), found.seed.astype(np.float64), dtype=FLOAT64)
    true = Numbers(
        exact.value,
        _known(exact.cotangent, found.cotangent),
        _known(exact.passed, found.passed),
    )
    cotangents = run(float(scale))
    traced = Numbers(values, cotangents.arriving, cotangents.passed)
    places = ranges(found.graph, found.dtype, traced, true, float(scale))
    if any(place.kind == ROUNDED or 1 < (place.error or 0.0) < np.inf for place in places):
        true = _without_leftovers(exact, true)
        places = ranges(found.graph, found.dtype, traced, true, float(scale))
    least, most, left = _safe_scales(run, true)
    sentence = _sentence(found, places)
    scales = _describe_scales(run, found, true, least, most, left)
    if scale != 1 and any(node.rule.function for node in found.graph.nodes):
        # A rule that is not linear, such as one that clips, makes another gradient of a scaled seed.
        scaled = trace(exact.graph, dict(exact.inputs), exact.seed * float(scale), dtype=FLOAT64)
        pairs = [(scaled.gradient[name] / float(scale), true) for name, true in exact.gradient.items()]
        if not all(np.allclose(one, other, rtol=1e-9, equal_nan=True) for one, other in pairs):
            scales += " A rule is not linear, so this scale changes the gradient in float64, too."
    return Precision(
        dtype=found.dtype,
        scale=float(scale),
        places=tuple(sorted(places, key=lambda place: place.rank)),
        least=least,
        most=most,
        sentence=sentence.text,
        scales=scales,
        claims=sentence.claims,
    )


def _known(arrays: Any, like: Any) -> dict[Any, Any]:
    """Return the arrays that are no symbolic zeros in either trace."""
    # What is a symbolic zero is no number: there is nothing that could be lost.
    return {
        key: None if arrays.is_symbolic_zero(key) or like.is_symbolic_zero(key) else arrays[key]
        for key in arrays
    }


def _without_leftovers(exact: Trace, true: Numbers) -> Numbers:
    """Return the numbers of float64 with 0 for those that are no larger than what rounding leaves there.

    Where terms cancel, calculus says 0 and float64 1e-17, of which 1e-8 would be a large error, and 0 a loss.
    """
    values, _, by_wire = _rounding(exact)
    arriving = {name: by_wire.get((name, ARRIVING)) for name in true.cotangent}

    def cleared(numbers: Mapping[Any, Any], errors: Mapping[Any, Any]) -> dict[Any, Any]:
        return {
            key: array
            if array is None or errors.get(key) is None
            else np.where(np.abs(array) <= ROOM * errors[key], 0.0, array)
            for key, array in numbers.items()
        }

    return Numbers(
        cleared(true.value, values), cleared(true.cotangent, arriving), cleared(true.passed, by_wire)
    )


@remembered(1, lambda exact: exact.identity)  # no loss scale changes it, and all else takes less
def _rounding(exact: Trace) -> tuple[Mapping[str, Any], Mapping[str, Any], Mapping[Wire, Any]]:
    return rounding_errors(without_regions(exact), ({}, {}, {}))


def _evaluated(found: Trace) -> tuple[Callable[[float], Cotangents], dict[str, Any]]:
    """Return the backward pass as a function of the loss scale, and the values."""
    with in_dtype(found.dtype):
        inputs = {name: on_device(array) for name, array in found.inputs.items()}
        prepared = prepare(found.graph, inputs, found.dtype)
        values, called = forward(prepared)

    @cache  # the bisection and the sentences ask for the same scales
    def run(scale: float) -> Cotangents:
        with in_dtype(found.dtype), np.errstate(over="ignore"):
            seed = (found.seed.astype(np.float64) * scale).astype(found.dtype)
            with prepared.tape.scratch():
                each = backward(prepared, values, called, on_device(seed))
                return Cotangents(*({key: read(array) for key, array in part.items()} for part in each))

    return run, values


def _flat(arrays: Iterable[Any]) -> np.ndarray:
    """Return all elements in one row, in float64."""
    return np.concatenate([np.zeros(0), *(np.ravel(np.asarray(a)).astype(np.float64) for a in arrays)])


def _safe_scales(run: Callable, true: Numbers) -> tuple[float, float, int]:
    """Return (least, most, how many cotangents are still 0 there)."""
    keys = [key for key, array in true.cotangent.items() if array is not None]
    wires = [key for key, array in true.passed.items() if array is not None]
    exact = _flat([*(true.cotangent[key] for key in keys), *(true.passed[key] for key in wires)])

    @cache
    def counts(power: int) -> tuple[int, int]:
        scaled = run(2.0**power)
        numbers = _flat([*(scaled.arriving[key] for key in keys), *(scaled.passed[key] for key in wires)])
        gone, over = (numbers == 0) & (exact != 0), ~np.isfinite(numbers) & np.isfinite(exact)
        return int(np.count_nonzero(gone)), int(np.count_nonzero(over))

    # With a larger scale no more cotangents underflow and no fewer overflow: both ends by bisection.
    over = counts(0)[1]
    most = _last(lambda power: counts(power)[1] <= over)
    left = counts(most)[0]
    least = most - _last(lambda down: counts(most - down)[0] <= left, most)
    return 2.0**least, 2.0**most, left


def _last(holds: Callable[[int], bool], most: int = HIGHEST) -> int:
    """Return the largest number from 0 to `most` at which `holds`, which does at 0 and up to that number."""
    if holds(most):
        return most
    low, high = 0, most - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _sentence(found: Trace, places: Iterable[Ranged]) -> Statement:
    """Return where numbers begin to leave the range, worst first."""
    places, parts = tuple(places), []
    for (kind, what), words in SENTENCES.items():
        at = [p for p in places if p.begins and (p.kind, p.what) == (kind, what)]
        if at:
            text = words.format(at=_named(at), dtype=found.dtype)
            text = text.removesuffix(" in float64 either") if found.dtype == FLOAT64 else text
            exact = at[0].exact if len(at) == 1 and kind != NOT_FINITE else None
            beside = f", {scalar(exact, 3)} in float64" if exact else ""
            claim = Claim(f"{kind} {what}", _nodes(at), (exact,) if exact else ())
            parts.append(Statement(f"{kind.capitalize()}: {text}{beside}.", (claim,)))
    if parts:
        return joined(" ", parts)
    compared = [place for place in places if place.error != np.inf]
    error = max((place.error for place in compared if place.error is not None), default=0.0)
    # Where terms cancel to 0, what rounding leaves is no share of anything.
    left = max((place.high for place in compared if place.exact_high is None and place.high), default=None)
    begins = [place for place in places if place.begins]
    fits = (
        f"Subnormal, with fewer digits: numbers at {_named(begins)}. Nothing is lost."
        if begins
        else (f"Every number fits in {found.dtype}.")
    )
    claims = [Claim(SUBNORMAL, _nodes(begins)), Claim(ERROR, (), (100 * error,))]
    says = f"{fits} The largest error beside float64 is {scalar(100 * error, 2)} %."
    if left is not None:
        says += f" Where float64 has 0, rounding leaves up to {scalar(left, 2)}."
        claims.append(Claim(LEFT, (), (left,)))
    if len(compared) < len(places):
        says += " Where float64 has no finite number, nothing is compared."
    return Statement(says, tuple(claims))


def _nodes(places: Iterable[Ranged]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place.node for place in places))


def _named(places: Iterable[Ranged]) -> str:
    return listed([*map(quoted, _nodes(places))], MOST)


def _describe_scales(run: Callable, found: Trace, true: Numbers, least: float, most: float, left: int) -> str:
    """Return the safe loss scales in words, with what happens below and above them."""
    stay = f"{left} numbers stay" if left > 1 else "1 number stays"
    kept = f"{stay} 0 at any scale. " if left else ""

    def at(scale: float, kind: str) -> str:
        scaled = run(scale)
        traced = Numbers(true.value, scaled.arriving, scaled.passed)  # values do not depend on the scale
        places = ranges(found.graph, found.dtype, traced, true, scale)
        return _named(p for p in places if p.kind == kind and p.begins and p.what != VALUE)

    # What is not finite without a scale and with the largest is so at any. Of several nodes the inputs are
    # named, whose gradients these are.
    arrays = [run(scale).arriving for scale in (1.0, 2.0**HIGHEST)]
    broken = [
        node.name
        for node in order(found.graph)
        if all(a[node.name] is not None and not np.isfinite(np.asarray(a[node.name])).all() for a in arrays)
    ]
    named = listed([quoted(name) for name in broken if name in found.inputs] or [*map(quoted, broken)], MOST)
    lost = f"No loss scale helps: what arrives at {named} is not finite at any." if broken else ""
    if lost and least == 1.0:
        return f"{kept}{lost}"
    kept = f"{kept}{lost} For other numbers: " if lost else kept
    above = "" if most == 2.0**HIGHEST else f" {most * 2:,.0f} overflows at {at(most * 2, OVERFLOW)}."
    if least == 1.0 and most == 1.0:
        return f"{kept}No loss scale is safe but 1.{above}"
    if least == 1.0:
        return f"{kept}No loss scale is needed; up to {most:,.0f} is safe.{above}"
    below = f" At {least / 2:,.0f} something underflows at {at(least / 2, UNDERFLOW)}."
    span = f"from {least:,.0f} to {most:,.0f} are" if least < most else f"of {least:,.0f} is"
    return f"{kept}Loss scale{'s' if least < most else ''} {span} safe.{below}{above}"


SCALES = tuple(2.0**power for power in range(HIGHEST + 1))
"""Loss scales to choose from: powers of two, which lose no digit."""


@remembered(8, lambda trace, scale: (trace.identity, scale))
def compared(trace: Trace, scale: str | None) -> Precision:
    """Return what the figure, its words and the canvas show."""
    return precision(trace, float(scale or 1))
