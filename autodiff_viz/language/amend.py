"""Minimal edits of a formula text to match an edited graph; the author's comments and spacing stay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate

from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.caret import Span
from autodiff_viz.language.parse import parse, parse_with_spans
from autodiff_viz.language.reblock import reblocked
from autodiff_viz.language.show import show_with_spans


def amended(text: str, graph: Graph) -> str | None:
    """Rewrite the pieces of `text` whose nodes differ in `graph`.

    Returns:
      A text that parses to `graph`; None where nodes were added or removed, or another piece would have to
        change.
    """
    try:
        said = parse(text, graph)
        if said == graph:
            return text
        if said.by_name.keys() != graph.by_name.keys():
            return None
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


def _with_pieces(text: str, places: Iterable[Span], shown: str, models: Iterable[Span]) -> str:
    """Replace each place in `text` by its model in `shown`; inner places go with outer ones."""
    here, there = _starts(text), _starts(shown)
    pairs = [(_range(here, place), _range(there, model)) for place, model in zip(places, models, strict=True)]
    pieces, end = [], 0
    for (first, last), (start, stop) in sorted(pairs, key=lambda pair: (pair[0][0], -pair[0][1])):
        if first >= end:
            pieces += [text[end:first], shown[start:stop]]
            end = last
    return "".join([*pieces, text[end:]])


def _starts(text: str) -> list[int]:
    """Return the offset of each line."""
    return list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))


def _range(starts: list[int], span: Span) -> tuple[int, int]:
    return starts[span.line - 1] + span.column, starts[span.end_line - 1] + span.end_column
