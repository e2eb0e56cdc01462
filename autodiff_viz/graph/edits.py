"""Edit a graph's nodes, wires, rules, regions and groups.

Each edit returns a new graph, or raises a `GraphError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.check import UNFINISHED, cycle_problem, node_problems, rule_problems
from autodiff_viz.graph.frames import Some, filled, frame_problems, smallest_group, smallest_region
from autodiff_viz.graph.model import INPUT, Frame, Graph, Group, Literal, Node, Region, Rule, Slot, params
from autodiff_viz.graph.order import ancestors, consumers, descendants, find_cycle, order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import BACKWARD_AS
from autodiff_viz.graph.text import literal_fault, numbered, quoted

# Frames: regions and groups, the nodes in them, and valid sets of nodes for refused edits.


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
    if added := tuple(problem for problem in frame_problems(after) if problem not in known):
        raise GraphError(added)
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
    regions = []
    for region in graph.regions:
        nodes = members.get(region.name)
        same = nodes is None
        regions.append(region if same else replace(region, nodes=nodes, saved=region.saved & nodes))
    groups = (replace(group, nodes=members.get(group.name, group.nodes)) for group in graph.groups)
    return with_frames(graph, regions, groups)


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
    frame = next((frame for frame in graph.frames if frame.name == name), None)
    if frame is None:
        message = f"There is no region and no group {quoted(name)}."
        raise GraphError(Problem("unknown-region", message, "It may have been removed meanwhile."))
    return frame


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


# Nodes, wires, rules and regions.


_SLOTS = attrgetter("slots")


def free_name(graph: Graph, stem: str) -> str:
    """Return `<stem>_<k>` with the smallest k >= 1 that no node has."""
    return numbered(stem, graph.by_name)


def with_node(graph: Graph, node: Node) -> Graph:
    """Add a node, wired or not.

    The first node becomes the output; a node that reads the output moves the output as `with_wire` does.
    """
    if node.name in graph:
        _refuse(
            "duplicate-name", f"There is a node {quoted(node.name)} already.", "Choose another name.", node
        )
    if len(graph.nodes) >= limits.NODES:
        _refuse(
            "too-many-nodes", f"The graph has {len(graph.nodes)} nodes, which is the limit.", "Remove some."
        )
    wider = replace(graph, nodes=(*graph.nodes, node), output=graph.output or node.name)
    follows = any(name == graph.output for _, name in node.wires)
    if node.name not in chain.from_iterable(map(_SLOTS, wider.nodes)):
        _accept_node(wider, node)  # nothing reads it, so its wires close no cycle
        return replace(wider, output=node.name) if follows else wider
    _accept(wider, node)  # a wire to an unknown name has its source now
    return _output_follows(wider, node) if follows else wider


def with_wired_node(graph: Graph, node: Node, source: str, slot: int) -> Graph:
    """Add a node with a wire from `source` into its slot: `with_node` and `with_wire` in one edit."""
    return with_node(graph, _with_held(node, slot, _node(graph, source).name))


def with_wire(graph: Graph, source: str, target: str, slot: int) -> Graph:
    """Wire the output of `source` into a slot of `target`, in place of what the slot holds.

    A wire from the output node moves the output to the sink downstream of `target`, if there is exactly one.

    Raises:
      GraphError: code "cycle", with the path, when `source` depends on `target`.
    """
    _node(graph, source)
    wired = with_slot(graph, target, slot, source)
    return _output_follows(wired, wired[target]) if source == graph.output else wired


def without_wire(graph: Graph, target: str, slot: int) -> Graph:
    """Empty a slot of `target`."""
    return with_slot(graph, target, slot, None)


def with_constant(graph: Graph, target: str, slot: int, literal: Literal) -> Graph:
    """Put a number or a tensor into a slot of `target`, in place of what the slot holds."""
    if fault := literal_fault(literal):
        message = f"The constant for slot {slot} of {quoted(target)} {fault}."
        _refuse("bad-literal", message, "Give a number, or rows of numbers.", _node(graph, target), slot)
    return with_slot(graph, target, slot, literal)


def with_slot(graph: Graph, target: str, slot: int, held: Slot) -> Graph:
    """Put a wire, a constant or None into a slot of `target`; the output does not move."""
    return _replaced(graph, _with_held(_node(graph, target), slot, held))


def _with_held(node: Node, slot: int, held: Slot) -> Node:
    if not 0 <= slot < len(node.slots):
        message = f"{quoted(node.name)} has no slot {slot}; it has {len(node.slots)}, counted from 0."
        _refuse("unknown-slot", message, "Choose one of its slots.", node, slot)
    return replace(node, slots=(*node.slots[:slot], held, *node.slots[slot + 1 :]))


def with_more_slots(graph: Graph, name: str) -> Graph:
    """Add an empty slot to a variadic node (`concatenate`, `stack`), before an alternative."""
    node = _node(graph, name)
    end = len(node.op_slots)
    return _replaced(graph, replace(node, slots=(*node.slots[:end], None, *node.slots[end:])))


def without_slot(graph: Graph, name: str, slot: int) -> Graph:
    """Remove one of the op's own slots, with its content."""
    node = _node(graph, name)
    if not 0 <= slot < len(node.op_slots):
        _refuse(
            "unknown-slot", f"{quoted(name)} has no slot {slot} to take away.", "Choose another.", node, slot
        )
    return _replaced(graph, replace(node, slots=node.slots[:slot] + node.slots[slot + 1 :]))


