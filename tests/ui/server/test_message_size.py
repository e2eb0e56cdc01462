"""Test that a message is refused by its size, its fields and its values, before it is parsed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import connect

from autodiff_viz.graph import limits
from autodiff_viz.lab.persistence.address import from_query
from autodiff_viz.lab.persistence.json_text import too_deep_or_many
from autodiff_viz.ui.server import websocket
from autodiff_viz.ui.server.websocket import FIELDS, Checked, refusal
from autodiff_viz.ui.server.wire_format import has_more_fields
from tests.browser.server import COMMANDS, ROOT, Server
from tests.ui.server.asgi import finished
from tests.ui.visitor import Visitor, closed, visiting

MOST, DEPTH = limits.MESSAGE_PARTS, limits.MESSAGE_DEPTH
RERUN, STATES, WIDGETS, DOUBLES = 11, 2, 1, 7  # field numbers, from streamlit/proto/*.proto


def field(number: int, content: bytes) -> bytes:
    """A field with a length, as protobuf's encoding says: tag, length as a varint, content."""
    length, size = b"", len(content)
    while size >= 128:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def rerun(states: bytes) -> bytes:
    """A message with these states of widgets."""
    return field(RERUN, field(STATES, states))


def with_text(text: str) -> bytes:
    """A message of a component with this JSON."""
    message = BackMsg()
    state = message.rerun_script.widget_states.widgets.add()
    state.id, state.json_trigger_value = "x", text
    return message.SerializeToString()


def test_the_encoding_by_hand_is_that_of_protobuf():
    message = BackMsg.FromString(rerun(field(WIDGETS, field(1, b"a" * 200)) + field(WIDGETS, b"")))
    assert [state.id for state in message.rerun_script.widget_states.widgets] == ["a" * 200, ""]


@pytest.mark.parametrize("count", [0, 1, 3, 500])
def test_fields_are_counted_inside_messages(count):
    """Two fields lead to the states; each state has itself and its id."""
    data = rerun(field(WIDGETS, field(1, b"id")) * count)
    assert not has_more_fields(data, BackMsg.DESCRIPTOR, 2 + 2 * count)
    assert has_more_fields(data, BackMsg.DESCRIPTOR, 1 + 2 * count)


def test_a_long_text_is_one_field_and_packed_numbers_are_many():
    assert not has_more_fields(with_text("[" * 100_000), BackMsg.DESCRIPTOR, 10)
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add().int_array_value.data.extend([1] * 100)
    assert has_more_fields(message.SerializeToString(), BackMsg.DESCRIPTOR, 100)
    assert not has_more_fields(message.SerializeToString(), BackMsg.DESCRIPTOR, 110)


@pytest.mark.parametrize("data", [b"\x5a", b"\x5a\x05\x00", b"\x5b", b"\xff" * 20, b"\x0f\x00", b"\x59\x00"])
def test_what_is_no_message_is_not_counted(data):
    with pytest.raises(ValueError, match=r"^a field|^a group|^a number"):
        has_more_fields(data, BackMsg.DESCRIPTOR, 1_000)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" * (DEPTH + 1), "too deep"),
        ("[" * DEPTH + "]" * DEPTH, None),
        ("[" * MOST, "too deep"),
        ("[" + "0," * (MOST - 2) + "0]", None),
        ("[" + "0," * MOST + "0]", "too many"),
        ("[" + "[]," * MOST + "0]", "too many"),
        ("{}" * MOST, "too many"),
        ('["' + '","' * MOST + '"]', "too many"),
        ('"' + "[,{" * MOST + '"', None),
        ('"' + '\\",' * MOST + '"', None),
    ],
)
def test_values_are_counted_outside_of_texts(text, why):
    assert refusal(text) == why


def test_of_too_many_values_only_the_first_are_searched_for_brackets():
    assert too_deep_or_many("0," * 1_000 + "[" * 50, 32, 1_000) == (False, True)
    assert too_deep_or_many("[" * 50 + "0," * 1_000, 32, 1_000) == (True, True)


class Inside:
    """The app behind the filter: the messages that have come to it."""

    def __init__(self) -> None:
        self.came: list[dict[str, Any]] = []

    async def __call__(self, scope, receive, send) -> None:
        while not self.came or self.came[-1]["type"] != "websocket.disconnect":
            self.came.append(await receive())


