"""Serve a frame as a picture with its numbers, which costs no session until somebody touches it.

The page has what Streamlit's page loads in a template, and `web/embed/boot.js`, which loads it at the first
touch. The picture is made from the shared first view of the address. What is asked is not in it.
"""

from __future__ import annotations

import os
import re
from functools import cache
from hashlib import blake2b
from html import escape
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from autodiff_viz.canvas.svg import MARGIN, svg_of
from autodiff_viz.embedding.contract import NOW, Embed, read_embed, state_of
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.text import counted
from autodiff_viz.lab.persistence.address import from_query
from autodiff_viz.lab.state import Lab
from autodiff_viz.ui.bundle import script
from autodiff_viz.ui.chunks import FIRST, STATIC, scripts
from autodiff_viz.ui.first_view import first
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.server.browsers import browser

EMBEDDERS = "AUTODIFF_VIZ_EMBEDDERS"
"""Origins of pages that may send messages to a frame, between spaces; "*" for any. Unless set it is the page
that has loaded the frame."""

INDEX = STATIC / "index.html"
ROOT = Path(__file__).parents[2]
BOOT = (ROOT / "web" / "embed" / "boot.js").read_text("utf-8")
THEME = (ROOT / "web" / "base" / "theme.js").read_text("utf-8")
STYLE = (ROOT / "ui" / "assets" / "embed.css").read_text("utf-8")
ROW, PLAY, MOST_ROWS = (
    42,
    46,
    6,
)  # px of a slider and of the bar that plays, and sliders; as in web/embed/frame.js
WORDS = "Click to try it"

_PAGE = """<!DOCTYPE html>
<html lang="en" data-av-embed="1" {attributes}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>{style}</style>
<script>{theme}</script>
<template id="av-later">{later}</template>
</head>
<body>
<div id="root"></div>
<div id="av-poster" role="button" tabindex="0" aria-label="{title}. {words}.">
{picture}
<span class="av-try">{words}</span>
</div>
<noscript><p class="av-no-script">{title}. Scripts are off here, so the picture stays as it is.</p></noscript>
<script>{boot}</script>
</body>
</html>
"""


async def framed(request: Request, embed: Embed, title: str) -> Response:
    """Answer with the page of a frame."""
    picture, wide, high, sliders = await run_in_threadpool(_pictured, request, embed)
    rows = ROW * min(sliders, MOST_ROWS) + PLAY * embed.shows("play")
    attributes = {
        "theme": embed.theme,
        "type": embed.type,
        "start": embed.start,
        "embedders": os.environ.get(EMBEDDERS, "").strip(),
        "graph": f"{wide:.0f} {high:.0f}" if wide else "",
        "rows": str(rows),
    }
    text = _PAGE.format(
        attributes=" ".join(f'data-av-{name}="{escape(value)}"' for name, value in attributes.items()),
        title=escape(title),
        style=STYLE,
        later=_later(),
        words=WORDS,
        picture=picture,
        boot=BOOT,
        theme=THEME,
    )
    tag = f'W/"{blake2b(text.encode(), digest_size=16).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return HTMLResponse(text, headers=headers)


async def picture(request: Request) -> Response:
    """Answer with the picture of a frame as a file, for print and for pages that show no frames."""
    embed = read_embed(request.query_params)
    if embed is None:
        return PlainTextResponse("Not found", 404)
    text, *_ = await run_in_threadpool(_pictured, request, embed)
    if not text.startswith("<svg"):
        return PlainTextResponse("Not found", 404)
    headers = {"Cache-Control": "public, max-age=3600"}
    return Response(text, media_type="image/svg+xml", headers=headers)


def _pictured(request: Request, embed: Embed) -> tuple[str, float, float, int]:
    """Return the picture of a frame, its width and height in px, and how many sliders the frame shows."""
    of = browser(request.client and request.client.host, request.cookies)
    state = state_of(request.query_params, embed)
    with in_turn(("poster", of), of):
        seen = first(state)
        lab = seen.lab if seen else from_query(state)
        # Of a training or a large graph there are no numbers yet, and what is asked must not be told.
        told = seen is not None and embed.reveal == NOW and getattr(lab, "asking", None) is None
        names = [slider.name for slider in seen.present.view.sliders] if seen else []
        shown = [name for name in names if embed.shows_slider(name)]
        text = _svg(lab, seen.present.view.trace if told else None)
    size = re.match(r'<svg [^>]*?viewBox="\S+ \S+ (\S+) (\S+)"', text)
    wide, high = (float(size[1]) - 2 * MARGIN, float(size[2]) - 2 * MARGIN) if size else (0.0, 0.0)
    return text, wide, high, len(shown)


def _svg(lab: Lab, trace: object) -> str:
    """Return the picture of the lab's graph; a sentence where there is nothing to draw or too much of it."""
    count = len(lab.graph.nodes)
    if not 0 < count <= VERIFIED_AT_ONCE:
        return f"<p>A graph of {counted(count, 'node')}.</p>"
    return svg_of(lab.graph, trace)


@cache
def _later() -> str:
    """Return what Streamlit's page loads in its head, with the lab's own code."""
    head = re.sub(r"<!--.*?-->", "", INDEX.read_text("utf-8"), flags=re.DOTALL).partition("</head>")[0]
    tags = re.findall(r"<script [^>]*></script>|<link [^>]*>", head)
    loads = [tag for tag in tags if re.search(r'rel="(modulepreload|stylesheet|preload)"|<script', tag)]
    own = [f'<link rel="modulepreload" href="{path}">' for path in (script().path, *scripts(*FIRST))]
    return "\n".join([*own, *loads])
