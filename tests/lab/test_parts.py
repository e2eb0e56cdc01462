"""Test the parts of the lab page that an edit changes, other than the component of the lab."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autodiff_viz.lab.actions import set_input, set_rule
from autodiff_viz.lab.asking import stop_asking
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.inspector.fields import fields
from autodiff_viz.lab.inspector.node import node_view
from autodiff_viz.lab.lessons import close_lesson, open_lesson
from autodiff_viz.lab.page import is_about_training, lab_drawing
from autodiff_viz.lab.parts import PARTS, changed, shows
from autodiff_viz.lab.state import Lab, opened, start, with_choice
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.gallery import LESSONS
from tests.lab.regression import lab_of, trained
from tests.own_lesson import KEY

SELECTED = replace(start(), selected="b")


def shown(lab: Lab) -> dict:
    view = lab_view(lab)
    return {name: shows(name, lab, view, {}) for name in PARTS}


def parts(before: Lab, after: Lab) -> set[str]:
    return changed(shown(before), after, lab_view(after), {})


def test_everything_is_drawn_once():
    assert changed({}, start(), lab_view(start()), {}) == set(PARTS)


def test_nothing_is_drawn_again_when_nothing_has_changed():
    assert parts(SELECTED, SELECTED) == set()


def test_a_rule_changes_the_figures_and_nothing_else_beside_the_component():
    assert parts(SELECTED, set_rule(SELECTED, "b", "stop")) == {"figure", "second"}


def test_a_selection_changes_a_part_only_where_a_tensor_is_selected():
    assert parts(SELECTED, replace(SELECTED, selected="y")) == set()
    net = opened(start(), parse("x = [[1.0, 2.0, 3.0]]\ny = exp(x)\nz = sum(y)"), "")
    assert parts(net, replace(net, selected="y")) == {"tensor"}


def test_a_moved_node_changes_none_of_them():
    moved = edited(SELECTED, {"kind": "move", "positions": {"y": [300, 200]}, "how": "nudge"})
    assert moved.graph != SELECTED.graph
    assert parts(SELECTED, moved) == set()


def test_an_input_that_moves_leaves_the_chooser():
    assert parts(SELECTED, set_input(SELECTED, "x", 2.0)) == {"figure", "second"}


def test_another_figure_changes_the_figure_and_its_chooser():
    assert parts(SELECTED, replace(SELECTED, figure="runs")) == {"chooser", "figure"}


@pytest.mark.parametrize(("figure", "change"), [("precision", ("scale", 2.0)), ("noise", ("draws", 100))])
def test_what_is_chosen_beside_a_figure_changes_that_figure(figure, change):
    noisy = replace(opened(SELECTED, parse("x = 1.0\ny = x * normal()"), ""), figure=figure)
    assert parts(noisy, with_choice(noisy, *change)) == {"chooser", "figure"}


@pytest.mark.parametrize(("seed", "dtype"), [(2.0, "float32"), (None, "float64")])
def test_seed_and_precision_change_every_number(seed, dtype):
    found = parts(SELECTED, replace(SELECTED, seed=seed, dtype=dtype))
    assert {"settings", "figure"} <= found


def test_a_lesson_changes_as_it_is_opened_and_closed():
    lesson = open_lesson(start(), LESSONS[0].key)
    assert "lesson" in parts(start(), lesson)
    assert "lesson" in parts(lesson, close_lesson(lesson))


def test_a_graph_that_is_not_finished_has_no_program_and_no_figure():
    whole, half = (opened(start(), parse(f"x = 2.0\ny = x * {slot}"), "") for slot in ("3.0", "..."))
    assert {"settings", "figure"} <= parts(whole, half)


def test_a_part_is_drawn_again_for_what_it_shows_beside_the_lab():
    lab = start()
    assert changed(shown(lab), lab, lab_view(lab), {"settings": "too large"}) == {"settings"}


def test_claims_follow_an_edit_by_themselves_and_only_in_a_lesson():
    lesson = set_input(stop_asking(open_lesson(start(), KEY)), "x", 1.0)
    after = parts(lesson, set_input(lesson, "x", 2.0))
    assert "claims" in after
    assert "lesson" not in after  # with which the whole page would be drawn again
    assert "claims" not in parts(start(), set_input(start(), "x", 2.0))
    move = {"kind": "move", "positions": {"x": [10.0, 20.0]}}
    assert "claims" not in parts(lesson, edited(lesson, move))


def test_training_comes_first_in_a_lesson_about_it_and_once_it_has_run_and_never_for_a_parameter_alone():
    about = {one.key for one in LESSONS if is_about_training(open_lesson(start(), one.key))}
    assert {"split-cnn", "xor-broadcast"} <= about
    assert not {"neuron", KEY, "gated-transformer"} & about
    assert not is_about_training(lab_of())
    assert is_about_training(trained(lab_of(), 1))


def test_while_a_step_is_on_view_sliders_and_fields_of_parameters_say_that_they_are_of_the_start():
    """The canvas has the weight of step 3; slider and field have the formula's."""
    before, after = (replace(lab, selected="w") for lab in (lab_of(), trained(lab_of(), 3)))
    drawn = [lab_drawing(lab, lab_view(lab)) for lab in (before, after)]
    assert [data["sliders"].get("says") for data in drawn] == [
        None,
        "Training starts with this value of w; the canvas shows step 3.",
    ]
    views = [lab_view(lab) for lab in (before, after)]
    found = [fields(v.graph, node_view(v.graph, v.trace, "w"), v.moment is not None) for v in views]
    labels = [next(field["label"] for field in each if field["id"] == "numbers") for each in found]
    assert labels == ["Numbers", "Numbers when training starts"]
    own = replace(after, step=None)  # the formula's own numbers are on view
    assert "says" not in lab_drawing(own, lab_view(own))["sliders"]
