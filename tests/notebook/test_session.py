"""Test what the kernel answers to the lab in a notebook, without a notebook."""

from __future__ import annotations

from threading import Event
from time import sleep
from typing import Any

import pytest
from msgspec import json

import autodiff_viz as av
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.messages.envelope import answer_text
from autodiff_viz.notebook import beside
from autodiff_viz.notebook import session as sessions
from autodiff_viz.notebook.session import NotebookSession
from autodiff_viz.standalone.data import lab_of

GRAPH = "x = 30.0\ny = sin(x)\nz = y * x"


class Browser:
    """The browser's side: it sends each edit once, and tells which drawing it has."""

    def __init__(self, text: str = GRAPH) -> None:
        self.session = NotebookSession(lab_of(av.parse(text)))
        self.heard: dict[str, Any] = {}
        self.seq = 0
        self.take({"have": None})

    def take(self, message: dict[str, Any]) -> dict[str, Any]:
        self.heard = json.decode(answer_text(self.session.take(message)))
        return self.heard

    def send(self, kind: str, **fields: Any) -> dict[str, Any]:
        self.seq += 1
        return self.take(self.message(edits=[{"kind": kind, "seq": self.seq, **fields}]))

    def ask(self, **fields: Any) -> dict[str, Any]:
        return self.take(self.message(edits=[], rest=self.heard["turn"], **fields))

    def rest(self, **fields: Any) -> dict[str, Any]:
        """Ask until all that takes longer has come; return what the check says then."""
        checked = self.ask(**fields)["patch"].get("check", {})
        while self.heard["due"]:
            sleep(0.02)
            checked = self.ask(**fields)["patch"].get("check", checked)
        return checked

    def message(self, **fields: Any) -> dict[str, Any]:
        return {"key": self.heard["key"], "have": self.heard["rev"], **fields}


def test_a_stop_by_hand_changes_the_gradient_and_undo_brings_it_back():
    browser = Browser()
    session = browser.session
    assert session.trace.gradient["x"] == pytest.approx(30 * 0.15425145 - 0.98803162, rel=1e-5)
    browser.send("rules", nodes=["y"], rule="stop")
    assert session.trace.gradient["x"] == pytest.approx(
        -0.98803162, rel=1e-5
    )  # sin(30), the product rule's other half
    browser.send("undo")
    assert session.lab.graph["y"].rule.kind == "follow"


def test_an_edit_that_comes_twice_is_done_once():
    browser = Browser()
    browser.send("select", node="y")
    message = browser.message(edits=[{"kind": "slide", "name": "x", "value": 1.0, "seq": 2}])
    browser.take(message)
    steps = len(browser.session.lab.history.past)
    assert browser.take(message)["ack"] == 2
    assert len(browser.session.lab.history.past) == steps


def test_an_edit_is_answered_by_what_has_changed_and_a_browser_without_the_drawing_gets_all():
    browser = Browser()
    assert "full" in browser.heard
    assert "patch" in browser.send("rules", nodes=["y"], rule="stop")
    assert "full" in browser.take({"key": browser.heard["key"], "have": None})


def test_what_takes_longer_comes_when_asked_for_and_then_nothing_is_asked_again():
    browser = Browser()
    answer = browser.send("select", node="y")
    assert answer["due"]
    assert answer["rest"] is not None
    assert "agrees" in browser.rest(seen=True)["says"]  # with jax.vjp of the whole program
    assert (browser.heard["due"], browser.heard["rest"]) == (False, None)
    assert "x" in browser.session.figure().words


def test_no_figure_is_made_while_its_place_is_not_in_view():
    browser = Browser()
    browser.rest(seen=False)
    assert browser.session.figure() is None


class Endless:
    """A check that never ends by itself."""

    def __init__(self) -> None:
        self.begun, self.ended = Event(), Event()

    def __call__(self, *_given: Any) -> None:
        self.begun.set()
        try:
            while True:
                sleep(0.01)
        finally:
            self.ended.set()


@pytest.fixture
def endless(monkeypatch):
    check = Endless()
    monkeypatch.setattr(sessions, "verification", lambda *given: check(*given))
    return check


def test_an_edit_does_not_wait_for_a_check_and_ends_one_that_is_of_other_numbers(endless):
    browser = Browser()
    browser.ask()
    assert endless.begun.wait(20)
    assert (browser.heard["due"], browser.heard["rest"]) == (True, sessions.AGAIN)
    browser.send("rules", nodes=["y"], rule="stop")
    assert browser.session.trace.gradient["x"] == pytest.approx(-0.98803162, rel=1e-5)
    assert endless.ended.wait(20)


def test_a_check_goes_on_while_a_node_is_selected(endless):
    browser = Browser()
    browser.ask()
    assert endless.begun.wait(20)
    browser.send("select", node="y")
    browser.ask()
    assert not endless.ended.is_set()
    browser.send("undo")
    browser.send("slide", name="x", value=1.0)
    assert endless.ended.wait(20)


def test_a_check_that_takes_too_long_is_given_up_and_says_so(endless, monkeypatch):
    browser = Browser()
    browser.ask()
    assert endless.begun.wait(20)
    monkeypatch.setattr(beside, "SECONDS", 0.0)
    assert "took too long" in browser.rest()["says"]
    assert endless.ended.wait(20)
    assert (browser.heard["due"], browser.heard["rest"]) == (False, None)


def test_an_interrupted_edit_is_not_done_and_not_begun_again(monkeypatch):
    def interrupted(*_given):
        monkeypatch.undo()
        raise KeyboardInterrupt

    browser = Browser()
    before = browser.session.lab.graph
    monkeypatch.setattr(sessions, "present", interrupted)
    answer = browser.send("rules", nodes=["y"], rule="stop")
    assert answer["ack"] == 1
    assert "interrupted" in str(answer["patch"]["notice"])
    assert browser.session.lab.graph is before
    browser.send("rules", nodes=["y"], rule="stop")
    assert browser.session.lab.graph["y"].rule.kind == "stop"


def test_tables_for_sliders_come_beside_the_edits():
    browser = Browser()
    want = list(browser.heard["full"]["sweeps"].items())
    answer = browser.take(browser.message(edits=[], want=want))
    while not answer["tables"]:
        assert answer["due"]
        sleep(0.02)
        answer = browser.take(browser.message(edits=[], want=want))
    assert [table["input"] for table in answer["tables"]] == ["x"]


def test_what_python_shows_is_a_step_that_undo_takes_back():
    browser = Browser()
    session = browser.session
    session.open(av.parse("p = 2.0\nq = p * p"))
    assert session.trace.gradient["p"] == 4.0
    assert "full" in browser.take({"key": browser.heard["key"], "have": None})
    browser.send("undo")
    assert session.lab.graph.output == "z"


def test_a_node_that_is_not_there_cannot_be_selected():
    browser = Browser()
    with pytest.raises(GraphError, match="no node 'w'"):
        browser.session.select("w")
    browser.session.select("y")
    assert browser.session.lab.selected == "y"


@pytest.mark.parametrize(
    "message", [{"edits": 3}, {"key": "other", "edits": []}, {"edits": [{"seq": 1}]}, {}]
)
def test_a_message_that_cannot_be_read_changes_nothing(message):
    browser = Browser()
    before = browser.session.lab
    browser.take({"key": browser.heard["key"], **message})
    assert browser.session.lab.graph is before.graph


def test_code_that_is_typed_is_read_at_once():
    browser = Browser()
    browser.send("type", text="import jax.numpy as jnp\nx = jnp.array(2.0)\ny = x ** 3", fresh=True)
    assert float(browser.session.trace.gradient["x"]) == 12.0
