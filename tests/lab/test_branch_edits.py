"""Test edits of groups of branches from the canvas, applied to a lab."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.branches.train_one import branches_of
from autodiff_viz.canvas.drawing import Picture, drawing, places
from autodiff_viz.lab.actions import typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.state import Lab, formula_text, start
from autodiff_viz.lab.training import moment
from autodiff_viz.training.run import cannot_go_on
from tests.branching import stacked
from tests.lab.regression import finished, trained

TEXT = "x = 1.0\na = sin(x)\nb = exp(a)\nc = cos(b)\n"


def lab_of(text: str) -> Lab:
    return typed(start(), text)


def sent(lab: Lab, kind: str, **fields: object) -> Lab:
    return edited(lab, {"seq": 1, "kind": kind, **fields})


def drawn(lab: Lab) -> dict[str, dict]:
    found = drawing(Picture(lab.graph, None, {}, (), None, 0, lab.collapsed)).data
    return {group["name"]: group for group in found["groups"]}


def test_the_number_of_branches_is_one_step_with_a_name():
    lab = sent(lab_of(stacked(2)), "branches", group="gate", k=4)
    assert lab.notice == ()
    assert lab.history.present.label == "Set k of gate to 4"
    assert drawn(lab)["gate"]["branches"] == ["gate_1", "gate_2", "gate_3", "gate_4"]
    assert "stack([o_1, o_2, o_3, o_4])" in formula_text(lab)
    assert undone(lab).graph == lab_of(stacked(2)).graph


def test_a_group_that_is_none_of_branches_is_drawn_as_before():
    assert "branches" not in drawn(lab_of(stacked(1)))["gate_1"]


@pytest.mark.parametrize(("k", "says"), [(0, "only branch"), (17, "is the limit"), (10**9, "the limit")])
def test_a_number_out_of_bounds_is_refused_in_words(k, says):
    before = lab_of(stacked(1))
    after = sent(before, "branches", group="gate", k=k)
    assert after.graph == before.graph
    assert says in after.notice[0].message


def test_shapes_that_would_not_fit_refuse_another_branch():
    text = stacked(2).replace("reshape(p, (-1, 1, 1, 1, 1)) * s", "reshape(s, (-1, 64))")
    before = lab_of(text.replace("mean(square(y))", "mean(square(y) + reshape(expand_dims(s, 0), (64,)))"))
    after = sent(before, "branches", group="gate", k=3)
    assert after.graph == before.graph
    assert after.notice[0].message.startswith("k = 3 does not fit what comes after the branches.")


def test_nodes_that_somebody_has_put_in_places_stay_there_and_new_ones_cover_none():
    lab = sent(lab_of(stacked(2)), "move", positions={"x": [-400, 30]})
    before = places(lab.graph).positions
    after = places(sent(lab, "branches", group="gate", k=3).graph).positions
    assert {name: after[name] for name in before} == before
    assert len(set(after.values())) == len(after)


def test_a_new_branch_is_collapsed_where_the_last_one_is():
    lab = sent(lab_of(stacked(2)), "collapse", group="gate_2", on=True)
    assert sent(lab, "branches", group="gate", k=3).collapsed == {"gate_2", "gate_3"}


def test_nodes_become_the_first_of_some_branches():
    lab = sent(lab_of(TEXT), "make_branches", nodes=["a", "b"])
    assert lab.history.present.label == "Make branches"
    assert [(one.name, one.nodes) for one in branches_of(lab.graph, "branches")] == [
        ("branches_1", frozenset("ab"))
    ]
    more = sent(lab, "branches", group="branches", k=2)
    assert more.graph["c"].slots == ("add_1",)
    assert more.graph["add_1"].slots == ("b", "b_2")


def test_a_group_of_just_these_nodes_becomes_the_first_branch():
    lab = sent(sent(lab_of(TEXT), "group", nodes=["a", "b"]), "make_branches", nodes=["b", "a"])
    assert [one.name for one in branches_of(lab.graph, "branches")] == ["group"]
    assert sent(lab, "make_branches", nodes=["b", "a"]).notice[0].code == "no-branches"
    assert sent(lab, "make_branches", nodes=[]).notice[0].code == "no-nodes"


def test_one_branch_is_trained_alone_and_all_are_again():
    before = lab_of(stacked(3))
    alone = sent(before, "tune", group="gate", branch="gate_2")
    assert alone.history.present.label == "Train only gate_2"
    assert drawn(alone)["gate"]["alone"] == "gate_2"
    free = sent(alone, "tune", group="gate", branch=None)
    assert free.graph == before.graph
    assert "alone" not in drawn(free)["gate"]
    fewer = sent(sent(before, "tune", group="gate", branch="gate_3"), "branches", group="gate", k=2)
    assert drawn(fewer)["gate"]["stopped"]  # the others are so still, and can be freed
    assert "stopped" not in drawn(sent(fewer, "tune", group="gate", branch=None))["gate"]


GATE = """x = [1.0, 2.0]
p = parameter([0.5, 0.5])
with branches("gate"):
    with group("gate_1"):
        w_1 = parameter([0.3, 0.1])
        o_1 = w_1 * x
    with group("gate_2"):
        w_2 = parameter([0.2, 0.4])
        o_2 = w_2 * x
loss = mean(square(p @ stack([o_1, o_2]) - 3.0))
"""


@pytest.mark.nightly
def test_a_training_goes_on_with_a_branch_more_that_is_trained_alone():
    lab = trained(lab_of(GATE), 4)
    learned = lab.training.course.state.parameters
    lab = sent(sent(lab, "branches", group="gate", k=3), "tune", group="gate", branch="gate_3")
    before = moment(lab).parameters
    np.testing.assert_array_equal(before["w_2"], learned["w_2"])
    np.testing.assert_allclose(before["w_3"], [0.2, 0.4], rtol=1e-6)  # written out: the copy begins the same
    lab = trained(lab, 3)
    assert len(lab.training) == 7
    now = lab.training.course.state.parameters
    np.testing.assert_array_equal(now["w_2"], learned["w_2"])
    assert np.abs(now["w_3"] - before["w_3"]).max() > 1e-3
    early = moment(replace(lab, step=2))
    assert early.step == 2
    assert early.parameters["w_3"].shape == (2,)
    assert early.parameters["p"].shape == (3,)
    again = from_query(to_query(lab))
    assert len(finished(again).training) == 7


def test_a_training_of_other_parameters_altogether_does_not_go_on():
    lab = typed(trained(lab_of(GATE), 2), "v = parameter(2.0)\nloss = v * v")
    assert cannot_go_on(lab.training, lab.graph)
