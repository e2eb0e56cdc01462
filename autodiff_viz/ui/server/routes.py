"""Serve HTTP routes besides Streamlit's: readiness, pages with their own head, pictures, robots, sitemap."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import cache
from gzip import decompress
from hashlib import blake2b
from html import escape

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from autodiff_viz.display.colours import tokens
from autodiff_viz.embedding.contract import POSTER, read_embed
from autodiff_viz.graph.short_text import FORMULA
from autodiff_viz.lab.glossary import GLOSSARY
from autodiff_viz.lab.persistence.address import GALLERY, GRAPH, KEPT, LESSON
from autodiff_viz.lab.persistence.link_preview import NAME, PAGES, PREVIEWS, Preview, preview
from autodiff_viz.lessons.search import meant
from autodiff_viz.ui.bundle import CODE, lessons_script, page_style, parts, picture_script, script
from autodiff_viz.ui.chunks import FIRST, STATIC, font_tags, scripts
from autodiff_viz.ui.server.admission import VISITS, origin
from autodiff_viz.ui.server.card_picture import HIGH, WIDE, card_picture
from autodiff_viz.ui.server.compression import packed
from autodiff_viz.ui.server.lab_socket import SOCKET
from autodiff_viz.ui.server.lessons_page import CLAIMS, claims, lessons_page
from autodiff_viz.ui.server.opening import opening
from autodiff_viz.ui.server.poster import THEME, framed, picture
from autodiff_viz.ui.warm_up import WARM, warmth
from autodiff_viz.ui.worker_jobs import poster

# Write Streamlit's page with its own head for each link: title, description and picture.


INDEX = STATIC / "index.html"
CARDS = "/cards"  # path of the pictures
_CODE = re.compile(r' *<(?:script type="module"|link rel="modulepreload") [^>]*>(?:</script>)?\n')
"""Tags by which Streamlit's page loads its code."""


def document(preview: Preview, origin: str, first: str = "") -> str:
    """Return the whole page. URLs that begin with `origin` lead back to this server from anywhere.

    Args:
      first: HTML of what the page shows until Streamlit has drawn it, if there is such.
    """
    before, after = _shell()
    style = page_style().path
    loads = [f'<link rel="modulepreload" href="{path}" />' for path in (script().path, *scripts(*FIRST))]
    soon = [f'<link rel="preload" as="style" href="{style}" />']
    if first:  # whose picture comes before all code: web/opening/boot.js puts the tags into the page
        later = "".join([*(f"{tag}\n" for tag in loads), *_CODE.findall(before)])
        before = _CODE.sub("", before)
        soon.append(f'<link rel="preload" as="script" href="{picture_script().path}" />')
        first = f'<template id="av-later">\n{later}</template>\n{first}'
    else:
        soon += loads  # else they come after Streamlit's code
    links = "\n    ".join(soon)
    head = f"{before}{tags(preview, origin)}\n    <script>{THEME}</script>\n    {links}\n  "
    # In the body it comes after the sheets that Streamlit appends to the head: where both speak, it holds.
    body = f'<body>\n    <link rel="stylesheet" href="{style}" />\n    {first or without_scripts(preview)}'
    return head + after.replace("<body>", body, 1)


def without_scripts(preview: Preview) -> str:
    """Return what a browser without scripts shows: the graph with its numbers, and a way to the lessons."""
    _, _, query = (preview.address or "").partition("?")
    picture = f"./{POSTER[1:]}?embed=1&amp;v=1&amp;{escape(query)}"
    shown = f'<p><img src="{picture}" alt="Its graph with its numbers" style="max-width: 100%"></p>'
    return (
        f"<noscript><h1>{escape(preview.title)}</h1><p>{escape(preview.description)}</p>"
        f"{'' if preview.address is None else shown}"
        "<p>The lab is a program that runs in the browser, where scripts are off. "
        f'<a href="./{GALLERY}">All lessons</a></p><hr></noscript>'
    )


@cache
def _shell() -> tuple[str, str]:
    """Return Streamlit's page without its title, as (up to the end of the head, the rest)."""
    before, end, after = INDEX.read_text("utf-8").partition("</head>")
    return re.sub(r"<title>.*?</title>", "", before, flags=re.DOTALL), end + after


def tags(preview: Preview, origin: str) -> str:
    """Return the tags of the head as HTML. Search engines may list only pages that have their own address."""
    picture = f"{origin}{CARDS}/{preview.picture}.png"
    named = {
        "description": preview.description,
        "twitter:card": "summary_large_image",
        "twitter:title": preview.title,
        "twitter:description": preview.description,
        "twitter:image": picture,
    }
    properties = {
        "og:type": "website",
        "og:site_name": NAME,
        "og:title": preview.title,
        "og:description": preview.description,
        "og:image": picture,
        "og:image:width": str(WIDE),
        "og:image:height": str(HIGH),
        "og:image:alt": preview.title,
    }
    lines = [f"<title>{escape(preview.title)}</title>"]
    if preview.address is None:
        named["robots"] = "noindex"
    else:
        properties["og:url"] = origin + preview.address
        lines.append(f'<link rel="canonical" href="{escape(origin + preview.address)}" />')
    lines += [f'<meta name="{key}" content="{escape(text)}" />' for key, text in named.items()]
    lines += [f'<meta property="{key}" content="{escape(text)}" />' for key, text in properties.items()]
    return "\n    ".join(lines)


