"""Write a graph as one HTML file that shows it without a server: the page's canvas, with answers in it."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from functools import cache
from hashlib import sha256
from html import escape
from string import Formatter
from typing import Any, NamedTuple
from urllib.parse import urlunsplit

from msgspec import json

from autodiff_viz.canvas.svg import svg_of
from autodiff_viz.display.colours import streamlit_theme, tokens
from autodiff_viz.engine.trace import Trace, with_output
from autodiff_viz.engine.versions import versions
from autodiff_viz.graph.history import Pinned
from autodiff_viz.graph.link import parts_of
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem, kind_of, known_text
from autodiff_viz.graph.text import well_formed
from autodiff_viz.lab.asking import present
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.lab.tours import open_step
from autodiff_viz.lessons.tour import Tour
from autodiff_viz.standalone.answers import numbers_of, table_of
from autodiff_viz.standalone.data import (
    Data,
    Made,
    Words,
    first_of,
    lab_at,
    lab_of,
    packed,
    state_of,
    thinned,
    with_twins,
)
from autodiff_viz.standalone.modules import WEB, script_of
from autodiff_viz.standalone.styles import compact_style, shaken_styles
from autodiff_viz.standalone.tokens import words_of

ENTRY, ENTRY_ASKING, CELLS = "figure/figure.js", "figure/asked.js", "figure/cells.js"
ASKING = ("asking/answer.js", "canvas/draw/guesses.js")
"""Modules that only a figure with questions has."""
AWAY = "figure/away.js"
IN_PLACE = {
    "canvas/actions/actions.js": "figure/actions.js",
    "connection/edit_sender.js": "figure/mail.js",
    "dock/layout.js": "figure/look.js",
    **dict.fromkeys(
        (
            "asking/ask.js",
            "asking/came.js",
            "asking/results.js",
            "canvas/actions/commands.js",
            "canvas/actions/groups.js",
            "canvas/draw/drag_frame.js",
            "canvas/files/import_export.js",
            "canvas/files/session_store.js",
            "canvas/gestures/drag.js",
            "canvas/gestures/wiring.js",
            "canvas/popovers/branches.js",
            "canvas/popovers/fields.js",
            "canvas/popovers/palette.js",
            "canvas/popovers/region.js",
            "canvas/state/membership.js",
            "canvas/state/predict.js",
            "inspector/fields.js",
        ),
        AWAY,
    ),
}
"""Modules of the page that a figure has others for: it changes nothing, and asks no server."""

SHEETS = {
    "editor": (
        "canvas/canvas.css", "canvas/groups.css", "canvas/notice.css",
        "canvas/phone.css",
        "canvas/play.css", "canvas/reach.css", "canvas/regions.css", "canvas/rules.css",
        "canvas/selection.css", "canvas/sizes.css", "canvas/toolbar.css", "canvas/twins.css",
        "canvas/view.css", "figure/editor.css",
    ),
    "sliders": ("sliders/sliders.css", "figure/sliders.css"),
    "node": ("inspector/inspector.css", "base/cure.css"),
    "paths": ("explain/paths.css",),
}  # fmt: skip
"""The style sheets of each place of the figure."""

ASKED_SHEETS = {**SHEETS, "editor": (*SHEETS["editor"], "asking/asking.css", "asking/hidden.css")}

SCRIPT, SHEET = "figure.js", "figure.css"
"""Names of the files that figures of one site share."""

TEXT = 2_000  # characters of a title and of what stands below it

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="{made}">
<title>{title}</title>
{sheet}
</head>
<body>
<header><h1 data-says="title">{heading}</h1><p data-says="text">{text}</p></header>
<main class="graph" data-place="editor"></main>
<aside aria-label="Numbers"><div data-place="sliders"></div>
<div data-place="node"></div><div data-place="paths"></div></aside>
<div class="still">{still}</div>
<footer><p data-says="says">{says}</p><p class="made">Computed by {made}.</p>
<p><a class="lab" data-lab target="_blank" rel="noopener"{link}>Open in the lab</a></p></footer>
<script type="application/json" id="held">{held}</script>
{script}
</body>
</html>
"""

_TOOLTIP = re.compile(r"<title>[^<]*</title>")
_SCRIPT = """"use strict";(()=>{const css=%s;%s
%s(JSON.parse(document.getElementById("held").textContent),css)})();"""


def html_from(
    shown: Graph | Trace | Tour,
    title: str,
    text: str,
    pinned: Graph | Trace | None,
    base: str | None,
    check: bool,
) -> str:
    """Return the file of a graph, a trace or a tour, as `to_html` describes it."""
    place = address(base)
    if isinstance(shown, Tour):
        return html_of(steps_of(shown, place, check), place, check, short_text("title", title) or shown.title)
    lab = lab_in(shown)
    if pinned is not None:
        lab = lab_with_pinned(lab, lab_in(pinned))
    text = short_text("text", text)
    return html_of([state_of(lab, place, check, Words(short_text("title", title), text, text))], place, check)