def through(monkeypatch, message: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(what the app gets, what the browser gets) when a browser sends a message that must not be parsed."""
    monkeypatch.setattr(websocket, "BackMsg", None)
    monkeypatch.setattr(websocket, "DESCRIPTOR", BackMsg.DESCRIPTOR)
    inside, sent = Inside(), []

    async def receive():
        return {"type": "websocket.receive", **message}

    async def send(answer):
        sent.append(answer)

    finished(Checked(inside)({"type": "websocket"}, receive, send))
    return inside.came, sent


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"bytes": bytes(limits.MESSAGE_BYTES + 1)}, 1009),
        ({"text": "x" * (limits.MESSAGE_BYTES + 1)}, 1009),
        ({"bytes": rerun(field(WIDGETS, b"") * (FIELDS + 1))}, 1009),
        ({"bytes": rerun(field(WIDGETS, b"") * 100_000) + b"\x5b"}, 1002),
    ],
    ids=["bytes", "text", "fields", "no message"],
)
def test_what_is_too_long_or_no_message_closes_the_websocket_unparsed(monkeypatch, message, code):
    came, sent = through(monkeypatch, message)
    assert came == [{"type": "websocket.disconnect", "code": code}]
    assert sent == [{"type": "websocket.close", "code": code}]


def asking_for(query: str) -> bytes:
    """A message that asks for a run at this address."""
    message = BackMsg()
    message.rerun_script.query_string = query
    return message.SerializeToString()


def test_an_address_is_cut_so_that_what_reads_it_says_that_it_is_too_long():
    cut = BackMsg.FromString(websocket.admitted(asking_for("g=1" + "a" * 300_000))).rerun_script.query_string
    assert len(cut) == limits.ADDRESS
    (problem,) = from_query(dict(parse_qsl(cut))).notice
    assert problem.code == "link-too-long"
    longest = asking_for("g=1" + "a" * (limits.LINK - 1) + "&kept=" + "0" * 64)
    assert websocket.admitted(longest) == longest


def test_streamlits_own_limits_are_those_of_the_project():
    with (Path(ROOT) / ".streamlit" / "config.toml").open("rb") as file:
        server = tomllib.load(file)["server"]
    assert server["maxWidgetStateSize"] * 1_000_000 == limits.MESSAGE_BYTES
    assert limits.MESSAGE_BYTES <= server["maxMessageSize"] * 1_000_000 <= 16 * 2**20  # Uvicorn's default
    assert limits.MESSAGE <= limits.MESSAGE_BYTES


@pytest.fixture(scope="module", params=[*COMMANDS])
def server(request, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server") / "log.txt", request.param)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.mark.nightly
def test_a_piece_that_is_read_at_once_unpacks_to_little(server):
    """30 messages of 15 MB come as 450 kB; the first is refused, and of the others few are unpacked by then.

    In pieces of 256 kB, as asyncio reads, they took 310 MB.
    """
    data = with_text("x" * 15_500_000)
    with visiting(server.address):
        before = peak(server)
        with connect(f"ws://127.0.0.1:{server.port}/_stcore/stream", subprotocols=["streamlit"]) as socket:
            for _ in range(30):
                socket.protocol.send_binary(data)
            socket.socket.sendall(b"".join(socket.protocol.data_to_send()))
            assert closed(Visitor(socket)) == 1009
        assert peak(server) - before <= 200


def peak(server: Server) -> int:
    """The most memory that the server has had, in MB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) // 1024


@pytest.mark.nightly
@pytest.mark.parametrize(
    "data",
    [with_text("[]" * 47_500_000), rerun(field(WIDGETS, b"") * 3_900_000)],
    ids=["95 MB that come as 92 kB", "3.9 million widgets"],
)
def test_a_message_that_would_take_all_memory_ends_its_connection_alone(server, data):
    with visiting(server.address) as visitor:
        before = peak(server)
        stream = f"ws://127.0.0.1:{server.port}/_stcore/stream"
        with connect(stream, subprotocols=["streamlit"], proxy=None) as socket:
            socket.send(data)
            assert closed(Visitor(socket)) == 1009
        assert peak(server) - before <= 50
        key = json.loads(visitor.elements["canvas"].json)["key"]
        visitor.edit("canvas", kind="select", node="b")
        assert json.loads(visitor.elements["canvas"].json)["key"] == key
