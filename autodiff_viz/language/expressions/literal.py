"""Read and write numbers and tensors."""

from __future__ import annotations

import ast

from autodiff_viz.graph.model import Literal
from autodiff_viz.graph.text.literals import literal_fault
from autodiff_viz.language.source.scanner import LogicalLine

BRACKETS = "A tensor is numbers in square brackets, row by row: [[1.0, 2.0], [3.0, 4.0]]."


def is_number(node: ast.expr) -> bool:
    """Return whether the syntax is a number, with or without a sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def number(node: ast.expr) -> int | float:
    """Return the value of a node that `is_number`."""
    if isinstance(node, ast.UnaryOp):
        value = node.operand.value  # type: ignore[attr-defined]
        return -value if isinstance(node.op, ast.USub) else value
    return node.value  # type: ignore[attr-defined]


def read_literal(line: LogicalLine, node: ast.expr) -> Literal:
    """Read a number or a tensor.

    Raises:
      GraphError: it is neither, or exceeds a limit.
    """
    if isinstance(node, ast.Name):
        raise line.error(node, "literal", f"{node.id!r} is not a number or a tensor.", BRACKETS)
    literal = _read(line, node)
    if fault := literal_fault(literal):
        raise line.error(node, "literal", f"This number or tensor {fault}.", BRACKETS)
    return literal


def _read(line: LogicalLine, node: ast.expr) -> Literal:
    if is_number(node):
        return number(node)
    if isinstance(node, ast.List):
        return tuple(_read(line, item) for item in node.elts)
    if isinstance(node, ast.Name):
        hint = f"To join values write stack([{node.id}, ...]) or concatenate([{node.id}, ...])."
        raise line.error(node, "literal", f"{node.id!r} cannot stand inside a tensor of numbers.", hint)
    raise line.error(node, "literal", "Only numbers can stand here.", BRACKETS)


def show_literal(value: Literal) -> str:
    """Write a number or a tensor as in a formula."""
    if isinstance(value, tuple):
        return f"[{', '.join(show_literal(item) for item in value)}]"
    return repr(value)
