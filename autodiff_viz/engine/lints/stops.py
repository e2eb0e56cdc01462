"""Find stops without effect: nothing would reach an input through the node without the stop either."""

from __future__ import annotations

from collections.abc import Iterator

from autodiff_viz.engine.explain.cure import without_rules
from autodiff_viz.engine.lints.lint import Finding, LintKind
from autodiff_viz.engine.sentence import Claim, Statement
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.edits import node_edits as edits
from autodiff_viz.graph.model import FOLLOW, GRAD, INPUT, STOP, Graph, Rule
from autodiff_viz.graph.structure.grad_nodes import between
from autodiff_viz.graph.structure.order import ancestors
from autodiff_viz.graph.text.names import listed_names, quoted

IDLE, NOT_REACHED = "idle", "not reached"
"""Kinds of claims: a stop that stops nothing; inputs to which nothing would come without it."""

SAME = "No value and no gradient changes."


def idle_stops(found: Trace) -> Iterator[Finding]:
    """Yield the stops that can be removed without effect on any gradient, whatever the numbers are.

    A stop that has been yielded counts as removed for the later ones. Two kinds are none of them: one whose
    contributions would cancel, as that of a maximum that a softmax subtracts is there to save the pass back
    through it; and one between the x and the z of a grad node, whose value depends on it.
    """
    graph = found.graph
    inside = {n.name for each in graph.nodes if each.op == GRAD for n in between(graph, each).nodes}
    for node in found.graph.nodes:
        if node.rule.kind != STOP or node.name in inside:
            continue
        without = edits.with_rule(graph, node.name, Rule(FOLLOW))
        why = _why(found, without, node.name)
        if why:
            claims = (Claim(IDLE, (node.name,)), *why.claims)
            graph = without
            yield Finding(
                node.name,
                f"The stop at {quoted(node.name)} stops nothing: {why.text}.",
                "It can go. A stop acts where, without it, something would come to an input.",
                without_rules([node.name], f"Remove the stop at {node.name}", SAME),
                (node.name,),
                claims,
            )


IDLE_STOP = LintKind("stop-stops-nothing", idle_stops)


def _why(found: Trace, without: Graph, name: str) -> Statement:
    """Return why nothing passes at a stop that is removed; nothing if something does."""
    inputs = [n for n in sorted(ancestors(without, [name])) if _is_leaf(without, n)]
    if not inputs:
        return Statement("it reads constants alone")
    open_trace = trace(without, found.inputs, found.seed, dtype=found.dtype)
    if name not in ancestors(without, [without.output]) or open_trace.cotangent.is_symbolic_zero(name):
        return Statement("nothing arrives there in any case")
    if _is_leaf(without, name) or _reaches_an_input(open_trace, name):
        return Statement()
    text = f"without it nothing would come to {listed_names(inputs)} either"
    return Statement(text, (Claim(NOT_REACHED, tuple(inputs)),))


def _is_leaf(graph: Graph, name: str) -> bool:
    """Return whether a node is an input; in a graph without inputs, whether it reads no other."""
    if any(node.op == INPUT for node in graph.nodes):
        return graph[name].op == INPUT
    return not graph[name].wires


def _reaches_an_input(found: Trace, name: str) -> bool:
    """Return whether what a node passes back comes to an input, whatever the numbers are."""
    waiting, seen = [name], {name}
    while waiting:
        node = found.graph[waiting.pop()]
        if _is_leaf(found.graph, node.name):
            return True
        for slot, producer in node.wires:
            if not found.passed.is_symbolic_zero((node.name, slot)) and producer not in seen:
                seen.add(producer)
                waiting.append(producer)
    return False
