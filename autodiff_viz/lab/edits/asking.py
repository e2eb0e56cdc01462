"""Ask questions about the graph, answer them, reveal an answer, and stop asking."""

from __future__ import annotations

from autodiff_viz.asking.question import PASSED, Quantity, Question
from autodiff_viz.lab.asking import asking_of, reveal, stop_asking
from autodiff_viz.lab.edits.edit import Handlers
from autodiff_viz.lab.judging import answered, asked_of
from autodiff_viz.lab.state import Lab
from autodiff_viz.messages.edits import Answer, Ask, QuestionRecord, Reveal, StopAsking


def _ask(lab: Lab, edit: Ask) -> Lab:
    before = asking_of(lab)
    told = {asked.question.about: asked.question.told for asked in before.asked} if before else {}
    return asked_of(lab, [_question(record, told) for record in edit.questions], edit.hides)


def _question(record: QuestionRecord, told: dict[Quantity, tuple[tuple[str, str], ...]]) -> Question:
    """Return the question of a record; what its author says to answers, which has no field, is kept."""
    element = None if record.element is None else tuple(record.element)
    about = Quantity(record.of, record.node, record.slot, element)
    other = None if record.other is None else Quantity(PASSED, *record.other)
    return Question(record.kind, about, other, record.words.strip(), told.get(about, ()))


HANDLERS: Handlers = {
    Ask: _ask,
    Answer: lambda lab, edit: answered(lab, edit.at, edit.text),
    Reveal: lambda lab, edit: reveal(lab, edit.at),
    StopAsking: lambda lab, _: stop_asking(lab),
}
