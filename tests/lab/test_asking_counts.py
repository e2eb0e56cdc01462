"""Test that counts, and answers of an author's own, are told nowhere while they are asked for."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from autodiff_viz.asking.question import (
    ASKED_ALONE,
    CHOICE,
    COTANGENT,
    KEPT,
    LARGER,
    NUMBER,
    RUNS,
    SHAPE,
    VALUE,
    Quantity,
    Question,
)
from autodiff_viz.graph import limits
from autodiff_viz.graph.link import packed
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.asking import ask, asking_of, hiding, reveal
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.handout import handout_of
from autodiff_viz.lab.inspector.panel import Answers, check_data, node_data
from autodiff_viz.lab.judging import answered
from autodiff_viz.lab.page import lab_drawing, play_data
from autodiff_viz.lab.parts import ASKED, PARTS, data_of
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.persistence.asking import ASK
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.messages.edits import read_edit
from autodiff_viz.ui.panels.settings import hiding as downloads_wait
from autodiff_viz.ui.qr_code import qr_code

NESTED = """w = parameter(0.5)
with checkpoint("outer"):
    with checkpoint("inner"):
        a = sin(w)
        b = sin(a)
    y = sin(b)
"""
"""a runs once forward and twice on the way back, once for each region; one number is kept, w."""

HOW_OFTEN = Question(NUMBER, Quantity(RUNS, "a"))
HOW_MUCH = Question(NUMBER, Quantity(KEPT, "y"))
WHERE = Question(
    CHOICE,
    Quantity(VALUE, "y"),
    words="Trained for ever: where does w end?",
    options=("at −4.7", "at 0", "nowhere"),
    right="at −4.7",
    told=(("at 0", "There the slope is 1."),),
)
OWN = Question(NUMBER, Quantity(VALUE, "w"), words="After one step?", right="0.7253")


def asked(*questions: Question) -> Lab:
    return ask(opened(start(), parse(NESTED), "Open"), questions, ASKED_ALONE)


def shown(lab: Lab) -> dict:
    return lab_drawing(lab, lab_view(lab))


def text_of(lab: Lab) -> str:
    return json.dumps(shown(lab), default=str, ensure_ascii=False)


def item(lab: Lab, at: int = 0) -> dict:
    return shown(lab)["asking"]["items"][at]


@pytest.mark.parametrize("question", [HOW_OFTEN, HOW_MUCH, WHERE, OWN], ids=lambda each: each.about.of)
def test_while_it_is_open_no_count_and_no_explanation_is_shown(question):
    lab = edited(asked(question), {"kind": "select", "node": "a"})
    view, drawn = lab_view(lab), text_of(lab)
    assert hiding(lab)
    assert "×2" not in drawn
    assert "×3" not in drawn
    if question.options:  # each is told as often as the right one
        assert {drawn.count(option) for option in question.options} == {drawn.count(question.right)}
    elif question.right:
        assert question.right not in drawn
    assert play_data(view, 1)["says"].startswith("Answer first")
    assert {data_of(part, lab, view) for part in PARTS.values() if not part.is_open} <= {None, ASKED}
    assert data_of(PARTS["train"], lab, view) == ASKED  # a training comes after the answer
    assert data_of(PARTS["figure"], lab, view) == ASKED
    assert not view.complete  # so nothing is counted for the inspector
    assert node_data(lab, view, Answers())["runs"] == []
    assert check_data(lab, view, Answers(), True) == {"notes": []}
    assert downloads_wait(lab)
    with pytest.raises(GraphError, match="hidden while"):
        _ = view.trace.runs
    with pytest.raises(GraphError, match="hidden while"):
        _ = view.trace.residuals
    after = reveal(lab, 0)
    assert "×3" in text_of(after)
    assert play_data(lab_view(after), 1)["steps"]


def test_a_count_hides_no_value_and_no_gradient():
    drawn = shown(asked(HOW_MUCH))
    assert all("value" in node and "cotangent" in node for node in drawn["nodes"])


def test_counts_are_answered_and_reasons_come_afterwards():
    right = answered(asked(HOW_OFTEN), 0, "3")
    assert item(right)["verdict"]["right"]
    assert item(right)["answer"] == "3"
    assert "1 forward + 2" in item(right)["reason"]
    assert item(answered(asked(HOW_MUCH), 0, "1"))["verdict"]["right"]
    assert "answer" not in item(answered(asked(HOW_MUCH), 0, "3"))


def test_an_answer_to_a_count_is_about_the_regions_it_was_made_for():
    lab = answered(asked(HOW_OFTEN), 0, "2")
    assert not item(lab)["verdict"]["right"]
    without = edited(lab, {"kind": "uncheckpoint", "region": "inner"})
    assert item(without)["before"] == "Your answer, 2, was about the graph before."
    assert item(answered(without, 0, "2"))["verdict"]["right"]


def test_an_authors_answer_is_not_sent_before_the_reveal_and_its_guess_stands_at_no_number():
    lab = answered(asked(OWN, WHERE), 0, "0.5")
    first, second = item(lab), item(lab, 1)
    assert "0.7253" not in json.dumps(first)
    assert (first["own"], second["own"], second["options"]) == (True, True, [*WHERE.options])
    assert "right" not in second
    assert all("guess" not in node for node in shown(lab)["nodes"])
    done = reveal(answered(lab, 0, "?"), 1)
    assert item(done)["answer"] == "0.7253"
    assert item(done, 1)["answer"] == "at −4.7"
    line = shown(done)["asking"]["summary"].partition(": ")[2]
    assert line == (
        'number "After one step?" 2 tries wrong unknown; choice "Trained for ever where does w end?" open'
    )


def test_links_and_the_questions_of_the_page_keep_options_and_the_right_one():
    lab = asked(WHERE, OWN, replace(OWN, words="After two?", right="0.9"))
    assert from_query(to_query(lab)).asking == lab.asking
    records = [
        {"kind": "number", "of": "value", "node": "w", "words": "After two steps?", "own": True},
        {"kind": "choice", "of": "value", "node": "y", "options": [*WHERE.options], "own": True},
        {"kind": "number", "of": "value", "node": "w", "words": "After one step?", "own": True},
    ]
    again = edited(lab, {"kind": "ask", "hides": "asked", "questions": records})
    kept = [(each.question.words, each.question.right) for each in asking_of(again).asked]
    assert kept == [("After two steps?", "0.9"), ("", "at −4.7"), ("After one step?", "0.7253")]
    assert asking_of(again).asked[1].question.told == WHERE.told
    fresh = {"kind": "choice", "of": "value", "node": "y", "options": ["up", "down"], "right": "up"}
    new = edited(lab, {"kind": "ask", "hides": "asked", "questions": [fresh]})
    assert item(answered(new, 0, "1"))["verdict"]["right"]
    assert read_edit({"kind": "ask", "hides": "asked", "questions": [fresh]}).questions[0].own is False


@pytest.mark.parametrize(
    "question",
    [
        Question(SHAPE, Quantity(KEPT, "y")),
        Question(LARGER, Quantity(RUNS, "a"), Quantity(COTANGENT, "a")),
        Question(NUMBER, Quantity(RUNS, "q")),
        Question(CHOICE, Quantity(VALUE, "y"), options=("a", "b"), right="c"),
    ],
)
def test_what_cannot_be_asked_is_refused(question):
    with pytest.raises(GraphError) as caught:
        asked(question)
    assert caught.value.problems[0].code == "bad-question"


@pytest.mark.parametrize(
    "question",
    [
        ["choice", ["value", "y"]],
        ["choice", ["value", "y"], None, "", [], ["a", "b"], "c"],
        ["choice", ["value", "y"], None, "", [], ["a", "b" * (limits.OPTION + 1)], "a"],
        ["number", ["value", "y"], None, "", [], [], "six"],
        ["sign", ["value", "y"], None, "", [], [], "1"],
    ],
)
def test_a_link_with_answers_that_do_not_fit_asks_nothing(question):
    lab = from_query({**to_query(asked(OWN)), ASK: packed(json.dumps(["asked", question]))})
    assert asking_of(lab) is None
    assert lab.notice[0].code == "unreadable-questions"


@pytest.mark.parametrize(
    ("options", "right"),
    [
        (["at −4.71", "at 0", "nowhere"], "at −4.71"),  # worded anew
        (["nowhere", "at −4.7", "at 0"], "at −4.7"),  # in another order
        (["at −4.7", "elsewhere"], "at −4.7"),
        (["elsewhere", "at 0"], None),  # without the right one
    ],
)
def test_options_are_changed_on_the_page_which_is_not_told_the_right_one(options, right):
    lab = asked(WHERE)
    record = {"kind": "choice", "of": "value", "node": "y", "words": WHERE.words, "own": True}
    after = edited(lab, {"kind": "ask", "hides": "asked", "questions": [{**record, "options": options}]})
    (question,) = (one.question for one in after.asking.asked)
    assert (question.options, question.right) == (
        (tuple(options), right) if right else (WHERE.options, "at −4.7")
    )
    assert [problem.code for problem in after.notice] == ([] if right else ["bad-question"])
    chosen = {**record, "own": False, "options": [*WHERE.options], "right": "nowhere"}
    after = edited(lab, {"kind": "ask", "hides": "asked", "questions": [chosen]})
    assert [one.question.right for one in after.asking.asked] == ["nowhere"]


def test_a_handout_prints_the_options_and_the_right_one_overleaf():
    lab = asked(WHERE)
    first, _, overleaf = handout_of(lab, None, qr_code).partition("overleaf'>")
    assert all(option in first for option in WHERE.options)
    assert "There the slope" not in first
    assert "<span class='right'>at −4.7</span>" in overleaf
