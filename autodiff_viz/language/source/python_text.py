"""Write a line in Python's words where formulas have more: ^ is a power, f(x) = ... defines a function."""

from __future__ import annotations

import ast
import re

from autodiff_viz.graph.text.syntax_tree import syntax_tree
from autodiff_viz.language.source.scanner import LogicalLine

_POWER = re.compile(r"\"[^\"]*\"|'[^']*'|(\^)")
DEFINITION = re.compile(r"([A-Za-z_]\w*)\s*\(([^()\[\]{}=\"'\n]*)\)\s*=(?!=)", re.ASCII)
"""How a line begins that defines a function as in mathematics."""


def with_powers(line: LogicalLine) -> str:
    """Return the text of a line with ** for ^, and note in `line.powers` where it is longer by that.

    Python's own ^ is another operator, which binds weaker than +.
    """
    text = line.text
    found: list[str] = []
    end, row, column = 0, 0, 0
    powers: list[list[int]] = [[] for _ in text.split("\n")]
    for match in _POWER.finditer(text):
        if match[1] is None:
            continue
        before = text[end : match.start()]
        if "\n" in before:
            row, column = row + before.count("\n"), -before.rindex("\n") - 1
        column += len(before) + 1  # of the second star
        powers[row].append(column)
        column += 1
        found += [before, "**"]
        end = match.end()
    line.powers = tuple(map(tuple, powers))
    return "".join([*found, text[end:]])


def definition(text: str) -> list[ast.stmt]:
    """Parse a line that matches `DEFINITION` as `def f(x, y): return ...`, with the columns of the line.

    Raises:
      SyntaxError: an argument is no name, or what follows is no expression.
    """
    match = DEFINITION.match(text)
    assert match
    name, end = match[1], match.end() - 1  # of the sign =
    try:
        (head,) = syntax_tree(f"def {text[:end].rstrip()}: pass").body
    except SyntaxError:
        raise SyntaxError("the arguments of a function are names") from None
    for node in ast.walk(head):
        if isinstance(node, ast.arg):
            node.col_offset -= len("def ")
            node.end_col_offset -= len("def ")  # type: ignore[operator]
    body = syntax_tree(
        name.ljust(end) + text[end:]
    ).body  # an assignment, in which all columns are the text's
    if len(body) != 1 or not isinstance(body[0], ast.Assign) or len(body[0].targets) != 1:
        raise SyntaxError("a definition is f(x) = and one expression")
    head.body = [ast.copy_location(ast.Return(body[0].value), body[0].value)]
    return [ast.copy_location(head, body[0])]
