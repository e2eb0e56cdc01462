"""Serve the lab's own websocket: edits and their answers without a run of Streamlit.

A message costs a tenth of the processor time of a run. Streamlit runs only to draw the other parts of the
page, such as figures. The session is the one that the page has opened; its name, a secret of its own
browser, is in the path. Where a host does not pass the websocket on, or when it breaks, the browser sends
its messages through the component, whose answers are the same.
"""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from autodiff_viz.graph import limits
from autodiff_viz.ui.address import next_address
from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.fragments import LAB
from autodiff_viz.ui.lab.exchange import hear, news
from autodiff_viz.ui.session import Session, named
from autodiff_viz.ui.websocket import TOO_DEEP
from autodiff_viz.ui.work import workers
from autodiff_viz.views.persistence.json_depth import nested_deeper

PATH = "/lab-socket"
UNKNOWN, TOO_LONG = 4404, 1009  # codes with which the server closes: no such session; too long a message
THREADS = 64  # messages handled at once; most of them wait for their turn
ANSWERED_WITHIN = 60.0  # seconds for which answers of workers are waited for

GONE = (WebSocketDisconnect, RuntimeError, KeyError)
"""Raised when the browser has left while it is answered, and for a message that is not text."""

_threads = ThreadPoolExecutor(THREADS, "lab_socket")


class Waiting:
    """Connections that wait for answers of workers."""

    def __init__(self) -> None:
        self._events: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def answered(self, keys: frozenset[bytes]) -> None:
        """Wait until all jobs of these keys have an answer; at most `ANSWERED_WITHIN` seconds."""
        self._listen()
        event = asyncio.Event()
        self._events.add(event)
        try:
            async with asyncio.timeout(ANSWERED_WITHIN):
                while any(workers().answer(key) is None for key in keys):
                    await event.wait()
                    event.clear()
        except TimeoutError:
            pass
        finally:
            self._events.discard(event)

    def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            workers().listen(lambda: loop.is_closed() or loop.call_soon_threadsafe(self._wake))

    def _wake(self) -> None:
        for event in self._events:
            event.set()


_waiting = Waiting()


class Connection:
    """One browser's websocket to the session `name`, which may have ended meanwhile.

    Attributes:
      address: the address that was sent to the browser last.
      pushing: sends the answers of workers when they have come.
    """

    def __init__(self, socket: WebSocket, name: str):
        self.socket, self.name = socket, name
        self.address = ""
        self.pushing: asyncio.Task | None = None

    async def listen(self) -> None:
        """Answer the messages of the browser until it leaves."""
        async for text in self.socket.iter_text():
            self.stop_pushing()
            if len(text) > limits.MESSAGE or not await self.send(text):
                await self.socket.close(UNKNOWN if len(text) <= limits.MESSAGE else TOO_LONG)
                return

    async def send(self, text: str | None = None) -> bool:
        """Send the answer to a message, or what is new without one; return whether the session exists."""
        here = named(self.name)
        if here is None:
            return False
        run = asyncio.get_running_loop().run_in_executor
        answer, self.address, awaited = await run(_threads, exchange, here, text, self.address)
        await self.socket.send_text(answer)
        if awaited:
            self.pushing = asyncio.create_task(self.push(awaited))
        return True

    async def push(self, awaited: frozenset[bytes]) -> None:
        """Send what is new when these jobs are answered."""
        await _waiting.answered(awaited)
        with suppress(*GONE):
            await self.send()

    def stop_pushing(self) -> None:
        """Forget the jobs that were awaited: the next answer says anew which ones are."""
        if self.pushing is not None:
            self.pushing.cancel()
            self.pushing = None


async def connection(socket: WebSocket) -> None:
    """Serve one browser's websocket."""
    name = socket.path_params["name"]
    if named(name) is None:
        await socket.close(UNKNOWN)
        return
    await socket.accept()
    connected = Connection(socket, name)
    try:
        await connected.listen()
    except GONE:
        pass
    finally:
        connected.stop_pushing()
        if (here := named(name)) is not None:
            here.socket = False


def exchange(here: Session, text: str | None = None, known: str = "") -> tuple[str, str, frozenset[bytes]]:
    """Apply a message, if there is one.

    Args:
      known: the address that was sent to the browser last.

    Returns:
      The answer as JSON, the address that was sent last, and the keys of the jobs whose answers are awaited.
    """
    with in_turn(here.visitor), here.lock:
        here.socket = True
        here.parts.polls.pop(LAB, None)
        if text is not None:
            hear(here, _read(text))
        told = known if here.address.pushed else None  # Streamlit has written another one since
        address = next_address(here)  # before the edits are acknowledged
        query = {} if address in (None, told) else {"query": address}
        message = {**news(here, pushed=True), **query}
        answer = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        return answer, known if address is None else address, here.awaited


def _read(text: str) -> dict[str, Any]:
    """Parse a message; an unreadable one is empty."""
    if nested_deeper(text, limits.MESSAGE_DEPTH):
        return {"refused": TOO_DEEP}
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


SOCKET = WebSocketRoute(f"{PATH}/{{name}}", connection)
