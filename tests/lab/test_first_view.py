"""Test first drawings at an address: computed once for all visitors, with nothing of a visitor's own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest
from streamlit.testing.v1 import AppTest

from autodiff_viz.graph.link import to_link
from autodiff_viz.lab import first_view
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.first_view import drawing, first
from autodiff_viz.lab.inspector.panel import Answers
from autodiff_viz.lab.persistence.address import TRAINED, to_query
from autodiff_viz.lab.state import start
from autodiff_viz.language.parse import parse
from autodiff_viz.ui.session import SESSION
from tests.lab.regression import lab_of, trained
from tests.own_lesson import KEY
from tests.ui.page import drawing_of, lab_data, put

APP = str(Path(__file__).parents[2] / "app.py")
LINK = to_link(parse("x = -0.0\ny = 2.0 / x"))


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("query", [{}, {"lesson": KEY}, {"g": LINK}, {"g": LINK, "node": "y"}], ids=str)
def test_the_second_visitor_gets_what_was_worked_out_for_the_first(query):
    one, other = opened(**query), opened(**query)
    here, there = one.session_state[SESSION], other.session_state[SESSION]
    assert here is not there
    assert here.present.view.trace is there.present.view.trace
    assert drawing_of(one) == drawing_of(other)
    assert lab_data(one)["key"] != lab_data(other)["key"]


def test_what_is_returned_is_what_is_drawn_of_that_lab_anew():
    handed, anew = opened(g=LINK), AppTest.from_file(APP, default_timeout=60)
    put(anew, handed.session_state[SESSION].lab)
    anew.run()
    assert drawing_of(handed) == drawing_of(anew)


def test_what_one_visitor_does_is_not_seen_by_the_next():
    before = opened(lesson=KEY)
    drawn = json.dumps(drawing_of(before))
    here = before.session_state[SESSION]
    node = here.lab.graph.nodes[-1].name
    here.lab = edited(here.lab, {"kind": "rules", "nodes": [node], "rule": "stop"})
    before.run()
    assert json.dumps(lab_data(before)) != drawn
    assert json.dumps(drawing_of(opened(lesson=KEY))) == drawn


def test_addresses_that_differ_in_a_sign_of_zero_are_not_the_same():
    other = to_link(parse("x = 0.0\ny = 2.0 / x"))
    values = [
        float(opened(g=link).session_state[SESSION].present.view.trace.value["y"]) for link in (LINK, other)
    ]
    assert values == [float("-inf"), float("inf")]


def test_the_stamp_of_an_edit_makes_no_other_address():
    assert first({"g": LINK, "at": "0123456789.3"}) is first({"g": LINK, "at": "9876543210.1"})


def test_a_training_is_ones_own():
    query = to_query(trained(lab_of(), 2))
    assert TRAINED in query
    assert first(query) is None


def test_a_graph_that_only_the_browser_has_is_ones_own():
    assert first({"kept": "0123456789ab"}) is None
    assert first({}).lab.graph == start().graph


def test_a_class_makes_the_drawing_once(monkeypatch):
    found, made = first({"lesson": KEY}), []
    found.newest.clear()

    def slow(*arguments: object) -> object:
        made.append(arguments)
        sleep(0.05)
        return drawing(*arguments)

    monkeypatch.setattr(first_view, "drawing", slow)
    with ThreadPoolExecutor(8) as threads:
        told = [*threads.map(lambda _: found.drawing_with(Answers()), range(8))]
    assert len(made) == 1
    assert all(each is told[0] for each in told)
