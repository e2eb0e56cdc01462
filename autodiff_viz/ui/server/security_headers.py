"""Send security headers with every answer, which limit what a page of the lab may do in a browser.

The page loads code, styles and data only from its own server. Streamlit sets styles inline, compiles its own
WebAssembly and loads a component's code from blobs. Inline scripts are named by their hashes.
Framing is for lessons and lectures that embed the lab, and a setting restricts it.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from autodiff_viz.ui.bundle import CODE
from autodiff_viz.ui.navigation import TO_THE_TOP as PAGE_TO_THE_TOP
from autodiff_viz.ui.panels.lesson import PROGRESS
from autodiff_viz.ui.panels.lesson import TO_THE_TOP as LESSON_TO_THE_TOP
from autodiff_viz.ui.server.admission import OPAQUE, framing_sites
from autodiff_viz.ui.server.opening import BOOT as OPENING
from autodiff_viz.ui.server.poster import BOOT, THEME
from autodiff_viz.ui.server.routes import INDEX

POLICY = "Content-Security-Policy"

UNUSED = ("camera", "display-capture", "geolocation", "microphone", "midi", "payment", "serial", "usb")
"""What the page never asks for, nor may a script in it."""


def policy(frames: str, scripts: Sequence[str]) -> str:
    """Return the content security policy.

    Args:
      frames: sites that may embed the page; "none" for none.
      scripts: the inline scripts that may run.
    """
    hashes = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts]
    rules = {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", "blob:", "'wasm-unsafe-eval'", *hashes]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' blob: data:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'" if frames == "none" else frames,
    }
    return "; ".join(f"{name} {sources}" for name, sources in rules.items())


def headers(scripts: Sequence[str]) -> dict[str, str]:
    """Return all security headers, with the setting from the environment.

    Raises:
      ValueError: the setting is not a list of sites.
    """
    return {
        POLICY: policy(framing_sites(), scripts),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "strict-origin",  # the address holds the graph
        "Permissions-Policy": ", ".join(f"{name}=()" for name in UNUSED),
    }


def inline_scripts() -> list[str]:
    """Return the scripts that are written into pages: Streamlit's own and the project's."""
    streamlit = re.findall(r"<script>(.*?)</script>", INDEX.read_text("utf-8"), re.DOTALL)
    return [*streamlit, PAGE_TO_THE_TOP, LESSON_TO_THE_TOP, PROGRESS.read_text("utf-8"), OPENING, BOOT, THEME]


class Guarded:
    """ASGI middleware that adds headers to every answer."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]):
        self.app, self.headers = app, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A page without an origin, in a frame with `sandbox` alone, loads its scripts as if from elsewhere.
        # Files that browsers keep say so to every page, since another page may have loaded them first.
        public = scope["type"] == "http" and (
            Headers(scope=scope).get("origin") == OPAQUE
            or any(folder in scope["path"] for folder in ("/static/", f"/{CODE}/"))
        )

        async def give(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = MutableHeaders(scope=message)
                # Of a page with its own script; who may embed it is the host's to say.
                own = given.get(POLICY)
                given.update(self.headers)
                if own:
                    given[POLICY] = f"{own}; {self.headers[POLICY].rpartition('; ')[2]}"
                if public:
                    given["Access-Control-Allow-Origin"] = "*"
            await send(message)

        await self.app(scope, receive, give if scope["type"] == "http" else send)


_HEADERS = headers(inline_scripts())
GUARDED = Middleware(Guarded, headers=_HEADERS)


async def failed(_request: Request, _error: Exception) -> PlainTextResponse:
    """Answer a request that a bug has broken off; Starlette sends this past all middleware."""
    return PlainTextResponse("Internal Server Error", 500, _HEADERS)
