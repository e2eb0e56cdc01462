"""Test that results are one line without anything personal, and that a class's pasted lines are counted."""

from __future__ import annotations

import pytest

import autodiff_viz as av
from autodiff_viz.asking.question import ASKED_ALONE, Asked, Asking, Quantity, Question
from autodiff_viz.asking.summary import LINES, TEXT, count, summary, words_in_line
from tests.own_lesson import KEY

FORK = av.trace(av.parse("x = 3.0\na = 2.0 * x\nb = square(x)\nz = a + b"))
NUMBER = Question("number", Quantity("cotangent", "x"))
ZERO = Question("zero", Quantity("cotangent", "x"))


def asking(*questions):
    return Asking(ASKED_ALONE, tuple(Asked(question) for question in questions))


def told(question, *answers):
    return [av.judge(FORK, question, answer) for answer in answers]


def test_a_result_is_one_line():
    line = summary(asking(NUMBER), [told(NUMBER, "6", "8")], KEY)
    assert line == f"av1 {KEY}: number 2 tries one-path right"
    both = summary(asking(ZERO, NUMBER, NUMBER), [told(ZERO, "yes"), told(NUMBER, "?", "8.1")], "My Lesson!")
    assert both == "av1 my-lesson: zero 1 try right; number 2 tries unknown near; number open"
    assert summary(asking(NUMBER), [told(NUMBER, "77")]) == "av1 graph: number 1 try wrong"


CHOICE = Question("choice", Quantity("cotangent", "x"), options=("both add", "one: wins;"), right="both add")


def test_a_line_has_an_authors_words_and_the_option_that_was_wrong():
    words = [words_in_line('What "arrives";\nat `x`: which?'), words_in_line("Which?")]
    line = summary(
        asking(NUMBER, CHOICE), [told(NUMBER, "77", "8"), told(CHOICE, "ONE: wins;", "?")], "z-1f", words
    )
    assert line == (
        'av1 z-1f: number "What arrives at x which?" 2 tries wrong right; '
        'choice "Which?" 2 tries "one wins" unknown'
    )
    counts = count(f'{line}\n{line}\nav1 z-1f: number open; choice "Which?" 1 try right')
    assert counts.unread == ()
    number, choice, other = counts.questions
    assert (number.words, number.answered) == ("What arrives at x which?", 2)
    assert (choice.words, choice.answered, choice.never) == ("Which?", 3, 2)
    assert choice.mistakes == (("one wins", 2), ("unknown", 2))
    assert other.words == ""  # asked in other words, it is another question


@pytest.mark.parametrize(
    "line",
    ['av1 z: number 1 try "one wins"', 'av1 z: choice 1 try "' + "x" * 81 + '"', 'av1 z: "w" 1 try right'],
)
def test_words_stand_where_they_belong_and_are_short(line):
    assert len(count(line).unread) == 1


CLASS = f"""
av1 {KEY}: number 1 try right
av1 {KEY}: number 2 tries one-path right
Anna B. (07:15): av1 {KEY}: number 2 tries one-path mean-for-sum
av1 {KEY}: number 2 tries value right; zero 1 try right

av1 {KEY}: number open; zero 2 tries value unknown
av1 twins: number 1 try stop-ignored
hello
av2 {KEY}: number 1 try right
av1 {KEY} number
av1 {KEY}: number 3 tries right
av1 {KEY}: number 2 tries right one-path
av1 {KEY}: guess 1 try right
av1 {KEY}: number 1 try <script>
"""


def test_a_class_is_counted_by_question():
    counts = count(CLASS)
    assert counts.lines == 6
    first, zero, twins = counts.questions
    assert (first.title, first.number, first.kind) == (KEY, 1, "number")
    assert (first.answered, first.right_at, first.never) == (4, (1, 2), 1)
    assert first.mistakes == (("one-path", 2), ("mean-for-sum", 1), ("value", 1))
    assert (zero.number, zero.kind, zero.answered, zero.right_at) == (2, "zero", 2, (1, 0))
    assert zero.mistakes == (("unknown", 1), ("value", 1))
    assert (twins.title, twins.never, twins.mistakes) == ("twins", 1, (("stop-ignored", 1),))


def test_lines_that_cannot_be_read_are_named_with_what_was_found():
    unread = dict(count(CLASS).unread)
    assert [*unread] == [9, 10, 11, 12, 13, 14, 15]
    assert "“hello” is no result: a result begins with av1" in unread[9]
    assert "version 2" in unread[10]
    assert "3 tries and 1 answer." in unread[12]
    assert "after a right answer" in unread[13]
    assert "'guess'" in unread[14]
    assert "'<script>'" in unread[15]


def test_what_is_counted_reads_what_is_summarised():
    lines = [
        summary(asking(ZERO, NUMBER), [told(ZERO, "no", "yes"), told(NUMBER, answer, "8")], KEY)
        for answer in ("6", "12", "4", "15", "77", "?", "-8", "8.1", "1")
    ]
    counts = count("\n".join(lines))
    assert (counts.lines, counts.unread) == (9, ())
    assert [question.right_at for question in counts.questions] == [(0, 9), (0, 9)]
    assert sum(how_many for _, how_many in counts.questions[1].mistakes) == 9


@pytest.mark.parametrize("text", ["x" * (TEXT + 1), "\n" * (LINES + 1), None])
def test_too_much_is_refused(text):
    with pytest.raises(av.GraphError):
        count(text)
    assert count("").lines == 0
