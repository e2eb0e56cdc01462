"""Check the answers that a question's author gives with it: options to choose from, and the right one."""

from __future__ import annotations

from collections.abc import Sequence

from autodiff_viz.asking.answers import Form, bare_text, plain_text, read_answer
from autodiff_viz.asking.question import CHOICE, NUMBER, UNKNOWN, Question
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import quoted


def form_of_options(options: Sequence[str]) -> Form:
    """Return what can be typed as an answer: the text of an option, or its number from 1.

    Numbers count only where no option is one of them.
    """
    labels = [option.replace("`", "") for option in options]
    bare = [bare_text(plain_text(label)) for label in labels]
    places = [str(at) for at in range(1, len(labels) + 1)]
    typed = [[place] for place in places] if not {*places} & {*bare} else [[] for _ in places]
    choices = [
        {"choice": place, "words": list(dict.fromkeys([label, text, *more]))}
        for place, label, text, more in zip(places, labels, bare, typed, strict=True)
    ]
    return {"form": CHOICE, "choices": choices, "number": ""}


def check_own_answer(question: Question) -> None:
    """Check the options of a question and the right answer, where its author gives them.

    Raises:
      GraphError: code "bad-question".
    """
    if question.kind == CHOICE:
        _check_options(question)
    elif question.options:
        raise refused(f"A question of kind {question.kind} has no options", "Ask a choice.")
    elif question.right and question.kind != NUMBER:
        raise refused(f"The right answer of kind {question.kind} follows from the graph", "Leave it out.")
    elif question.right and not _reads({"form": NUMBER, "count": 1}, question.right):
        found = f"{quoted(question.right[: limits.OPTION])} is no right answer"
        raise refused(found, "Write a number, such as 0.25.")


def _check_options(question: Question) -> None:
    options = question.options
    if not 2 <= len(options) <= limits.OPTIONS:
        raise refused(f"The choice has {len(options)} options", f"Give 2 to {limits.OPTIONS} of them.")
    form = form_of_options(options)
    for place, option in enumerate(options, 1):
        if len(option) > limits.OPTION:
            found = f"An option has {len(option)} characters"
            raise refused(found, f"Say it in at most {limits.OPTION}.")
        if _reads(form, option) != str(place):
            found = f"{quoted(option)} cannot be told from another answer"
            raise refused(found, "Say it in other words.")
    if question.right not in options:
        found = f"The right answer is {quoted(question.right[: limits.OPTION])}, which is no option"
        raise refused(found, "Repeat one of the options.")


def _reads(form: Form, text: str) -> str:
    """Return the choice, or the text, that an answer is read as; "" if it is none."""
    try:
        answer = read_answer(form, text)
    except GraphError:
        return ""
    return "" if answer.choice == UNKNOWN else answer.choice or text


def refused(message: str, hint: str) -> GraphError:
    """Return the error of a question that cannot be asked."""
    return GraphError(Problem("bad-question", f"{message}.", hint))
