"""Search all plans: every way to put neighbouring nodes into regions, and every set of names to save."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from autodiff_viz.engine.explain.plans.costs import BARE, Choices, Costs, Program
from autodiff_viz.workers.reports import report

CHUNK = 1 << 15  # plans whose costs are computed at once
COMBINED = (
    6  # nodes up to which regions and names are searched together: about 4.6 times as many for each more
)


@dataclass(frozen=True, slots=True)
class Searched:
    """Result of a search.

    Attributes:
      count: of the plans.
      best: those that no other betters, in peak or in values recomputed without loss in the other; of
        equals, the simplest. Their costs are in the same order.
      least_kept: the same for what the forward pass keeps, in place of the peak.
      one_policy: the same as `least_kept` of one region around all nodes, which saves names.
      points: all different (peak, kept, values recomputed).
    """

    count: int
    best: tuple[Choices, Costs]
    least_kept: tuple[Choices, Costs]
    one_policy: tuple[Choices, Costs]
    points: np.ndarray


def search(program: Program, apart: Iterable[tuple[int, int]]) -> Searched:
    """Search all plans of a program.

    Args:
      apart: runs of nodes, from the first to before the second, which a region holds, lies in, or leaves out.
    """
    count, best, least, policies, points = 0, [], [], [], []
    seen, whole = 0, _count(len(program.nodes))
    for choices in _chunks(len(program.nodes)):
        report(seen, whole, "plans")
        seen += len(choices)
        choices = choices.part(_whole(choices.region, apart))
        count += len(choices)
        costs = program.costs(choices)
        for found, by in ((best, costs.peak), (least, costs.kept)):
            found.append(_best(by, costs, choices))
        around = np.flatnonzero((choices.region == 0).all(1))
        policies.append(_best(costs.kept[around], _part(costs, around), choices.part(around)))
        points.append(np.unique(_packed(costs)))
    fronts = (_joined(best, "peak"), _joined(least, "kept"), _joined(policies, "kept"))
    return Searched(count, *fronts, _unpacked(np.unique(np.concatenate(points))))


BITS = 24  # of a number in a packed point; limits.TOTAL_ELEMENTS is below


def _packed(costs: Costs) -> np.ndarray:
    """Return one number for each point: sorting rows takes fifty times as long."""
    return (costs.peak.astype(np.int64) << BITS | costs.kept) << 8 | costs.reruns


def _unpacked(packed: np.ndarray) -> np.ndarray:
    ones = (1 << BITS) - 1
    return np.stack([packed >> BITS + 8, packed >> 8 & ones, packed & 255], 1)


def front(by: np.ndarray, costs: Costs, choices: Choices) -> np.ndarray:
    """Return the plans of the Pareto front of `by` against values recomputed, lowest `by` first."""
    simple = choices.saved.sum(1) + choices.region.max(1, initial=BARE)
    order = np.lexsort((simple, costs.kept, costs.peak, costs.reruns, by))
    fewest = np.minimum.accumulate(costs.reruns[order])
    better = np.concatenate([[True], fewest[1:] < fewest[:-1]]) if len(order) else np.zeros(0, bool)
    return order[better]


def _best(by: np.ndarray, costs: Costs, choices: Choices) -> tuple[Choices, Costs]:
    at = front(by, costs, choices)
    return choices.part(at), _part(costs, at)


def _joined(parts: list[tuple[Choices, Costs]], by: str) -> tuple[Choices, Costs]:
    choices = Choices(
        np.concatenate([c.region for c, _ in parts]), np.concatenate([c.saved for c, _ in parts])
    )
    costs = Costs(
        *(np.concatenate([getattr(c, name) for _, c in parts]) for name in ("peak", "kept", "reruns"))
    )
    return _best(getattr(costs, by), costs, choices)


def _part(costs: Costs, at: np.ndarray) -> Costs:
    return Costs(costs.peak[at], costs.kept[at], costs.reruns[at])


def _count(nodes: int) -> int:
    """Return how many plans `_chunks` yields in all."""
    outside, inside = 1, 0  # plans whose last node is in no region; in one, which the next node may continue
    for i in range(nodes):
        saves = 2 if nodes <= COMBINED and i < nodes - 1 else 1
        outside, inside = outside + inside, saves * (outside + 2 * inside)
    return outside + inside + (0 if nodes <= COMBINED else 1 << nodes - 1)


def _chunks(nodes: int) -> Iterator[Choices]:
    regions = _regions(nodes)
    for start in range(0, len(regions), CHUNK):
        part = regions[start : start + CHUNK]
        if nodes <= COMBINED:
            yield from _with_names(part)
        else:
            yield Choices(part, np.zeros(part.shape, bool))
    if nodes > COMBINED:
        yield from _with_names(np.zeros((1, nodes), np.int8))


def _regions(nodes: int) -> np.ndarray:
    """Return all ways to put runs of neighbours into regions: the number of the region by plan and node."""
    found = np.full((1, nodes), BARE, np.int8)
    for i in range(nodes):
        ways = [found]  # node i is in no region
        new = found.copy()
        new[:, i] = found[:, :i].max(1, initial=BARE) + 1
        ways.append(new)
        if i:
            more = found[found[:, i - 1] != BARE]
            more[:, i] = more[:, i - 1]
            ways.append(more)
        found = np.concatenate(ways)
    return found


def _with_names(regions: np.ndarray) -> Iterator[Choices]:
    """Yield these regions with every set of names of nodes in them, but for the last node's."""
    nodes = regions.shape[1]
    sets = ((np.arange(1 << max(nodes - 1, 0))[:, None] >> np.arange(nodes)) & 1).astype(bool)
    each = max(1, CHUNK // len(sets))
    for start in range(0, len(regions), each):
        part = regions[start : start + each]
        region, saved = np.repeat(part, len(sets), 0), np.tile(sets, (len(part), 1))
        fits = ~(saved & (region == BARE)).any(1)
        for at in range(0, len(region), CHUNK):
            here = slice(at, at + CHUNK)
            yield Choices(region[here][fits[here]], saved[here][fits[here]])


def _whole(region: np.ndarray, apart: Iterable[tuple[int, int]]) -> np.ndarray:
    """Return whether each plan's regions hold every one of these runs, lie in it, or leave it out."""
    found = np.ones(len(region), bool)
    for start, stop in apart:
        inside = region[:, start] != BARE
        all_in = inside & (region[:, start] == region[:, stop - 1])
        enters = np.zeros(len(region), bool)
        for a, b in ((start - 1, start), (stop - 1, stop)):
            if a >= 0 and b < region.shape[1]:
                enters |= (region[:, a] == region[:, b]) & (region[:, a] != BARE)
        found &= ~enters | all_in
    return found
