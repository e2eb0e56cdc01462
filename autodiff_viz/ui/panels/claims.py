"""Claims as a list: a tick each, the number found, the one expected and its source."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

import streamlit as st

from autodiff_viz.views.lessons import ClaimView

CSS = Path(__file__).parents[1] / "assets" / "lessons.css"


def draw_claims(claims: Iterable[ClaimView]) -> None:
    """One row per claim."""
    st.html(f'<ul class="av-claims">{"".join(_row(claim) for claim in claims)}</ul>')


def _row(claim: ClaimView) -> str:
    mark, word = ("\u2713", "holds") if claim.holds else ("\u2717", "does not hold")
    return (
        f'<li class="{"av-holds" if claim.holds else "av-fails"}">'
        f'<span class="av-mark" role="img" aria-label="{word}">{mark}</span>'
        f'<span class="av-says">{escape(claim.says)}</span>'
        f'<span class="av-found">{escape(claim.found)}</span>'
        f'<span class="av-source">expected {escape(claim.expected)} \u00b7 {escape(claim.source)}</span></li>'
    )
