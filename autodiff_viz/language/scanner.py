"""Scan formula text to logical lines, and check them before Python's own parser reads them.

The scan enforces the limits on size and nesting, so that no text can exhaust the parser, and refuses text for
which the parser would warn. Each logical line is then parsed alone: a mistake in one does not hide the next
one.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import Correction, GraphError, Problem
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.language.suggestions import character_hint, character_text, number_hint, number_text

# Places in a text. A problem carries its line, with a row of carets under the place.


WINDOW = 96  # characters of a line shown above the carets; a long line is cropped around the mark


class Span(NamedTuple):
    """A range of text: from (`line`, `column`) up to, but without, (`end_line`, `end_column`).

    Lines count from 1, columns from 0.
    """

    line: int
    column: int
    end_line: int
    end_column: int


class Places(NamedTuple):
    """Where a text has the nodes and the frames of its graph.

    Attributes:
      spans: of nodes, by name. Copies of a line, which loops and functions make, have one span.
      heads: lines that begin a region or a group, by its name. The step of a loop is a group that begins at
        the head of the loop, the call of a function one that begins at the call.
    """

    spans: Mapping[str, Span]
    heads: Mapping[str, Sequence[int]]


def problem_at(
    lines: Sequence[str],
    span: Span,
    code: str,
    message: str,
    hint: str = "",
    correction: Correction | None = None,
) -> Problem:
    """Make a problem that marks `span`, or the first line of a span over several lines."""
    text = lines[span.line - 1]
    column = min(span.column, len(text))
    end = span.end_column if span.end_line == span.line else len(text)
    end = max(end, column + 1)
    # A long line is cropped, so that a third of what is shown lies before the mark.
    start = max(0, min(column - WINDOW // 3, len(text) - WINDOW))
    shown = "".join(c if c.isprintable() else " " for c in text[start : start + WINDOW])
    lead = "..." if start else ""
    tail = "..." if start + WINDOW < len(text) else ""
    width = max(1, min(end, start + WINDOW) - column)
    caret = f"{lead}{shown}{tail}\n{' ' * (len(lead) + column - start)}{'^' * width}"
    return Problem(
        code,
        message,
        hint,
        line=span.line,
        column=column,
        end_column=end,
        caret=caret,
        correction=correction,
    )


def writing(span: Span, text: str) -> Correction:
    """Return the correction that writes `text` in place of the span."""
    return Correction(f"Write {text}", *span, text)


# Tokens, and the lines that they make.


_TOKEN = re.compile(
    r"""(?P<comment>\#.*)
    | (?P<string>"[^"\\]*"|'[^'\\]*')
    | (?P<quote>["'])
    | (?P<word>[^\W\d]\w*)
    | (?P<number>\d[\w.]*(?:(?<=[eE])[+-]\d[\w.]*)?|\.\d[\w.]*(?:(?<=[eE])[+-]\d[\w.]*)?)
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | (?P<strange>[^\t -~])""",
    re.VERBOSE,
)
_COUNTED = re.compile(r"[\w.]+|[^\w\s]")
_NUMBER = re.compile(r"(\d[\d_]*(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_STATEMENT = re.compile(r"\s*(?:[^\W\d]\w*\s*(?:\([\w\s,]*\)\s*)?=(?!=)|with\s|for\s|def\s|return\s)")
_CLOSING = {"(": ")", "[": "]", "{": "}"}

Bracket = tuple[str, int, int]
"""An open bracket with its line and its column."""

UNSEEN = "\ufeff"  # a byte order mark
POSITIONS = "# positions:"
FAULTS = 10  # problems reported for one line


@dataclass(slots=True)
class LogicalLine:
    """One statement, or the head of a block, with its place in the text.

    Attributes:
      number: line on which it begins.
      text: the statement without its indentation and comments; holds newlines inside brackets.
      indent: characters of indentation.
      width: columns of indentation, where a tab counts as up to 8.
      source: all lines of the text.
      problems: found by the scan; with any, `text` must not be parsed.
      powers: by row, the columns in Python's text of the second star of each ** that is a ^ in `text`.
    """

    number: int
    text: str
    indent: int
    width: int
    source: Sequence[str] = field(repr=False)
    problems: list[Problem] = field(default_factory=list)
    powers: tuple[tuple[int, ...], ...] = ()

    def span(self, node: ast.AST) -> Span:
        """Return the span in the whole text of a node of this line's syntax tree."""
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        return Span(
            first + self.number - 1,
            self.column(first, node.col_offset),  # type: ignore[attr-defined]
            last + self.number - 1,
            self.column(last, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def column(self, row: int, column: int) -> int:
        """Return the column in the whole text of a column of Python's text; rows count from 1."""
        longer = bisect_left(self.powers[row - 1], column) if self.powers else 0
        return column - longer + (self.indent if row == 1 else 0)

    def piece(self, node: ast.AST) -> str:
        """Return the text of a node as its author wrote it, on one line."""
        line, column, end_line, end = self.span(node)
        rows = list(self.source[line - 1 : end_line])
        rows[-1] = rows[-1][:end]
        rows[0] = rows[0][column:]
        return " ".join(row.partition("#")[0].strip() for row in rows) if len(rows) > 1 else rows[0]

    def whole(self) -> Span:
        """Return the span of the line, without its continuation lines."""
        end = self.indent + len(self.text.split("\n", 1)[0])
        return Span(self.number, self.indent, self.number, end)

    def error(
        self,
        where: ast.AST | Span,
        code: str,
        message: str,
        hint: str = "",
        correction: str | Correction | None = None,
    ) -> GraphError:
        """Make an error that marks a part of this line, for the caller to raise.

        Args:
          correction: a text that is written in place of the part, or another correction.
        """
        span = where if isinstance(where, Span) else self.span(where)
        if isinstance(correction, str):
            correction = writing(span, correction) if correction else None
        return GraphError(problem_at(self.source, span, code, message, hint, correction))


@dataclass(slots=True)
class Source:
    """A scanned text.

    Attributes:
      lines: its logical lines.
      positions: its comments about positions, with their line numbers.
      text: all its lines.
      tokens: how many names, numbers and signs it has, for each of which Python's parser makes an object.
      faults: how many problems its lines have.
      bare: how many lines it has of comments or spaces alone.
    """

    lines: list[LogicalLine]
    positions: list[tuple[int, str]]
    text: Sequence[str]
    tokens: int = 0
    faults: int = 0
    bare: int = 0


def scan(text: str) -> Source:
    """Split the text into logical lines, up to the one in which the problems become too many to be reported.

    Raises:
      GraphError: the text as a whole is too long. Other problems are kept with their line.
    """
    if len(text) > limits.TEXT:
        message = f"The text has {len(text)} characters; the limit is {limits.TEXT}."
        raise GraphError(Problem("text-too-long", message, "Split the graph in two."))
    source = Source([], [], text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    number = 1
    while number <= len(source.text) and source.faults < limits.PROBLEMS:
        number = _logical_line(source, number) if source.text[number - 1] else number + 1
        # Counted on the way, so that a text that is far too long is not scanned to its end.
        if len(source.lines) + source.bare > limits.LINES or source.tokens > limits.TOKENS:
            most = f"{limits.LINES:,} lines, empty ones not counted, or {limits.TOKENS:,} names and signs"
            raise GraphError(
                Problem("text-too-long", f"The text has more than {most}.", "Split the graph in two.")
            )
    return source


def _logical_line(source: Source, first: int) -> int:
    """Add the logical line that begins on line `first`, if any; return the number of the next line."""
    head = source.text[first - 1]
    indent = len(head) - len(head.lstrip(" \t"))
    line = LogicalLine(first, "", indent, len(head[:indent].expandtabs(8)), source.text)
    pieces: list[str]
    brackets: list[Bracket]
    pieces, brackets, number = [], [], first
    for number in range(first, len(source.text) + 1):
        text = source.text[number - 1]
        if brackets and _STATEMENT.match(text) and len(text) - len(text.lstrip()) <= indent:
            number -= 1  # a new statement: a closing bracket is missing above
            break
        piece = _physical_line(source, line, number, text, brackets)
        source.tokens += 0 if line.problems else len(_COUNTED.findall(piece))  # a faulty line is not parsed
        pieces.append(piece)
        if (not brackets and not piece.endswith("\\")) or source.tokens > limits.TOKENS:
            break
    # Of open brackets the innermost is named. Those that are too deep have been reported as such.
    for bracket, row, column in brackets[-1:] if len(brackets) <= limits.NESTING else ():
        span = Span(row, column, row, column + 1)
        message = f"This '{bracket}' is never closed."
        closing = _CLOSING[bracket]
        # It is offered behind the last line that has something besides comments.
        end = first + max(k for k, piece in enumerate(pieces) if piece)
        at = Span(end, len(pieces[end - first]), end, len(pieces[end - first]))
        correction = Correction(f"Add {closing}", *at, closing)
        _note(line, span, "bracket", message, f"Add the missing '{closing}'.", correction)
    line.text = "\n".join(pieces)[indent:].rstrip()
    if line.text or line.problems:
        source.lines.append(line)
        source.faults += len(line.problems)
    else:
        source.bare += 1
    return number + 1


def _physical_line(source: Source, line: LogicalLine, number: int, text: str, brackets: list[Bracket]) -> str:
    """Check one line of text and update `brackets`; return the text without its comment."""
    if len(text) > limits.LINE:
        message = f"This line has {len(text)} characters; the limit is {limits.LINE}."
        _note(
            line, Span(number, 0, number, 1), "line-too-long", message, "Break it inside brackets, or in two."
        )
        brackets.clear()
        return ""
    if len(brackets) > limits.NESTING:  # inside brackets that have been reported
        _skip(text, brackets)
        return text
    for token in _TOKEN.finditer(text):
        kind, piece = token.lastgroup, token.group()
        if kind == "comment":
            if piece.startswith(POSITIONS):
                source.positions.append((number, text))
            return text[: token.start()].rstrip()
        if kind == "open":
            brackets.append((piece, number, token.start()))
            if len(brackets) <= limits.NESTING:
                continue
            message = f"Brackets are more than {limits.NESTING} deep here."
            fault = "too-deep", message, "Give an inner part a name on a line of its own."
        elif kind == "close":
            if brackets and _CLOSING[brackets[-1][0]] == piece:
                brackets.pop()
                continue
            needed = (
                f"; '{_CLOSING[brackets[-1][0]]}' is needed first" if brackets else " without one that opens"
            )
            brackets.clear()  # what is open is unclear now, and would be reported once more
            fault = "bracket", f"'{piece}' closes{needed}.", "Check the brackets of this line."
        else:
            fault = _token_fault(kind, piece, text[token.end() : token.end() + 1])
        if fault is None:
            continue
        span = Span(number, token.start(), number, token.end())
        _note(line, span, *fault, _token_meant(kind, piece, span, text))
        if len(line.problems) >= FAULTS:
            brackets.clear()
            return ""
        if len(brackets) > limits.NESTING:
            _skip(text[token.end() :], brackets)
            break
    return text


def _skip(text: str, brackets: list[Bracket]) -> None:
    """Count the brackets of text that is too deep to be read, so that the scan goes on where they end."""
    change = sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
    if change > 0:
        brackets += brackets[-1:] * change
    else:
        del brackets[max(0, len(brackets) + change) :]


def _token_fault(kind: str | None, piece: str, following: str) -> tuple[str, str, str] | None:
    """Return (code, message, hint) for a token that is not in the language; None for a valid one."""
    if kind == "quote":
        return (
            "text",
            "This quote begins a text that does not end on the line.",
            "Close it, without backslashes.",
        )
    if kind == "strange" or not (piece.isascii() and piece.isprintable()):
        what = {"word": "name", "string": "text"}.get(kind or "", "character")
        message = f"The {what} {piece[: limits.NAME]!r} has letters or signs that formulas don't use."
        return "character", message, character_hint(piece)
    if kind == "word" and following and following in "\"'":
        return "text", f"Text with the prefix {piece!r} is not in the language.", 'Write it plainly: "name".'
    if kind == "number" and not _NUMBER.fullmatch(piece):
        return "number", f"{piece[: limits.NAME]!r} is not a number.", number_hint(piece)
    return None


def _token_meant(kind: str | None, piece: str, span: Span, text: str) -> Correction | None:
    """Return the correction of a token that is not in the language; None if its meaning is not clear."""
    if kind == "number":
        meant = number_text(piece)
    elif kind in ("word", "strange") and piece != UNSEEN:
        meant = character_text(piece)
    else:
        return Correction("Remove it", *span, "") if piece == UNSEEN else None
    root = re.match(r"[ \t]*([A-Za-z_]\w*|\d[\d.]*)", text[span.end_column :], re.ASCII)
    if meant == "sqrt" and root:  # the name or the number behind √ goes into its brackets
        meant, span = f"sqrt({root[1]})", span._replace(end_column=span.end_column + root.end())
    return writing(span, meant) if meant and meant != piece else None


def _note(
    line: LogicalLine, span: Span, code: str, message: str, hint: str, correction: Correction | None = None
) -> None:
    line.problems.append(problem_at(line.source, span, code, message, hint, correction))


# Lines in Python's words, where formulas have more: ^ is a power, f(x) = ... defines a function.


_POWER = re.compile(r"\"[^\"]*\"|'[^']*'|(\^)")
DEFINITION = re.compile(r"([A-Za-z_]\w*)\s*\(([^()\[\]{}=\"'\n]*)\)\s*=(?!=)", re.ASCII)
"""How a line begins that defines a function as in mathematics."""


def with_powers(line: LogicalLine) -> str:
    """Return the text of a line with ** for ^, and note in `line.powers` where it is longer by that.

    Python's own ^ is another operator, which binds weaker than +.
    """
    text = line.text
    pieces: list[str] = []
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
        pieces += [before, "**"]
        end = match.end()
    line.powers = tuple(map(tuple, powers))
    return "".join([*pieces, text[end:]])


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
