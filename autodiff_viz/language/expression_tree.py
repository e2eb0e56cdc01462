"""Represent an expression as a tree between Python's syntax tree and a graph, and flatten it to nodes.

Intermediate steps get automatic names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Union

from autodiff_viz.graph.model import Call, Literal, Node, Params, Rule, Term
from autodiff_viz.language.scanner import Span


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


def operation_count(operand: Operand) -> int:
    """Count the operations and values in the expression."""
    return 1 + sum(map(operation_count, operand.operands)) if isinstance(operand, Applied) else 1


Position = tuple[float, float]


class Namer:
    """Generator of automatic names: `<stem>_<k>` with the smallest k >= 1 that is free."""

    def __init__(self, taken: Iterable[str]):
        self._taken = frozenset(taken)
        self._next: dict[str, count[int]] = {}

    def __call__(self, stem: str) -> str:
        numbers = self._next.setdefault(stem, count(1))
        return next(name for k in numbers if (name := f"{stem}_{k}") not in self._taken)


def flatten(
    tree: Applied,
    name: str | None,
    fresh: Callable[[str], str],
    positions: Mapping[str, Position],
    spans: dict[str, Span],
) -> list[Node]:
    """Return the nodes of an expression in topological order; the last one is called `name`.

    Args:
      tree: the expression.
      name: name of the root, or None for an automatic one.
      fresh: returns an automatic name for a stem.
      positions: canvas positions by node name, in pixels.
      spans: receives the place of each node in the text.
    """
    nodes: list[Node] = []

    def add(tree: Applied, name: str | None) -> str:
        slots = tuple(add(part, None) if isinstance(part, Applied) else part for part in tree.operands)
        name = name or fresh(tree.stem)
        marks = (positions.get(name), tree.muted, tree.cut)
        nodes.append(Node(name, tree.op, slots, tree.params, tree.rule, *marks))
        spans[name] = tree.span
        return name

    add(tree, name)
    return nodes
