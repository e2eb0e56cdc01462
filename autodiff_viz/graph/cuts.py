"""Divide a graph at its cuts into segments: functions that pass values forward and cotangents back.

A segment is a connected component of the nodes that the output depends on, once the wires out of cut nodes
are removed. Inputs belong to no segment; each segment that reads one has it as an argument. Components that
depend on each other cannot run one after the other, so they are one segment; the cuts between them divide
nothing. A grad node is an op of its x and of what else it reads: it runs the nodes between x and z again
inside its own segment, wherever these nodes are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from autodiff_viz.graph import limits
from autodiff_viz.graph.grad_nodes import readers, reads_of, runs_again
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import ancestors, find_cycle, order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import quoted

LONG = 8  # nodes of a path that a message names


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment of a graph, with its interface.

    Attributes:
      nodes: names in topological order.
      inputs: names of the input nodes that it reads.
      takes: names of the cut nodes of earlier segments whose values it reads.
      gives: names of its nodes whose values later segments read; of the last segment, the output.
    """

    nodes: tuple[str, ...]
    inputs: tuple[str, ...]
    takes: tuple[str, ...]
    gives: tuple[str, ...]


@remembered(64)
def graph_segments(graph: Graph) -> tuple[Segment, ...]:
    """Return the segments in topological order; () without cuts, or if the graph cannot run.

    They divide the graph that runs: see `played`. Nodes that the output does not depend on are in none.
    """
    graph = played(graph)
    number = _numbers(graph)
    uses = readers(graph) if number else {}
    parts: list[list[str]] = [[] for _ in set(number.values())]
    for node in order(graph):
        if node.name in number:
            parts[number[node.name]].append(node.name)
    segments = []
    for names in parts:
        inside = set(names)
        read = dict.fromkeys(producer for name in names for producer in reads_of(graph[name]))
        # By another segment; consumers that the output does not depend on are in none.
        used_later = {n for n in names if any(number.get(c) not in (None, number[n]) for c, _ in uses[n])}
        segments.append(
            Segment(
                nodes=tuple(names),
                inputs=tuple(name for name in read if graph[name].op == INPUT),
                takes=tuple(name for name in read if name not in inside and graph[name].op != INPUT),
                gives=tuple(name for name in names if name in used_later or name == graph.output),
            )
        )
    return tuple(segments)


def segment_of(graph: Graph) -> dict[str, int]:
    """Map each node to the index of its segment.

    Inputs and nodes that the output does not depend on are left out.
    """
    return {name: i for i, segment in enumerate(graph_segments(graph)) for name in segment.nodes}


def has_cuts(graph: Graph) -> bool:
    """Return whether a node of the graph is cut."""
    return any(node.cut for node in graph.nodes)


def idle_cuts(graph: Graph) -> tuple[tuple[str, str], ...]:
    """Return the cuts that divide nothing: (node, reason as a sentence)."""
    graph = played(graph)
    if not has_cuts(graph) or find_cycle(graph) or graph.output not in graph:
        return ()
    number, uses = segment_of(graph), readers(graph)
    grads = [name for name in number if graph[name].op == GRAD]
    idle = []
    for node in graph.nodes:
        if not node.cut or node.op == INPUT:
            continue
        after = [name for name, _ in uses[node.name] if name in number]
        if node.name not in number:
            again = next((grad for grad in grads if node.name in runs_again(graph, [graph[grad]])), None)
            idle.append((node.name, _AGAIN.format(quoted(again)) if again else _UNUSED))
        elif not after:
            idle.append((node.name, "nothing comes after it."))
        elif all(number[name] == number[node.name] for name in after):
            idle.append((node.name, _way_round(graph, node.name, after[0])))
    return tuple((name, f"Cut after {quoted(name)} divides nothing: {why}") for name, why in idle)


_UNUSED = "the output does not depend on it."
_AGAIN = "only {} differentiates it, and runs it again inside its own segment."


