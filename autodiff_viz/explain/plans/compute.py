"""Find the checkpoint regions that a graph could have, with the memory and the re-runs of each plan.

Plans come from a search of all (`search`), from known schedules for chains, and from the graph as it is. What
a plan costs is read off JAX's own program, as `memory` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, comb, sqrt

import numpy as np

from autodiff_viz.engine.trace import Trace, with_output
from autodiff_viz.engine.verify import without_regions
from autodiff_viz.explain.memory.compute import memory
from autodiff_viz.explain.plans.equations import equations
from autodiff_viz.explain.plans.search import BARE, Choices, Costs, Program, search
from autodiff_viz.explain.play.compute import FORWARD, play
from autodiff_viz.graph import limits
from autodiff_viz.graph.frames import frame_problems
from autodiff_viz.graph.model import INPUT, Graph, Group, Region
from autodiff_viz.graph.order import array_sources
from autodiff_viz.graph.policies import POLICIES, TAKING_NAMES
from autodiff_viz.graph.problem import whole_number
from autodiff_viz.graph.shown import Several, Shown
from autodiff_viz.graph.text import listed, numbered
from autodiff_viz.workers.jobs import report

# Known schedules for a chain of steps: square root, and Revolve by its formulas


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
        if len(spans := revolve(length, snapshots)) <= limits.REGIONS:
            least = forward_steps(length, snapshots)
            r = repetitions(length, snapshots)
            formula = (
                f"F = r l - C(s+r, s+1) = {r} x {length} - {comb(snapshots + r, snapshots + 1)} = {least} "
                f"forward steps for l = {length}, s = {snapshots}, r = {r}; F + 1 - l = "
                f"{least + 1 - length} values computed again (Griewank and Walther 2000)"
            )
            yield Schedule(f"Revolve, {snapshots} snapshots", formula, spans)


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
    """Yield the regions of so many steps from `start` on, those outside before those in them."""
    if length == 1:
        return
    if snapshots == 1:
        before = length - 1
    else:  # so many steps before the next snapshot that the fewest are run in all
        before = min(
            range(1, length),
            key=lambda m: m + forward_steps(m, snapshots) + forward_steps(length - m, snapshots - 1),
        )
    yield start, start + before
    yield from _revolve(start, before, snapshots)
    yield from _revolve(start + before, length - before, snapshots - 1)


MOST = 16  # nodes up to which all plans are searched by default
LARGEST = 16  # the greatest that `most_nodes` may be: 3.6 million plans
MARKS = ("optimal", "least_kept", "one_policy")  # of plans that a search has found
PRESENT, NONE, STEM = "the present regions", "no regions", "block"


@dataclass(frozen=True)
class Plan(Shown):
    """Checkpoint regions for a graph, with what they cost.

    Attributes:
      name: in words.
      regions: in place of the graph's own.
      policy: of the regions, as in `jax.checkpoint_policies`; "" without regions.
      peak: the most elements that are live after a step, as `memory` says of a graph with these regions.
      kept: the elements that the forward pass keeps.
      reruns: how many values are recomputed.
      optimal: whether all plans have been searched, and each of those with a lower peak computes more again.
      least_kept: the same for `kept` in place of the peak.
      one_policy: whether it is the best by `kept` of one region around all nodes, whose policy saves names.
      present: whether the graph has these regions.
      formula: of a schedule with a name, what it costs on a chain of equal steps; else "".
    """

    name: str
    regions: tuple[Region, ...]
    policy: str
    peak: int
    kept: int
    reruns: int
    optimal: bool = False
    least_kept: bool = False
    one_policy: bool = False
    present: bool = False
    formula: str = ""

    def taken(self, graph: Graph) -> Graph:
        """Return the graph with these regions in place of its own."""
        return replace(graph, regions=self.regions)

    @property
    def code(self) -> str:
        """What to write in a JAX program, one line for each region."""
        lines = [f"policy = jax.checkpoint_policies.{self.policy}"] if "(" in self.policy else []
        given = ", policy=policy" if lines else ""
        for region in self.regions:
            lines.append(f"jax.checkpoint({region.name}{given})  # {', '.join(sorted(region.nodes))}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Planned:
    """Plans of a graph, and the search that they come from.

    Attributes:
      plans: by peak, then by re-runs.
      searched: how many plans have been compared; 0 if the graph has too many nodes for all.
      points: all different (peak, kept, reruns) of these.
    """

    plans: tuple[Plan, ...]
    searched: int
    points: tuple[tuple[int, int, int], ...]


def plans(trace: Trace, most_nodes: int = MOST) -> tuple[Plan, ...]:
    """Return the plans worth choosing from, by peak: the best of all, the present one and known schedules.

    The nodes are taken in the order in which they run. A graph of up to `most_nodes` nodes besides its inputs
    is searched completely: every way to put runs of neighbours into regions that save nothing, and one region
    around all with every set of names to save; up to 6 nodes, both together. The costs of each plan that is
    returned are then read off JAX's own program, as `memory` does.

    Args:
      trace: has an output.
      most_nodes: at most 16. Of a graph with more, only the present plan and the schedules with names.
    Returns:
      At least the present plan, by peak.
    Raises:
      GraphError: no trace is given, it has no output, a checkpoint region is not valid, or `most_nodes` is no
        such number.
    """
    return Several(planned(trace, whole_number("number of nodes to search", most_nodes, 0, LARGEST)).plans)


def planned(trace: Trace, most_nodes: int = MOST, groups: Sequence[Group] = ()) -> Planned:
    """Return the plans with the search; no region of a plan cuts one of the `groups`."""
    present = present_plan(trace)  # raises before the search does its work
    return with_present(frontier(trace, most_nodes, groups), present)


def present_plan(trace: Trace) -> Plan:
    """Return the plan that a graph has now, with what it costs."""
    regions = with_output(trace).graph.regions
    return _measured(trace, PRESENT if regions else NONE, regions, present=True)


def frontier(trace: Trace, most_nodes: int = MOST, groups: Sequence[Group] = ()) -> Planned:
    """Return the plans as `planned` does, without the present one, whatever regions the graph has now."""
    graph = replace(with_output(trace).graph, groups=tuple(groups))
    bare = without_regions(trace)
    program = program_of(bare)
    searched, points, candidates = 0, (), []
    if 0 < len(program.nodes) <= min(most_nodes, LARGEST):
        # No region of a plan cuts a group. One whose nodes are no neighbours counts up to its last.
        places = [[i for i, n in enumerate(program.nodes) if n in group.nodes] for group in groups]
        result = search(program, [(at[0], at[-1] + 1) for at in places if at])
        searched, points = result.count, tuple(tuple(map(int, point)) for point in result.points)
        parts = (result.best, result.least_kept, result.one_policy)
        whole = sum(len(choices) for choices, _ in parts)
        for mark, part in zip(MARKS, parts, strict=True):
            for plan in _of_search(bare, graph, program, part, mark):
                candidates.append(plan)
                report(len(candidates), whole, "best plans measured")
    else:
        candidates.append(_measured(bare, NONE, ()))
    for schedule in schedules(len(program.nodes)):
        regions = _regions(graph, (program.nodes[a:b] for a, b in schedule.spans))
        if not any(frame_problems(replace(graph, regions=regions))):
            candidates.append(_measured(bare, schedule.name, regions, formula=schedule.formula))
    return Planned(_sorted(candidates), searched, points)


def with_present(all_plans: Planned, present: Plan) -> Planned:
    """Return the plans with the present one among them."""
    return replace(all_plans, plans=_sorted([*all_plans.plans, present]))


def as_present(all_plans: Planned, regions: tuple[Region, ...]) -> Planned | None:
    """Return the plans with the one that has these regions marked as present; None if none has."""
    marked = [
        replace(plan, present=_cost_key(plan.regions) == _cost_key(regions)) for plan in all_plans.plans
    ]
    return replace(all_plans, plans=tuple(marked)) if any(plan.present for plan in marked) else None


def _sorted(candidates: Iterable[Plan]) -> tuple[Plan, ...]:
    """Return the plans by peak, each set of regions once, without marks that another plan disproves."""
    plans = _undominated(_merged(candidates))
    return tuple(sorted(plans, key=lambda plan: (plan.peak, plan.reruns, plan.kept)))


def program_of(bare: Trace) -> Program:
    """Return what the costs of plans follow from, of a trace of a graph without regions."""
    graph, steps = bare.graph, play(bare)
    nodes = tuple(s.node for s in steps if s.phase == FORWARD and graph[s.node].op != INPUT)
    shapes = {name: value.shape for name, value in bare.inputs.items()}
    sources = array_sources(graph[step.node] for step in steps if step.phase == FORWARD)
    return Program(
        equations=equations(graph, shapes, bare.dtype),
        steps=steps,
        nodes=nodes,
        elements={name: int(bare.value[name].size) for name in graph.by_name},
        wired={
            node.name: tuple(dict.fromkeys(sources.get(s, s) for s in node.op_slots if isinstance(s, str)))
            for node in graph.nodes
        },
        source={(node.name, slot): name for node in graph.nodes for slot, name in node.wires},
    )


def _of_search(
    bare: Trace, graph: Graph, program: Program, part: tuple[Choices, Costs], mark: str
) -> Iterator[Plan]:
    """Yield the plans of one Pareto front of the search, measured; of those that are no valid graph none.

    A plan has its mark only where JAX's program costs what the search counted.
    """
    choices, costs = part
    for i, (row, saved) in enumerate(zip(choices.region, choices.saved, strict=True)):
        numbers = [n for n in dict.fromkeys(row.tolist()) if n != BARE]
        members = [[n for n, r in zip(program.nodes, row, strict=True) if r == k] for k in numbers]
        names = frozenset(np.array(program.nodes)[saved].tolist())
        regions = _regions(graph, members, names)
        if any(frame_problems(replace(graph, regions=regions))):
            continue
        plan = _measured(bare, _regions_name(regions, members), regions)
        exact = (plan.peak, plan.kept, plan.reruns) == (costs.peak[i], costs.kept[i], costs.reruns[i])
        yield replace(plan, **{mark: exact})


def _regions(
    graph: Graph, members: Iterable[Iterable[str]], names: frozenset[str] = frozenset()
) -> tuple[Region, ...]:
    """Return regions of these nodes, with names that no group has."""
    taken, regions = {group.name for group in graph.groups}, []
    for inside in map(frozenset, members):
        name, saved = numbered(STEM, taken), names & inside
        taken.add(name)
        policy = TAKING_NAMES[0] if saved else POLICIES[0]
        regions.append(Region(name, inside, policy, saved))
    return tuple(regions)


def _regions_name(regions: tuple[Region, ...], members: Sequence[Sequence[str]]) -> str:
    """Return the name of a plan: how many regions, where, and what they save."""
    spans = [m[0] if len(m) == 1 else f"{m[0]} to {m[-1]}" for m in members]
    if not regions:
        return NONE
    saved = sorted(name for region in regions for name in region.saved)
    count = "one region" if len(regions) == 1 else f"{len(regions)} regions"
    where = listed(spans, 2)
    return f"{count}, {where}, saving {listed(saved, 4)}" if saved else f"{count}, {where}"


def _measured(
    trace: Trace, name: str, regions: tuple[Region, ...], *, present: bool = False, formula: str = ""
) -> Plan:
    """Return the plan with the costs that JAX's own program has."""
    costs = memory(replace(trace, graph=replace(trace.graph, regions=regions)))
    policy = ", ".join(dict.fromkeys(region.policy for region in regions))
    # Regions that save names have one policy together, of all these names: it is written as one line.
    if saved := sorted({name for region in regions for name in region.saved}):
        policy = f"{TAKING_NAMES[0]}({', '.join(map(repr, saved))})".replace("'", '"')
    return Plan(name, regions, policy, costs.peak, costs.kept, costs.reruns, present=present, formula=formula)


