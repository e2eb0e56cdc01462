"""Refuse uploads, metrics, long addresses, pages of other sites, and visitors beyond the limit.

What is refused does not reach Streamlit.
"""

from __future__ import annotations

import os
import re
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import config
from streamlit.net_util import get_internal_ip
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from autodiff_viz.graph import limits
from autodiff_viz.lab.launch import TOKEN
from autodiff_viz.standalone.posters import with_notice
from autodiff_viz.ui.server.plain_page import plain_page

# Find the public address of this server, which a proxy may have hidden, and which pages may connect to
# it. Whoever sends a request writes its `Host`. An address that others may see, in a link preview or in
# the cache of a proxy, is therefore made only of hosts that the environment lists.


HOSTS = "AUTODIFF_VIZ_HOSTS"
"""Hosts under which visitors reach the server, as in its addresses, separated by commas; "*" for any."""

TRUSTED = "FORWARDED_ALLOW_IPS"
"""Uvicorn's own setting: addresses or networks of trusted proxies, separated by commas; "*" trusts all.

Uvicorn reads `X-Forwarded-Proto` and `X-Forwarded-For` by it, but not `X-Forwarded-Host`.
"""

FRAMES = "AUTODIFF_VIZ_FRAMES"
"""Sites that may show the lab in a frame, as in `frame-ancestors`: any unless set, "none" for none."""

ANYWHERE = "* file:"
"""All sites, and pages opened from disk, such as slides, which `*` leaves out."""

OWN_SITE = "'self'"

OPAQUE = "null"
"""Origin of a page in a frame with `sandbox` and without `allow-same-origin`."""

NOBODY_ELSE = "127.0.0.1"
_HOST = re.compile(r"[\w.-]+(:\d{1,5})?|\[[\da-fA-F:.]+\](:\d{1,5})?", re.ASCII)


def origin(request: Request) -> str:
    """Return scheme, host and the path under which the app is mounted; for an unlisted host the path."""
    host = _public_host(request)
    path = request.scope.get("root_path", "")
    listed = _entries(HOSTS, "")
    if not _HOST.fullmatch(host) or not ("*" in listed or host.lower() in map(str.lower, listed)):
        return path
    return f"{request.scope['scheme']}://{host}{path}"


def is_from_own_page(connection: HTTPConnection) -> bool:
    """Return whether a websocket is opened by a page of this server or one that Streamlit's settings allow.

    Streamlit's own check does the same, and then asks a server on the internet for the address of this one,
    up to two seconds in which nobody is served.
    """
    host = connection.headers.get("host")
    if not is_host_allowed(host):
        return False
    page = connection.headers.get("origin")
    if page is None or not config.get_option("server.enableCORS"):
        return True
    if page == OPAQUE:
        # Any site can have such a page; where any may frame the lab, to refuse it protects nothing.
        return "*" in framing_sites().split()
    try:
        asking = urlsplit(page)
        name = asking.hostname
    except ValueError:
        return False
    allowed = [*config.get_option("server.corsAllowedOrigins"), config.get_option("browser.serverAddress")]
    names = [urlsplit(entry if "//" in entry else f"//{entry}").hostname for entry in filter(None, allowed)]
    return asking.netloc in (host, _public_host(connection)) or (
        name is not None and name in ["localhost", "0.0.0.0", "127.0.0.1", get_internal_ip(), *names]
    )


def framing_sites() -> str:
    """Return the sites that may show the lab in a frame, as in `frame-ancestors`.

    Raises:
      ValueError: the setting is not a list of sites.
    """
    # A lab of one's own needs its cookie, which a browser sends to no frame on another site.
    frames = os.environ.get(FRAMES, "").strip() or (OWN_SITE if os.environ.get(TOKEN) else ANYWHERE)
    if any(mark in frames for mark in ";,\r\n") or not frames.isascii():
        raise ValueError(
            f"{FRAMES} is {frames!r}; it must be sites such as https://school.example, between spaces."
        )
    return frames


def _public_host(connection: HTTPConnection) -> str:
    """Return the host that the visitor has asked for, as a trusted proxy says or else the request itself."""
    host = connection.headers.get("host", "")
    if not _is_trusted(connection):
        return host
    return connection.headers.get("x-forwarded-host", host).split(",")[0].strip()


