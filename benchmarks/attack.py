"""Simulate an attacker of a server: one who sends edits in turn and again, or opens many connections."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync import client

from benchmarks.outbox import Edit
from benchmarks.server import Server
from benchmarks.visitor import SOON, Editor

EVERY = 2.0  # seconds between two messages of the attacker


Act = Sequence[Edit] | str
"""A message with these edits, or the key of a button that is pressed."""

Acts = Sequence[Act]
"""What the attacker does, in turn and again."""

Attack = Callable[[Server, int], Coroutine[Any, Any, None]]
"""Attacks a server until it is cancelled; the number tells the attackers of a run apart."""

TABS, SOCKETS, READERS = 20, 200, 50
UNPACKED = 47_500_000  # pairs of brackets in one message


def chain(length: int) -> str:
    """Return the formula of a chain of this many nodes."""
    lines = [f"n{i} = sin(n{i - 1})" for i in range(2, length)]
    return "\n".join(["x = 0.5", "n1 = cos(x)", *lines, f"return n{length - 1}"])


def text(formula: str) -> list[Edit]:
    """Return the edit that opens a formula."""
    return [{"kind": "type", "text": formula, "fresh": True}]


def rules(names: Sequence[str]) -> list[list[Edit]]:
    """Return one message for each of these nodes, which sets its rule."""
    return [[{"kind": "rules", "nodes": [name], "rule": "stop"}] for name in names]


def repeated(acts: Callable[[], Acts]) -> Attack:
    """Return the attack of one visitor who does this in turn and again."""

    async def attack(app: Server, seed: int) -> None:
        async with opened(app, seed) as tab:
            await _act(tab, acts())

    return attack


@asynccontextmanager
async def opened(app: Server, seed: int) -> AsyncIterator[Editor]:
    """Open the lab as another visitor, and leave at the end."""
    tab = Editor(app.address, size=5, seed=seed)
    try:
        await tab.open()
        yield tab
    finally:
        await tab.close()


async def _act(tab: Editor, acts: Acts) -> None:
    number = 0
    while True:
        for act in acts:
            if isinstance(act, str):
                await press(tab, act)
            else:
                edits = [{**edit, "seq": number + i} for i, edit in enumerate(act, 1)]
                number += len(edits)
                tab.pending = []
                await tab.post({"key": tab.word.key, "edits": edits, "have": tab.word.rev, "seen": True})
            await asyncio.sleep(EVERY)


async def press(tab: Editor, key: str) -> None:
    """Send the press of a button as soon as it is on the page."""
    while key not in tab.elements:
        await asyncio.sleep(SOON)
    button = tab.elements[key]
    await tab.send(WidgetState(id=button.id, trigger_value=True), button.fragment)


async def many_tabs(app: Server, seed: int) -> None:
    """Edit graphs of 2,000 nodes in twenty tabs of one browser."""
    attack = repeated(lambda: [text(chain(2000)), *rules(["n5", "n900"])])
    await asyncio.gather(*(attack(app, seed) for _ in range(TABS)))


async def many_sockets(app: Server, seed: int) -> None:
    """Ask for whole drawings over many sockets of one session."""

    async def one(tab: Editor) -> None:
        while True:
            with suppress(ConnectionClosed, OSError):
                async with await tab.lab_socket() as socket:
                    while True:
                        await socket.send(json.dumps({"key": tab.word.key, "edits": []}))
                        await socket.recv()
            await asyncio.sleep(EVERY)

    async with opened(app, seed) as tab:
        await tab.post({"key": tab.word.key, "edits": [{**text(chain(2000))[0], "seq": 1}]})
        await asyncio.gather(*(one(tab) for _ in range(SOCKETS)))


async def slow_readers(app: Server, seed: int) -> None:
    """Ask for whole drawings over many sockets of one session, and read no answer."""

    async def one(tab: Editor) -> None:
        while True:
            with suppress(ConnectionClosed, OSError):
                async with await tab.lab_socket(max_queue=1, close_timeout=1) as socket:
                    while True:
                        await socket.send(json.dumps({"key": tab.word.key, "edits": []}))
                        await asyncio.sleep(EVERY / 10)
            await asyncio.sleep(EVERY)

    async with opened(app, seed) as tab:
        await tab.post({"key": tab.word.key, "edits": [{**text(chain(500))[0], "seq": 1}]})
        await asyncio.gather(*(one(tab) for _ in range(READERS)))


async def half_open(app: Server, seed: int) -> None:
    """Open many connections of which none sends all of its first message."""
    place = urlsplit(app.address)
    writers = []
    try:
        for i in range(SOCKETS):
            with suppress(OSError):
                _, writer = await asyncio.open_connection(place.hostname, place.port)
                path = ("/_stcore/stream", "/lab-socket/none", "/")[i % 3]
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: webs".encode())
                writers.append(writer)
        await asyncio.Event().wait()
    finally:
        for writer in writers:
            writer.close()


async def unpacked(app: Server, seed: int) -> None:
    """Send messages to Streamlit's own socket of which each is small on the wire and large in memory."""
    message = BackMsg()
    message.rerun_script.widget_states.widgets.append(
        WidgetState(id="none", json_trigger_value="[]" * UNPACKED)
    )
    data = message.SerializeToString()
    place = urlsplit(app.address)

    def send() -> None:
        with (
            suppress(ConnectionClosed, OSError, TimeoutError),
            client.connect(
                f"ws://{place.netloc}/_stcore/stream", subprotocols=["streamlit", "unused"], proxy=None
            ) as socket,
        ):
            socket.send(data)
            socket.recv(EVERY)

    while True:
        await asyncio.to_thread(send)  # it is compressed apart from those who measure
        await asyncio.sleep(2 * EVERY)


CONNECTIONS: dict[str, Attack] = {
    f"{SOCKETS} lab sockets of one session": many_sockets,
    f"{READERS} sockets that are not read": slow_readers,
    f"{SOCKETS} half-open connections": half_open,
    f"{TABS} tabs of 2,000 nodes": many_tabs,
    "95 MB in a message of 92 kB": unpacked,
}
