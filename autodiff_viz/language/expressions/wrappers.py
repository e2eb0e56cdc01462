"""Read wrappers: rules (stop_gradient, ...), `bypass`, which mutes, and `cut`, which ends a segment.

A wrapper around an op puts its rule on that op's node. Around a name, or around another wrapper, it makes an
identity node with the rule.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from autodiff_viz.graph.model import FOLLOW, IDENTITY, INPUT, Node, Rule
from autodiff_viz.graph.registries.rule_kinds import KINDS, RuleKind
from autodiff_viz.graph.text.text_format import listed
from autodiff_viz.language.expressions.calls import bind
from autodiff_viz.language.expressions.literal import is_number, read_literal
from autodiff_viz.language.expressions.tree import Applied, Operand
from autodiff_viz.language.source.caret import Span
from autodiff_viz.language.source.hints import BYPASS, CUT

if TYPE_CHECKING:
    from autodiff_viz.language.expressions.expression import Reader

MARKS = {BYPASS: "bypass(sin(x))", CUT: "cut(relu(x))"}
"""Wrappers that set a flag of the node and no rule, with an example each."""

WRAPPER = {kind.name: kind.call for kind in KINDS.values() if kind.call}
_RULED = {kind.call: kind for kind in KINDS.values() if kind.call}
_EXAMPLE = {name: kind.example for name, kind in _RULED.items()} | MARKS


def stem_of(node: Node) -> str:
    """Return the stem of the automatic name of an identity that is written as a wrapper alone."""
    marks = BYPASS if node.muted else CUT if node.cut else ""
    return WRAPPER.get(node.rule.kind, marks)


def read_wrapper(reader: Reader, call: ast.Call, depth: int) -> Applied:
    """Read a wrapper and the expression inside it, as one node to be.

    Raises:
      GraphError: an argument is missing or is not what the wrapper needs.
    """
    name = call.func.id  # type: ignore[attr-defined]
    kind = _RULED.get(name)
    arguments = ("x", kind.argument) if kind and kind.argument else ("x",)
    given = bind(reader, name, arguments, call)
    if len(given) < len(arguments):
        message = f"{name} needs {listed(arguments)}."
        raise reader.error(call, "arity", message, f"Write {_EXAMPLE[name]}.")
    inner = reader.read(given["x"], depth)
    span = reader.line.span(call)
    if kind is not None:
        return replace(_ruled(reader, inner, kind, given, depth, span), span=span)
    if not isinstance(inner, Applied) or inner.cut or inner.op == INPUT or (name == BYPASS and inner.muted):
        inner = Applied(IDENTITY, (inner,), (), span, stem=name)
    return replace(inner, muted=inner.muted or name == BYPASS, cut=name == CUT, span=span)


def _ruled(
    reader: Reader, inner: Operand, kind: RuleKind, given: dict[str, ast.expr], depth: int, span: Span
) -> Applied:
    """Return the expression inside the wrapper of a rule, with that rule."""
    if not isinstance(inner, Applied) or inner.rule.kind != FOLLOW or inner.muted or inner.cut:
        inner = Applied(IDENTITY, (inner,), (), span, stem=kind.call)
    if kind.alternative:
        inner = replace(inner, operands=(*inner.operands, reader.read(given[kind.argument], depth)))
    function = reader.read_lambda(given[kind.argument], kind.function) if kind.function else None
    number = _number(reader, given[kind.argument], kind) if kind.number is not None else None
    return replace(inner, rule=Rule(kind.name, function, number))


def _number(reader: Reader, node: ast.expr, kind: RuleKind) -> float:
    if not is_number(node):
        message = f"The {kind.argument} of {kind.call} is one number, written out."
        raise reader.error(node, "rule-number", message, f"Write {kind.example}.")
    return float(read_literal(reader.line, node))
