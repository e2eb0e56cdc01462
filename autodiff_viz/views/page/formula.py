"""Collect the data of the formula editor: text, mistakes, and positions of nodes in the text. JSON-safe.

ui/formula/web/types.js describes the fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.registries.rule_kinds import KINDS
from autodiff_viz.language.expressions.fills import FILLS
from autodiff_viz.language.parse import parse_with_spans
from autodiff_viz.language.printer.shadows import shadows
from autodiff_viz.language.readings import readings
from autodiff_viz.language.source.caret import Span
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.views.lab import Lab, formula_text, written

MARKED = 200  # limit of problems marked in the text; a graph of empty slots has thousands
REMEMBERED = 16  # texts whose spans are memoised, those of recent visitors

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
    spans = _places(lab)
    placed = [(spans[p.node], p.message) for p in islice(problems, MARKED) if p.node in spans]
    doubted = [(spans[s.node], str(s)) for s in shadows(lab.graph) if s.node in spans]
    return {
        "document": lab.document,
        "text": formula_text(lab),
        "mistakes": [_mistake(problem) for problem in lab.mistakes],
        "marks": [{**_place(span), "message": message} for span, message in placed],
        "notes": [{**_place(span), "message": message} for span, message in doubted],
        "readings": list(_readings(lab)),
        "selected": _place(spans[lab.selected]) if lab.selected in spans else None,
    }


def _mistake(problem: Problem) -> dict[str, Any]:
    """Return a problem of the draft as data, with its place if it has one."""
    found: dict[str, Any] = {"message": problem.message, "hint": problem.hint}
    if problem.correction:
        label, line, column, end_line, end_column, text = problem.correction
        found["correction"] = {
            "label": label,
            "text": text,
            **_place(Span(line, column, end_line, end_column)),
        }
    if problem.line is None:
        return found
    return {**found, **_place(Span(problem.line, problem.column, problem.line, problem.end_column))}


def _place(span: Span) -> dict[str, int]:
    """Return a span as data."""
    return {"line": span.line, "column": span.column, "endLine": span.end_line, "endColumn": span.end_column}


def _places(lab: Lab) -> Mapping[str, Span]:
    """Return the spans of nodes in the text; none in a draft. The author's own text is parsed for them."""
    if lab.draft is not None:
        return {}
    text = lab.history.present.text
    return written(lab.graph)[1] if text is None else _spans(text)


def _readings(lab: Lab) -> tuple[str, ...]:
    """Return how the author's text is read; nothing of a draft, whose mistakes come first."""
    text = lab.history.present.text
    return () if text is None or lab.draft is not None else _read_as(text)


@remembered(REMEMBERED)
def _read_as(text: str) -> tuple[str, ...]:
    """Memoise `readings`."""
    return readings(text)


@remembered(REMEMBERED)
def _spans(text: str) -> Mapping[str, Span]:
    """Parse a text for the spans of its nodes; memoised."""
    try:
        return MappingProxyType(parse_with_spans(text)[1])
    except GraphError:
        return MappingProxyType({})


def words() -> list[dict[str, str]]:
    """Return the completions of the editor other than names in the text, with one line about each."""
    ops = {INPUT: INPUT_DOC, **FILLS} | {op.name: op.documented() for op in OPS.values()}
    kinds = {"wrapper": WRAPPERS, "op": ops}
    return [{"word": word, "kind": kind, "doc": doc} for kind in kinds for word, doc in kinds[kind].items()]
