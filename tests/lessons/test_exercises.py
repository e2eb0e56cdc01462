"""Test that what exercises say of numbers holds after their edits, by hand."""

import re

import pytest

from autodiff_viz.asking.question import UNKNOWN
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.lab.exercises import NONE, do_try, exercises_data, reached
from autodiff_viz.lab.judging import answered
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import start
from autodiff_viz.lessons.gallery import LESSONS, lesson
from autodiff_viz.segments.compute import division
from tests.own_lesson import KEY


def after(key: str, i: int) -> Trace:
    """Trace the graph that the edits of an exercise lead to."""
    done = do_try(open_lesson(start(), key, lesson(key).to_try[i].parts[0].variant), key, i)
    assert done.notice == ()
    return trace(done.graph)


def test_without_a_dead_relu_every_prediction_is_above_0():
    assert (after("xor-tutorial", 2).value["yhat"] > 0).all()


@pytest.mark.nightly
def test_segments_with_a_stop_still_agree_with_the_whole():
    stopped = after("split-model", 2)
    assert len(division(stopped.graph, stopped).links) == 4
    assert division(stopped.graph, stopped).agrees
    assert not any(stopped.gradient[name].any() for name in ("k0", "b0", "k1", "b1"))


def test_the_browser_gets_the_exercises_after_the_answer_with_the_sliders_and_nodes_that_they_change():
    lab = open_lesson(start(), KEY)
    assert exercises_data(lab, NONE) is None
    lab = answered(lab, 0, UNKNOWN)
    first, second, *_ = exercises_data(lab, NONE)
    says = lesson(KEY).to_try[0].says
    assert first == {"says": says, "done": False, "parts": 0, "moves": ["x"], "aims": {}, "bends": []}
    assert (second["moves"], second["bends"]) == ([], ["b"])
    lab = do_try(lab, KEY, 0)
    first, second, *_ = exercises_data(lab, reached(NONE, lab))
    assert (first["done"], first["parts"], second["done"]) == (True, 1, False)


def test_an_exercise_that_moves_an_input_of_one_of_two_graphs_says_in_which():
    """The other one keeps its number, and what is said of both then compares other values."""
    looked = 0
    for one in LESSONS:
        for exercise in one.to_try:
            moves = [
                part
                for part in exercise.parts
                if one.steps[part.variant].pinned and any(edit["kind"] == "slide" for edit in part.edits)
            ]
            looked += len(moves)
            titled = any(f"*{step.title}*" in exercise.says for step in one.steps)
            named = re.search(r"\b([Ii]n [AB]|in both graphs|first graph)\b", exercise.says)
            assert not moves or titled or named, f"{one.key}: {exercise.says}"
    assert looked > 10
