"""Check the structure of a graph, and report `Problem`s. The engine checks shapes and arities."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from autodiff_viz.graph import limits
from autodiff_viz.graph.cuts import cut_problems, input_cut
from autodiff_viz.graph.frames import convex_hull, group_problems, region_problems
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Call, Graph, Lambda, Node, Term
from autodiff_viz.graph.mute import mute_fault, mute_problem
from autodiff_viz.graph.order import find_cycle
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.rule_kinds import ARRIVING, KINDS, RULE_KINDS
from autodiff_viz.graph.text import COTANGENT, listed, literal_fault, name_fault, pullback_arguments, quoted

__all__ = ["UNFINISHED", "convex_hull", "cycle_problem", "node_problems", "problems"]

# Gradient rules: kind, function, arguments and number.


def rule_problems(node: Node) -> Iterator[Problem]:
    """Yield the problems of the node's rule: kind, function, arguments, number, slot of `backward_as`."""
    name, function, number = node.rule.kind, node.rule.function, node.rule.number
    kind = KINDS.get(name)
    if kind is None:
        yield _bad(node, f"has the unknown rule {quoted(name)}", f"Use one of {', '.join(RULE_KINDS)}.")
    elif (function is not None) != bool(kind.function):
        has = "no function" if function is None else "a function"
        those = listed([each.name for each in KINDS.values() if each.function]).capitalize()
        yield _bad(node, f"has the rule {name!r} with {has}", f"{those} need one, others none.")
    elif (number is not None) != (kind.number is not None):
        has = "no number" if number is None else "a number"
        those = listed([each.name for each in KINDS.values() if each.number is not None]) or "none"
        yield _bad(node, f"has the rule {name!r} with {has}", f"{those.capitalize()} needs one, others none.")
    elif isinstance(number, tuple):
        yield _bad(node, f"has the rule {name!r} with a number that is a list", "Type a number, such as 0.5.")
    elif number is not None and (fault := literal_fault(number)):
        yield _bad(node, f"has the rule {name!r} with a number that {fault}", "Type a number, such as 0.5.")
    elif kind.alternative and not node.slots:
        yield _bad(node, "has no slot for its backward expression", "Set the rule again.")
    elif function is not None:
        yield from _counts(node, function)
        yield from _terms(node, function)


def _counts(node: Node, function: Lambda) -> Iterator[Problem]:
    """Check that the function has one argument and one result per wire, where the wires are known."""
    if KINDS[node.rule.kind].function == ARRIVING:
        arguments, results, reads = 1, 1, "the arriving cotangent"
    else:
        arguments, results = len(node.wires) + 2, len(node.wires)
        reads = "the cotangent, one value per wire, and the node's own value"
        if None in node.slots:  # unfinished: the wire that is still missing has an argument already
            return
    if results == 0:
        yield _bad(
            node, "declares a pullback but has no wire to pass it to", "Wire an input, or drop the rule."
        )
    elif len(function.args) != arguments:
        message = f"has a function of {len(function.args)} arguments where {arguments} are needed"
        yield _bad(node, message, f"The arguments are {reads}: {_example(node)}.")
    elif len(function.body) != results:
        message = f"has a function with {len(function.body)} results where {results} are needed"
        yield _bad(node, message, "Return one result per wire, with commas between them.")


def _example(node: Node) -> str:
    """Return a function that fits the node, with the names of what it reads."""
    if KINDS[node.rule.kind].function == ARRIVING:
        return f"lambda {COTANGENT}: -{COTANGENT}"
    producers = [producer for _, producer in node.wires]
    arguments = pullback_arguments(producers, {*producers, node.name})
    body = ", ".join(COTANGENT for _ in producers)
    return f"lambda {', '.join(arguments)}: {body if len(producers) == 1 else f'({body})'}"


def _terms(node: Node, function: Lambda) -> Iterator[Problem]:
    """Check that names inside the function are its own arguments, and that its size is within the limit."""
    faults = [fault for name in function.args if (fault := name_fault(name))]
    if faults or len(set(function.args)) < len(function.args):
        yield _bad(node, f"has a function with an argument that {faults[0] if faults else 'comes twice'}")
    todo: list[Term] = list(function.body)  # an explicit stack: terms may be very deep
    count = 0
    while todo and count <= limits.LAMBDA_TERMS:
        term = todo.pop()
        count += 1
        if isinstance(term, Call):
            todo.extend(term.args)
            if fault := name_fault(term.op):
                yield _bad(node, f"has a function with an op whose name {fault}")
        elif isinstance(term, str):
            if term not in function.args:
                known = ", ".join(function.args)
                yield _bad(node, f"has a function that uses {quoted(term)}", f"Its arguments are {known}.")
        elif fault := literal_fault(term):
            yield _bad(node, f"has a function with a constant that {fault}")
    if count > limits.LAMBDA_TERMS:
        message = f"Node {quoted(node.name)} has a function of more than {limits.LAMBDA_TERMS} terms."
        yield Problem("lambda-too-long", message, "Make the function shorter.", node=node.name)


def _bad(node: Node, what: str, hint: str = "") -> Problem:
    return Problem("bad-rule", f"Node {quoted(node.name)} {what}.", hint, node=node.name)


