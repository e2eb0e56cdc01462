"""Find what the value of a grad node, `grad(z, x)`, is a function of.

The value of such a node is the cotangent of x for output z. It depends on x and on what else the nodes
between x and z read: also on what was computed from x behind a stop, which is a constant for the derivative
by x and has a derivative of its own. In the graph that runs (`mute.played`) a grad node has a wire for each
of these, behind its own two slots, so that what it passes has a place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node
from autodiff_viz.graph.order import ancestors, consumers, order
from autodiff_viz.graph.rule_kinds import ON_INPUTS, passing

OF, BY = 0, 1
"""The two slots of a grad node: the output z that is differentiated, and the node x by which it is."""


SINCE = 6  # first version of documents that has grad nodes


@dataclass(frozen=True, slots=True)
class Between:
    """The nodes that a derivative of z by x goes through: a grad node runs them again.

    Attributes:
      nodes: those through which a cotangent may come from z to x, and what is computed from x on the way, z
        among them, in topological order. Empty if z is x, or the derivative is 0 since no way leads from x to
        z without a stop.
      reads: what else these nodes read, in the order in which they read it; without x.
    """

    nodes: tuple[Node, ...] = ()
    reads: tuple[str, ...] = ()


def has_grads(graph: Graph) -> bool:
    """Return whether the graph has a grad node."""
    return any(node.op == GRAD for node in graph.nodes)


def with_reads(graph: Graph) -> Graph:
    """Return the graph in which each grad node also has a wire from all that the nodes between x and z read.

    Wires that it had beside its own two are replaced. Returns the same graph where nothing changes; that of
    more than `limits.GRADS` grad nodes, which cannot run, is one.
    """
    grads = [node for node in graph.nodes if node.op == GRAD]
    if not grads or len(grads) > limits.GRADS:
        return graph
    ordered = order(graph)
    wired: dict[str, Node] = {node.name: node for node in ordered}
    for node in ordered:  # producers first: what an inner grad node reads is known when an outer one asks
        if node.op == GRAD and len(node.slots) >= 2 and node.rule.kind in ON_INPUTS:
            slots = (*node.slots[:2], *_between(ordered, wired, node).reads)
            if slots != node.slots:
                wired[node.name] = replace(node, slots=slots)
    if all(wired[node.name] is node for node in graph.nodes if node.name in wired):
        return graph
    return replace(graph, nodes=tuple([wired[node.name] for node in graph.nodes]))


def between(graph: Graph, node: Node) -> Between:
    """Return the nodes that the derivative goes through, of a grad node of the graph that runs."""
    return _between(order(graph), graph.by_name, node)


def on_ways(graph: Graph, node: Node) -> frozenset[str]:
    """Return the names of all nodes on ways from the x of a grad node to its z, with and without stops.

    The value of the grad node depends on their rules. Empty if z does not depend on x.
    """
    of, by = node.slots[:2]
    above = ancestors(graph, [of], reads_of)
    found = {by} & above
    for each in order(graph):
        if each.name in above and any(name in found for name in reads_of(each)):
            found.add(each.name)
    return frozenset(found)


def runs_again(graph: Graph, nodes: Iterable[Node]) -> frozenset[str]:
    """Return the names of the nodes that grad nodes among these run again, with those that grad nodes inside
    them run."""
    again: set[str] = set()
    waiting = [node for node in nodes if node.op == GRAD]
    while waiting:
        inside = between(graph, waiting.pop()).nodes
        waiting += [node for node in inside if node.op == GRAD and node.name not in again]
        again.update(node.name for node in inside)
    return frozenset(again)


def inner_graph(graph: Graph, node: Node) -> Graph:
    """Return the function from the x of a grad node to its z as a graph, with an input for x and for each
    other read.

    Regions around some of its nodes are part of it, unless they hold the grad node too and so run it as a
    whole, or hold a rule with a function: a region that is differentiated twice runs its nodes twice, and a
    function that is not linear would get the arriving cotangent in two parts. Its output is x where z does
    not depend on x.
    """
    of, by, *others = node.slots
    inside = between(graph, node).nodes
    names = {each.name for each in inside}
    plain = names - {each.name for each in inside if each.rule.function is not None}
    around = (
        region
        for region in graph.regions
        if node.name not in region.nodes and region.nodes & names and region.nodes & names <= plain
    )
    regions = tuple(replace(each, nodes=each.nodes & names, saved=each.saved & names) for each in around)
    inputs = tuple(Node(name, INPUT) for name in (by, *others))
    return Graph((*inputs, *inside), regions, of if of in names else by)


def own_slots(node: Node) -> Node:
    """Return the node without the wires that `with_reads` has given it."""
    added = node.op == GRAD and len(node.slots) > 2 and node.rule.kind in ON_INPUTS
    return replace(node, slots=node.slots[:2]) if added else node


def without_reads(graph: Graph) -> Graph:
    """Return the graph without the wires that `with_reads` has added."""
    if not has_grads(graph):
        return graph
    return replace(graph, nodes=tuple(map(own_slots, graph.nodes)))


def reads_of(node: Node) -> Iterator[str]:
    """Yield the nodes whose values the node is a function of; the z of a grad node is none."""
    for slot, name in node.wires:
        if node.op != GRAD or slot != OF:
            yield name


def readers(graph: Graph) -> dict[str, tuple[tuple[str, int], ...]]:
    """Map each node to the (node, slot) pairs that read its value; a grad node does not read its z."""
    uses = consumers(graph)
    if not has_grads(graph):
        return uses
    return {
        name: tuple([wire for wire in wires if graph[wire[0]].op != GRAD or wire[1] != OF])
        for name, wires in uses.items()
    }


def _between(ordered: tuple[Node, ...], nodes: Mapping[str, Node], node: Node) -> Between:
    of, by = node.slots[:2]
    if not (isinstance(of, str) and isinstance(by, str)) or of not in nodes or by not in nodes or of == by:
        return Between()
    moved = {by}
    for each in ordered:
        here = nodes[each.name]
        slots = here.slots[BY:] if here.op == GRAD else here.slots
        if any(isinstance(slot, str) and slot in moved for slot in passing(here.rule.kind, slots)):
            moved.add(each.name)
    if of not in moved:
        return Between()
    needed = {of}
    for each in reversed(ordered):
        if each.name in needed and each.name in moved and each.name != by:
            needed.update(reads_of(nodes[each.name]))
    run = tuple(
        nodes[each.name] for each in ordered if each.name in moved and each.name in needed and each.name != by
    )
    inside = {each.name for each in run} | {by}
    reads = dict.fromkeys(name for each in run for name in reads_of(each) if name not in inside)
    return Between(run, tuple(reads))
