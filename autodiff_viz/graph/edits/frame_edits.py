"""Edit frames (regions and groups) and the sets of nodes in them; find valid sets for refused edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from autodiff_viz.graph.model import Frame, Graph, Group, Region
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.groups import Some, filled, frame_problems, smallest_group
from autodiff_viz.graph.structure.regions import smallest_region
from autodiff_viz.graph.text.names import quoted

WHOLE = frozenset({"region-not-convex", "regions-overlap", "regions-entangled", "groups-overlap"})
"""Codes of problems that adding nodes to a region or a group can mend."""


def with_frames(graph: Graph, regions: Iterable[Region], groups: Iterable[Group]) -> Graph:
    """Replace all regions and groups of the graph; empty ones are removed.

    Raises:
      GraphError: the problems that this adds.
    """
    after = replace(graph, regions=filled(regions), groups=filled(groups))
    same = replace(
        graph,
        regions=tuple(region for region in graph.regions if region in after.regions),
        groups=tuple(group for group in graph.groups if group in after.groups),
    )
    known = set(frame_problems(same))
    if found := tuple(problem for problem in frame_problems(after) if problem not in known):
        raise GraphError(found)
    return after


def with_group(graph: Graph, group: Group) -> Graph:
    """Add a group.

    Raises:
      GraphError: the problems that the group adds, such as "groups-overlap".
    """
    return with_frames(graph, graph.regions, (*graph.groups, group))


def with_members(graph: Graph, members: Mapping[str, frozenset[str]]) -> Graph:
    """Set the nodes that the named frames hold, in one edit.

    Raises:
      GraphError: code "unknown-region", or the problems that this adds.
    """
    for name in members:
        frame_of(graph, name)
    regions = (_holding(region, members.get(region.name)) for region in graph.regions)
    groups = (replace(group, nodes=members.get(group.name, group.nodes)) for group in graph.groups)
    return with_frames(graph, regions, groups)


def _holding(region: Region, names: frozenset[str] | None) -> Region:
    return region if names is None else replace(region, nodes=names, saved=region.saved & names)


def renamed_frame(graph: Graph, old: str, new: str) -> Graph:
    """Rename a region or a group."""
    frame = frame_of(graph, old)

    def named(frames: tuple[Some, ...]) -> Iterable[Some]:
        return (replace(other, name=new) if other is frame else other for other in frames)

    return with_frames(graph, named(graph.regions), named(graph.groups))


def without_group(graph: Graph, name: str) -> Graph:
    """Remove a group; its nodes stay."""
    gone = frame_of(graph, name)
    return replace(graph, groups=tuple(group for group in graph.groups if group is not gone))


def frame_of(graph: Graph, name: str) -> Frame:
    """Return the region or the group of this name.

    Raises:
      GraphError: code "unknown-region".
    """
    found = next((frame for frame in graph.frames if frame.name == name), None)
    if found is None:
        message = f"There is no region and no group {quoted(name)}."
        raise GraphError(Problem("unknown-region", message, "It may have been removed meanwhile."))
    return found


def mended(graph: Graph, name: str, names: frozenset[str]) -> frozenset[str] | None:
    """Return the smallest superset of `names` that the region `name` can hold; None when there is none."""
    others = replace(graph, regions=tuple(region for region in graph.regions if region.name != name))
    whole = smallest_region(others, names)
    try:
        with_frames(others, (*others.regions, Region(name, whole)), others.groups)
    except GraphError:
        return None
    return whole


def mended_group(graph: Graph, name: str, names: frozenset[str]) -> frozenset[str] | None:
    """Return the smallest superset of `names` that the group `name` can hold; None when there is none."""
    others = replace(graph, groups=tuple(group for group in graph.groups if group.name != name))
    whole = smallest_group(others, names)
    try:
        with_group(others, Group(name, whole))
    except GraphError:
        return None
    return whole
