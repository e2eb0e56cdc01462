"""Test that what each lesson asks is answered as it says: by hand, and with the mistakes that tempt."""

import re

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.asking.judge import judge
from autodiff_viz.asking.question import CHOICE, NUMBER
from autodiff_viz.engine.trace import trace
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.exercises import NONE, PLOTS, reached, tries
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import start
from autodiff_viz.lessons.evaluate import graph_in, trace_of
from autodiff_viz.lessons.gallery import CONTRIBUTED, LESSONS, TRACKS, lesson
from autodiff_viz.lessons.lesson import RIGHT, Lesson

pytestmark = pytest.mark.every

ASKING = [found for found in LESSONS if found not in CONTRIBUTED]
FINISHED = [(found, i) for found in ASKING for i, item in enumerate(found.to_try) if item.then]
UNREAD: dict[str, str] = {
    "half": "code is read in float32, where the gradient survives; PyTorch prints 0.",
    "numpy-memory": "code that changes what autograd has kept is refused, with that reason.",
}
"""Lessons whose code the reader refuses or reads with other gradients, with the reason."""


def name(case: object) -> str:
    return getattr(case, "key", None) or str(case)


def table(found: Lesson, step: int, question: int, answer: str):
    about = found.steps[step]
    pinned = trace(graph_in(about.pinned), seed=about.seed, dtype=about.dtype) if about.pinned else None
    return judge(trace_of(about), about.questions[question], answer, pinned)


@pytest.mark.parametrize("found", ASKING, ids=name)
def test_each_question_has_a_right_answer_by_hand_and_two_that_tempt(found):
    asked = [(i, k) for i, step in enumerate(found.steps) for k in range(len(step.questions))]
    assert asked, "a lesson asks first"
    assert found.steps[0].questions
    for at in asked:
        met = [given.meets for given in found.predictions if (given.step, given.question) == at]
        assert met.count(RIGHT) >= 1, at
        assert len(met) >= 2 + (at == asked[0]), at


@pytest.mark.parametrize("found", ASKING, ids=name)
def test_what_its_author_says_to_an_answer_is_said(found):
    told = [
        (i, k, answer, says)
        for i, step in enumerate(found.steps)
        for k, question in enumerate(step.questions)
        for answer, says in question.told
    ]
    assert [says for *_, says in told if len(says.split()) > 25] == []


@pytest.mark.parametrize("found", ASKING, ids=name)
def test_an_answer_that_no_trace_has_is_held_by_a_claim(found):
    """A number after a training or a count: the author's, so a claim of the lesson has it too."""
    given = [(one, step) for step in found.steps for one in step.questions if one.right]
    claimed = [*found.claims, *(claim for item in found.to_try for claim in item.then)]
    numbers = [repr(one) for claim in claimed for one in _numbers(claim.expected)]
    asked = [(one, trace_of(step)) for one, step in given if one.kind == NUMBER]
    assert [one for one, seen in asked if not any(judge(seen, one, text).right for text in numbers)] == []
    assert {one.kind for one, _ in given} <= {NUMBER, CHOICE}
    assert [one for one, _ in given if one.kind == CHOICE and one.right not in one.options] == []


def _numbers(expected: object) -> list[float]:
    if isinstance(expected, (tuple, list)):
        return [one for each in expected for one in _numbers(each)]
    return [float(expected)] if isinstance(expected, (int, float)) else []


@pytest.mark.parametrize("found", ASKING, ids=name)
def test_the_lesson_is_short_and_says_for_whom_it_is(found):
    first = found.steps[0]
    asked = " ".join(question.words for question in first.questions)
    set_up = f"{found.text} {first.caption} {asked}".split()
    says = [item.says for item in found.to_try]
    assert 4 <= len(found.title.split()) <= 14
    assert found.title.endswith("?")
    assert len(set_up) <= 55, len(set_up)
    assert all(len(step.text.split()) <= 40 for step in found.steps)
    assert all(len(one.split()) <= 32 for one in says)
    assert 2 <= len(found.to_try) <= 4
    words = len([*found.title.split(), *set_up, *first.text.split(), *" ".join(says).split()])
    assert 70 <= words <= 145, words
    assert found.track in {track.key for track in TRACKS}
    assert 1 <= found.minutes <= 6
    assert found.found_by
    assert all(lesson(key) for key in found.after)
    assert found.claims
    assert len(found.claims) >= 2


@pytest.mark.parametrize("found", LESSONS, ids=name)
def test_an_exercise_that_goes_to_another_graph_names_it(found):
    """By its title, or as A or B, since nothing is ticked for the same edit of another graph."""
    parts = [(item.says, part.variant) for item in found.to_try for part in item.parts]
    steps = zip([0, *(variant for _, variant in parts)], parts, strict=False)
    assert [
        (says, title)
        for before, (says, variant) in steps
        if variant != before
        and (title := found.steps[variant].title).casefold() not in says.casefold()
        and not re.search(r"\b[AB]\b", says)
    ] == []


def test_a_lesson_comes_after_those_that_it_needs():
    keys = [found.key for found in LESSONS]
    late = {
        (found.key, key) for found in ASKING for key in found.after if key in keys[keys.index(found.key) :]
    }
    assert late <= {(a, b) for a, b in late if lesson(a).track != lesson(b).track}
    for track in TRACKS:
        assert {found.track for found in track.lessons} <= {track.key}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("found", "i"),
    [(found, i) for found in ASKING for i in range(len(found.to_try))],
    ids=name,
)
def test_an_exercise_of_which_one_edit_is_missing_is_not_ticked(found, i):
    """But for edits that only guard what the lesson begins with."""
    ticked = []
    for k, part in enumerate(found.to_try[i].parts):
        opened = open_lesson(start(), found.key, part.variant)
        for left_out, edit in enumerate(part.edits):
            lab = opened
            for other in (*part.edits[:left_out], *part.edits[left_out + 1 :]):
                lab = edited(lab, other)
            whole = edited(lab, edit)
            changes = (whole.graph, whole.selected, whole.collapsed, whole.forward) != (
                lab.graph,
                lab.selected,
                lab.collapsed,
                lab.forward,
            )
            if changes and (i, k) in reached(NONE, lab, plots=PLOTS).parts:
                ticked.append((k, edit))
    assert ticked == []
    assert not tries(open_lesson(start(), found.key), NONE)[1][i].is_done


@pytest.mark.sampled(4)
@pytest.mark.parametrize("found", [one for one in ASKING if one.code and one.key not in UNREAD], ids=name)
def test_the_code_as_people_write_it_is_read_and_has_the_numbers_of_its_comment(found):
    """The comments are what JAX and PyTorch print, run by hand."""
    read = av.read(found.code)
    assert read.refused == ()
    arrays = [*read.answers().values(), *read.values().values()]
    found_ones = [float(one) for array in arrays if array is not None for one in np.ravel(array)]
    comments = re.findall(r"#(.*)", found.code)
    printed = [float(one) for one in re.findall(r"nan|-?inf|-?\d+\.?\d*(?:e-?\d+)?", " ".join(comments))]
    assert printed
    for number in printed:
        assert any(np.isclose(number, one, rtol=1e-4, equal_nan=True) for one in found_ones), (number, arrays)
