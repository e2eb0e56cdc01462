"""Serve a frame as a picture with its numbers, which costs no session until somebody touches it.

The page has what Streamlit's page loads in a template, and `web/embed/boot.js`, which loads it at the first
touch. A worker makes the picture: whoever may send a request may send any graph, and any code. What a
question hides is not in it.
"""

from __future__ import annotations

import os
import re
from functools import cache
from hashlib import blake2b
from html import escape
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from autodiff_viz.canvas.svg import MARGIN, css_of_pictures
from autodiff_viz.display.colours import tokens
from autodiff_viz.embedding.contract import Embed, read_embed, state_of
from autodiff_viz.lab.embedding import ONLY, FramePicture, frame_picture
from autodiff_viz.ui.bundle import script
from autodiff_viz.ui.chunks import FIRST, STATIC, scripts
from autodiff_viz.ui.server.waiting import made
from autodiff_viz.workers.jobs import STRANGE, job_of

EMBEDDERS = "AUTODIFF_VIZ_EMBEDDERS"
"""Origins of pages that may send messages to a frame, between spaces; "*" for any. Unless set it is the page
that has loaded the frame."""

INDEX = STATIC / "index.html"
ROOT = Path(__file__).parents[2]
BOOT = (ROOT / "web" / "embed" / "boot.js").read_text("utf-8")
THEME = (ROOT / "web" / "base" / "theme.js").read_text("utf-8")
SHEET = (ROOT / "ui" / "assets" / "embed.css").read_text("utf-8") + css_of_pictures("#av-poster")
STYLE = tokens(SHEET) + SHEET
ROW, PLAY = 42, 46  # px of a slider and of the bar that plays; as in web/embed/frame.js
MOST_ROWS = 6  # sliders
PANES = ("lesson", "formula", "inspector", "plot")
"""Controls that stand beside or below the graph."""

WORDS = "Click to try it"
SECONDS, WITHIN = 25.0, 30.0  # of the processor, after which a worker is ended; for which a request waits
NONE = "The picture of this graph takes too long to be made. The page itself may open it."

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
<div id="av-poster" role="button" tabindex="0" aria-label="{title}. {question} {words}." {room}>
{picture}
<div class="av-question"><p class="av-asks">{question}</p>{options}</div>
<span class="av-try">{words}</span>
</div>
<noscript><p class="av-no-script">{title}. Scripts are off here, so the picture stays as it is.</p></noscript>
<script>{boot}</script>
</body>
</html>
"""


async def framed(request: Request, embed: Embed, title: str) -> Response:
    """Answer with the page of a frame."""
    picture = await _pictured(request, embed)
    text = picture.text if picture else f"<p>{NONE}</p>"
    size = re.match(r'<svg [^>]*?viewBox="\S+ \S+ (\S+) (\S+)"', text)
    wide, high = (float(size[1]) - 2 * MARGIN, float(size[2]) - 2 * MARGIN) if size else (0.0, 0.0)
    sliders = [name for name in picture.sliders if embed.shows_slider(name)] if picture else []
    play = PLAY * embed.shows("play")
    rows = ROW * min(len(sliders), MOST_ROWS) + play
    attributes = {
        "theme": embed.theme,
        "type": embed.type,
        "start": embed.start,
        "embedders": os.environ.get(EMBEDDERS, "").strip(),
        "graph": f"{wide:.0f} {high:.0f}" if wide else "",
        "rows": str(rows),
    }
    panes = sum(embed.shows(name) for name in PANES)
    asks = picture is not None and picture.asks
    which = picture.which if picture is not None else ""
    words = f'; --which: "{which}"' if which else ""
    if which == ONLY and "lesson" in request.query_params:
        words += "; --narrow: none"  # of the one question of a lesson a narrow page does not say which
    lengths = f"--rows: {rows}px; --play: {play}px"
    page = _PAGE.format(
        room=f"style='{lengths}{words}' data-panes='{panes}' data-asks='{int(asks)}'",
        attributes=" ".join(f'data-av-{name}="{escape(value)}"' for name, value in attributes.items()),
        title=escape(title),
        style=STYLE,
        later=_later(),
        words=WORDS,
        question=escape(picture.question) if picture else "",
        options=_options(picture.options) if picture else "",
        picture=text,
        boot=BOOT,
        theme=THEME,
    )
    tag = f'W/"{blake2b(page.encode(), digest_size=16).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return HTMLResponse(page, headers=headers)


def _options(options: tuple[str, ...]) -> str:
    """Return the options of a question in a row, which is on view if it has room."""
    row = "".join(f"<span>{escape(option)}</span>" for option in options)
    return f'<div class="av-room"><div class="av-options">{row}</div></div>' if row else ""


async def picture(request: Request) -> Response:
    """Answer with the picture of a frame as a file, for print and for pages that show no frames."""
    embed = read_embed(request.query_params)
    if embed is None:
        return PlainTextResponse("Not found", 404)
    picture = await _pictured(request, embed)
    if picture is None:
        return PlainTextResponse(NONE, 503, {"Retry-After": "20", "Cache-Control": "no-store"})
    if not picture.text.startswith("<svg"):
        return PlainTextResponse("Not found", 404)
    headers = {"Cache-Control": "public, max-age=3600"}
    return Response(picture.text, media_type="image/svg+xml", headers=headers)


async def _pictured(request: Request, embed: Embed) -> FramePicture | None:
    """Return the picture of a frame, which a worker makes; None if it cannot or has no time."""
    state = state_of(request.query_params, embed)
    return await made(
        request, "picture", job_of(frame_picture, state, embed, seconds=SECONDS, lane=STRANGE), WITHIN
    )


@cache
def _later() -> str:
    """Return what Streamlit's page loads in its head, with the lab's own code."""
    head = re.sub(r"<!--.*?-->", "", INDEX.read_text("utf-8"), flags=re.DOTALL).partition("</head>")[0]
    tags = re.findall(r"<script [^>]*></script>|<link [^>]*>", head)
    loads = [tag for tag in tags if re.search(r'rel="(modulepreload|stylesheet|preload)"|<script', tag)]
    own = [f'<link rel="modulepreload" href="{path}">' for path in (script().path, *scripts(*FIRST))]
    return "\n".join([*own, *loads])
