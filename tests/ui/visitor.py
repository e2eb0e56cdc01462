"""Visit a real server without a browser: its websocket, and any message that one can send on it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

PATIENCE = 60  # seconds; the first run compiles
QUIET = 0.7  # seconds after the end of a run in which no other one has begun
TRIGGERS = "$$STREAMLIT_INTERNAL_KEY_{}__events"
REST = re.compile(r'"due": true, "rest": \d+, "turn": (\d+)')
WORD = re.compile(r'"key": "([0-9a-f]+)", "ack": (\d+), "from": ')


class Visitor:
    """One page that is open.

    `heard` are the messages that have come since the last one was sent, `script` the hash of the app's own
    file, `page` that of the page. Runs are of the fragment `fragment`, or of the whole page if it is empty.
    """

    def __init__(self, socket: ClientConnection):
        self.socket = socket
        self.script = self.page = self.query = self.fragment = ""
        self.elements: dict[str, Any] = {}
        self.fragments: dict[str, str] = {}
        self.heard: list[ForwardMsg] = []

    def send(self, *states: WidgetState) -> list[ForwardMsg]:
        """Ask for a run with these states of widgets, and wait until all that follows is there."""
        self.heard = []
        self._send(*states)
        self._ask()
        return self.heard

    def _send(self, *states: WidgetState) -> None:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_script_hash = self.page
        message.rerun_script.fragment_id = self.fragment
        message.rerun_script.widget_states.widgets.extend(states)
        self.socket.send(message.SerializeToString())
        self._rest()

    def _ask(self) -> None:
        """Request the rest of the page, as a browser does when the user is idle."""
        canvas = self.elements["canvas"]
        if said := REST.search(canvas.json):
            key, _ = WORD.search(canvas.json).groups()
            asked = {"key": key, "edits": [], "seen": True, "rest": int(said[1])}
            text = json.dumps([{"event": "outbox", "value": asked}])
            self._send(WidgetState(id=TRIGGERS.format(canvas.id), json_trigger_value=text))

    def post(self, name: str, text: str) -> list[ForwardMsg]:
        """Send `text` as what the component `name` tells."""
        wid = TRIGGERS.format(self.elements[name].id)
        return self.send(WidgetState(id=wid, json_trigger_value=text))

    def edit(self, name: str, beside: dict[str, Any] | None = None, **edit: Any) -> list[ForwardMsg]:
        """Send one edit as the browser does, with the fields `beside` it in the message."""
        key, ack = WORD.search(self.elements[name].json).groups()
        message = {"key": key, "edits": [{**edit, "seq": int(ack) + 1}], **(beside or {})}
        return self.post(name, json.dumps([{"event": "outbox", "value": message}]))

    def set(self, name: str, **value: Any) -> list[ForwardMsg]:
        """Send a value of any kind for the widget `name`."""
        return self.send(WidgetState(id=self.elements[name].id, **value))

    def shown(self, kind: str) -> list[Any]:
        """The elements of this kind that have come since the last message."""
        found = [f.delta.new_element for f in self.heard if f.WhichOneof("type") == "delta"]
        return [getattr(element, kind) for element in found if element.WhichOneof("type") == kind]

    def texts(self) -> str:
        """All that has come, as text."""
        return "\n".join(map(str, self.heard))

    def _rest(self) -> None:
        wait = PATIENCE
        while True:
            try:
                message = ForwardMsg.FromString(self.socket.recv(wait))
            except TimeoutError:
                assert wait == QUIET, "the run does not end"
                return
            self.heard.append(message)
            wait = QUIET if self._note(message) else PATIENCE

    def _note(self, message: ForwardMsg) -> bool:
        """Take in what the page would; whether a run has ended with it."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.page = message.new_session.page_script_hash
            self.script = self.script or self.page
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            found = getattr(element, element.WhichOneof("type"))
            if name := getattr(found, "id", "").rpartition("-")[2]:
                self.elements[name], self.fragments[name] = found, message.delta.fragment_id
        elif kind == "session_status_changed":
            return not message.session_status_changed.script_is_running
        return False


@contextmanager
def visiting(address: str) -> Iterator[Visitor]:
    """Open the lab as a newcomer does."""
    stream = f"ws://{urlsplit(address).netloc}/_stcore/stream"
    with connect(stream, subprotocols=["streamlit", "unused"], max_size=None, proxy=None) as socket:
        visitor = Visitor(socket)
        visitor.send()
        yield visitor


def closed(visitor: Visitor) -> int | None:
    """The code with which the server has closed the connection."""
    try:
        while True:
            visitor.heard.append(ForwardMsg.FromString(visitor.socket.recv(PATIENCE)))
    except ConnectionClosed as end:
        return end.rcvd and end.rcvd.code
