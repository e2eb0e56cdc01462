"""Check groups: named sets of nodes, nested in one another, nested in or around regions, or disjoint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, combinations, product
from typing import TypeVar

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Frame, Graph, Group, Region
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.structure.regions import region_problems
from autodiff_viz.graph.text.names import listed_names, numbered, quoted, region_name_fault

Some = TypeVar("Some", Region, Group)


def filled(frames: Iterable[Some]) -> tuple[Some, ...]:
    """Return the frames that hold a node."""
    return tuple(frame for frame in frames if frame.nodes)


def outermost_first(frames: Iterable[Frame]) -> list[Frame]:
    """Sort frames from the outermost in.

    Of frames with equal nodes, a group is outside a region, and a group of branches outside a plain one.
    """
    return sorted(frames, key=_rank)


def _rank(frame: Frame) -> tuple[int, bool, bool, str]:
    group = isinstance(frame, Group)
    return -len(frame.nodes), not group, not (group and frame.branches), frame.name


def free_title(graph: Graph, stem: str) -> str:
    """Return `stem` if no frame has this name, else `stem` with the next free number, from 2."""
    taken = {frame.name for frame in graph.frames}
    return numbered(stem, {*taken, f"{stem}_1"}) if stem in taken else stem


def smallest_group(graph: Graph, names: Iterable[str]) -> frozenset[str]:
    """Return the smallest superset of `names` that is nested in or disjoint from each frame.

    Unknown names are left out.
    """
    inside = frozenset(names).intersection(graph.by_name)
    while cut := next((frame for frame in graph.frames if _cuts(frame.nodes, inside)), None):
        inside |= cut.nodes
    return inside


def frame_problems(graph: Graph) -> Iterator[Problem]:
    """Yield the problems of the regions and groups of an acyclic graph."""
    yield from region_problems(graph)
    yield from group_problems(graph)


def group_problems(graph: Graph) -> Iterator[Problem]:
    """Yield the problems of the groups. Linear in the graph for each pair of frames."""
    if len(graph.groups) > limits.GROUPS:
        message = f"The graph has {len(graph.groups)} groups; the limit is {limits.GROUPS}."
        yield Problem("too-many-groups", message, "Remove groups.")
        return
    yield from _declarations(graph)
    yield from _too_deep(graph)
    yield from _overlaps(graph)


def _declarations(graph: Graph) -> Iterator[Problem]:
    seen = {region.name for region in graph.regions[: limits.REGIONS]}
    for group in graph.groups:
        label = f"Group {quoted(group.name)}"
        if fault := region_name_fault(group.name):
            yield Problem("bad-name", f"{label} has a name that {fault}.", "Rename the group.")
        if group.name in seen:
            message = f"There is a group or a region {quoted(group.name)} already."
            yield Problem("duplicate-name", message, "Choose another name.")
        seen.add(group.name)
        if not group.nodes:
            yield Problem("empty-group", f"{label} holds no node.", "Put a node in it, or remove it.")
        for name in sorted(group.nodes - graph.by_name.keys(), key=str):
            message = f"{label} names {quoted(name)}, which is no node of the graph."
            yield Problem("unknown-node", message, "Take the name out of the group.")


def _too_deep(graph: Graph) -> Iterator[Problem]:
    depth = Counter(name for group in graph.groups for name in sorted(group.nodes, key=str))
    for name, levels in depth.most_common(1):
        if levels > limits.GROUP_DEPTH:
            message = f"Node {quoted(name)} is in {levels} groups; the limit is {limits.GROUP_DEPTH}."
            yield Problem("too-deep", message, "Remove a group.")


def _overlaps(graph: Graph) -> Iterator[Problem]:
    """Yield frames that overlap without nesting; the problem names no node, since the graph can run."""
    pairs = chain(combinations(graph.groups, 2), product(graph.regions[: limits.REGIONS], graph.groups))
    for a, b in pairs:
        if _cuts(a.nodes, b.nodes):
            shared = sorted(a.nodes & b.nodes)
            message = (
                f"{_called(a)} and {_called(b)} share {listed_names(shared)}, but neither holds the other."
            )
            hint = "Take the shared nodes out of one of them, or put one inside the other."
            yield Problem("groups-overlap", message, hint, path=tuple(shared))


def _called(frame: Frame) -> str:
    return f"{'Group' if isinstance(frame, Group) else 'Region'} {quoted(frame.name)}"


def _cuts(a: frozenset[str], b: frozenset[str]) -> bool:
    """Return whether two sets overlap without nesting."""
    return not (a.isdisjoint(b) or a <= b or b <= a)
