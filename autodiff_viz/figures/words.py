"""Numbers and names as text: escaped, short, and one spelling for every number."""

from __future__ import annotations

import re
from html import escape, unescape

from autodiff_viz.figures.theme import RULE, STOP
from autodiff_viz.graph.model import FOLLOW, Rule
from autodiff_viz.graph.rule_kinds import KINDS

LABEL = 16  # characters of a name that fit beside a drawing on a phone
INDENT = "  "

_SIGNS = {"stop": ("⊘", STOP), "rule": ("◆", RULE)}
"""A sign, and its colour here, by the colour of a kind of rule."""

_TAG = re.compile(r"<[^>]*>")


def plain(name: str) -> str:
    """A name as Plotly text: what Plotly would read as a tag or an entity is escaped."""
    return escape(name, quote=False)


def short(name: str, length: int = LABEL) -> str:
    """A name as Plotly text, cut in the middle when it is long: its end often tells names apart."""
    if len(name) > length:
        tail = length // 3
        name = f"{name[: length - tail - 1]}…{name[-tail:]}"
    return plain(name)


def coloured(text: str, colour: str) -> str:
    """Plotly text in a colour; `text` is escaped already."""
    return f"<span style='color:{colour}'>{text}</span>"


def width(text: str) -> int:
    """Characters of Plotly text that are seen."""
    return len(unescape(_TAG.sub("", text)))


def rule_mark(rule: Rule) -> str:
    """A sign and a word for a node's rule; "" for `follow`."""
    if rule.kind == FOLLOW:
        return ""
    kind = KINDS[rule.kind]
    sign, colour = _SIGNS[kind.colour]
    return coloured(f"{sign} {kind.label}", colour)


def counted(count: int, noun: str) -> str:
    """ "1 node", "2,000 nodes"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
