"""Send requests to an ASGI app without a server."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.types import ASGIApp

T = TypeVar("T")

HOST = "lab.example"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def get(app: ASGIApp, target: str, headers: Mapping[str, str] | None = None, **scope: Any) -> Answer:
    return finished(answered(app, target, headers, **scope))


def finished(work: Coroutine[Any, Any, T]) -> T:
    """What comes of `work`, in a thread of its own: in this one Playwright may have a loop running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def answered(
    app: ASGIApp, target: str, headers: Mapping[str, str] | None = None, **scope: Any
) -> Answer:
    """What the app answers. `scope` has what is special about the request: `method`, `client`, `scheme`."""
    path, _, query = target.partition("?")
    sent: list[dict[str, Any]] = []

    async def receive() -> Any:
        return await asyncio.Event().wait()  # the visitor stays, and sends nothing

    async def send(message: Any) -> None:
        sent.append(message)

    given = {"host": HOST, **(headers or {})}
    whole = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), text.encode("latin-1")) for name, text in given.items()],
        "scheme": "http",
        "client": ("203.0.113.7", 50_000),
        "server": ("127.0.0.1", 8501),
        "root_path": "",
        "http_version": "1.1",
        **scope,
    }
    await app(whole, receive, send)
    start, *parts = sent
    found = {name.decode().lower(): text.decode("latin-1") for name, text in start["headers"]}
    return Answer(start["status"], found, b"".join(part.get("body", b"") for part in parts))
