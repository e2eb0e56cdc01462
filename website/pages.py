"""Describe the pages of the site as records, and write them as the generator reads them."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

LAB = "AUTODIFF_VIZ_LAB"
"""Setting: address of a lab, to which the site and its figures lead; no links unless set."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page.

    Attributes:
      path: of its Markdown file in the site, `lessons/fork.md`.
      title: as people type it.
      body: Markdown, with the title as its heading.
      about: what search engines show below the title.
      card: name of the picture of its preview.
      files: what comes with it, by path in the site.
      hide: parts of the generator's page that it has no room for.
      section: titles of the folders of the menu in which it stands.
      label: its name in the menu.
      is_searched: whether the search finds what it says; a list says it of pages that are found themselves.
    """

    path: str
    title: str
    body: str
    about: str
    card: str = "lab"
    files: Mapping[str, str] = field(default_factory=dict)
    hide: tuple[str, ...] = ()
    section: tuple[str, ...] = ()
    label: str = ""
    is_searched: bool = True

    @property
    def text(self) -> str:
        """The file."""
        head: dict[str, object] = {"title": self.title, "description": self.about, "card": self.card}
        head |= {"hide": list(self.hide), "search": {"exclude": not self.is_searched}}
        lines = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items())
        return f"---\n{lines}\n---\n\n# {self.title}\n\n{self.body}\n"


def framed(key: str, title: str, path: str, tall: bool = False) -> str:
    """Return the frame with the figure `key` for the page `path`."""
    kind = "av-figure av-tall" if tall else "av-figure"
    # From the Markdown file; the generator makes it an address from the folder that the page becomes.
    source = posixpath.relpath(f"figures/{key}.html", posixpath.dirname(path) or ".")
    return (
        f'<iframe class="{kind}" src="{source}" loading="lazy" title="Live figure: {escape(title)}"></iframe>'
    )


def plain(markdown: str) -> str:
    """Return a line of Markdown without its marks."""
    return re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
