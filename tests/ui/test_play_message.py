"""Test that the steps of the pass are sent when the browser requests them, once, and never with an edit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.server import Server
from tests.ui.visitor import WORD, Visitor, visiting

A_STEP = "0.8253 × 1.5 = 1.238 goes to x"


@pytest.fixture
def visitor(tmp_path) -> Iterator[Visitor]:
    server = Server(tmp_path / "log.txt")
    try:
        server.start()
        with visiting(server.address) as found:
            yield found
    finally:
        server.stop()


def test_the_browser_is_sent_the_steps_of_the_numbers_that_it_shows(visitor):
    state = json.loads(json.loads(visitor.elements["canvas"].json)["full"])["state"]
    (play,) = asked(visitor, state)
    assert play["state"] == state
    assert any(A_STEP in step["says"] for step in play["steps"])
    assert asked(visitor, state + 1) == asked(visitor, "1") == []  # other numbers; no number at all
    visitor.edit("canvas", kind="rule", node="b", rule="stop")
    assert plays(visitor) == []


def asked(visitor: Visitor, state: Any) -> list[dict[str, Any]]:
    key, _ = WORD.search(visitor.elements["canvas"].json).groups()
    message = {"key": key, "edits": [], "play": state}
    visitor.post("canvas", json.dumps([{"event": "outbox", "value": message}]))
    return plays(visitor)


def plays(visitor: Visitor) -> list[dict[str, Any]]:
    """The lists of steps that have come since the last message."""
    words = [json.loads(e.json) for e in visitor.shown("bidi_component") if e.id.endswith("-canvas")]
    assert words
    return [json.loads(word["play"]) for word in words if "play" in word]