def steps_of(tour: Tour, base: str, checked: bool) -> list[Made]:
    """Return the states of a tour.

    Raises:
      GraphError: it has no steps, or one cannot be run.
    """
    if not tour.steps:
        raise GraphError(Problem("no-steps", "The tour has no steps.", "Add one: Step(title, formula)."))
    made = []
    for at, step in enumerate(tour.steps):
        lab = open_step(start(), tour, at, step.title, exact=True)
        told = "\n\n".join(filter(None, (step.caption, step.text)))
        asks = bool(step.questions or step.hides)
        words = Words(step.title, unmarked(step.caption if asks else told), unmarked(told))
        made.append(state_of(lab, base, checked, words))
    return made


_MARKS = re.compile(r"\*\*|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|^#+ ", re.MULTILINE)


def unmarked(text: str) -> str:
    """Return a Markdown text without its marks."""
    return _MARKS.sub("", re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text))


def html_of_lab(lab: Lab, base: str | None) -> str:
    """Return the file of a state of the lab, with what is pinned to flip to; it asks anew what is asked.

    Args:
      base: address of the lab's page; None if it is not known.
    Raises:
      GraphError: the graph cannot be run.
    """
    if asking := present(lab):
        lab = replace(lab, asking=asking.unanswered)
    return html_of([state_of(lab, address(base), True)], address(base), True)


def lab_in(shown: Graph | Trace) -> Lab:
    """Return the lab at a graph or a trace.

    Raises:
      GraphError: it is neither.
    """
    if isinstance(shown, Trace):
        return lab_at(with_output(shown))
    if isinstance(shown, Graph):
        return lab_of(shown)
    message = f"A graph or a trace is needed; found {kind_of(shown)}."
    raise GraphError(Problem("not-a-graph", message, "Write to_html(parse(text)), or to_html(trace(graph))."))


def lab_with_pinned(lab: Lab, beside: Lab) -> Lab:
    """Return the lab with the graph of another one pinned as A."""
    present = lab.history.present._replace(pinned=Pinned(beside.graph))
    return replace(lab, history=replace(lab.history, present=present))


def address(base: str | None) -> str:
    """Return the lab's address without its parameters; "" for None.

    Raises:
      GraphError: code "link-base", when `base` is no address.
    """
    return "" if base is None else urlunsplit(parts_of(base)._replace(query="", fragment=""))


def short_text(name: str, text: str) -> str:
    """Return a text that stands beside a figure.

    Raises:
      GraphError: it is no text, or too long.
    """
    if len(known_text(text)) > TEXT:
        message = f"The {name} has {len(text):,} characters; the limit is {TEXT:,}."
        raise GraphError(Problem("too-long", message, "Say it in fewer words."))
    return well_formed(text)


def html_of(steps: list[Made], base: str, checked: bool, title: str = "", shared: str | None = None) -> str:
    """Return the file with these steps; the other graph of a comparison comes along.

    Args:
      title: of the document; that of the first step if it is empty.
      base: address of the lab, "" if it is not known.
      checked: whether the whole program was compared.
      shared: address of a folder with `shared_files`, from which the file takes its script and its style;
        None if it has them itself.
    """
    own, asks = _own(steps, base, checked, title)
    return _PAGE.format(**_shared(asks, shared), **own, still="".join(map(still, steps)))


def _own(steps: list[Made], base: str, checked: bool, title: str) -> tuple[dict[str, str], bool]:
    """Return what a file has of its own, by field of `_PAGE`, but for its picture; and whether it asks."""
    made = thinned(with_twins(steps, base, checked))
    states = [each.data for each in made]
    first = states[0]
    held: Data = {
        "first": first_of(states),
        "packed": packed({"states": states, "shown": len(steps)}),
        "lab": base,
    }
    link = first["link"] or base
    own = {
        "title": escape(title or first["title"] or f"Gradient of {steps[0].view.trace.output}"),
        "heading": escape(first["title"]),
        "text": escape(first["text"]),
        "says": escape(first["says"]),
        "link": f' href="{escape(link)}"' if link else "",
        "held": in_script(held),
    }
    return own, any("hidden" in state for state in states)


