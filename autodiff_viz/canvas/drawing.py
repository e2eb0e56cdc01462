"""Draw the graph with its numbers for the canvas, as JSON data with typed numbers, which the browser formats.

web/types.js describes the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, TypeVar

from autodiff_viz.canvas.cards import WIDEST, WINDOW, pictured, room, size
from autodiff_viz.canvas.frames import group_data, region_data
from autodiff_viz.canvas.layout.placing import Ways
from autodiff_viz.canvas.layout.sugiyama import Layout, Space, Standing, routed, standing
from autodiff_viz.canvas.layout.tabs import feet, layers_of
from autodiff_viz.canvas.records import (
    NodeShown,
    WireShown,
    node_record,
    passed,
    pushed_along,
    tangent_at,
    traced,
    wire_record,
)
from autodiff_viz.display.heatmap import kernels_of
from autodiff_viz.engine.live_path.check import disconnected, shapes
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.nonfinite import origin_sentences
from autodiff_viz.engine.trace import ARRIVES, PASSED, SHAPE, VALUE, Place, Trace
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.explain.forward.compute import Tangents
from autodiff_viz.graph.cuts import has_cuts, idle_cuts, segment_of
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.frames import outermost_first
from autodiff_viz.graph.identity import identity, remembered, same
from autodiff_viz.graph.model import Graph, Node, Rule
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.rule_kinds import BACKWARD_AS
from autodiff_viz.ops.misfits import Shape

K, V = TypeVar("K"), TypeVar("V")


@dataclass(frozen=True, slots=True)
class Picture:
    """Input of `drawing`: the graph with its numbers and problems.

    Attributes:
      graph: the graph.
      trace: its numbers; None if nothing can be evaluated.
      runs: run counts of nodes, where they are known.
      problems: problems of the graph.
      selected: name of the selected node.
      document: number of the open document.
      collapsed: names of the collapsed groups.
      states: (text for the card, sentence) by node.
      tangents: those of forward mode; None while it is off.
      guesses: by place, what the visitor has answered about it.
    """

    graph: Graph
    trace: Trace | None
    runs: Mapping[str, Runs]
    problems: tuple[Problem, ...]
    selected: str | None
    document: int
    collapsed: frozenset[str] = frozenset()
    states: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    tangents: Tangents | None = None
    guesses: Mapping[Place, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Data of the canvas with the inputs of each record, so that unchanged records can be reused.

    Attributes:
      picture: the input of the whole drawing.
      data: the data that the canvas shows.
      cards: (input, record) by node name.
      threads: (input, record) by wire.
      ways: what is kept of the routes of wires; None of a small graph.
    """

    picture: Picture
    data: dict[str, Any]
    cards: Mapping[str, tuple[NodeShown, dict[str, Any]]]
    threads: Mapping[Wire, tuple[WireShown, dict[str, Any]]]
    ways: Ways | None = None


