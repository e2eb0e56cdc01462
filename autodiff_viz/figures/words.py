"""Numbers and names as text: escaped, short, and one spelling for every number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape
from math import isinf, isnan

from autodiff_viz.figures.theme import RULE, STOP
from autodiff_viz.graph.model import FOLLOW, Rule
from autodiff_viz.graph.rule_kinds import KINDS

LABEL = 16  # characters of a name that fit beside a drawing on a phone
MINUS, INDENT = "−", "  "

_SIGNS = {"stop": ("⊘", STOP), "rule": ("◆", RULE)}
"""A sign, and its colour here, by the colour of a kind of rule."""

_TAG = re.compile(r"<[^>]*>")


def number(value: float, digits: int = 4) -> str:
    """A number as the canvas writes it: "0.7041", "12350", "−1.23e−5", "NaN", "∞". At most `digits`
    significant digits, and a power of ten below 1e-4 and from 1e6 on."""
    value = float(value)
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        text = repr(float(f"{value + 0.0:.{digits}g}")).removesuffix(".0")
    else:
        mantissa, exponent = f"{value:.{digits - 2}e}".split("e")
        text = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    return text.replace("-", MINUS)


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


def listed(items: Sequence[str], most: int = 3) -> str:
    """ "a, b, c and 4 more"."""
    shown = ", ".join(items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"
