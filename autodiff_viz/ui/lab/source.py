"""Deliver the code of the lab's component to the browser.

Streamlit sends a component's source with every changed message. So the component's element carries only a
shim of a few lines, which loads the code from a path of this server, where browsers cache it. If a host does
not serve that path, the code is sent in an element of its own that never changes, and therefore only once.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import streamlit as st

from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.ui.chunks import LATER, scripts
from autodiff_viz.ui.lab.bundle import WEB, bundle, linked
from autodiff_viz.views.canvas.palette import palette
from autodiff_viz.views.node.blocks import block_entries
from autodiff_viz.views.page.formula import words

ENTRY = "lab/web/main.js"
SHEETS = ("editor", "formula", "sliders", "inspector", "checks", "twins", "paths", "workbench")
"""Folders whose style sheets are joined: each folder has its own place on the page."""

MENDING = ("inspector", "checks")
"""Folders whose places show explanations with a cure, which have a style sheet of their own."""

CODE = "code"  # path of the script
Renderer = Callable[..., Any]

_SCRIPT = """
const modules = {}, css = %(css)s, constants = %(constants)s;
%(source)s
const main = modules[%(entry)s].default;
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
    """The code as one script, named by its hash, with the same text compressed."""

    name: str
    text: str
    compressed: bytes

    @property
    def path(self) -> str:
        """The path of the script, relative to the page."""
        return f"{CODE}/{self.name}.js"


@cache
def script() -> Script:
    """Return the code with its style sheets and the data that is the same for all visitors."""
    css = {folder: _css(folder) for folder in SHEETS}
    titles = {name: figure.title for name, figure in FIGURES.items()}
    constants = {
        "palette": [*palette(), block_entries()],
        "words": words(),
        "figures": titles,
        "later": scripts(*LATER),
    }
    given = {"entry": ENTRY, "css": css, "constants": constants}
    fields = {name: json.dumps(value) for name, value in given.items()}
    text = _SCRIPT % {**fields, "source": linked(bundle(ENTRY))}
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    served = f"{text}export {{ main, css, constants }};\n"
    return Script(name, text, gzip.compress(served.encode(), mtime=0))


@cache
def component() -> Renderer:
    """Return the lab's component."""
    found = script()
    fields = {"name": json.dumps(f"autodiff_viz_{found.name}"), "path": json.dumps(found.path)}
    return st.components.v2.component("autodiff_viz_lab", js=_SHIM % fields)


@cache
def code() -> Renderer:
    """Return the element with the code, for a browser that could not load it."""
    name = json.dumps(f"autodiff_viz_{script().name}")
    arrive = f"globalThis[{name}].arrive({{ main, css, constants }});"
    js = f"{script().text}\n{arrive}\nexport default () => {{}};"
    return st.components.v2.component("autodiff_viz_code", js=js)


def _css(folder: str) -> str:
    sheets = sorted((WEB / folder / "web").glob("*.css"))
    sheets += [WEB / "web" / "mend.css"] if folder in MENDING else []
    return "\n".join(sheet.read_text("utf-8") for sheet in sheets)
