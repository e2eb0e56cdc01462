"""Draw a list of claims: a mark, the number found, the expected number, the tolerance and the source."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

import streamlit as st

from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.lessons.record import Lesson
from autodiff_viz.ui.panels.waiting import so_far
from autodiff_viz.ui.session import session
from autodiff_viz.ui.work import proved, proving
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.lessons.claims import FAILS, HOLDS, OWN, ClaimView, claims_on_canvas
from autodiff_viz.workers.jobs import TOO_LONG

LOOK = 400  # milliseconds until the browser asks whether the answer has come
CSS = Path(__file__).parents[1] / "assets" / "lessons.css"
CHECKING = "Checking"
MARKS = {
    HOLDS: ("\u2713", "holds"),
    FAILS: ("\u2717", "does not hold"),
    OWN: ("\u25cb", "in the lesson's own graph"),
}


def draw_claims(claims: Iterable[ClaimView]) -> None:
    """Draw one row per claim."""
    st.html(f'<ul class="av-claims">{"".join(_row(claim) for claim in claims)}</ul>')


def draw_open_claims(lab: Lab, view: LabView) -> None:
    """Draw the claims of the open lesson, compared with the canvas; nothing without a lesson."""
    found = lesson(lab.lesson)
    if found is None:
        return
    answer = proved(found)
    if answer is None:
        st.text(checking(found))
        session().parts.polls["claims"] = LOOK
    elif answer.why:
        st.text(not_checked(answer.why))
    else:
        claims = claims_on_canvas(lab, view, answer.value)
        holding = sum(claim.holds for claim in claims)
        with st.expander(f"{holding} of {len(claims)} claims hold", key="open_claims"):
            _draw_held(claims)


def checking(found: Lesson) -> str:
    """Return that the claims of a lesson are being checked, and how many have been."""
    return so_far(CHECKING, proving(found))


def not_checked(why: str) -> str:
    """Return the reason why the claims of a lesson are not checked."""
    if why == TOO_LONG:
        return "Checking took too long and was ended: these claims are not checked."
    return "Checking broke down: these claims are not checked."


def _draw_held(claims: tuple[ClaimView, ...]) -> None:
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
