"""Show answers in notebooks and terminals: figure, picture, table and text, of which each shows what it can.

| where | what is seen |
|---|---|
| a notebook that runs scripts, and its file as HTML | of a trace, a tour or the lab the figure |
| one that does not (GitHub, one that is not trusted), paper | the picture and the table in the same HTML |
| what shows pictures alone (PDF by LaTeX) | the PNG, or the SVG where there is no Pillow |
| a terminal | the text |

The script of all figures stands in the first cell that shows one, and in that cell again when it runs again.
"""

from __future__ import annotations

import sys
from base64 import b64encode
from collections.abc import Collection
from html import escape
from typing import Any

from autodiff_viz.canvas.svg import overview, picture
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.shown import PLAIN, Bundle
from autodiff_viz.lab.launch import Page
from autodiff_viz.lessons.tour import Tour
from autodiff_viz.reading.reading import Reading
from autodiff_viz.standalone.answers import Answer, answer_of, table_of, text_of
from autodiff_viz.standalone.write import PIXELS, cell_of, painted

NODES = 60  # of a larger graph a cell shows the picture: a notebook keeps whatever its cells show
PICTURED = 400  # of a larger one an overview: nobody reads its whole picture in a cell
PIXELS_OF_OVERVIEW = 250_000  # which then costs a cell less than 40 kB, with the table
HTML, SVG, PNG = "text/html", "image/svg+xml", "image/png"

_brought: dict[str, tuple[Any, Any]] = {}
"""By name of what figures share: the cell that has brought it, and which run of it."""


def bundle_of(
    thing: Any, include: Collection[str] | None, exclude: Collection[str] | None, more: str = ""
) -> Bundle:
    """Return what is shown of an answer, by MIME type; `more` is said below it."""
    answer = answer_of(thing)
    answer = answer._replace(says=(*answer.says, more) if more else answer.says)
    wanted = {PLAIN, HTML, SVG, PNG} if include is None else {*include}
    wanted -= {*(exclude or ())}
    shown = {PLAIN: text_of(answer)} if PLAIN in wanted else {}
    if wanted <= {PLAIN} or (include is None and _shows_text_alone()):
        return shown
    drawn, of_it = _drawn(thing, more)
    png = painted(drawn, PIXELS_OF_OVERVIEW if of_it else PIXELS) if drawn else None
    if png:
        encoded = b64encode(png.png).decode()
        shown |= {PNG: encoded} if PNG in wanted else {}
        image = f'<img src="data:{PNG};base64,{encoded}" width="{png.width:.0f}"'
    elif drawn:
        shown |= {SVG: drawn} if SVG in wanted else {}
        image = f'<img src="data:{SVG};base64,{b64encode(drawn.encode()).decode()}"'
    if HTML in wanted:
        alt = escape(" ".join(filter(None, (*answer.says[:1], of_it))))
        still = f'{image} alt="{alt}" style="max-width: 100%; height: auto">' if drawn else ""
        shown[HTML] = _html(thing, answer, still)
    return shown


def _html(thing: Any, answer: Answer, still: str) -> str:
    """Return an answer as HTML: the picture with its table folded, which a script replaces by the figure."""
    table = table_of(answer)
    says = "".join(f"<div>{escape(line)}</div>" for line in answer.says)
    told = f"<details><summary>Numbers</summary>{says}{table}</details>" if still else f"{says}{table}"
    link = _link(thing) if isinstance(thing, Page) else ""
    return f'<div class="av-cell">{still}{told}{_figure(thing)}</div>{link}'


def _link(page: Page) -> str:
    return f'<p><a href="{escape(page)}" target="_blank" rel="noopener">Open the lab</a></p>'


def _drawn(thing: Any, more: str) -> tuple[str | None, str]:
    """Return the picture of a graph, of what has been read, of a trace or a page; None for none.

    Also what is in the picture, in a sentence, if that is not all.
    """
    drawn = thing.graph if isinstance(thing, Page | Reading) else thing
    graph = drawn.graph if isinstance(drawn, Trace) else drawn
    if not isinstance(graph, Graph):
        return None, ""
    return (picture(drawn, more), "") if len(graph.nodes) <= PICTURED else overview(graph, more)


def _figure(thing: Any) -> str:
    """Return what a script makes a figure of, with the script where no cell has it yet; "" for no figure."""
    shown = thing.graph if isinstance(thing, Page) else thing
    graph = shown.graph if isinstance(shown, Trace) else shown
    is_live = isinstance(thing, Trace | Page) and isinstance(graph, Graph) and len(graph.nodes) <= NODES
    if not is_live and not isinstance(thing, Tour):
        return ""
    try:
        made = cell_of(shown, thing if isinstance(thing, Page) else None)
    except GraphError:  # a part of a graph, one with a function of this process, or there is no Plotly
        return ""
    return (made.shared if _brings(made.name) else "") + made.own


def _brings(name: str) -> bool:
    """Return whether this cell is to bring what all share: the first one, and that one whenever it runs."""
    shell = _shell()
    if shell is None or "google.colab" in sys.modules:  # marimo and Colab keep cells apart
        return True
    run = shell.execution_count
    sent = getattr(shell, "get_parent", dict)() or {}
    cell = sent.get("metadata", {}).get("cellId") or sent.get("content", {}).get("code") or run
    first = _brought.setdefault(name, (cell, None))
    if first[0] != cell or first[1] == run:
        return False
    _brought[name] = (cell, run)
    return True


def _shell() -> Any:
    """Return the IPython that runs here; None for none."""
    known = sys.modules.get("IPython")
    return known.get_ipython() if known is not None else None


def _shows_text_alone() -> bool:
    """Return whether a terminal asks, for which no figure is made."""
    shell = _shell()
    return shell is not None and [*shell.display_formatter.active_types] == [PLAIN]