# Serve the glossary as a page of its own, which needs no session.


PATH = "/words"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Words · autodiff_viz</title>
<meta name="description" content="Cotangent, pullback, residual: the words of the lab, each in a sentence.">
{font}
<style>{style}</style>
</head>
<body>
<nav><a href="./">To the lab</a> · <a href="./?view=lessons">Lessons</a></nav>
<main>
<h1>Words</h1>
<p>What the lab means by the words that stand on its pages.</p>
<dl>
{words}
</dl>
</main>
</body>
</html>
"""
_STYLE = """
:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem;
  font: 17px/1.55 "Source Sans", sans-serif; color: var(--av-ink); background: var(--av-ground); }
h1 { margin: 1.2rem 0 0.3rem; font-size: 1.7rem; }
a { color: var(--av-link); }
dt { margin-top: 1.1rem; font-weight: 650; }
dd { margin: 0.1rem 0 0; }
"""


@cache
def words_page() -> str:
    """Return the page: each word with its sentence."""
    entries = (
        f'<dt id="{escape(word.replace(" ", "-"))}">{escape(word)}</dt>\n<dd>{escape(says)}</dd>'
        for word, says in sorted(GLOSSARY.items(), key=lambda entry: entry[0].lower())
    )
    return _PAGE.format(font=font_tags(), style=tokens(_STYLE) + _STYLE, words="\n".join(entries))


async def words(request: Request) -> HTMLResponse:
    """Answer with the page of words."""
    return HTMLResponse(words_page(), headers={"Cache-Control": "public, max-age=3600"})


PICTURES = {preview.picture: preview for preview in PREVIEWS}
PAINTING = asyncio.Lock()  # all pictures at once would hold the other visitors for many seconds
DAY = {"Cache-Control": "public, max-age=86400"}
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


MEDIA = {"js": "text/javascript", "css": "text/css"}


async def ready(request: Request) -> JSONResponse:
    """Answer 200 if the server has warmed up, otherwise 503, with its state."""
    state = warmth()
    headers = {"Cache-Control": "no-store"}
    return JSONResponse({"ready": state == WARM, "state": state}, 200 if state == WARM else 503, headers)


def page(path: str) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of the page at `path`."""

    async def answer(request: Request) -> Response:
        embed = read_embed(request.query_params) if path == "/" else None
        if embed is not None:
            return await framed(request, embed, preview(path, request.query_params).title)
        seen = preview(path, request.query_params)
        if seen.address == f"/{GALLERY}":  # which needs no session, and so has room on a full server
            return await lessons_page(request, tags(seen, origin(request)))
        if VISITS.full:
            own = {GRAPH, FORMULA, KEPT}.intersection(request.query_params)  # no figure has it
            shown = None if own else meant(request.query_params.get(LESSON)).lesson
            figure = poster(shown) if shown else None
            return VISITS.figure(figure) if figure else VISITS.page()
        text = document(seen, origin(request), await opening(request, without_scripts(seen))).encode()
        tag = f'W/"{blake2b(text, digest_size=16).hexdigest()}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return packed(request, text, headers)

    return answer


async def card(request: Request) -> Response:
    """Answer with the picture of a preview, which is painted when it is first asked for."""
    seen = PICTURES.get(request.path_params["name"])
    if seen is None:
        return PlainTextResponse("Not found", 404)
    async with PAINTING:
        painted = await run_in_threadpool(card_picture, seen)
    return Response(painted, media_type="image/png", headers=DAY)


async def code(request: Request) -> Response:
    """Answer with the browser code or the style sheet of the lab, or the code of the lessons, each named
    differently in every other version."""
    name = request.path_params["name"]
    files = (script(), picture_script(), lessons_script(), page_style(), *parts().values())
    bundle = next((each for each in files if f"{each.name}.{each.kind}" == name), None)
    if bundle is None:
        return PlainTextResponse("Not found", 404)
    headers = {**FOREVER, "Vary": "Accept-Encoding"}
    media = MEDIA[bundle.kind]
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(decompress(bundle.compressed), headers=headers, media_type=media)
    return Response(bundle.compressed, headers={**headers, "Content-Encoding": "gzip"}, media_type=media)


async def robots(request: Request) -> PlainTextResponse:
    """Answer with the paths that crawlers may fetch: none that would open a session."""
    return PlainTextResponse(ROBOTS.format(host=origin(request)), headers=DAY)


async def sitemap(request: Request) -> Response:
    """Answer with the addresses of all pages and lessons."""
    host = origin(request)
    addresses = filter(None, (preview.address for preview in PREVIEWS))
    places = "".join(f"  <url><loc>{escape(host + address)}</loc></url>\n" for address in addresses)
    return Response(SITEMAP.format(places=places), media_type="application/xml", headers=DAY)


ROBOTS = """User-agent: *
Disallow: /_stcore/
Disallow: /component/
Disallow: /media/

Sitemap: {host}/sitemap.xml
"""

SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{places}</urlset>
"""

ROUTES = [
    Route("/ready", ready),
    Route("/robots.txt", robots),
    Route("/sitemap.xml", sitemap),
    Route(f"/{CODE}/{{name}}", code),
    Route(f"{CARDS}/{{name}}.png", card),
    Route(PATH, words),
    Route(CLAIMS, claims),
    Route(POSTER, picture),
    SOCKET,
    *(Route(path, page(path)) for path in PAGES),
]
