"""Test the lab's own websocket, on a real server: what it does, and what it withstands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from autodiff_viz.graph import limits
from tests.browser.server import Server
from tests.ui.visitor import PATIENCE, Visitor

STOPPED = "b = stop_gradient(a * y)"


def said(visitor: Visitor) -> dict[str, Any]:
    """The last message of the component."""
    return json.loads(visitor.elements["canvas"].json)


class Talk:
    """The websocket of a visitor, who has the drawing that came with the page."""

    def __init__(self, socket: ClientConnection, first: dict[str, Any]):
        self.socket, self.key, self.have = socket, first["key"], first["rev"]

    def send(self, *edits: dict[str, Any], **beside: Any) -> dict[str, Any]:
        message = {"key": self.key, "edits": edits, "have": self.have, **beside}
        self.socket.send(json.dumps(message))
        return self.hear()

    def hear(self) -> dict[str, Any]:
        return json.loads(self.socket.recv(PATIENCE))


@contextmanager
def talking(server: Server, visitor: Visitor) -> Iterator[Talk]:
    with joined(server, said(visitor)["socket"]) as socket:
        yield Talk(socket, said(visitor))


def joined(server: Server, name: str, **asked: Any) -> ClientConnection:
    """A websocket to the session `name`."""
    path = f"ws://127.0.0.1:{server.port}/lab-socket"
    return connect(path, subprotocols=["lab", name], max_size=None, proxy=None, **asked)


def stop(number: int, node: str = "b") -> dict[str, Any]:
    return {"kind": "rules", "nodes": [node], "rule": "stop", "seq": number}


def test_an_edit_is_answered_without_a_run_and_done_once(server, visitor):
    with talking(server, visitor) as talk:
        answer = talk.send(stop(1))
        assert (answer["ack"], answer["base"]) == (1, talk.have)
        assert STOPPED in answer["patch"]["formula"]["text"]
        assert parse_qs(answer["query"])["at"] == [f"{talk.key}.1"]
        again = talk.send(stop(1))  # at least once, it was said
        assert again["ack"] == 1
        assert "query" not in again  # nothing has changed since
        assert answer["turn"] < again["turn"]
    before = said(visitor)["turn"]
    visitor.send()
    now = said(visitor)
    assert (now["ack"], before < now["turn"]) == (1, True)
    assert parse_qs(visitor.query)["at"] == [f"{talk.key}.1"]


def test_edits_over_both_connections_are_of_one_session(server, visitor):
    with talking(server, visitor) as talk:
        talk.send(stop(1))
        visitor.elements["canvas"].json = json.dumps({**said(visitor), "ack": 1})  # the page has received it
        visitor.edit("canvas", kind="rules", nodes=["a"], rule="stop")
        assert said(visitor)["ack"] == 2
        answer = talk.send({"kind": "rules", "nodes": ["b"], "rule": "follow", "seq": 3})
        text = answer["patch"]["formula"]["text"]
        assert "a = stop_gradient(sin(x))" in text
        assert "b = a * y" in text
        assert parse_qs(answer["query"])["at"] == [f"{talk.key}.3"]


def test_the_answer_of_a_worker_is_sent_unasked(server, visitor):
    with talking(server, visitor) as talk:
        talk.have = None  # so that every answer holds the whole drawing
        answer = talk.send({"kind": "slide", "name": "x", "value": 0.123456, "fresh": True, "seq": 1})
        assert answer["rest"] is not None
        while state_of(answer) != "agrees":
            asked = talk.send(rest=answer["turn"]) if answer["rest"] is not None else None
            answer = asked or talk.hear()
        assert answer["ack"] == 1


def state_of(answer: dict[str, Any]) -> str | None:
    return answer["full"]["check"].get("state")


@pytest.mark.parametrize("name", ["0" * 32, "%00", "x" * 2_000])
def test_nobody_connects_to_a_session_without_its_name(server, name):
    with pytest.raises(InvalidStatus):
        joined(server, name)


@pytest.mark.parametrize("offered", [[], ["lab"], ["{name}"], ["{name}", "lab"], ["lab", "x", "{name}"]])
def test_the_name_counts_only_after_the_word_lab(server, visitor, offered):
    name = said(visitor)["socket"]
    protocols = [word.format(name=name) for word in offered]
    with pytest.raises(InvalidStatus):
        connect(f"ws://127.0.0.1:{server.port}/lab-socket", subprotocols=protocols or None, proxy=None)


def test_the_name_in_the_path_leads_nowhere(server, visitor):
    with pytest.raises(InvalidStatus):
        connect(f"ws://127.0.0.1:{server.port}/lab-socket/{said(visitor)['socket']}", proxy=None)


def test_the_name_is_not_in_the_address_which_people_share(server, visitor):
    with talking(server, visitor) as talk:
        name = said(visitor)["socket"]
        assert len(name) == 32
        assert name not in talk.send(stop(1))["query"]


@pytest.mark.parametrize("page", ["http://evil.example", "http://127.0.0.1.evil.example", "http://["])
def test_a_page_of_another_site_is_refused_though_it_has_the_name(server, visitor, page):
    with pytest.raises(InvalidStatus):
        joined(server, said(visitor)["socket"], origin=page)
    with joined(server, said(visitor)["socket"], origin=server.address) as socket:
        assert Talk(socket, said(visitor)).send(stop(1))["ack"] == 1


def test_a_newer_websocket_of_a_tab_closes_the_older_one(server, visitor):
    with talking(server, visitor) as older, talking(server, visitor) as newer:
        with pytest.raises(ConnectionClosed) as closed:
            older.hear()
        assert closed.value.rcvd.code == 4409
        assert newer.send(stop(1))["ack"] == 1
    with talking(server, visitor) as talk:
        assert talk.send(stop(2))["ack"] == 2


def test_a_message_to_another_session_changes_nothing(server, visitor):
    with talking(server, visitor) as talk:
        talk.key = "0" * 10
        assert talk.send(stop(1))["ack"] == 0


@pytest.mark.parametrize("text", ["", "[", "[]", "1", '"x"', "null", '{"edits": 1}', '{"key": []}', "{}"])
def test_what_is_no_message_changes_nothing(server, visitor, text):
    with talking(server, visitor) as talk:
        talk.socket.send(text)
        assert talk.hear()["ack"] == 0
        assert talk.send(stop(1))["ack"] == 1


@pytest.mark.nightly
def test_brackets_without_end_are_refused_and_the_session_goes_on(server, visitor):
    with talking(server, visitor) as talk:
        talk.socket.send('{"key": ' + "[" * 100_000 + "]" * 100_000 + "}")
        assert talk.hear()["ack"] == 0
        visitor.send()
        assert "brackets nested more than 32 deep" in visitor.texts()
        assert talk.send(stop(1))["ack"] == 1


@pytest.mark.nightly
def test_more_values_than_a_page_sends_are_refused_and_the_session_goes_on(server, visitor):
    """2.6 million lists would be 140 MB and hold the interpreter for two seconds."""
    with talking(server, visitor) as talk:
        talk.socket.send('{"key": [' + "[]," * 2_600_000 + "0]}")
        assert talk.hear()["ack"] == 0
        visitor.send()
        assert "100,000 values or more at once" in visitor.texts()
        assert talk.send(stop(1))["ack"] == 1


@pytest.mark.nightly
@pytest.mark.parametrize("message", ["x" * (limits.MESSAGE_BYTES + 1), b"{}"])
def test_what_is_too_long_or_no_text_ends_the_connection_alone(server, visitor, message):
    with talking(server, visitor) as talk:
        talk.socket.send(message)
        with pytest.raises(ConnectionClosed):
            talk.hear()
    with talking(server, visitor) as talk:
        assert talk.send(stop(1))["ack"] == 1
