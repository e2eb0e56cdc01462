"""Test what an open lesson offers to press next, and that what was answered in it is not asked again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autodiff_viz.asking.question import NUMBER, UNKNOWN, Quantity, Question
from autodiff_viz.lab.actions import set_input
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.exercises import NONE, Reached, do_try, reached
from autodiff_viz.lab.judging import answered, result_of
from autodiff_viz.lab.lessons import lesson_view, open_lesson, restart_lesson
from autodiff_viz.lab.onward import GRAPH, LESSON, LESSONS, TRAINING, TRY, Onward, onward
from autodiff_viz.lab.page import lab_drawing
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.gallery import Track
from autodiff_viz.lessons.lesson import Lesson, Part, Try, put
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan, advanced
from autodiff_viz.training.state import Settings

ARRIVES = Question(NUMBER, Quantity("cotangent", "x"))
ASKS = Lesson(
    key="asks",
    title="What arrives?",
    text="`x` is used twice.",
    steps=(
        Step("Squared", "x = 3.0\ny = x * x", text="6 arrives.", questions=(ARRIVES,)),
        Step("Looked at", "x = 3.0\ny = x + x"),
        Step("Half", "x = 3.0\ny = x * stop_gradient(x)", questions=(ARRIVES,)),
    ),
    to_try=(
        Try("Move `x` to 0.", (Part(edits=(put("x", 0.0),)),)),
        Try("Move `x` to 2.", (Part(variant=2, edits=(put("x", 2.0),)),)),
    ),
    code="x.grad  # 6.0",
    sources=("A page",),
)
LAST = replace(ASKS, key="last", title="And then?")


def serve(monkeypatch: pytest.MonkeyPatch, *lessons: Lesson) -> None:
    """Make these the lessons, in one track."""
    monkeypatch.setattr(gallery, "SERVED", lessons)
    monkeypatch.setattr(gallery, "TRACKS", (Track("one", "One", "", lessons),))


@pytest.fixture(autouse=True)
def track(monkeypatch):
    """One track with two lessons."""
    serve(monkeypatch, ASKS, LAST)


def next_of(lab: Lab, before: Reached = NONE) -> tuple[str, str, int] | None:
    found = onward(lab, before)
    return found and (found.kind, found.key, found.at)


def test_the_question_comes_first_then_another_graph_then_what_is_not_done_then_the_next_lesson():
    lab = open_lesson(start(), "asks")
    assert next_of(lab) is None
    lab = answered(lab, 0, "3")
    assert next_of(lab) is None  # one more try
    lab = answered(lab, 0, "6")
    assert next_of(lab) == (GRAPH, "asks", 2)
    lab = answered(open_lesson(lab, "asks", 2), 0, UNKNOWN)
    assert next_of(lab) == (TRY, "asks", 0)
    before = reached(NONE, do_try(lab, "asks", 0))
    assert next_of(lab, before) == (TRY, "asks", 1)
    before = reached(before, do_try(lab, "asks", 1, before))
    assert onward(lab, before) == Onward(LESSON, "Next: And then?", "last")
    end = answered(answered(open_lesson(lab, "last", 2), 0, "1"), 0, "2")
    both = Reached("last", before.parts)
    assert onward(end, both) == Onward(LESSONS, "Back to all lessons", "")
    assert onward(start()) is None


def test_after_the_last_lesson_of_a_track_comes_the_first_of_the_next(monkeypatch):
    tracks = (Track("one", "One", "", (ASKS,)), Track("two", "Two", "", (LAST,)))
    monkeypatch.setattr(gallery, "TRACKS", tracks)
    lab = answered(answered(open_lesson(start(), "asks", 2), 0, "1"), 0, "2")
    done = frozenset({(0, 0), (1, 0)})
    assert onward(lab, Reached("asks", done)) == Onward(LESSON, "Next track: Two", "last")
    lab = answered(answered(open_lesson(start(), "last", 2), 0, "1"), 0, "2")
    assert onward(lab, Reached("last", done)).kind == LESSONS


def test_of_an_exercise_with_two_parts_the_rest_is_named_until_both_are_reached(monkeypatch):
    parts = (Part(edits=(put("x", 0.0),)), Part(edits=(put("x", 2.0),)))
    two = replace(ASKS, to_try=(Try("Move `x` to 0, then to 2.", parts),), steps=ASKS.steps[:1])
    serve(monkeypatch, two)
    lab = answered(open_lesson(start(), "asks"), 0, "6")
    assert onward(lab).says == "Do try 1 for me"
    before = reached(NONE, do_try(lab, "asks", 0))
    assert onward(lab, before).says == "Do the rest of try 1 for me"
    assert onward(lab, reached(before, do_try(lab, "asks", 0, before))).kind == LESSONS


def test_a_plot_that_is_left_is_the_one_thing_to_press(monkeypatch):
    shown = replace(ASKS, to_try=(replace(ASKS.to_try[0], shows=("x", "sweep")),), steps=ASKS.steps[:1])
    serve(monkeypatch, shown)
    lab = do_try(answered(open_lesson(start(), "asks"), 0, "6"), "asks", 0)
    assert (found := onward(lab)).says == "Now open Sweep"
    assert (found.kind, found.exercise.opens) == (TRY, ("sweep",))
    assert onward(lab, reached(NONE, lab, plots=["sweep"])).kind == LESSONS


def test_what_was_answered_is_not_asked_again_unless_the_lesson_is_started_again():
    lab = answered(open_lesson(start(), "asks"), 0, "6")
    other = open_lesson(lab, "asks", 2)
    assert not other.asking.asked[0].revealed  # the same question, of other numbers
    back = open_lesson(other, "asks", 0)
    assert back.asking.asked[0].tries == ("6",)
    assert back.asking.asked[0].revealed
    done = do_try(answered(other, 0, "3"), "asks", 0)  # which is of the first graph
    assert (done.variant, onward(done).kind) == (0, GRAPH)
    assert lesson_view(back).changed
    again = restart_lesson(back, "asks", 0)
    assert again.asking.asked[0].tries == ()
    assert onward(again) is None
    assert not lesson_view(again).changed


def test_on_another_graph_the_text_says_that_it_speaks_of_the_first():
    assert lesson_view(open_lesson(start(), "asks")).text == "`x` is used twice."
    assert lesson_view(open_lesson(start(), "asks", 2)).text == (
        "Of the first graph, Squared:\n\n`x` is used twice."
    )


def test_code_and_sources_come_after_the_answer():
    lab = open_lesson(start(), "asks")
    view = lesson_view(lab)
    assert (view.about, view.code, view.sources) == ("", "", ())
    view = lesson_view(answered(lab, 0, UNKNOWN))
    assert (view.about, view.code, view.sources) == ("6 arrives.", "x.grad  # 6.0", ("A page",))


def test_while_an_exercise_trains_its_progress_is_told_and_its_first_step_stays_on_view(monkeypatch):
    learns = Step("Learns", "w = parameter(1.0)\ny = w * w", training=Plan(Settings("sgd", 0.1), 3))
    parts = (Part(variant=1, steps=3, at=0), Part(variant=1, steps=3, at=1))
    train = Try("Train three steps, look at step 0, then at 1.", (*parts,))
    serve(monkeypatch, replace(ASKS, steps=(ASKS.steps[1], learns), to_try=(train,)))
    lab = open_lesson(start(), "asks")
    assert next_of(lab) == (TRY, "asks", 0)
    lab = do_try(lab, "asks", 0)
    for made in range(3):
        assert (lab.variant, onward(lab)) == (1, Onward(TRAINING, f"Training: {made} of 3 \u2026", "asks", 0))
        lab = replace(lab, training=advanced(lab.training, 1))
    assert not lab.training.running
    seen = reached(NONE, lab)
    assert seen.parts == {(0, 0)}  # step 0 is on view
    lab = do_try(lab, "asks", 0, seen)
    assert reached(seen, lab).parts == {(0, 0), (0, 1)}


def test_the_result_stays_whatever_graph_is_open_and_whatever_tries_have_changed():
    lab = open_lesson(start(), "asks")
    assert result_of(lab) == ""
    told = answered(answered(lab, 0, "3"), 0, "6")
    line = "av1 asks: number 2 tries one-path right"
    assert (result_of(told), shown_result(told)) == (line, line)
    moved = set_input(told, "x", 0.0)
    assert (result_of(moved), shown_result(moved)) == (line, line)
    assert result_of(open_lesson(moved, "asks", 1)) == line
    last = answered(open_lesson(moved, "asks", 2), 0, UNKNOWN)
    assert result_of(last) == f"{line}\nav1 asks: number 1 try unknown"
    assert result_of(open_lesson(last, "last")) == ""
    assert result_of(restart_lesson(last, "asks")) == ""


def shown_result(lab: Lab) -> str:
    return lab_drawing(lab, lab_view(lab))["asking"]["summary"]
