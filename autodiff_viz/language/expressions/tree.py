"""Represent an expression as a tree, between Python's syntax tree and the nodes of a graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from autodiff_viz.graph.model import Call, Literal, Params, Rule, Term
from autodiff_viz.language.source.caret import Span


@dataclass(frozen=True, slots=True)
class Applied:
    """An op applied to operands, with the rule and the marks of the wrappers around it.

    Attributes:
      op: name of the op.
      operands: one per slot.
      params: parameters of the op.
      span: place in the text.
      stem: stem of its automatic name: the op, or the wrapper around a bare name.
      rule: rule of the node.
      muted: whether the node is muted.
      cut: whether a segment ends at the node.
    """

    op: str
    operands: tuple[Operand, ...]
    params: Params
    span: Span
    stem: str
    rule: Rule = field(default_factory=Rule)
    muted: bool = False
    cut: bool = False


Operand = Union[Applied, str, Literal, None]
"""A nested expression, the name of a node, a constant, or None for an empty slot."""


def term(operand: Operand) -> Term:
    """Convert the expression inside a lambda to data. It holds no rules and no empty slots."""
    if isinstance(operand, Applied):
        return Call(operand.op, tuple(term(inner) for inner in operand.operands), operand.params)
    assert operand is not None  # `Reader` refuses an empty slot inside a lambda
    return operand


def count(operand: Operand) -> int:
    """Count the operations and values in the expression."""
    return 1 + sum(map(count, operand.operands)) if isinstance(operand, Applied) else 1
