"""Parameters of ops as text, both ways. `Param.kind` decides what may stand there."""

from __future__ import annotations

import ast
from math import prod
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.literals import literal_fault, seed_fault
from autodiff_viz.language.hints import did_you_mean
from autodiff_viz.language.literal import is_number, number
from autodiff_viz.language.source import LogicalLine
from autodiff_viz.ops.record import Param

NEEDED = {
    "int": "a whole number, such as 0",
    "float": "a number, such as 0.5",
    "bool": "True or False",
    "axis": "a whole number, such as 0 or -1",
    "axes": "whole numbers in brackets, such as (1, 0)",
    "shape": "the lengths of the axes, such as (3, 4)",
    "seed": f"a whole number from 0 to {limits.SEED}",
    "index": "written in square brackets, such as x[0, 1:3]",
}


def read_param(line: LogicalLine, function: str, param: Param, node: ast.expr) -> Any:
    """The value of one parameter; None, where the parameter may be left out, stands for its absence.

    Raises:
      GraphError: it is not what the parameter's kind needs.
    """
    value, known = _value(node)
    if known and value is None and param.default is None:
        return None
    if not known or not _fits(param, value):
        message = f"{param.name!r} of {function} is {_needed(param)}, written out here."
        raise line.error(node, "parameter", message, _hint(function, param, node))
    if param.kind == "shape":
        _check_shape(line, node, value)
    return value


def _value(node: ast.expr) -> tuple[Any, bool]:
    """(value, True) of a constant or a tuple of whole numbers, (None, False) of anything else."""
    if is_number(node):
        return number(node), True
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, str, type(None))):
        return node.value, True
    if isinstance(node, (ast.Tuple, ast.List)) and all(is_number(item) for item in node.elts):
        return tuple(number(item) for item in node.elts), True
    return None, False


def _needed(param: Param) -> str:
    if param.kind == "choice":
        return f"one of {', '.join(map(show_param, param.choices))}"
    return NEEDED[param.kind]


def _fits(param: Param, value: Any) -> bool:
    kind = param.kind
    if kind == "choice":
        return value in param.choices
    if kind == "bool":
        return type(value) is bool
    if kind == "float":
        return type(value) in (int, float) and not literal_fault(value)
    if kind == "seed":
        return not seed_fault(value)
    if kind in ("int", "axis"):
        return type(value) is int and abs(value) <= limits.ELEMENTS
    if kind in ("shape", "axes"):
        smallest = -1 if kind == "shape" else -limits.RANK
        return type(value) is tuple and all(type(n) is int and smallest <= n for n in value)
    return False


def _check_shape(line: LogicalLine, node: ast.expr, shape: tuple[int, ...]) -> None:
    if len(shape) > limits.RANK:
        message = f"This shape has {len(shape)} axes; the limit is {limits.RANK}."
        raise line.error(node, "parameter", message, "Use fewer axes.")
    if (elements := abs(prod(shape))) > limits.ELEMENTS:
        message = f"This shape has {elements:,} elements; the limit is {limits.ELEMENTS:,}."
        raise line.error(node, "parameter", message, "Use a smaller shape.")


def _hint(function: str, param: Param, node: ast.expr) -> str:
    if function == "max" and param.name == "axis":
        return "For the larger of two values write maximum(a, b)."
    if param.kind == "shape" and is_number(node):
        return f"Write {param.name}=({number(node)},) for one axis."
    if param.kind == "choice" and isinstance(node, ast.Constant):
        word = str(node.value)
        begun = [choice for choice in param.choices if word and choice.startswith(word)]
        return f"There is {' and '.join(begun)}." if begun else did_you_mean(word, param.choices)
    if isinstance(node, ast.Name):
        return f"{node.id!r} is a value of the graph; a parameter is fixed."
    return ""


def show_param(value: Any) -> str:
    """A parameter's value as it is written in a formula."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
