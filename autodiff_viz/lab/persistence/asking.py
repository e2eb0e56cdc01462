"""Write what is asked, and what was answered, as two parameters of an address, and read them.

A teacher's link has the questions alone; a student's has the answers too. Neither keeps a secret: the graph
is in the link, and its numbers follow from it; an answer of the author's own is in it too. What a lesson asks
by itself is not written out: its link says so in a word, and who reads it finds no answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from autodiff_viz.asking.authored import check_own_answer
from autodiff_viz.asking.question import HIDES, KINDS, QUANTITIES, Asked, Asking, Quantity, Question
from autodiff_viz.graph import limits
from autodiff_viz.graph.link import Unreadable, packed, unpacked
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import well_formed
from autodiff_viz.lab.persistence.json_text import nested_deeper

ASK, GUESS = "ask", "guess"
"""Names of the parameters."""

OWN = "own"
"""The questions as a lesson has them, which are no packed text."""

DEPTH = 8  # brackets inside each other
MOST = 40_000  # characters of the JSON text: 40 questions of 400 letters, each with some words for answers
TRIED = 8  # tries of a question that are kept
SAID = {None: 1, True: 2, False: 3}  # by whether the last answer was right, of a question that is answered
RIGHT = {code: right for right, code in SAID.items()}
KEY = 12  # letters of the name of the numbers that tries were about

UNREADABLE = GraphError(
    Problem(
        "unreadable-questions",
        "The questions in this link cannot be read, so nothing is hidden.",
        "Copy the whole link, or ask again.",
    )
)


def asking_fields(asking: Asking | None, own: Asking | None) -> dict[str, str | None]:
    """Return both parameters; None for what there is not.

    Args:
      own: what the open graph of the open lesson asks by itself.
    """
    if asking is None:
        return {ASK: None, GUESS: None}
    begun = any(asked.tries or asked.revealed for asked in asking.asked)
    guesses = [[asked.of, asked.revealed and SAID[asked.right], *asked.tries] for asked in asking.asked]
    is_own = own is not None and (asking.hides, _questions(asking)) == (own.hides, _questions(own))
    written = [asking.hides, *map(_question, _questions(asking))]
    return {
        ASK: OWN if is_own else packed(json.dumps(written, separators=(",", ":"))),
        GUESS: packed(json.dumps(guesses, separators=(",", ":"))) if begun else None,
    }


def _questions(asking: Asking) -> list[Question]:
    return [asked.question for asked in asking.asked]


def _question(question: Question) -> list[Any]:
    """Return a question as a list without its last fields that say nothing."""
    fields: list[Any] = [
        question.kind,
        _quantity(question.about),
        None if question.other is None else _quantity(question.other),
        question.words,
        [list(pair) for pair in question.told],
        list(question.options),
        question.right,
    ]
    while not fields[-1]:
        fields.pop()
    return fields


def _quantity(quantity: Quantity) -> list[Any]:
    element = None if quantity.element is None else list(quantity.element)
    fields = [quantity.of, quantity.node, quantity.slot, element]
    while fields[-1] is None:
        fields.pop()
    return fields


def read_asking(query: Mapping[str, str], own: Asking | None) -> Asking | None:
    """Read both parameters; None without questions. Answers that cannot be read are left out.

    Args:
      own: what the graph of the link's lesson asks by itself; None without a lesson.
    Raises:
      GraphError: the questions are damaged, or more or longer than they may be; or a lesson's, without one.
    """
    if not query.get(ASK):
        return None
    try:
        hides, questions = _own(own) if query[ASK] == OWN else _read_questions(query[ASK])
    except (TypeError, ValueError) as error:
        raise UNREADABLE from error
    asked = [*map(Asked, questions)]
    try:
        guesses = _list(query[GUESS]) if query.get(GUESS) else []
        for i, (one, guess) in enumerate(zip(asked, guesses, strict=False)):
            of, revealed, *tries = guess
            texts = tuple(_text(each, limits.ANSWER) for each in tries[-TRIED:])
            right = RIGHT.get(revealed)
            asked[i] = replace(one, tries=texts, revealed=revealed in RIGHT, of=_text(of, KEY), right=right)
    except (TypeError, ValueError):
        pass  # the questions are what a lesson needs
    return Asking(hides, tuple(asked))


def _own(own: Asking | None) -> tuple[str, list[Question]]:
    if own is None:
        raise ValueError("no lesson")
    return own.hides, _questions(own)


def _read_questions(payload: str) -> tuple[str, list[Question]]:
    hides, *questions = _list(payload)
    if hides not in HIDES or len(questions) > limits.QUESTIONS:
        raise ValueError(hides)
    return hides, [*map(_read_question, questions)]


def _list(payload: str) -> list[Any]:
    """Unpack a list.

    Raises:
      ValueError: it is none, or too long or deep.
    """
    if len(payload) > MOST:
        raise ValueError("too long")
    try:
        text = unpacked(payload, MOST)
    except Unreadable as error:
        raise ValueError(error.why) from error
    if nested_deeper(text, DEPTH):
        raise ValueError("too deep")
    value = json.loads(text)
    if not isinstance(value, list) or not value:
        raise ValueError("no list")
    return well_formed(value)


def _read_question(fields: Sequence[Any]) -> Question:
    kind, about, other, words, told, options, right, *_ = [*fields, *[None] * 6]
    if kind not in KINDS or len(told or ()) > limits.TOLD:
        raise ValueError(kind)
    question = Question(
        kind,
        _read_quantity(about),
        None if other is None else _read_quantity(other),
        _text(words or "", limits.WORDS),
        tuple((_text(answer, limits.ANSWER), _text(says, limits.WORDS)) for answer, says in told or ()),
        tuple(_text(option, limits.OPTION) for option in options or ()),
        _text(right or "", limits.OPTION),
    )
    try:
        check_own_answer(question)
    except GraphError as error:
        raise ValueError(kind) from error
    return question


def _read_quantity(fields: Sequence[Any]) -> Quantity:
    of, node, slot, element, *_ = [*fields, *[None] * 3]
    if of not in QUANTITIES or not (slot is None or type(slot) is int):
        raise ValueError(of)
    if element is not None and (len(element) > limits.RANK or any(type(i) is not int for i in element)):
        raise ValueError("element")
    return Quantity(of, _text(node, limits.NAME), slot, None if element is None else tuple(element))


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ValueError("no text")
    return value
