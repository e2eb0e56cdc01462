"""Wires changed as a whole: a node put into one, an end plugged in elsewhere. Each returns a new graph, or
raises a GraphError and changes nothing."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.graph.edits import with_slot, with_wire, without_wire
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.names import quoted
from autodiff_viz.graph.problem import GraphError, Problem


def inserted(graph: Graph, name: str, source: str, target: str, slot: int) -> Graph:
    """Put the node `name` into the wire from `source` to a slot of `target`.

    It reads `source` with its first empty slot, or its first one when none is empty. Checkpoint regions
    that hold both ends of the wire take it in: left outside, it would be on a path out and back in.
    """
    _check_wire(graph, source, target, slot)
    fed = with_wire(graph, name, target, slot)
    slots = fed[name].op_slots
    own = next((i for i, held in enumerate(slots) if held is None), 0)
    wired = with_slot(fed, name, own, source)
    regions = tuple(
        replace(region, nodes=region.nodes | {name}) if {source, target} <= region.nodes else region
        for region in wired.regions
    )
    return replace(wired, regions=regions)


def rewired(graph: Graph, source: str, old: tuple[str, int], new: tuple[str, int]) -> Graph:
    """Move the end of the wire from `source` from one (node, slot) to another, in place of what is there."""
    _check_wire(graph, source, *old)
    return with_wire(without_wire(graph, *old), source, *new)


def _check_wire(graph: Graph, source: str, target: str, slot: int) -> None:
    if target not in graph or slot not in dict(graph[target].wires) or graph[target].slots[slot] != source:
        message = f"No wire leads from {quoted(source)} to slot {slot} of {quoted(target)}."
        raise GraphError(Problem("unknown-wire", message, "It may have been changed meanwhile."))
