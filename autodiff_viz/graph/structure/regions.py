"""Check checkpoint regions (convexity, nesting, mutual dependence); find the smallest valid region."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.registries.policies import POLICIES
from autodiff_viz.graph.structure.order import ancestors, consumers, descendants, find_cycle
from autodiff_viz.graph.text.names import listed_names, quoted, region_name_fault


def convex_hull(graph: Graph, names: Iterable[str]) -> frozenset[str]:
    """Return the smallest superset of `names` that no path leaves and re-enters.

    Unknown names are left out.
    """
    names = frozenset(names)
    return ancestors(graph, names) & descendants(graph, names)


def smallest_region(graph: Graph, names: Iterable[str]) -> frozenset[str]:
    """Return the smallest superset of `names` that is a valid region beside those of the graph.

    A region that holds only a part of it is included whole, and so is a region on a path that leaves and
    re-enters it. Groups that it would overlap without nesting are included too.
    """
    inside = frozenset(names) & graph.by_name.keys()
    while (wider := _with_cut_groups(graph, _hull_beside(graph, inside))) != inside:
        inside = wider
    return inside


def _with_cut_groups(graph: Graph, inside: frozenset[str]) -> frozenset[str]:
    cut = (g.nodes for g in graph.groups if not (g.nodes.isdisjoint(inside) or inside <= g.nodes))
    return inside.union(*cut)


def _hull_beside(graph: Graph, inside: frozenset[str]) -> frozenset[str]:
    """Return the convex hull of `inside`, with each region that does not hold all of it as one node."""
    step_of: dict[str, str] = {name: name for name in graph.by_name}
    for region in sorted(graph.regions, key=lambda region: len(region.nodes)):  # outer ones last
        if not inside <= region.nodes:
            step_of.update(dict.fromkeys(region.nodes & graph.by_name.keys(), f"region {region.name}"))
    slots: dict[str, dict[str, None]] = {step: {} for step in step_of.values()}
    for node in graph.nodes:
        slots[step_of[node.name]].update((step_of[name], None) for _, name in node.wires if name in step_of)
    steps = Graph(tuple(Node(step, "", tuple(wired)) for step, wired in slots.items()))
    between = convex_hull(steps, {step_of[name] for name in inside})
    return frozenset(name for name, step in step_of.items() if step in between)


def region_problems(graph: Graph) -> Iterator[Problem]:
    """Yield the problems of the regions of an acyclic graph. Linear in the graph for each region."""
    if not graph.regions:
        return
    if len(graph.regions) > limits.REGIONS:
        message = f"The graph has {len(graph.regions)} regions; the limit is {limits.REGIONS}."
        yield Problem("too-many-regions", message, "Remove regions.")
        return
    yield from _declarations(graph)
    yield from _too_deep(graph)
    shape_problems = [*_not_convex(graph), *_overlaps(graph)]
    yield from shape_problems or _entangled(graph)


def _declarations(graph: Graph) -> Iterator[Problem]:
    seen: set[str] = set()
    for region in graph.regions:
        label = f"Region {quoted(region.name)}"
        if fault := region_name_fault(region.name):
            yield Problem("bad-name", f"{label} has a name that {fault}.", "Rename the region.")
        if region.name in seen:
            yield Problem("duplicate-name", f"Two regions are named {quoted(region.name)}.", "Rename one.")
        seen.add(region.name)
        if not region.nodes:
            yield Problem("empty-region", f"{label} holds no node.", "Put a node in it, or remove it.")
        if region.policy not in POLICIES:
            hint = f"Use one of {', '.join(POLICIES)}."
            yield Problem("unknown-policy", f"{label} has the unknown policy {quoted(region.policy)}.", hint)
        for name in sorted((region.nodes | region.saved) - graph.by_name.keys(), key=str):
            message = f"{label} names {quoted(name)}, which is no node of the graph."
            yield Problem("unknown-node", message, "Take the name out of the region.", node=name)


def _not_convex(graph: Graph) -> Iterator[Problem]:
    goes_to = {name: [n for n, _ in pairs] for name, pairs in consumers(graph).items()}
    for region in graph.regions:
        if path := _leaving_path(goes_to, region.nodes):
            outside = listed_names(path[1:-1])
            message = (
                f"Region {quoted(region.name)} cannot run as a whole: {path[-1]!r} inside it needs {outside} "
                f"outside it, which needs {path[0]!r} inside it."
            )
            hint = f"Put {outside} in the region too, or take {path[-1]!r} out of it."
            yield Problem("region-not-convex", message, hint, node=path[1], path=path)


def _leaving_path(goes_to: Mapping[str, list[str]], inside: frozenset[str]) -> tuple[str, ...]:
    """Return the shortest path that leaves `inside` and re-enters it, both ends inside; () if none."""
    came_from: dict[str, str] = {}
    frontier = [name for name in goes_to if name in inside]
    while frontier:
        reached = []
        for name in frontier:
            for target in goes_to[name]:
                if target in inside:
                    if name not in inside:
                        return _walk_back(came_from, name, inside, target)
                elif target not in came_from:
                    came_from[target] = name
                    reached.append(target)
        frontier = reached
    return ()


def _walk_back(came_from: Mapping[str, str], name: str, inside: frozenset[str], end: str) -> tuple[str, ...]:
    path = [end, name]
    while path[-1] not in inside:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))


def _overlaps(graph: Graph) -> Iterator[Problem]:
    for a, b in combinations(graph.regions, 2):
        if (shared := a.nodes & b.nodes) and not (a.nodes <= b.nodes or b.nodes <= a.nodes):
            names = listed_names(sorted(shared))
            message = (
                f"Regions {quoted(a.name)} and {quoted(b.name)} share {names}, but neither holds the other."
            )
            hint = "Take the shared nodes out of one region, or put one region inside the other."
            yield Problem("regions-overlap", message, hint, node=min(shared), path=tuple(sorted(shared)))


def _too_deep(graph: Graph) -> Iterator[Problem]:
    depth = Counter(name for region in graph.regions for name in sorted(region.nodes))
    for name, levels in depth.most_common(1):
        if levels > limits.REGION_DEPTH:
            message = f"Node {quoted(name)} is in {levels} regions; the limit is {limits.REGION_DEPTH}."
            yield Problem("too-deep", message, "Remove a region.", node=name)


def _entangled(graph: Graph) -> Iterator[Problem]:
    """Yield the problem of convex regions that depend on each other."""
    steps = _steps(graph)
    cycle = find_cycle(Graph(tuple(Node(step, "", tuple(waits)) for step, waits in steps.items())))
    if cycle:
        path = tuple(dict.fromkeys(step for step in cycle if step in graph))
        stuck = sorted({step.partition(" ")[2] for step in cycle if step not in graph})
        both = listed_names(stuck)
        message = f"Regions {both} cannot run as wholes: each one needs a result from inside the other."
        hint = "Split one of the regions, or join them in one."
        yield Problem("regions-entangled", message, hint, node=path[0] if path else None, path=path)


def _steps(graph: Graph) -> dict[str, dict[str, None]]:
    """Return the dependencies of each step, which is a node or the beginning or end of a region.

    A wire into a region delays its beginning, a wire out of it waits for its end: the regions can each run in
    one piece exactly when these dependencies are acyclic. Steps of regions are named "first <region>" and
    "last <region>"; the space keeps them apart from node names.
    """
    chains: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    for region in sorted(graph.regions, key=lambda region: -len(region.nodes)):
        for name in region.nodes & chains.keys():
            chains[name].append(region.name)
    steps: dict[str, dict[str, None]] = {name: {} for name in chains}
    for node in graph.nodes:
        chain = chains[node.name]
        first = [*(f"first {region}" for region in chain), node.name]
        last = [*(f"last {region}" for region in chain), node.name]
        for outer, inner in pairwise(first):
            steps.setdefault(inner, {})[outer] = None
            steps.setdefault(outer, {})
        for outer, inner in pairwise(last):
            steps.setdefault(outer, {})[inner] = None
        for _, producer in node.wires:
            if producer in chains:
                shared = sum(a == b for a, b in zip(chain, chains[producer], strict=False))
                source = [*(f"last {region}" for region in chains[producer]), producer]
                steps[first[shared]][source[shared]] = None
    return steps
