"""Check the regions and groups of a graph, find the smallest valid ones, and nest nodes in their blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain, combinations, pairwise, product
from typing import TypeVar, Union

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Frame, Graph, Group, Node, Region
from autodiff_viz.graph.order import ancestors, consumers, descendants, find_cycle, order
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.text import listed_names, numbered, quoted, region_name_fault

COUNTED = 2_000  # limit of runs in checkpoint regions that are counted while somebody waits


def runs_are_many(graph: Graph) -> bool:
    """Return whether counting the runs takes long: a node counts once for each way to run it."""
    around = Counter(name for region in graph.regions for name in region.nodes)
    return sum(2**count for count in around.values()) > COUNTED


# Checkpoint regions: they are convex, nested or disjoint, and do not depend on each other.


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
    while True:
        wider = _hull_beside(graph, inside)
        # A group may lie around the region or inside it; one that it would cut is taken in.
        cut = [g.nodes for g in graph.groups if not (g.nodes.isdisjoint(wider) or wider <= g.nodes)]
        wider = wider.union(*cut)
        if wider == inside:
            return inside
        inside = wider


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
    depth = Counter(name for region in graph.regions for name in sorted(region.nodes))
    for name, levels in depth.most_common(1):
        if levels > limits.REGION_DEPTH:
            message = f"Node {quoted(name)} is in {levels} regions; the limit is {limits.REGION_DEPTH}."
            yield Problem("too-deep", message, "Remove a region.", node=name)
    # Only convex regions that nest can be looked at as steps that wait for each other.
    shape_problems = [*_not_convex(graph), *_overlapping_regions(graph)]
    yield from shape_problems or _entangled(graph)


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
    frontier = [name for name in goes_to if name in inside]  # breadth first, from all of them at once
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


def _overlapping_regions(graph: Graph) -> Iterator[Problem]:
    for a, b in combinations(graph.regions, 2):
        if (shared := a.nodes & b.nodes) and not (a.nodes <= b.nodes or b.nodes <= a.nodes):
            names = listed_names(sorted(shared))
            message = (
                f"Regions {quoted(a.name)} and {quoted(b.name)} share {names}, but neither holds the other."
            )
            hint = "Take the shared nodes out of one region, or put one region inside the other."
            yield Problem("regions-overlap", message, hint, node=min(shared), path=tuple(sorted(shared)))


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


# Groups: named sets of nodes, nested in one another, nested in or around regions, or disjoint.


Some = TypeVar("Some", Region, Group)


def filled(frames: Iterable[Some]) -> tuple[Some, ...]:
    """Return the frames that hold a node."""
    return tuple(frame for frame in frames if frame.nodes)


def outermost_first(frames: Iterable[Frame]) -> list[Frame]:
    """Sort frames from the outermost in.

    Of frames with equal nodes, a group is outside a region, and a group of branches outside a plain one.
    """

    def rank(frame: Frame) -> tuple[int, bool, bool, str]:
        group = isinstance(frame, Group)
        return -len(frame.nodes), not group, not (group and frame.branches), frame.name

    return sorted(frames, key=rank)


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
    depth = Counter(name for group in graph.groups for name in sorted(group.nodes, key=str))
    for name, levels in depth.most_common(1):
        if levels > limits.GROUP_DEPTH:
            message = f"Node {quoted(name)} is in {levels} groups; the limit is {limits.GROUP_DEPTH}."
            yield Problem("too-deep", message, "Remove a group.")
    # Frames that overlap without nesting. The problem names no node, since the graph can run.
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


# Blocks, one per region or group, with producers before consumers.


@dataclass(frozen=True, slots=True)
class Block:
    """The nodes and inner blocks of a frame, in topological order.

    Attributes:
      frame: the region or group, None for the outermost block.
      items: nodes and blocks.
    """

    frame: Frame | None
    items: tuple[Item, ...]

    @property
    def region(self) -> Region | None:
        """The checkpoint region of the block; None for a group and the outermost block."""
        return self.frame if isinstance(self.frame, Region) else None

    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes inside, in topological order."""
        nodes: list[Node] = []
        for item in self.items:
            nodes.extend(item.nodes() if isinstance(item, Block) else (item,))
        return tuple(nodes)


Item = Union[Node, Block]


def blocks(graph: Graph) -> Block:
    """Nest the graph's nodes in blocks for its regions and groups.

    Needs regions that are convex and nest properly (no `problems`); of two with equal nodes, the one whose
    name sorts first is the outer one. All groups are left out where they cannot all run in one piece.
    """
    try:
        return _nest(None, order(graph), _chains(graph, graph.frames), 0)
    except CycleError:
        return _nest(None, order(graph), _chains(graph, graph.regions), 0)


def _chains(graph: Graph, frames: Iterable[Frame]) -> dict[str, list[Frame]]:
    chains: dict[str, list[Frame]] = {node.name: [] for node in graph.nodes}
    for frame in outermost_first(frames):
        for name in frame.nodes:
            chains[name].append(frame)
    return chains


def _nest(frame: Frame | None, nodes: Iterable[Node], chains: dict[str, list[Frame]], depth: int) -> Block:
    """Collect `nodes` by their frame at this depth and sort these items topologically into a block."""
    item_of: dict[str, str] = {}
    members: dict[str, list[Node]] = {}
    for node in nodes:
        chain = chains[node.name]
        key = f"frame {chain[depth].name}" if len(chain) > depth else node.name  # no node's name has a space
        item_of[node.name] = key
        members.setdefault(key, []).append(node)
    needs: dict[str, list[str]] = {}
    for key, inside in members.items():
        read = dict.fromkeys(item_of[name] for node in inside for _, name in node.wires if name in item_of)
        read.pop(key, None)
        needs[key] = list(read)
    items: list[Item] = []
    for key in TopologicalSorter(needs).static_order():
        first = members[key][0]
        inner = chains[first.name]
        if len(inner) > depth:
            items.append(_nest(inner[depth], members[key], chains, depth + 1))
        else:
            items.append(first)
    return Block(frame, tuple(items))