# Graphs and nodes.


UNFINISHED = frozenset(
    {
        "empty-slot",
        "empty-region",
        "region-not-convex",
        "regions-overlap",
        "regions-entangled",
        "groups-overlap",
        "bad-rule",
        "bad-mute",
    }
)
"""Codes of problems that a graph may have while it is being built: such a graph can be kept, sent and
written."""


def problems(graph: Graph) -> tuple[Problem, ...]:
    """Return all structural problems of the graph; () when its structure allows it to run.

    Linear in the size of the graph (times the number of regions).
    """
    if len(graph.nodes) > limits.NODES:
        message = f"The graph has {len(graph.nodes)} nodes; the limit is {limits.NODES}."
        return (Problem("too-many-nodes", message, "Remove nodes."),)
    reported: list[Problem] = []
    seen: set[str] = set()
    for node in graph.nodes:
        if node.name in seen:
            message = f"Two nodes are named {quoted(node.name)}."
            reported.append(Problem("duplicate-name", message, "Rename one of them.", node=node.name))
        seen.add(node.name)
    if graph.output is None and graph.nodes:
        message = "The graph has no output node."
        reported.append(Problem("no-output", message, "Choose the node to differentiate."))
    elif graph.output is not None and graph.output not in graph:
        message = f"The output is {quoted(graph.output)}, which does not exist."
        hint = "Choose a node of the graph as output."
        reported.append(Problem("unknown-node", message, hint, node=graph.output))
    for node in graph.nodes:
        reported.extend(node_problems(graph, node))
    reported.extend(group_problems(graph))
    reported.extend(cut_problems(graph))
    if cycle := find_cycle(graph):
        return (*reported, cycle_problem(cycle))  # convexity is undefined in a cyclic graph
    return (*reported, *region_problems(graph))


def node_problems(graph: Graph, node: Node) -> tuple[Problem, ...]:
    """Return the problems of one node, whose wires must lead to nodes of `graph`."""
    return _of_node(node, tuple([name for _, name in node.wires if name not in graph]))


@remembered(limits.NODES, lambda node, unknown: (node.identity, unknown))
def _of_node(node: Node, unknown: tuple[str, ...]) -> tuple[Problem, ...]:
    """Return the problems of a node, memoised by the node and the `unknown` names on its wires."""
    return tuple(_node_problems(node, unknown))


def _node_problems(node: Node, unknown: Collection[str]) -> Iterator[Problem]:
    """Yield the problems of `node`; `unknown` are the names on its wires that no node has."""
    label = f"Node {quoted(node.name)}"
    if fault := name_fault(node.name):
        yield Problem("bad-name", f"{label} has a name that {fault}.", "Rename the node.", node=node.name)
    if not node.is_native and (fault := name_fault(node.op)):
        yield Problem("bad-op", f"{label} has an op {quoted(node.op)} that {fault}.", node=node.name)
    if len(node.op_slots) > limits.SLOTS:
        message = f"{label} has {len(node.op_slots)} slots; the limit is {limits.SLOTS}."
        yield Problem("too-many-slots", message, "Remove slots.", node=node.name)
    # The comparison is false for NaN too.
    if node.position is not None and not all(abs(c) <= limits.COORDINATE for c in node.position):
        message = f"{label} is more than {limits.COORDINATE:g} pixels away from the origin."
        yield Problem("bad-position", message, "Move the node back.", node=node.name)
    yield from _slots(node, unknown, label)
    if "value" in dict(node.params) and (fault := literal_fault(node.param("value"))):
        yield Problem("bad-literal", f"The value of {quoted(node.name)} {fault}.", node=node.name)
    if node.cut and node.op == INPUT:
        yield input_cut(node)
    yield from rule_problems(node)


def cycle_problem(cycle: tuple[str, ...]) -> Problem:
    """Return the problem for a cycle; `cycle` is as `find_cycle` returns it."""
    shown = cycle if len(cycle) <= 8 else (*cycle[:4], "...", *cycle[-3:])
    message = f"The wires go round in a circle: {' -> '.join(shown)}. A value may not depend on itself."
    return Problem("cycle", message, "Remove one of these wires.", node=cycle[0], path=cycle)


def _slots(node: Node, unknown: Collection[str], label: str) -> Iterator[Problem]:
    unfinished = None in node.slots
    if node.muted and mute_fault(node) and not unfinished:
        yield mute_problem(node)
    for i, slot in enumerate(node.slots):
        if slot is None and node.muted and not mute_fault(node):  # a muted node does not read it
            continue
        if slot is None:
            message = f"Slot {i} of {quoted(node.name)} is empty."
            yield Problem("empty-slot", message, "Wire a node to it, or type a number.", node.name, i)
        elif isinstance(slot, str):
            if slot in unknown:
                message = f"Slot {i} of {quoted(node.name)} is wired to {quoted(slot)}, which does not exist."
                yield Problem("unknown-node", message, "Wire it to a node of the graph.", node.name, i)
        elif fault := literal_fault(slot):
            yield Problem(
                "bad-literal", f"{label} has a constant in slot {i} that {fault}.", "", node.name, i
            )