@cache
def _shared(asks: bool, folder: str | None = None) -> dict[str, str]:
    """Return what all files have, or all that ask, by field of `_PAGE`; in a folder, its addresses."""
    known = versions()
    made = {"made": f"autodiff_viz {known['autodiff_viz']} with JAX {known['jax']}"}
    if folder is None:
        script = script_text(asks)
        digest = b64encode(sha256(script.encode()).digest()).decode()
        return made | {
            "policy": _policy(f"'sha256-{digest}'", "'unsafe-inline'"),
            "sheet": f"<style>{page_style(asks)}</style>",
            "script": f"<script>{script}</script>",
        }
    return made | {
        "policy": _policy("'self'", "'self' 'unsafe-inline'"),
        "sheet": '<meta name="robots" content="noindex">'  # the page around it is what one looks for
        f'<link rel="stylesheet" href="{escape(folder)}{SHEET}">',
        "script": f'<script src="{escape(folder)}{SCRIPT}"></script>',
    }


def shared_files() -> dict[str, str]:
    """Return by name the script and the style sheet that many figures share, with questions or without."""
    return {SCRIPT: script_text(True), SHEET: page_style(True)}


def script_text(asks: bool) -> str:
    """Return the script of a figure, which reads what the file holds and shows it."""
    source, css = parts(asks)
    return _SCRIPT % (in_script(css), source, "asked" if asks else "figure")


# In the cells of a notebook, where one brings what all share.

_CELL = """<script>(w=>{{const c=document.currentScript.parentElement,s=()=>w["{name}"](c,{own});\
w["{name}"]?s():(w["{name} waits"]??=[]).push(s)}})(window)</script>"""
_CELLS = """<script>{source}
window["{name}"]=cells({page});(window["{name} waits"]??[]).forEach(s=>s())</script>"""


class CellFigure(NamedTuple):
    """A figure as a cell of a notebook has it.

    Attributes:
      name: of what it shares with others.
      own: HTML of this figure.
      shared: HTML that one of all cells has to have.
    """

    name: str
    own: str
    shared: str


def cell_figure(shown: Graph | Trace | Tour, base: str | None) -> CellFigure:
    """Return the figure that a script of the notebook puts into the element around it.

    Raises:
      GraphError: as `to_html`.
    """
    place = address(base)
    steps = (
        steps_of(shown, place, False) if isinstance(shown, Tour) else [state_of(lab_in(shown), place, False)]
    )
    own, asks = _own(steps, place, False, shown.title if isinstance(shown, Tour) else "")
    name, shared = _cells(asks)
    return CellFigure(name, _CELL.format(name=name, own=in_script(own)), shared)


@cache
def _cells(asks: bool) -> tuple[str, str]:
    """Return the name of what cells share, and the script that has it."""
    known = _shared(asks) | {"still": ""}
    pieces = [
        (text + known.get(field, ""), "" if field in known else field)
        for text, field, *_ in Formatter().parse(_PAGE)
        if field is not None
    ]
    end = _PAGE[_PAGE.rindex("}") + 1 :]
    page = packed([*pieces, (end, "")])
    name = f"autodiff_viz {sha256(page.encode()).hexdigest()[:12]}"
    source = script_of(CELLS, {})
    return name, _CELLS.format(source=source, name=name, page=in_script(page))


def _policy(script: str, style: str) -> str:
    """Return the content security policy of a file: scripts and styles of ours, no other host."""
    rules = (
        "default-src 'none'",
        f"script-src {script}",
        f"style-src {style}",
        "img-src data:",
    )
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


def in_script(data: Any) -> str:
    """Return data as JSON that ends no script element."""
    text = json.encode(data).decode()
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def parts(asks: bool = False) -> tuple[str, dict[str, str]]:
    """Return the script of all figures, or of those that ask, and its style sheets by place."""
    away = {ASKING[0]: "figure/answer.js"} if asks else dict.fromkeys(ASKING, "figure/no_questions.js")
    source = script_of(ENTRY_ASKING if asks else ENTRY, {**IN_PLACE, **away})
    if re.search(r"</script|<!--", source, re.IGNORECASE):
        raise ValueError("A script of ours has what would end its element.")
    words = words_of(source)
    css = {
        place: "".join(shaken_styles((WEB / sheet).read_text("utf-8"), words) for sheet in sheets)
        for place, sheets in (ASKED_SHEETS if asks else SHEETS).items()
    }
    return source, css


@cache
def page_style(asks: bool = False) -> str:
    """Return the style sheet of the page itself, with the colours of its places too."""
    own = streamlit_theme(":root") + (WEB / "figure" / "figure.css").read_text("utf-8")
    return compact_style(tokens(own, *parts(asks)[1].values()) + own)


def still(made: Made) -> str:
    """Return a step as a picture with a table of its numbers: for print, and where no script runs."""
    trace = made.view.trace
    picture = _TOOLTIP.sub("", svg_of(trace.graph, trace))  # the table has these numbers
    return picture + table_of(numbers_of(trace, len(trace.graph.nodes)))
