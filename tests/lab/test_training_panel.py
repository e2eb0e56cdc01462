"""Test what the page says of the step on view, on a training that is worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autodiff_viz.lab.actions import typed
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.state import start
from autodiff_viz.lab.training import plans, scrubs, trains
from autodiff_viz.lab.training_panel import loss_now, says
from autodiff_viz.training.run import advanced


@pytest.mark.parametrize(
    ("step", "words"),
    # w is 2, 1, 0.5 with the rate 0.25, since d(w^2)/dw = 2 w: the loss is 4, 1, 0.25.
    [(1, "Step 1 of 2 · loss 1"), (2, "Step 2 of 2 · loss 0.25 after the last update")],
)
def test_the_loss_of_the_last_step_is_told_from_the_last_one_of_the_chart(step, words):
    """The chart has the losses with which steps begin: it ends with that of step 1."""
    lab = trains(plans(typed(start(), "w = parameter(2.0)\nloss = w * w"), optimiser="sgd", rate=0.25), 2)
    lab = scrubs(replace(lab, training=advanced(lab.training, 2)), step)
    assert loss_now(lab.training) == "1"
    assert says(lab, lab_view(lab)) == words
