"""Check gradient rules: kind, function, arguments and number."""

from __future__ import annotations

from collections.abc import Iterator

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Call, Lambda, Node, Term
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.registries.rule_kinds import ARRIVING, KINDS, RULE_KINDS
from autodiff_viz.graph.text.literals import literal_fault
from autodiff_viz.graph.text.names import COTANGENT, name_fault, pullback_arguments, quoted
from autodiff_viz.graph.text.text_format import listed


def rule_problems(node: Node) -> Iterator[Problem]:
    """Yield the problems of the node's rule: kind, function, arguments, number, slot of `backward_as`."""
    name, function = node.rule.kind, node.rule.function
    kind = KINDS.get(name)
    if kind is None:
        yield _bad(node, f"has the unknown rule {quoted(name)}", f"Use one of {', '.join(RULE_KINDS)}.")
    elif (function is not None) != bool(kind.function):
        found = "no function" if function is None else "a function"
        those = listed([each.name for each in KINDS.values() if each.function]).capitalize()
        yield _bad(node, f"has the rule {name!r} with {found}", f"{those} need one, others none.")
    elif (node.rule.number is not None) != (kind.number is not None):
        found = "no number" if node.rule.number is None else "a number"
        those = listed([each.name for each in KINDS.values() if each.number is not None]) or "none"
        yield _bad(
            node, f"has the rule {name!r} with {found}", f"{those.capitalize()} needs one, others none."
        )
    elif node.rule.number is not None and (fault := _number_fault(node.rule.number)):
        yield _bad(node, f"has the rule {name!r} with a number that {fault}", "Type a number, such as 0.5.")
    elif kind.alternative and not node.slots:
        yield _bad(node, "has no slot for its backward expression", "Set the rule again.")
    elif function is not None:
        yield from _counts(node, function)
        yield from _terms(node, function)


def _number_fault(number: object) -> str:
    return "is a list" if isinstance(number, tuple) else literal_fault(number)


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
    todo: list[Term] = list(function.body)
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
