"""Ask questions about the graph, answer them, reveal an answer, and stop asking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autodiff_viz.asking.question import PASSED, Quantity, Question
from autodiff_viz.lab.asking import asking_of, reveal, stop_asking
from autodiff_viz.lab.edits.edit import Handlers
from autodiff_viz.lab.judging import answered, asked_of
from autodiff_viz.lab.state import Lab
from autodiff_viz.messages.edits import Answer, Ask, QuestionRecord, Reveal, StopAsking


def _ask(lab: Lab, edit: Ask) -> Lab:
    before = asking_of(lab)
    asked = _with_kept(edit.questions, [each.question for each in before.asked] if before else [])
    return asked_of(lab, asked, edit.hides)


def _with_kept(records: Sequence[QuestionRecord], before: Sequence[Question]) -> list[Question]:
    """Return the questions of records, each with what its author says to answers, and the right one.

    The browser is not told these, so they are those of the question before that it stands for: the same one,
    or else the first like it that none stands for yet, since its words may be new, or its options.
    """
    asked, left = [_question(record) for record in records], [*before]
    kept: dict[int, Question] = {}
    for same_words, same_options in ((True, True), (False, True), (True, False)):
        for at, (record, question) in enumerate(zip(records, asked, strict=True)):
            key = _key(question, record.own, same_words, same_options)
            same = next(
                (each for each in left if _key(each, bool(each.right), same_words, same_options) == key), None
            )
            if at not in kept and same is not None:
                left.remove(same)
                kept[at] = same
    return [
        replace(question, told=_told(kept[at], question), right=_right(kept[at], question) or question.right)
        if at in kept
        else question
        for at, question in enumerate(asked)
    ]


def _told(before: Question, now: Question) -> tuple[tuple[str, str], ...]:
    """Return what is said to certain answers, without those that are no option any more."""
    return tuple(pair for pair in before.told if not now.options or pair[0] in now.options)


def _right(before: Question, now: Question) -> str:
    """Return the right answer of a question, with its new words if the option in its place has some."""
    if before.right in now.options or len(before.options) != len(now.options) or not before.options:
        return before.right
    return now.options[before.options.index(before.right)]


def _key(question: Question, own: bool, same_words: bool, same_options: bool) -> tuple[Any, ...]:
    """Return what two records of one question have in common, its words and its options as well or not."""
    what = question.kind, question.about, question.other, own
    return (*what, same_words and question.words, same_options and question.options)


def _question(record: QuestionRecord) -> Question:
    """Return the question of a record."""
    element = None if record.element is None else tuple(record.element)
    about = Quantity(record.of, record.node, record.slot, element)
    other = None
    if record.other is not None:
        node, slot = record.other
        other = Quantity(record.of if slot is None else PASSED, node, slot)
    return Question(record.kind, about, other, record.words.strip(), (), tuple(record.options), record.right)


HANDLERS: Handlers = {
    Ask: _ask,
    Answer: lambda lab, edit: answered(lab, edit.at, edit.text),
    Reveal: lambda lab, edit: reveal(lab, edit.at),
    StopAsking: lambda lab, _: stop_asking(lab),
}