def with_rule(graph: Graph, name: str, rule: Rule, alternative: Slot = None) -> Graph:
    """Set a node's rule. `backward_as` appends a slot for `alternative`, any other rule removes that slot."""
    node = _node(graph, name)
    slots = node.op_slots
    if rule.kind == BACKWARD_AS:
        kept = node.slots[-1] if node.rule.kind == BACKWARD_AS and alternative is None else alternative
        slots = (*slots, kept)
    ruled = replace(node, slots=slots, rule=rule)
    if problems := tuple(rule_problems(ruled)):
        raise GraphError(problems)
    return _replaced(graph, ruled)


def with_param(graph: Graph, name: str, param: str, value: Any) -> Graph:
    """Set a parameter of a node; None removes it. The engine checks which parameters an op has."""
    return with_params(graph, name, {param: value})


def with_params(graph: Graph, name: str, values: Mapping[str, Any]) -> Graph:
    """Set several parameters of a node in one edit, such as `value` and `shape`; None removes one."""
    node = _node(graph, name)
    return _replaced(graph, replace(node, params=params(**{**dict(node.params), **values})))


def renamed(graph: Graph, old: str, new: str) -> Graph:
    """Rename a node; wires, regions, groups, saved names and the output follow."""
    node = _node(graph, old)
    if new == old:
        return graph
    if new in graph:
        _refuse("duplicate-name", f"There is a node {quoted(new)} already.", "Choose another name.", node)
    name_of = {old: new}
    nodes = tuple(
        replace(n, name=name_of.get(n.name, n.name), slots=_slots(n.slots, name_of))
        if n.name == old or old in n.slots  # others keep their caches
        else n
        for n in graph.nodes
    )
    after = replace(graph, nodes=nodes, output=name_of.get(graph.output or "", graph.output))
    after = _in_frames(after, lambda names: frozenset(name_of.get(name, name) for name in names))
    _accept(after, after[new], after[new].wires)  # no wire is new: only the name can be refused
    return after


def new_names(graph: Graph, after: Graph) -> dict[str, str]:
    """Return the new names of nodes by their old ones, if `after` is the graph with other names alone.

    Positions, regions and groups do not count.

    Returns:
      Those that have changed; none if anything else has.
    """
    pairs = [*zip(graph.nodes, after.nodes, strict=False)]
    name_of: dict[str, str | None] = {one.name: other.name for one, other in pairs if one.name != other.name}
    if not name_of or len(graph.nodes) != len(after.nodes):
        return {}
    for one, other in pairs:
        named = replace(one, name=other.name, slots=_slots(one.slots, name_of), position=other.position)
        if named != other:
            return {}
    return {old: new for old, new in name_of.items() if new is not None}


