"""Test the exercises of lessons: a click does each, and it is done then and not before."""

from __future__ import annotations

import pytest

from autodiff_viz.engine.training.course import records
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.views.actions import set_input
from autodiff_viz.views.edits.apply import edited
from autodiff_viz.views.lab import start
from autodiff_viz.views.lessons.gallery import open_lesson
from autodiff_viz.views.page.tries import do_try, tries
from tests.views.regression import finished, trained

ALL = [(found, i) for found in LESSONS for i in range(len(found.to_try))]
ACTING = [(found, i) for found, i in ALL if tries(open_lesson(start(), found.key))[1][i].acts]
IN_THE_LAB = [(found, i) for found, i in ACTING if not found.to_try[i].asks]
"""The others ask for what stands beside the graph: tests/ui/test_segments_panel.py, test_lessons_page.py."""


def done(lab) -> list[bool]:
    return [item.done for item in tries(lab)[1]]


@pytest.mark.parametrize(("found", "i"), IN_THE_LAB, ids=lambda case: getattr(case, "key", case))
def test_a_click_does_the_exercise_and_it_is_ticked_then_and_not_before(found, i):
    fresh = open_lesson(start(), found.key)
    assert not done(fresh)[i]
    after = do_try(fresh, found.key, i)
    assert after.notice == ()
    if found.to_try[i].steps:
        assert after.training.goal == found.to_try[i].steps
        assert not done(after)[i]  # until the steps are made
    else:
        assert done(after)[i]


def test_every_lesson_has_exercises_that_a_click_does():
    assert {found.key for found, _ in ACTING} == {found.key for found in LESSONS}
    assert ACTING == ALL


def test_the_same_done_by_hand_is_ticked_too():
    lab = open_lesson(start(), "fork")
    assert done(set_input(lab, "x", -1.5))[0]  # any other value
    assert done(edited(lab, {"kind": "rules", "nodes": ["b"], "rule": "stop"})) == [False, True, False]
    assert done(open_lesson(lab, "fork", 1)) == [False, False, True]


def test_the_exercise_with_a_seed_is_done_by_a_training_with_that_seed_alone():
    drawn = open_lesson(start(), "xor-broadcast", 2)
    usual = trained(drawn, 100)
    assert done(usual) == [False, False, False]
    lab = finished(do_try(usual, "xor-broadcast", 2), 50)
    assert done(lab)[2]
    assert records(lab.training.course).loss.tolist() == [0.5] * 100  # all predictions are 0 of 0, 1, 1, 0


def test_an_exercise_about_another_graph_opens_it():
    lab = do_try(open_lesson(start(), "forward-backward"), "forward-backward", 2)
    assert (lab.lesson, lab.variant) == ("forward-backward", 2)


def test_without_a_lesson_there_is_nothing_to_try_and_a_late_click_changes_nothing():
    assert tries(start()) is None
    assert do_try(start(), "nowhere", 0) == start()
    assert do_try(start(), "fork", 99) == start()
