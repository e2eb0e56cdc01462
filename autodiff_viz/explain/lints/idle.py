"""Find what can be removed without effect: checkpoint regions that save nothing, stops that stop nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from autodiff_viz.engine.sentence import Claim, Statement
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.whole_program.remat import residuals_of
from autodiff_viz.explain.cure import Cure, without_rules
from autodiff_viz.explain.lints.lint import Finding, LintKind
from autodiff_viz.explain.play.compute import play
from autodiff_viz.graph import edits
from autodiff_viz.graph.grad_nodes import on_ways
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Rule
from autodiff_viz.graph.order import ancestors, order
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP
from autodiff_viz.graph.text import listed_names, quoted

# Checkpoint regions: what is kept with the region and without is counted.


MOST = 8  # regions that are looked at: for each, two programs are traced

KEPT, PEAK = "kept", "peak"
"""Kinds of claims: with a region and without, how many elements are kept, and how many are live at most."""

HINT = (
    "A region pays off where it drops more than its inputs: around several steps whose derivatives need "
    "their own values, and not around the last ones, which are used again at once."
)


def idle_checkpoints(found: Trace) -> Iterator[Finding]:
    """Yield the regions with which the forward pass keeps as many elements as without, or more.

    A region in others is judged as if it were alone: it is there for the moment when they run again. One
    that holds the whole way to the output is judged by the peak of live elements: all of it runs again at
    once. The first `MOST` regions are looked at.
    """
    for region in found.graph.regions[:MOST]:
        outer = [other.name for other in found.graph.regions if region.nodes < other.nodes]
        graph = _without(found.graph, outer)
        plain = _without(graph, [region.name])
        kept, kept_plain = _kept(found, graph), _kept(found, plain)
        claims = [Claim(KEPT, (region.name,), (kept, kept_plain))]
        way = ancestors(graph, [graph.output])
        whole = {node.name for node in graph.nodes if node.op != INPUT and node.name in way} <= region.nodes
        if kept >= kept_plain:
            numbers = _describe_count(kept)
            counts = f"saves nothing: with it the forward pass keeps {numbers}, without it {kept_plain}"
        elif whole and (peak := _peak(found, graph)) >= (least := _peak(found, plain)):
            counts = (
                f"holds the whole way to the output. It keeps {_describe_count(kept)} in place of "
                f"{kept_plain}, but what it drops runs again at once: the peak of live elements is "
                f"{peak} with it, {least} without"
            )
            claims.append(Claim(PEAK, (region.name,), (peak, least)))
        else:
            continue
        cure = Cure(
            partial(edits.without_region, name=region.name),
            f"Remove the checkpoint {region.name}",
            "No number changes; nothing runs again.",
        )
        yield Finding(
            region.name,
            f"The checkpoint {quoted(region.name)} {counts}.",
            HINT,
            cure,
            tuple(node.name for node in order(found.graph) if node.name in region.nodes),
            tuple(claims),
        )


IDLE_CHECKPOINT = LintKind("checkpoint-saves-nothing", idle_checkpoints)


def _without(graph: Graph, names: list[str]) -> Graph:
    for name in names:
        graph = edits.without_region(graph, name)
    return graph


def _kept(found: Trace, graph: Graph) -> int:
    shapes = {name: value.shape for name, value in found.inputs.items()}
    return sum(residual.elements for residual in residuals_of(graph, shapes, found.dtype))


def _peak(found: Trace, graph: Graph) -> int:
    again = trace(graph, found.inputs, found.seed, dtype=found.dtype)
    return max(step.live for step in play(again))


def _describe_count(count: int) -> str:
    return f"{count} element" if count == 1 else f"{count} elements"


# Stops: the graph is traced without each of them.


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
    inside = {name for each in graph.nodes if each.op == GRAD for name in on_ways(graph, each)}
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
