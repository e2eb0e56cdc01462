"""Time code that is typed on a warm server: from the key to the message that has its graph."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from statistics import median

from autodiff_viz.reading.reading import read
from benchmarks.server import Server, server, until_warm
from benchmarks.tab import PATIENCE
from benchmarks.table import Row
from benchmarks.visitor import Reader

LINES, ROUNDS = 40, 12
TITLE = f"code of {LINES} lines, one of them edited: until its graph is there / reading it in this process"


def code() -> Iterator[Row]:
    """Yield how long an edit of code takes, beside the same text read here."""
    with server("app.py") as app:
        until_warm(app)
        taken = asyncio.run(_typed(app))
    here = [_read_here(text_of(100 + i)) for i in range(ROUNDS)]
    yield Row(TITLE, median(taken[1:]) / median(here[1:]))


def text_of(number: int) -> str:
    """Return a text of PyTorch of so many lines, which differs in one of them."""
    lines = ["import torch", "x = torch.tensor([0.5, -0.3], requires_grad=True)", "y = x * 2.0"]
    lines += [f"y = torch.tanh(y + {0.01 * i:.2f}) * x" for i in range(LINES - 5)]
    return "\n".join([*lines, f"loss = (y * {1 + number / 128}).sum()", "loss.backward()", ""])


def _read_here(text: str) -> float:
    start = time.perf_counter()
    assert not read(text).refused
    return time.perf_counter() - start


async def _typed(app: Server) -> list[float]:
    """Return seconds until each text's graph was there, over the lab's own websocket."""
    tab = Reader(app.address)
    await tab.open()
    tab._answering.cancel()
    taken = []
    async with await tab.lab_socket(max_size=None) as socket:
        for number in range(1, ROUNDS + 1):
            start = time.perf_counter()
            edit = {"kind": "type", "text": text_of(number), "fresh": True, "seq": number}
            await socket.send(json.dumps({"key": tab.word.key, "edits": [edit], "have": None}))
            # The last factor is in the graph's own numbers, so no other message has it.
            while f"{1 + number / 128}"[:8] not in _nodes(await asyncio.wait_for(socket.recv(), PATIENCE)):
                pass
            taken.append(time.perf_counter() - start)
    await tab.close()
    return taken


def _nodes(message: str) -> str:
    """Return the cards of a whole drawing as text; "" of a difference."""
    return json.dumps(json.loads(message).get("full", {}).get("nodes", ""))
