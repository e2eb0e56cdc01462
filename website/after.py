"""Write what stands on a page after an answer so that nobody reads it by chance: packed, as in figures.

It is a tree, of which `site.js` makes elements: [name, {attributes}, *children], where a text is a child too.
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from html import escape
from typing import Any

from autodiff_viz.standalone.data import packed

Tree = str | list[Any]

_MARKS = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\*(?P<em>[^*]+)\*|\[(?P<words>[^\]]*)\]\((?P<to>https?://[^)\s]+)\)"
)


def element(name: str, *children: Tree, **attributes: str) -> Tree:
    """Return an element of the tree; `class_` is its class."""
    return [name, {key.rstrip("_"): value for key, value in attributes.items()}, *children]


def inline(text: str) -> list[Tree]:
    """Return a line of Markdown: code, emphasis and links, which is all that lessons have."""
    parts: list[Tree] = []
    end = 0
    for mark in _MARKS.finditer(text):
        parts.append(text[end : mark.start()])
        end = mark.end()
        if mark["to"] is not None:
            parts.append(element("a", *inline(mark["words"]), href=mark["to"]))
        elif mark["code"] is not None:
            parts.append(element("code", mark["code"]))
        else:
            name = "strong" if mark["strong"] is not None else "em"
            parts.append(element(name, *inline(mark[name])))
    return [part for part in (*parts, text[end:]) if part]


def code(text: str) -> Tree:
    """Return Python code with the classes that the generator colours."""
    parts: list[Tree] = []
    line, column = 1, 0
    lines = text.splitlines(keepends=True)

    def between(to: tuple[int, int]) -> str:
        nonlocal line, column
        said = ""
        while line < to[0]:
            said += lines[line - 1][column:]
            line, column = line + 1, 0
        said += lines[line - 1][column : to[1]] if line <= len(lines) else ""
        column = to[1]
        return said

    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = _kind(token)
            if kind:
                parts.append(between(token.start))
                parts.append(element("span", between(token.end), class_=kind))
    except (tokenize.TokenError, IndentationError):
        parts, line, column = [], 1, 0
    parts.append(between((len(lines) + 1, 0)))
    pre = element("pre", element("code", *filter(None, parts)))
    return element("div", pre, class_="language-python highlight")


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return "k" if keyword.iskeyword(token.string) else ""
    return {tokenize.COMMENT: "c1", tokenize.STRING: "s2", tokenize.NUMBER: "mi"}.get(token.type, "")


def after(trees: list[Tree], words: str) -> str:
    """Return the place of what is told after an answer, as HTML.

    Args:
      words: on the button that shows it without one.
    """
    return (
        f'<section class="av-after" data-after="{packed({"trees": trees})}">'
        f'<p class="av-wait">{escape(words)} '
        '<button type="button" class="md-button">Show it now</button></p></section>'
    )
