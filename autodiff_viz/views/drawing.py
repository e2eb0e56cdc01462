"""The graph with its numbers as the canvas wants it: JSON-safe, every number already text.

Field by field it is described in ui/editor/web/types.js.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from autodiff_viz.engine.broadcasts import Mix, mixes
from autodiff_viz.engine.check import disconnected
from autodiff_viz.engine.counts import Runs
from autodiff_viz.engine.labels import Stray, strays
from autodiff_viz.engine.live import Wire
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.identity import identity, remembered, same
from autodiff_viz.graph.model import BACKWARD_AS, Graph, Node, Rule
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.segments import has_cuts, idle_cuts, segment_of
from autodiff_viz.language.shadows import Shadow, shadows
from autodiff_viz.views.cards import (
    pictured,
    room,
    size,
)
from autodiff_viz.views.flows import largest, passed
from autodiff_viz.views.framing import group_data, region_data
from autodiff_viz.views.heatmaps import kernels_of
from autodiff_viz.views.layout import Layout, layout
from autodiff_viz.views.records import NodeShown, WireShown, node_record, wire_record

K, V = TypeVar("K"), TypeVar("V")


@dataclass(frozen=True, slots=True)
class Picture:
    """What there is to draw: the graph, its numbers where it has any, and what is wrong with it."""

    graph: Graph
    trace: Trace | None
    runs: Mapping[str, Runs]
    problems: tuple[Problem, ...]
    selected: str | None
    document: int
    collapsed: frozenset[str] = frozenset()
    states: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drawing:
    """The canvas as data, and what it and each of its nodes and wires was drawn from.

    `cards` and `threads` are (what it shows, record) by node name and by wire.
    """

    picture: Picture
    data: dict[str, Any]
    cards: Mapping[str, tuple[NodeShown, dict[str, Any]]]
    threads: Mapping[Wire, tuple[WireShown, dict[str, Any]]]


def drawing(picture: Picture, last: Drawing | None = None) -> Drawing:
    """The drawing of one state of the lab. Nodes and wires that show what they did in the `last` one are its
    records, the same objects."""
    if last is not None and _marked_alone(picture, last.picture):
        return replace(last, picture=picture, data={**last.data, **_marks(picture, last.data["groups"])})
    graph = picture.graph
    placed, scale = places(graph), largest(picture.trace)
    cards = {card.node.name: card for card in _cards(picture, placed)}
    threads = {
        (node.name, slot): _thread(picture, node, slot, placed, scale)
        for node in graph.nodes
        for slot, producer in node.wires
        if producer in graph
    }
    nodes = _redrawn(cards, last.cards if last else {}, node_record)
    wires = _redrawn(threads, last.threads if last else {}, wire_record)
    data = {
        "graph": str(picture.document),
        "nodes": [record for _, record in nodes.values()],
        "wires": [record for _, record in wires.values()],
        "regions": [region_data(graph, region, picture.runs, picture.problems) for region in graph.regions],
    }
    groups = [group_data(graph, group, picture.trace, scale, picture.problems) for group in graph.groups]
    return Drawing(picture, {**data, **_marks(picture, groups)}, nodes, wires)


def _marked_alone(picture: Picture, last: Picture) -> bool:
    """Whether nothing differs but what is selected and what is collapsed."""
    return last.document == picture.document and all(
        getattr(last, name) is getattr(picture, name)
        for name in ("graph", "trace", "runs", "problems", "states")
    )


def _marks(picture: Picture, groups: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """What is selected, and the `groups` with whether they are collapsed."""
    collapsed = [group | {"collapsed": group["name"] in picture.collapsed} for group in groups]
    return {"groups": collapsed, "selected": picture.selected}


def _redrawn(wanted: Mapping[K, V], last: Mapping[K, tuple[V, dict]], draw: Callable[[K, V], dict]) -> dict:
    """(what it shows, record) by key: drawn, or the last one where that shows the same."""
    found = {}
    for key, what in wanted.items():
        held = last.get(key)
        found[key] = held if held is not None and same(held[0], what) else (what, draw(key, what))
    return found


def _cards(picture: Picture, placed: Layout) -> Iterator[NodeShown]:
    graph, trace = picture.graph, picture.trace
    apart, tall, kernels = disconnected(graph), pictured(graph), kernels_of(graph)
    number = segment_of(graph) if has_cuts(graph) else {}
    warnings = _warnings(graph, trace)
    problems: dict[str | None, list[Problem]] = {}
    for problem in picture.problems:
        problems.setdefault(problem.node, []).append(problem)
    for node in graph.nodes:
        name = node.name
        yield NodeShown(
            node=node,
            place=placed.positions[name],
            value=trace.value.get(name) if trace else None,
            arriving=trace.cotangent.get(name) if trace and name not in apart else None,
            connected=name not in apart,
            is_output=name == graph.output,
            problems=tuple(problems.get(name, ())),
            runs=picture.runs.get(name),
            state=tuple(picture.states.get(name, ())),
            warnings=tuple(warnings.get(name, ())),
            segment=number[name] + 1 if name in number else None,
            tall=name in tall,
            kernel=name in kernels,
        )


def places(graph: Graph, tall: frozenset[str] | None = None) -> Layout:
    """Where every node stands and how long wires bend; remembered while nothing but numbers changes.

    Args:
      tall: the nodes whose tensor is drawn, where the graph cannot say it itself.
    """
    return _layout(graph, pictured(graph) if tall is None else tall)


def _node_key(node: Node) -> bytes:
    return node.identity


@remembered(8_192, _node_key)
def _standing(node: Node) -> bytes:
    """The identity of what the layout depends on: dragging a slider must not lay the graph out again."""
    return identity((node.name, node.op, node.slots, node.position))


def _layout_key(graph: Graph, tall: frozenset[str]) -> bytes:
    nodes = tuple([_standing(node) for node in graph.nodes])
    return identity((nodes, graph.regions, graph.groups, graph.output, tall))


@remembered(256, _layout_key)
def _layout(graph: Graph, tall: frozenset[str]) -> Layout:
    bare = tuple(replace(n, params=(), rule=Rule(), muted=False, cut=False) for n in graph.nodes)
    return layout(replace(graph, nodes=bare), lambda node: size(node, node.name in tall), room)


def doubts(trace: Trace) -> tuple[Mix | Stray | Shadow, ...]:
    """What no rule forbids and hardly anybody means, each with the node where it is."""
    return (*mixes(trace), *strays(trace), *shadows(trace.graph))


def _warnings(graph: Graph, trace: Trace | None) -> dict[str, list[str]]:
    """By node, what is no mistake and yet likely not meant."""
    found: dict[str, list[str]] = {}
    for each in (*trace.births, *doubts(trace)) if trace else ():
        found.setdefault(each.node, []).append(str(each))
    for name, why in idle_cuts(graph):
        found.setdefault(name, []).append(why)
    return found


def _thread(picture: Picture, node: Node, slot: int, placed: Layout, scale: float) -> WireShown:
    return WireShown(
        producer=node.slots[slot],
        passed=passed(picture.trace, node, slot),
        scale=scale,
        bends=placed.bends.get((node.name, slot), ()),
        alternative=node.rule.kind == BACKWARD_AS and slot == len(node.slots) - 1,
    )
