"""Test how many websockets and threads one session can have, whatever its browser does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from threading import Event
from typing import Any

import pytest
from starlette.websockets import WebSocket

from autodiff_viz.lab.state import Lab, start
from autodiff_viz.ui.server import lab_socket
from autodiff_viz.ui.server.admission import VISITS
from autodiff_viz.ui.server.lab_socket import LEFT, REPLACED, UNENDED
from autodiff_viz.ui.session import Session
from tests.ui.server.asgi import finished

PATIENCE = 30  # seconds


class Browser:
    """A websocket as the server sees it; a `stuck` one never takes what is sent after the handshake."""

    def __init__(self, session: Session, stuck: bool = False):
        self.session, self.stuck = session, stuck
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: list[dict[str, Any]] = []
        self.left: list[dict[str, Any]] = []  # what a stuck one does not take

    def open(self) -> Browser:
        scope = {
            "type": "websocket",
            "path": lab_socket.PATH,
            "headers": [],
            "client": ("203.0.113.7", 50_000),
            "subprotocols": ["lab", self.session.name],
        }
        self.incoming.put_nowait({"type": "websocket.connect"})
        self.served = asyncio.create_task(
            lab_socket.connection(WebSocket(scope, self.incoming.get, self._take))
        )
        return self

    def send(self) -> None:
        self.incoming.put_nowait({"type": "websocket.receive", "text": "{}"})

    async def _take(self, message: dict[str, Any]) -> None:
        if self.stuck and message["type"] != "websocket.accept":
            self.left.append(message)
            await asyncio.Event().wait()
        self.sent.append(message)
        if message["type"] == "websocket.close":
            self.incoming.put_nowait({"type": "websocket.disconnect", "code": message["code"]})

    def kinds(self) -> list[str]:
        return [message["type"].removeprefix("websocket.") for message in self.sent]


class Exchange:
    """In place of `lab_socket.exchange`: sessions that are `held` get no answer until they may `go_on`."""

    def __init__(self, *held: Session):
        self.held = held
        self.go_on = Event()
        self.begun: list[Session] = []

    def __call__(self, here: Session, *_: Any) -> tuple[str, str, frozenset[bytes]]:
        self.begun.append(here)
        if here in self.held:
            self.go_on.wait(PATIENCE)
        return "{}", "", frozenset()


@pytest.fixture
def lab() -> Lab:
    return start()


async def until(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not what():
            await asyncio.sleep(0.001)


def told(story: Callable[[], Awaitable[None]]) -> None:
    finished(story())


def test_a_session_has_one_message_in_work_however_many_websockets_it_opens(monkeypatch, lab):
    async def story() -> None:
        attacker, bystander = Session(lab), Session(lab)
        exchange = Exchange(attacker)
        monkeypatch.setattr(lab_socket, "exchange", exchange)
        made = []
        for _ in range(3 * UNENDED):
            made.append(Browser(attacker).open())
            for _ in range(5):
                made[-1].send()
            await asyncio.sleep(0.002)
        other = Browser(bystander).open()
        other.send()
        await until(lambda: "send" in other.kinds())
        assert exchange.begun.count(attacker) == 1
        exchange.go_on.set()
        await until(
            lambda: exchange.begun.count(attacker) == 6
        )  # one of an older websocket, all of the newest
        other.incoming.put_nowait({"type": "websocket.disconnect"})

    told(story)


def test_a_newer_websocket_closes_the_older_and_is_the_only_one_that_is_answered(monkeypatch, lab):
    async def story() -> None:
        session = Session(lab)
        monkeypatch.setattr(lab_socket, "exchange", Exchange())
        older, newer = Browser(session).open(), Browser(session)
        older.send()
        await until(lambda: older.kinds() == ["accept", "send"])
        newer.open()
        await until(older.served.done)
        assert older.sent[-1]["code"] == REPLACED
        newer.send()
        await until(lambda: newer.kinds() == ["accept", "send"])
        assert older.kinds() == ["accept", "send", "close"]

    told(story)


def test_the_end_of_an_older_websocket_does_not_say_that_the_newer_is_gone(monkeypatch, lab):
    async def story() -> None:
        session = Session(lab)
        monkeypatch.setattr(lab_socket, "exchange", Exchange())
        older = Browser(session).open()
        await until(lambda: older.kinds() == ["accept"])
        newer = Browser(session).open()
        session.socket = True  # as `exchange` notes
        await until(older.served.done)
        assert session.socket
        newer.incoming.put_nowait({"type": "websocket.disconnect"})
        await until(newer.served.done)
        assert not session.socket

    told(story)


def test_websockets_that_read_nothing_are_few_and_do_not_hold_up_one_that_does(monkeypatch, lab):
    async def story() -> None:
        session = Session(lab)
        monkeypatch.setattr(lab_socket, "exchange", Exchange())
        stuck = []
        for _ in range(UNENDED - 1):
            stuck.append(Browser(session, stuck=True).open())
            stuck[-1].send()
            await until(lambda: bool(stuck[-1].left))  # one that is replaced before that just ends
        reader = Browser(session).open()
        reader.send()
        await until(lambda: "send" in reader.kinds())
        one_more = Browser(session).open()
        await until(one_more.served.done)
        assert one_more.kinds() == ["close"]
        reader.incoming.put_nowait({"type": "websocket.disconnect"})
        await until(reader.served.done)
        again = Browser(session).open()
        await until(lambda: again.kinds() == ["accept"])

    told(story)


def test_there_is_a_thread_for_each_session_that_there_can_be(monkeypatch, lab):
    """So those who wait for their turn never keep another session's message from waiting for its own."""
    assert lab_socket._threads._max_workers >= VISITS.most + LEFT
