"""Judge the visitor's answers by the hidden numbers, and say what the browser shows of the questions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff_viz.asking.question import COTANGENT, PASSED, TRIES, UNKNOWN, VALUE, Asked, Quantity, Question
from autodiff_viz.display.numbers import short
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.asking import asking_of, is_present, numbers_key, with_asked
from autodiff_viz.lab.evaluate import Evaluated, LabView, evaluated, evaluated_at
from autodiff_viz.lab.judge_stand_in import Judgement, form_of, judge, words_of
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.training import moment

DIGITS = 4  # as on the cards
NO_NUMBERS = Problem(
    "nothing-to-judge", "The graph has no numbers to judge an answer by.", "Complete it, then answer."
)


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
    if not is_present(lab.graph, asked.question):
        return lab
    now, text = numbers_key(lab), text.strip()
    tries = asked.tries if asked.of == now else ()  # those about other numbers have been judged by them
    last = text == UNKNOWN
    if not last:
        result = _numbers(lab)
        if not result.complete or result.trace is None:
            raise GraphError(NO_NUMBERS)
        judged = judge(result.trace, asked.question, text, _beside(lab))
        last = judged.right or len(tries) + 1 >= TRIES
    return with_asked(lab, at, lambda asked: replace(asked, tries=(*tries, text), revealed=last, of=now))


def _numbers(lab: Lab) -> Evaluated:
    at = moment(lab)
    return (evaluated_at(lab, at) if at else None) or evaluated(lab)


def _beside(lab: Lab) -> Trace | None:
    """Return the trace of the pinned graph; None without one, or if it cannot run."""
    if lab.pinned is None:
        return None
    try:
        return trace(lab.pinned.graph, seed=lab.seed, dtype=lab.dtype)
    except GraphError:
        return None


# What the browser shows


def asking_data(lab: Lab, view: LabView) -> dict[str, Any] | None:
    """Return the questions for the browser; None while nothing is asked.

    `at` is the index of the first question that is still to be answered. What is said of a question holds
    nothing of what is hidden: the accepted numbers and the reason come once it is revealed.
    """
    asking = asking_of(lab)
    if asking is None:
        return None
    now, run = numbers_key(lab), view.evaluated.trace if view.whole else None
    beside = _beside(lab) if any(asked.tries for asked in asking.asked) else None
    items = [_item(lab, asked, now, run, beside) for asked in asking.asked]
    waiting = [i for i, item in enumerate(items) if not (item.get("revealed") or item.get("gone"))]
    return {
        "hides": asking.hides,
        "items": items,
        "at": waiting[0] if waiting else None,
        "hiding": view.hiding,
    }


def _item(lab: Lab, asked: Asked, now: str, run: Trace | None, beside: Trace | None) -> dict[str, Any]:
    """Return one question; fields that say nothing are left out."""
    question = asked.question
    is_now = asked.of == now
    here = is_present(lab.graph, question)
    data: dict[str, Any] = {
        "kind": question.kind,
        **_place(question.about),
        "other": question.other and [question.other.node, question.other.slot],
        "words": question.words or None,
        "says": question.words or words_of(question),
        "form": form_of(question, lab.graph),
        "tries": list(asked.tries),
        "revealed": asked.revealed or None,
        "gone": None if here else True,
        "before": None if is_now or not asked.tries else f"You said {asked.tries[-1]} to the graph before.",
    }
    if here and run is not None and asked.revealed:
        data["number"] = _number(run, question.about)
    if here and run is not None and is_now and asked.tries and asked.tries[-1] != UNKNOWN:
        data["verdict"] = _verdict(asked, judge(run, question, asked.tries[-1], beside))
    return data


def _place(about: Quantity) -> dict[str, Any]:
    element = None if about.element is None else list(about.element)
    return {"of": about.of, "node": about.node, "slot": about.slot, "element": element}


def _verdict(asked: Asked, judged: Judgement) -> dict[str, Any]:
    """Return what is said of the last answer."""
    wire = judged.wire and f"{judged.wire[0]}:{judged.wire[1]}"
    data = {"right": judged.right, "near": judged.near, "readAs": judged.read_as, "says": judged.says}
    if asked.revealed:
        return {**data, "accepted": judged.accepted or None, "reason": judged.reason or None, "wire": wire}
    return {**data, "wire": wire}


def _number(run: Trace, about: Quantity) -> str | None:
    """Return the number that a question was about, as text."""
    arrays = {VALUE: run.value, COTANGENT: run.cotangent}
    key = (about.node, about.slot) if about.of == PASSED else about.node
    array = (run.passed if about.of == PASSED else arrays[about.of]).get(key)
    if array is None:
        return None
    return short(array[about.element] if about.element is not None else array, DIGITS)


def described(question: Question) -> str:
    """Return a question in words."""
    return question.words or words_of(question)
