"""Convert indices such as `x[0, 1:3]` between hashable data, Python's own index, and text.

Data is a tuple with one entry per part: an int; a (start, stop, step) tuple of ints or None for a slice;
"..." for an ellipsis; None for a new axis. It is hashable, so that it can key a cache, and is plain JSON.
"""

from __future__ import annotations

import ast
from types import EllipsisType
from typing import Any, Union

from autodiff_viz.graph.syntax_tree import syntax_tree

ELLIPSIS = "..."

Part = Union[int, tuple[Union[int, None], ...], str, None]
Index = tuple[Part, ...]


def to_python(index: Index) -> tuple[int | slice | EllipsisType | None, ...]:
    """Return the index that NumPy and JAX arrays take.

    Raises:
      ValueError: `index` is not such data; it may come from a file.
    """
    if not isinstance(index, tuple):
        raise ValueError(f"An index is a tuple of parts, but this is {index!r}.")
    return tuple(_part_to_python(part) for part in index)


def to_text(index: Index) -> str:
    """Write the index as between brackets: "0, 1:3"."""
    return ", ".join(_part_to_text(part) for part in index) or "()"


def from_text(text: str) -> Index:
    """Read the text between brackets; `from_text(to_text(index)) == index`.

    Raises:
      ValueError: the text is no index of ints, slices, `...` and `None`.
    """
    try:
        tree = syntax_tree(f"x[{text}]", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if not isinstance(tree, ast.Subscript) or not isinstance(tree.value, ast.Name):
        raise ValueError(f"{text!r} is no index; write for example 0, 1:3.")
    return from_ast(tree.slice)


def from_ast(node: ast.expr) -> Index:
    """Read the `slice` of an `ast.Subscript`.

    Raises:
      ValueError: a part is none of an int, a slice, `...` and `None`; the message names it.
    """
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return tuple(_part_from_ast(part) for part in parts)


def _part_from_ast(node: ast.expr) -> Part:
    if isinstance(node, ast.Slice):
        return tuple(
            None if end is None else _bound_from_ast(end) for end in (node.lower, node.upper, node.step)
        )
    if isinstance(node, ast.Constant) and node.value is Ellipsis:
        return ELLIPSIS
    return _bound_from_ast(node)


def _bound_from_ast(node: ast.expr) -> int | None:
    negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    inner = node.operand if negative else node
    if isinstance(inner, ast.Constant) and type(inner.value) is int:
        return -inner.value if negative else inner.value
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    raise ValueError(f"{ast.unparse(node)!r} cannot be in an index; use whole numbers, 1:3, ... or None.")


def _part_to_python(part: Any) -> int | slice | EllipsisType | None:
    if part is None or type(part) is int:
        return part
    if part == ELLIPSIS:
        return Ellipsis
    if isinstance(part, tuple) and len(part) == 3 and all(end is None or type(end) is int for end in part):
        return slice(*part)
    raise ValueError(f"{part!r} cannot be part of an index.")


def _part_to_text(part: Part) -> str:
    if not isinstance(part, tuple):
        return str(part)
    start, stop, step = ("" if end is None else str(end) for end in part)
    return f"{start}:{stop}" + (f":{step}" if step else "")
