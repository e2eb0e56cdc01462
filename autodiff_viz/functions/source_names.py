"""Restore the names of values: an equation remembers its place in the source, whose syntax tree names it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any, Union

import jax

from autodiff_viz.graph.syntax_tree import syntax_tree

JAX, OURS = str(Path(jax.__file__).parent), str(Path(__file__).parent)

Span = tuple[int, int, int, int]
"""Of an expression: first line, column, last line, column; as the compiler and `ast` count them."""

Target = Union[str, tuple[str, ...], None]
"""What an expression is assigned to; None where a function returns it."""


class SourceNames:
    """The names that the sources of a function give to values."""

    def __init__(self) -> None:
        self._files: dict[str, dict[Span, Target]] = {}
        self._positions: dict[CodeType, list[Span]] = {}

    def of(self, equation: Any) -> Target:
        """Return what an equation's result is assigned to; "" for a value within an expression.

        What a function returns has the name that its call has one frame further out.
        """
        for filename, span in self.places(equation):
            names = self._file(filename)
            if span not in names:
                return ""
            if names[span] is not None:
                return names[span]
        return ""

    def places(self, equation: Any) -> tuple[tuple[str, Span], ...]:
        """Return the places of an equation outside of JAX, innermost first."""
        return tuple(self._places(equation))

    def _places(self, equation: Any) -> Iterator[tuple[str, Span]]:
        traceback = equation.source_info.traceback
        if traceback is None:
            return
        for code, at in zip(*traceback.raw_frames(), strict=True):
            if not code.co_filename.startswith((JAX, OURS)):
                if code not in self._positions:
                    self._positions[code] = [
                        (line or 0, column or 0, end_line or 0, end or 0)
                        for line, end_line, column, end in code.co_positions()
                    ]
                yield code.co_filename, self._positions[code][at // 2]

    def _file(self, filename: str) -> dict[Span, Target]:
        if filename not in self._files:
            self._files[filename] = names = {}
            try:
                tree = syntax_tree("".join(linecache.getlines(filename)))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return names
            for node in ast.walk(tree):
                if isinstance(node, ast.Return | ast.Lambda):
                    value = node.value if isinstance(node, ast.Return) else node.body
                    if value is not None:
                        names[_span(value)] = None
                elif isinstance(node, ast.Assign):
                    target = _target(node.targets[0])
                    names[_span(node.value)] = target
                    if isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target):
                        names.update(zip(map(_span, node.value.elts), target, strict=True))
                elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                    names[_span(node.value)] = _target(node.target)
                elif isinstance(node, ast.AugAssign):
                    names[_span(node)] = _target(node.target)
        return self._files[filename]


def _span(node: Any) -> Span:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _target(node: ast.expr) -> Target:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Tuple | ast.List):
        names = [_target(each) for each in node.elts]
        return tuple(name if isinstance(name, str) else "" for name in names)
    return ""
