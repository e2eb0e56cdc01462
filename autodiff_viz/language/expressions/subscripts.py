"""Read `x[index]` and the functional update `x.at[index].set(v)`, written as in JAX."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Params, params
from autodiff_viz.language.expressions.calls import bind
from autodiff_viz.language.expressions.tree import Applied
from autodiff_viz.ops import indexing

if TYPE_CHECKING:
    from autodiff_viz.language.expressions.expression import Reader

_EXAMPLE = "Write x.at[0].set(v)."
_INSTEAD = {
    "add": "Write x.at[0].set(x[0] + v).",
    "subtract": "Write x.at[0].set(x[0] - v).",
    "multiply": "Write x.at[0].set(x[0] * v).",
    "mul": "Write x.at[0].set(x[0] * v).",
    "divide": "Write x.at[0].set(x[0] / v).",
    "power": "Write x.at[0].set(x[0] ** v).",
    "min": "Write x.at[0].set(minimum(x[0], v)).",
    "max": "Write x.at[0].set(maximum(x[0], v)).",
    "get": "Write x[0].",
}
"""Other methods of JAX behind `x.at[...]`, and what to write."""


def read_subscript(reader: Reader, node: ast.Subscript, depth: int) -> Applied:
    """Read `x[index]`.

    Raises:
      GraphError: the index is not made of whole numbers, slices, `...` and None.
    """
    value = reader.read(node.value, depth)
    return Applied("getitem", (value,), _index(reader, node), reader.line.span(node), "getitem")


def is_update(node: ast.expr) -> bool:
    """Return whether a called expression is `x.at[...].set`, or another method there."""
    place = node.value if isinstance(node, ast.Attribute) else None
    at = place.value if isinstance(place, ast.Subscript) else None
    return isinstance(at, ast.Attribute) and at.attr == "at"


def read_update(reader: Reader, node: ast.Call, depth: int) -> Applied:
    """Read `x.at[index].set(v)`, for which `is_update` holds.

    Raises:
      GraphError: it is another method than `set`, or has other arguments than `v`.
    """
    method: ast.Attribute = node.func  # type: ignore[assignment]
    place: ast.Subscript = method.value  # type: ignore[assignment]
    if method.attr != "set":
        message = f"Formulas do not have {method.attr[: limits.NAME]!r} behind x.at[...]."
        raise reader.error(method, "not-in-language", message, _INSTEAD.get(method.attr, _EXAMPLE))
    x = reader.read(place.value.value, depth)  # type: ignore[attr-defined]
    index = _index(reader, place)
    given = bind(reader, "at_set", ("v",), node)
    if "v" not in given:
        raise reader.error(node, "arity", "at_set needs v, the new value.", _EXAMPLE)
    operands = x, reader.read(given["v"], depth)
    return Applied("at_set", operands, index, reader.line.span(node), "at_set")


def _index(reader: Reader, node: ast.Subscript) -> Params:
    """Read the index of a subscript, as the parameters of the op."""
    try:
        index = indexing.from_ast(node.slice)
        bounds = [n for part in index for n in (part if isinstance(part, tuple) else (part,))]
    except (ValueError, RecursionError):  # from_ast unparses the index for its message, however deep
        bounds = [limits.ELEMENTS + 1]
    if any(type(n) is int and abs(n) > limits.ELEMENTS for n in bounds):
        message = "An index is made of whole numbers, written out here."
        hint = "Write for example x[0], x[1:3], x[..., 0] or x[None]."
        raise reader.error(node.slice, "index", message, hint)
    return params(index=index)
