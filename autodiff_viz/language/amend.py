"""Edit a formula text minimally to match an edited graph; the author's comments and spacing stay."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import consumers, order
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse, parse_with_spans
from autodiff_viz.language.printer import INDENT, Chains, chains, text_order
from autodiff_viz.language.scanner import Span, scan
from autodiff_viz.language.show import show_expressions, show_head, show_with_spans
from autodiff_viz.language.syntax import parse_line
from autodiff_viz.language.unroll import opens_block

# Blocks: to match edited regions and groups, only heads and indentation change.


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
    parts = _pieces(text, graph, around)
    if parts is None:
        return None
    pieces, heads, rest = parts
    # The author's order stays, but where it would leave a frame and enter it again.
    in_turn = [(), *(piece.frames for piece in pieces)]
    entered = [name for before, frames in pairwise(in_turn) for name in frames if name not in before]
    if len(set(entered)) < len(entered):
        pieces.sort(key=lambda piece: piece.place)
    frames = {frame.name: frame for frame in graph.frames}
    lines: list[str] = []
    begun: set[str] = set()
    current: tuple[str, ...] = ()
    for piece in pieces:
        same = 0
        while same < min(len(current), len(piece.frames)) and current[same] == piece.frames[same]:
            same += 1
        own = list(piece.lines)
        # Empty lines above a statement stay above the head of its new block.
        while own and not own[0].strip() and same < len(piece.frames):
            lines.append(own.pop(0))
        for depth, name in enumerate(piece.frames[same:], same):
            usual = show_head(frames[name], name in begun)
            # The author's own head is kept, with its comment, if it says the same.
            kept = heads.get(name, "") if name not in begun else ""
            lines.append(INDENT * depth + (kept if kept.partition("#")[0].rstrip() == usual else usual))
            begun.add(name)
        for line in own:
            # A comment or a continued line may be indented less than its statement.
            spaces = min(piece.indent, len(line) - len(line.lstrip()))
            lines.append(INDENT * len(piece.frames) + line[spaces:] if line.strip() else line)
        current = piece.frames
    return "\n".join([*lines, *rest])


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
            items = statements[0].items
            call = items[0].context_expr
            # A head of several frames, or on several lines, is written anew.
            if len(items) == 1 and last == first + 1 and isinstance(call, ast.Call) and call.args:
                name = getattr(call.args[0], "value", None)
                if isinstance(name, str):
                    heads[name] = source[first][line.indent :]
        elif not isinstance(statements[0], ast.Pass | ast.Expr):
            inside = [name for number in range(first + 1, last + 1) for name in names.get(number, ())]
            if len({around[name] for name in inside}) > 1:
                return None
            place = max((order[name] for name in inside), default=len(order))
            frames = around[inside[0]] if inside else ()
            pieces.append(Piece((*above, *source[first:last]), line.indent, frames, place))
            above = []
    return pieces, heads, [*above, *source[start:]]


# Expressions: the pieces of changed nodes are replaced, lines are dropped or added.


_TARGET = re.compile(r"(\w+)\s*=(?!=)", re.ASCII)
_RETURN = re.compile(r"^return\b.*\n", re.MULTILINE)


def amended(text: str, graph: Graph) -> str | None:
    """Rewrite the pieces of `text` whose nodes differ in `graph`.

    Returns:
      A text that parses to `graph`, with lines added for new nodes; None where another piece would have to
        change, such as one line in the body of a loop.
    """
    try:
        parsed = parse(text, graph)
        if parsed == graph:
            return text
        if parsed.by_name.keys() != graph.by_name.keys():
            alike = parsed.by_name.keys() & graph.by_name.keys()
            # Without a node in common it is another text altogether.
            return _with_other_frames(text, parsed, graph) if alike else None
        if set(parsed.frames) != set(graph.frames):
            blocks = reblocked(text, replace(parsed, regions=graph.regions, groups=graph.groups))
            return None if blocks is None else _amended_lines(blocks, graph)
        return _amended_lines(text, graph)
    except GraphError:  # the text has mistakes, or would have
        return None


def _amended_lines(text: str, graph: Graph) -> str | None:
    """Rewrite the pieces of `text`, whose blocks match `graph`, that have changed nodes."""
    parsed, places = parse_with_spans(text, graph)
    shown, models = show_with_spans(graph)
    starts, shown_starts = _starts(text), _starts(shown)
    edits = []
    for name in [node.name for node in graph.nodes if node != parsed[node.name]]:
        first, last = _range(shown_starts, models[name])
        edits.append((*_range(starts, places[name]), shown[first:last]))
    new = _spliced(text, edits)
    return new if parse(new, graph) == graph else None


def _with_other_frames(text: str, parsed: Graph, graph: Graph) -> str | None:
    """Do `_with_other_nodes`, then write the heads of regions and groups that came with the new nodes."""
    known = {frame.name for frame in parsed.frames}
    regions = tuple(region for region in graph.regions if region.name in known)
    groups = tuple(group for group in graph.groups if group.name in known)
    new = _with_other_nodes(text, parsed, replace(graph, regions=regions, groups=groups))
    if new is None or len(regions) + len(groups) == len(graph.frames):
        return new
    blocks = reblocked(new, graph)
    return blocks if blocks is not None and parse(blocks, graph) == graph else None


def _with_other_nodes(text: str, parsed: Graph, graph: Graph) -> str | None:
    """Drop the lines of removed nodes, add lines for new ones, and rewrite the pieces of changed ones."""
    text = _RETURN.sub("", text.rstrip("\n") + "\n")
    places, starts, source = parse_with_spans(text, graph)[1], _starts(text), text.split("\n")
    begins = {at + len(line) - len(line.lstrip()) for at, line in zip(starts, source, strict=False)}
    inside = {name for name in places if _range(starts, places[name])[0] not in begins}
    new = [node.name for node in order(graph) if node.name not in parsed]
    # A new node gets no line of its own where the canonical text has it inside its only reader's expression.
    canonical, models = show_with_spans(graph)
    canonical_starts = _starts(canonical)
    unnamed = {
        name for name in new if not _assigns(canonical, _range(canonical_starts, models[name])[0], name)
    }
    shown = show_expressions(graph, (graph.by_name.keys() & inside) | unnamed)
    lines = {name for name in places if _assigns(text, _range(starts, places[name])[0], name)}
    changed = [node.name for node in graph.nodes if node.name in parsed and node != parsed[node.name]]
    edits = [
        (*_range(starts, places[name]), f"{name} = {shown[name]}" if name in lines else shown[name])
        for name in changed
    ]
    gone = lines - graph.by_name.keys()
    edits += [(starts[places[name].line - 1], starts[places[name].end_line], "") for name in gone]
    if new:
        at: dict[str, int] = {}  # offset above which the line of what a node reads is inserted
        for name in changed:
            row = places[name].line - 1
            while row and source[row][:1] in (" ", "\t", ""):
                row -= 1  # above the head of the outermost block, so that the new line is in none
            at[name] = starts[row]
        read = consumers(graph)
        # From the last to the first, so that the readers of a node have their offsets before it.
        for name in reversed(new):
            at[name] = min((at[reader] for reader, _ in read[name] if reader in at), default=len(text))
        edits += [(at[name], at[name], f"{name} = {shown[name]}\n") for name in new if name not in unnamed]
    amended_text = _spliced(text, edits)
    if parse(amended_text, graph).output != graph.output:
        amended_text += f"return {graph.output}\n"
    return amended_text if parse(amended_text, graph) == graph else None


def _assigns(text: str, at: int, name: str) -> bool:
    match = _TARGET.match(text, at)
    return match is not None and match[1] == name


def _spliced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Replace the pieces from first to last by texts; inner pieces go with outer ones."""
    pieces, end = [], 0
    for first, last, piece in sorted(edits, key=lambda edit: (edit[0], edit[0] != edit[1], -edit[1])):
        if first >= end:
            pieces += [text[end:first], piece]
            end = last
    return "".join([*pieces, text[end:]])


def _starts(text: str) -> list[int]:
    """Return the offset of each line."""
    return list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))


def _range(starts: list[int], span: Span) -> tuple[int, int]:
    return starts[span.line - 1] + span.column, starts[span.end_line - 1] + span.end_column