def _merged(candidates: Iterable[Plan]) -> list[Plan]:
    """Join plans with equal regions: the name and formula of a schedule, and all marks."""
    merged: dict[frozenset, Plan] = {}
    for plan in candidates:
        key = _cost_key(plan.regions)
        one = merged.setdefault(key, plan)
        if one is not plan:
            named = plan if plan.formula else one
            marks = {mark: getattr(one, mark) or getattr(plan, mark) for mark in (*MARKS, "present")}
            merged[key] = replace(one, name=named.name, formula=named.formula, **marks)
    return [*merged.values()]


def _cost_key(regions: Iterable[Region]) -> frozenset:
    """Return what the costs of regions depend on: all but their names."""
    return frozenset((region.nodes, region.policy, region.saved) for region in regions)


def _undominated(plans: list[Plan]) -> Iterator[Plan]:
    """Take the marks from plans that another one betters, such as one with nested regions."""

    def bettered(plan: Plan, by: str) -> bool:
        costs = (getattr(plan, by), plan.reruns)
        others = ((getattr(other, by), other.reruns) for other in plans)
        return any(a <= costs[0] and b <= costs[1] and (a, b) != costs for a, b in others)

    for plan in plans:
        yield replace(
            plan,
            optimal=plan.optimal and not bettered(plan, "peak"),
            least_kept=plan.least_kept and not bettered(plan, "kept"),
        )


PEAK, KEPT, NAMES = "peak", "kept", "names"
AXES = {
    PEAK: "elements live at the peak",
    KEPT: "elements kept for the backward pass",
    NAMES: "elements kept by one region that saves names",
}
"""What a budget can be of, with the title of its axis."""


def best(all_plans: Planned, by: str) -> tuple[Plan, ...]:
    """Return the plans that no searched one betters."""
    mark = {PEAK: "optimal", KEPT: "least_kept", NAMES: "one_policy"}[by]
    return tuple(plan for plan in all_plans.plans if getattr(plan, mark))


def size(plan: Plan, by: str) -> int:
    """Return the elements that a budget of this kind limits."""
    return plan.peak if by == PEAK else plan.kept
