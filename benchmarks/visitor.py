"""Simulate visitors of the measured servers: one edits a graph in the lab, one ticks a bare page's box."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import INPUT
from benchmarks import outbox
from benchmarks.graphs import example
from benchmarks.outbox import Edit, Word
from benchmarks.tab import PATIENCE, Tab

RULES = ("stop", "rewrite", "pullback", "follow")
ADDED = ("sin", "tanh", "exp", "square")
SOON = 0.02  # seconds
WIDTH, HEIGHT = 2000, 1000  # pixels of the canvas on which nodes are added


@dataclass
class Reader(Tab):
    """Visitor who opens the lab and does only what every browser does.

    A browser asks for the other parts of the page when the server says so.

    Attributes:
      word: the last word of the server.
      pending: the edits that are not confirmed.
      seen: whether the place of the figure is in view.
    """

    word: Word | None = None
    pending: list[Edit] = field(default_factory=list)
    seen: bool = False
    _asking: asyncio.Task | None = None
    _lab: ClientConnection | None = None
    _answering: asyncio.Task | None = None

    async def open(self) -> float:
        """Open the page and connect to the lab's own websocket; return seconds until the first drawing."""
        took = await super().open()
        self._lab = await self.lab_socket()
        self._answering = asyncio.create_task(self._take_answers())
        return took

    async def lab_socket(self, **settings: Any) -> ClientConnection:
        """Open a websocket of the lab's own to this tab's session, with these arguments of `connect`."""
        place = urlsplit(self.address)
        path = f"ws://{place.netloc}{place.path.rstrip('/')}/lab-socket"
        given = {"subprotocols": ["lab", self.word.socket], **self.connecting, **settings}
        return await connect(path, **given)

    async def _take_answers(self) -> None:
        try:
            async for text in self._lab:
                self.heard = time.perf_counter()
                self._take_word(outbox.read(text))
        except ConnectionClosed as error:
            self.lost = f"closed: {error}"

    def take(self, kind: str, name: str, element: Any) -> None:
        """Handle the server's word to the outbox."""
        if name == outbox.CANVAS:
            self._take_word(outbox.read(element.json))

    def _take_word(self, word: Word | None) -> None:
        if word is None:
            return
        self.word = word
        self.pending = [edit for edit in self.pending if edit["seq"] > word.ack]
        self.confirm(word.ack)
        self.shown.set()
        self._ask_later(word)

    def confirm(self, ack: int) -> None:
        """Handle the confirmation of the edits up to this number; for subclasses."""

    async def close(self) -> None:
        """Close the tab."""
        if self._asking is not None:
            self._asking.cancel()
        if self._answering is not None:
            self._answering.cancel()
            await self._lab.close()
        await super().close()

    def vanish(self) -> None:
        """Lose all connections at once, as a phone does: without a word of farewell."""
        for socket in (self._lab, self._socket):
            if socket is not None:
                socket.transport.abort()

    async def post(self, message: dict[str, Any]) -> None:
        """Send a message as the browser does: over the lab's websocket, if no run of Streamlit is needed."""
        if self._lab is not None and not ("rest" in message and self.word.page):
            await self._lab.send(json.dumps(message))
            return
        component = self.elements[outbox.CANVAS]
        await self.send(outbox.trigger(component.id, message), component.fragment)

    def _ask_later(self, word: Word) -> None:
        if self._asking is not None:
            self._asking.cancel()
        self._asking = asyncio.create_task(self._ask(word)) if word.rest else None

    async def _ask(self, word: Word) -> None:
        """Ask when no edits are pending, and again until there is an answer; the next word cancels this."""
        patience = outbox.AGAIN
        await asyncio.sleep(word.rest[0])
        while not self.lost:
            if self.pending:  # the answer to the edits comes first
                await asyncio.sleep(SOON)
                continue
            await self.post(outbox.rest_message(word, self.seen))
            await asyncio.sleep(patience)
            patience = min(2 * patience, outbox.MOST)


