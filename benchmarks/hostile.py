"""Measure how long ten editors wait while another visitor does what takes the server longest."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync import client

from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.serialization.codec import to_json

from benchmarks.crowd import PERIOD, RAMP, at_rest, later, quantile, visit
from benchmarks.outbox import Edit
from benchmarks.server import Server, server, until_warm
from benchmarks.table import Row
from benchmarks.visitor import SOON, Editor

OTHERS, SIZE, SECONDS = 10, 30, 16
FELT = 0.05  # seconds more at the 95th percentile of the others
EVERY = 2.0  # seconds between two messages of the attacker


Act = Sequence[Edit] | str
"""A message with these edits, or the key of a button that is pressed."""

Acts = Sequence[Act]
"""What the attacker does, in turn and again."""

Attack = Callable[[Server, int], Coroutine[Any, Any, None]]
"""Attacks a server until it is cancelled; the number tells the attackers of a run apart."""

TABS, SOCKETS, READERS = 20, 200, 50
UNPACKED = 47_500_000  # pairs of brackets in one message
WATCHED = 0.25  # seconds between two readings of the server's memory


def chain(length: int) -> str:
    """Return the formula of a chain of this many nodes."""
    lines = [f"n{i} = sin(n{i - 1})" for i in range(2, length)]
    return "\n".join(["x = 0.5", "n1 = cos(x)", *lines, f"return n{length - 1}"])


def shapes(count: int) -> str:
    """Return the formula of a graph with tensors of so many different shapes, three nodes each."""
    lines = [f"v{i} = {[0.5] * i}\na{i} = sin(v{i})\ns{i} = sum(a{i})" for i in range(1, count + 1)]
    return "\n".join([*lines, f"return s{count}"])


def trainable(length: int) -> str:
    """Return the formula of a chain of this many nodes whose first one is trained."""
    lines = [f"n{i} = sin(n{i - 1})" for i in range(2, length)]
    return "\n".join(
        ["w = parameter(0.5)", "n1 = cos(w)", *lines, f"loss = square(n{length - 1})", "return loss"]
    )


def regions(blocks: int, depth: int) -> str:
    """Return the formula of nested checkpoint regions, `blocks` beside one another and `depth` deep."""
    lines, last = ["x = 0.5"], "x"
    for block in range(blocks):
        for level in range(depth):
            indent = "    " * level
            lines.append(f'{indent}with checkpoint("r{block}_{level}"):')
            for node in range(5):
                name = f"n{block}_{level}_{node}"
                lines.append(f"{indent}    {name} = sin({last})")
                last = name
    return "\n".join([*lines, f"return {last}"])


def wide(inputs: int, nodes: int) -> str:
    """Return the formula of a sum over chains, one for each input."""
    each = nodes // inputs
    lines = [f"x{i} = 0.{i + 1}" for i in range(inputs)]
    for i in range(inputs):
        lines += [f"c{i}_{j} = sin({f'c{i}_{j - 1}' if j else f'x{i}'})" for j in range(each)]
    terms = " + ".join(f"c{i}_{each - 1}" for i in range(inputs))
    return "\n".join([*lines, f"total = {terms}", "return total"])


def large(count: int) -> str:
    """Return the formula of so many tensors of 65,536 elements."""
    lines = [f"t{i} = sin(t{i - 1})" for i in range(1, count)]
    return "\n".join(
        ["t0 = input(shape=[256, 256], seed=0)", *lines, f"loss = sum(t{count - 1})", "return loss"]
    )


def text(formula: str) -> list[Edit]:
    """Return the edit that opens a formula."""
    return [{"kind": "type", "text": formula, "fresh": True}]


def rules(names: Sequence[str]) -> list[list[Edit]]:
    """Return one message for each of these nodes, which sets its rule."""
    return [[{"kind": "rules", "nodes": [name], "rule": "stop"}] for name in names]


def slides(name: str) -> list[list[Edit]]:
    """Return messages that move a slider."""
    return [[{"kind": "slide", "name": name, "value": 0.1 * n, "fresh": True}] for n in range(1, 6)]


def drawn(count: int, length: int) -> list[list[Edit]]:
    """Return messages that each import so many tensors of this length, with other numbers each time."""
    graphs = [
        Graph(
            tuple(Node(f"t{k}", INPUT, (), params(value=(n / 2,) * length)) for k in range(count)), (), "t0"
        )
        for n in range(4)
    ]
    return [[{"kind": "import", "text": to_json(graph, None)}] for graph in graphs]


def pasted() -> list[list[Edit]]:
    """Return messages with half a character, and other texts that are cut off or upside down."""
    pieces = ("\ud83d", "\ude00", "\0", "\u2028", "\u202e", "a" + "\u0301" * 1000, "(" * 1999)
    return [text(f"x = 1.0  # {piece}\ny = {piece}x") for piece in pieces]


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

ADDED: list[Edit] = [{"kind": "add", "op": "sin", "position": [i, i]} for i in range(500)]


def cut(name: str) -> list[Edit]:
    """Return the edit that cuts the graph after a node."""
    return [{"kind": "cut_after", "nodes": [name], "on": True}]


CHECKED: list[Edit] = [{"kind": "check", "on": True}]
START_OVER, TRAIN = "train_over", "train_go"
ATTACKS: dict[str, Callable[[], Acts]] = {
    "2,000 nodes, edited and checked": lambda: [text(chain(2000)), CHECKED, *rules(["n5", "n900"])],
    "500 nodes added by each message": lambda: [ADDED, ADDED, ADDED],
    "390 nodes of 130 shapes": lambda: [text(shapes(130)), *rules(["a7", "a90", "a120"])],
    "a chain of 300 cut": lambda: [text(chain(300)), cut("n150"), *rules(["n5", "n9"])],
    "a chain of 2,000 cut": lambda: [text(chain(2000)), cut("n1000"), *rules(["n5", "n9"])],
    "a chain of 1,000 trained": lambda: [text(trainable(1000)), TRAIN, *rules(["n5", "n9"]), START_OVER],
    "300 nodes in regions 6 deep": lambda: [text(regions(10, 6)), *rules(["n1_2_3", "n4_4_1"])],
    "24 sliders of 254 nodes": lambda: [text(wide(24, 230)), *slides("x3")],
    "12 tensors of 40,000 imported again and again": lambda: drawn(12, 40_000),
    "half characters": pasted,
    "14 tensors of 65,536": lambda: [text(large(14)), *rules(["t3", "t9", "t12"])],
}


def hostile() -> Iterator[Row]:
    """Measure each attack in turn, beside the same editors without one."""
    with server("app.py") as app:
        until_warm(app)
        asyncio.run(_beside(app, None, 0))  # warm-up
        each = {**{what: repeated(acts) for what, acts in ATTACKS.items()}, **CONNECTIONS}
        for number, (what, attack) in enumerate(each.items(), 1):
            calm, felt, grown = asyncio.run(_beside(app, attack, 1000 * number))
            words = f"others' 95th percentile beside {what}: seconds more"
            words += f" ({calm:.3f} to {felt:.3f}; {grown:+.0f} MB)"
            yield Row(words, max(0.0, felt - calm), FELT)


async def _beside(app: Server, attack: Attack | None, first: int) -> tuple[float, float, float]:
    """Return the 95th percentile of the others' actions before the attack and during it, in seconds.

    And by how many megabytes the server's memory grew, at most.
    """
    tabs = [Editor(app.address, size=SIZE, seed=first + i) for i in range(OTHERS)]
    await asyncio.gather(*(later(RAMP * i / OTHERS, tab.open()) for i, tab in enumerate(tabs)))
    await asyncio.gather(*map(at_rest, tabs))
    calm = await _crowd(tabs)
    felt, before, sizes = calm, app.megabytes, [app.megabytes]
    if attack is not None:
        watching = asyncio.create_task(_watch(app, sizes))
        attacking = asyncio.create_task(attack(app, first + 999))
        felt = await _crowd(tabs)
        for task in (attacking, watching):
            task.cancel()
        await asyncio.gather(attacking, watching, return_exceptions=True)
    await asyncio.gather(*(tab.close() for tab in tabs))
    return calm, felt, max(sizes) - before


async def _watch(app: Server, sizes: list[float]) -> None:
    """Note the server's memory, which is short-lived where a message is unpacked."""
    while True:
        sizes.append(app.megabytes)
        await asyncio.sleep(WATCHED)


async def _crowd(tabs: Sequence[Editor]) -> float:
    start, taken = time.perf_counter(), []
    visits = (visit(tab, start + PERIOD * i / OTHERS, start + SECONDS, taken) for i, tab in enumerate(tabs))
    await asyncio.gather(*visits)
    return quantile(sorted(taken), 0.95)


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
                await _press(tab, act)
            else:
                edits = [{**edit, "seq": number + i} for i, edit in enumerate(act, 1)]
                number += len(edits)
                tab.pending = []
                await tab.post({"key": tab.word.key, "edits": edits, "have": tab.word.rev, "seen": True})
            await asyncio.sleep(EVERY)


async def _press(tab: Editor, key: str) -> None:
    """Press a button as soon as it is on the page."""
    while key not in tab.elements:
        await asyncio.sleep(SOON)
    button = tab.elements[key]
    await tab.send(WidgetState(id=button.id, trigger_value=True), button.fragment)
