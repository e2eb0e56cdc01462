"""Read and write numbers, tensors and the parameters of ops."""

from __future__ import annotations

import ast
from typing import Any

from autodiff_viz.graph.model import Literal
from autodiff_viz.graph.text import listed, literal_fault
from autodiff_viz.language.scanner import LogicalLine
from autodiff_viz.language.suggestions import OF_TWO, did_you_mean
from autodiff_viz.ops.op import Param
from autodiff_viz.ops.params import fits, needed, plain, size_fault

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


_BRACKETS = {
    "getitem": "written in square brackets, such as x[0, 1:3]",
    "at_set": "written in square brackets, such as x.at[0, 1:3].set(v)",
}


def read_param(line: LogicalLine, function: str, param: Param, node: ast.expr) -> Any:
    """Read the value of one parameter; None means that an optional parameter is left out.

    Raises:
      GraphError: the value is not of the parameter's kind.
    """
    value, known = _value(node)
    if known and value is None and param.default is None:
        return None
    if fault := size_fault(param, value):
        raise line.error(node, "parameter", f"This shape {fault}.", "Use a smaller one, such as (3, 4).")
    if param.kind == "index" or not known or not fits(param, value):
        what = _BRACKETS[function] if param.kind == "index" else needed(param)
        message = f"{param.name!r} of {function} is {what}, written out here."
        # One whole number in place of a shape is meant as the length of its only axis.
        length = number(node) if "shape" in param.kind and is_number(node) else None
        better = f"({length},)" if type(length) is int and length > 0 else None
        raise line.error(node, "parameter", message, _hint(function, param, node), better)
    return plain(param, value)


def _value(node: ast.expr) -> tuple[Any, bool]:
    """Return (value, True) of a constant or a tuple of numbers, (None, False) of anything else."""
    if is_number(node):
        return number(node), True
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, str, type(None))):
        return node.value, True
    if isinstance(node, (ast.Tuple, ast.List)) and all(is_number(item) for item in node.elts):
        return tuple(number(item) for item in node.elts), True
    return None, False


def _hint(function: str, param: Param, node: ast.expr) -> str:
    if function in OF_TWO and param.name == "axis":
        return OF_TWO[function]
    if "shape" in param.kind and is_number(node):
        return f"Write {param.name}=({number(node)},) for one axis."
    if param.kind == "choice" and isinstance(node, ast.Constant):
        word = str(node.value)
        begun = [choice for choice in param.choices if word and choice.startswith(word)]
        return f"There is {listed(begun)}." if begun else did_you_mean(word, param.choices)
    if isinstance(node, ast.Name):
        return f"{node.id!r} is a value of the graph; a parameter is fixed."
    return ""


def show_param(value: Any) -> str:
    """Write a parameter's value as in a formula."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
