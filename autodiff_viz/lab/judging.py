"""Compare answers with the hidden numbers, and describe the questions for the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from autodiff_viz.asking.case import array_of
from autodiff_viz.asking.judge import Judgement, feedback_table, judge
from autodiff_viz.asking.question import (
    ALL_COTANGENTS,
    CAUSE,
    NUMBER,
    TRIES,
    UNKNOWN,
    Asked,
    Quantity,
    Question,
)
from autodiff_viz.asking.summary import name_in_line, summary, words_in_line
from autodiff_viz.asking.words import form_of, hint_of, question_words
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.explanation import Twin
from autodiff_viz.explain.sweep.compute import scalar_inputs
from autodiff_viz.graph.edits import with_param
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import listed, scalar
from autodiff_viz.lab.asking import ask, asking_of, missing, numbers_key, with_asked
from autodiff_viz.lab.evaluate import Evaluated, LabView, evaluated, evaluated_at
from autodiff_viz.lab.lessons import open_lesson, with_answers
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.lab.training import moment
from autodiff_viz.lessons import gallery

NAMED = 200  # nodes of which a field knows the names
NAMED_INPUTS = 3  # inputs that have moved since an answer
NO_NUMBERS = Problem(
    "nothing-to-judge", "The graph has no numbers to judge an answer by.", "Complete it, then answer."
)


def asked_of(lab: Lab, questions: Sequence[Question], hides: str = ALL_COTANGENTS) -> Lab:
    """Return the lab with these questions, each of which can be judged by the numbers on view.

    Raises:
      GraphError: as `ask`; or a question does not fit the number that it is about.
    """
    after = ask(lab, questions, hides)
    result = _numbers(lab)
    if result.complete and result.trace is not None:
        beside = beside_of(lab)
        for question in (each for each in questions if not missing(after, each)):
            feedback_table(result.trace, question, beside)
    return after


def answered(lab: Lab, at: int, text: str) -> Lab:
    """Return the lab with an answer to a question, and what follows: after the last try the number is shown.

    An answer to a question that is not there, or has been answered, changes nothing.

    Raises:
      GraphError: the answer cannot be read, which is no try; or the graph has no numbers.
    """
    asking = asking_of(lab)
    if asking is None or not 0 <= at < len(asking.asked) or asking.asked[at].revealed:
        return lab
    asked = asking.asked[at]
    if missing(lab, asked.question):
        return lab
    now, text = numbers_key(lab, asked.question), text.strip()
    tries = asked.tries if asked.of == now else ()  # those about other numbers have been judged by them
    last, right = text == UNKNOWN, None
    if not last:
        result = _numbers(lab)
        if not result.complete or result.trace is None:
            raise GraphError(NO_NUMBERS)
        judged = judge(result.trace, asked.question, text, beside_of(lab))
        # Nearly right is told what is accepted, so there is nothing left to try.
        last = judged.right or judged.near or judged.unknown or len(tries) + 1 >= TRIES
        right = judged.right if last and not (judged.near or judged.unknown) else None
    said = {"tries": (*tries, text), "revealed": last, "of": now, "right": right}
    return with_asked(lab, at, lambda asked: replace(asked, **said, inputs=_inputs(lab.graph)))


def _inputs(graph: Graph) -> tuple[tuple[str, float], ...]:
    """Return the scalar inputs with their values."""
    return tuple((name, float(graph[name].param("value"))) for name in scalar_inputs(graph))


def _numbers(lab: Lab) -> Evaluated:
    at = moment(lab)
    return (evaluated_at(lab, at) if at else None) or evaluated(lab)


def beside_of(lab: Lab) -> Twin | None:
    """Return the pinned graph's numbers; None without one, or if it cannot run."""
    if lab.pinned is None:
        return None
    try:
        return Twin(trace(lab.pinned.graph, seed=lab.seed, dtype=lab.dtype), lab.pinned.letter)
    except GraphError:
        return None


