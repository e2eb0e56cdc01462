"""Compress Streamlit's own files once, so that browsers get a third of their bytes; nginx does so by itself.

A file that has not been compressed yet goes out as it is.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Event

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from autodiff_viz.ui.chunks import FIRST, LATER, STATIC, scripts

MEDIA = {".js": "application/javascript", ".css": "text/css"}
LEAST, MOST = 1_000, 300_000
"""Bytes of a file that is compressed; a longer one only if the lab needs it, which has no maps."""

LEVEL = 6
"""Of gzip; 9 takes twice the time for a hundredth of the bytes."""

HEADERS = {"Cache-Control": "public, immutable, max-age=31536000", "Vary": "Accept-Encoding"}
"""As Streamlit sends these files, whose names change with their content."""

_compressed: dict[str, bytes] = {}
"""By path, as it is asked for."""


def prepare(stop: Event) -> None:
    """Compress the files, those of the first view first, until the server ends."""
    for path in _files():
        if stop.is_set():
            return
        _compressed[f"/{path.relative_to(STATIC).as_posix()}"] = gzip.compress(
            path.read_bytes(), LEVEL, mtime=0
        )


def _files() -> Iterator[Path]:
    index = (STATIC / "index.html").read_text("utf-8")
    needed = [STATIC / name for name in scripts(*FIRST, *LATER)]
    named = sorted(path for path in STATIC.glob("static/**/*") if path.suffix in MEDIA)
    of_the_page = [path for path in named if path.name in index]
    others = [path for path in named if LEAST <= path.stat().st_size <= MOST]
    yield from dict.fromkeys([*of_the_page, *needed, *others])


class Compressed:
    """ASGI middleware that answers with a compressed file where the browser takes one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = None
        if scope["type"] == "http" and scope["method"] == "GET":
            headers = Headers(scope=scope)
            if "gzip" in headers.get("accept-encoding", "") and "range" not in headers:
                found = _compressed.get(scope["path"].removeprefix(scope.get("root_path", "")))
        if found is None:
            await self.app(scope, receive, send)
            return
        media = MEDIA[Path(scope["path"]).suffix]
        answer = Response(found, media_type=media, headers={**HEADERS, "Content-Encoding": "gzip"})
        await answer(scope, receive, send)


COMPRESSED = Middleware(Compressed)


def packed(request: Request, text: bytes, headers: Mapping[str, str]) -> Response:
    """Answer with a page, compressed if the browser takes that."""
    headers = {**headers, "Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return HTMLResponse(text, headers=headers)
    return HTMLResponse(gzip.compress(text, LEVEL, mtime=0), headers={**headers, "Content-Encoding": "gzip"})
