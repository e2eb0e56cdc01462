"""Refuse uploads, metrics, pages of other sites, and visitors beyond the limit (admission control).

What is refused does not reach Streamlit.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from autodiff_viz.ui.serving.origin import is_from_own_page
from autodiff_viz.ui.serving.visits import VISITS, Visits

REFUSED = ("/_stcore/upload_file", "/_stcore/metrics")
"""Refused paths. No page takes uploads, which Streamlit keeps in memory; its metrics would be public."""

SOCKET, PING = "/_stcore/stream", "/_stcore/health"


class Gate:
    """ASGI middleware that passes on all requests that are not refused."""

    def __init__(self, app: ASGIApp, visits: Visits):
        self.app, self.visits = app, visits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "websocket" and not is_from_own_page(HTTPConnection(scope)):
            await WebSocketClose()(scope, receive, send)
        elif scope["type"] == "websocket" and path.endswith(SOCKET):
            await self._visit(_without_origin(scope), receive, send)
        elif scope["type"] == "http" and any(refused in path for refused in REFUSED):
            await PlainTextResponse("Not found", 404)(scope, receive, send)
        elif scope["type"] == "http" and self.visits.full and path.endswith(PING) and _is_from_page(scope):
            await self.visits.answer()(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.visits.full:
            await WebSocketClose()(scope, receive, send)  # the page then asks the health path, which says why
            return
        self.visits.open += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.visits.open -= 1


def _without_origin(scope: Scope) -> Scope:
    """Return the request without its `Origin`, which has been checked: see `is_from_own_page`."""
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"origin"]}


def _is_from_page(scope: Scope) -> bool:
    """Return whether a page sends the request, before it opens its websocket.

    For a host's own health check a full server is healthy: the host would restart it otherwise.
    """
    headers = Headers(scope=scope)
    return "referer" in headers or "sec-fetch-mode" in headers


GATE = Middleware(Gate, visits=VISITS)
