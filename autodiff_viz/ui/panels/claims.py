"""Claims as a list: a mark, the number found, the one expected, how close they must be, and its source."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

import streamlit as st

from autodiff_viz.views.claims import FAILS, HOLDS, OWN, ClaimView, claims_on_canvas
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab

CSS = Path(__file__).parents[1] / "assets" / "lessons.css"
MARKS = {
    HOLDS: ("\u2713", "holds"),
    FAILS: ("\u2717", "does not hold"),
    OWN: ("\u25cb", "in the lesson's own graph"),
}


def draw_claims(claims: Iterable[ClaimView]) -> None:
    """One row per claim."""
    st.html(f'<ul class="av-claims">{"".join(_row(claim) for claim in claims)}</ul>')


def draw_open_claims(lab: Lab, view: LabView) -> None:
    """The claims of the open lesson, held against the canvas; nothing without one."""
    claims = claims_on_canvas(lab, view)
    if not claims:
        return
    st.markdown("**Claims**")
    if any(claim.state == OWN for claim in claims):
        st.caption(
            "The canvas is not as the lesson has it. \u2713 holds on the canvas too; "
            "\u25cb is the lesson's own number, and *now* is what stands on the canvas."
        )
    draw_claims(claims)


def _row(claim: ClaimView) -> str:
    mark, word = MARKS[claim.state]
    now = f' <span class="av-now">now {escape(claim.now)}</span>' if claim.now else ""
    own = (
        '<span class="av-own-graph">in the lesson\'s own graph</span>'
        if claim.state == OWN and not now
        else ""
    )
    expected = f"expected {escape(claim.expected)}, {claim.closely}"
    return (
        f'<li class="av-{claim.state}">'
        f'<span class="av-mark" role="img" aria-label="{word}">{mark}</span>'
        f'<span class="av-says">{escape(claim.says)}</span>'
        f'<span class="av-found">{escape(claim.found)}{now}</span>{own}'
        f'<span class="av-source">{expected} \u00b7 {escape(claim.source)}</span></li>'
    )
