"""Serve the lab's own websocket: edits and their answers without a run of Streamlit.

A message costs a tenth of the processor time of a run. Streamlit runs only to draw the other parts of the
page, such as figures. The session is the one that the page has opened. Its name, a secret of its own browser,
is the second subprotocol that the browser offers: servers and proxies log paths, and no headers. Where a host
does not pass the websocket on, or when it breaks, the browser sends its messages through the component, whose
answers are the same.

A session has one websocket, the newest, and one message at a time is handled, whatever the browser does: a
message is read once the one before is answered.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from msgspec import UNSET
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from autodiff_viz.messages.envelope import answer_text
from autodiff_viz.ui import code_reading
from autodiff_viz.ui.address import next_address
from autodiff_viz.ui.exchange import apply_message, go_on_reading, make_answer
from autodiff_viz.ui.fragments import LAB
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.server.admission import VISITS
from autodiff_viz.ui.server.browsers import browser
from autodiff_viz.ui.server.waiting import Awaited, answered
from autodiff_viz.ui.server.websocket import refusal
from autodiff_viz.ui.session import Session, named
from autodiff_viz.ui.worker_jobs import workers

PATH, PROTOCOL = "/lab-socket", "lab"
UNKNOWN, REPLACED = 4404, 4409  # codes with which the server closes: no such session; a newer websocket of it
UNENDED = 4  # websockets of a session that have not ended: the answers that they do not read are kept
LEFT = 128  # sessions that Streamlit keeps after their pages have gone

GONE = (WebSocketDisconnect, RuntimeError, KeyError)
"""Raised when the browser has left while it is answered, and for a message that is not text."""

_threads = ThreadPoolExecutor(VISITS.most + LEFT, "lab_socket")
"""One for each session: most wait for their turn, and no session can take another one's."""


@dataclass(slots=True)
class Line:
    """The websockets of one session.

    Attributes:
      newest: the only one that is answered.
      unended: number of those that have not ended.
      one: held while a message is handled.
    """

    newest: Connection | None = None
    unended: int = 0
    one: asyncio.Lock = field(default_factory=asyncio.Lock)


_lines: WeakKeyDictionary[Session, Line] = WeakKeyDictionary()


class Connection:
    """One browser's websocket to the session `name`, which may have ended meanwhile.

    Attributes:
      line: all websockets of the session.
      address: the address that was sent to the browser last.
      pushing: waits for answers of workers, and sends them.
      closing: closes it.
    """

    def __init__(self, socket: WebSocket, name: str, line: Line):
        self.socket, self.name, self.line = socket, name, line
        self.browser = browser(socket.client and socket.client.host, socket.cookies)
        self.address = ""
        self.pushing: asyncio.Task | None = None
        self.closing: asyncio.Task | None = None

    async def listen(self) -> None:
        """Answer the messages of the browser until it leaves."""
        async for text in self.socket.iter_text():
            self.stop_pushing()
            if not await self.send(text):
                await self.socket.close(UNKNOWN)
                return

    async def send(self, text: str | None = None) -> bool:
        """Send the answer to a message, or what is new without one; return whether the session exists."""
        answer = await self.answer(text)
        if answer is None:
            return False
        written, self.address, awaited = answer
        await self.socket.send_text(written)
        if awaited:
            self.pushing = asyncio.create_task(self.push(awaited))
        return True

    async def answer(self, text: str | None) -> tuple[str, str, Awaited | None] | None:
        """Return what `exchange` does; None if the session has ended or has a newer websocket."""
        async with self.line.one:  # before a thread is taken
            session = named(self.name)
            if session is None or self.line.newest is not self:
                return None
            run = asyncio.get_running_loop().run_in_executor
            return await run(_threads, exchange, session, text, self.address, self.browser)

    def replace(self) -> None:
        """Close this websocket, since there is a newer one; a browser that reads nothing holds that up."""
        self.closing = asyncio.create_task(self._close())

    async def _close(self) -> None:
        with suppress(*GONE):
            await self.socket.close(REPLACED)

    async def push(self, awaited: Awaited) -> None:
        """Send what is new when what is awaited has come."""
        await answered(awaited)
        self.pushing = None  # what has begun is not cancelled: its thread would go on
        with suppress(*GONE):
            await self.send()

    def stop_pushing(self) -> None:
        """Forget the jobs that were awaited: the next answer says anew which ones are."""
        if self.pushing is not None:
            self.pushing.cancel()
            self.pushing = None


async def connection(socket: WebSocket) -> None:
    """Serve one browser's websocket."""
    protocol, _, name = ",".join(socket.scope["subprotocols"]).partition(",")
    line = _line(name) if protocol == PROTOCOL else None
    if line is None or line.unended >= UNENDED:
        await socket.close(UNKNOWN)
        return
    connected = Connection(socket, name, line)
    line.unended += 1
    try:
        await socket.accept(PROTOCOL)
        if line.newest is not None:
            line.newest.replace()
        line.newest = connected
        await connected.listen()
    except GONE:
        pass
    finally:
        line.unended -= 1
        connected.stop_pushing()
        if line.newest is connected:
            line.newest = None
            if (session := named(name)) is not None:
                session.socket = False


def _line(name: str) -> Line | None:
    """Return the websockets of the session of this name; None if there is no such session."""
    session = named(name)
    return None if session is None else _lines.setdefault(session, Line())


def exchange(
    session: Session, text: str | None = None, known: str = "", of: Hashable = None
) -> tuple[str, str, Awaited | None]:
    """Apply a message, if there is one.

    Args:
      known: the address that was sent to the browser last.
      of: the browser.

    Returns:
      The answer as JSON, the address that was sent last, and whether what it waits for is still to come; None
      if it waits for nothing.
    """
    with in_turn(session.visitor, of):
        session.expect(text or "")
        with session.lock:
            session.socket = True
            session.origin = of[0] if isinstance(of, tuple) else session.origin
            session.parts.polls.pop(LAB, None)
            if text is not None:
                apply_message(session, _read(text))
            go_on_reading(session)
            shown = known if session.address.pushed else None  # Streamlit has written another one since
            address = next_address(session)  # before the edits are acknowledged
            query = UNSET if address in (None, shown) else address
            answer = answer_text(make_answer(session, pushed=True, query=query))
            return answer, known if address is None else address, _awaited(session)


def _awaited(session: Session) -> Awaited | None:
    """Return whether what the browser waits for is still to come: code that is read, else answers."""
    key, keys = session.reading.key, session.awaited
    if key is not None:
        return lambda: code_reading.is_under_way(key)
    return (lambda: any(workers().answer(each) is None for each in keys)) if keys else None


def _read(text: str) -> dict[str, Any]:
    """Parse a message; an unreadable one is empty."""
    if (why := refusal(text)) is not None:
        return {"refused": why}
    try:
        message = json.loads(text)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


SOCKET = WebSocketRoute(PATH, connection)