def with_cuts(graph: Graph, names: Iterable[str], cut: bool) -> Graph:
    """Cut after nodes, or remove their cuts. Inputs, which belong to no segment, are left out.

    Raises:
      GraphError: code "bad-cut", when all of them are inputs; "too-many-cuts".
    """
    nodes = [graph[name] for name in dict.fromkeys(names)]
    able = {node.name for node in nodes if node.op != INPUT}
    if nodes and not able:
        raise GraphError(input_cut(nodes[0]))
    changed = (replace(node, cut=cut) if node.name in able else node for node in graph.nodes)
    after = replace(graph, nodes=tuple(changed))
    if cut and (problems := cut_problems(after)):
        raise GraphError(problems)
    return after


def cut_problems(graph: Graph) -> tuple[Problem, ...]:
    """Return the problem of too many cuts; () within the limit."""
    count = sum(node.cut for node in graph.nodes)
    if count <= limits.CUTS:
        return ()
    return (
        Problem("too-many-cuts", f"The graph has {count} cuts; the limit is {limits.CUTS}.", "Remove cuts."),
    )


def input_cut(node: Node) -> Problem:
    """Return the problem of a cut after an input."""
    message = f"{quoted(node.name)} is an input, which belongs to every segment that reads it."
    return Problem("bad-cut", message, "Cut after the node that reads it.", node=node.name)


def _numbers(graph: Graph) -> dict[str, int]:
    """Map each node to the index of its segment."""
    if not has_cuts(graph) or graph.output not in graph or find_cycle(graph):
        return {}
    ordered = [node.name for node in order(graph)]
    needed = ancestors(graph, [graph.output], reads_of)
    run = [name for name in ordered if name in needed and graph[name].op != INPUT]
    parts = _connected(graph, run)
    # Components that depend on each other cannot run one after the other: they are merged into one.
    while cycle := find_cycle(_quotient(parts, graph)):
        parts = {name: cycle[0] if part in cycle else part for name, part in parts.items()}
    ranks = {node.name: i for i, node in enumerate(order(_quotient(parts, graph)))}
    firsts: dict[str, int] = {}
    for name in sorted(run, key=lambda name: ranks[parts[name]]):
        firsts.setdefault(parts[name], len(firsts))
    return {name: firsts[parts[name]] for name in run}


def _connected(graph: Graph, names: Iterable[str]) -> dict[str, str]:
    """Map each node to the representative of its component under uncut wires (union-find)."""
    root = {name: name for name in names}

    def find(name: str) -> str:
        while root[name] != name:
            root[name] = name = root[root[name]]
        return name

    for name in root:
        for producer in reads_of(graph[name]):
            if producer in root and not graph[producer].cut:
                root[find(name)] = find(producer)
    return {name: find(name) for name in root}


def _quotient(parts: Mapping[str, str], graph: Graph) -> Graph:
    """Return the quotient graph, whose nodes are the components, each wired to those that it reads."""
    reads: dict[str, dict[str, None]] = {part: {} for part in parts.values()}
    for name, part in parts.items():
        reads[part].update((parts[p], None) for p in reads_of(graph[name]) if parts.get(p, part) != part)
    return Graph(tuple(Node(part, "part", tuple(read)) for part, read in reads.items()))


def _way_round(graph: Graph, cut: str, reader: str) -> str:
    """Return the sentence that names the wires from a cut node to its reader that bypass the cut."""
    steps = [cut]
    for before, after in pairwise(_path(graph, cut, reader)):
        steps.append(f"{'->' if before in reads_of(graph[after]) else '<-'} {after}")
    shown = steps if len(steps) <= LONG else [*steps[: LONG // 2], "...", *steps[-3:]]
    return f"another path leads round it, {' '.join(shown)}."


def _path(graph: Graph, cut: str, reader: str) -> tuple[str, ...]:
    """Return the shortest path from `cut` to `reader` inside a segment, along wires in either direction.

    The path uses no wire out of `cut` and no wire of an input.
    """
    number = segment_of(graph)
    beside: dict[str, list[str]] = {name: [] for name in number}
    for name in number:
        for producer in reads_of(graph[name]):
            if producer in number and producer != cut and number[producer] == number[name]:
                beside[name].append(producer)
                beside[producer].append(name)
    before: dict[str, str] = {cut: cut}
    todo = [cut]  # breadth first, so that the path is a shortest one
    for name in todo:
        for other in beside[name]:
            if other not in before:
                before[other] = name
                todo.append(other)
    path = [reader]
    while path[-1] != cut:
        path.append(before[path[-1]])
    return tuple(reversed(path))
