"""The independent checks: the whole program and central differences beside the live numbers."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.ui.panels.table import draw_table
from autodiff_viz.ui.session import session
from autodiff_viz.ui.widgets import wanted
from autodiff_viz.ui.work import CHECK, asked, check_job, check_told, is_large
from autodiff_viz.views.causes import explained, in_a_word
from autodiff_viz.views.compose import LabView, Verification
from autodiff_viz.views.lab import Lab
from autodiff_viz.workers.jobs import DROPPED, TOO_LONG

LOOK = 400  # milliseconds until the browser asks whether the answer has come
NOT_CHECKED = {
    TOO_LONG: "The check took too long and was ended: these numbers are not checked.",
    DROPPED: "There was no room for the check: these numbers are not checked.",
}


def draw_checks(lab: Lab, view: LabView) -> None:
    """A tick, or what differs. A large graph is checked when the user asks."""
    for note in view.notes:
        st.text(f"Note: {note}")
    if view.unfinished:
        st.text(f"Still to be wired: {', '.join(view.unfinished)}.")
    if not view.complete:
        return
    here, job = session(), check_job(view)
    if is_large(view) and not check_told(view) and here.looks.get(CHECK) != job.key:
        st.button("Check with jax.vjp", key="verify", on_click=wanted, args=("checks", CHECK, job.key))
        return
    answer = asked(here.name, CHECK, job)
    if answer is None:
        here.parts.polls["checks"] = LOOK
        st.text("Checking with jax.vjp ...")
    elif answer.why:
        st.text(NOT_CHECKED.get(answer.why, "The check broke down: these numbers are not checked."))
    else:
        _draw(answer.value)


def _draw(found: Verification) -> None:
    agrees = found.verdict is not None and found.verdict.agrees
    mark = ":green[:material/check_circle:]" if agrees else ":red[:material/error:]"
    with st.container(horizontal=True, vertical_alignment="center", key="checks"):
        st.markdown(f"{mark} {found.sentence}" if agrees else f"{mark} Not confirmed", width="stretch")
        details = st.popover("Details", key="details", on_change="rerun")
    if details.open:  # a table takes as many bytes as the rest of an edit: it is sent to those who look at it
        with details:
            st.text(found.sentence)
            draw_table(
                {
                    "input": [check.name for check in found.inputs],
                    "gradient": [check.declared for check in found.inputs],
                    "central differences": [check.true for check in found.inputs],
                    "equal": [in_a_word(check.agrees, check.causes) for check in found.inputs],
                }
            )
            for sentence in explained(cause for check in found.inputs for cause in check.causes):
                st.caption(sentence)