# What the browser shows


def asking_data(lab: Lab, view: LabView) -> dict[str, Any] | None:
    """Return the questions for the browser; None while nothing is asked.

    `at` is the index of the first question that is still to be answered. What is said of a question holds
    nothing of what is hidden: the number, what is accepted and the reason come once it is revealed.
    """
    asking = asking_of(lab)
    if asking is None:
        return None
    run = view.evaluated.trace if view.whole else None
    beside = beside_of(lab) if any(asked.tries or asked.revealed for asked in asking.asked) else None
    keys = [numbers_key(lab, asked.question) for asked in asking.asked]
    judged = [_judgements(asked, now, run, beside) for asked, now in zip(asking.asked, keys, strict=True)]
    each = zip(asking.asked, keys, judged, strict=True)
    items = [_item(lab, asked, now, run, beside, said) for asked, now, said in each]
    waiting = [i for i, item in enumerate(items) if not (item["revealed"] or item["gone"])]
    data = {
        "hides": asking.hides,
        "items": items,
        "at": waiting[0] if waiting else None,
        "hiding": view.hiding,
    }
    if not waiting and any(item["revealed"] for item in items):
        moved = any(asked.of != now for asked, now in zip(asking.asked, keys, strict=True))
        own = _own_results(lab).get(lab.variant) if moved else None  # a try may have changed the graph since
        data["summary"] = own or summary(asking, judged, result_title(lab), result_words(lab))
    return data


def result_of(lab: Lab) -> str:
    """Return the result of the open lesson, a line for each graph of it that was answered; "" for none.

    Whatever graph is open, and whatever tries have changed: answers are judged by the lesson's own numbers.
    """
    return "\n".join(_own_results(lab).values())


def _own_results(lab: Lab) -> dict[int, str]:
    """Return, by index of a graph of the open lesson, the result of the answers to it."""
    lesson, lines = gallery.lesson(lab.lesson), {}
    asking = [] if lesson is None else [at for at, step in enumerate(lesson.steps) if step.questions]
    for at in asking:
        own = with_answers(open_lesson(start(), lesson.key, at), [*(old for _, old in lab.aside), lab])
        run = _numbers(own).trace
        if run is None or not all(asked.revealed for asked in own.asking.asked):
            continue
        beside = beside_of(own)
        judged = [_judgements(asked, asked.of, run, beside) for asked in own.asking.asked]
        lines[at] = summary(own.asking, judged, lesson.key)
    return lines


def result_title(lab: Lab) -> str:
    """Return what a result calls what it is of: a lesson, a step of a tour, or a graph by its output."""
    if lab.lesson or lab.asking is None:
        return lab.lesson or ""
    if lab.tour is not None and (title := name_in_line(lab.tour.title, "")):
        return f"{title[:30]}-{lab.at + 1}"
    questions = tuple(asked.question for asked in lab.asking.asked)
    nodes = tuple((node.name, node.op) for node in lab.graph.nodes)  # a slider's value makes no other graph
    return f"{lab.graph.output}-{blake2b(identity((nodes, questions)), digest_size=2).hexdigest()}"


def result_words(lab: Lab) -> list[str]:
    """Return the words of each question as a result has them; of a lesson, which has them, none."""
    if lab.lesson or lab.asking is None:
        return []
    graph, letter = played(lab.graph), lab.pinned.letter if lab.pinned else "A"
    gone = (bool(missing(lab, asked.question)) for asked in lab.asking.asked)
    return [
        words_in_line(asked.question.words if is_gone else question_words(graph, asked.question, letter))
        for asked, is_gone in zip(lab.asking.asked, gone, strict=True)
    ]


def _judgements(asked: Asked, now: str, run: Trace | None, beside: Twin | None) -> list[Judgement]:
    """Return what is said of each answer; nothing of answers about other numbers."""
    if run is None or asked.of != now:
        return []
    try:
        return [judge(run, asked.question, text, beside) for text in asked.tries]
    except GraphError:  # an answer of a link that cannot be read, or a question that does not fit
        return []


