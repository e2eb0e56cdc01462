"""Test answers to hostile messages: at most a plain sentence, without internals of the server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autodiff_viz.graph import limits
from autodiff_viz.ui.session import FAILED
from tests.browser.server import ROOT
from tests.ui.visitor import Visitor, closed, visiting

DEEP = "[" * 100_000 + "]" * 100_000
INSIDE = ("Traceback", 'File \\"', ".venv", "site-packages", "stack_trace", str(ROOT))


def inside(visitor: Visitor) -> list[str]:
    """What has come of the server's inside."""
    return [word for word in INSIDE if word in visitor.texts()]


def test_a_page_is_not_told_where_the_server_has_the_project(visitor):
    assert inside(visitor) == []


@pytest.mark.nightly
@pytest.mark.parametrize("text", [DEEP, f'[{{"event": "outbox", "value": {DEEP}}}]', "[" * 100_000])
def test_brackets_without_end_are_refused_and_the_session_goes_on(visitor, text):
    visitor.post("canvas", text)
    assert visitor.shown("exception") == []
    assert inside(visitor) == []
    assert "brackets nested more than 32 deep" in visitor.texts()
    visitor.edit("canvas", kind="select", node="b")
    assert r"\"selected\":\"b\"" in visitor.elements["canvas"].json


def test_a_state_without_end_is_taken_for_an_empty_one(visitor):
    visitor.set("canvas", json_value='{"seen": ' + DEEP + "}")
    assert visitor.shown("exception") == []
    assert visitor.shown("alert") == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", {"string_value": "nonsense"}),
        ("seed", {"bytes_value": b"abc"}),
        ("canvas", {"json_value": '"x'}),
    ],
)
def test_a_failing_run_says_so_plainly_and_the_log_has_the_rest(server, visitor, name, value):
    before = len(server.log.read_text())
    visitor.set(name, **value)
    assert visitor.shown("exception") == []
    assert {alert.body for alert in visitor.shown("alert")} == {FAILED}
    assert inside(visitor) == []
    assert "Traceback" in server.log.read_text()[before:]


def test_bytes_that_are_no_message_close_the_connection_and_say_nothing(visitor):
    visitor.heard = []
    visitor.socket.send(b"\xff\xfe\x00garbage")
    assert closed(visitor) == 1002  # protocol error
    assert inside(visitor) == []


def test_too_many_edits_are_refused(visitor):
    key = json.loads(visitor.elements["canvas"].json)["key"]
    edits = [{"seq": i, "kind": "undo"} for i in range(1, limits.EDITS + 2)]
    visitor.post("canvas", json.dumps([{"event": "outbox", "value": {"key": key, "edits": edits}}]))
    assert "1,001 edits at once; at most 1,000 are done" in visitor.texts()


def test_why_an_edit_was_refused_is_told_until_the_browser_says_that_it_was_shown(visitor):
    """The answer may come while the next edit waits to be sent: the drawing is there and was not shown."""
    visitor.edit("canvas", kind="connect", **{"from": "z"}, to="a", slot=0)
    word = json.loads(visitor.elements["canvas"].json)
    refused, told = word["ack"], r"\"notice\":[{"
    visitor.edit("canvas", {"have": word["rev"]}, kind="output", node="b")
    visitor.edit("canvas", kind="output", node="z")
    assert told in visitor.elements["canvas"].json
    visitor.edit("canvas", {"noticed": [refused]}, kind="output", node="b")
    assert told not in visitor.elements["canvas"].json


def test_streamlit_tells_no_visitor_what_went_wrong():
    config = (Path(ROOT) / ".streamlit" / "config.toml").read_text()
    assert '\nshowErrorDetails = "none"' in config


def test_an_edit_that_names_the_app_and_not_the_page_is_done_by_the_run_that_it_starts(server):
    with visiting(server.address) as visitor:
        page, visitor.page, visitor.fragment = visitor.page, visitor.script, visitor.fragments["canvas"]
        assert visitor.page != page
        visitor.edit("canvas", kind="select", node="b")
        assert r"\"selected\":\"b\"" in visitor.elements["canvas"].json
