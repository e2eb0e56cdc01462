"""Write containers like those of Streamlit as HTML, for a lab without it; `web/places.js` finds them."""

from __future__ import annotations

_BLOCK = (
    '<div data-testid="stLayoutWrapper">'
    '<div data-testid="stVerticalBlock" class="{classes}">{inside}</div></div>'
)
_ELEMENT = '<div data-testid="stElementContainer"><div class="stHtml">{inside}</div></div>'


def block(classes: str, inside: str) -> str:
    """Return a container of others."""
    return _BLOCK.format(classes=classes, inside=inside)


def place(name: str, still: str = "") -> str:
    """Return the place of a part of the lab, with its HTML where scripts are off."""
    inside = f"<noscript>{still}</noscript>" if still else ""
    return _ELEMENT.format(inside=f'<div class="av-place" data-place="{name}">{inside}</div>')
