"""Test questions whose right answer their author gives: options to choose from, and numbers of no trace."""

from __future__ import annotations

from dataclasses import replace

import pytest

import autodiff_viz as av
from autodiff_viz.asking.answers import read_answer
from autodiff_viz.asking.authored import check_own_answer, form_of_options
from autodiff_viz.asking.judge import feedback_table
from autodiff_viz.asking.question import CHOICE, COTANGENT, NUMBER, SIGN, VALUE, Quantity, Question
from autodiff_viz.graph.problem import GraphError

GAME = av.trace(av.parse("theta = 1.0\nphi = 1.0\nloss = theta * rewrite(phi, lambda v: -v)"))
BOWL = av.trace(av.parse("w = parameter(1.0)\nloss = square(w)"))
PATH = Question(
    CHOICE,
    Quantity(COTANGENT, "theta"),
    words="From 1, 1: which path?",
    options=("a spiral outwards", "a circle", "straight to 0, 0", "down a valley"),
    right="a spiral outwards",
    told=(("a circle", "True for endlessly small steps."), ("1", "Each step goes along the circle's edge.")),
)
AFTER = Question(
    NUMBER,
    Quantity(VALUE, "w"),
    words="One step of rate 1: where is w?",
    right="-1",
    told=(("0", "The gradient says how steep, not how far."),),
)


def test_the_right_option_is_right_by_its_text_and_by_its_number():
    for answer in ("a spiral outwards", "A spiral outwards.", "1"):
        said = av.judge(GAME, PATH, answer)
        assert (said.right, said.accepted) == (True, "a spiral outwards"), answer
        assert said.says == said.reason == "Each step goes along the circle's edge."
    wrong = av.judge(GAME, PATH, "straight to 0, 0")
    assert (wrong.right, wrong.mistake, wrong.reason) == (False, "", "")
    assert wrong.says
    assert av.judge(GAME, PATH, "2").says == "True for endlessly small steps."
    assert av.judge(GAME, PATH, "?").unknown
    with pytest.raises(GraphError, match="none of the answers"):
        av.judge(GAME, PATH, "5")


def test_an_option_is_read_as_it_is_written():
    options = ("−0.9", "`z` (at 3.24)", "none: 1.8 is noisy", "½")
    asked = Question(CHOICE, Quantity(VALUE, "loss"), options=options, right="½")
    read = {answer: av.judge(GAME, asked, answer).read_as for answer in (*options, "-0.9")}
    assert read == {
        "−0.9": "read as: −0.9",
        "`z` (at 3.24)": "read as: z (at 3.24)",
        "none: 1.8 is noisy": "read as: none: 1.8 is noisy",
        "½": "read as: ½",
        "-0.9": "read as: −0.9",
    }
    assert av.judge(GAME, asked, "½").right


def test_of_options_that_are_numbers_the_text_is_meant():
    asked = Question(CHOICE, Quantity(VALUE, "loss"), options=("2", "1", "0"), right="1")
    assert av.judge(GAME, asked, "1").right
    assert not av.judge(GAME, asked, "2").right


def test_a_number_that_no_trace_has_is_judged_as_any_number():
    """1 - 1 * 2 = -1: one step of rate 1 from 1."""
    assert av.judge(BOWL, AFTER, "−1").right
    assert av.judge(BOWL, AFTER, "-1.015").near
    assert av.judge(BOWL, AFTER, "0").says == "The gradient says how steep, not how far."
    assert av.judge(BOWL, AFTER, "1").mistake == ""  # though 1 is the value
    assert av.judge(BOWL, replace(AFTER, right="nan"), "nan").right
    assert av.judge(BOWL, replace(AFTER, right="1/3"), "0.333").right


def test_the_table_has_the_answer_and_what_can_be_typed_has_it_not():
    table = feedback_table(GAME, PATH)
    assert table["answer"]["choice"] == "1"
    assert table["form"]["choices"][1] == {"choice": "2", "words": ["a circle", "2"]}
    assert table["mistakes"] == []
    assert feedback_table(BOWL, AFTER)["form"] == {"form": "number", "count": 1}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        (replace(PATH, options=("one",), right="one"), "1 options"),
        (replace(PATH, options=tuple("abcdefg"), right="a"), "7 options"),
        (replace(PATH, options=("a", "a"), right="a"), "cannot be told"),
        (replace(PATH, options=("a", "`a`"), right="a"), "cannot be told"),
        (replace(PATH, options=("a", "no idea"), right="a"), "cannot be told"),
        (replace(PATH, options=("a", " "), right="a"), "cannot be told"),
        (replace(PATH, options=("a", "b" * 121), right="a"), "121 characters"),
        (replace(PATH, right="a hill"), "no option"),
        (replace(PATH, right=""), "no option"),
        (replace(AFTER, options=("1", "2")), "has no options"),
        (replace(AFTER, right="minus one"), "no right answer"),
        (replace(AFTER, right="?"), "no right answer"),
        (replace(AFTER, kind=SIGN), "follows from the graph"),
    ],
)
def test_answers_of_an_author_that_do_not_fit_are_refused(question, found):
    with pytest.raises(GraphError, match=found) as caught:
        feedback_table(BOWL if question.about.node == "w" else GAME, question)
    assert caught.value.problems[0].code == "bad-question"
    assert caught.value.problems[0].hint


def test_an_option_may_be_a_sentence_and_is_answered_by_all_of_it():
    right = ("it is four times as large, for x is squared and stands in both of the " * 2)[:120].strip()
    assert 60 < len(right) <= 120
    question = Question(CHOICE, Quantity("cotangent", "x"), options=("no", right), right=right)
    check_own_answer(question)
    assert read_answer(form_of_options(question.options), right).choice == "2"
    with pytest.raises(GraphError, match="An option has 121 characters"):
        check_own_answer(replace(question, options=("no", "a" * 121), right="no"))
