"""Find the scripts of Streamlit's elements, which a browser requests only once such an element has come.

Named in the page, they are there by then, with the scripts that they import.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path, PurePosixPath

import streamlit as st

STATIC = Path(st.__file__).parent / "static"
PAGE = "index.html"  # name of the page's own script in the manifest; the page names all that it imports
FIRST = ("BidiComponent", "Html", "PageLink")
"""Elements of the lab's first drawing: its component, its places, and a page of the navigation."""

LATER = ("PlotlyChart",)
"""Elements that come later: their scripts, 5 MB, are asked for with them, and the page names none."""


def scripts(*elements: str) -> list[str]:
    """Return the paths of the scripts of these elements that Streamlit's page does not load itself.

    Without Streamlit's list of its files there are none, and the browser finds them one after the other.
    """
    files = _files()
    entries = [name for name in files if PurePosixPath(name).stem in elements and name.endswith(".tsx")]
    page = _imported([PAGE])
    return [f"{files[name]['file']}" for name in _imported(entries) if name not in page]


def _imported(names: list[str]) -> list[str]:
    """Return these entries of the list and all that they import."""
    files, reached = _files(), dict.fromkeys(names)
    waiting = [*reached]
    for name in waiting:  # which grows meanwhile
        new = [other for other in files.get(name, {}).get("imports", []) if other not in reached]
        reached.update(dict.fromkeys(new))
        waiting += new
    return [*reached]


@cache
def font_tags() -> str:
    """Return the tags with which a page that is not Streamlit's has the same font from its first frame on.

    "" in an installation without that file.
    """
    found = next(STATIC.glob("static/media/SourceSansVF-Upright*.woff2"), None)
    if found is None:
        return ""
    path = f"./{found.relative_to(STATIC).as_posix()}"
    face = f'font-family: "Source Sans"; font-weight: 200 900; src: url("{path}") format("woff2")'
    return (
        f'<link rel="preload" href="{path}" as="font" type="font/woff2" crossorigin>\n'
        f"<style>@font-face {{ {face}; }}</style>"
    )


@cache
def _files() -> dict:
    """Return Streamlit's list of its files; an empty one in an installation without it."""
    try:
        return json.loads((STATIC / "manifest.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