def with_positions(graph: Graph, positions: Mapping[str, tuple[float, float] | None]) -> Graph:
    """Move nodes to the given top-left corners in pixels; None returns a node to the automatic layout."""
    moved = {}
    for name, position in positions.items():
        if (node := _node(graph, name)).position is position:  # keep the node object and its caches
            continue
        moved[name] = replace(node, position=position)
        if problem := next((p for p in node_problems(graph, moved[name]) if p.code == "bad-position"), None):
            raise GraphError(problem)
    return replace(graph, nodes=tuple(moved.get(node.name, node) for node in graph.nodes))


def with_output(graph: Graph, name: str) -> Graph:
    """Make the node `name` the output, which is the node to differentiate."""
    return replace(graph, output=_node(graph, name).name)


def with_region(graph: Graph, region: Region) -> Graph:
    """Add a checkpoint region, or replace the one of the same name.

    Raises:
      GraphError: the problems that the region adds, such as "region-not-convex", which `convex_hull` mends.
    """
    others = tuple(other for other in graph.regions if other.name != region.name)
    after = replace(graph, regions=(*others, region))
    known = set(frame_problems(replace(graph, regions=others)))
    if added := tuple(problem for problem in frame_problems(after) if problem not in known):
        raise GraphError(added)
    return after


def without_region(graph: Graph, name: str) -> Graph:
    """Remove a checkpoint region; its nodes stay."""
    kept = tuple(region for region in graph.regions if region.name != name)
    if len(kept) == len(graph.regions):
        _refuse("unknown-region", f"There is no region {quoted(name)}.", "Choose one of the regions.")
    return replace(graph, regions=kept)


def without_nodes(graph: Graph, names: Iterable[str]) -> Graph:
    """Delete nodes and rewire their consumers where that is unambiguous.

    Where all wires of a deleted node come from one node, its consumers are wired to that node; otherwise
    their slots become empty. Regions and groups lose the names, and are removed when they become empty. The
    output of a deleted output node moves to the node that replaces it on its wires, otherwise to the last
    sink, preferably one that the old output depended on.
    """
    gone = {_node(graph, name).name for name in names}
    # What the consumers of a deleted node are wired to instead; in topological order, so that the heir of a
    # deleted node's source is known before it.
    heir: dict[str, str | None] = {}
    for node in order(graph):
        if node.name in gone:
            sources = {name for _, name in node.wires}
            source = sources.pop() if len(sources) == 1 else None
            heir[node.name] = heir.get(source) if source in gone else source
    kept = tuple(
        replace(node, slots=_slots(node.slots, heir)) if any(name in gone for _, name in node.wires) else node
        for node in graph.nodes
        if node.name not in gone
    )
    after = _in_frames(replace(graph, nodes=kept), lambda names: names - gone)
    if graph.output not in gone:
        return after
    if heir[graph.output]:
        return replace(after, output=heir[graph.output])
    # The last sink, preferably one that the old output depended on, preferably not an input.
    preferred, uses = ancestors(graph, [graph.output]), consumers(after)
    ends = [node for node in order(after) if not uses[node.name]] or list(after.nodes)
    ranked = [(node.name in preferred, node.op != INPUT, i) for i, node in enumerate(ends)]
    return replace(after, output=ends[max(ranked)[2]].name if ends else None)


def _output_follows(graph: Graph, node: Node) -> Graph:
    """Move the output to the sink downstream of `node`, if there is exactly one."""
    uses = consumers(graph)
    ends = [name for name in descendants(graph, [node.name]) if not uses[name]]
    return replace(graph, output=ends[0]) if len(ends) == 1 else graph


def _replaced(graph: Graph, node: Node) -> Graph:
    """Replace the node of that name, unless this adds a problem other than being unfinished."""
    before = graph[node.name]
    after = replace(graph, nodes=tuple(node if n is before else n for n in graph.nodes))
    _accept(after, node, before.wires)
    return after


