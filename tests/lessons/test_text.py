"""Test lessons as text: what is written is read again, and each error has its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import autodiff_viz as av
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lessons import text as of_text
from autodiff_viz.lessons.codec import plain_data
from autodiff_viz.lessons.evaluate import findings
from autodiff_viz.lessons.gallery import FOLDER, LESSONS, TRACKS
from autodiff_viz.lessons.lesson import put, tangent
from autodiff_viz.lessons.text import lesson_text, read_lesson

GUIDE = (Path(of_text.__file__).parent / "README.md").read_text("utf-8")
(EXAMPLE,) = re.findall(r"````markdown\n(.*?)````", GUIDE, re.DOTALL)


def test_every_lesson_is_read_as_it_is_written():
    for lesson in LESSONS:
        again = read_lesson(lesson_text(lesson), lesson.key, lesson.track, is_known=True)
        assert again == lesson, lesson.key
        assert plain_data(again) == plain_data(lesson)


def test_every_file_is_in_a_track():
    listed = {FOLDER / track.key / f"{lesson.key}.md" for track in TRACKS for lesson in track.lessons}
    assert listed == {path for path in FOLDER.glob("*/*.md") if path.name != "README.md"}
    assert len(listed) >= 82


def test_the_lesson_of_the_guide_is_one():
    lesson = read_lesson(EXAMPLE, "twice", "start")
    assert lesson.title == "Twice the same number: is it used twice?"
    assert [(one.computed.item(), one.holds) for one in findings(lesson, 0)] == [(9.0, True), (6.0, True)]
    ((part,),) = [one.parts for one in lesson.to_try]
    assert part.edits == (put("x", 0.0),)
    question = lesson.steps[0].questions[0]
    judged = [
        av.judge(av.trace(av.parse(lesson.steps[0].formula)), question, answer) for answer in ("6", "3")
    ]
    assert [one.right for one in judged] == [True, False]
    assert judged[1].says == question.told[0][1]


def test_what_does_not_fit_into_a_row_is_a_fence():
    lesson = next(one for one in LESSONS if one.key == "xor-tutorial")
    written = lesson_text(lesson)
    assert written.count("```claim") == sum(
        type(claim.at) is range or claim.at != 0 for claim in lesson.claims
    )
    assert "| The prediction | value | yhat | [[0.0]] exactly |" in written


def test_prose_is_wrapped_where_no_line_begins_like_something_else():
    words = "a " * 54 + "- b " + "1. c " + "# d " + "| e " + "long " * 30
    lesson = read_lesson(EXAMPLE.replace("`y` is `x` times `x`", words.strip()), "k")
    assert lesson.text.startswith(words.strip())
    assert read_lesson(lesson_text(lesson), "k") == lesson
    assert max(map(len, lesson_text(lesson).splitlines())) <= 116


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("level = 1", "level = one", "'level = one' cannot be read: what stands behind the = is no value"),
        ("minutes = 2", "minutes = 2\nlevel = 2", "cannot be read: the name has a value already"),
        ("minutes = 2", "minuts = 2", "The name 'minuts' is unknown"),
        ("minutes = 2", "steps = 2", "The name 'steps' is unknown"),
        ('look_at = "x"', 'questions = 3', "The name 'questions' is unknown"),
        ('words = "What', 'word = "What', "The name 'word' is unknown"),
        ('node = "x"}', 'node = "w"}', "about: There is no node 'w'"),
        ("shows = [", "show = [", "The name 'show' is unknown"),
        ("level = 1", "level = 4", "level: Found 4; it may be from 1 to 3"),
        ("## A square", "### A square", "'### A square' is no heading of a lesson"),
        ("# Answers", "# Guesses", "'# Guesses' is no heading of a lesson"),
        ("# Answers", "#Answers", "'#Answers' is no heading of a lesson"),
        ("# Claims", "# Claims\n\nThese hold.", "Found 'These hold.', where a table of claims"),
        ("```formula", "```code", "has no meaning here"),
        ("y = x * x", "y = x * * x", "formula: "),
        ('look_at = "x"', 'look_at = "q"', "look_at: There is no node 'q'"),
        ('kind = "number"', 'kind = "guess"', "kind: "),
        ("edits = ['put(\"x\", 0.0)']", "edits = ['put(x)']", "'put(x)' is no edit"),
        ("edits = ['put(\"x\", 0.0)']", "edits = ['exit(1)']", "'exit(1)' is no edit"),
        ("| gradient | x | 6.0 exactly |  |", "| gradient | x | 6.0 exactly |", "has 6 cells"),
        ("| x gets | gradient | x | 6.0 exactly |", "| x gets | slope | x | 6.0 exactly |", "quantity: "),
        ("| x gets | gradient | x | 6.0 exactly |", "| x gets | gradient | x | six |", "'six' is no number"),
        ("edits = ['put(\"x\", 0.0)']", "edits = 3", "edits is a list of calls"),
        ("| 6 | right |", "| 6 | right | 0 |", "2 or 4 cells"),
    ],
)  # fmt: skip
def test_an_error_names_its_line(old, new, words):
    """The changed line, of which each example has one."""
    assert EXAMPLE.count(old) == 1
    text = EXAMPLE.replace(old, new)
    with pytest.raises(GraphError) as caught:
        read_lesson(text, "twice")
    (problem,) = caught.value.problems
    assert words in problem.message
    last = new.splitlines()[-1]
    assert problem.line == next(i for i, line in enumerate(text.splitlines(), 1) if last in line)


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("# Claims", "# Claim", "Did you mean '# Claims'?"),
        ("## A square", "### A square", "Did you mean '## A square'?"),
        ("# Sources", "# Guesses", "A graph begins with '## its title'"),
        ("minutes = 2", "minuts = 2", "Did you mean 'minutes'?"),
    ],
)
def test_an_error_says_what_was_perhaps_meant(old, new, hint):
    text = EXAMPLE.replace(old, new) if old in EXAMPLE else f"{EXAMPLE}\n{new}\n"
    with pytest.raises(GraphError) as caught:
        read_lesson(text, "twice")
    assert caught.value.problems[0].hint.startswith(hint)


def test_a_fence_without_end_is_named_where_it_begins():
    begins = EXAMPLE.splitlines().index("```python") + 1
    with pytest.raises(GraphError, match=f"line {begins}: The fence 'python' has no end"):
        read_lesson(EXAMPLE.removesuffix("```\n"), "twice")


def test_a_lesson_begins_with_its_head():
    with pytest.raises(GraphError, match="line 1: A lesson begins with"):
        read_lesson(EXAMPLE.removeprefix("+++\n"), "twice")


def test_every_edit_of_the_table_is_written_as_its_call():
    assert of_text._call_of(tangent("y", "1")) == 'tangent("y", "1")'
    for lesson in LESSONS:
        for edit in (edit for one in lesson.to_try for part in one.parts for edit in part.edits):
            call = of_text._call_of(edit)
            assert dict(of_text._edit(call, 1)) == dict(edit)
