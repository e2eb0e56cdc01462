"""Collect the data of the formula editor: text, mistakes, and positions of nodes in the text. JSON-safe.

web/types.js describes the fields.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import islice
from typing import Any

from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.lab.code import BEING_READ, UNREAD, code_view, known_reading, places_of, unmarked
from autodiff_viz.lab.state import Lab, formula_text, shows_code
from autodiff_viz.language.parse import places_in
from autodiff_viz.language.reader import FILLS
from autodiff_viz.language.readings import readings
from autodiff_viz.language.scanner import Places, Span
from autodiff_viz.language.show import shadows, written
from autodiff_viz.ops.catalog import OPS

MARKED = 200  # limit of problems marked in the text; a graph of empty slots has thousands
REMEMBERED = 16  # texts whose places are memoised, those of recent visitors
NOWHERE = Places({}, {})

INPUT_DOC = "A value with ends for its slider, or a random one: input(1.0, low=0.0, high=5.0)."
WRAPPERS = {
    **{kind.call: f"{kind.does.capitalize()}: {kind.example}." for kind in KINDS.values() if kind.call},
    "bypass": "Mutes an op, which then returns its first wired input: bypass(sin(x)).",
    "cut": "Ends a segment of the graph; changes no number: cut(relu(x)).",
    "checkpoint": 'A block that runs again on the way back: with checkpoint("block"):',
    "group": 'A block that changes no number, only tidies the canvas: with group("layer"):',
    "branches": 'A block of groups beside each other, of which there can be more: with branches("gate"):',
}
"""Words of the language that are no ops, with their descriptions."""


def formula(lab: Lab, problems: Iterable[Problem] = ()) -> dict[str, Any]:
    """Return the editor's data for one state of the lab.

    Args:
      problems: problems of the graph, marked at their nodes in the text; the page lists them elsewhere, as it
        does the notes.
    """
    # The author's own text is parsed for the places; a draft with mistakes has no nodes to point at.
    text, drafting = lab.history.present.text, lab.draft is not None
    code = not drafting and shows_code(lab)
    reading = known_reading(text) if code else None
    places = NOWHERE
    if code:
        places = places_of(text) if reading else NOWHERE
    elif not drafting:
        places = written(lab.graph)[1] if text is None else _read(text)
    mistakes = (reading.refused if reading else (BEING_READ,)) if code else lab.mistakes
    spans = places.spans
    placed = [(spans[p.node], p.message) for p in islice(problems, MARKED) if p.node in spans]
    doubted = [(spans[s.node], str(s)) for s in shadows(lab.graph) if s.node in spans]
    return {
        "document": lab.document,
        "text": formula_text(lab),
        "mistakes": [_mistake(problem) for problem in mistakes if problem.code != BEING_READ.code],
        "being_read": any(problem.code == BEING_READ.code for problem in mistakes),
        "marks": [{**_place(span), "message": message} for span, message in placed],
        "notes": [{**_place(span), "message": message} for span, message in doubted],
        # How the author's text is read; a draft's mistakes come first.
        "readings": [] if text is None or drafting or code else list(_read_as(text)),
        "code": code_view(text, lab.graph, lab.dtype) if code else None,
        **(_written_places(lab.graph, places, formula_text(lab)) if spans else {}),
    }


def _mistake(problem: Problem) -> dict[str, Any]:
    """Return a problem of the draft as data, with its place if it has one."""
    data: dict[str, Any] = {"message": unmarked(problem.message), "hint": unmarked(problem.hint)}
    if problem.code in UNREAD:
        data["again"] = True
    if problem.correction:
        label, line, column, end_line, end_column, text = problem.correction
        data["correction"] = {
            "label": label,
            "text": text,
            **_place(Span(line, column, end_line, end_column)),
        }
    if problem.line is None:
        return data
    return {**data, **_place(Span(problem.line, problem.column, problem.line, problem.end_column))}


def _place(span: Span) -> dict[str, int]:
    """Return a span as data."""
    return {"line": span.line, "column": span.column, "endLine": span.end_line, "endColumn": span.end_column}


@remembered(REMEMBERED)
def _read_as(text: str) -> tuple[str, ...]:
    """Memoise `readings`."""
    return readings(text)


@remembered(REMEMBERED)
def _read(text: str) -> Places:
    """Parse a text for its places; memoised."""
    try:
        return places_in(text)
    except GraphError:
        return NOWHERE


def _key(graph: Graph, places: Places, text: str) -> Hashable:
    return text, tuple([node.name for node in graph.nodes]), tuple([frame.name for frame in graph.frames])


@remembered(REMEMBERED, _key)
def _written_places(graph: Graph, places: Places, text: str) -> dict[str, str]:
    """Write the places of nodes and frames in `text` as two strings, in the order of the drawing's records.

    A node is "3" if the whole of line 3 makes it, "3:8-14" if a part does, "3:8-4:2" over two lines, "" if it
    has no place. A frame is the lines that begin it, "5" or "5,9". A string costs less than a list of lists,
    both to send and to compare, and web/formula/places.js reads it.
    """
    lines = text.split("\n")
    return {
        "places": " ".join([_written_span(places.spans.get(node.name), lines) for node in graph.nodes]),
        "heads": " ".join([",".join(map(str, places.heads.get(frame.name, ()))) for frame in graph.frames]),
    }


def _written_span(span: Span | None, lines: list[str]) -> str:
    """Write one span as text."""
    if span is None:
        return ""
    if span.line != span.end_line:
        return f"{span.line}:{span.column}-{span.end_line}:{span.end_column}"
    line = lines[span.line - 1]
    # A comment behind the node does not count: the node is then the whole of its line.
    around = line[: span.column] + line[span.end_column :].partition("#")[0]
    return f"{span.line}:{span.column}-{span.end_column}" if around.strip() else str(span.line)


def words() -> list[dict[str, str]]:
    """Return the completions of the editor other than names in the text, with one line about each."""
    ops = {INPUT: INPUT_DOC, **FILLS} | {op.name: op.documented() for op in OPS.values()}
    kinds = {"wrapper": WRAPPERS, "op": ops}
    return [{"word": word, "kind": kind, "doc": doc} for kind in kinds for word, doc in kinds[kind].items()]
