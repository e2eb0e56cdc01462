"""Filter the messages on the websocket between server and browser, in both directions.

Streamlit reads a component's message with `json.loads` before any code of the project runs. Brackets nested
some thousand deep raise an exception there, and from then on the visitor's session fails at every message.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError
from starlette.middleware import Middleware
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from autodiff_viz.graph import limits
from autodiff_viz.ui.fair_queue import switch_often_in_long_turns
from autodiff_viz.views.persistence.json_depth import nested_deeper

TOO_DEEP = "too deep"
REFUSED = json.dumps([{"event": "outbox", "value": {"refused": TOO_DEEP}}])
"""Replacement of a refused message; `ui/inbox.py` says so on the page."""

SERVER = str(Path(__file__).parents[2]).encode()
_log = logging.getLogger(__name__)


class Checked:
    """ASGI middleware that filters every message of a websocket by `admitted` or `discreet`."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return

        async def take() -> Any:
            message = await receive()
            switch_often_in_long_turns()
            return _changed(message, admitted)

        async def give(message: Any) -> None:
            await send(_changed(message, discreet))

        await self.app(scope, take, give)


MIDDLEWARE = [Middleware(Checked)]


def _changed(message: Any, change: Any) -> Any:
    data = message.get("bytes")
    return {**message, "bytes": change(data)} if data else message


def admitted(data: bytes) -> bytes:
    """Return a message from the browser, with values that are nested too deep replaced by a refusal."""
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return data  # Streamlit closes the connection
    faulty = [state for state in message.rerun_script.widget_states.widgets if _is_too_deep(state)]
    for state in faulty:
        _log.warning("Refused: %s characters, nested too deep, for %s", len(_text(state)), state.id)
        if state.WhichOneof("value") == "json_trigger_value":
            state.json_trigger_value = REFUSED
        else:
            state.json_value = "{}"
    return message.SerializeToString() if faulty else data


def _text(state: WidgetState) -> str:
    return state.json_trigger_value or state.json_value


def _is_too_deep(state: WidgetState) -> bool:
    return nested_deeper(_text(state), limits.MESSAGE_DEPTH)


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
