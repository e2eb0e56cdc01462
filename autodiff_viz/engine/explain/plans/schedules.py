"""Construct known checkpoint schedules for a chain of steps: square root, and Revolve by its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, comb, sqrt

from autodiff_viz.graph import limits

Span = tuple[int, int]
"""The steps from the first one to before the second one."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule with a name.

    Attributes:
      name: with its numbers.
      formula: what it costs on a chain of equal steps, and the source.
      spans: its regions; two are nested or disjoint.
    """

    name: str
    formula: str
    spans: tuple[Span, ...]


def schedules(length: int, most: int = 5) -> Iterator[Schedule]:
    """Yield the square-root schedule and Revolve's, with up to `most` numbers of snapshots."""
    if length < 3:
        return
    yield square_root(length)
    offered = [s for s in range(2, length) if repetitions(length, s) <= limits.REGION_DEPTH]
    for snapshots in offered[:most]:
        if len(found := revolve(length, snapshots)) <= limits.REGIONS:
            least = forward_steps(length, snapshots)
            r = repetitions(length, snapshots)
            formula = (
                f"F = r l - C(s+r, s+1) = {r} x {length} - {comb(snapshots + r, snapshots + 1)} = {least} "
                f"forward steps for l = {length}, s = {snapshots}, r = {r}; F + 1 - l = "
                f"{least + 1 - length} values computed again (Griewank and Walther 2000)"
            )
            yield Schedule(f"Revolve, {snapshots} snapshots", formula, found)


def square_root(length: int) -> Schedule:
    """Return the schedule of about sqrt(n) segments of about equal length."""
    count = ceil(sqrt(length))
    ends = [length * i // count for i in range(count + 1)]
    formula = (
        f"k = sqrt(n) segments of n / k steps: n = {length}, k = {count}; {count} inputs are kept and "
        f"n - k = {length - count} values computed again (Chen et al. 2016)"
    )
    return Schedule(f"sqrt(n): {count} segments", formula, tuple(pairwise(ends)))


def repetitions(length: int, snapshots: int) -> int:
    """Return Revolve's r: the smallest with C(s + r, s) >= l, the most often that a step is run forward."""
    r = 0
    while comb(snapshots + r, snapshots) < length:
        r += 1
    return r


def forward_steps(length: int, snapshots: int) -> int:
    """Return the least forward steps that reverse a chain with so many snapshots, the first state among them.

    Source: Griewank and Walther, ACM TOMS 26 (2000), algorithm 799.
    """
    r = repetitions(length, snapshots)
    return r * length - comb(snapshots + r, snapshots + 1)


def revolve(length: int, snapshots: int) -> tuple[Span, ...]:
    """Return Revolve's schedule as nested regions.

    The steps before a snapshot are a region, and those in it are reversed in the same way once it has run
    again; the steps after it are reversed first, with one snapshot less.
    """
    return tuple(_revolve(0, length, snapshots))


def _revolve(start: int, length: int, snapshots: int) -> Iterator[Span]:
    if length == 1:
        return
    before = length - 1 if snapshots == 1 else _split(length, snapshots)
    yield start, start + before
    yield from _revolve(start, before, snapshots)
    yield from _revolve(start + before, length - before, snapshots - 1)


def _split(length: int, snapshots: int) -> int:
    """Return how many steps lie before the next snapshot, such that the fewest are run in all."""
    return min(
        range(1, length),
        key=lambda m: m + forward_steps(m, snapshots) + forward_steps(length - m, snapshots - 1),
    )