def _accept(graph: Graph, node: Node, old_wires: tuple[tuple[int, str], ...] = ()) -> None:
    """Raise the problems of `node` other than being unfinished, or the cycle that its new wires close."""
    _accept_node(graph, node)
    drawn = {name for _, name in node.wires} - {name for _, name in old_wires}
    if node.name in ancestors(graph, drawn):
        around = descendants(graph, [node.name]) & ancestors(graph, [node.name])
        cycle = find_cycle(Graph(tuple(n for n in graph.nodes if n.name in around)))
        raise GraphError(cycle_problem(cycle or (node.name, node.name)))


def _accept_node(graph: Graph, node: Node) -> None:
    if problems := tuple(problem for problem in node_problems(graph, node) if problem.code not in UNFINISHED):
        raise GraphError(problems)


def _slots(slots: tuple[Slot, ...], name_of: Mapping[str, str | None]) -> tuple[Slot, ...]:
    return tuple(name_of.get(slot, slot) if isinstance(slot, str) else slot for slot in slots)


def _in_frames(graph: Graph, change: Callable[[frozenset[str]], frozenset[str]]) -> Graph:
    """Apply `change` to the names in regions and groups; frames that become empty are removed."""
    regions = (replace(r, nodes=change(r.nodes), saved=change(r.saved)) for r in graph.regions)
    groups = (replace(group, nodes=change(group.nodes)) for group in graph.groups)
    return replace(graph, regions=filled(regions), groups=filled(groups))


def _node(graph: Graph, name: str) -> Node:
    if name not in graph:
        _refuse("unknown-node", f"There is no node {quoted(name)}.", "Choose a node of the graph.")
    return graph[name]


def _refuse(code: str, message: str, hint: str, node: Node | None = None, slot: int | None = None) -> None:
    raise GraphError(Problem(code, message, hint, node=node.name if node else None, slot=slot))


# Whole wires: a node is inserted into one, or its end is moved.


def inserted(graph: Graph, name: str, source: str, target: str, slot: int) -> Graph:
    """Insert the node `name` into the wire from `source` to a slot of `target`.

    The node reads `source` with its first empty slot, or with slot 0 when none is empty. Checkpoint regions
    that hold both ends of the wire take the node in, since outside it would be on a path that leaves and
    re-enters them. Groups that hold both ends take it in too, and it is removed from all other groups.
    """
    _check_wire(graph, source, target, slot)
    fed = with_wire(graph, name, target, slot)
    slots = fed[name].op_slots
    own = next((i for i, held in enumerate(slots) if held is None), 0)
    wired = with_slot(fed, name, own, source)
    ends = {source, target}
    # A node of a region that does not hold both ends keeps its groups, which may enclose that region.
    tied = any(name in region.nodes and not ends <= region.nodes for region in wired.regions)
    regions = tuple(
        replace(region, nodes=region.nodes | {name}) if ends <= region.nodes else region
        for region in wired.regions
    )
    groups = (
        wired.groups
        if tied
        else tuple(
            replace(group, nodes=group.nodes | {name} if ends <= group.nodes else group.nodes - {name})
            for group in wired.groups
        )
    )
    return replace(wired, regions=regions, groups=filled(groups))


def rewired(graph: Graph, source: str, old: tuple[str, int], new: tuple[str, int]) -> Graph:
    """Move the end of the wire from `source` from one (node, slot) to another.

    The wire replaces what the new slot holds.
    """
    _check_wire(graph, source, *old)
    return with_wire(without_wire(graph, *old), source, *new)


def _check_wire(graph: Graph, source: str, target: str, slot: int) -> None:
    if target not in graph or slot not in dict(graph[target].wires) or graph[target].slots[slot] != source:
        message = f"No wire leads from {quoted(source)} to slot {slot} of {quoted(target)}."
        raise GraphError(Problem("unknown-wire", message, "It may have been changed meanwhile."))