def drawing(picture: Picture, last: Drawing | None = None) -> Drawing:
    """Draw one state of the lab.

    Args:
      last: the previous drawing; nodes and wires with unchanged inputs are its records, the same objects.
    """
    # Where only the selection and the collapsed groups differ, their marks alone are made again.
    if (
        last is not None
        and last.picture.document == picture.document
        and all(
            getattr(last.picture, name) is getattr(picture, name)
            for name in ("graph", "trace", "runs", "problems", "states", "tangents")
        )
        and last.picture.guesses == picture.guesses
        and _closed(last.picture) == _closed(picture)
    ):
        return replace(last, picture=picture, data={**last.data, **_marks(picture, last.data["groups"])})
    graph = picture.graph
    kept = Kept(last.ways if last else None)
    placed = places(graph, _tall(picture), _closed(picture), kept)
    cards = {card.node.name: card for card in _cards(picture, placed)}
    threads = {
        (node.name, slot): WireShown(
            producer=producer,
            passed=passed(picture.trace, node, slot),
            bends=placed.bends.get((node.name, slot), ()),
            alternative=node.rule.kind == BACKWARD_AS and slot == len(node.slots) - 1,
            pushed=pushed_along(picture.tangents, node, slot),
            hidden=_hides_wire(picture.trace, node, slot),
            guess=picture.guesses.get((PASSED, node.name, slot), ""),
        )
        for node in graph.nodes
        for slot, producer in node.wires
        if producer in graph
    }
    nodes = _redrawn(cards, last.cards if last else {}, node_record)
    wires = _redrawn(threads, last.threads if last else {}, wire_record)
    data = {
        "graph": str(picture.document),
        "dtype": picture.trace.dtype if picture.trace else FLOAT32,
        "nodes": [record for _, record in nodes.values()],
        "wires": [record for _, record in wires.values()],
        "regions": [region_data(graph, region, picture.runs, picture.problems) for region in graph.regions],
    }
    groups = [group_data(graph, group, picture.trace, picture.problems) for group in graph.groups]
    if picture.tangents is not None:  # contributions to different tangents do not add up
        groups = [group | {"sums": []} for group in groups]
    return Drawing(picture, {**data, **_marks(picture, groups)}, nodes, wires, kept.ways)


