"""Edit a text's blocks to match edited regions and groups: only heads and indentation change."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from autodiff_viz.graph.model import Frame, Graph
from autodiff_viz.language.parse import parse_with_spans
from autodiff_viz.language.printer.heads import show_head
from autodiff_viz.language.printer.layout import INDENT, Chains, chains, text_order
from autodiff_viz.language.source.scanner import LogicalLine, scan
from autodiff_viz.language.source.syntax import parse_line
from autodiff_viz.language.unrolling.unroll import opens_block


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement with the comments and empty lines above it.

    Attributes:
      lines: of text.
      indent: characters of indentation of the statement.
      frames: names of the frames around it, the outermost first.
      place: its place in the order of the new text.
    """

    lines: tuple[str, ...]
    indent: int
    frames: tuple[str, ...]
    place: int


def reblocked(text: str, graph: Graph) -> str | None:
    """Rewrite the blocks of `text`, which matches `graph` but for regions and groups, as in `graph`.

    Returns:
      The text; None where lines would have to be split.
    """
    around = chains(graph)
    found = _pieces(text, graph, around)
    if found is None:
        return None
    pieces, heads, rest = found
    if _splits(pieces):
        pieces = sorted(pieces, key=lambda piece: piece.place)
    frames = {frame.name: frame for frame in graph.frames}
    return "\n".join([*_lines(pieces, frames, heads), *rest])


def _pieces(text: str, graph: Graph, around: Chains) -> tuple[list[Piece], dict[str, str], list[str]] | None:
    """Return the statements, the heads of blocks by name, and the text below the last statement."""
    source, spans = text.split("\n"), parse_with_spans(text)[1]
    names: dict[int, list[str]] = {}
    for name, span in spans.items():
        names.setdefault(span.line, []).append(name)
    order = {node.name: i for i, node in enumerate(text_order(graph, around))}
    pieces: list[Piece] = []
    heads: dict[str, str] = {}
    start = 0  # first line above the next statement
    above: list[str] = []
    for line in scan(text).lines:
        first, last = line.number - 1, line.number + line.text.count("\n")
        above += source[start:first]
        start = last
        statements = parse_line(line)
        if opens_block(statements):
            return None  # its lines stand for several nodes each
        if len(statements) != 1 or (isinstance(statements[0], ast.With) and not line.text.endswith(":")):
            return None
        if isinstance(statements[0], ast.With):
            heads |= _head(line, statements[0], source[first:last])
        elif not isinstance(statements[0], ast.Pass | ast.Expr):
            inside = [name for number in range(first + 1, last + 1) for name in names.get(number, ())]
            if len({around[name] for name in inside}) > 1:
                return None
            place = max((order[name] for name in inside), default=len(order))
            frames = around[inside[0]] if inside else ()
            pieces.append(Piece((*above, *source[first:last]), line.indent, frames, place))
            above = []
    return pieces, heads, [*above, *source[start:]]


def _head(line: LogicalLine, statement: ast.With, source: list[str]) -> dict[str, str]:
    """Return the author's own head of a block, if it is one line with one frame."""
    call = statement.items[0].context_expr
    if len(statement.items) > 1 or len(source) > 1 or not isinstance(call, ast.Call):
        return {}
    name = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
    return {name: source[0][line.indent :]} if isinstance(name, str) else {}


def _splits(pieces: list[Piece]) -> bool:
    """Return whether a frame is left and entered again."""
    seen: set[str] = set()
    before: tuple[str, ...] = ()
    for piece in pieces:
        if seen.intersection(set(piece.frames) - set(before)):
            return True
        seen.update(piece.frames)
        before = piece.frames
    return False


def _lines(pieces: list[Piece], frames: Mapping[str, Frame], heads: Mapping[str, str]) -> list[str]:
    found: list[str] = []
    begun: set[str] = set()
    current: tuple[str, ...] = ()
    for piece in pieces:
        same = 0
        while same < min(len(current), len(piece.frames)) and current[same] == piece.frames[same]:
            same += 1
        lines = list(piece.lines)
        while lines and not lines[0].strip() and same < len(piece.frames):
            found.append(lines.pop(0))
        for depth, name in enumerate(piece.frames[same:], same):
            usual = show_head(frames[name], name in begun)
            kept = heads.get(name, "") if name not in begun else ""
            found.append(INDENT * depth + (kept if kept.partition("#")[0].rstrip() == usual else usual))
            begun.add(name)
        indent = INDENT * len(piece.frames)
        found.extend(indent + _unindented(line, piece.indent) if line.strip() else line for line in lines)
        current = piece.frames
    return found


def _unindented(line: str, indent: int) -> str:
    return line[min(indent, len(line) - len(line.lstrip())) :]
