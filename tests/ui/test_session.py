"""Test the lab between the session and the address bar, run by Streamlit without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread
from time import sleep
from urllib.parse import parse_qs

import pytest
from streamlit.runtime.state.query_params import QueryParams
from streamlit.testing.v1 import AppTest

from autodiff_viz.lab.actions import set_input, typed, undone
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import CLASS, GALLERY, VIEW, to_query
from autodiff_viz.lab.state import FIRST, start
from autodiff_viz.ui import address
from autodiff_viz.ui.panels import settings
from autodiff_viz.ui.server.lab_socket import exchange
from autodiff_viz.ui.session import SESSION, Session, act
from tests.own_lesson import KEY
from tests.ui.page import drawing_of, lab_of, put

APP = str(Path(__file__).parents[2] / "app.py")
PATIENCE = 60  # seconds; the first run compiles


def with_address(app: AppTest, query: dict[str, str]) -> AppTest:
    app.query_params.clear()
    for key, value in query.items():
        app.query_params[key] = value
    return app


@pytest.fixture
def going_back(monkeypatch) -> None:
    """Streamlit is told by the browser that its back button was pressed."""
    monkeypatch.setattr(address, "navigated", lambda: True)


def test_an_action_is_applied_to_the_present_lab_when_the_browser_still_has_the_old_address():
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    app.number_input(key="seed").set_value(2.0).run()
    with_address(app, to_query(start())).selectbox(key="dtype").set_value("float64").run()
    assert (lab_of(app).seed, lab_of(app).dtype) == (2.0, "float64")


def test_going_back_to_the_same_graph_brings_back_how_it_was_written(going_back):
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    put(app, typed(start(), "# mine\n" + FIRST))
    app.run()
    with_address(app, to_query(typed(start(), "# yours\n" + FIRST))).run()
    assert drawing_of(app)["formula"]["text"] == "# yours\n" + FIRST


def test_an_earlier_address_is_opened(going_back):
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    put(app, set_input(lab_of(app), "x", 2.0))
    with_address(app.run(), to_query(start())).run()
    assert lab_of(app).graph == start().graph


def test_undo_after_going_back_leads_to_the_lesson_that_was_left(going_back):
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    put(app, open_lesson(start(), KEY, 1))
    with_address(app.run(), to_query(start())).run()
    here = lab_of(app)
    assert (here.graph, here.lesson) == (start().graph, None)
    assert (undone(here).lesson, undone(here).variant) == (KEY, 1)


def test_an_address_that_is_only_late_takes_nothing_back():
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    put(app, set_input(lab_of(app), "x", 2.0))
    with_address(app.run(), to_query(start())).run()
    assert lab_of(app).graph["x"].param("value") == 2.0
    assert app.query_params["g"] == to_query(lab_of(app))["g"]


def test_an_address_told_over_the_websocket_outlives_a_run_that_names_an_older_one():
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    here = app.session_state[SESSION]
    act(here, set_input, "x", 2.0)
    told = parse_qs(address.next_address(here))
    with_address(app, {}).run()
    assert app.query_params["g"] == told["g"][0] == to_query(lab_of(app))["g"]
    with_address(app, to_query(start())).run()  # Streamlit's browser names what it was told last
    assert app.query_params["g"] == told["g"][0]


def test_the_address_over_the_websocket_stays_as_it_was_opened_until_something_changes():
    app = with_address(AppTest.from_file(APP, default_timeout=PATIENCE), {"lesson": KEY}).run()
    here = app.session_state[SESSION]
    assert address.next_address(here) == f"lesson={KEY}"
    act(here, set_input, "x", 2.0)
    assert "g=" in address.next_address(here)


def test_a_late_message_of_the_lab_leaves_the_address_of_the_lessons_alone():
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    here = app.session_state[SESSION]
    here.address.written, here.address.pushed = {VIEW: GALLERY}, False  # as a link to the lessons does
    answer, known, _ = exchange(here, None, f"lesson={KEY}")
    assert ("query" in json.loads(answer), known) == (False, f"lesson={KEY}")
    assert here.address.written == {VIEW: GALLERY}
    with_address(app, {}).run()
    assert app.query_params == {}  # the lab again, where nothing has been done


def test_the_lab_after_a_page_that_was_opened_first_replaces_its_address_in_the_browser(monkeypatch):
    told: list[str] = []
    monkeypatch.setattr(QueryParams, "_send_query_param_msg", lambda query: told.append(str(query)))
    app = with_address(AppTest.from_file(APP, default_timeout=PATIENCE), {VIEW: CLASS}).run()
    assert SESSION not in app.session_state
    told.clear()
    with_address(app, {})
    app.run()  # as the link to the lab does: the browser's own address is still that of the class
    assert not app.exception
    assert told == ["{}"]
    assert app.session_state[SESSION].address.written == {}


def test_actions_of_two_threads_are_all_done():
    """As messages over the websocket come beside a run of Streamlit."""

    def one_more(lab):
        value = lab.graph["x"].param("value")
        sleep(0.0005)  # in which another thread may come between
        return set_input(lab, "x", value + 1.0)

    here = Session(start())
    first = here.lab.graph["x"].param("value")
    threads = [Thread(target=lambda: [act(here, one_more) for _ in range(50)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert here.lab.graph["x"].param("value") == pytest.approx(first + 100)


def test_an_action_with_a_mistake_of_ours_leaves_the_lab_and_says_so(monkeypatch, caplog):
    def broken(lab, seed):
        raise RecursionError(f"/secret/path {seed}")

    monkeypatch.setattr(settings, "set_seed", broken)
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    before = lab_of(app)
    app.number_input(key="seed").set_value(2.0).run()
    assert not app.exception
    assert lab_of(app).history is before.history
    said = " ".join(text.value for text in app.text)
    assert "Something went wrong on the server: your last step was not done." in said
    assert "secret" not in said
    assert "/secret/path" in caplog.text
    caplog.clear()
