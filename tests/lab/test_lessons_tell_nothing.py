"""Test that nothing that a lesson asks for is on its page, or in its address, before it is answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import pytest

from autodiff_viz.asking.question import UNKNOWN
from autodiff_viz.graph import limits
from autodiff_viz.graph.link import Unreadable, unpacked
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.glossary import words_in
from autodiff_viz.lab.judging import answered
from autodiff_viz.lab.lessons import lesson_view, open_lesson
from autodiff_viz.lab.page import lab_drawing
from autodiff_viz.lab.parts import ASKED, PARTS, data_of
from autodiff_viz.lab.persistence.address import documents, from_query, to_query
from autodiff_viz.lab.persistence.asking import ASK, OWN
from autodiff_viz.lab.state import start
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.lessons.lesson import RIGHT, Lesson

ASKING = [(found, i) for found in LESSONS for i, step in enumerate(found.steps) if step.questions]
TELL_NOTHING = {"problems", "formula_head", "settings", "lesson"}
"""Parts without numbers; of the lesson only what stands before the answer is drawn."""
TOLD = {"told", "right", "answer", "accepted", "reason", "verdict"}
"""Names in what is sent of a question that come with its answer."""


def unpacked_parts(query: Mapping[str, str]) -> Iterator[str]:
    """The parameters of an address as text, packed ones unpacked."""
    for value in query.values():
        yield value
        for payload in (value, value[1:]):  # a graph has a version before it
            try:
                yield unpacked(payload, limits.JSON)
            except Unreadable:
                continue


def test_the_address_of_a_lesson_does_not_say_what_its_author_says_to_answers():
    """Of what is asked it says that it is the lesson's own, whatever has been answered meanwhile."""
    for found, i in ASKING:
        lab = open_lesson(start(), found.key, i)
        for state in (lab, answered(lab, 0, UNKNOWN)):
            query = to_query(state)
            assert query[ASK] == OWN, found.key
            assert from_query(query).asking == state.asking
            text = " ".join(unpacked_parts(query))
            told = [says for asked in lab.asking.asked for _, says in asked.question.told]
            assert [says for says in told if says in text] == [], found.key


def words_of_answers(found: Lesson, i: int) -> set[str]:
    """The words of the glossary that right answers have: in options, and as their author typed them."""
    right = [given.answer for given in found.predictions if (given.step, given.meets) == (i, RIGHT)]
    right += [question.right for question in found.steps[i].questions]
    return {word for answer in right for word in words_in(answer)}


def test_no_word_that_an_answer_has_is_explained_before_it():
    had = set()
    for found, i in ASKING:
        lab = open_lesson(start(), found.key, i)
        shown, rights = lesson_view(lab), words_of_answers(found, i)
        assert not {*shown.words} & rights, found.key
        for at in range(len(lab.asking.asked)):
            lab = answered(lab, at, UNKNOWN)
        told = lesson_view(lab)
        assert told.words == words_in(f"{found.text}\n{told.about}")
        had |= {found.key} if {*told.words} & rights else set()
    assert {"branch-nan"} <= had


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("found", "i"), ASKING, ids=lambda case: case if isinstance(case, int) else case.key)
def test_nothing_that_names_the_answer_is_sent_before_it(found, i):
    lab = open_lesson(start(), found.key, i)
    view, shown = lab_view(lab), lesson_view(lab)
    assert view.hiding
    waiting = [part for name, part in PARTS.items() if name not in TELL_NOTHING]
    assert [part.key for part in waiting if data_of(part, lab, view) not in (None, ASKED)] == []
    items = lab_drawing(lab, view)["asking"]["items"]
    drawing = json.dumps({**lab_drawing(lab, view), "nodes": None}, default=str, ensure_ascii=False)
    panel = json.dumps([shown.title, shown.text, shown.variants, shown.about], ensure_ascii=False)
    sent = json.dumps([lab_drawing(lab, view), {**documents(lab)}], default=str, ensure_ascii=False)
    for question in (asked.question for asked in lab.asking.asked):
        assert [says for _, says in question.told if json.dumps(says, ensure_ascii=False)[1:-1] in sent] == []
    assert [TOLD & {name for name, each in item.items() if each} for item in items] == [set() for _ in items]
    reasons = [step.text for step in found.steps] + [item.says for item in found.to_try] + [found.code]
    for reason in filter(None, reasons):
        escaped = json.dumps(reason, ensure_ascii=False)[1:-1]
        assert escaped not in drawing
        assert escaped not in panel
