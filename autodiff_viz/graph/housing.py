"""Which nodes checkpoint regions hold, changed as a whole, and what would make a refused change possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from autodiff_viz.graph.model import Graph, Region
from autodiff_viz.graph.names import quoted
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.regions import region_problems, smallest_region

WHOLE = frozenset({"region-not-convex", "regions-overlap", "regions-entangled"})
"""Codes of problems that more nodes in a region can mend."""


def with_regions(graph: Graph, regions: Iterable[Region]) -> Graph:
    """The graph with these regions; those that are left empty go. Raises the problems that this brings."""
    after = replace(graph, regions=tuple(region for region in regions if region.nodes))
    same = tuple(region for region in graph.regions if region in after.regions)
    known = set(region_problems(replace(graph, regions=same)))
    if found := tuple(problem for problem in region_problems(after) if problem not in known):
        raise GraphError(found)
    return after


def with_members(graph: Graph, members: Mapping[str, frozenset[str]]) -> Graph:
    """Change which nodes the named regions hold, all at once."""
    for name in members:
        region_of(graph, name)
    return with_regions(graph, (_holding(region, members.get(region.name)) for region in graph.regions))


def _holding(region: Region, names: frozenset[str] | None) -> Region:
    return region if names is None else replace(region, nodes=names, saved=region.saved & names)


def renamed_region(graph: Graph, old: str, new: str) -> Graph:
    """Rename a region."""
    region = region_of(graph, old)
    return with_regions(
        graph, (replace(other, name=new) if other is region else other for other in graph.regions)
    )


def region_of(graph: Graph, name: str) -> Region:
    """The region of this name. Raises code "unknown-region"."""
    found = next((region for region in graph.regions if region.name == name), None)
    if found is None:
        message = f"There is no region {quoted(name)}."
        raise GraphError(Problem("unknown-region", message, "Choose one of the regions."))
    return found


def mended(graph: Graph, name: str, names: frozenset[str]) -> frozenset[str] | None:
    """The smallest set around `names` that region `name` can hold; None when there is none."""
    others = tuple(region for region in graph.regions if region.name != name)
    whole = smallest_region(replace(graph, regions=others), names)
    try:
        with_regions(graph, (*others, Region(name, whole)))
    except GraphError:
        return None
    return whole
