"""Read and write the parameters of ops."""

from __future__ import annotations

import ast
from typing import Any

from autodiff_viz.graph.text.text_format import listed
from autodiff_viz.language.expressions.literal import is_number, number
from autodiff_viz.language.source.hints import OF_TWO, did_you_mean
from autodiff_viz.language.source.scanner import LogicalLine
from autodiff_viz.ops.param_types import fits, needed, plain, size_fault
from autodiff_viz.ops.record import Param

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
        raise line.error(node, "parameter", f"This shape {fault}.", "Use a smaller shape.")
    if param.kind == "index" or not known or not fits(param, value):
        what = _BRACKETS[function] if param.kind == "index" else needed(param)
        message = f"{param.name!r} of {function} is {what}, written out here."
        raise line.error(node, "parameter", message, _hint(function, param, node), _meant(param, node))
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


def _meant(param: Param, node: ast.expr) -> str | None:
    """Return what to write for a shape that is one number."""
    whole = is_number(node) and type(number(node)) is int and number(node) > 0
    return f"({number(node)},)" if whole and "shape" in param.kind else None


def show_param(value: Any) -> str:
    """Write a parameter's value as in a formula."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
