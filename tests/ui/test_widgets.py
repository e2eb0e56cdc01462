"""Widgets that answer late, with a value that they have been told to give up."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from autodiff_viz.language.parse import parse
from autodiff_viz.ui import widgets
from autodiff_viz.views.actions import set_input, set_rule, typed
from autodiff_viz.views.lab import start

APP = str(Path(__file__).parents[2] / "app.py")
PATIENCE = 60  # seconds; the first run compiles


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(APP, default_timeout=PATIENCE).run()


def elsewhere(app: AppTest, action, *arguments) -> AppTest:
    """Do something on the canvas or in the formula, while the widgets show what they show."""
    app.session_state["lab"] = action(app.session_state["lab"], *arguments)
    return app.run()


def value(app: AppTest, name: str) -> float:
    return app.session_state["lab"].graph[name].param("value")


def test_a_slider_that_answers_late_puts_no_typed_number_back(app):
    elsewhere(app, set_input, "x", 2.0)
    app.slider(key="slider_x").set_value(0.6).run()
    assert value(app, "x") == 2.0


def test_another_value_of_the_slider_is_the_users(app):
    elsewhere(app, set_input, "x", 2.0)
    app.slider(key="slider_x").set_value(0.7).run()
    assert value(app, "x") == 0.7


def test_after_a_while_the_old_value_is_the_users_too(app, monkeypatch):
    elsewhere(app, set_input, "x", 2.0)
    monkeypatch.setattr(widgets, "LATE", -1.0)
    app.slider(key="slider_x").set_value(0.6).run()
    assert value(app, "x") == 0.6


def test_the_number_box_follows_the_slider_and_does_not_answer_for_it(app):
    app.slider(key="slider_x").set_value(2.0).run()
    app.number_input(key="number_x").set_value(0.6).run()
    assert value(app, "x") == 2.0


def test_a_rule_shown_late_is_not_put_on_the_next_node(app):
    elsewhere(app, set_rule, "a", "stop")
    app.segmented_control(key="rule").set_value("follow").run()
    assert app.session_state["lab"].graph["a"].rule.kind == "stop"


def test_a_slider_of_a_node_that_has_gone_moves_nothing(app):
    slider = app.slider(key="slider_x").set_value(2.0)
    app.session_state["lab"] = typed(start(), "w = 1.0")
    slider.run()
    assert not app.exception
    assert app.session_state["lab"].graph == parse("w = 1.0")
