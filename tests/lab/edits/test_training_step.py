"""Test that an edit from the browser, which is not trusted, shows a step of the training."""

import pytest

from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from tests.lab.regression import lab_of, loss_of, trained

TRAINED = trained(lab_of(), 5)


@pytest.mark.parametrize("step", [0, 3, 5])
def test_the_canvas_has_the_numbers_of_the_step_and_no_step_of_the_history_is_made(step):
    lab = edited(TRAINED, {"kind": "step", "step": step, "seq": 1})
    view = lab_view(lab)
    assert (view.moment.step, lab.history, lab.notice) == (step, TRAINED.history, ())
    assert float(view.trace.value["loss"]) == pytest.approx(loss_of(step), rel=1e-4)


@pytest.mark.parametrize("edit", [{}, {"step": None}, {"step": -2}, {"step": 1.5}, {"step": True}])
def test_what_is_no_step_is_refused(edit):
    lab = edited(TRAINED, {"kind": "step", "seq": 1, **edit})
    assert lab.step == TRAINED.step
    assert [notice.seq for notice in lab.notice] == [1]


def test_a_step_that_comes_after_its_training_was_replaced_changes_nothing():
    assert edited(TRAINED, {"kind": "step", "step": 6, "seq": 1}) is TRAINED
    untrained = lab_of()
    assert edited(untrained, {"kind": "step", "step": 0, "seq": 1}) is untrained
