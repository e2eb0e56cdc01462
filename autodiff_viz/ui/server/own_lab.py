"""Refuse everybody but the owner of a lab that serves one user on the user's own machine.

The owner has the token, which is in the address that `lab` prints (`lab/launch.py`). A visit with it sets a
cookie and leads on to the same address without it, so that no link, no log and no page of another site has
it. Every later request needs the cookie, of files and websockets too.

A page of another site reaches this machine through the user's browser, also under a name of its own that
leads here (DNS rebinding). So `Host` must be this server's, and so must `Origin` of a websocket; and the
browser sends a cookie that is `SameSite=Strict` for no other site.
"""

from __future__ import annotations

import os
from html import escape
from secrets import compare_digest

from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from autodiff_viz.lab.launch import HERE, PARAMETER, TOKEN, cookie_of
from autodiff_viz.ui.server.plain_page import plain_page

NAMES = (HERE, "localhost", "[::1]")
"""Hosts under which a browser on this machine reaches the server."""

HTTP = 80  # the port that an address leaves out
NO_STORE = {"Cache-Control": "no-store"}

_CLOSED = """    <p>This lab answers only to the person who has started it, on this machine.</p>
    <p>Open it by the whole address that was printed where it was started: in the terminal, or by
    <code>av.lab</code>. It begins with <code>http://{printed}/?token=</code>. After that every tab of this
    browser may use it, until the lab ends.</p>
    <p>If this browser was there before, <a href="{again}">go on</a>.</p>"""

_ELSEWHERE = """    <p>This lab answers on the machine that it runs on, at <code>http://{printed}/</code>.</p>
    <p>Whoever forwards a port to it gives the port the same number on both sides.</p>"""


class OwnLab:
    """ASGI middleware that passes on only the owner's requests."""

    def __init__(self, app: ASGIApp, token: str):
        self.app, self.token = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asked, port = HTTPConnection(scope), scope["server"][1]
        hosts = [f"{name}:{port}" for name in NAMES] + [*NAMES] * (port == HTTP)
        host, cookie = asked.headers.get("host", ""), asked.cookies.get(cookie_of(port), "")
        known = host in hosts and self._is_token(cookie)
        if scope["type"] == "websocket":
            own = known and asked.headers.get("origin") == f"http://{host}"
            await (self.app if own else WebSocketClose())(scope, receive, send)
            return
        given = host in hosts and self._is_token(asked.query_params.get(PARAMETER, ""))
        if host not in hosts:
            answer: ASGIApp = _page("Not here", _ELSEWHERE.format(printed=hosts[0]), 403)
        elif given or (known and PARAMETER in asked.query_params):
            answer = self._entry(_without_token(scope, host), port)
        elif known:
            answer = self.app
        else:
            again = escape(_without_token(scope, host))
            answer = _page("This lab is somebody's own", _CLOSED.format(printed=hosts[0], again=again), 403)
        await answer(scope, receive, send)

    def _is_token(self, text: str) -> bool:
        return compare_digest(text.encode(), self.token)

    def _entry(self, address: str, port: int) -> Response:
        """Return the page that sets the cookie and leads on.

        A redirect would not do: after a click on another site, which a notebook on `localhost` is, a browser
        sends no strict cookie until a page of this site leads on.
        """
        head = f'\n    <meta http-equiv="refresh" content="0; url={escape(address)}" />'
        body = f'    <p><a href="{escape(address)}">Open the lab</a></p>'
        answer = _page("The lab opens", body, 200, head)
        answer.set_cookie(cookie_of(port), self.token.decode(), httponly=True, samesite="strict")
        return answer


def _page(title: str, body: str, status: int, head: str = "") -> HTMLResponse:
    return HTMLResponse(plain_page(title, body, head), status, NO_STORE)


def _without_token(scope: Scope, host: str) -> str:
    """Return the whole address of a request without its token; `host` is one of this server's."""
    path = scope.get("raw_path", scope["path"].encode()).partition(b"?")[0].decode("latin-1")
    parts = scope["query_string"].decode("latin-1").split("&")
    query = "&".join(part for part in parts if part.partition("=")[0] != PARAMETER)
    return f"http://{host}{path}" + (f"?{query}" if query else "")


_token = os.environ.get(TOKEN, "")
OWN_LAB = [Middleware(OwnLab, token=_token)] if _token else []
