"""Read JSON documents and links from outside, with full checks.

`graph/codec.py` reads the structure. This module checks each node against the op's record, so
that a document can express no more than a formula: of each graph that is read, `parse(show(graph))` is the
same graph.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import Reader, decoded, refuse
from autodiff_viz.graph.link import document_in
from autodiff_viz.graph.model import INPUT, OWN_OP, PARAMETER, Call, Graph, Node, Params, Term, params
from autodiff_viz.graph.problem import known_text, whole_number
from autodiff_viz.graph.rule_kinds import BACKWARD_AS
from autodiff_viz.graph.short_text import formula_in
from autodiff_viz.graph.text import quoted
from autodiff_viz.language.parse import parse
from autodiff_viz.language.printer import wrapped
from autodiff_viz.language.reader import SOURCES, length_fault, source_fault
from autodiff_viz.language.show import show, show_node
from autodiff_viz.language.suggestions import call_shape, did_you_mean
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.op import Param
from autodiff_viz.ops.own import ELSEWHERE
from autodiff_viz.ops.params import fits, needed, plain, size_fault

GROWTH = 32
"""Bound on the length of a formula as a multiple of its document: 13 is reached where each line begins 12
blocks."""


def from_json(text: str) -> Graph:
    """Read the graph of a JSON document; `from_json(to_json(graph)) == graph`.

    Args:
      text: as `to_json` writes it.
    Returns:
      The graph, which may be unfinished (an empty slot, a region that cannot run): `problems` reports that.
    Raises:
      GraphError: with codes "json-..." and the JSON path of the place in each message.
    """
    graph = decoded(text)
    nodes = tuple(_declared(node, f"$.nodes[{i}]") for i, node in enumerate(graph.nodes))
    graph = replace(graph, nodes=nodes)
    # Only a long document can have a formula that is too long to be read again; others are not printed.
    if len(text) * GROWTH > limits.TEXT and (length := len(show(graph))) > limits.TEXT:
        message = f"As a formula the graph has {length} characters; the limit is {limits.TEXT}."
        refuse("limit", "$", message, "Use smaller tensors, or fewer nodes.")
    return graph


def from_link(payload: str, most: int = limits.LINK) -> Graph:
    """Read the graph of a link; `from_link(to_link(graph)) == graph`.

    Args:
      payload: as `to_link` writes it, or the whole address that has it after `g=`; a short address of the
        page that has a formula after `f=`.
      most: greatest number of characters of the payload.
    Returns:
      The graph.
    Raises:
      GraphError: codes "link-..." for a payload that is truncated, damaged, too long or of a newer version;
        "json-..." as `from_json` for a document that is no graph; those of `parse` for a formula.
    """
    most = whole_number("greatest length", most, 0, sys.maxsize)
    formula = formula_in(known_text(payload)[: most + limits.LINE])
    return from_json(document_in(payload, most)) if formula is None else parse(formula)


def _declared(node: Node, path: str) -> Node:
    """Check a node against its op's record; return it with defaults filled in for an input."""
    if node.op == INPUT:
        node = _source(node, path)
    else:
        node = replace(node, params=_call(node.op, len(node.op_slots), node.params, path, "slots"))
    if node.rule.kind == BACKWARD_AS and not node.slots:
        message = "The slot of what the node is differentiated as is missing."
        refuse("arity", f"{path}.slots", message, "Wire it, or write null.")
    if node.rule.function is None:
        return node
    function = node.rule.function
    terms = tuple(_term(term, f"{path}.rule.body[{i}]", 0) for i, term in enumerate(function.body))
    node = replace(node, rule=replace(node.rule, function=replace(function, body=terms)))
    # A function is written on one line, with its own brackets and those around it.
    written = show_node(node)
    depths = accumulate((letter in "([{") - (letter in ")]}") for letter in written)
    if max(depths) > limits.NESTING or max(map(len, wrapped(written, ""))) > limits.LINE - 2 * limits.NAME:
        _too_deep(f"{path}.rule")
    return node


def _source(node: Node, path: str) -> Node:
    given = dict(node.params)
    if type(trainable := given.pop("trainable", False)) is not bool:
        Reader(trainable, f"{path}.params.trainable").wrong("true or false")
    function = PARAMETER if trainable else INPUT
    value = {"value": given.pop("value")} if "value" in given else {}
    given = {**value, **_given(function, SOURCES[function], given, path, ("value", "trainable"))}
    if fault := source_fault(function, given):
        refuse("arity", f"{path}.params", *fault)
    if fault := length_fault(given.get("shape", ())):
        refuse("type", f"{path}.params.shape", f"The shape {fault}.", "Write for example [3, 4].")
    if node.op_slots:
        refuse("arity", f"{path}.slots", "An input has no slots.", "Leave them out.")
    if node.muted:
        refuse("bad-mute", f"{path}.muted", "An input reads nothing that it could return.", "Leave it out.")
    drawn = {"seed": given.get("seed", 0)} if "shape" in given else {}
    return replace(node, params=params(**{**given, **drawn}, trainable=trainable or None))


def _call(name: str, count: int, given: Params, path: str, slots: str) -> Params:
    """Check an op's name and its number of slots; return its parameters."""
    op = OPS.get(name)
    if op is None:
        near = did_you_mean(name, OPS) or "The palette lists all ops."
        hint = ELSEWHERE if name.startswith(OWN_OP) else near
        refuse("unknown-op", f"{path}.op", f"There is no op {quoted(name)}.", hint)
    if count < 1 if op.variadic else count != len(op.slots):
        takes = f"{len(op.slots)} ({', '.join(op.slots)}) {'is' if len(op.slots) == 1 else 'are'}"
        takes = "at least one is" if op.variadic else takes
        refuse("arity", f"{path}.{slots}", f"Found {count} where {takes} needed.", f"{call_shape(name)}.")
    return params(**_given(name, {param.name: param for param in op.params}, dict(given), path))


def _given(
    owner: str, known: Mapping[str, Param], given: Mapping[str, Any], path: str, others: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Check that all parameters are `known` and have valid values; return them."""
    for name, value in given.items():
        place = f"{path}.params.{name}"
        if name not in known:
            listed = ", ".join((*others, *known)) or "none"
            refuse("unknown-param", place, f"{owner} has no parameter {quoted(name)}.", f"It has: {listed}.")
        if not fits(known[name], value):
            Reader(value, place).wrong(needed(known[name]))
        if fault := size_fault(known[name], value):
            refuse("limit", place, f"The shape {fault}.", "Use a smaller one.")
    return {name: plain(known[name], value) for name, value in given.items()}


def _term(term: Term, path: str, depth: int) -> Term:
    if depth > limits.NESTING:
        _too_deep(path)
    if not isinstance(term, Call):
        return term
    given = _call(term.op, len(term.args), term.params, path, "args")
    if OPS[term.op].of_graph:
        message = f"{term.op} differentiates a graph; a function has none."
        refuse("lambda", f"{path}.op", message, "Write the derivative out, with ops.")
    args = tuple(_term(arg, f"{path}.args[{i}]", depth + 1) for i, arg in enumerate(term.args))
    return Call(term.op, args, given)


def _too_deep(path: str) -> None:
    message = f"The function is more than {limits.NESTING} deep, with the brackets around it."
    refuse("limit", path, message, "Make it shorter.")
