"""Find the numbers that mistakes about counts give: how much is kept, and how often a node runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from autodiff_viz.asking.case import NODES, TWINS, Case, Found
from autodiff_viz.asking.question import KEPT
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.graph.model import INPUT, Region
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.text import listed, quoted


def _sets(case: Case) -> Iterator[tuple[Region, ...]]:
    """Yield the regions that matter, each alone and all together."""
    regions = case.found.graph.regions
    if case.asked.of != KEPT:
        regions = tuple(region for region in regions if case.producer in region.nodes)
    if len(case.found.graph.nodes) > NODES:
        return
    yield from ((region,) for region in regions[:TWINS])
    if len(regions) > 1:
        yield regions


def _entering(case: Case, regions: tuple[Region, ...]) -> Wire | None:
    """Return the first wire into one of these regions."""
    inside = {name: region.nodes for region in regions for name in region.nodes}
    wires = ((node.name, *wire) for node in case.found.graph.nodes for wire in node.wires)
    return next(((name, slot) for name, slot, read in wires if read not in inside.get(name, (read,))), None)


def _names(regions: tuple[Region, ...]) -> str:
    return listed([quoted(region.name) for region in regions], 3)


def _count_without(case: Case, regions: tuple[Region, ...]) -> float | None:
    """Return the count without these regions."""
    graph = case.found.graph
    left = tuple(region for region in graph.regions if region not in regions)
    count = case.again(replace(graph, regions=left))
    return None if count is None else float(count)


def without_region(case: Case) -> Found:
    """Yield the count where nothing is checkpointed, or only some of it."""
    says = "<guess> would be kept without <at>."
    if case.asked.of != KEPT:
        says = "<guess> leaves out what runs again on the way back, for <at>."
    for regions in _sets(case):
        yield (
            _count_without(case, regions),
            _entering(case, regions),
            {"says": says, "at": _checkpoints(regions)},
        )


def one_region(case: Case) -> Found:
    """Yield what would be kept if one region stood around all that several hold."""
    graph = case.found.graph
    inside = [region.nodes for region in graph.regions]
    nodes = frozenset().union(*inside)
    if len(inside) > 1 and sum(map(len, inside)) == len(nodes) and len(graph.nodes) <= NODES:
        whole = replace(graph, regions=(replace(graph.regions[0], nodes=nodes, saved=frozenset()),))
        fields = {"n": len(inside)}
        yield case.again(whole), _entering(case, graph.regions), fields


def _checkpoints(regions: tuple[Region, ...]) -> str:
    return f"the checkpoint{'s' if len(regions) > 1 else ''} {_names(regions)}"


def results_taken_off(case: Case) -> Found:
    """Yield what would be kept if a region only gave up its results."""
    sizes = {name: prod(value.shape) for name, value in case.found.value.items()}
    for regions in _sets(case):
        whole = _count_without(case, regions)
        if whole is not None:
            inside = {name for region in regions for name in region.nodes}
            left = whole - sum(sizes[name] for name in inside)
            fields = {"at": _names(regions)}
            yield (left if left >= 0 else None), _entering(case, regions), fields


def nothing_given_up(case: Case) -> Found:
    """Yield what would be kept if a region kept what enters it beside all that is kept without it."""
    value = case.found.value
    for regions in _sets(case):
        whole = _count_without(case, regions)
        inside = {name for region in regions for name in region.nodes}
        reads = {read for name in inside for _, read in case.found.graph[name].wires} - inside
        if whole is not None:
            entering = sum(prod(value[read].shape) for read in reads)
            yield whole + entering, _entering(case, regions), {"at": _names(regions)}


def nothing_kept(case: Case) -> Found:
    """Yield 0, as if everything were computed again from nothing."""
    yield 0.0, _entering(case, case.found.graph.regions), {}


def without_policy(case: Case) -> Found:
    """Yield the count where a region keeps nothing of what its policy names."""
    graph = case.found.graph
    for regions in _sets(case):
        chosen = [region for region in regions if region.policy != POLICIES[0]]
        if chosen:
            plain = tuple(
                replace(region, policy=POLICIES[0], saved=frozenset()) if region in chosen else region
                for region in graph.regions
            )
            wire = _entering(case, tuple(chosen))
            yield case.again(replace(graph, regions=plain)), wire, {"at": _names(tuple(chosen))}


def product_of_levels(case: Case) -> Found:
    """Yield how often a node would run if each region around it doubled its runs."""
    depth = sum(case.producer in region.nodes for region in case.found.graph.regions)
    if depth > 1:
        yield 2.0**depth, None, {"node": f"`{case.producer}`"}


def arrays(case: Case) -> Found:
    """Yield how many arrays are kept."""
    yield float(len(case.found.residuals)), None, {}


def every_result(case: Case) -> Found:
    """Yield how many numbers all nodes but the inputs compute."""
    found = case.found
    sizes = (prod(found.value[node.name].shape) for node in found.graph.nodes if node.op != INPUT)
    yield float(sum(sizes)), None, {}
