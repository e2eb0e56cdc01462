"""Serve the page of lessons: one file without a session, made once, with a card and a link for each lesson.

`web/lessons_page` adds search, filters and the visitor's progress, which stays in the browser. Without its
script all links work. The numbers that the tests hold have a page of their own.
"""

from __future__ import annotations

import gzip
import os
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from html import escape
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from autodiff_viz.canvas.sketch import SIZE, Sketch, sketch, svg
from autodiff_viz.display.colours import tokens
from autodiff_viz.display.numbers import exact
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.text import counted, listed
from autodiff_viz.lab.lessons import IN_FULL, closely, written
from autodiff_viz.lab.persistence.address import CLASS, GALLERY, LESSON, VIEW
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import ADDED, LESSONS, TRACKS, lesson
from autodiff_viz.lessons.lesson import Claim, Law, Lesson, Like
from autodiff_viz.lessons.paths import CUSTOM, LONGEST, MOST, PATHS, path_of
from autodiff_viz.lessons.paths import Path as Way
from autodiff_viz.lessons.search import words_of
from autodiff_viz.ui.bundle import lessons_script
from autodiff_viz.ui.chunks import font_tags

ASSETS = Path(__file__).parents[1] / "assets"
SITE = "AUTODIFF_VIZ_SITE"
"""Setting: address of the static site with the same lessons, which `make site` builds; no link unless set."""

CLAIMS = "/claims"  # path of the table of numbers
FIRST_LOOK = 12  # nodes of a graph that can be read on a card; the first such graph of a lesson is drawn


@cache
def sketch_of(shown: Lesson, size: tuple[float, float] = SIZE) -> Sketch:
    """Return the picture of a lesson: of its first graph that can be read on a card."""
    graphs = [(step, graph_of(step)) for step in shown.steps]
    small = (pair for pair in graphs if len(pair[1].nodes) <= FIRST_LOOK)
    step, graph = next(small, graphs[0])
    asked = [each for one in step.questions for each in (one.about, one.other) if each is not None]
    return sketch(graph, step.look_at, step.collapsed, size, asked)


def setting_address(setting: str) -> str:
    """Return the address that a setting names, with a slash at its end; "" without one, or if it is none."""
    address = os.environ.get(setting, "").strip()
    return f"{address.rstrip('/')}/" if address.startswith(("https://", "http://")) else ""


def address_of(shown: Lesson, way: Way | None = None) -> str:
    """Return the link of a lesson as HTML, from any page of the server; it stays on its path."""
    fields = way.fields if way is not None and shown.key in way.keys else {}
    return escape(f"./?{urlencode({LESSON: shown.key, **fields}, safe=',')}")


# The parts of the page as HTML.


@cache
def _sketched(shown: Lesson) -> str:
    """Return the picture of a lesson as SVG."""
    return svg(sketch_of(shown))


def _card(shown: Lesson, way: Way | None) -> str:
    """Return the card of a lesson. The link covers all of it; those to what comes before lie above.

    On a path it names only what comes before on the path.
    """
    facts = [f'<span title="Level {shown.level} of 3">Level {shown.level}</span>']
    if shown.minutes:
        facts.append(f"<span>{shown.minutes} min</span>")
    named = [key for key in shown.after if way is None or key in way.keys]
    before = [each for key in named if (each := lesson(key))]
    titles = [(address_of(each, way), escape(each.title)) for each in before]
    needs = " \u00b7 ".join(f'<a href="{address}" title="{title}">{title}</a>' for address, title in titles)
    asks = any(step.questions for step in shown.steps)
    data = {
        "key": shown.key,
        "level": str(shown.level),
        "tries": str(len(shown.to_try)),
        "asks": "1" if asks else "",
        "words": " ".join(words_of(shown)),
    }
    attributes = " ".join(f'data-{name}="{escape(value)}"' for name, value in data.items())
    return (
        f'<li class="card" {attributes}>{_sketched(shown)}'
        f'<h3><a class="open" href="{address_of(shown, way)}">{escape(shown.title)}</a></h3>'
        f'<p class="facts">{"".join(facts)}<span class="ring" aria-hidden="true" hidden></span>'
        '<span class="state" hidden></span></p>'
        + (f'<p class="before">After: {needs}</p>' if needs else "")
        + "</li>"
    )