def _is_trusted(connection: HTTPConnection) -> bool:
    """Return whether a trusted proxy has sent this request.

    Uvicorn replaces the client by the visitor whom the proxy names, with port 0, which no client can send
    from.
    """
    if connection.client is None or connection.client.port == 0:
        return True
    allowed = _entries(TRUSTED, NOBODY_ELSE)
    return "*" in allowed or any(_is_in(connection.client.host, entry) for entry in allowed)


def _entries(variable: str, otherwise: str) -> list[str]:
    """Return the entries of a variable of the environment, which commas separate."""
    return [entry.strip() for entry in os.environ.get(variable, otherwise).split(",")]


def _is_in(host: str, network: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:  # `network` is a name
        return host == network


# Count the visitors of a process, and answer a visitor beyond the limit.


VISITORS = "AUTODIFF_VIZ_VISITORS"  # most visitors that one process serves at once
AGAIN = 20  # seconds after which a refused page tries again
HEADERS = {"Retry-After": str(AGAIN), "Cache-Control": "no-store"}


_OWN_POLICY = re.compile(r'Content-Security-Policy" content="([^"]*)"')


class Visits:
    """Count of open websockets, one per page on view. Only the server's own thread changes it."""

    def __init__(self, most: int):
        self.most = most
        self.open = 0

    @property
    def full(self) -> bool:
        return self.open >= self.most

    @property
    def sentence(self) -> str:
        return f"All {self.most:,} places on this server are taken."

    def page(self) -> HTMLResponse:
        """Return the page for a visitor who opens the lab while it is full."""
        body = _FULL.format(sentence=self.sentence)
        return HTMLResponse(plain_page("The lab is full", body, _AGAIN), 503, HEADERS)

    def figure(self, poster: str) -> HTMLResponse:
        """Return the figure of a lesson in place of its page, while the lab is full."""
        policy = _OWN_POLICY.search(poster)
        own = {"Content-Security-Policy": policy[1]} if policy else {}
        return HTMLResponse(with_notice(poster, self.sentence), 503, {**HEADERS, **own})

    def answer(self) -> JSONResponse:
        """Return the answer to an open page that is refused: Streamlit shows JSON text and tries again."""
        text = f"The lab is full. {self.sentence} This page tries again by itself."
        return JSONResponse(text, 503, HEADERS)


def most_visitors() -> int:
    """Return the limit from the environment, or the default.

    Raises:
      ValueError: the variable is not a positive whole number.
    """
    text = os.environ.get(VISITORS, "").strip()
    if not text:
        return limits.VISITORS
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{VISITORS} is {text!r}; it must be a whole number of visitors, 1 or more.")
    return int(text)


_AGAIN = f'''
    <meta http-equiv="refresh" content="{AGAIN}" />'''
_FULL = f"""    <p>{{sentence}}</p>
    <p>This page tries again every {AGAIN} seconds. Your link stays in the address bar.</p>"""

VISITS = Visits(most_visitors())

REFUSED = ("/_stcore/upload_file", "/_stcore/metrics")
"""Refused paths. No page takes uploads, which Streamlit keeps in memory; its metrics would be public."""

TOO_LONG = f"""This address is too long: more than {limits.ADDRESS:,} characters after the question mark.
Save the graph as a JSON file where it was made, and drop that file on the canvas."""

SOCKET, PING = "/_stcore/stream", "/_stcore/health"


class Gate:
    """ASGI middleware that passes on all requests that are not refused."""

    def __init__(self, app: ASGIApp, visits: Visits):
        self.app, self.visits = app, visits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        long = len(scope.get("query_string", b"")) > limits.ADDRESS  # before anything reads it
        if scope["type"] == "websocket" and long:
            await WebSocketClose()(scope, receive, send)
        elif scope["type"] == "http" and long:
            await PlainTextResponse(TOO_LONG, 414)(scope, receive, send)
        elif scope["type"] == "websocket" and not is_from_own_page(HTTPConnection(scope)):
            await WebSocketClose()(scope, receive, send)
        elif scope["type"] == "websocket" and path.endswith(SOCKET):
            # Streamlit would check the origin once more, and slowly: see `is_from_own_page`.
            others = [pair for pair in scope["headers"] if pair[0] != b"origin"]
            await self._visit({**scope, "headers": others}, receive, send)
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


def _is_from_page(scope: Scope) -> bool:
    """Return whether a page sends the request, before it opens its websocket.

    For a host's own health check a full server is healthy: the host would restart it otherwise.
    """
    headers = Headers(scope=scope)
    return "referer" in headers or "sec-fetch-mode" in headers


GATE = Middleware(Gate, visits=VISITS)
