"""Simulate an attacker who sends texts that take much to read, by requests without a page or into one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

from autodiff_viz.graph import limits
from autodiff_viz.graph.short_text import FORMULA, short_text
from benchmarks.attack import Act, Attack, opened, text
from benchmarks.server import Server

JAX = "import jax, jax.numpy as jnp\nx = jnp.array(2.0)\n"
TORCH = "import torch\n"
REQUESTS = 6  # at a time
WAITED = 60.0  # seconds for an answer
_NESTED = "a = [[0] * 9999] * 9999\nb = [[0] * 9998 + [1]] * 9999\n"
_DOUBLED = "for i in range(40):\n    a = {k: a for k in range(2)}\n    b = {k: b for k in range(2)}\n"
_BIG = "0x" + "f" * 250_000
BOMBS: Sequence[str] = (
    JAX
    + _NESTED
    + "c = list(map(lambda k: a, range(9999)))\nd = list(map(lambda k: b, range(9999)))\ne = c == d\n",
    JAX + "def f(*a): return f(*a, *a)\nf(1)\n",
    JAX + "a = {0: 1}\nb = {0: 1}\n" + _DOUBLED + "c = a == b\n",
    JAX + "a = list(range(10**9))\n",
    JAX + "a = jnp.ones((256, 256)).tolist()\nfor i in range(99):\n    a = a + a\n",
    JAX + f"a = {_BIG}\nb = {_BIG[:125_000]}\nfor i in range(250):\n    c = a % b\n",
    JAX + _NESTED + "for i in range(256):\n    c = max(a)\n",
    JAX
    + "class A0: pass\nclass B0: pass\n"
    + "".join(
        f"class A{i}(A{i - 1}, B{i - 1}): pass\nclass B{i}(A{i - 1}, B{i - 1}): pass\n" for i in range(1, 40)
    ),
    JAX + "a = []\na.append(a)\nb = a == a\n",
    JAX + "y = f'" + "{x}" * 190_000 + "'\n",
    "\n" * 590_000 + "y = x.y\n",
)
"""What takes long, or much memory, for hardly any length."""

LARGE: Sequence[str] = (
    TORCH + "m = torch.nn.Embedding(50257, 768)\nm(torch.tensor([1, 2])).sum().backward()\n",
    TORCH + "m = torch.nn.Linear(4096, 4096)\nm(torch.ones(4096)).sum().backward()\n",
    TORCH + "m = torch.nn.Conv2d(512, 512, 3)\nm(torch.ones(1, 512, 7, 7)).sum().backward()\n",
    TORCH + "m = torch.nn.Linear(25088, 4096)\nm(torch.ones(25088)).sum().backward()\n",
    JAX + "w = jax.random.normal(jax.random.PRNGKey(0), (4096, 4096))\ny = w.sum()\n",
)
"""What people write."""


def _numbered(texts: Sequence[str], number: int) -> str:
    """Return one of the texts with a comment that nobody has sent before: nothing is remembered of it."""
    return f"{texts[number % len(texts)]}# {number} {time.time_ns()}\n"


async def _ask(app: Server, query: str) -> None:
    """Request the picture of a frame."""
    with suppress(OSError, HTTPError):
        await asyncio.to_thread(
            lambda: urlopen(f"{app.address}/embed.svg?embed=1&v=1&{query}", timeout=WAITED)
        )


def requested(texts: Sequence[str]) -> Attack:
    """Return the attack of requests for pictures of these texts, which need no page."""

    async def attack(app: Server, seed: int) -> None:
        async def one(first: int) -> None:
            number = first
            while True:
                number += REQUESTS
                await _ask(app, urlencode({FORMULA: short_text(_numbered(texts, number))}))

        await asyncio.gather(*(one(i) for i in range(REQUESTS)))

    return attack


def pasted(texts: Sequence[str]) -> Attack:
    """Return the attack of a visitor who pastes these texts, one every moment."""

    async def attack(app: Server, seed: int) -> None:
        async with opened(app, seed) as tab:
            number = 0
            while True:
                number += 1
                act: Act = [{**text(_numbered(texts, number))[0], "seq": number}]
                tab.pending = []
                await tab.post({"key": tab.word.key, "edits": act, "have": tab.word.rev, "seen": True})
                await asyncio.sleep(1.0)

    return attack


async def long_addresses(app: Server, seed: int) -> None:
    """Request addresses of full length that hold nothing."""
    number = 0
    while True:
        number += 1
        key = ("g", FORMULA)[number % 2]
        await _ask(app, f"{key}=" + "a" * (limits.LINK - number % 100))


STRANGE: dict[str, Attack] = {
    f"{REQUESTS} requests at a time for pictures of code that takes long": requested(BOMBS),
    f"{REQUESTS} requests at a time for pictures of large layers": requested(LARGE),
    "code that takes long pasted every second": pasted(BOMBS),
    "large layers pasted every second": pasted(LARGE),
    "addresses of full length": long_addresses,
}