@dataclass
class Editor(Reader):
    """Visitor who makes one gesture after the other on a random graph.

    Edits are posted as a browser does: every message holds all unconfirmed ones and is repeated until they
    are confirmed (at-least-once delivery).

    Attributes:
      size: nodes of the graph; another `seed` gives another one.
      gestures: names of the gestures to choose from at random.
      rules: by node, the rule that it was given last.
    """

    size: int = 30
    seed: int = 0
    gestures: tuple[str, ...] = ("rule", "slide", "add", "select")
    rules: dict[str, str] = field(default_factory=dict)
    _waiting: dict[int, asyncio.Future] = field(default_factory=dict)

    def __post_init__(self) -> None:
        graph = example(self.size, self.seed).graph
        self.query = urlencode({"g": to_link(graph)})
        self.random = random.Random(self.seed)
        self.inputs = [node.name for node in graph.nodes if node.op == INPUT]
        self.nodes = [node.name for node in graph.nodes if node.op != INPUT]

    async def act(self, due: float) -> float:
        """Make one gesture; return seconds until its numbers were there."""
        edit = GESTURES[self.random.choice(self.gestures)](self)
        number = 1 + max((other["seq"] for other in self.pending), default=self.word.ack)
        self.pending.append({**edit, "seq": number})
        self._waiting[number] = asyncio.get_running_loop().create_future()
        return await self._confirmed(number, time.perf_counter() + PATIENCE) - due

    def confirm(self, ack: int) -> None:
        """Resolve the waiting edits up to this number."""
        for number in [number for number in self._waiting if number <= ack]:
            self._waiting.pop(number).set_result(self.heard)

    async def _confirmed(self, number: int, end: float) -> float:
        """Post until the edit is confirmed; return when it was."""
        confirmed, patience = self._waiting[number], outbox.AGAIN
        while True:
            await self.post(outbox.edits_message(self.word, self.pending, self.seen))
            try:
                return await asyncio.wait_for(asyncio.shield(confirmed), patience)
            except TimeoutError:
                patience = min(2 * patience, outbox.MOST)
                if self.lost or time.perf_counter() > end:
                    raise TimeoutError(self.lost or f"edit {number} is not confirmed") from None


def _rule(tab: Editor) -> Edit:
    """Set another rule on a node: nearly always a structure that the server has never seen."""
    node = tab.random.choice(tab.nodes)
    others = [rule for rule in RULES if rule != tab.rules.get(node, "follow")]
    tab.rules[node] = tab.random.choice(others)
    return {"kind": "rules", "nodes": [node], "rule": tab.rules[node]}


def _slide(tab: Editor) -> Edit:
    """Release an input's slider on a new number."""
    value = round(tab.random.uniform(0.1, 3.0), 4)
    return {"kind": "slide", "name": tab.random.choice(tab.inputs), "value": value, "fresh": True}


def _add(tab: Editor) -> Edit:
    """Add a node, wired to an existing one."""
    place = [tab.random.randrange(WIDTH), tab.random.randrange(HEIGHT)]
    wire = {"from": tab.random.choice(tab.nodes), "slot": 0}
    return {"kind": "add", "op": tab.random.choice(ADDED), "position": place, "wire": wire}


def _select(tab: Editor) -> Edit:
    """Select another node: no number changes."""
    return {"kind": "select", "node": tab.random.choice(tab.nodes)}


GESTURES: dict[str, Callable[[Editor], Edit]] = {
    "rule": _rule, "slide": _slide, "add": _add, "select": _select,
}  # fmt: skip


@dataclass
class Ticker(Tab):
    """Visitor who ticks and clears the one box of a bare page."""

    ticked: bool = False
    waiting: list[asyncio.Future] = field(default_factory=list)

    async def act(self, due: float) -> float:
        """Tick or clear the box; return seconds until the page had been run."""
        self.ticked = not self.ticked
        seen = asyncio.get_running_loop().create_future()
        self.waiting.append(seen)
        await self.send(WidgetState(id=self.elements["checkbox"].id, bool_value=self.ticked))
        return await asyncio.wait_for(seen, PATIENCE) - due

    def rest(self) -> None:
        """Resolve all waiting ticks: the page has been run."""
        self.shown.set()
        for seen in self.waiting:
            seen.set_result(self.heard)
        self.waiting.clear()
