"""Simulate a browser tab without a browser: Streamlit's own messages over its websocket."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

PATIENCE = 60.0  # seconds
KEPT = 64  # messages that a browser keeps, so that they need not be sent again


class Element(NamedTuple):
    """An element of the page: its id, and the fragment in which it is."""

    id: str
    fragment: str


def _connecting() -> dict[str, Any]:
    cookie = {"Cookie": f"affinity={uuid4().hex}"}
    return {"max_size": None, "open_timeout": PATIENCE, "proxy": None, "additional_headers": cookie}


@dataclass
class Tab:
    """One tab. It has opened when `shown` is set.

    Attributes:
      address, query: of the page.
      elements: by the key that the page gave them, else by their kind.
      heard: when the last message came, by the clock of `perf_counter`.
      idle: whether no run is going on.
      lost: why the connection has ended; "" while it has not.
      connecting: arguments of `connect`: with the cookie by which nginx keeps a browser with its replica, as
        one that has been here before sends it.
    """

    address: str
    query: str = ""
    elements: dict[str, Element] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    heard: float = 0.0
    idle: bool = False
    lost: str = ""
    shown: asyncio.Event = field(default_factory=asyncio.Event)
    connecting: dict[str, Any] = field(default_factory=_connecting)
    _page: str = ""
    _kept: dict[str, None] = field(default_factory=dict)
    _socket: ClientConnection | None = None
    _listening: asyncio.Task | None = None

    async def open(self) -> float:
        """Open the page; return seconds until it shows what matters."""
        began = time.perf_counter()
        place = urlsplit(self.address)
        stream = f"ws://{place.netloc}{place.path.rstrip('/')}/_stcore/stream"
        self._socket = await connect(stream, subprotocols=["streamlit", "unused"], **self.connecting)
        self._listening = asyncio.create_task(self._listen())
        await self.send()
        await asyncio.wait_for(self.shown.wait(), PATIENCE)
        return time.perf_counter() - began

    async def act(self, due: float) -> float:
        """Act once; return seconds from when the action was `due` to when its result was seen."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close the tab."""
        if self._listening is not None:
            self._listening.cancel()
        if self._socket is not None:
            await self._socket.close()

    async def send(self, state: WidgetState | None = None, fragment: str = "") -> None:
        """Ask for a run of the page or of one fragment, with the state of a widget."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.page_script_hash, rerun.fragment_id = self.query, self._page, fragment
        rerun.cached_message_hashes.extend(self._kept)
        if state is not None:
            rerun.widget_states.widgets.append(state)
        self.idle = False
        await self._socket.send(message.SerializeToString())

    def take(self, kind: str, name: str, element: Any) -> None:
        """Handle a new element; for subclasses."""

    def rest(self) -> None:
        """Handle the end of a run after which no other one has begun; for subclasses."""

    async def _listen(self) -> None:
        try:
            async for data in self._socket:
                self.heard = time.perf_counter()
                self._hear(ForwardMsg.FromString(data))
        except ConnectionClosed as error:
            self.lost = f"closed: {error}"
        self.lost = self.lost or "closed"

    def _hear(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.idle, self._page = False, message.new_session.page_script_hash
        elif kind == "navigation":
            self._page = message.navigation.page_script_hash
        elif kind == "script_finished":
            self.idle = message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            if self.idle:
                self.rest()
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            if message.metadata.cacheable:
                self._keep(message.hash)
            self._take(message.delta.new_element, message.delta.fragment_id)

    def _keep(self, digest: str) -> None:
        self._kept[digest] = None
        for old in [*self._kept][:-KEPT]:
            del self._kept[old]

    def _take(self, new: Any, fragment: str) -> None:
        kind = new.WhichOneof("type")
        element = getattr(new, kind)
        if kind == "exception":
            self.errors.append(f"{element.type}: {element.message[:300]}")
        found = getattr(element, "id", "")
        key = found.rpartition("-")[2]
        name = key if key not in ("", "None") else kind
        if found:
            self.elements[name] = Element(found, fragment)
        self.take(kind, name, element)
