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

ENTRY = "notebook/notebook.js"
TABS = (COMPARE, *FIGURES.values())
"""The plots of a notebook: those that the page has Streamlit's widgets for are not among them."""

_BLOCK = (
    '<div data-testid="stLayoutWrapper">'
    '<div data-testid="stVerticalBlock" class="{classes}">{inside}</div></div>'
)
_ELEMENT = '<div data-testid="stElementContainer"><div class="stHtml">{inside}</div></div>'
_PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><style>{style}</style></head>
<body><div id="av-first"><style>{within}</style>{blocks}</div></body></html>"""


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
    plots = _place("plots") + _block("st-key-figure_place st-key-part_figure", figure_place)
    side = "".join(
        (
            _place("panels"),
            _place("notes"),
            _block("st-key-formula_panel", _place("formula")),
            _place("sliders"),
            _block("st-key-inspector", _place("node") + _place("twins") + _place("paths")),
        )
    )
    parts = (
        _block("st-key-part_canvas", canvas),
        _block("st-key-topbar", _place("bar") + _place("check")),
        _block("st-key-side", side),
        _block("st-key-dock", plots),
    )
    own = (WEB / "notebook" / "notebook.css").read_text("utf-8")
    return _PAGE.format(
        style=page_style().text,
        within=f"#av-first {{ {fonts} }}\n{streamlit_theme('#av-first')}"
        + (ASSETS / "opening.css").read_text("utf-8")
        + own,
        blocks=_block("st-key-lab", "".join(parts)),
    )


def _block(classes: str, inside: str) -> str:
    return _BLOCK.format(classes=classes, inside=inside)


def _place(name: str) -> str:
    return _ELEMENT.format(inside=f'<div class="av-place" data-place="{name}"></div>')