def _item(
    lab: Lab, asked: Asked, now: str, run: Trace | None, beside: Twin | None, judged: Sequence[Judgement]
) -> dict[str, Any]:
    """Return one question."""
    question = asked.question
    gone = missing(lab, question)
    here = not gone
    graph = played(lab.graph)
    says = question_words(graph, question, lab.pinned.letter if lab.pinned else "A") if here else ""
    form = _form(graph, question, run) if here else None
    data: dict[str, Any] = {
        "kind": question.kind,
        **_place(question.about),
        "other": question.other and [question.other.node, question.other.slot],
        "words": question.words or None,
        "says": says or question.words or "A question about what the graph no longer has.",
        "form": form,
        "hint": form and hint_of(form, question),
        "options": list(question.options) or None,
        "own": bool(question.right) or None,
        "tries": list(asked.tries),
        "revealed": asked.revealed or None,
        "gone": gone or None,
    }
    if asked.tries and asked.of != now and asked.tries[-1] != UNKNOWN:
        data["before"] = _before(lab, asked)
    if here and run is not None and asked.revealed and asked.of == now:
        data |= _answer_data(run, question, beside)
    if judged:
        data["verdict"] = _verdict(judged[-1])
    return data


def _before(lab: Lab, asked: Asked) -> str:
    """Return what is said of an answer about other numbers: whether it was right, and with which inputs."""
    answer = asked.tries[-1]
    if not asked.revealed or asked.right is None:
        return f"Your answer, {answer}, was about the graph before."
    now = dict(_inputs(lab.graph))
    moved = [(name, value) for name, value in asked.inputs if name in now and now[name] != value]
    graph = lab.graph
    for name, value in moved:
        graph = with_param(graph, name, "value", value)
    there = replace(lab, history=replace(lab.history, present=lab.history.present._replace(graph=graph)))
    was = "right" if asked.right else "not right"
    answer = answer.replace("-", "\u2212") if asked.question.kind == NUMBER else answer
    if 0 < len(moved) <= NAMED_INPUTS and asked.of == numbers_key(there, asked.question):
        inputs = listed([f"{name} = {scalar(value)}" for name, value in moved])
        return f"You were {was} ({answer}), with {inputs}."
    return f"You were {was} ({answer}), before the graph was changed."


def _form(graph: Graph, question: Question, run: Trace | None) -> dict[str, Any]:
    """Return what can be typed; without the names of a large graph's nodes."""
    if question.kind == CAUSE and len(graph.nodes) > NAMED:
        return {"form": "choice", "choices": [], "number": ""}
    count = 1
    is_whole = question.is_of_numbers and question.about.element is None
    if question.kind == NUMBER and is_whole and run is not None:
        try:
            count = int(array_of(run, question.about).size)
        except GraphError:
            count = 1
    return dict(form_of(graph, question, count))


def _place(about: Quantity) -> dict[str, Any]:
    element = None if about.element is None else list(about.element)
    return {"of": about.of, "node": about.node, "slot": about.slot, "element": element}


def _verdict(judged: Judgement) -> dict[str, Any]:
    """Return what is said of an answer."""
    wire = judged.wire and f"{judged.wire[0]}:{judged.wire[1]}"
    return {
        "right": judged.right,
        "near": judged.near,
        "readAs": judged.read_as,
        "says": judged.says,
        "wire": wire,
        "mistake": judged.mistake or None,
    }


def _answer_data(run: Trace, question: Question, beside: Twin | None) -> dict[str, Any]:
    """Return the answer of a question that is revealed: the number, what is accepted, and why."""
    try:
        answer = feedback_table(run, question, beside)["answer"]
    except GraphError:
        return {}
    return {
        "answer": answer["text"],
        "accepted": answer["accepted"] if question.kind == NUMBER else None,
        "reason": answer["reason"],
    }
