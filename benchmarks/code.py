"""Time code that is typed or pasted: on a warm server until its graph is there, and its first answers."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
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
    yield from first_answers()


FIRST = (
    "first answers of code with {} nodes in a new process, its processor time / jax.jit of jax.grad by hand"
)
BLOCK = """
    w = {0}.full((h.shape[1], width), 0.1)
    h = {0}.tanh(h @ w + {1})
    h = h - h.mean(-1, {3}=True)
    h = h / {0}.sqrt((h * h).mean(-1, {3}=True) + 1e-5)
    h = h * {2}.sigmoid(h) + {0}.exp(-h * h)
"""
"""Layers of different widths, so that hardly any two nodes are the same op of the same shapes."""
HAND = (
    """
import time
import jax, jax.numpy as jnp
def f(h):
  for width in range(4, {last}):"""
    + BLOCK.format("jnp", "jnp.arange(width)", "jax.nn", "keepdims")
    + """
  return jnp.log(h * h + 1.0).sum()
x = jnp.array([[0.5, -0.3, 0.8], [0.1, 0.4, -0.9]])
start = time.process_time()
jax.jit(jax.grad(f))(x).block_until_ready()
print(time.process_time() - start)
"""
)
READ = (
    """
import time
import autodiff_viz as av
text = '''
import torch
h = x = torch.tensor([[0.5, -0.3, 0.8], [0.1, 0.4, -0.9]], requires_grad=True)
for width in range(4, {last}):"""
    + BLOCK.format("torch", "torch.arange(width)", "torch", "keepdim")
    + """
torch.log(h * h + 1.0).sum().backward()
'''
start = time.process_time()
found = av.read(text)
found.answers()
assert not found.refused
print(len(found.graph.nodes), time.process_time() - start)
"""
)


def first_answers() -> Iterator[Row]:
    """Yield what the first answers of code cost, in a process that has compiled nothing.

    By hand the imports are not counted, nor are ours.
    """
    for nodes, last in ((50, 7), (200, 16)):
        by_hand, ours = ([_printed(each.format(last=last)) for _ in range(3)] for each in (HAND, READ))
        yield Row(FIRST.format(nodes), median(ours) / median(by_hand))


def _printed(program: str) -> float:
    bare = {key: value for key, value in os.environ.items() if not key.startswith(("JAX_", "XLA_"))}
    run = subprocess.run(
        [sys.executable, "-c", program], env=bare, capture_output=True, text=True, check=True
    )
    return float(run.stdout.split()[-1])


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
    """Return the cards of a whole drawing, or those that a difference sets, as text."""
    answer = json.loads(message)
    return json.dumps((answer.get("full") or answer.get("patch") or {}).get("nodes", ""))
