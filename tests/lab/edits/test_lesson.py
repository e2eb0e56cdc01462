"""Test the choice between the graphs of a lesson, by the tabs above the canvas."""

from __future__ import annotations

import pytest

from autodiff_viz.lab import actions
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import start
from tests.own_lesson import KEY


def variant(number: object, lesson: str = KEY) -> dict:
    return {"seq": 1, "kind": "variant", "lesson": lesson, "variant": number}


def test_another_graph_of_the_lesson_opens_and_undo_leads_back():
    lab = open_lesson(start(), KEY)
    after = edited(lab, variant(1))
    assert (after.lesson, after.variant) == (KEY, 1)
    assert {node.name for node in after.graph.nodes} == {"x", "y"}
    assert actions.undone(after).graph == lab.graph


def test_the_graph_that_is_open_stays_as_the_user_has_changed_it():
    lab = actions.set_rule(open_lesson(start(), KEY), "b", "stop")
    assert edited(lab, variant(0)).graph == lab.graph


def test_a_choice_for_a_lesson_that_was_left_meanwhile_changes_nothing():
    lab = open_lesson(start(), "neuron")
    assert edited(lab, variant(1)) is lab


@pytest.mark.parametrize("number", [-1, 1.0, "1", None, True])
def test_what_is_no_number_of_a_graph_is_refused(number):
    lab = open_lesson(start(), KEY)
    after = edited(lab, variant(number))
    assert after.graph == lab.graph
    assert after.notice
