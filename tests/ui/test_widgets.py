"""Widgets that answer late, with a value that they have been told to give up."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from autodiff_viz.ui import widgets
from autodiff_viz.views.actions import set_rule, set_seed

APP = str(Path(__file__).parents[2] / "app.py")
PATIENCE = 60  # seconds; the first run compiles


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(APP, default_timeout=PATIENCE).run()


def elsewhere(app: AppTest, action, *arguments) -> AppTest:
    """Do something on the canvas or in the formula, while the widgets show what they show."""
    app.session_state["lab"] = action(app.session_state["lab"], *arguments)
    return app.run()


def seed(app: AppTest) -> float | None:
    return app.session_state["lab"].seed


def test_a_box_that_answers_late_puts_no_old_number_back(app):
    elsewhere(app, set_seed, 2.0)
    app.number_input(key="seed").set_value(1.0).run()
    assert seed(app) == 2.0


def test_another_number_in_the_box_is_the_users(app):
    elsewhere(app, set_seed, 2.0)
    app.number_input(key="seed").set_value(0.7).run()
    assert seed(app) == 0.7


def test_after_a_while_the_old_number_is_the_users_too(app, monkeypatch):
    elsewhere(app, set_seed, 2.0)
    monkeypatch.setattr(widgets, "LATE", -1.0)
    app.number_input(key="seed").set_value(1.0).run()
    assert seed(app) is None  # 1 is what it is without one


def test_a_rule_shown_late_is_not_put_on_the_next_node(app):
    elsewhere(app, set_rule, "a", "stop")
    assert [control.value for control in app.segmented_control if control.key == "rule"] == []
    (shown,) = [control for control in app.segmented_control if control.key.startswith("rule")]
    assert shown.value == "stop"
    shown.set_value("follow").run()
    assert app.session_state["lab"].graph["a"].rule.kind == "follow"
