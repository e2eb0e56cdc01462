"""Write into the page of the lab what it shows first, so that it stands before Streamlit's code has come.

The page then has a shell: the containers of the lab in their places (`ui/assets/lab.css`), the words of the
open lesson, and the first drawing as data, without what is asked. `web/opening/picture.js` draws a picture of
it, and `web/main.js` builds the lab in its place; when Streamlit has drawn its own containers, the same lab
moves there (`web/places.js`). What a visitor has sent is evaluated by a worker. A page whose drawing takes
longer than `WITHIN` has no shell.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any

from msgspec import Raw, json
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from autodiff_viz.display.colours import streamlit_theme
from autodiff_viz.display.prose import prose, worded
from autodiff_viz.graph import limits
from autodiff_viz.graph.link import Unreadable
from autodiff_viz.graph.short_text import FORMULA, read_short_text
from autodiff_viz.lab.first_view import First, Opening, first, opened, opening_of
from autodiff_viz.lab.glossary import explained
from autodiff_viz.lab.lessons import LessonView
from autodiff_viz.lab.persistence.address import GALLERY, GRAPH, KEPT, LESSON, PRESENT, TRAINED, VARIANT, VIEW
from autodiff_viz.lessons.paths import PATHS, path_of
from autodiff_viz.lessons.search import meant
from autodiff_viz.messages.envelope import Answer
from autodiff_viz.standalone.modules import WEB
from autodiff_viz.standalone.page import in_script
from autodiff_viz.ui.bundle import ASSETS, picture_script, script
from autodiff_viz.ui.containers import block, place
from autodiff_viz.ui.panels.claims import CSS
from autodiff_viz.ui.server.waiting import made
from autodiff_viz.workers.jobs import STRANGE, job_of

IMPORT = "import "  # is in all code that is told from a formula
SECONDS = 12.0  # of the processor, after which a worker is ended
WITHIN = 0.4
"""Seconds for which a request waits; what has been begun goes on, for the session and the next request."""

AT_ONCE = 8  # lessons that are evaluated for requests: they take as many of the server's threads
_begun: dict[tuple[tuple[str, str], ...], asyncio.Future[First | None]] = {}
"""By address, those that are being evaluated."""

BOOT = (WEB / "opening" / "boot.js").read_text("utf-8")
STYLE = (ASSETS / "opening.css").read_text("utf-8")
FIGURE = (WEB / "figure" / "figure.css").read_text("utf-8")
_FONTS = " ".join(line for line in map(str.strip, FIGURE.splitlines()) if line.startswith("--st-"))
THEME = f"#av-first {{ {_FONTS} }}\n{streamlit_theme('#av-first')}"
"""Streamlit's theme as variables, as a figure without Streamlit has it."""
LOGO = b64encode((ASSETS / "logo.svg").read_bytes()).decode()

_READ = ".st-key-side, .st-key-lesson_panel, .st-key-lesson, .st-key-formula_panel"
_STILL = f"#av-first [data-testid]:has(> :is({_READ}))"
"""What is read in the column beside the canvas, which scripts put on view otherwise."""

_SHELL = """<div id="av-first">
<style>{style}</style>
<noscript><style>{still} {{ display: block !important; visibility: visible !important; }}</style></noscript>
<header data-testid="stHeader">
<img data-testid="stHeaderLogo" alt="" src="data:image/svg+xml;base64,{logo}">
</header>
{blocks}
</div>
<script type="application/json" id="av-opening" data-code="{code}">{data}</script>
<script src="{picture}"></script>
<script>{boot}</script>"""


async def opening(request: Request, still: str = "") -> str:
    """Return the shell of the page at an address as HTML, with its first drawing; "" where there is none.

    Args:
      still: HTML in place of the canvas where scripts are off.
    """
    query = dict(request.query_params)
    if (known := of_the_project(query)) is not None:
        found = await _ours(known)
    elif of_a_visitor(query):
        found = await made(request, "opening", job_of(opened, query, seconds=SECONDS, lane=STRANGE), WITHIN)
    else:
        found = None
    return shell(found, still) if found is not None else ""


async def _ours(query: Mapping[str, str]) -> Opening | None:
    key = tuple(sorted(query.items()))
    begun = _begun.get(key)
    if begun is None:
        if len(_begun) >= AT_ONCE:
            return None
        begun = _begun[key] = asyncio.ensure_future(run_in_threadpool(lambda: first(query)))
        begun.add_done_callback(lambda _: _begun.pop(key, None))
    done, _ = await asyncio.wait([begun], timeout=WITHIN)
    visit = begun.result() if done and not begun.cancelled() and begun.exception() is None else None
    return opening_of(visit) if visit is not None else None


