"""Stand in for the judge until it is there."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.asking.question import (
    ALL_COTANGENTS,
    ALL_VALUES,
    COTANGENT,
    PASSED,
    VALUE,
    Asking,
    Question,
)
from autodiff_viz.engine.trace import Place, Trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem


@dataclass(frozen=True, slots=True)
class Judgement:
    """Say how an answer was judged."""

    right: bool
    near: bool
    read_as: str
    accepted: str
    mistake: str
    wire: tuple[str, int] | None
    says: str
    reason: str


def judge(trace: Trace, question: Question, answer: str, pinned: Trace | None = None) -> Judgement:
    """Judge an answer."""
    about = question.about
    true = {VALUE: trace.value, COTANGENT: trace.cotangent}.get(about.of, {}).get(about.node)
    if about.of == PASSED:
        true = trace.passed[about.node, about.slot]
    if question.kind == "number":
        try:
            number = float(answer.replace("\u2212", "-"))
        except ValueError:
            raise GraphError(Problem("bad-answer", f"{answer!r} is no number.", "Type one.")) from None
        right = abs(number - float(true)) <= 0.01 * abs(float(true))
        return Judgement(
            right, False, f"read as {answer}", f"{float(true):g}", "", None, "Not so.", "It is so."
        )
    right = (answer == "zero") == (not true.any())
    return Judgement(right, False, answer, "", "", None, "Not so.", "It is so.")


def form_of(question: Question, graph: Graph) -> dict:
    """Return what can be answered."""
    if question.kind == "number":
        return {"form": "number", "count": 1}
    words = [["zero"], ["not zero"]] if question.kind == "zero" else [["positive"], ["negative"], ["zero"]]
    return {"form": "choice", "choices": [{"choice": w[0], "words": w} for w in words]}


def words_of(question: Question) -> str:
    """Word a question."""
    return f"What is the {question.about.of} of {question.about.node}?"


def hidden(graph: Graph, asking: Asking) -> frozenset[Place]:
    """Return what is hidden."""
    places: set[Place] = set()
    for node in graph.nodes:
        if asking.hides == ALL_VALUES:
            places.add((VALUE, node.name))
        if asking.hides in (ALL_VALUES, ALL_COTANGENTS):
            places.add((COTANGENT, node.name))
            places |= {(PASSED, node.name, slot) for slot, _ in node.wires}
    for asked in asking.asked:
        about = asked.question.about
        own = (about.of, about.node) if about.of != PASSED else (PASSED, about.node, about.slot)
        if asked.revealed:
            places.discard(own)
            continue
        places.add(own)
        if about.of == COTANGENT:
            for node in graph.nodes:
                places |= {(PASSED, node.name, slot) for slot, name in node.wires if name == about.node}
    return frozenset(places)
