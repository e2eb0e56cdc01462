"""Serve HTTP routes besides Streamlit's: readiness, pages with their own head, pictures, robots, sitemap."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from gzip import decompress
from hashlib import blake2b
from html import escape
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from autodiff_viz.ui.lab.source import CODE, script
from autodiff_viz.ui.serving.head import CARDS, document
from autodiff_viz.ui.serving.lab_socket import SOCKET
from autodiff_viz.ui.serving.origin import origin
from autodiff_viz.ui.serving.visits import VISITS
from autodiff_viz.ui.serving.words import PATH as WORDS
from autodiff_viz.ui.serving.words import words
from autodiff_viz.ui.warm import WARM, warmth
from autodiff_viz.views.persistence.link_preview import PAGES, PREVIEWS, preview

FOLDER = Path(__file__).parent / "cards"
PICTURES = {found.picture for found in PREVIEWS}
DAY = {"Cache-Control": "public, max-age=86400"}
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


async def ready(request: Request) -> JSONResponse:
    """Answer 200 if the server has warmed up, otherwise 503, with its state."""
    state = warmth()
    headers = {"Cache-Control": "no-store"}
    return JSONResponse({"ready": state == WARM, "state": state}, 200 if state == WARM else 503, headers)


def page(path: str) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of the page at `path`."""

    async def answer(request: Request) -> Response:
        if VISITS.full:
            return VISITS.page()
        text = document(preview(path, request.query_params), origin(request)).encode()
        tag = f'W/"{blake2b(text, digest_size=16).hexdigest()}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return HTMLResponse(text, headers=headers)

    return answer


async def card(request: Request) -> Response:
    """Answer with the picture of a preview."""
    name = request.path_params["name"]
    if name not in PICTURES:
        return PlainTextResponse("Not found", 404)
    return FileResponse(FOLDER / f"{name}.png", headers=DAY)


async def code(request: Request) -> Response:
    """Answer with the browser code of the lab, whose name differs from that of every other version."""
    found = script()
    if request.path_params["name"] != found.name:
        return PlainTextResponse("Not found", 404)
    headers = {**FOREVER, "Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(decompress(found.compressed), headers=headers, media_type="text/javascript")
    zipped = {**headers, "Content-Encoding": "gzip"}
    return Response(found.compressed, headers=zipped, media_type="text/javascript")


async def robots(request: Request) -> PlainTextResponse:
    """Answer with the paths that crawlers may fetch: none that would open a session."""
    return PlainTextResponse(ROBOTS.format(here=origin(request)), headers=DAY)


async def sitemap(request: Request) -> Response:
    """Answer with the addresses of all pages and lessons."""
    here = origin(request)
    places = "".join(
        f"  <url><loc>{escape(here + found.address)}</loc></url>\n" for found in PREVIEWS if found.address
    )
    return Response(SITEMAP.format(places=places), media_type="application/xml", headers=DAY)


ROBOTS = """User-agent: *
Disallow: /_stcore/
Disallow: /component/
Disallow: /media/

Sitemap: {here}/sitemap.xml
"""

SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{places}</urlset>
"""

ROUTES = [
    Route("/ready", ready),
    Route("/robots.txt", robots),
    Route("/sitemap.xml", sitemap),
    Route(f"/{CODE}/{{name}}.js", code),
    Route(f"{CARDS}/{{name}}.png", card),
    Route(WORDS, words),
    SOCKET,
    *(Route(path, page(path)) for path in PAGES),
]
