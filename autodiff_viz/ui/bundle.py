"""Deliver the browser's modules as the code of the lab's component: one script, and one for each part."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from autodiff_viz.canvas.palette import palette
from autodiff_viz.display.colours import streamlit_theme, tokens
from autodiff_viz.display.theme import css_of_colours
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.explanation import ExplanationKind
from autodiff_viz.lab.blocks import block_entries
from autodiff_viz.lab.figures import TABS
from autodiff_viz.lab.formula import words
from autodiff_viz.standalone.modules import WEB, bundle, imported_later, linked, script_of
from autodiff_viz.standalone.styles import compact_style, shaken_styles
from autodiff_viz.standalone.tokens import words_of

ENTRY = "main.js"
SHEETS = {
    "editor": (
        "canvas/*.css",
        "asking/*.css",
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
    "tour": ("tour/*.css",),
    "asking": ("asking/asking.css", "lesson/seat.css", "base/cure.css"),
}
"""The style sheets of each place on the page that has a shadow root of its own, but for those of parts."""

PART_SHEETS = {
    "asking/ask_form.js": ("asking/ask_form.css",),
    "canvas/actions/cheat_sheet.js": ("canvas/help.css",),
    "canvas/popovers/find.js": ("canvas/find.css",),
    "present/notes.js": ("present/notes/*.css",),
    "present/prepare.js": ("present/*.css",),
    "share/dialog.js": ("share/*.css",),
}
"""The style sheets of parts, which come with them (`web/later.js`)."""

PAPER = f"""@media print {{
  {streamlit_theme(":host", important=True)}  :host {{ color-scheme: light; }}
}}
{streamlit_theme(".canvas.paper")}"""
"""On paper each place has the light theme, and so has the canvas where a picture on white is made of it."""

OF_RULES = re.compile(r"\.((?:in|rule)-\w+)")  # classes that scripts put together
CODE = "code"  # path of the script
AT_ONCE = "//# allFunctionsCalledOnLoad"
"""Has a browser compile all functions of a script while it comes, besides the page's own work.

Source: https://v8.dev/blog/explicit-compile-hints
"""
ASSETS = Path(__file__).parent / "assets"
PAGE_STYLES = ("lab.css", "present.css")

_SCRIPT = """
const modules = {}, css = %(css)s, constants = %(constants)s;
const paths = %(paths)s, tried = {};
const part = async (name) => {
  if (!modules[name]) {
    const again = (tried[name] = (tried[name] ?? -1) + 1);
    // Some browsers keep that an address could not be loaded.
    const url = new URL(`${paths[name]}${again ? `?again=${again}` : ""}`, document.baseURI).href;
    const found = await import(url).catch((error) => { throw Object.assign(error, { url }); });
    found.default(modules, css);
  }
  return { ...modules[name], css: css[name] };
};
%(source)s
const { default: main, open } = modules[%(entry)s];
"""

_PART = """(modules, css) => {
css[%(name)s] = %(css)s;
%(source)s
}"""


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
    text = source_of(ENTRY, {name: part.path for name, part in parts().items()}, TABS)
    # Served, it is a module; compressed once, without a time, so that all servers send the same bytes.
    served = f"{text}export {{ main, open, css, constants }};\n"
    return Script(_named(text), text, gzip.compress(served.encode(), mtime=0))


def whole_source(entry: str, tabs: Iterable[ExplanationKind]) -> str:
    """Return the source of `entry` with all its parts, for a place that no server sends them to."""
    return source_of(entry, {}, tabs) + "".join(
        f"({part.text})(modules, css);\n" for part in parts(entry).values()
    )


def source_of(entry: str, paths: Mapping[str, str], tabs: Iterable[ExplanationKind]) -> str:
    """Return a script that declares `main` and `open` of the module `entry`, `css` and `constants`.

    Args:
      paths: of the parts, by the name of their module.
      tabs: of the plots.
    """
    of_parts = {file for sheets in PART_SHEETS.values() for file in _files(sheets)}
    css = {
        place: _joined((file for file in _files(sheets) if file not in of_parts), PAPER)
        for place, sheets in SHEETS.items()
    }
    constants = {"palette": [*palette(), block_entries()], "words": words(), "tabs": _tabs(tabs)}
    given = {"entry": entry, "css": css, "constants": constants, "paths": paths}
    fields = {name: json.dumps(value) for name, value in given.items()}
    return _SCRIPT % {**fields, "source": linked(bundle(entry))}


def _tabs(kinds: Iterable[ExplanationKind] = TABS) -> list[dict[str, Any]]:
    """Return the tabs of the plots."""
    return [
        {"name": kind.key, "label": kind.title, "word": kind.word, "figure": kind.key in FIGURES}
        for kind in kinds
    ]


@cache
def parts(entry: str = ENTRY) -> dict[str, Script]:
    """Return the script of each part that is loaded when it is used first, by the name of its module.

    A module of two parts is in both; it runs once. What the script of `entry` has is in none.
    """
    first = bundle(entry)
    there = {name for name, _ in first}
    found = {}
    for name in imported_later(first):
        source = linked([(one, text) for one, text in bundle(name) if one not in there])
        css = _joined(_files(PART_SHEETS.get(name, ())))
        text = _PART % {"name": json.dumps(name), "css": json.dumps(css), "source": source}
        found[name] = Script(_named(text), text, gzip.compress(f"export default {text};\n".encode(), mtime=0))
    return found


def _files(sheets: Iterable[str]) -> list[Path]:
    return [file for sheet in sheets for file in sorted(WEB.glob(sheet))]


def _joined(files: Iterable[Path], *more: str) -> str:
    return compact_style("\n".join([*(file.read_text("utf-8") for file in files), *more]))


@cache
def picture_script() -> Script:
    """Return the code that draws the first view before the lab's own has come, with its style sheet."""
    source = script_of("opening/picture.js", {})
    words = words_of(source)
    css = {}
    for place in ("editor", "workbench", "asking", "formula", "sliders"):
        sheets = [file.read_text("utf-8") for file in _files(SHEETS[place])]
        classes = {name for sheet in sheets for name in OF_RULES.findall(sheet)}
        css[place] = "".join(shaken_styles(sheet, words | classes) for sheet in sheets)
    given = f"{json.dumps(css)}, {json.dumps(_tabs())}"
    text = f"{AT_ONCE}\n(() => {{\n{source}\nshowPicture({given});\n}})();\n"
    return Script(_named(text), text, gzip.compress(text.encode(), mtime=0))


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