def _marks(picture: Picture, groups: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the selection, and `groups` with their collapsed state."""
    collapsed = [group | {"collapsed": group["name"] in picture.collapsed} for group in groups]
    return {"groups": collapsed, "selected": picture.selected}


def _redrawn(wanted: Mapping[K, V], last: Mapping[K, tuple[V, dict]], draw: Callable[[K, V], dict]) -> dict:
    """Return (input, record) by key, reusing the last record where its input is unchanged."""
    drawn = {}
    for key, what in wanted.items():
        held = last.get(key)
        drawn[key] = held if held is not None and same(held[0], what) else (what, draw(key, what))
    return drawn


def _cards(picture: Picture, placed: Layout) -> Iterator[NodeShown]:
    """Yield the inputs of the node records."""
    graph, trace = picture.graph, picture.trace
    apart, tall, kernels = disconnected(graph), _tall(picture), kernels_of(graph)
    sizes = {node.name: size(node, tall.get(node.name)) for node in graph.nodes} if placed.tabs else {}
    below = feet(placed.tabs, graph.by_name, sizes)
    number = segment_of(graph) if has_cuts(graph) else {}
    # Warnings: what is no mistake but probably not meant.
    warnings: dict[str, list[str]] = {}
    for name, sentence in origin_sentences(trace.nonfinite_origins).items() if trace else ():
        warnings.setdefault(name, []).append(sentence)
    for doubt in trace.doubts if trace else ():
        warnings.setdefault(doubt.node, []).append(doubt.text)
    for name, why in idle_cuts(graph):
        warnings.setdefault(name, []).append(why)
    problems: dict[str | None, list[Problem]] = {}
    for problem in picture.problems:
        problems.setdefault(problem.node, []).append(problem)
    for node in graph.nodes:
        name = node.name
        tab = placed.tabs.get(name)
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
            tensor=tall.get(name),
            kernel=name in kernels,
            tab=None if tab is None else (tab, sizes[tab.layer][0]),  # it is as wide as its layer's card
            foot=below.get(name, 0.0),
            tangent=tangent_at(picture.tangents, name),
            hidden=tuple(of for of in (VALUE, ARRIVES) if trace and (of, name) in trace.hidden),
            dims=_dims(picture, name),
            guess=_guess(picture.guesses, name),
        )


def _tall(picture: Picture) -> Mapping[str, Shape]:
    """Return the shapes of the tensors that are drawn, by node, without those that are asked for."""
    tall = pictured(picture.graph)
    hidden = picture.trace.hidden if picture.trace else frozenset()
    return {name: shape for name, shape in tall.items() if (SHAPE, name) not in hidden} if hidden else tall


def _dims(picture: Picture, name: str) -> tuple[int, ...] | None:
    """Return the shape of a value that is hidden itself; None if the value or the shape says it already."""
    hidden = picture.trace.hidden if picture.trace else frozenset()
    if (VALUE, name) not in hidden or (SHAPE, name) in hidden:
        return None
    return shapes(picture.graph).get(name)


def _guess(guesses: Mapping[Place, str], name: str) -> str:
    """Return what the visitor has answered about a node."""
    return " \u00b7 ".join(guesses[of, name] for of in (VALUE, ARRIVES, SHAPE) if (of, name) in guesses)


def _hides_wire(trace: Trace | None, node: Node, slot: int) -> bool:
    wire = traced(node, slot)
    return trace is not None and wire is not None and (PASSED, *wire) in trace.hidden


MANY = 500  # nodes, from which on no route is looked for inside of closed groups


def _closed(picture: Picture) -> frozenset[str]:
    """Return the closed groups whose wires have no route until they are opened: none of a small graph."""
    return picture.collapsed if len(picture.graph.nodes) > MANY else frozenset()


def places(
    graph: Graph,
    tall: Mapping[str, Shape] | None = None,
    closed: frozenset[str] = frozenset(),
    kept: Kept | None = None,
) -> Layout:
    """Return positions and bends of the graph's layout, memoised by its inputs, which contain no numbers.

    Args:
      tall: shapes of the tensors that are drawn, by node, if they do not follow from the graph.
      closed: groups whose wires need no route.
      kept: the routes of the drawing before, and after it of this one: of a large graph.
    """
    return _layout(graph, pictured(graph) if tall is None else tall, closed, kept)


def node_places(graph: Graph, tall: Mapping[str, Shape] | None = None) -> Layout:
    """Return the layout for those who ask where nodes are: of a large graph without the routes of wires."""
    tall = pictured(graph) if tall is None else tall
    return _layout(graph, tall) if len(graph.nodes) <= MANY else _standing(graph, tall).laid


@dataclass(slots=True)
class Kept:
    """What is kept of the routes that were found last; None of a small graph."""

    ways: Ways | None


@remembered(8_192, attrgetter("identity"))
def _stands(node: Node) -> bytes:
    """Return the identity of all that the layout depends on: dragging a slider must not recompute it."""
    return identity((node.name, node.op, node.slots, node.position, node.is_parameter))


def _standing_key(graph: Graph, tall: Mapping[str, Shape]) -> bytes:
    nodes = tuple([_stands(node) for node in graph.nodes])
    return identity((nodes, graph.regions, graph.groups, graph.output, tall))


def _layout_key(
    graph: Graph,
    tall: Mapping[str, Shape],
    closed: frozenset[str] = frozenset(),
    _kept: Kept | None = None,  # which saves work and changes nothing
) -> tuple[bytes, frozenset[str]]:
    return _standing_key(graph, tall), closed


@remembered(256, _standing_key)
def _standing(graph: Graph, tall: Mapping[str, Shape]) -> Standing:
    # The layout must not depend on what its key leaves out, so it does not see that.
    bare = tuple(replace(n, params=(), rule=Rule(), muted=False, cut=False) for n in graph.nodes)

    def size_of(node: Node) -> tuple[float, float]:
        """Return (width, height) in px."""
        return size(node, tall.get(node.name))

    return standing(replace(graph, nodes=bare), Space(size_of, room, layers_of(graph), WIDEST, WINDOW))


@remembered(256, _layout_key)
def _layout(
    graph: Graph,
    tall: Mapping[str, Shape],
    closed: frozenset[str] = frozenset(),
    kept: Kept | None = None,
) -> Layout:
    group_of: dict[str, str] = {}
    for frame in outermost_first(group for group in graph.groups if group.name in closed):
        for name in frame.nodes:
            group_of.setdefault(name, frame.name)
    made, ways = routed(_standing(graph, tall), group_of, kept.ways if kept else None)
    if kept and len(graph.nodes) > MANY:
        kept.ways = ways
    return made
