"""Read and write the comment with canvas positions: `# positions: x 0 40, sin_1 120 40`."""

from __future__ import annotations

from collections.abc import Iterable

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Node
from autodiff_viz.graph.problem import Problem
from autodiff_viz.language.source.caret import Span, problem_at
from autodiff_viz.language.source.scanner import POSITIONS, Source

_LONG = limits.LINE - 4 * limits.NAME  # a new comment line begins beyond this length


def read_positions(source: Source, problems: list[Problem]) -> dict[str, tuple[float, float]]:
    """Read the positions by node name, in pixels; malformed entries are added to `problems`."""
    found: dict[str, tuple[float, float]] = {}
    for number, text in source.positions:
        start = text.index(POSITIONS) + len(POSITIONS)
        for entry in text[start:].split(","):
            words = entry.split()
            position = _position(words)
            if position:
                found[words[0]] = position
            elif words:
                span = Span(number, start, number, start + len(entry))
                message = "A position is a name and two numbers, at most a million."
                hint = f"Write {POSITIONS} x 0 40, y 120 40 or delete the comment."
                problems.append(problem_at(source.text, span, "positions", message, hint))
                if len(problems) >= limits.PROBLEMS:
                    return found
            start += len(entry) + 1
    return found


def _position(words: list[str]) -> tuple[float, float] | None:
    try:
        _, left, top = words
        position = _number(left), _number(top)
    except ValueError:
        return None
    return position if all(abs(c) <= limits.COORDINATE for c in position) else None  # False for NaN too


def show_positions(nodes: Iterable[Node]) -> list[str]:
    """Write the comment, as several lines where one would be too long; [] when no node has a position."""
    lines: list[str] = []
    for node in nodes:
        if node.position is None:
            continue
        entry = f"{node.name} {node.position[0]!r} {node.position[1]!r}"
        if lines and len(lines[-1]) < _LONG:
            lines[-1] += f", {entry}"
        else:
            lines.append(f"{POSITIONS} {entry}")
    return lines


def _number(text: str) -> float:
    """Read a whole number as an int, so that positions are read back as they were written."""
    return int(text) if text.lstrip("-").isdecimal() else float(text)
