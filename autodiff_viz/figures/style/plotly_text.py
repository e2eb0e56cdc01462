"""Write names as Plotly text: escaped and short."""

from __future__ import annotations

import re
from html import escape, unescape

from autodiff_viz.figures.style.theme import RULE, STOP
from autodiff_viz.graph.model import FOLLOW, Rule
from autodiff_viz.graph.registries.rule_kinds import KINDS
from autodiff_viz.graph.text.text_format import counted as counted

LABEL = 16  # characters of a name that fit beside a drawing on a phone
INDENT = "  "

_SIGNS = {"stop": ("⊘", STOP), "rule": ("◆", RULE)}
"""By colour of a kind of rule, its sign and the sign's colour in figures."""

_TAG = re.compile(r"<[^>]*>")


def plain(name: str) -> str:
    """Return a name as Plotly text: characters that Plotly would read as a tag or an entity are escaped."""
    return escape(name, quote=False)


def short(name: str, length: int = LABEL) -> str:
    """Return a name as Plotly text, cut in the middle if long: the end often distinguishes names."""
    if len(name) > length:
        tail = length // 3
        name = f"{name[: length - tail - 1]}…{name[-tail:]}"
    return plain(name)


def coloured(text: str, colour: str) -> str:
    """Return Plotly text in a colour; `text` is escaped already."""
    return f"<span style='color:{colour}'>{text}</span>"


def width(text: str) -> int:
    """Return the number of visible characters of Plotly text."""
    return len(unescape(_TAG.sub("", text)))


def rule_mark(rule: Rule) -> str:
    """Return a sign and a word for a node's rule; "" for `follow`."""
    if rule.kind == FOLLOW:
        return ""
    kind = KINDS[rule.kind]
    sign, colour = _SIGNS[kind.colour]
    return coloured(f"{sign} {kind.label}", colour)
