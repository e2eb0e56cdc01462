"""Parse logical lines to Python syntax trees, one line at a time."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text.syntax_tree import syntax_tree
from autodiff_viz.language.source.caret import Span
from autodiff_viz.language.source.corrections import misspelt, removed
from autodiff_viz.language.source.hints import KEYWORDS
from autodiff_viz.language.source.names import Names
from autodiff_viz.language.source.python_text import DEFINITION, definition, with_powers
from autodiff_viz.language.source.scanner import LogicalLine
from autodiff_viz.ops.catalog import OPS

_FIRST_WORD = re.compile(r"[a-z]+\b")
_BLOCK = 'Write with checkpoint("name"): or with group("name"): and indent the lines inside it.'
_HEADS = {
    "with": _BLOCK,
    "for": "Write for i in range(4): and indent the lines of a step below it.",
    "def": "Write def block(x): and indent its lines below it; the last one is return and a value.",
}
"""Words that open a block, and how they are written."""

_EXAMPLE = "A line looks like y = 2.0 * sin(x)."

OF_ONE = frozenset(op.name for op in OPS.values() if len(op.slots) == 1 and not op.variadic)

REMEMBERED, SHORT = 512, 120  # lines in the LRU cache; greatest number of characters of one

Statements = list[ast.stmt] | None
"""The statements of a line; None where it could not be parsed."""


def parsed_lines(
    lines: Sequence[LogicalLine], problems: list[Problem]
) -> list[tuple[LogicalLine, Statements]]:
    """Parse every line; record its mistakes in `problems`, and end where these are too many to report."""
    found: list[tuple[LogicalLine, Statements]] = []
    for line in lines:
        if len(problems) >= limits.PROBLEMS:
            break
        try:
            found.append((line, parse_line(line)))
        except GraphError as error:
            problems.extend(error.problems)
            found.append((line, None))
    return found


def announce(lines: Sequence[tuple[LogicalLine, Statements]], names: Names) -> None:
    """Record the names that the lines assign; of a line with mistakes, the name that it seems to assign."""
    for line, statements in lines:
        if statements is None:
            names.forgive(line)
        else:
            names.announce(line, statements)


def parse_line(line: LogicalLine) -> list[ast.stmt]:
    """Return the statements of one line. The head of a block gets `pass` for a body.

    Raises:
      GraphError: the scan found problems in the line, or it is no Python, or begins with a keyword that
        formulas do not have.
    """
    if line.problems:
        raise GraphError(line.problems)
    word = first_word(line)
    if word in KEYWORDS:
        span = Span(line.number, line.indent, line.number, line.indent + len(word))
        needless = removed(line) if word in ("import", "from") else None
        raise line.error(span, "not-in-language", f"Formulas do not have {word!r}.", KEYWORDS[word], needless)
    try:
        text = with_powers(line) if "^" in line.text else line.text
        if DEFINITION.match(text):
            return definition(text)
        return _statements(f"{text} pass" if word in _HEADS and text.endswith(":") else text)
    except SyntaxError as error:
        message = f"This is not a formula: {_reason(error)}."
        better = misspelt(line, OF_ONE)
        hint = f"{better.label}." if better else _hint(word)
        raise line.error(_place(line, error), "syntax", message, hint, better) from None
    except (RecursionError, MemoryError):
        message = f"Operations are more than {limits.NESTING} deep here."
        hint = "Give a part a name on a line of its own."
        raise line.error(line.whole(), "too-deep", message, hint) from None


def _statements(source: str) -> list[ast.stmt]:
    return _short(source) if len(source) <= SHORT else syntax_tree(source).body


def _key(source: str) -> str:
    return source


@remembered(REMEMBERED, _key)
def _short(source: str) -> list[ast.stmt]:
    """Memoise the parse of a short line, since each edit leaves most lines unchanged.

    Callers must not change the syntax tree.
    """
    return syntax_tree(source).body


def first_word(line: LogicalLine) -> str:
    """Return the word of lower-case letters that begins the line, or ""."""
    match = _FIRST_WORD.match(line.text)
    return match[0] if match else ""


def is_head(line: LogicalLine) -> bool:
    """Return whether the line is a `with ...:` whose body is on the lines below."""
    return first_word(line) == "with" and line.text.endswith(":")


def _reason(error: SyntaxError) -> str:
    """Return Python's reason without its advice, which is about Python."""
    reason = re.split(r"[.;,] |\bMaybe\b|\bPerhaps\b| \(<", error.msg)[0].strip(" .")
    return reason if reason.isascii() else "invalid syntax"


def _place(line: LogicalLine, error: SyntaxError) -> Span:
    row = min(max(error.lineno or 1, 1), line.text.count("\n") + 1)
    start = line.column(row, max((error.offset or 1) - 1, 0))
    same = error.end_lineno == error.lineno and (error.end_offset or 0) > (error.offset or 0)
    end = line.column(row, error.end_offset - 1) if same else start + 1  # type: ignore[operator]
    return Span(line.number + row - 1, start, line.number + row - 1, end)


def _hint(word: str) -> str:
    return _HEADS.get(word, _EXAMPLE)
