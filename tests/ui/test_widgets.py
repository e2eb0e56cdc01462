"""Test widgets whose messages are late and carry a value that Python has replaced."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from autodiff_viz.lab.actions import set_seed, typed
from autodiff_viz.lab.state import start
from autodiff_viz.ui import fragments
from autodiff_viz.ui.session import Session
from tests.ui.page import lab_of, put

APP = str(Path(__file__).parents[2] / "app.py")
PATIENCE = 60  # seconds; the first run compiles


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(APP, default_timeout=PATIENCE).run()


def elsewhere(app: AppTest, action, *arguments) -> AppTest:
    """Do something on the canvas or in the formula, while the widgets show what they show."""
    put(app, action(lab_of(app), *arguments))
    return app.run()


def seed(app: AppTest) -> float | None:
    return lab_of(app).seed


def shown(widgets, key: str):
    (found,) = [widget for widget in widgets if widget.key.startswith(key)]
    return found


def test_a_number_set_elsewhere_is_shown_by_another_box_so_that_the_old_one_can_put_nothing_back(app):
    before = shown(app.number_input, "seed").key
    elsewhere(app, set_seed, 2.0)
    box = shown(app.number_input, "seed")
    assert (box.value, box.key == before) == (2.0, False)


def test_the_users_number_is_kept_in_the_same_box_which_keeps_the_focus(app):
    before = shown(app.number_input, "seed").key
    for number in (0.7, 2.0, 0.7):
        shown(app.number_input, "seed").set_value(number).run()
        assert (seed(app), shown(app.number_input, "seed").key) == (number, before)


def test_the_old_number_typed_at_once_is_the_users(app):
    elsewhere(app, set_seed, 2.0)
    shown(app.number_input, "seed").set_value(1.0).run()
    assert seed(app) is None  # 1 is what it is without one


def test_what_is_refused_leaves_the_box_with_what_counts(app):
    elsewhere(app, typed, "v = [1.0, 2.0]\n")
    shown(app.text_input, "seed_text").set_value("two").run()
    assert (seed(app), shown(app.text_input, "seed_text").value) == (None, "1.0")


def test_what_a_widget_said_last_is_no_news_and_what_it_says_next_is(monkeypatch):
    here, state = Session(start()), {}
    monkeypatch.setattr(fragments, "current_session", lambda: here)
    monkeypatch.setattr(fragments.st, "session_state", state)
    key = fragments.renewed("rule", "a", "stop")
    said = []
    for word in ("stop", "follow", "follow", "stop", None):
        state[key] = word
        said.append(fragments.is_changed(here.widgets, state, key))
    assert said == [False, True, False, True, True]
    state[key] = "stop"
    other = fragments.renewed("rule", "b", "stop")
    assert other != key
    assert not fragments.is_changed(here.widgets, state, other)
