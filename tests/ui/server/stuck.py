"""Serve the app, with paths at which it gets stuck: `uvicorn tests.ui.server.stuck:app`.

What they do stands for what no limit has foreseen.
"""

from __future__ import annotations

import os
import threading

from starlette.responses import PlainTextResponse

import app as lab

kept: list[bytearray] = []
ROWS = 10_000


async def app(scope, receive, send):
    """Do what the path says, or what the lab does."""
    path = scope.get("path", "")
    if path == "/process":
        await PlainTextResponse(str(os.getpid()))(scope, receive, send)
    elif path == "/compare":  # a trillion comparisons, with Python's lock held
        one, other = ([[[0] * ROWS] * ROWS] * ROWS for _ in range(2))
        _ = one == other
    elif path == "/deadlock":
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
    elif path == "/grow":
        kept.append(bytearray(os.urandom(1)) * (1 << 30))
        await PlainTextResponse("grown")(scope, receive, send)
    elif path == "/busy":  # eight threads of Python beside the event loop, until the process ends
        for _ in range(8):
            threading.Thread(target=compute, daemon=True).start()
        await PlainTextResponse("busy")(scope, receive, send)
    else:
        await lab.app(scope, receive, send)


def compute():
    """Compute for ever."""
    number = 0
    while True:
        number = number * 3 % 1_000_003
