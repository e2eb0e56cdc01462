"""Test the record of a training: how it goes on, and why it stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.graph import limits
from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.model import Rule
from autodiff_viz.lab.actions import set_input, set_rule, typed
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.persistence.training import with_course
from autodiff_viz.lab.state import start
from autodiff_viz.lab.training import pauses, plans, resets, trains
from autodiff_viz.lab.training_panel import run_log
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.training.course import records
from autodiff_viz.training.run import advanced, cannot_go_on, still, with_settings
from tests.lab.regression import TEXT, finished, lab_of, loss_of, trained


def losses(lab):
    return records(lab.training.course).loss


@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_the_steps_are_those_of_hand_work_however_they_are_cut(chunk):
    lab = finished(trains(lab_of(), 20), chunk)
    np.testing.assert_allclose(losses(lab), [loss_of(k) for k in range(20)], rtol=1e-5)


def test_the_tutorials_own_run_has_the_losses_that_it_printed():
    lab = trained(open_lesson(start(), "xor-tutorial", 1), 10)
    (printed,) = [claim for claim in lesson("xor-tutorial").claims if claim.says == "All ten losses"]
    np.testing.assert_allclose(losses(lab), printed.expected, atol=1e-7)


def test_a_pause_keeps_what_was_made_and_more_steps_go_on_from_there():
    lab = trains(lab_of(), 20)
    lab = pauses(replace(lab, training=advanced(lab.training, 5)))
    assert (len(lab.training), lab.training.running) == (5, False)
    np.testing.assert_allclose(losses(trained(lab, 3)), [loss_of(k) for k in range(8)], rtol=1e-5)


def test_a_stop_in_mid_course_freezes_the_parameter_and_goes_on():
    lab = trained(set_rule(trained(lab_of(), 4), "w", "stop"), 4)
    np.testing.assert_allclose(losses(lab)[4:], [loss_of(4)] * 4, rtol=1e-5)
    assert [phase.first for phase in lab.training.course.phases] == [0, 4]


def test_a_rule_reaches_a_training_that_runs():
    lab = trains(lab_of(), 8)
    half = advanced(lab.training, 4)
    stopped = with_rule(still(lab.graph), "w", Rule("stop"))
    after = finished(replace(lab, training=with_settings(half, stopped, half.settings)))
    np.testing.assert_allclose(losses(after)[4:], [loss_of(4)] * 4, rtol=1e-5)


def test_moving_a_node_is_no_change_of_the_rules():
    lab = trained(lab_of(), 3)
    nodes = tuple(replace(node, position=(10.0, 20.0)) for node in lab.graph.nodes)
    assert still(replace(lab.graph, nodes=nodes)) == still(lab.graph)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda lab: typed(lab, TEXT.replace("w", "v")), "w"),
        (lambda lab: set_input(lab, "w", 0.5), "w"),
    ],
)
def test_other_parameters_stop_it_and_are_named(edit, said):
    lab = trains(trained(lab_of(), 3), 100)
    other = edit(lab)
    after = with_settings(lab.training, still(other.graph), lab.plan.settings)
    assert not after.running
    assert said in after.why
    assert len(after) == 3
    assert trains(replace(other, training=after), 5).training is after


def test_a_loss_that_is_no_number_stops_it_and_the_place_is_named():
    lab = trained(plans(lab_of(), rate=100.0), 100)  # each step multiplies the error by 499
    assert "infinite" in lab.training.why
    assert np.isinf(losses(lab)[-1])
    assert np.isfinite(losses(lab)[:-1]).all()
    assert 2.5 * 4 * 499.0 ** (2 * (len(lab.training) - 1)) > float(np.finfo("float32").max)
    assert "'loss'" in lab.training.why


def test_a_visit_has_a_limit_of_work_and_says_so(monkeypatch):
    monkeypatch.setattr(limits, "TRAINING_SECONDS", 0)
    lab = trained(lab_of(), 5)
    assert len(lab.training) == 0
    assert "limit" in lab.training.why


def test_no_more_steps_are_promised_than_a_training_may_have():
    lab = trains(trained(lab_of(), 3), limits.STEPS)
    assert lab.training.goal == limits.STEPS


def test_a_first_loss_that_is_no_number_is_not_blamed_on_the_learning_rate():
    text = "x = [1.0, 2.0]\nw = parameter(shape=(2, 2), seed=0)\n"
    lab = trained(lab_of(text + "L = softmax_cross_entropy_with_integer_labels(x @ w, 5)"), 3)
    assert "step 0 is not a number" in lab.training.why
    assert "rate" not in lab.training.why


def test_a_graph_without_a_loss_says_what_is_missing():
    lab = trained(lab_of("w = parameter(shape=(3,))\ny = w * 2.0"), 5)
    assert "one number" in lab.training.why


def test_a_region_that_cannot_run_keeps_no_step_from_view():
    text = 'w = parameter(3.0)\nwith checkpoint("r"):\n    a = w * 2.0\nb = sin(a)\n'
    text += 'with checkpoint("r"):\n    loss = square(a - b)\n'
    lab = finished(trains(typed(start(), text), 2))
    view = lab_view(lab)
    assert view.moment.step == 2
    assert all("runs" not in node for node in view.drawing["nodes"])
    assert run_log(lab, view) == ""


def test_the_optimiser_lasts_as_long_as_the_course():
    lab = trained(plans(trained(lab_of(), 2), optimiser="adam"), 2)
    assert {phase.settings.optimiser for phase in lab.training.course.phases} == {"sgd"}
    begun = trained(resets(lab), 2)
    assert {phase.settings.optimiser for phase in begun.training.course.phases} == {"adam"}


def test_an_address_trains_to_the_same_step_again_under_the_rules_of_each():
    lab = trained(set_rule(trained(lab_of(), 4), "w", "stop"), 4)
    lab = trained(plans(set_rule(lab, "w", "follow"), rate=0.01), 3)
    opened = from_query(to_query(lab))
    assert len(opened.training) == 0
    again = finished(opened)
    np.testing.assert_array_equal(losses(again), losses(lab))
    assert to_query(again) == to_query(lab)


def test_an_address_while_it_runs_leads_to_where_it_was_going():
    lab = trains(lab_of(), 9)
    lab = replace(lab, training=advanced(lab.training, 4))
    assert len(finished(from_query(to_query(lab))).training) == 9


def test_going_back_to_an_earlier_address_makes_no_step_again():
    early = trained(lab_of(), 4)
    late = trained(early, 4)
    back = with_course(from_query(to_query(early)), late.training)
    assert back.training is late.training


@pytest.mark.parametrize(
    "text", ["", "[]", "[5]", '[5,"float32",[[1,{},["sgd",0.1,0]]]]', '[1e99,"float32",[]]', "~x"]
)
def test_an_address_that_was_tampered_with_has_no_training(text):
    query = {**to_query(trained(lab_of(), 2)), "trained": text}
    assert from_query(query).training is None


def test_a_training_of_another_graph_is_not_in_the_address():
    lab = typed(trained(lab_of(), 2), "v = parameter(2.0)\nloss = v * v")
    assert "trained" not in to_query(lab)
    assert cannot_go_on(lab.training, lab.graph)
    assert parse("v = parameter(2.0)\nloss = v * v") == lab.graph
