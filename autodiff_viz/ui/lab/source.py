"""The browser code of the lab's component: its modules in one script, which is sent once.

The code is plain ES modules, which `import {...}` and `export` const, class, function or default function, at
the beginning of a line and in no other way. Streamlit resends a component's source with every changed
message, so the source travels in an element of its own that never changes (and is therefore sent once); the
component's element carries a shim of a few lines and the data.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Callable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import streamlit as st

from autodiff_viz.views.formula import words
from autodiff_viz.views.palette import palette

WEB = Path(__file__).parents[1]  # modules are named by their path from here
ENTRY = "lab/web/main.js"
_IMPORT = re.compile(r'from "(\.{1,2}/[\w./]+\.js)"')
_COMMENT = re.compile(r"/\*\*.*?\*/[ \n]*|^ *//[^\n]*\n", re.DOTALL | re.MULTILINE)  # a quarter of the source
_NAMED = re.compile(r'from "([\w./]+\.js)"')  # after `_named_from_root`

_IMPORTED = re.compile(r'^import \{([^}]*)\} from ("[\w./]+\.js");', re.MULTILINE)
_EXPORTED = re.compile(r"^export (default )?((?:const|class|function) (\w+))", re.MULTILINE)

_LOADER = """
const code = (globalThis[%(name)s] ??= {});
const modules = {};
%(source)s
code.main = modules[%(entry)s].default;
code.css = %(css)s;
code.constants = %(constants)s;
code.arrived?.();
export default () => {};
"""

_SHIM = """
const code = (globalThis[%(name)s] ??= {});
const here = code.main ? null : new Promise((arrived) => (code.arrived = arrived));
export default async (component) => {
  await here;
  return code.main(component, code.css, code.constants);
};
"""


_PLACE = """
const places = (globalThis.autodiff_viz_places ??= new Map());
export default ({ data, parentElement }) => {
  if (places.get(data.name) === parentElement) return;
  places.set(data.name, parentElement);
  document.dispatchEvent(new CustomEvent("autodiff-viz-place"));
};
"""
"""Of an element that the component puts something into: with Streamlit's theme and a style of its own."""

SHEETS = ("editor", "formula", "sliders")
"""Folders whose style sheets go together: each has a place of its own on the page."""


@cache
def renderers() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The element that carries the source, the component's own, and the one of a place."""
    source = linked(bundle(ENTRY))
    css = {folder: _css(folder) for folder in SHEETS}
    texts = {"entry": ENTRY, "css": css, "constants": {"palette": palette(), "words": words()}}
    digest = hashlib.sha256(json.dumps([source, texts]).encode()).hexdigest()[:12]
    fields = {field: json.dumps(text) for field, text in {**texts, "name": f"autodiff_viz_{digest}"}.items()}
    component = st.components.v2.component
    return (
        component("autodiff_viz_lab_source", js=_LOADER % {**fields, "source": source}),
        component("autodiff_viz_lab", js=_SHIM % fields),
        component("autodiff_viz_place", js=_PLACE),
    )


def _css(folder: str) -> str:
    return "\n".join(sheet.read_text("utf-8") for sheet in sorted((WEB / folder / "web").glob("*.css")))


def linked(modules: list[tuple[str, str]]) -> str:
    """The modules as one script that fills the object `modules`. The browser loads it in one step: module by
    module, the canvas would come after all that the rest of the page has to load."""
    return "\n".join(_as_function(name, text) for name, text in modules)


def _as_function(name: str, text: str) -> str:
    exports = [f"default: {word}" if default else word for default, _, word in _EXPORTED.findall(text)]
    body = _EXPORTED.sub(r"\2", _IMPORTED.sub(_as_constants, text))
    return f"modules[{json.dumps(name)}] = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();"


def _as_constants(found: re.Match[str]) -> str:
    return f"const {{{found[1].replace(' as ', ': ')}}} = modules[{found[2]}];"


def bundle(entry: str, root: Path = WEB) -> list[tuple[str, str]]:
    """(name, text) of `entry` and of every module it imports, each after all that it imports itself, without
    its comments.

    Modules are named by their path from `root`, in their imports too.

    Raises:
      graphlib.CycleError: modules import each other in a circle.
    """
    texts: dict[str, str] = {}
    imports: dict[str, set[str]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = _named_from_root(name, _COMMENT.sub("", (root / name).read_text("utf-8")))
            imports[name] = set(_NAMED.findall(texts[name]))
            waiting.extend(imports[name])
    return [(name, texts[name]) for name in TopologicalSorter(imports).static_order()]


def _named_from_root(name: str, text: str) -> str:
    here = posixpath.dirname(name)
    return _IMPORT.sub(lambda found: f'from "{posixpath.normpath(posixpath.join(here, found[1]))}"', text)
