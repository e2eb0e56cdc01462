"""Edit a formula text minimally to match an edited graph; the author's comments and spacing stay."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate

from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.structure.order import consumers, order
from autodiff_viz.language.parse import parse, parse_with_spans
from autodiff_viz.language.show import show_expressions, show_with_spans
from autodiff_viz.language.source.caret import Span
from autodiff_viz.language.text_edits.reblock import reblocked

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
