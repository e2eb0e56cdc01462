"""Edit whole wires: insert a node into a wire, or move a wire's end.

Each returns a new graph, or raises a `GraphError`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff_viz.graph.edits.node_edits import with_slot, with_wire, without_wire
from autodiff_viz.graph.model import Graph, Group
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text.names import quoted


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
    return _moved_in(wired, name, {source, target})


def _moved_in(graph: Graph, name: str, ends: set[str]) -> Graph:
    """Add the node to all regions and groups that hold both ends, and remove it from all other groups.

    A node of a region that does not hold both ends keeps its groups, which may enclose that region.
    """
    tied = any(name in region.nodes and not ends <= region.nodes for region in graph.regions)

    def wider(frame: Any) -> Any:
        return replace(frame, nodes=frame.nodes | {name}) if ends <= frame.nodes else frame

    def regrouped(group: Group) -> Group:
        return wider(group) if ends <= group.nodes else replace(group, nodes=group.nodes - {name})

    groups = graph.groups if tied else tuple(regrouped(group) for group in graph.groups)
    filled = tuple(group for group in groups if group.nodes)
    return replace(graph, regions=tuple(wider(region) for region in graph.regions), groups=filled)


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