def _section(key: str, title: str, summary: str, shown: Iterable[Lesson], way: Way | None = None) -> str:
    """Return a track, or a sitting of a path, with its cards."""
    cards = "".join(_card(each, way) for each in shown)
    said = f"<p>{escape(summary)}</p>" if summary else ""
    return (
        f'<section class="track" aria-labelledby="track-{key}"><div class="head">'
        f'<h2 id="track-{key}">{escape(title)}</h2><span class="count" hidden></span>{said}</div>'
        f'<ul class="cards">{cards}</ul></section>'
    )


def _tracks() -> Iterator[str]:
    for track in (*TRACKS, *ADDED):
        if track.lessons:
            yield _section(track.key, track.title, track.summary, track.lessons)


def _sittings(way: Way) -> Iterator[str]:
    """Yield the sittings of a path."""
    for number, found in enumerate(way.lessons, 1):
        title = "In this order" if len(way.lessons) == 1 else f"Sitting {number}"
        yield _section(f"sitting-{number}", title, "", found, way)


def _classes(chosen: Way | None) -> str:
    """Return the links to all lessons and to the paths of classes, one of an address too."""
    ways = [*PATHS, *([chosen] if chosen is not None and chosen not in PATHS else [])]
    links = [(f"./{GALLERY}", "All lessons", "", chosen is None)]
    links += [(way.page, way.title, _minutes(way), way is chosen) for way in ways]
    every, *classes = (
        f'<a href="{escape(address)}"{" aria-current=true" if here else ""}>{escape(title)}'
        f"{f' <small>{minutes}</small>' if minutes else ''}</a>"
        for address, title, minutes, here in links
    )
    make = '<button type="button" class="make">Make a path</button>' if chosen is None else ""
    return (
        f'<nav class="classes" aria-label="Classes">{every}<span class="of">For a class</span>'
        f"{''.join(classes)}{make}</nav>"
    )


def _minutes(way: Way) -> str:
    """Return how long a path takes, where its title does not say so."""
    return "" if not way.minutes or way.title[:1].isdigit() or "hours" in way.title else f"{way.minutes} min"


def _begin(way: Way) -> str:
    """Return the way to the first lesson of a path; the page's script makes it the way on."""
    (first, *_), count = [each for sitting in way.lessons for each in sitting], len(way.keys)
    return (
        f'<p class="begin"><a class="start" href="{address_of(first, way)}">Start</a>'
        f'<span class="count-all">{counted(count, "lesson")}</span></p>'
    )


def _body(way: Way | None) -> str:
    """Return the page from its header on, of all lessons or of a path."""
    sections = "".join(_tracks() if way is None else _sittings(way))
    lead = (
        f"{len(LESSONS)} questions about gradients that people really ask. Say first what you expect, then "
        "see it run, bend it, and hear what you overlooked."
    )
    if way is not None:
        lead = way.summary
        if way.minutes > way.alone:
            lead += f" Alone it takes about {way.alone} minutes."
        if way.unknown:
            lead += f" No lesson here is called {listed(way.unknown, 5, last='or')}."
    numbers = sum(map(_held, LESSONS))
    return _BODY.format(
        logo=_LOGO.format(_picture("logo")),
        kind="all" if way is None else "on-path",
        hidden="" if way is None else " hidden",  # a path is read from its beginning to its end
        title="Lessons" if way is None else escape(way.title),
        begin=_begin(way) if way is not None and way.keys else "",
        lead=escape(lead),
        classes=_classes(way),
        sections=sections,
        cards=sections.count('<li class="card"'),
        numbers=f"{numbers:,}",
        claims=f".{CLAIMS}",
        teacher=f"./?{VIEW}={CLASS}",
        site=_SITE_LINK.format(escape(site)) if (site := setting_address(SITE)) else "",
        gallery=f"./{GALLERY}",
        path=CUSTOM,
        most=MOST,
        longest=LONGEST,
    )


