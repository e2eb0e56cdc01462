"""Deliver the browser's modules, linked into one script, as the code of the lab's component."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from autodiff_viz.canvas.palette import palette
from autodiff_viz.display.colours import streamlit_theme, tokens
from autodiff_viz.display.theme import css_of_colours
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.lab.blocks import block_entries
from autodiff_viz.lab.figures import TABS
from autodiff_viz.lab.formula import words
from autodiff_viz.standalone.modules import WEB, bundle, linked, script_of
from autodiff_viz.ui.chunks import LATER, scripts

# Delivery. Streamlit sends a component's source with every changed message. So the component's element
# carries only a shim of a few lines, which loads the code from a path of this server, where browsers cache
# it. If a host does not serve that path, the code is sent in an element of its own that never changes, and
# therefore only once.

ENTRY = "main.js"
SHEETS = {
    "editor": (
        "canvas/*.css",
        "asking/*.css",
        "present/*.css",
        "share/*.css",
        "embed/frame.css",
        "lesson/*.css",
        "base/cure.css",
    ),
    "formula": ("formula/*.css",),
    "sliders": ("sliders/*.css",),
    "inspector": ("inspector/*.css", "base/cure.css"),
    "checks": ("explain/verification.css", "base/cure.css"),
    "twins": ("explain/compare.css",),
    "paths": ("explain/paths.css",),
    "workbench": ("dock/*.css",),
    "present": ("present/notes/*.css",),
    "tour": ("tour/*.css",),
    "asking": ("asking/*.css", "lesson/*.css", "base/cure.css"),
}
"""The style sheets of each place on the page that has a shadow root of its own."""

PAPER = f"""@media print {{
  {streamlit_theme(":host", important=True)}  :host {{ color-scheme: light; }}
}}
{streamlit_theme(".canvas.paper")}"""
"""On paper each place has the light theme, and so has the canvas where a picture on white is made of it."""

CODE = "code"  # path of the script
ASSETS = Path(__file__).parent / "assets"
PAGE_STYLES = ("lab.css", "present.css")
Renderer = Callable[..., Any]

_SCRIPT = """
const modules = {}, css = %(css)s, constants = %(constants)s;
%(source)s
const { default: main, open } = modules[%(entry)s];
"""

_SHIM = """
const code = (globalThis[%(name)s] ??= {});
code.here ??= new Promise((arrived) => (code.arrive = (found) => arrived(Object.assign(code, found))));
code.asked ??= import(new URL(%(path)s, document.baseURI).href).then((found) => code.arrive(found), () => {});
export default async (component) => {
  await Promise.race([code.here, code.asked]);
  if (!code.main) component.setTriggerValue("source", true);
  await code.here;
  return code.main(component, code.css, code.constants);
};
"""


class Script(NamedTuple):
    """The code as one script, or a style sheet, named by its hash, with the same text compressed."""

    name: str
    text: str
    compressed: bytes
    kind: str = "js"

    @property
    def path(self) -> str:
        """The path of the file, relative to the page."""
        return f"{CODE}/{self.name}.{self.kind}"


@cache
def script() -> Script:
    """Return the code with its style sheets and the data that is the same for all visitors."""
    css = {}
    for place, sheets in SHEETS.items():
        files = [file for sheet in sheets for file in sorted(WEB.glob(sheet))]
        css[place] = "\n".join([*(file.read_text("utf-8") for file in files), PAPER])
    tabs = [
        {"name": kind.key, "label": kind.title, "word": kind.word, "figure": kind.key in FIGURES}
        for kind in TABS
    ]
    constants = {
        "palette": [*palette(), block_entries()],
        "words": words(),
        "tabs": tabs,
        "later": scripts(*LATER),
    }
    given = {"entry": ENTRY, "css": css, "constants": constants}
    fields = {name: json.dumps(value) for name, value in given.items()}
    text = _SCRIPT % {**fields, "source": linked(bundle(ENTRY))}
    # Served, it is a module; compressed once, without a time, so that all servers send the same bytes.
    served = f"{text}export {{ main, open, css, constants }};\n"
    return Script(_named(text), text, gzip.compress(served.encode(), mtime=0))


@cache
def lessons_script() -> Script:
    """Return the script of the page of lessons, which needs little of the code."""
    text = f"{script_of('lessons_page/page.js', {})}\nlessonsPage();\n"
    return Script(_named(text), text, gzip.compress(text.encode(), mtime=0))


@cache
def page_style() -> Script:
    """Return the style sheet of the page around the lab, which places everything from the first frame on.

    It declares all colours, since what comes later reads them.
    """
    sheets = ((ASSETS / name).read_text("utf-8") for name in PAGE_STYLES)
    text = "\n".join((tokens(), *sheets, css_of_colours()))
    return Script(_named(text), text, gzip.compress(text.encode(), mtime=0), "css")


def _named(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def component() -> Renderer:
    """Return the lab's component."""
    served = script()
    fields = {"name": json.dumps(f"autodiff_viz_{served.name}"), "path": json.dumps(served.path)}
    return st.components.v2.component("autodiff_viz_lab", js=_SHIM % fields)


@cache
def code() -> Renderer:
    """Return the element with the code, for a browser that could not load it."""
    name = json.dumps(f"autodiff_viz_{script().name}")
    arrive = f"globalThis[{name}].arrive({{ main, css, constants }});"
    js = f"{script().text}\n{arrive}\nexport default () => {{}};"
    return st.components.v2.component("autodiff_viz_code", js=js)
