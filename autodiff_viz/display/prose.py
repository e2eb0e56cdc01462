"""Write the little Markdown that lessons, tours and questions have as HTML.

In a browser web/tour/words.js does so.
"""

from __future__ import annotations

import re
from html import escape

_CODE = re.compile("`([^`]+)`")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_ITALIC = re.compile(r"\*([^*\s][^*]*)\*")
_LINK = re.compile(r"\[([^\[\]]+)\]\(https?:[^()\s]+\)")
_MARKS = ((_CODE, r"<code>\1</code>"), (_BOLD, r"<b>\1</b>"), (_ITALIC, r"<i>\1</i>"), (_LINK, r"\1"))


def worded(text: str) -> str:
    """Return a sentence as HTML, with its names in code type; a link is its words."""
    shown = escape(text)
    for mark, element in _MARKS:
        shown = mark.sub(element, shown)
    return shown


def prose(text: str) -> str:
    """Return a text as paragraphs of HTML."""
    return "".join(f"<p>{worded(part.strip())}</p>" for part in text.split("\n\n") if part.strip())
