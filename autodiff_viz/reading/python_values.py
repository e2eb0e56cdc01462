"""Compute with the plain values of a text: apply operators to numbers, lists and strings.

Nothing is given to Python's evaluator: each operator that a text may use is in a table, and none makes
a number or a list beyond a limit.
"""

from __future__ import annotations

import ast
import math
import operator
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.reading.values import Array, Class, Function, Instance, Native, Path, Refused

PYTHON_SIZE = 10_000  # length of a list, string or range that the text makes


def kind(value: Any) -> str:
    """Return what a value is, in words, with its article."""
    kinds = {
        Array: "an array",
        Function: "a function",
        Native: "a function",
        Path: "a name of a library",
        Class: "a class",
        Instance: "an object",
        type(None): "None",
        list: "a list",
        tuple: "a tuple",
        dict: "a dictionary",
        str: "a text",
        int: "a number",
        float: "a number",
        bool: "a truth value",
        slice: "a slice",
    }
    return kinds.get(type(value), "this")


_PLAIN = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def plain_operator(op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
    """Apply an operator to plain values, none of which may grow beyond a limit."""
    if type(op) not in _PLAIN:
        raise Refused(f"This operator is not read: {ast.unparse(node)[:60]}.", at=node)
    numbers = all(isinstance(side, (int, float)) for side in (left, right))
    if not numbers and isinstance(op, ast.Mult):
        size = [len(side) if isinstance(side, (list, tuple, str)) else side for side in (left, right)]
        if all(isinstance(one, int) for one in size) and size[0] * size[1] > PYTHON_SIZE:
            raise Refused("This makes too long a list.", "", "too-large", node)
    if not numbers and isinstance(op, ast.Mod) and isinstance(left, str):
        return ""  # a text to print
    if numbers and isinstance(op, ast.Pow) and (abs(right) > 1000 or abs(left) > 1e30):
        raise Refused("This number is too large.", "", "too-large", node)
    try:
        result = _PLAIN[type(op)](left, right)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise Refused(f"{error}.".capitalize(), at=node) from None
    if isinstance(result, (int, float)) and abs(result) > limits.NUMBER and math.isfinite(result):
        raise Refused("This number is too large.", "", "too-large", node)
    if isinstance(result, complex) or (isinstance(result, (list, str, tuple)) and len(result) > PYTHON_SIZE):
        raise Refused("This value is not read.", "", "too-large", node)
    return result
