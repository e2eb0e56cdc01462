"""Search all plans: every way to put neighbouring nodes into regions, and every set of names to save.

The costs of many plans are computed at once, by a model of JAX's partial evaluation in NumPy: a region keeps
what it reads from outside and what its policy saves, and recomputes what its pullbacks need of the rest. The
steps are those of `play`. The tests compare the three numbers with those of the graph that has the regions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_viz.explain.plans.equations import Equations, Use
from autodiff_viz.explain.play.compute import FORWARD, PlayStep
from autodiff_viz.workers.jobs import report

BARE = -1  # number of the region of a node that is in none
Mask = np.ndarray  # one boolean for each plan
Key = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Choices:
    """Plans: which region each node is in, and which nodes are saved by name.

    Attributes:
      region: by plan and node, the number of the node's region, or BARE. A region is a run of neighbours.
      saved: by plan and node, whether the region of the node saves its value.
    """

    region: np.ndarray
    saved: np.ndarray

    def __len__(self) -> int:
        return len(self.region)

    def part(self, at: Any) -> Choices:
        """Return those of the plans that an index chooses."""
        return Choices(self.region[at], self.saved[at])


@dataclass(frozen=True, slots=True)
class Costs:
    """By plan: the most elements that are live, those that are kept, and how many values run again."""

    peak: np.ndarray
    kept: np.ndarray
    reruns: np.ndarray

    def part(self, at: Any) -> Costs:
        """Return those of the plans that an index chooses."""
        return Costs(self.peak[at], self.kept[at], self.reruns[at])


@dataclass(frozen=True)
class Program:
    """What the costs of a graph's plans follow from.

    Attributes:
      equations: those of its nodes.
      steps: the steps of `play` without regions.
      nodes: the nodes that run, in that order; the columns of `Choices`.
      elements: of each node's value.
      wired: by node, the nodes whose arrays its op reads.
      source: by wire, the node that it comes from.
    """

    equations: Equations
    steps: Sequence[PlayStep]
    nodes: tuple[str, ...]
    elements: Mapping[str, int]
    wired: Mapping[str, tuple[str, ...]]
    source: Mapping[tuple[str, int], str]

    def costs(self, choices: Choices) -> Costs:
        """Return the costs of all plans."""
        return _Sweep(self, choices).costs()


@dataclass
class _Sweep:
    """One walk over the steps of all plans, from the last to the first, with what is live in each plan."""

    program: Program
    choices: Choices
    total: np.ndarray = field(init=False)
    peak: np.ndarray = field(init=False)
    alive: dict[Key, Mask] = field(default_factory=dict)
    needed: dict[int, Mask] = field(default_factory=dict)  # by array: whether its region computes it again

    def __post_init__(self) -> None:
        self.total = np.zeros(len(self.choices), np.int32)
        self.peak = np.zeros(len(self.choices), np.int32)
        self.place = {name: i for i, name in enumerate(self.program.nodes)}
        self._all = np.ones(len(self.choices), bool)
        self._same: dict[tuple[int, int], Mask] = {}
        self._versions: dict[tuple[str, Use], list[tuple[Key, Mask | None]]] = {}
        self.by_node: dict[str, list[tuple[Mask, tuple[Use, ...]]]] = {}
        self.made: dict[str, list[int]] = {}
        for equation in self.program.equations.computed:
            self.made.setdefault(equation.node, []).extend(equation.results)

    def costs(self) -> Costs:
        reruns = self._recompute()
        pulls = {step.node: step for step in self.program.steps if step.phase != FORWARD}
        for name in [name for name in pulls if name not in self.place][::-1]:
            self._pull(pulls[name])
        for i, name in enumerate(self.program.nodes):
            if name in pulls:
                self._pull(pulls[name])
            # The walk goes back in time, so a region that ends with this node runs again now: after the
            # pullbacks of all its nodes, from its last node to its first.
            ends = self._together(i, i)
            if i + 1 < len(self.place):
                ends = ends & ~self._together(i, i + 1)
            for j in range(i, -1, -1):
                active = ends & self._together(i, j)
                if not active.any():
                    break
                self._run_again(self.program.nodes[j], active)
        kept = self.total.copy()
        for step in reversed([step for step in self.program.steps if step.phase == FORWARD]):
            self._forward(step.node)
        return Costs(self.peak, kept, reruns)

    def _together(self, i: int, j: int) -> Mask:
        """Return whether two nodes are in one region."""
        key = (min(i, j), max(i, j))
        if key not in self._same:
            region = self.choices.region
            self._same[key] = (region[:, i] == region[:, j]) & (region[:, i] != BARE)
        return self._same[key]

    def _versions_of(self, reader: str, use: Use) -> list[tuple[Key, Mask | None]]:
        """Return the versions of an array that a node reads, with their plans; each is computed once."""
        if (reader, use) not in self._versions:
            self._versions[reader, use] = list(self._read_versions(reader, use))
        return self._versions[reader, use]

    def _read_versions(self, reader: str, use: Use) -> Iterator[tuple[Key, Mask | None]]:
        """Yield the versions of an array that a node reads in the backward pass, with their plans; None: all.

        It is recomputed by the node's region, or it is that of the forward pass, which the region may
        have saved.
        """
        equations = self.program.equations
        owner = equations.node[use.array]
        if reader not in self.place or owner not in self.place:
            in_program = not owner and reader in self.place  # of a region's own program, constants are a part
            bare = ~self._together(self.place[reader], self.place[reader]) if in_program else None
            yield self._first(use.array, reader), bare
            return
        at = self.place[reader]
        inside = self._together(at, self.place[owner])
        saved = np.zeros_like(inside)
        for name in use.names:
            if name in self.place:
                saved |= self._together(at, self.place[name]) & self.choices.saved[:, self.place[name]]
        again = inside & ~saved
        yield ("again", use.array), again
        yield self._first(use.array, reader), ~again

    def _first(self, array: int, reader: str) -> Key:
        """Return the version of an array that the forward pass computes; a reader has its own constants."""
        equations = self.program.equations
        if array in equations.value:
            return "value", equations.value[array]
        return ("factor", array) if equations.node[array] in self.place else ("constant", (reader, array))

    def _recompute(self) -> np.ndarray:
        """Find what regions recompute; return how many values these are."""
        equations, again = self.program.equations, np.zeros(len(self.choices), np.int32)
        for node, uses in equations.pulls.items():
            for use in uses:
                self._need(node, use, None)
        for equation in reversed(equations.computed):
            wanted = [self.needed[array] for array in equation.results if array in self.needed]
            if not wanted:
                continue
            runs = np.logical_or.reduce(wanted)
            if any(equations.value.get(array) == equation.node for array in equation.results):
                again += runs
            for use in equation.uses:
                self._need(equation.node, use, runs)
            self.by_node.setdefault(equation.node, []).append((runs, equation.uses))
        return again

    def _need(self, reader: str, use: Use, runs: Mask | None) -> None:
        for key, mask in self._versions_of(reader, use):
            if key[0] == "again":
                now = mask if runs is None else mask & runs
                self.needed[use.array] = self.needed[use.array] | now if use.array in self.needed else now

    def _size(self, key: Key) -> int:
        kind, what = key
        if kind in ("value", "wire"):
            return self.program.elements[what if kind == "value" else self.program.source[what]]
        return self.program.equations.elements[what[1] if kind == "constant" else what]

    def _read(self, key: Key, mask: Mask | None) -> None:
        """Take a read: from here back to where it is written, the array is live."""
        size, before = self._size(key), self.alive.get(key)
        now = self._all if mask is None else mask
        self.total += np.int32(size) * (now if before is None else now & ~before)
        self.alive[key] = now if before is None else before | now

    def _written(self, key: Key, mask: Mask | None = None) -> None:
        """Take the step that writes an array, before which it is not live."""
        before = self.alive.pop(key, None)
        if before is None:
            return
        self.total -= np.int32(self._size(key)) * (before if mask is None else before & mask)
        if mask is not None:
            self.alive[key] = before & ~mask

    def _mark(self) -> None:
        """Take what is live now as the peak, of the plans in which it is more than before."""
        np.maximum(self.peak, self.total, out=self.peak)

    def _pull(self, step: PlayStep) -> None:
        self._mark()
        for wire in step.writes:
            self._written(("wire", wire))
        for wire in step.reads:
            if wire in self.program.source:
                self._read(("wire", wire), None)
        for use in self.program.equations.pulls.get(step.node, ()):
            for key, mask in self._versions_of(step.node, use):
                self._read(key, mask)

    def _run_again(self, node: str, active: Mask) -> None:
        self._mark()
        made = self.made.get(node, ())
        for array in made:
            self._written(("again", array), active)
        for runs, uses in self.by_node.get(node, ()):
            for use in uses:
                for key, mask in self._versions_of(node, use):
                    # What the node computes itself is not read from anywhere else.
                    if key[0] != "again" or use.array not in made:
                        self._read(key, (active & runs) if mask is None else active & runs & mask)

    def _forward(self, node: str) -> None:
        self._mark()
        self._written(("value", node))
        for key in [key for key in self.alive if self._writer(key) == node]:
            self._written(key)
        for name in self.program.wired[node]:
            self._read(("value", name), None)

    def _writer(self, key: Key) -> str:
        kind, what = key
        if kind == "constant":
            return what[0]
        return self.program.equations.node[what] if kind == "factor" else ""


CHUNK = 1 << 15  # plans whose costs are computed at once
COMBINED = 6  # nodes up to which regions and names are searched together: 4.6 times as many for each more
BITS = 24  # of a number in a packed point; limits.TOTAL_ELEMENTS is below


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
        for fronts, by in ((best, costs.peak), (least, costs.kept)):
            fronts.append(_best(by, costs, choices))
        around = np.flatnonzero((choices.region == 0).all(1))
        policies.append(_best(costs.kept[around], costs.part(around), choices.part(around)))
        # One number for each point: sorting rows takes fifty times as long.
        points.append(np.unique((costs.peak.astype(np.int64) << BITS | costs.kept) << 8 | costs.reruns))
    fronts = (_joined(best, "peak"), _joined(least, "kept"), _joined(policies, "kept"))
    packed, ones = np.unique(np.concatenate(points)), (1 << BITS) - 1
    unpacked = np.stack([packed >> BITS + 8, packed >> 8 & ones, packed & 255], 1)
    return Searched(count, *fronts, unpacked)


def front(by: np.ndarray, costs: Costs, choices: Choices) -> np.ndarray:
    """Return the plans of the Pareto front of `by` against values recomputed, lowest `by` first."""
    # Of equal costs the simplest comes first, by how many names it saves and regions it has.
    simple = choices.saved.sum(1) + choices.region.max(1, initial=BARE)
    order = np.lexsort((simple, costs.kept, costs.peak, costs.reruns, by))
    fewest = np.minimum.accumulate(costs.reruns[order])
    better = np.concatenate([[True], fewest[1:] < fewest[:-1]]) if len(order) else np.zeros(0, bool)
    return order[better]


def _best(by: np.ndarray, costs: Costs, choices: Choices) -> tuple[Choices, Costs]:
    at = front(by, costs, choices)
    return choices.part(at), costs.part(at)


def _joined(parts: list[tuple[Choices, Costs]], by: str) -> tuple[Choices, Costs]:
    choices = Choices(
        np.concatenate([c.region for c, _ in parts]), np.concatenate([c.saved for c, _ in parts])
    )
    costs = Costs(
        *(np.concatenate([getattr(c, name) for _, c in parts]) for name in ("peak", "kept", "reruns"))
    )
    return _best(getattr(costs, by), costs, choices)


def _count(nodes: int) -> int:
    """Return how many plans `_chunks` yields in all."""
    outside, inside = 1, 0  # plans whose last node is in no region; in one, which the next node may continue
    for i in range(nodes):
        saves = 2 if nodes <= COMBINED and i < nodes - 1 else 1
        outside, inside = outside + inside, saves * (outside + 2 * inside)
    return outside + inside + (0 if nodes <= COMBINED else 1 << nodes - 1)


def _chunks(nodes: int) -> Iterator[Choices]:
    """Yield all plans of so many nodes, in parts of at most CHUNK or so."""
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
    plans = np.full((1, nodes), BARE, np.int8)
    for i in range(nodes):
        ways = [plans]  # node i is in no region
        new = plans.copy()  # node i begins one
        new[:, i] = plans[:, :i].max(1, initial=BARE) + 1
        ways.append(new)
        if i:  # node i continues that of the node before
            more = plans[plans[:, i - 1] != BARE]
            more[:, i] = more[:, i - 1]
            ways.append(more)
        plans = np.concatenate(ways)
    return plans


def _with_names(regions: np.ndarray) -> Iterator[Choices]:
    """Yield these regions with every set of names of nodes in them, but for the last node's."""
    nodes = regions.shape[1]
    sets = ((np.arange(1 << max(nodes - 1, 0))[:, None] >> np.arange(nodes)) & 1).astype(bool)
    each = max(1, CHUNK // len(sets))
    for start in range(0, len(regions), each):
        rows = regions[start : start + each]
        region, saved = np.repeat(rows, len(sets), 0), np.tile(sets, (len(rows), 1))
        fits = ~(saved & (region == BARE)).any(1)
        for at in range(0, len(region), CHUNK):
            part = slice(at, at + CHUNK)
            yield Choices(region[part][fits[part]], saved[part][fits[part]])


def _whole(region: np.ndarray, apart: Iterable[tuple[int, int]]) -> np.ndarray:
    """Return whether each plan's regions hold every one of these runs, lie in it, or leave it out."""
    whole = np.ones(len(region), bool)
    for start, stop in apart:
        inside = region[:, start] != BARE
        all_in = inside & (region[:, start] == region[:, stop - 1])
        # A region that crosses an end of the run must hold all of it.
        enters = np.zeros(len(region), bool)
        for a, b in ((start - 1, start), (stop - 1, stop)):
            if a >= 0 and b < region.shape[1]:
                enters |= (region[:, a] == region[:, b]) & (region[:, a] != BARE)
        whole &= ~enters | all_in
    return whole