_SITE_LINK = ' <a href="{}">All of them as pages</a> that need no server.'
_LOGO = '<img src="{}" width="176" height="32" alt="autodiff_viz: to the lab">'
_BODY = """<body class="{kind}">
<header class="bar"><a class="logo" href="./">{logo}</a>
<nav aria-label="Pages"><a id="to-lab" href="./">Lab</a>
<a href="{gallery}" aria-current="page">Lessons</a></nav>
</header>
<main>
<div class="top"><h1>{title}</h1><p class="lead">{lead}</p>{begin}</div>
<form class="find" role="search"{hidden}>
<label class="search"><span class="unseen">Search lessons</span>
<input type="search" name="q" maxlength="80" autocomplete="off" placeholder="Search: detach, remat, nan"
aria-keyshortcuts="/">
<kbd aria-hidden="true">/</kbd></label>
<label class="level"><span class="unseen">Level</span><select name="level">
<option value="">All levels</option><option value="1">Level 1</option><option value="2">Level 2</option>
<option value="3">Level 3</option></select></label>
<label class="open-only"><input type="checkbox" name="open"> Not done yet</label>
<a class="surprise" href="{gallery}">Surprise me</a>
<output class="found" role="status">{cards} lessons</output>
</form>
{classes}
<p class="continue" hidden><span>Continue with</span> <a href="{gallery}"></a></p>
<p class="nothing" hidden>No lesson has these words. <button type="button">Show all</button></p>
{sections}
<form class="making" data-path="{path}" data-most="{most}" aria-label="A path of lessons" hidden>
<output role="status"></output>
<label>Title <input name="title" maxlength="{longest}" autocomplete="off" placeholder="Week 3"></label>
<button type="submit">Open the path</button><button type="button" name="copy">Copy its link</button>
<button type="button" name="leave">Cancel</button>
</form>
</main>
<footer>
<details class="progress" hidden><summary>Your progress</summary>
<p>It is kept in this browser alone. Copy this text to take it along, or paste one here to bring it in.</p>
<textarea rows="4" spellcheck="false" aria-label="Progress as text"></textarea>
<div><button type="button" name="copy">Copy</button><button type="button" name="add">Bring in</button>
<button type="button" name="forget">Forget all</button><output role="status"></output></div>
</details>
<p><a href="{claims}">All {numbers} numbers</a> in these lessons are held by tests. For teachers:
<a href="{teacher}">count what a class has answered</a>.{site}</p>
</footer>
</body>
</html>
"""

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{tags}
<link rel="icon" href="{icon}">
{font}
<style>{style}</style>
{script}</head>
"""


# The table of all numbers that the lessons claim.


def _held(shown: Lesson) -> int:
    """Return how many claims a lesson has, those about its exercises included."""
    return len(shown.claims) + sum(len(each.then) for each in shown.to_try)


def _expected(claim: Claim) -> tuple[str, str]:
    """Return the expected number of a claim, and how closely it must be met, as texts."""
    if isinstance(claim.expected, Law | Like):
        law = isinstance(claim.expected, Law)
        says = claim.expected.formula if law else f"as in graph {claim.expected.variant + 1}"
        return says, closely(claim, np.ones(1))
    numbers = np.asarray(claim.expected)
    says = written(claim, numbers)
    if numbers.size > IN_FULL and claim.quantity != "runs":
        says = f"{exact(numbers.ravel()[0])}, … ({numbers.size:,} numbers)"
    return says, closely(claim, numbers)


@cache
def _claims_body() -> str:
    rows = []
    for shown in LESSONS:
        claims = [(claim, "") for claim in shown.claims]
        claims += [(claim, "after an exercise: ") for each in shown.to_try for claim in each.then]
        if not claims:
            continue
        link = f'<a href="{address_of(shown)}">{escape(shown.title)}</a>'
        rows.append(f'<tbody><tr><th colspan="4" scope="rowgroup">{link}</th></tr>')
        rows += [
            f"<tr><td>{escape(when + claim.says)}</td><td>{escape(says)}</td>"
            f"<td>{escape(exactness)}</td><td>{escape(claim.source)}</td></tr>"
            for claim, when in claims
            for says, exactness in [_expected(claim)]
        ]
        rows.append("</tbody>")
    numbers = sum(map(_held, LESSONS))
    return _CLAIMS.format(
        logo=_LOGO.format(_picture("logo")),
        gallery=f"./{GALLERY}",
        lead=f"{counted(numbers, 'number')}, each from a document or worked out by hand. A test of the "
        "project holds every one against what JAX computes. They give the answers away.",
        rows="".join(rows),
    )


_CLAIMS = """<body class="claims">
<header class="bar"><a class="logo" href="./">{logo}</a>
<nav aria-label="Pages"><a href="./">Lab</a><a href="{gallery}">Lessons</a></nav></header>
<main><div class="top"><h1>Numbers in the lessons</h1><p class="lead">{lead}</p></div>
<div class="wide" tabindex="0" role="region" aria-label="Table of numbers"><table>
<thead><tr><th scope="col">What</th><th scope="col">Number</th><th scope="col">How closely</th>
<th scope="col">From</th></tr></thead>{rows}</table></div>
</main></body></html>
"""


# Answers of the server.


@dataclass(frozen=True, slots=True)
class Page:
    """A page as bytes, as it is and compressed, with its tag."""

    text: bytes
    compressed: bytes
    tag: str


def _picture(name: str) -> str:
    """Return a picture of the project as an address, so that it is no request of its own."""
    return f"data:image/svg+xml;base64,{b64encode((ASSETS / f'{name}.svg').read_bytes()).decode()}"


@remembered(32)
def _whole(tags: str, which: str, way: Way | None) -> Page:
    """Return a page with its head: of all lessons, of a path, or, for `CLAIMS`, the table of numbers.

    Those of as many hosts and paths as are asked for are kept.
    """
    sheet = (ASSETS / "lessons_page.css").read_text("utf-8")
    loads = f'<script type="module" src="{lessons_script().path}"></script>\n'
    script, body = ("", _claims_body()) if which == CLAIMS else (loads, _body(way))
    style = tokens(sheet) + sheet
    head = _HEAD.format(tags=tags, icon=_picture("icon"), font=font_tags(), style=style, script=script)
    data = f"{head}{body}".encode()
    tag = f'W/"{blake2b(data, digest_size=16).hexdigest()}"'
    return Page(data, gzip.compress(data, mtime=0), tag)


async def lessons_page(request: Request, tags: str) -> Response:
    """Answer with the page of all lessons, or of the path that the address names.

    Args:
      tags: title and preview, for its head.
    """
    return await _answer(request, tags, "", path_of(request.query_params))


async def claims(request: Request) -> Response:
    """Answer with the table of all numbers."""
    tags = '<title>Numbers in the lessons · autodiff_viz</title>\n<meta name="robots" content="noindex">'
    return await _answer(request, tags, CLAIMS)


async def _answer(request: Request, tags: str, which: str, way: Way | None = None) -> Response:
    page = await run_in_threadpool(_whole, tags, which, way)
    headers = {"ETag": page.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if page.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return HTMLResponse(page.compressed, headers={**headers, "Content-Encoding": "gzip"})
    return HTMLResponse(page.text, headers=headers)