def of_a_visitor(query: Mapping[str, str]) -> bool:
    """Return whether an address has a graph of a visitor's own, or a formula, for the lab's page.

    Code has no shell: a worker would read it twice, for the page and for its session.
    """
    elsewhere = {VIEW, PRESENT, KEPT, TRAINED}.intersection(query)
    if elsewhere or FORMULA not in query:
        return GRAPH in query and not elsewhere
    try:
        return IMPORT not in read_short_text(query[FORMULA], limits.TEXT)
    except Unreadable:
        return False


def of_the_project(query: Mapping[str, str]) -> dict[str, str] | None:
    """Return the query of an address of the project's own, the bare one or a lesson's; None for any other.

    There are few of these.
    """
    found = meant(query.get(LESSON))
    shown = None if found.guessed else found.lesson
    way = path_of(query)
    names = {LESSON, VARIANT, *(way.fields if way in PATHS else {})}
    if not query:
        return {}
    if shown is None or not names.issuperset(query):
        return None
    variant = query.get(VARIANT, "0")
    return dict(query) if variant in map(str, range(len(shown.steps))) else None


def shell(found: Opening, still: str = "") -> str:
    """Return the containers of the page, what is open to be read, and the first drawing."""
    drawn = json.decode(found.drawing)
    blocks = "".join(
        (
            block("stHorizontalBlock st-key-pages", _LINKS),
            block("st-key-lab", "".join((_canvas(still), _BAR, _side(found.lesson, drawn), _DOCK))),
        )
    )
    answer = Answer(
        rev=0,
        full=Raw(found.drawing),
        socket="",
        tables=Raw(b"[]"),
        page=False,
        due=True,
        rest=None,
        turn=0,
        seen=False,
        key="",
        ack=0,
        before=None,
    )
    return _SHELL.format(
        style=f"{THEME}\n{STYLE}",
        still=_STILL,
        logo=LOGO,
        blocks=blocks,
        code=script().path,
        picture=picture_script().path,
        data=in_script(answer),
        boot=BOOT,
    )


_LINKS = (
    '<div><a href="./" aria-current="page"><p>Lab</p></a></div>'
    f'<div><a href="./{GALLERY}" target="_self"><p>Lessons</p></a></div>'
)
_BAR = block("st-key-topbar", place("bar") + place("check"))
_DOCK = block("st-key-dock", place("plots"))


def _canvas(still: str) -> str:
    canvas = f'<div data-testid="stElementContainer"><div id="av-first-canvas"></div>{still}</div>'
    return block("st-key-part_canvas", canvas)


def _side(view: LessonView | None, drawn: Mapping[str, Any]) -> str:
    """Return the column beside the canvas."""
    asked = next(iter(drawn.get("asking", {}).get("items", ())), None)
    question = prose(asked["says"]) if asked else ""
    formula = f"<pre>{escape(drawn['formula']['text'])}</pre>"
    parts = (
        place("panels"),
        block("st-key-lesson_panel", place("tour") + _lesson(view, question)) if view else "",
        place("notes"),
        block("st-key-formula_panel", place("formula", formula)),
        place("sliders"),
        block("st-key-inspector", place("node")),
    )
    return block("st-key-side", "".join(parts))


def _lesson(view: LessonView, question: str) -> str:
    """Return what is read of a lesson, as `ui/panels/lesson.py` draws it.

    Args:
      question: HTML of what it asks, where scripts are off.
    """
    several = f"**{view.variants[view.variant]}**\n\n" if len(view.variants) > 1 else ""
    about = block("st-key-about_graph", _markdown(several + view.about)) if view.about else ""
    words = explained(", ".join(view.words))
    named = f'<p class="av-lesson-words">Words: {words}</p>' if words else ""
    head = block("st-key-lesson_head", f'<p class="av-way">{escape(view.track)}</p>')
    parts = (
        head,
        f"<h2>{worded(view.title)}</h2>",
        _markdown(view.text),
        place("asking", question),
        about,
        named,
    )
    return block("st-key-lesson", f"<style>{_lesson_style()}</style>{''.join(parts)}")


def _markdown(text: str) -> str:
    return f'<div data-testid="stMarkdownContainer">{prose(text)}</div>'


@cache
def _lesson_style() -> str:
    return CSS.read_text("utf-8")
