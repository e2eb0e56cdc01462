"""An expression as written, between Python's syntax tree and the nodes of a graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from autodiff_viz.graph.model import Call, Literal, Params, Rule, Term
from autodiff_viz.language.caret import Span


@dataclass(frozen=True, slots=True)
class Applied:
    """An op applied to operands, with the rule that a wrapper round it gave.

    `stem` is what an automatic name begins with: the op, or the wrapper round a bare name.
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
"""A nested expression, the name of a node, a constant, or None where the slot is left empty."""


def term(operand: Operand) -> Term:
    """The expression inside a lambda as data. It holds no rules and no empty slots."""
    if isinstance(operand, Applied):
        return Call(operand.op, tuple(term(inner) for inner in operand.operands), operand.params)
    assert operand is not None  # `Reader` refuses an empty slot inside a lambda
    return operand


def count(operand: Operand) -> int:
    """Operations and values in the expression."""
    return 1 + sum(map(count, operand.operands)) if isinstance(operand, Applied) else 1
