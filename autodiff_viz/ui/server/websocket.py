"""Filter the messages on the websocket between server and browser, in both directions.

Streamlit reads a component's message with `json.loads` before any code of the project runs. Brackets nested
some thousand deep raise an exception there, and from then on the visitor's session fails at every message.

A message may come compressed a thousand times, so what it costs is limited before it is parsed: its bytes,
its fields, and the values in its JSON.
"""

from __future__ import annotations

import json
import logging
from asyncio import selector_events
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError
from starlette.middleware import Middleware
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from autodiff_viz.graph import limits
from autodiff_viz.lab.persistence.json_text import too_deep_or_many
from autodiff_viz.ui.inbox import TOO_MANY
from autodiff_viz.ui.scheduling import switch_often_in_long_turns
from autodiff_viz.ui.server.wire_format import has_more_fields

TOO_LONG, NO_MESSAGE = 1009, 1002  # codes with which a websocket is closed
FIELDS = 20_000  # of a message to Streamlit; a page with 300 widgets has some 1,000
DESCRIPTOR = BackMsg.DESCRIPTOR
TOO_DEEP = "too deep"

AT_ONCE = 72 * 1024
"""Bytes; the longest link comes in one piece: Uvicorn refuses a request whose head is incomplete at 16 kB."""
SERVER = str(Path(__file__).parents[3]).encode()
_log = logging.getLogger(__name__)


class Checked:
    """ASGI middleware that filters every message of a websocket by `admitted` or `discreet`.

    It closes a websocket at a message that is too long, or none.
    """

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return

        async def take() -> Any:
            message = await receive()
            switch_often_in_long_turns()
            if (code := refused(message)) is not None:
                await send({"type": "websocket.close", "code": code})
                return {"type": "websocket.disconnect", "code": code}
            return _changed(message, admitted)

        async def give(message: Any) -> None:
            await send(_changed(message, discreet))

        await self.app(scope, take, give)


MIDDLEWARE = [Middleware(Checked)]


def read_little_at_once() -> None:
    """Have the server read a connection in small pieces, so that what it unpacks at once is little.

    All messages in a piece are unpacked, to a thousand times its bytes at most, before the app sees one.
    The connection is not read then until the app has taken them.
    """
    selector_events._SelectorSocketTransport.max_size = AT_ONCE  # there is no public setting


def _changed(message: Any, change: Any) -> Any:
    data = message.get("bytes")
    return {**message, "bytes": change(data)} if data else message


def refused(message: Any) -> int | None:
    """Return the code with which the websocket is closed at this message; None for one that may be parsed."""
    data, text = message.get("bytes") or b"", message.get("text") or ""
    try:
        long = max(len(data), len(text)) > limits.MESSAGE_BYTES or has_more_fields(data, DESCRIPTOR, FIELDS)
    except ValueError:
        return NO_MESSAGE
    return TOO_LONG if long else None


def refusal(text: str) -> str | None:
    """Return why the JSON of a message is not parsed; None if it is."""
    deep, many = too_deep_or_many(text, limits.MESSAGE_DEPTH, limits.MESSAGE_PARTS)
    return TOO_DEEP if deep else TOO_MANY if many else None


def admitted(data: bytes) -> bytes:
    """Return a message from the browser, with values that cost too much to parse replaced by a refusal.

    `ui/inbox.py` says so on the page.
    """
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return data  # Streamlit closes the connection
    query = message.rerun_script.query_string
    replaced = len(query) > limits.ADDRESS
    if replaced:  # what is left says on the page that it is too long
        message.rerun_script.query_string = query[: limits.ADDRESS]
    for state in message.rerun_script.widget_states.widgets:
        text = state.json_trigger_value or state.json_value
        if (why := refusal(text)) is None:
            continue
        replaced = True
        _log.warning("Refused, %s: %s characters for %.99r", why, len(text), state.id)
        if state.WhichOneof("value") == "json_trigger_value":
            state.json_trigger_value = json.dumps([{"event": "outbox", "value": {"refused": why}}])
        else:
            state.json_value = "{}"
    return message.SerializeToString() if replaced else data


def discreet(data: bytes) -> bytes:
    """Return a message to the browser without the path of the project on the server."""
    if SERVER not in data:
        return data
    message = ForwardMsg()
    message.ParseFromString(data)
    if message.WhichOneof("type") != "new_session":
        return data
    message.new_session.main_script_path = Path(message.new_session.main_script_path).name
    return message.SerializeToString()
