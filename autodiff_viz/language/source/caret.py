"""Mark source spans: problems carry the line with a row of carets under the span."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from autodiff_viz.graph.problem import Correction, Problem

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
    caret = _caret(text, column, end)
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


def _caret(text: str, column: int, end: int) -> str:
    start = max(0, min(column - WINDOW // 3, len(text) - WINDOW))
    shown = "".join(c if c.isprintable() else " " for c in text[start : start + WINDOW])
    lead = "..." if start else ""
    tail = "..." if start + WINDOW < len(text) else ""
    width = max(1, min(end, start + WINDOW) - column)
    return f"{lead}{shown}{tail}\n{' ' * (len(lead) + column - start)}{'^' * width}"
