"""Copy and paste subgraphs: extract them with regions and groups, insert them under fresh names."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.check import UNFINISHED, node_problems
from autodiff_viz.graph.model import Frame, Graph, Slot
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import numbered, quoted

_NUMBER = re.compile(r"_[0-9]+$")


@dataclass(frozen=True, slots=True)
class Grafted:
    """The result of `graft`: the graph, and the new names of the piece's nodes and frames.

    Attributes:
      graph: the graph with the piece in it.
      name_of: new name by the node's name in the piece.
      title_of: new name by the frame's name in the piece.
    """

    graph: Graph
    name_of: dict[str, str]
    title_of: dict[str, str]


def extract(graph: Graph, names: Iterable[str]) -> Graph:
    """Extract the named nodes, the wires between them, and the regions and groups that hold no other nodes.

    A wire from outside stays in its slot as a name that no node of the piece has; `graft` and `detached`
    resolve it. The output is the graph's own if it is in the piece, else None.

    Raises:
      GraphError: code "unknown-node".
    """
    chosen = frozenset(names)
    for name in sorted(chosen - graph.by_name.keys()):
        message = f"There is no node {quoted(name)}."
        raise GraphError(Problem("unknown-node", message, "Choose nodes of the graph."))
    return Graph(
        tuple(node for node in graph.nodes if node.name in chosen),
        tuple(region for region in graph.regions if region.nodes and region.nodes <= chosen),
        graph.output if graph.output in chosen else None,
        tuple(group for group in graph.groups if group.nodes and group.nodes <= chosen),
    )


def detached(piece: Graph) -> Graph:
    """Empty the slots that are wired to nodes outside the piece."""
    nodes = (replace(node, slots=_slots(node.slots, {}, piece)) for node in piece.nodes)
    return replace(piece, nodes=tuple(nodes))


def graft(graph: Graph, piece: Graph) -> Grafted:
    """Insert a piece into a graph; no node and no frame of the graph changes.

    A name that is taken becomes a fresh one. A wire from outside the piece comes from the node of that name
    in the graph; where there is none, the slot is empty. The output stays, unless there was none.

    Raises:
      GraphError: the graph would exceed a limit, or the piece holds something that no graph may.
    """
    for present, more, most, what in (
        (len(graph.nodes), len(piece.nodes), limits.NODES, "nodes"),
        (len(graph.regions), len(piece.regions), limits.REGIONS, "regions"),
        (len(graph.groups), len(piece.groups), limits.GROUPS, "groups"),
        (sum(node.cut for node in graph.nodes), sum(n.cut for n in piece.nodes), limits.CUTS, "cuts"),
    ):
        if present + more > most:
            message = f"The graph has {present} {what}; {more} more would be over the limit of {most}."
            raise GraphError(Problem(f"too-many-{what}", message, "Remove some first."))
    name_of = _fresh(graph.by_name, (node.name for node in piece.nodes))
    title_of = _fresh({frame.name for frame in graph.frames}, (frame.name for frame in piece.frames))
    # A wire inside the piece leads to the copy, even where the graph has a node of the name.
    known = {**{name: name for name in graph.by_name}, **name_of}
    nodes = tuple(
        replace(node, name=name_of[node.name], slots=_slots(node.slots, known, known)) for node in piece.nodes
    )
    regions = tuple(
        replace(
            _moved(region, title_of, name_of),
            saved=frozenset(name_of[name] for name in region.saved if name in name_of),
        )
        for region in piece.regions
    )
    groups = tuple(_moved(group, title_of, name_of) for group in piece.groups)
    output = graph.output or name_of.get(piece.output or "") or (nodes[-1].name if nodes else None)
    after = Graph((*graph.nodes, *nodes), (*graph.regions, *regions), output, (*graph.groups, *groups))
    problems = [p for node in nodes for p in node_problems(after, node) if p.code not in UNFINISHED]
    if problems:
        raise GraphError(problems)
    return Grafted(after, name_of, title_of)


def _fresh(taken: Container[str], names: Iterable[str]) -> dict[str, str]:
    """Map each name to itself where it is free, else to its stem with the next free number."""
    fresh: dict[str, str] = {}
    used: set[str] = set()
    names = tuple(names)
    kept = {name for name in names if name not in taken}
    for name in names:
        stem = _NUMBER.sub("", name) or name
        fresh[name] = name if name in kept else numbered(stem, _Either(taken, used, kept))
        used.add(fresh[name])
    return fresh


@dataclass(frozen=True, slots=True)
class _Either:
    """Union of three containers, without a copy."""

    one: Container[str]
    other: Container[str]
    third: Container[str]

    def __contains__(self, name: str) -> bool:
        return name in self.one or name in self.other or name in self.third


def _slots(slots: tuple[Slot, ...], name_of: dict[str, str], known: Container[str]) -> tuple[Slot, ...]:
    """Rename wires by `name_of`, and empty slots that are wired to no node of `known`."""
    return tuple(
        (name_of.get(slot, slot) if slot in known else None) if isinstance(slot, str) else slot
        for slot in slots
    )


def _moved(frame: Frame, title_of: dict[str, str], name_of: dict[str, str]) -> Any:
    nodes = frozenset(name_of[name] for name in frame.nodes)
    return replace(frame, name=title_of[frame.name], nodes=nodes)
