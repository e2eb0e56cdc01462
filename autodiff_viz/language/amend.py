"""Edit a formula text minimally to match an edited graph; the author's comments and spacing stay."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate

from autodiff_viz.graph.model import Frame, Graph
from autodiff_viz.graph.order import consumers, order
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse, parse_with_spans
from autodiff_viz.language.printer import INDENT, Chains, chains, text_order
from autodiff_viz.language.scanner import LogicalLine, Span, scan
from autodiff_viz.language.show import show_expressions, show_head, show_with_spans
from autodiff_viz.language.syntax import parse_line
from autodiff_viz.language.unroll import opens_block

# Edit a text's blocks to match edited regions and groups: only heads and indentation change.


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


_TARGET = re.compile(r"(\w+)\s*=(?!=)", re.ASCII)
_RETURN = re.compile(r"^return\b.*\n", re.MULTILINE)


def amended(text: str, graph: Graph) -> str | None:
    """Rewrite the pieces of `text` whose nodes differ in `graph`.

    Returns:
      A text that parses to `graph`, with lines added for new nodes; None where another piece would have to
        change, such as one line in the body of a loop.
    """
    try:
        said = parse(text, graph)
        if said == graph:
            return text
        if said.by_name.keys() != graph.by_name.keys():
            alike = said.by_name.keys() & graph.by_name.keys()
            return _with_other_frames(text, said, graph) if alike else None
        if set(said.frames) != set(graph.frames):
            blocks = reblocked(text, replace(said, regions=graph.regions, groups=graph.groups))
            return None if blocks is None else _amended_lines(blocks, graph)
        return _amended_lines(text, graph)
    except GraphError:
        return None


def _amended_lines(text: str, graph: Graph) -> str | None:
    """Rewrite the pieces of `text`, whose blocks match `graph`, that have changed nodes."""
    said, places = parse_with_spans(text, graph)
    shown, models = show_with_spans(graph)
    changed = [node.name for node in graph.nodes if node != said[node.name]]
    found = _with_pieces(text, [places[name] for name in changed], shown, [models[n] for n in changed])
    return found if parse(found, graph) == graph else None


def _with_other_frames(text: str, said: Graph, graph: Graph) -> str | None:
    """Do `_with_other_nodes`, then write the heads of regions and groups that came with the new nodes."""
    known = {frame.name for frame in said.frames}
    regions = tuple(region for region in graph.regions if region.name in known)
    groups = tuple(group for group in graph.groups if group.name in known)
    found = _with_other_nodes(text, said, replace(graph, regions=regions, groups=groups))
    if found is None or len(regions) + len(groups) == len(graph.frames):
        return found
    blocks = reblocked(found, graph)
    return blocks if blocks is not None and parse(blocks, graph) == graph else None


def _with_other_nodes(text: str, said: Graph, graph: Graph) -> str | None:
    """Drop the lines of removed nodes, add lines for new ones, and rewrite the pieces of changed ones."""
    text = _RETURN.sub("", text.rstrip("\n") + "\n")
    places, here, source = parse_with_spans(text, graph)[1], _starts(text), text.split("\n")
    begins = {at + len(line) - len(line.lstrip()) for at, line in zip(here, source, strict=False)}
    inside = {name for name in places if _range(here, places[name])[0] not in begins}
    new = [node.name for node in order(graph) if node.name not in said]
    unnamed = _unnamed(graph, new)
    shown = show_expressions(graph, (graph.by_name.keys() & inside) | unnamed)
    lines = {name for name in places if _assigns(text, _range(here, places[name])[0], name)}
    changed = [node.name for node in graph.nodes if node.name in said and node != said[node.name]]
    edits = [
        (*_range(here, places[name]), f"{name} = {shown[name]}" if name in lines else shown[name])
        for name in changed
    ]
    gone = lines - graph.by_name.keys()
    edits += [(here[places[name].line - 1], here[places[name].end_line], "") for name in gone]
    if new:
        readers = {name: here[_outermost(source, places[name].line)] for name in changed}
        at = _insertions(graph, new, readers, len(text))
        edits += [(at[name], at[name], f"{name} = {shown[name]}\n") for name in new if name not in unnamed]
    found = _spliced(text, edits)
    if parse(found, graph).output != graph.output:
        found += f"return {graph.output}\n"
    return found if parse(found, graph) == graph else None


def _unnamed(graph: Graph, names: Iterable[str]) -> set[str]:
    """Return those of the nodes that the canonical text shows inside the expression of their only reader."""
    shown, models = show_with_spans(graph)
    starts = _starts(shown)
    return {name for name in names if not _assigns(shown, _range(starts, models[name])[0], name)}


def _assigns(text: str, at: int, name: str) -> bool:
    match = _TARGET.match(text, at)
    return match is not None and match[1] == name


def _insertions(graph: Graph, new: list[str], readers: dict[str, int], end: int) -> dict[str, int]:
    """Return, for each new node, the offset at which its line is inserted: above its readers, or the end.

    Args:
      new: in topological order.
      readers: changed nodes, with the offsets of the lines above which their producers must be.
    """
    at, read = dict(readers), consumers(graph)
    for name in reversed(new):
        at[name] = min((at[reader] for reader, _ in read[name] if reader in at), default=end)
    return at


def _cut(text: str, starts: list[int], span: Span) -> str:
    first, last = _range(starts, span)
    return text[first:last]


def _outermost(lines: list[str], number: int) -> int:
    """Return the index of the line with that number, or of the head of the outermost block around it."""
    at = number - 1
    while at and lines[at][:1] in (" ", "\t", ""):
        at -= 1
    return at


def _spliced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Replace the pieces from first to last by texts; inner pieces go with outer ones."""
    pieces, end = [], 0
    for first, last, piece in sorted(edits, key=lambda edit: (edit[0], edit[0] != edit[1], -edit[1])):
        if first >= end:
            pieces += [text[end:first], piece]
            end = last
    return "".join([*pieces, text[end:]])


def _with_pieces(text: str, places: Iterable[Span], shown: str, models: Iterable[Span]) -> str:
    """Replace each place in `text` by its model in `shown`; inner places go with outer ones."""
    here, there = _starts(text), _starts(shown)
    pairs = zip(places, models, strict=True)
    return _spliced(text, [(*_range(here, place), _cut(shown, there, model)) for place, model in pairs])


def _starts(text: str) -> list[int]:
    """Return the offset of each line."""
    return list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))


def _range(starts: list[int], span: Span) -> tuple[int, int]:
    return starts[span.line - 1] + span.column, starts[span.end_line - 1] + span.end_column
