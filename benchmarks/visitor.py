"""Who visits the servers that are measured: one edits a graph in the lab, one ticks a bare page's box."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.WidgetStates_pb2 import WidgetState

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
    """Opens the lab and does nothing but what every browser does: it asks for the rest of the page when the
    server says so.

    Attributes:
      word: what the server has said last.
      pending: the edits that are not confirmed.
    """

    word: Word | None = None
    pending: list[Edit] = field(default_factory=list)
    _asking: asyncio.Task | None = None

    def take(self, kind: str, name: str, element: Any) -> None:
        """Heed what the server says to the outbox."""
        word = outbox.read(element.json) if name == outbox.CANVAS else None
        if word is None:
            return
        self.word = word
        self.pending = [edit for edit in self.pending if edit["seq"] > word.ack]
        self.confirm(word.ack)
        self.shown.set()
        self._ask_later(word)

    def confirm(self, ack: int) -> None:
        """The edits up to this number are done."""

    async def close(self) -> None:
        """Close the tab."""
        if self._asking is not None:
            self._asking.cancel()
        await super().close()

    async def post(self, message: dict[str, Any]) -> None:
        """Send a message as the component does."""
        component = self.elements[outbox.CANVAS]
        await self.send(outbox.trigger(component.id, message), component.fragment)

    def _ask_later(self, word: Word) -> None:
        if self._asking is not None:
            self._asking.cancel()
        self._asking = asyncio.create_task(self._ask(word)) if word.rest else None

    async def _ask(self, word: Word) -> None:
        """Ask when the hands are still, and again until there is an answer: this ends with the next word."""
        patience = outbox.AGAIN
        await asyncio.sleep(word.rest[0])
        while not self.lost:
            if self.pending:  # the answer to the edits comes first
                await asyncio.sleep(SOON)
                continue
            await self.post(outbox.rest_message(word))
            await asyncio.sleep(patience)
            patience = min(2 * patience, outbox.MOST)


@dataclass
class Editor(Reader):
    """Does one thing after the other to a random graph, as a browser posts it: all that is not confirmed in
    every message, once more where the confirmation stays away.

    Attributes:
      size: nodes of the graph; another `seed` gives another one.
      gestures: names of what is done, at random.
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
        """One gesture; seconds until its numbers were there."""
        edit = GESTURES[self.random.choice(self.gestures)](self)
        number = 1 + max((other["seq"] for other in self.pending), default=self.word.ack)
        self.pending.append({**edit, "seq": number})
        self._waiting[number] = asyncio.get_running_loop().create_future()
        return await self._confirmed(number, time.perf_counter() + PATIENCE) - due

    def confirm(self, ack: int) -> None:
        """The edits up to this number are done."""
        for number in [number for number in self._waiting if number <= ack]:
            self._waiting.pop(number).set_result(self.heard)

    async def _confirmed(self, number: int, end: float) -> float:
        """Post until the edit is confirmed; when it was."""
        confirmed, patience = self._waiting[number], outbox.AGAIN
        while True:
            await self.post(outbox.edits_message(self.word, self.pending))
            try:
                return await asyncio.wait_for(asyncio.shield(confirmed), patience)
            except TimeoutError:
                patience = min(2 * patience, outbox.MOST)
                if self.lost or time.perf_counter() > end:
                    raise TimeoutError(self.lost or f"edit {number} is not confirmed") from None


def _rule(tab: Editor) -> Edit:
    """Another rule on a node: nearly always a structure that the server has never seen."""
    node = tab.random.choice(tab.nodes)
    others = [rule for rule in RULES if rule != tab.rules.get(node, "follow")]
    tab.rules[node] = tab.random.choice(others)
    return {"kind": "rules", "nodes": [node], "rule": tab.rules[node]}


def _slide(tab: Editor) -> Edit:
    """An input's slider, released on a new number."""
    value = round(tab.random.uniform(0.1, 3.0), 4)
    return {"kind": "slide", "name": tab.random.choice(tab.inputs), "value": value, "fresh": True}


def _add(tab: Editor) -> Edit:
    """A node more, wired to one that is there."""
    place = [tab.random.randrange(WIDTH), tab.random.randrange(HEIGHT)]
    wire = {"from": tab.random.choice(tab.nodes), "slot": 0}
    return {"kind": "add", "op": tab.random.choice(ADDED), "position": place, "wire": wire}


def _select(tab: Editor) -> Edit:
    """Another node: no number changes."""
    return {"kind": "select", "node": tab.random.choice(tab.nodes)}


GESTURES: dict[str, Callable[[Editor], Edit]] = {
    "rule": _rule, "slide": _slide, "add": _add, "select": _select,
}  # fmt: skip


@dataclass
class Ticker(Tab):
    """Ticks and clears the one box of a bare page."""

    ticked: bool = False
    waiting: list[asyncio.Future] = field(default_factory=list)

    async def act(self, due: float) -> float:
        """One tick; seconds until the page had been run."""
        self.ticked = not self.ticked
        seen = asyncio.get_running_loop().create_future()
        self.waiting.append(seen)
        await self.send(WidgetState(id=self.elements["checkbox"].id, bool_value=self.ticked))
        return await asyncio.wait_for(seen, PATIENCE) - due

    def rest(self) -> None:
        """The page has been run."""
        self.shown.set()
        for seen in self.waiting:
            seen.set_result(self.heard)
        self.waiting.clear()
