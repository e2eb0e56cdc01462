"""Test the training panel, without a browser."""

from __future__ import annotations

import pytest

from autodiff_viz.lab.training import scrubs, trains
from autodiff_viz.ui.session import SESSION
from tests.lab.regression import lab_of, trained
from tests.ui.test_lab_page import page, ran

STATES = {
    "new": lab_of(),
    "running": trains(lab_of(), 20_000),
    "trained": trained(lab_of(), 3),
    "own numbers": scrubs(trained(lab_of(), 3), None),
}


def test_the_steps_a_second_can_be_limited():
    app = page(lab=lab_of())
    (box,) = [box for box in app.selectbox if (box.key or "").startswith("train_pace")]
    box.set_value(2)
    app = ran(app)
    assert app.session_state[SESSION].trainer.pace == 2
    (box,) = [box for box in app.selectbox if (box.key or "").startswith("train_pace")]
    assert box.value == 2


@pytest.mark.parametrize("state", STATES)
def test_what_is_disabled_says_why(state):
    app = page(lab=STATES[state])
    app.session_state[SESSION].trainer.put(None)
    mine = [button for button in app.button if (button.key or "").startswith("train_")]
    disabled = [button for button in mine if button.disabled]
    assert len(mine) >= 3
    assert disabled
    assert [button.label for button in disabled if not button.help] == []
