"""Write what the browser of a notebook gets: the widget's module, and the lab with its document."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import NamedTuple

from autodiff_viz.display.colours import streamlit_theme
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.compare.view import COMPARE
from autodiff_viz.standalone.modules import WEB
from autodiff_viz.standalone.tokens import compact
from autodiff_viz.ui.bundle import ASSETS, page_style, whole_source
from autodiff_viz.ui.containers import block, place

ENTRY = "notebook/notebook.js"
TABS = (COMPARE, *FIGURES.values())
"""The plots of a notebook: those that the page has Streamlit's widgets for are not among them."""

_PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><style>{style}</style></head>
<body><div id="av-first" data-stays><style>{within}</style>{blocks}</div></body></html>"""


class Code(NamedTuple):
    """The lab's script, its document, and a name that changes with either."""

    script: str
    html: str
    version: str


@cache
def module() -> str:
    """Return the widget's module, which each cell has."""
    return compact((WEB / "notebook" / "shim.js").read_text("utf-8"))


@cache
def code() -> Code:
    """Return what the cells of a page share."""
    theme = (WEB / "base" / "theme.js").read_text("utf-8")
    main = "main(globalThis.autodiff_viz_peer, css, constants);\n"
    script, html = f"{theme}\n{whole_source(ENTRY, TABS)}\n{main}", document()
    return Code(script, html, hashlib.sha256((script + html).encode()).hexdigest()[:16])


@cache
def document() -> str:
    """Return the document of a cell: the containers of the page, in which `web/places.js` puts the lab."""
    figure = (WEB / "figure" / "figure.css").read_text("utf-8")
    fonts = " ".join(line for line in map(str.strip, figure.splitlines()) if line.startswith("--st-"))
    canvas = '<div data-testid="stElementContainer"><div id="av-first-canvas"></div></div>'
    figure_place = '<div data-testid="stElementContainer"><div id="av-figure"></div></div>'
    plots = place("plots") + block("st-key-figure_place st-key-part_figure", figure_place)
    side = "".join(
        (
            place("panels"),
            place("notes"),
            block("st-key-formula_panel", place("formula")),
            place("sliders"),
            block("st-key-inspector", place("node") + place("twins") + place("paths")),
        )
    )
    parts = (
        block("st-key-part_canvas", canvas),
        block("st-key-topbar", place("bar") + place("check")),
        block("st-key-side", side),
        block("st-key-dock", plots),
    )
    own = (WEB / "notebook" / "notebook.css").read_text("utf-8")
    return _PAGE.format(
        style=page_style().text,
        within=f"#av-first {{ {fonts} }}\n{streamlit_theme('#av-first')}"
        + (ASSETS / "opening.css").read_text("utf-8")
        + own,
        blocks=block("st-key-lab", "".join(parts)),
    )
