"""Bundle the browser's ES modules into one script, and deliver it as the code of the lab's component.

The modules `import {...}` and `export` const, class, function or default function, at the beginning of a line
and in no other way.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import posixpath
import re
from collections.abc import Callable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from autodiff_viz.canvas.palette import palette
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.lab.blocks import block_entries
from autodiff_viz.lab.figures import TABS
from autodiff_viz.lab.formula import words
from autodiff_viz.ui.chunks import LATER, scripts

WEB = Path(__file__).parents[1] / "web"  # modules are named by their path from here
_IMPORT = re.compile(r'from "(\.{1,2}/[\w./]+\.js)"')
_COMMENT = re.compile(r"/\*\*.*?\*/[ \n]*|^ *//[^\n]*\n", re.DOTALL | re.MULTILINE)  # a quarter of the source
_INDENT = re.compile(r"^ +", re.MULTILINE)
_NAMED = re.compile(r'from "([\w./]+\.js)"')  # once it is named from the root
_IMPORTED = re.compile(r'^import \{([^}]*)\} from ("[\w./]+\.js");', re.MULTILINE)
_EXPORTED = re.compile(r"^export (default )?((?:const|class|function) (\w+))", re.MULTILINE)


def linked(modules: list[tuple[str, str]]) -> str:
    """Return one script that runs the modules and stores their exports in the object `modules`.

    The browser loads it in one request: module by module, the canvas would come after everything that the
    rest of the page has to load.
    """

    def as_constants(statement: re.Match[str]) -> str:
        """Return `import {a as b} from "x.js"` as `const {a: b} = modules["x.js"]`."""
        return f"const {{{statement[1].replace(' as ', ': ')}}} = modules[{statement[2]}];"

    functions = []
    for name, text in modules:
        # A function for each module, so that names of two modules do not clash; it returns what is exported.
        exports = [f"default: {word}" if default else word for default, _, word in _EXPORTED.findall(text)]
        body = _EXPORTED.sub(r"\2", _IMPORTED.sub(as_constants, text))
        returned = f"return {{ {', '.join(exports)} }};"
        functions.append(f"modules[{json.dumps(name)}] = (() => {{\n{body}\n{returned}\n}})();")
    return "\n".join(functions)


def bundle(entry: str, root: Path = WEB) -> list[tuple[str, str]]:
    """Return (name, text) of `entry` and of the modules that it imports, in topological order.

    Comments and indentation are removed; no string has a line break in it. Modules are named by their path
    from `root`, in their imports too.

    Raises:
      graphlib.CycleError: modules import each other in a circle.
    """
    texts: dict[str, str] = {}
    imports: dict[str, list[str]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            text = _INDENT.sub("", _COMMENT.sub("", (root / name).read_text("utf-8")))
            folder = posixpath.dirname(name)
            texts[name] = _IMPORT.sub(
                lambda path, folder=folder: f'from "{posixpath.normpath(posixpath.join(folder, path[1]))}"',
                text,
            )
            imports[name] = _NAMED.findall(texts[name])  # in source order: all servers get the same
            waiting.extend(imports[name])
    return [(name, texts[name]) for name in TopologicalSorter(imports).static_order()]


# Delivery. Streamlit sends a component's source with every changed message. So the component's element
# carries only a shim of a few lines, which loads the code from a path of this server, where browsers cache
# it. If a host does not serve that path, the code is sent in an element of its own that never changes, and
# therefore only once.

ENTRY = "main.js"
SHEETS = {
    "editor": ("canvas/*.css", "asking/*.css", "embed/frame.css"),
    "formula": ("formula/*.css",),
    "sliders": ("sliders/*.css",),
    "inspector": ("inspector/*.css", "base/cure.css"),
    "checks": ("explain/verification.css", "base/cure.css"),
    "twins": ("explain/compare.css",),
    "paths": ("explain/paths.css",),
    "workbench": ("dock/*.css",),
}
"""The style sheets of each place on the page that has a shadow root of its own."""

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
    css = {}
    for place, sheets in SHEETS.items():
        files = [file for sheet in sheets for file in sorted(WEB.glob(sheet))]
        css[place] = "\n".join(file.read_text("utf-8") for file in files)
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
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    # Served, it is a module; compressed once, without a time, so that all servers send the same bytes.
    served = f"{text}export {{ main, css, constants }};\n"
    return Script(name, text, gzip.compress(served.encode(), mtime=0))


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
